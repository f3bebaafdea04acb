// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/clock/clock_domain.h"
#include "tlm/spec/spec_error.h"
#include "tlm/transaction/fabric_extension.h"
#include "tlm/transaction/memory_class.h"

/// Synthetic traffic and trace replay. This header is the plain data of a traffic scenario; docs/traffic.md explains
/// every parameter on one page.
namespace pmufab::traffic {

using pmufab::MemoryClass;

/// A range of the platform's system address map.
struct MemoryRange {
  std::uint64_t base = 0;  ///< multiple of 64
  std::uint64_t size = 0;  ///< bytes, multiple of 64, not 0
  std::uint8_t socket = 0;
  MemoryClass memory = MemoryClass::cmem;
  std::uint8_t root_complex = 0;  ///< bar only: root complex of its root port
  std::uint8_t root_port = 0;
};

/// The requester of a generator.
struct RequesterSpec {
  RequesterKind kind = RequesterKind::cpu;
  std::uint8_t socket = 0;
  std::uint16_t id = 0;           ///< cpu: cluster within the socket; gpu, pcie: device number
  std::uint16_t bdf = 0;          ///< pcie only: bus << 8 | device << 3 | function
  std::uint8_t root_complex = 0;  ///< pcie only
  std::uint8_t root_port = 0;     ///< pcie only
  std::uint8_t qos = 0;           ///< 0 ... 15

  friend bool operator==(const RequesterSpec&, const RequesterSpec&) = default;
};

/// How requests enter the fabric.
enum class Path : std::uint8_t {
  cached,  ///< loads and stores through the private cache of the cluster (cpu only)
  direct,  ///< CHI requests to the fabric
};

/// A range of memory and the share of requests (or, for a trace, of pages) that goes there.
///
/// It is named by socket and class (a BAR also by its root port): the first matching range of the address map; `offset`
/// and `size` select a part of it. Or it is given by address: `base` and `size`, which must lie inside one range.
struct Target {
  std::uint8_t socket = 0;
  MemoryClass memory = MemoryClass::cmem;
  std::uint8_t root_complex = 0;      ///< bar only
  std::uint8_t root_port = 0;         ///< bar only
  std::uint64_t offset = 0;           ///< bytes into the range, multiple of 64
  std::optional<std::uint64_t> base;  ///< if set: an explicit window, and all members above are unused
  std::uint64_t size = 0;             ///< bytes, multiple of 64; 0: to the end of the range (not with base)
  std::uint32_t weight = 1;           ///< at least one of a list is not 0
};

/// The operation of a request. The first five leave the opcode to the generator (docs/traffic.md); the others are
/// exact.
enum class Operation : std::uint8_t {
  read,           ///< cached: load; direct: ReadShared from a cpu, ReadOnce from others
  write,          ///< cached: store; direct: WriteUniqueFull when the size is 64, otherwise WriteUniquePtl
  write_partial,  ///< WriteUniquePtl (direct only)
  atomic,         ///< AtomicStore (direct only)
  dataless,       ///< CleanInvalid (direct only)
  read_shared,    // from here on: the opcode of the same name, direct only
  read_unique,
  read_once,
  write_unique_full,
  write_unique_ptl,
  write_back_full,
  evict,
  clean_unique,
  clean_invalid,
  atomic_store,
};

struct OperationShare {
  Operation operation = Operation::read;
  std::uint32_t weight = 1;
};

/// Length of reads and writes whose opcode leaves it open (ReadOnce, WriteUniquePtl, loads, stores; AtomicStore uses at
/// most 8 of it).
struct SizeShare {
  std::uint32_t bytes = 64;  ///< 1 ... 64
  std::uint32_t weight = 1;
};

/// The order of successive requests within a target. Each target of a generator has its own state (cursor, chain).
enum class PatternKind : std::uint8_t {
  uniform,            ///< every line equally likely
  stream,             ///< ascending, without gaps, repeatedly
  stride,             ///< ascending by `stride` bytes, repeatedly
  hotspot,            ///< `hot_fraction` of the requests to the first `hot_size` bytes, the others uniform
  zipf,               ///< line n (0, 1, ...) with a probability proportional to 1 / (n + 1)^exponent
  pointer_chase,      ///< a random cycle through all lines; each request waits for the previous one
  producer_consumer,  ///< the requester writes `block_size` bytes, `consumer` reads them; then the next block
};

struct PatternSpec {
  PatternKind kind = PatternKind::uniform;
  std::uint64_t stride = 64;              ///< stride: bytes, 1 or more
  double hot_fraction = 0.9;              ///< hotspot: 0 ... 1
  std::uint64_t hot_size = 4096;          ///< hotspot: bytes, multiple of 64
  double exponent = 1.0;                  ///< zipf: above 0, up to 8
  std::uint64_t ranks = 65536;            ///< zipf: lines in use, 1 ... 2^22; at most as many as the target has
  std::uint64_t block_size = 4096;        ///< producer_consumer: bytes, multiple of 64
  std::optional<RequesterSpec> consumer;  ///< producer_consumer: the reader; same path as the generator
};

/// When requests are sent.
struct PacingSpec {
  enum class Kind : std::uint8_t {
    fixed,         ///< request n at exactly ceil(n / rate)
    exponential,   ///< gaps with an exponential distribution (Poisson arrivals)
    back_to_back,  ///< `gap` after the previous one, within the outstanding limit
  };
  Kind kind = Kind::fixed;
  double requests_per_us = 10.0;  ///< fixed, exponential: 10^-6 ... 10^6; exact to one request per second
  Picoseconds gap = 1000;         ///< back_to_back: at least 1
  /// After a wait for the outstanding limit: send late requests as fast as the limit allows (true), or continue with
  /// the usual gaps (false). back_to_back never catches up.
  bool catch_up = true;
};

/// On/off windows: the clock of the pacing runs in the "on" windows only.
struct BurstSpec {
  Picoseconds on = 0;   ///< not 0
  Picoseconds off = 0;  ///< not 0
};

/// A phase of a generator. Members that are set replace those of the generator.
struct PhaseSpec {
  Picoseconds start = 0;                ///< after the issuer's start; not before the end of the previous phase
  std::optional<Picoseconds> duration;  ///< the phase ends then; requests still waiting are dropped
  std::optional<std::uint64_t> count;   ///< the phase ends after so many requests. Neither: endless (last phase only)
  std::optional<PatternSpec> pattern;
  std::optional<PacingSpec> pacing;
  std::optional<BurstSpec> burst;
  std::vector<Target> targets;      ///< empty: as the generator
  std::vector<OperationShare> mix;  ///< empty: as the generator
  std::vector<SizeShare> sizes;     ///< empty: as the generator
};

/// Replay of recorded accesses: a `.pmutrace` file or its CSV form (docs/traffic.md). Virtual pages get physical frames
/// at first touch, in a target chosen by a hash of the page number. Traces of different generators never share a frame.
struct TraceSpec {
  std::string file;
  std::vector<Target> placement;   ///< one or more; each part is aligned to the page size
  std::uint64_t page_size = 4096;  ///< power of two, 64 ... 2^30
  Picoseconds gap = 1000;          ///< from one access to the next, at least 1
  std::uint64_t repeat = 1;        ///< passes over the file, 1 or more
  std::uint64_t limit = 0;         ///< accesses in all; 0: no limit
  bool keep_instructions = false;  ///< replay instruction fetches as loads
  std::uint64_t placement_seed = 0;
};

/// One stream of requests.
struct GeneratorSpec {
  std::string name;  ///< unique in the scenario, not empty
  RequesterSpec requester;
  Path path = Path::direct;

  std::vector<Target> targets;  ///< one or more, unless a trace is set
  PatternSpec pattern;
  std::vector<OperationShare> mix = std::vector<OperationShare>(1);  ///< default: reads
  std::vector<SizeShare> sizes = std::vector<SizeShare>(1);          ///< default: 64 bytes
  PacingSpec pacing;
  std::optional<BurstSpec> burst;
  std::vector<PhaseSpec> phases;  ///< empty: one endless phase from the start

  /// If set: replay. Targets and phases must be empty then; pattern, mix, sizes, pacing and burst are unused.
  std::optional<TraceSpec> trace;
  Picoseconds start = 0;  ///< after the issuer's start (without phases)

  std::uint32_t outstanding = 0;      ///< requests in flight, up to 65536; 0: no limit (pointer_chase: always 1)
  std::optional<std::uint64_t> seed;  ///< not set: derived from the scenario's seed and the generator's name
};

/// A whole traffic scenario.
struct TrafficSpec {
  std::uint64_t seed = 1;
  std::vector<GeneratorSpec> generators;
};

/// Check a scenario against its platform. Trace files are not opened here.
/// @param map      the platform's memories
/// @param sockets  number of sockets; requesters must sit in one of them
/// @throws SpecError for the first mistake
void validate(const TrafficSpec& spec, const std::vector<MemoryRange>& map, unsigned sockets);

/// Names as in scenario files: "cmem"; "producer_consumer"; "read", "write_partial" or "ReadShared".
/// @{
[[nodiscard]] std::string_view to_string(PatternKind kind) noexcept;
[[nodiscard]] std::string_view to_string(Operation operation) noexcept;
/// @}
/// @return the operation of that name; nothing for an unknown one.
[[nodiscard]] std::optional<Operation> operation_from(std::string_view name) noexcept;

}  // namespace pmufab::traffic
