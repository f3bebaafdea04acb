// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "models/dwc/link_events.h"
#include "models/dwc/wire/description.h"
#include "models/dwc/wire/link.h"
#include "models/pcie/configuration_space.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_spec.h"

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

/// The statistics of a RAS DES capability (Debug, Error injection, Statistics): a vendor-specific extended capability
/// of a root port's configuration space.
///
/// Each event of each lane has a counter of 32 bits, which wraps; nothing tells that. EVENT_COUNTER_CONTROL selects
/// one, whose value EVENT_COUNTER_DATA is, and switches and clears it, or all. Time-based analysis has one measurement
/// (TimeAnalysis). Debugging and injection of errors are not modelled: their registers read 0.
class RasDes {
 public:
  static constexpr unsigned kBytes = 0x100;

  /// Add the capability to a configuration space.
  /// @param space  must outlive this object, and so must `clock`
  RasDes(pcie::ConfigurationSpace& space, const RootPortDescription& port, const ClockDomain& clock);
  RasDes& operator=(RasDes&&) = delete;

  /// Something happens on the link. Nothing counts an event that neither link_events() nor link_payloads() has.
  void happen(const LinkEvent& event, Picoseconds when);
  /// The link is in another state from now on.
  void enter(LinkState state, Picoseconds when) { analysis_.enter(state, when); }
  /// Cycles of the core's clock pass at once. @param state  of the link in them; nothing: the present one
  void pass_cycles(std::optional<LinkState> state, std::uint64_t cycles, Picoseconds when) {
    analysis_.pass_cycles(state, cycles, when);
  }
  /// A packet with data passes, without an event of a lane.
  void pass_data(Payload payload, std::uint64_t bytes, Picoseconds when) {
    analysis_.pass(payload, units_of(bytes), when);
  }
  /// Counters are 0 and off, as after a reset of the port.
  void reset(Picoseconds when);

  /// @return its registers, for dumps.
  [[nodiscard]] std::span<const RegisterSpec> registers() const noexcept { return registers_; }

 private:
  static constexpr std::size_t kRegisters = 6;
  /// @return the units of 16 bytes that a packet takes.
  [[nodiscard]] static constexpr std::uint64_t units_of(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t kUnitBytes = 16;
    return (bytes + kUnitBytes - 1) / kUnitBytes;
  }

  struct Counter {
    std::uint32_t value = 0;
    bool is_on = false;
  };
  using LaneCounters = std::array<Counter, kMaximumLanes>;

  /// @param event  of link_events(); null: none
  /// @return null if there is no such counter
  [[nodiscard]] Counter* counter(const LinkEventCode* event, unsigned lane) noexcept;
  [[nodiscard]] Counter* selected() noexcept;
  void write_counter_control(const pcie::ConfigurationWrite& write);
  void write_analysis_control(const pcie::ConfigurationWrite& write);
  void show(Picoseconds when);

  pcie::ConfigurationSpace& space_;
  unsigned lanes_;
  unsigned at_;  // of the capability
  std::array<RegisterSpec, kRegisters> registers_;
  std::array<LaneCounters, kLinkEventCodes> counters_{};  // in the order of link_events()
  TimeAnalysis analysis_;
};

}  // namespace pmufab::dwc
