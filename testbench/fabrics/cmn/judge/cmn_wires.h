// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "testbench/fabrics/cmn/judge/cmn_judge_spec.h"
#include "testbench/fabrics/cmn/judge/cmn_node_ids.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_nodes.h"
#include "testbench/fabrics/cmn/judge/reference_cycle_counters.h"
#include "testbench/judge/exact_clock.h"

namespace pmufab::scoreboard {

struct CmnMeaning;
class WatchpointTruth;

/// The inputs of a mesh's truths: flits counted at each interface, watchpoints, and nodes.
class CmnWires {
 public:
  /// @param spec  must outlive the wires
  CmnWires(const CmnJudgeSpec& spec, Chronicle& chronicle);

  [[nodiscard]] unsigned xps() const { return spec.columns * spec.rows; }
  [[nodiscard]] std::uint64_t& count(cmn::FlitEvent event, unsigned xp, cmn::Interface interface,
                                     cmn::Channel channel) {
    return counts_[index(event, xp, interface, channel)];
  }
  [[nodiscard]] std::uint64_t count(cmn::FlitEvent event, unsigned xp, cmn::Interface interface,
                                    cmn::Channel channel) const {
    return counts_.at(index(event, xp, interface, channel));
  }
  /// Show a flit to the watchpoints.
  void see_flit(bool upload, unsigned xp, cmn::Interface port, cmn::Channel channel, const cmn::FlitFields& fields) {
    if (!open_watchpoints_.empty()) show(upload, xp, port, channel, fields);
  }

  /// Show many flits, of which only some bits are known, to the watchpoints.
  void show_at_once(unsigned xp, const CmnMeaning& known, std::uint64_t amount);

  /// @name Watchpoints. A DTM has two for each direction. An event takes the first free one in each DTM it applies to.
  /// @{
  struct Slots {
    std::array<WatchpointTruth*, 2> taken{};
  };
  [[nodiscard]] Slots& slots(unsigned xp, unsigned port, bool upload) {
    const unsigned dtm = spec.multiple_dtm ? port / 2 : 0;
    return slots_[(std::size_t{xp} * kDtms + dtm) * 2 + (upload ? 1 : 0)];
  }
  void open(WatchpointTruth& truth) { open_watchpoints_.push_back(&truth); }
  void close(WatchpointTruth& truth) { std::erase(open_watchpoints_, &truth); }
  /// @return those that somebody wants to count, in the order in which that began.
  [[nodiscard]] const std::vector<WatchpointTruth*>& open_watchpoints() const noexcept { return open_watchpoints_; }
  /// @}

  const CmnJudgeSpec& spec;
  const CmnNodeIds ids;
  ReferenceCycleCounters cycle_counters;
  ReferenceNodes nodes;

 private:
  static constexpr std::size_t kPerXp = std::size_t{cmn::kInterfaces} * cmn::kChannels;
  static constexpr unsigned kDtms = 4;  // per XP, as many as wp_dev_sel can select

  /// What is counted in a cycle of one channel lies together.
  [[nodiscard]] std::size_t index(cmn::FlitEvent event, unsigned xp, cmn::Interface interface,
                                  cmn::Channel channel) const {
    const std::size_t plane = static_cast<std::size_t>(event) * cmn::kChannels + static_cast<std::size_t>(channel);
    return (plane * xps() + xp) * cmn::kInterfaces + static_cast<std::size_t>(interface);
  }
  void show(bool upload, unsigned xp, cmn::Interface port, cmn::Channel channel, const cmn::FlitFields& fields);

  std::vector<std::uint64_t> counts_;
  std::vector<Slots> slots_;
  std::vector<WatchpointTruth*> open_watchpoints_;
};

}  // namespace pmufab::scoreboard
