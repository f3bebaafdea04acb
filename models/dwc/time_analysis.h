// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/dwc/link_events.h"
#include "models/dwc/wire/link.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::dwc {

/// Time-based analysis of a RAS DES capability: what one measurement has seen of states and data of the link.
///
/// A measurement sees everything; which of it software reads is chosen by a report's number. It begins with 0, and
/// what it has seen stays until the next one begins.
class TimeAnalysis {
 public:
  /// @param clock  of the controller's core; must outlive this object
  /// @param width  bits of what software reads: 1 ... 64
  TimeAnalysis(const ClockDomain& clock, unsigned width) : clock_(clock), width_(width) {}

  /// @param duration  it ends by itself after so long; nothing: when stop() is called
  void start(std::optional<Picoseconds> duration, Picoseconds when);
  void stop(Picoseconds when);
  /// @return whether a measurement goes on.
  [[nodiscard]] bool runs(Picoseconds when) const noexcept { return runs_ && (!deadline_ || when < *deadline_); }

  /// The link is in another state from now on.
  void enter(LinkState state, Picoseconds when);
  /// Data passes. @param units  of 16 bytes
  void pass(Payload payload, std::uint64_t units, Picoseconds when);
  /// Cycles pass at once in a state; nothing: in the one in which the link is.
  void pass_cycles(std::optional<LinkState> state, std::uint64_t cycles, Picoseconds when);

  /// @param report  0x00 one cycle, 0x01 to 0x09 states, 0x20 to 0x23 data; any other is 0
  [[nodiscard]] std::uint64_t read(unsigned report, Picoseconds when) const;
  /// Nothing is measured, and nothing was. The link keeps its state.
  void reset(Picoseconds when);

 private:
  static constexpr unsigned kCycles = kLinkStates;  // place of all cycles, behind the states
  static constexpr unsigned kData = kLinkStates + 1;
  using Totals = std::array<std::uint64_t, kData + kPayloads>;

  /// A measurement whose time is over has ended then.
  void settle(Picoseconds when);
  /// @return what has passed since the simulation began.
  [[nodiscard]] Totals totals(Picoseconds when) const;

  const ClockDomain& clock_;
  unsigned width_;
  LinkState state_ = LinkState::l0;
  Picoseconds since_ = 0;  // in that state
  Totals passed_{};        // up to then; data up to now
  bool runs_ = false;
  std::optional<Picoseconds> deadline_;
  Totals begin_{};
  Totals end_{};  // while it does not run
};

}  // namespace pmufab::dwc
