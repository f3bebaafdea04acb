// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "models/dwc/wire/link.h"
#include "testbench/fabrics/dwc/judge/dwc_judge_spec.h"
#include "testbench/fabrics/dwc/judge/dwc_meaning.h"
#include "testbench/judge/exact_clock.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scoreboard {

/// How far an event is: what has happened, and what a counter was to count of it.
struct DwcProgress {
  std::uint64_t happened = 0;
  std::uint64_t counted = 0;  ///< while its counter was on
  std::uint64_t dropped = 0;  ///< of that: after software had read the counter, and before it cleared it
};

/// What the judge of one DesignWare root port has seen of its link, and of the registers that switch its counters.
class DwcWires {
 public:
  /// @param spec  outlives this object
  explicit DwcWires(const DwcPortSpec& spec);

  // The link.
  void see_event(const dwc::LinkEvent& event);
  void see_state(dwc::LinkState state, Picoseconds when);
  /// Cycles pass at once in a state; nothing: in the present one.
  void pass_cycles(std::optional<dwc::LinkState> state, std::uint64_t cycles, Picoseconds when);
  /// Packets with so many bytes of data each: a counter has them in whole units of 16 bytes.
  void pass_data(DwcData data, std::uint64_t bytes, std::uint64_t packets);

  // The bus.
  void see(const MmioBus::BusAccess& access);
  [[nodiscard]] bool is_counter_read(const MmioBus::BusAccess& access) const;
  /// @return whether a counter of a lane, or time-based analysis, is on.
  [[nodiscard]] bool is_any_on() const;

  /// A moment, and how far an event was.
  struct Point {
    Picoseconds when = 0;
    DwcProgress progress;
  };
  /// @param when  not before the last thing seen
  [[nodiscard]] DwcProgress progress(const DwcMeaning& meaning, Picoseconds when) const;
  /// @return where software last switched on the counter of an event; nothing if it did not since `begin`.
  [[nodiscard]] std::optional<Point> last_start(const DwcMeaning& meaning, Picoseconds begin) const;
  /// @return where software last read it, in the same way.
  [[nodiscard]] std::optional<Point> last_read(const DwcMeaning& meaning, Picoseconds begin) const;

 private:
  // Places of what time-based analysis measures: states, all cycles, data.
  static constexpr unsigned kCycles = dwc::kLinkStates;
  static constexpr unsigned kData = kCycles + 1;
  static constexpr unsigned kMeasured = kData + kDwcDataKinds;
  using Measured = std::array<DwcProgress, kMeasured>;

  struct Lane {
    DwcProgress progress;
    bool is_on = false;
    std::optional<Point> start;
    std::optional<Point> read;
    bool is_read = false;  ///< since it was cleared last
  };
  using LaneKey = std::pair<unsigned, unsigned>;  // event, lane
  struct Snapshot {
    Picoseconds when = 0;
    Measured measured{};
  };

  [[nodiscard]] static unsigned place_of(const DwcMeaning& meaning);
  /// @return a point of an event, in its measurement or on its lane; nothing if it was before `begin`
  [[nodiscard]] std::optional<Point> point_since(Picoseconds begin, const DwcMeaning& meaning,
                                                 const std::optional<Snapshot>& measurement,
                                                 std::optional<Point> Lane::*of_lane) const;
  [[nodiscard]] Measured measured(Picoseconds when) const;
  /// Take what has passed until now into measured_.
  void advance(Picoseconds when);
  void add(unsigned place, std::uint64_t amount);
  void write_counter_control(std::uint32_t value, Picoseconds when);
  void write_analysis_control(std::uint32_t value, Picoseconds when);
  void read_data(Picoseconds when);
  void read_measurement(Picoseconds when);
  static void clear(Lane& lane);
  /// @return the counter of an event of a lane. If nothing has named it before, it is on or off as the last command for
  ///         all counters left it.
  [[nodiscard]] Lane& lane(const LaneKey& key);

  std::uint64_t registers_;  // address of the capability
  ExactClock clock_;
  std::map<LaneKey, Lane> lanes_;  // those that something has named
  bool others_are_on_ = false;
  LaneKey selected_{0, 0};

  dwc::LinkState state_ = dwc::LinkState::l0;
  Picoseconds since_ = 0;
  Measured measured_{};
  bool measures_ = false;
  std::optional<Snapshot> start_;
  std::optional<Snapshot> read_;
  bool is_read_ = false;  // since the measurement began
};

}  // namespace pmufab::scoreboard
