// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/cmn/description/config_space.h"
#include "models/cmn/description/event_select.h"
#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/pmu/accumulated_events.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/pmu/dtc.h"
#include "models/cmn/pmu/dtm.h"
#include "models/cmn/pmu/flit_image.h"
#include "models/cmn/pmu/flit_tallies.h"
#include "models/cmn/pmu/occupancy.h"
#include "models/cmn/pmu/watchpoint.h"
#include "models/cmn/wire/types.h"
#include "models/pmu/alarm.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"

namespace pmufab::cmn {

/// The PMU of a mesh: every XP's DTMs and the DTCs, behind the registers of a ConfigSpace.
///
/// Events come in through pulses(), upload(), download() and node_event(); most of those of flits are read from the
/// mesh's tallies instead: use_tallies(). An uncounted event costs a compare: routing, gates included (pmu_en of the DTM;
/// dt_en and pmu_en of DTC 0 and of the domain's DTC), is recomputed on every register write. Times of events and
/// accesses never run backwards.
class Pmu {
 public:
  /// Called when pulses() starts or stops to need a flit event: an XP counts the event and no tally serves, or a
  /// watchpoint sees the downloads of the port.
  using OnWatch = std::function<void(unsigned xp, Interface interface, Channel channel, FlitEvent event, bool on)>;

  /// @param topology  must pass check(); it, layout, clock and space must outlive the PMU
  /// @param name      of the interrupt lines: "cmn0" makes "cmn0.dtc0.INTREQPMU"
  /// @throws std::invalid_argument for a parameter out of range
  Pmu(const std::string& name, const Topology& topology, const Layout& layout, ConfigSpace& space,
      const ClockDomain& clock, const PmuParameters& parameters = {});
  ~Pmu();
  Pmu& operator=(Pmu&&) = delete;

  /// INTREQPMU of a DTC.
  [[nodiscard]] InterruptLine& interrupt(unsigned dtc) { return *lines_.at(dtc); }

  /// @name Flits that leave an XP
  /// @{ From now on, counters of flit events may read how often an event has happened from a tally; pulses() is then
  /// needed for few events. look_at_tallies() must be called before the work of each cycle.
  void use_tallies(FlitTallies::Tally tally) { tallies_.use(std::move(tally)); }
  void look_at_tallies(Cycle now) {
    if (tallies_.is_due(now)) [[unlikely]]
      choose_tallied(now);
  }
  /// Count the events of one cycle, but not those that a tally holds. Unwatched events are allowed.
  void pulses(std::span<const MeshPulse> pulses, Picoseconds when) {
    if (listening_xps_ == 0) return;
    for (const MeshPulse& pulse : pulses) {
      const unsigned code = interface_codes_[static_cast<unsigned>(pulse.interface)];
      const unsigned id =
          (static_cast<unsigned>(pulse.event) + 1) | code << 2 | static_cast<unsigned>(pulse.channel) << 5;
      if (code != kNoCode) listen(pulse.xp, id, 1, when);
    }
  }
  /// Count an event of an XP by the id software selects it with: event | interface << 2 | channel << 5. For occurrences
  /// that the mesh neither reports nor tallies, such as all of event 3 (partial DAT flit).
  void xp_event(unsigned xp, unsigned event_id, std::uint64_t amount, Picoseconds when);
  /// Set the listener. It is called at once for events already watched.
  void on_watch(OnWatch listener);
  /// @return true if a counter counts this XP event at present.
  [[nodiscard]] bool watches(unsigned xp, Interface interface, Channel channel, FlitEvent event) const noexcept;
  /// @}

  /// @name Flits between an XP and the device at a port
  /// @{
  /// @return true if a watchpoint sees flits that go into a device. Otherwise download() need not be called.
  [[nodiscard]] bool sees_downloads() const noexcept { return seeing_xps_ != 0; }
  /// @return true if a watchpoint sees flits there. Otherwise upload() and download() need not be called.
  [[nodiscard]] bool watches(unsigned xp, unsigned port, FlitDirection direction, Channel channel) const noexcept {
    return (watch_bits_[2 * xp + static_cast<unsigned>(direction)] >> watch_bit(port, channel) & 1U) != 0;
  }
  /// A flit comes from the device.
  void upload(unsigned xp, unsigned port, Channel channel, const FlitFields& fields, Picoseconds when) {
    if (watches(xp, port, FlitDirection::upload, channel)) see(xp, port, FlitDirection::upload, channel, fields, when);
  }
  /// A flit goes into the device.
  void download(unsigned xp, unsigned port, Channel channel, const FlitFields& fields, Picoseconds when) {
    if (watches(xp, port, FlitDirection::download, channel))
      see(xp, port, FlitDirection::download, channel, fields, when);
  }
  /// @}

  /// @name Events of nodes
  /// @{
  /// @param source   index in Layout::sources(): HN-P and CCLA_RNI have two
  /// @param id       of the event, not 0
  /// @param classes  of the occurrences, for the event's filters
  void node_event(unsigned source, unsigned id, FilterClasses classes, std::uint64_t amount, Picoseconds when) {
    if (listens(source, id)) count_node_event(source, id, classes, amount, when);
  }
  /// @return true if a counter counts this event at present, with any filter.
  [[nodiscard]] bool listens(unsigned source, unsigned id) const noexcept {
    const std::uint64_t counted = source_ids_[source];
    const std::uint32_t different = static_cast<std::uint32_t>(counted) ^ (id * 0x0101'0101U);
    // One byte is zero, or somebody hears all of them.
    return (((different - 0x0101'0101U) & ~different & 0x8080'8080U) | counted >> 32) != 0;
  }
  /// An event of a node, for listeners.
  struct NodeOccurrence {
    unsigned source;  ///< index in Layout::sources()
    unsigned id;
    FilterClasses classes;
    std::uint64_t amount;
    Picoseconds when;
  };
  /// Call a function for each event of the sources with these types' events, too, but for those of accumulators and
  /// conditions.
  /// @param function  nullptr: none
  void listen(std::span<const NodeType> types, void (*function)(void* context, const NodeOccurrence& occurrence),
              void* context);
  /// @return true if such a function is called.
  [[nodiscard]] bool is_heard() const noexcept { return node_listener_ != nullptr; }
  /// @return the present value of a filter field; 0 if the source has none of that kind.
  [[nodiscard]] unsigned filter_value(unsigned source, FilterKind kind) const noexcept {
    return sources_[source].filters[static_cast<unsigned>(kind)];
  }
  /// Let an event fire when an occupancy's accumulator wraps: the accumulator of the code that the event's filter
  /// selects.
  /// @param occupancy  not owned
  void add_occupancy(unsigned source, unsigned id, const Occupancy& occupancy) {
    const NodeType events = layout_.sources()[source].events;
    accumulated_.add(source, id, occupancy, filters_of(topology_.product, topology_.revision, events, id).first);
  }
  /// Let an event fire in each cycle in which a condition holds.
  /// @param condition  not owned
  void add_cycles(unsigned source, unsigned id, const CycleCondition& condition) {
    accumulated_.add(source, id, condition);
  }
  /// Count what accumulators and conditions produced until `when`. This happens before counters are read and before
  /// routing changes. The mesh also calls it from time to time, so that overflow interrupts are not late.
  void settle_occupancies(Picoseconds when) {
    if (accumulated_.are_counted()) accumulated_.count(when);
  }
  /// Call before the mesh sleeps: accumulators and conditions keep their state for a while. An overflow they cause then
  /// acts at its own cycle. `when` is the time of the last cycle, or the present.
  void watch_occupancies(Picoseconds when) {
    if (accumulated_.are_counted()) predict_overflow(when);
  }
  /// @}

  /// @name Occurrences in bulk
  /// They may come at any time, also between the mesh's cycles. Counters wrap by arithmetic, whatever the amount. With
  /// a limit of carries per cycle (CarryParameters::per_cycle), each carry of the amount takes its own place in the
  /// queue: use only amounts that wrap a local counter a few times.
  /// @{
  /// As node_event(). @param amount  up to 2^63
  void node_events_at_once(unsigned source, unsigned id, FilterClasses classes, std::uint64_t amount,
                           Picoseconds when) {
    node_event(source, id, classes, amount, when);
    watch_occupancies(when);  // accumulated events may share the counter, which is nearer to its overflow now
  }
  /// As xp_event(). @param amount  up to 2^63
  void xp_events_at_once(unsigned xp, unsigned event_id, std::uint64_t amount, Picoseconds when) {
    xp_event(xp, event_id, amount, when);
    watch_occupancies(when);
  }
  /// Flits between an XP and the device at a port, of which no more is known than `flits`. A pair of combined watchpoints
  /// does not see them. @param amount  up to 2^63
  void flits_at_once(unsigned xp, unsigned port, FlitDirection direction, Channel channel, const KnownImage& flits,
                     std::uint64_t amount, Picoseconds when);
  /// Let cycles of the mesh's clock pass at once for the cycle counters of all DTCs that run.
  void pass_cycles(std::uint64_t cycles, Picoseconds when) {
    for (const auto& dtc : dtcs_) dtc->pass_cycles(cycles, when);
  }
  /// @}

  /// Return to the state after hardware reset, registers included.
  void reset();

  /// @name For debugging; not visible to software
  /// @{ Carries that found a DTC's queue full.
  [[nodiscard]] std::uint64_t lost_carries(unsigned dtc) const { return dtcs_.at(dtc)->carry_path().lost(); }
  [[nodiscard]] const CarryPath& carry_path(unsigned dtc) const { return dtcs_.at(dtc)->carry_path(); }
  /// @return true if a DTM counts.
  [[nodiscard]] bool is_counting(unsigned dtm) const noexcept;
  /// @}

 private:
  static constexpr unsigned kNoCode = 0xff;
  static constexpr std::uint64_t kAllIds = 0xffff'ffff;            // in source_ids_
  static constexpr std::uint64_t kHeard = std::uint64_t{1} << 32;  // there: the listener hears all events

  struct XpListener {
    std::array<std::uint16_t, kEventSlots> ids{};    // 0: no counter uses the slot
    std::array<std::uint16_t, kEventSlots> feeds{};  // bit 4 * DTM of the XP + counter
  };
  struct Source {
    std::array<std::uint16_t, kEventSlots> feeds{};
    std::array<std::uint8_t, kEventSlots> ids{};
    std::array<EventFilters, kEventSlots> kinds{};
    std::array<std::uint8_t, kFilterKinds> filters{};  // values by filter kind
  };
  struct DtmWatch {
    std::array<Watchpoint, kWatchpoints> watchpoints{};
    std::array<std::uint8_t, kWatchpoints> feeds{};  // bit n: local counter
  };

  /// Pulses of an XP: one bit per event, interface and channel.
  using Watched = std::bitset<std::size_t{2} * kInterfaces * kChannels>;

  static unsigned watch_bit(unsigned port, Channel channel) noexcept {
    return port * kChannels + static_cast<unsigned>(channel);
  }
  void listen(unsigned xp, unsigned event_id, std::uint64_t amount, Picoseconds when) {
    const XpListener& listener = xps_[xp];
    // Nearly every flit is no event that anybody counts: compare with all slots at once.
    const std::uint64_t different = std::bit_cast<std::uint64_t>(listener.ids) ^ (event_id * 0x0001'0001'0001'0001ULL);
    if (((different - 0x0001'0001'0001'0001ULL) & ~different & 0x8000'8000'8000'8000ULL) == 0) return;
    unsigned counters = 0;
    for (unsigned slot = 0; slot < kEventSlots; ++slot) {
      if (listener.ids[slot] == event_id) counters |= listener.feeds[slot];
    }
    if (counters != 0) count(xp, counters, amount, when);
  }
  [[nodiscard]] std::optional<FlitTallies::Event> flit_event(unsigned event_id) const noexcept;
  void choose_tallied(Cycle now);
  void connect_xp(unsigned xp);
  void connect_dtm(unsigned dtm);
  void connect_dtc(unsigned dtc, const ClockDomain& clock);
  void connect_source(unsigned source);
  void settle(Picoseconds when);
  void choose_accumulated();
  void look_again();
  void predict_overflow(Picoseconds when);
  [[nodiscard]] std::uint64_t counts_to_overflow() const;
  void load_source(unsigned source, std::uint64_t event_sel);
  void load_watchpoint(unsigned dtm, unsigned index);
  void gates_changed();
  void update_targets(unsigned dtm);
  void update(unsigned xp);
  void feed(unsigned xp, unsigned dtm, unsigned counter, XpListener& listener);
  void update_watch_bits(unsigned xp);
  [[nodiscard]] Watched watched(unsigned xp) const;
  void tell_changes(unsigned xp);
  void tell(unsigned xp, const Watched& changed, bool on) const;
  void count(unsigned xp, unsigned counters, std::uint64_t amount, Picoseconds when);
  void count_node_event(unsigned source, unsigned id, FilterClasses classes, std::uint64_t amount, Picoseconds when);
  void see(unsigned xp, unsigned port, FlitDirection direction, Channel channel, const FlitFields& fields,
           Picoseconds when);

  const Topology& topology_;
  const ProductFacts& facts_;
  const Layout& layout_;
  ConfigSpace& space_;
  const ClockDomain& clock_;
  PmuParameters parameters_;
  std::array<std::uint8_t, kInterfaces> interface_codes_{};
  std::vector<XpListener> xps_;
  std::vector<std::array<std::uint16_t, kEventSlots>> xp_ids_;  // as selected, whether counted or not
  unsigned listening_xps_ = 0;                                  // XPs with counters of events that must be reported
  unsigned seeing_xps_ = 0;                                     // XPs with watchpoints that see downloads
  std::vector<Dtm> dtms_;
  FlitTallies tallies_;
  std::vector<DtmWatch> dtm_watches_;
  std::vector<std::uint64_t> watch_bits_;  // by XP: uploads, then downloads
  std::vector<std::uint64_t> source_ids_;  // the four ids that are counted; 0 otherwise. Above them: all are heard
  std::vector<Source> sources_;
  std::vector<std::uint8_t> source_xps_;
  void (*node_listener_)(void* context, const NodeOccurrence& occurrence) = nullptr;
  void* node_listener_context_ = nullptr;
  std::vector<std::unique_ptr<InterruptLine>> lines_;
  std::vector<std::unique_ptr<Dtc>> dtcs_;
  AccumulatedEvents accumulated_;
  Picoseconds settled_ = 0;
  Alarm overflow_alarm_;  // not after the earliest overflow that occupancies can cause in their present state
  OnWatch on_watch_;
  std::vector<Watched> told_;  // by XP: the state last reported to on_watch_
};

}  // namespace pmufab::cmn
