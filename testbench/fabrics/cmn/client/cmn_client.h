// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "testbench/fabrics/cmn/client/counter_request.h"
#include "testbench/fabrics/cmn/client/counters.h"
#include "testbench/fabrics/cmn/client/mesh.h"
#include "testbench/host/register_access/register_access.h"

namespace pmufab::cmn_client {

/// Software that counts with the PMU of a CMN mesh as the technical reference manuals say, and knows how wide its
/// counters are. It owns the PMU.
///
/// Counts are 64 bits wide whatever the width of the counters, as long as handle_overflow() is called before a DTC's
/// counter wraps a second time. A count is read from a snapshot, so counters run on meanwhile.
class CmnClient {
 public:
  /// Finds the mesh by its registers, and switches its DTCs on. Nothing counts before run().
  /// @throws std::runtime_error as find_mesh() does
  CmnClient(RegisterAccess access, const MeshPlace& place, CounterWidths widths = {});

  [[nodiscard]] const Mesh& mesh() const noexcept { return mesh_; }
  /// @return true if counters could be opened for all of these at a time, if none were open.
  [[nodiscard]] bool has_counters_for(std::span<const CounterRequest> requests) const;

  /// Let counters count, or none of them. Cycle counters of other DTCs than the first run on.
  void run();
  void stop();

  /// Take counters for a request and couple them.
  /// @return a number for the calls below; nothing if what the request needs is not free, or the mesh cannot count it
  std::optional<unsigned> open(const CounterRequest& request);
  /// Free all that counts a request. Its count can be read until the number is given out again.
  void close(unsigned number);

  /// @return what was counted since open()
  /// @throws std::runtime_error if the mesh takes no snapshot
  std::uint64_t count(unsigned number);
  /// Call it for each interrupt of a DTC. @return false: that DTC has not sent it
  bool handle_overflow(unsigned dtc);

 private:
  static constexpr unsigned kCycleBit = 8;  // of overflow status; the bits below are those of the global counters

  struct Open {
    bool is_open = false;
    CounterRequest request{};
    Placement placement{};
    std::vector<std::uint64_t> before{};  // what its local counters held in the beginning
    std::uint64_t count = 0;              // when it was closed
  };

  [[nodiscard]] std::uint64_t global_address(unsigned dtc, unsigned counter, std::uint64_t first) const;
  [[nodiscard]] std::uint64_t watchpoint_address(const Placement::Local& local) const;
  [[nodiscard]] std::uint32_t combine_bit() const noexcept { return mesh_.is_cmn600() ? 1U << 6 : 1U << 9; }
  [[nodiscard]] bool is_on(unsigned dtc) const noexcept { return dtc != 0 || running_; }
  [[nodiscard]] bool has_overflowed(unsigned dtc, unsigned bit) const;
  void forget_overflow(unsigned dtc, unsigned bit);

  void couple(const Open& event);
  void uncouple(const Open& event);
  void park_all(unsigned dtm);
  void park(unsigned dtm, unsigned watchpoint, bool is_of_pair = false) const;
  void set_up_watchpoint(const CounterRequest::Watchpoint& watchpoint, const Placement::Local& local) const;
  void select_watchpoint(const CounterRequest::Watchpoint& watchpoint, const Placement::Local& local, bool on) const;
  [[nodiscard]] unsigned input_of(const CounterRequest& request, const Placement::Local& local) const;
  void clear_selects(unsigned node);
  /// Let the sources of an event feed its counters, or nothing.
  void select(const Open& event, bool on);
  void select_node(unsigned node, unsigned slot, unsigned event);
  void select_crosspoint(unsigned crosspoint, unsigned slot, unsigned event);

  void start_cycles(unsigned dtc);
  [[nodiscard]] std::uint64_t cycles_of(unsigned dtc) const;
  [[nodiscard]] std::uint64_t carries_of(unsigned dtc, unsigned counter) const;
  [[nodiscard]] bool has_filters(const CounterRequest& request) const;
  void write_filters(unsigned node) const;
  void take_snapshot(unsigned dtc, unsigned counter) const;
  /// @param offset  of the counters in a DTM, or of their copies in a snapshot
  void read_locals(const std::vector<Placement::Local>& locals, std::uint64_t offset,
                   std::vector<std::uint64_t>& values) const;
  [[nodiscard]] std::uint64_t count_of(const Open& event) const;

  RegisterAccess access_;
  CounterWidths widths_;
  Mesh mesh_;
  Counters counters_;
  std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> nodes_at_;  // by DTM and position
  std::vector<Open> events_;
  std::vector<std::uint64_t> configs_;                                 // pmu_config, by DTM
  std::vector<bool> parked_;                                           // by DTM: no watchpoint is set by others
  std::vector<bool> cleared_;                                          // by node: others have selected no event
  std::vector<bool> cleared_crosspoints_;                              // the same
  std::vector<std::array<std::uint8_t, Counters::kLocals>> selected_;  // events, by node
  std::vector<std::array<std::uint16_t, Counters::kLocals>> selected_at_crosspoints_;
  std::vector<std::array<std::uint64_t, kCycleBit + 1>> turns_;  // handled overflows, by DTC and bit
  // Status bits of the first DTC that belong to no open event. They cannot be cleared while it is off.
  std::uint32_t stale_ = 0;
  bool running_ = false;
};

}  // namespace pmufab::cmn_client
