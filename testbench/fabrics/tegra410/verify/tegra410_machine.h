// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify::tegra410 {

constexpr std::size_t kAddressFilters = 8;  ///< of a PCIE-TGT PMU

/// Parameters of a CoreSight PMU.
struct CoreSightShape {
  unsigned counters = 8;   ///< the cycle counter included
  bool has_cycles = true;  ///< there is a cycle counter
  [[nodiscard]] unsigned event_counters() const noexcept { return has_cycles ? counters - 1 : counters; }
  unsigned width = 64;
  bool interrupt = true;
  bool is_edge = false;
  bool is_atomic = false;  ///< counters of more than 32 bits take accesses of 64 bits
  bool dual_page = true;
};

struct RootPort {
  unsigned number = 0;
  unsigned bus = 0;
  std::uint64_t bar_size = 0;
  std::vector<unsigned> functions;
};

struct RootComplex {
  unsigned socket = 0;
  unsigned number = 0;
  std::vector<RootPort> ports;
  /// All its events name this requester, because a PCIE PMU has one filter by requester for all of its events.
  std::optional<unsigned> requester;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> addresses;  ///< base and mask, each once
};

/// A range of memory that traffic and address filters may name.
struct Memory {
  std::string kind;  ///< "cmem", "gmem", "cxl"
  unsigned socket = 0;
};

/// What the generator knows of a machine it makes: enough to name its events.
struct Machine {
  unsigned sockets = 1;
  unsigned cpus_per_socket = 4;
  unsigned clusters = 4;
  bool is_slow = false;  ///< counters are narrow: clocks, traffic and interrupts have to leave time
  std::string peer;      ///< of NVLink-C2C: "gpu", "cpu"
  unsigned gpus = 2;
  unsigned c2c_width = 64;
  unsigned cmem_width = 64;
  CoreSightShape ucf;
  CoreSightShape pcie;
  CoreSightShape pcie_tgt;
  std::vector<RootComplex> complexes;
};

/// Draw a machine, and describe it: the map under the key `platform`.
[[nodiscard]] Machine draw_machine(Random& random, scenario::Value& platform);

/// Traffic that reaches what the machine's PMUs count: the list under the key `traffic`.
[[nodiscard]] scenario::Value draw_traffic(Random& random, const Machine& machine);

/// @return where the BARs below a root port begin
[[nodiscard]] std::uint64_t bar_base(const RootComplex& complex, const RootPort& port);

/// What perf sessions may do with the PMUs of a machine.
[[nodiscard]] std::vector<PmuOffer> offers_of(const std::shared_ptr<const Machine>& machine);

/// @return what firmware has left in some PMUs, a list for the key `firmware_writes`: counters that run and have values,
///         some of which overflow before the drivers are loaded, events, filters, and enabled interrupts
[[nodiscard]] scenario::Value draw_firmware(Random& random, const Machine& machine);

}  // namespace pmufab::verify::tegra410
