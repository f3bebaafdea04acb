// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/judge/finding.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::scoreboard {

/// @return the memory controller of a CMEM address, instance * controllers + controller, by docs/tegra410.md.
[[nodiscard]] std::size_t cmem_controller(const Tegra410JudgeSpec& spec, std::uint64_t address) noexcept;
/// @return the number of 32-byte parts of `length` bytes.
[[nodiscard]] constexpr std::uint64_t parts_of(std::uint32_t length) noexcept { return (length + 31U) / 32U; }

/// Compares the reads and writes seen between UCFs and memories with those that must happen. Each is seen once, with
/// the right line, bytes and direction. Reads of CMEM have the right time, by the controllers' rule of order and
/// latency. Writes are posted, and only GMEM acknowledges them.
class MemoryWires {
 public:
  MemoryWires(const Tegra410JudgeSpec& spec, Findings& findings);

  /// A request accepted at `accepted` makes `op` necessary. In order of acceptance.
  void expect(const MemoryOp& op, Picoseconds accepted);
  /// An access on the wires. May come before or after the expectation.
  void see(const BoundaryObserver::MemoryAccess& access);
  /// Report what has no counterpart on either side.
  void finish();

 private:
  struct Times {
    Picoseconds start;
    Picoseconds end;
    bool known;  // the time is determined
  };
  // socket, write, line or exact address, bytes
  using Key = std::tuple<unsigned, bool, std::uint64_t, std::uint32_t>;
  /// What has no counterpart yet, which is little. Those with one key are in the order of their coming.
  using Waiting = boost::container::flat_multimap<Key, Times>;

  /// @return the counterpart of `key` that came first; nothing if there is none, and then `mine` waits for one.
  static std::optional<Times> match(Waiting& others, Waiting& own, const Key& key, const Times& mine);
  static Key key(unsigned socket, bool is_write, std::uint64_t address, std::uint32_t length);
  Times times_of(const MemoryOp& op, Picoseconds accepted);
  void compare(const Key& key, const Times& expected, const Times& seen);

  const Tegra410JudgeSpec& spec_;
  Findings& findings_;
  Waiting expected_;
  Waiting seen_;
  std::vector<std::vector<std::optional<Picoseconds>>> last_end_;  // per socket and controller
};

}  // namespace pmufab::scoreboard
