// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/random/mersenne_twister.hpp>

#include "models/cmn/nodes/nodes.h"
#include "testbench/traffic/pacer.h"
#include "testbench/traffic/random_stream.h"
#include "tlm/spec/latency_histogram.h"

namespace pmufab::traffic {

/// The order of successive operations within a range.
enum class ChiPattern : std::uint8_t {
  uniform,  ///< every line equally likely
  stream,   ///< line after line, repeatedly; each requester has its own position
  hot_set,  ///< a share of the operations to the first bytes, the others as uniform
};

/// A working set.
struct ChiRange {
  std::uint64_t base = 0;   ///< multiple of 64; bits 47:44 select the node (docs/cmn-nodes.md, section 2)
  std::uint64_t size = 0;   ///< bytes, a multiple of 64, not 0
  bool is_private = false;  ///< divided evenly: each requester has its own lines
  ChiPattern pattern = ChiPattern::uniform;
  double hot_share = 0.9;         ///< for hot_set: 0 ... 1
  std::uint64_t hot_size = 4096;  ///< for hot_set: bytes, a multiple of 64
  std::uint32_t weight = 1;
};

struct ChiOperationShare {
  cmn::OperationKind kind = cmn::OperationKind::load;
  std::uint32_t weight = 1;
};

/// Operations for requesters of a mesh. They become CHI transactions, which homes, memory and I/O answer.
struct ChiTrafficSpec {
  std::string name;                                    ///< unique in the scenario, not empty
  unsigned mesh = 0;                                   ///< number of the mesh in the platform
  cmn::DeviceKind requesters = cmn::DeviceKind::rn_f;  ///< rn_f, rn_i or rn_d
  std::vector<unsigned> numbers{};                     ///< their numbers, in order of XP, port, device; empty: all
  std::vector<ChiOperationShare> mix{1, ChiOperationShare{}};  ///< default: loads
  std::vector<ChiRange> ranges{};         ///< at least one, unless all operations are DVM operations
  std::optional<double> rate{};           ///< operations per requester and cycle, 1e-9 ... 1; not set: as fast as
                                          ///< `outstanding` allows
  unsigned outstanding = 4;               ///< operations per requester at a time; 0 with a rate: unlimited
  std::vector<unsigned> qos{0};           ///< 0 ... 15, equally likely
  unsigned size = 8;                      ///< bytes of partial and uncached accesses: 1, 2, 4 ... 64
  bool allocate = true;                   ///< MemAttr bit 3
  std::vector<unsigned> lpid{0};          ///< 0 ... 31, equally likely; for rn_i and rn_d also the AXI port: LPID mod 3
  double cancel_share = 0;                ///< for write_no_snp_ptl of rn_i and rn_d: share that is cancelled, 0 ... 1
  Picoseconds start = 0;                  ///< after the start of traffic
  std::optional<Picoseconds> duration{};  ///< time in which operations begin
  std::optional<std::uint64_t> count{};   ///< operations each requester begins, at least 1
  std::optional<std::uint64_t> seed{};    ///< not set: derived from the scenario's seed and the name
};

/// What the cycles of requesters went to, from the start of their operations to the last one, or to ChiTraffic::stop().
/// Each cycle of each requester is in one number.
struct ChiCycles {
  std::uint64_t issuing = 0;  ///< an operation began
  std::uint64_t idle = 0;     ///< none was due
  // One was due and did not begin:
  std::uint64_t outstanding = 0;  ///< as many as the traffic allows were under way
  std::uint64_t answer = 0;       ///< the line, a table or a cache waited for an answer of home or memory
  std::uint64_t credit = 0;       ///< a request under way waited for a credit, after RetryAck
  std::uint64_t port = 0;         ///< a request under way, or its data, waited to enter the mesh
};

/// Feeds the requesters of a mesh with operations. A requester has only one feeder.
class ChiTraffic {
 public:
  /// @param nodes  of the mesh; both must outlive the traffic's last cycle
  /// @param field  path of the spec, for errors: "chi_traffic[2]"
  /// @param seed   the scenario's
  /// @throws SpecError if the mesh does not support such traffic
  ChiTraffic(cmn::Mesh& mesh, cmn::Nodes& nodes, const ChiTrafficSpec& spec, const std::string& field,
             std::uint64_t seed);
  ~ChiTraffic();

  /// Set time 0 of the traffic. Once.
  void start(Picoseconds zero);
  /// Begin no more operations. Those under way end normally.
  void stop();

  [[nodiscard]] const std::string& name() const noexcept { return spec_.name; }
  [[nodiscard]] unsigned mesh() const noexcept { return spec_.mesh; }
  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_; }
  /// The durations of all operations that have ended, in cycles.
  [[nodiscard]] const LatencyHistogram& latencies() const noexcept { return latencies_; }
  /// What the cycles went to, up to the last change; after stop(), all of them.
  [[nodiscard]] const ChiCycles& cycles() const noexcept { return cycles_; }
  /// @return true if no more operations will begin.
  [[nodiscard]] bool ended() const noexcept;

 private:
  class Feeder;
  void make(std::uint64_t index, cmn::Operation& operation, std::vector<std::uint64_t>& cursors);
  std::uint64_t address_in(const ChiRange& range, std::uint64_t index, std::uint64_t& cursor);
  std::uint64_t below(std::uint64_t limit);
  /// @return the first cycle whose work is not done, or is being done
  [[nodiscard]] cmn::Cycle cycle() const noexcept;

  cmn::Mesh& mesh_;
  ChiTrafficSpec spec_;
  boost::random::mt19937_64 random_;
  std::optional<GeometricGaps> gaps_;
  WeightedChoice<cmn::OperationKind> kinds_;
  WeightedChoice<std::size_t> ranges_;
  std::vector<std::uint16_t> stash_targets_;
  std::vector<std::unique_ptr<Feeder>> feeders_;
  cmn::Cycle first_ = cmn::kNoCycle;
  cmn::Cycle end_ = cmn::kNoCycle;
  std::uint64_t begun_ = 0;
  std::uint64_t completed_ = 0;
  LatencyHistogram latencies_;
  ChiCycles cycles_;
};

/// Names as in scenario files: "load", "write_unique_full"; "hot_set".
/// @{
[[nodiscard]] std::string_view to_string(cmn::OperationKind kind) noexcept;
[[nodiscard]] std::string_view to_string(ChiPattern pattern) noexcept;
/// @}

}  // namespace pmufab::traffic
