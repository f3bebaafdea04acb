// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/pmu.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace pmufab::cmn {

namespace {

// pmu_config's input selects: arm-cmn.c, CMN__PMEVCNT0_INPUT_SEL_*.
constexpr unsigned kInputXp = 0x04;
constexpr unsigned kInputXpEnd = 0x08;
constexpr unsigned kInputDevice = 0x10;

void check_width(const char* name, unsigned value, unsigned most) {
  if (value < 8 || value > most) {
    throw std::invalid_argument(fmt::format("{}: {} bits are not possible; use 8 to {}", name, value, most));
  }
}

constexpr std::uint16_t counter_bit(unsigned dtm_of_xp, unsigned counter) {
  return static_cast<std::uint16_t>(1U << (kLocalCounters * dtm_of_xp + counter));
}

constexpr unsigned pulse_bit(FlitEvent event, Interface interface, unsigned channel) {
  return (static_cast<unsigned>(event) * kInterfaces + static_cast<unsigned>(interface)) * kChannels + channel;
}

RegisterId find_event_select(const RegisterBank& bank, std::span<const RegisterSpec> registers, bool second) {
  for (const RegisterSpec& reg : registers) {
    if (reg.name.ends_with(second ? "_pmu_event_sel_2" : "_pmu_event_sel")) return bank.find(reg.name);
  }
  throw std::logic_error("a node without event select is no event source");
}

}  // namespace

Pmu::Pmu(const std::string& name, const Topology& topology, const Layout& layout, ConfigSpace& space,
         const ClockDomain& clock, const PmuParameters& parameters)
    : topology_(topology),
      facts_(facts_of(topology.product, topology.revision)),
      layout_(layout),
      space_(space),
      clock_(clock),
      parameters_(parameters),
      xps_(layout.xps()),
      xp_ids_(layout.xps()),
      tallies_(dtms_, layout.xps()),
      dtm_watches_(layout.dtms()),
      watch_bits_(2 * std::size_t{layout.xps()}),
      source_ids_(layout.sources().size()),
      sources_(layout.sources().size()),
      accumulated_(*this, clock, parameters.occupancy_width),
      overflow_alarm_([this] { watch_occupancies(simulated_time()); }) {
  check_width("local_width", parameters.local_width, 16);
  check_width("global_width", parameters.global_width, 32);
  check_width("cycle_width", parameters.cycle_width, 40);
  if (parameters.occupancy_width < 1 || parameters.occupancy_width > 32)
    throw std::invalid_argument("occupancy_width: an accumulator has 1 to 32 bits");
  for (unsigned i = 0; i < kInterfaces; ++i) interface_codes_[i] = static_cast<std::uint8_t>(i < 8 ? i : kNoCode);
  if (layout.xps() == 1) {
    // On a mesh of one XP, codes 0 to 5 are the six device ports.
    interface_codes_.fill(kNoCode);
    for (unsigned port = 0; port < kMaximumPorts; ++port)
      interface_codes_[static_cast<unsigned>(Interface::port0) + port] = static_cast<std::uint8_t>(port);
  }
  for (unsigned dtc = 0; dtc < topology.dtcs; ++dtc) {
    lines_.push_back(std::make_unique<InterruptLine>(fmt::format("{}.dtc{}.INTREQPMU", name, dtc)));
    connect_dtc(dtc, clock);
  }
  dtms_.reserve(layout.dtms());
  for (unsigned dtm = 0; dtm < layout.dtms(); ++dtm) {
    const unsigned domain = topology.crosspoints[layout.xp_of_dtm(dtm)].dtc_domain;
    dtms_.emplace_back(parameters.local_width, dtcs_[domain]->carry_path());
  }
  for (unsigned dtm = 0; dtm < layout.dtms(); ++dtm) connect_dtm(dtm);
  for (unsigned xp = 0; xp < layout.xps(); ++xp) connect_xp(xp);
  for (unsigned source = 0; source < sources_.size(); ++source) {
    source_xps_.push_back(layout.nodes()[layout.sources()[source].node].xp);
    connect_source(source);
  }
}

Pmu::~Pmu() = default;

void Pmu::connect_dtc(unsigned dtc, const ClockDomain& clock) {
  dtcs_.push_back(
      std::make_unique<Dtc>(clock, parameters_, space_.node(layout_.dtc_node(dtc)), *lines_[dtc],
                            Dtc::Callbacks{.settle = [this](Picoseconds when) { settle(when); },
                                           .changed = [this](Picoseconds) { gates_changed(); },
                                           .snapshot =
                                               [this, dtc](Picoseconds) {
                                                 tallies_.settle_all();
                                                 for (unsigned dtm = 0; dtm < dtms_.size(); ++dtm) {
                                                   if (topology_.crosspoints[layout_.xp_of_dtm(dtm)].dtc_domain == dtc)
                                                     dtms_[dtm].snapshot();
                                                 }
                                               }}));
}

void Pmu::connect_xp(unsigned xp) {
  RegisterBank& bank = space_.node(Layout::node_of_xp(xp));
  bank.on_write(bank.find("por_mxp_pmu_event_sel"), [this, xp](const RegisterWrite& write) {
    settle(write.when);
    const unsigned slot_bits = facts_.wide_event_select ? 16 : 8;
    for (unsigned slot = 0; slot < kEventSlots; ++slot)
      xp_ids_[xp][slot] =
          static_cast<std::uint16_t>(write.after >> slot * slot_bits & ((1U << facts_.xp_event_bits) - 1));
    update(xp);
  });
}

void Pmu::connect_dtm(unsigned dtm) {
  RegisterBank& bank = space_.dtm(dtm);
  bank.on_write(bank.find("por_dtm_pmu_config"), [this, dtm](const RegisterWrite& write) {
    settle(write.when);
    dtms_[dtm].configure(write.after);
    update_targets(dtm);
    update(layout_.xp_of_dtm(dtm));
    choose_accumulated();
  });
  const RegisterId counters = bank.find("por_dtm_pmevcnt");
  bank.on_read(counters, [this, dtm](unsigned, Picoseconds when) {
    settle(when);
    tallies_.settle(layout_.xp_of_dtm(dtm));
    return dtms_[dtm].values();
  });
  bank.on_write(counters, [this, dtm](const RegisterWrite& write) {
    settle(write.when);
    tallies_.settle(layout_.xp_of_dtm(dtm));
    dtms_[dtm].set_values(write.written, write.mask);
    update(layout_.xp_of_dtm(dtm));
  });
  bank.on_read(bank.find("por_dtm_pmevcntsr"), [this, dtm](unsigned, Picoseconds) { return dtms_[dtm].shadows(); });
  for (const char* const name : {"por_dtm_wp_config", "por_dtm_wp_val", "por_dtm_wp_mask"}) {
    bank.on_write(bank.find(name), [this, dtm](const RegisterWrite& write) {
      settle(write.when);
      load_watchpoint(dtm, write.element);
      update_watch_bits(layout_.xp_of_dtm(dtm));
    });
  }
  for (unsigned index = 0; index < kWatchpoints; ++index) load_watchpoint(dtm, index);
}

void Pmu::connect_source(unsigned source) {
  const EventSource& place = layout_.sources()[source];
  RegisterBank& bank = space_.node(place.node);
  const RegisterId select = find_event_select(bank, space_.registers_of(place.node), place.second);
  bank.on_write(select, [this, source](const RegisterWrite& write) {
    settle(write.when);
    load_source(source, write.after);
    update(source_xps_[source]);
    choose_accumulated();
  });
  load_source(source, bank.value(select));
}

void Pmu::load_source(unsigned source, std::uint64_t event_sel) {
  const NodeType events = layout_.sources()[source].events;
  Source& state = sources_[source];
  const std::uint64_t id_mask = (1U << event_id_bits(topology_.product, topology_.revision, events)) - 1;
  for (unsigned slot = 0; slot < kEventSlots; ++slot) {
    state.ids[slot] = static_cast<std::uint8_t>(event_sel >> 8 * slot & id_mask);
    state.kinds[slot] = filters_of(topology_.product, topology_.revision, events, state.ids[slot]);
  }
  for (const FilterField& filter : filter_fields(topology_.product, topology_.revision, events))
    state.filters[static_cast<unsigned>(filter.kind)] =
        static_cast<std::uint8_t>(event_sel >> filter.lsb & ((1U << filter.width) - 1));
}

void Pmu::load_watchpoint(unsigned dtm, unsigned index) {
  const RegisterBank& bank = space_.dtm(dtm);
  dtm_watches_[dtm].watchpoints[index] = Watchpoint(
      facts_, topology_.multiple_dtm, dtm - layout_.first_dtm(layout_.xp_of_dtm(dtm)),
      index < 2 ? FlitDirection::upload : FlitDirection::download, bank.value(bank.find("por_dtm_wp_config"), index),
      bank.value(bank.find("por_dtm_wp_val"), index), bank.value(bank.find("por_dtm_wp_mask"), index));
}

void Pmu::settle(Picoseconds when) {
  settle_occupancies(when);
  settled_ = when;
  for (const auto& dtc : dtcs_) dtc->carry_path().settle(when);
  look_again();
}

void Pmu::choose_accumulated() {
  accumulated_.choose(settled_);
  look_again();
}

/// The caller of settle may then change counters or what they count, so the next overflow is predicted afterwards.
void Pmu::look_again() {
  if (accumulated_.are_counted()) overflow_alarm_.set(clock_.time_of_edge(clock_.edges_before(settled_) + 1));
}

std::uint64_t Pmu::counts_to_overflow() const {
  // By global counter: the local counters that carry into it. Chained local counters only take longer.
  struct Target {
    const Counter* counter;
    std::uint64_t nearest;  // events to the first carry
    std::uint64_t carriers;
    bool carry_under_way;
  };
  std::vector<Target> targets;
  const std::uint64_t turn = std::uint64_t{1} << parameters_.local_width;
  for (unsigned dtm = 0; dtm < dtms_.size(); ++dtm) {
    if (!is_counting(dtm)) continue;
    Dtc& dtc = *dtcs_[topology_.crosspoints[layout_.xp_of_dtm(dtm)].dtc_domain];
    const std::uint64_t values = dtms_[dtm].values();
    for (unsigned n = 0; n < kLocalCounters; ++n) {
      const Counter* const counter = dtms_[dtm].is_paired(n) ? dtc.carry_target(dtms_[dtm].global_number(n)) : nullptr;
      if (counter == nullptr) continue;
      const std::uint64_t nearest = turn - (values >> 16 * n & (turn - 1));
      const auto known =
          std::find_if(targets.begin(), targets.end(), [&](const Target& one) { return one.counter == counter; });
      if (known == targets.end()) {
        targets.push_back({counter, nearest, 1, dtc.carry_path().under_way() != 0});
      } else {
        known->nearest = std::min(known->nearest, nearest);
        ++known->carriers;
      }
    }
  }
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Target& target : targets) {
    // Carries that can come before the one that overflows it.
    const std::uint64_t room = target.carry_under_way ? 0 : target.counter->maximum() - target.counter->value(0);
    least = std::min(least, target.nearest + room / target.carriers * turn);
  }
  return least;
}

void Pmu::predict_overflow(Picoseconds when) {
  tallies_.settle_all();
  settle_occupancies(when);
  const Cycle now = clock_.edges_before(when);
  const AccumulatedEvents::Pace pace = accumulated_.pace(now);
  if (pace.rate == 0) return overflow_alarm_.cancel();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / pace.whole / 2;
  const std::uint64_t counts = counts_to_overflow();
  if (counts > most) return overflow_alarm_.cancel();
  const std::uint64_t parts = counts * pace.whole;
  const Cycle cycles = parts <= pace.begun ? 1 : std::max<Cycle>(1, (parts - pace.begun + pace.rate - 1) / pace.rate);
  overflow_alarm_.set(clock_.time_of_edge(now + cycles));
}

bool Pmu::is_counting(unsigned dtm) const noexcept {
  const unsigned domain = topology_.crosspoints[layout_.xp_of_dtm(dtm)].dtc_domain;
  return dtms_[dtm].is_enabled() && dtcs_.front()->is_counting() && dtcs_[domain]->is_counting();
}

void Pmu::gates_changed() {
  for (unsigned dtm = 0; dtm < dtms_.size(); ++dtm) update_targets(dtm);
  for (unsigned xp = 0; xp < xps_.size(); ++xp) update(xp);
  choose_accumulated();
}

void Pmu::update_targets(unsigned dtm) {
  Dtc& dtc = *dtcs_[topology_.crosspoints[layout_.xp_of_dtm(dtm)].dtc_domain];
  for (unsigned n = 0; n < kLocalCounters; ++n)
    dtms_[dtm].carry_into(n, dtms_[dtm].is_paired(n) ? dtc.carry_target(dtms_[dtm].global_number(n)) : nullptr);
}

void Pmu::update(unsigned xp) {
  tallies_.forget(xp);
  const Layout::Range sources = layout_.sources_of(xp);
  for (unsigned source = sources.first; source < sources.last; ++source) sources_[source].feeds.fill(0);
  XpListener listener;
  const unsigned first = layout_.first_dtm(xp);
  for (unsigned dtm = first; dtm < first + layout_.dtms_of(xp); ++dtm) {
    dtm_watches_[dtm].feeds.fill(0);
    if (!is_counting(dtm)) continue;
    for (unsigned n = 0; n < kLocalCounters; ++n) {
      if (!dtms_[dtm].is_upper(n)) feed(xp, dtm, n, listener);
    }
  }
  for (unsigned slot = 0; slot < kEventSlots; ++slot) {
    listener.ids[slot] = listener.feeds[slot] != 0 ? xp_ids_[xp][slot] : std::uint16_t{0};
  }
  for (unsigned source = sources.first; source < sources.last; ++source) {
    std::uint64_t ids = source_ids_[source] & ~kAllIds;
    for (unsigned slot = 0; slot < kEventSlots; ++slot) {
      if (sources_[source].feeds[slot] != 0) ids |= std::uint64_t{sources_[source].ids[slot]} << 8 * slot;
    }
    source_ids_[source] = ids;
  }
  const auto listens = [](const XpListener& one) { return one.ids != decltype(one.ids){} ? 1U : 0U; };
  listening_xps_ += listens(listener) - listens(xps_[xp]);
  xps_[xp] = listener;
  update_watch_bits(xp);
}

void Pmu::feed(unsigned xp, unsigned dtm, unsigned counter, XpListener& listener) {
  const unsigned dtm_of_xp = dtm - layout_.first_dtm(xp);
  const std::uint16_t bit = counter_bit(dtm_of_xp, counter);
  const unsigned input = dtms_[dtm].input(counter);
  if (input < kWatchpoints) {
    dtm_watches_[dtm].feeds[input] |= static_cast<std::uint8_t>(1U << counter);
  } else if (input >= kInputXp && input < kInputXpEnd) {
    const unsigned slot = input - kInputXp;
    const std::optional<FlitTallies::Event> event = flit_event(xp_ids_[xp][slot]);
    if (!event || !tallies_.add(xp, dtm, counter, *event)) listener.feeds[slot] |= bit;
  } else if (input >= kInputDevice) {
    unsigned port = (input >> 4) - 1;
    if (topology_.multiple_dtm) {
      if (port > 1) return;  // such a DTM is wired to its own two ports only
      port += 2 * dtm_of_xp;
    }
    const unsigned device = input >> 2 & 3U;
    const Layout::Range sources = layout_.sources_of(xp);
    for (unsigned source = sources.first; source < sources.last; ++source) {
      const NodePlace& node = layout_.nodes()[layout_.sources()[source].node];
      if (node.port == port && node.device == device) sources_[source].feeds[input & 3U] |= bit;
    }
  }
}

void Pmu::update_watch_bits(unsigned xp) {
  std::uint64_t* const bits = &watch_bits_[2 * std::size_t{xp}];
  const bool saw = bits[1] != 0;
  bits[0] = 0;
  bits[1] = 0;
  const unsigned first = layout_.first_dtm(xp);
  for (unsigned dtm = first; dtm < first + layout_.dtms_of(xp); ++dtm) {
    const DtmWatch& watch = dtm_watches_[dtm];
    for (unsigned i = 0; i < kWatchpoints; ++i) {
      const Watchpoint& watchpoint = watch.watchpoints[i];
      // Software can select ports that the XP does not have.
      if (watch.feeds[i] == 0 || !watchpoint.can_fire() || watchpoint.port() >= kMaximumPorts) continue;
      for (unsigned channel = 0; channel < kChannels; ++channel) {
        if ((watchpoint.channels() >> channel & 1U) == 0) continue;
        bits[i / 2] |= std::uint64_t{1} << watch_bit(watchpoint.port(), static_cast<Channel>(channel));
      }
    }
  }
  seeing_xps_ += (bits[1] != 0 ? 1U : 0U) - (saw ? 1U : 0U);
  tell_changes(xp);
}

/// @return the event of an id; nothing if it is none that flits cause at an interface.
std::optional<FlitTallies::Event> Pmu::flit_event(unsigned event_id) const noexcept {
  const unsigned event = event_id & 3U;
  const unsigned channel = event_id >> 5;
  if (event < 1 || event > 2 || channel >= facts_.xp_channels) return std::nullopt;
  for (unsigned i = 0; i < kInterfaces; ++i) {
    if (interface_codes_[i] == (event_id >> 2 & 7U))
      return FlitTallies::Event{static_cast<Interface>(i), static_cast<Channel>(channel),
                                static_cast<FlitEvent>(event - 1)};
  }
  return std::nullopt;
}

void Pmu::choose_tallied(Cycle now) {
  for (const unsigned xp : tallies_.look(now)) update(xp);
}

void Pmu::xp_event(unsigned xp, unsigned event_id, std::uint64_t amount, Picoseconds when) {
  listen(xp, event_id, amount, when);
  // Last, because update() may turn these into listeners.
  if (const auto event = flit_event(event_id); event && tallies_.add_at_once(xp, *event, amount, when)) update(xp);
}

Pmu::Watched Pmu::watched(unsigned xp) const {
  Watched watched;
  for (const unsigned id : xps_[xp].ids) {
    if (const auto event = flit_event(id))
      watched.set(pulse_bit(event->event, event->interface, static_cast<unsigned>(event->channel)));
  }
  std::uint64_t downloads = watch_bits_[2 * xp + static_cast<unsigned>(FlitDirection::download)];
  for (; downloads != 0; downloads &= downloads - 1) {
    const auto bit = static_cast<unsigned>(std::countr_zero(downloads));
    const auto interface = static_cast<Interface>(static_cast<unsigned>(Interface::port0) + bit / kChannels);
    watched.set(pulse_bit(FlitEvent::valid, interface, bit % kChannels));
  }
  return watched;
}

void Pmu::tell_changes(unsigned xp) {
  if (!on_watch_) return;
  const Watched now = watched(xp);
  const Watched before = std::exchange(told_[xp], now);
  if (now == before) return;
  tell(xp, before & ~now, false);
  tell(xp, now & ~before, true);
}

void Pmu::tell(unsigned xp, const Watched& changed, bool on) const {
  for (unsigned bit = 0; bit < changed.size(); ++bit) {
    if (!changed.test(bit)) continue;
    on_watch_(xp, static_cast<Interface>(bit / kChannels % kInterfaces), static_cast<Channel>(bit % kChannels),
              static_cast<FlitEvent>(bit / kChannels / kInterfaces), on);
  }
}

void Pmu::on_watch(OnWatch listener) {
  on_watch_ = std::move(listener);
  told_.assign(xps_.size(), Watched{});
  for (unsigned xp = 0; xp < xps_.size(); ++xp) tell_changes(xp);
}

bool Pmu::watches(unsigned xp, Interface interface, Channel channel, FlitEvent event) const noexcept {
  const unsigned code = interface_codes_[static_cast<unsigned>(interface)];
  if (code == kNoCode) return false;
  const unsigned id = (static_cast<unsigned>(event) + 1) | code << 2 | static_cast<unsigned>(channel) << 5;
  const auto& ids = xps_[xp].ids;
  return std::find(ids.begin(), ids.end(), id) != ids.end() || tallies_.hold(xp, {interface, channel, event});
}

void Pmu::count(unsigned xp, unsigned counters, std::uint64_t amount, Picoseconds when) {
  Dtm* const dtms = &dtms_[layout_.first_dtm(xp)];
  for (; counters != 0; counters &= counters - 1) {
    const auto counter = static_cast<unsigned>(std::countr_zero(counters));
    dtms[counter / kLocalCounters].add(counter % kLocalCounters, amount, when);
  }
}

void Pmu::listen(std::span<const NodeType> types, void (*function)(void* context, const NodeOccurrence& occurrence),
                 void* context) {
  node_listener_ = function;
  node_listener_context_ = context;
  for (unsigned source = 0; source < source_ids_.size(); ++source) {
    source_ids_[source] &= kAllIds;
    const bool is_heard = std::find(types.begin(), types.end(), layout_.sources()[source].events) != types.end();
    if (function != nullptr && is_heard) source_ids_[source] |= kHeard;
  }
}

void Pmu::count_node_event(unsigned source, unsigned id, FilterClasses classes, std::uint64_t amount,
                           Picoseconds when) {
  if ((source_ids_[source] & kHeard) != 0) [[unlikely]]
    node_listener_(node_listener_context_, {source, id, classes, amount, when});
  const Source& state = sources_[source];
  for (unsigned slot = 0; slot < kEventSlots; ++slot) {
    if (state.ids[slot] != id || state.feeds[slot] == 0) continue;
    const EventFilters kinds = state.kinds[slot];
    const auto passes_one = [&](FilterKind kind, FilterClasses of_filter) {
      return passes(kind, state.filters[static_cast<unsigned>(kind)], static_cast<std::uint16_t>(of_filter),
                    parameters_.snp_vc2_is_all);
    };
    if (!passes_one(kinds.first, classes) || !passes_one(kinds.second, classes >> 16)) continue;
    count(source_xps_[source], state.feeds[slot], amount, when);
  }
}

void Pmu::see(unsigned xp, unsigned port, FlitDirection direction, Channel channel, const FlitFields& fields,
              Picoseconds when) {
  if (fields.opcode == 0) return;  // watchpoints ignore returns of link credits
  const unsigned even = direction == FlitDirection::upload ? 0 : 2;
  const unsigned first = layout_.first_dtm(xp);
  for (unsigned dtm = first; dtm < first + layout_.dtms_of(xp); ++dtm) {
    const DtmWatch& watch = dtm_watches_[dtm];
    const auto fires = [&](unsigned i) {
      const Watchpoint& watchpoint = watch.watchpoints[i];
      return watchpoint.can_fire() && watchpoint.sees(port, channel) && watchpoint.matches(channel, fields);
    };
    const auto feed_counters = [&](unsigned i) {
      for (unsigned n = 0; n < kLocalCounters; ++n) {
        if ((watch.feeds[i] >> n & 1U) != 0) dtms_[dtm].add(n, 1, when);
      }
    };
    const bool combined = watch.watchpoints[even].combines();
    if (watch.feeds[even] != 0 && fires(even) && (!combined || fires(even + 1))) feed_counters(even);
    // The second of a combined pair has no event of its own.
    if (watch.feeds[even + 1] != 0 && !combined && fires(even + 1)) feed_counters(even + 1);
  }
}

void Pmu::flits_at_once(unsigned xp, unsigned port, FlitDirection direction, Channel channel, const KnownImage& flits,
                        std::uint64_t amount, Picoseconds when) {
  const unsigned even = direction == FlitDirection::upload ? 0 : 2;
  const unsigned first = layout_.first_dtm(xp);
  for (unsigned dtm = first; dtm < first + layout_.dtms_of(xp); ++dtm) {
    const DtmWatch& watch = dtm_watches_[dtm];
    if (watch.watchpoints[even].combines()) continue;
    for (unsigned i = even; i < even + 2; ++i) {
      const Watchpoint& watchpoint = watch.watchpoints[i];
      if (!watchpoint.can_fire() || !watchpoint.sees(port, channel) || !watchpoint.matches(flits)) continue;
      for (unsigned n = 0; n < kLocalCounters; ++n) {
        if ((watch.feeds[i] >> n & 1U) != 0) dtms_[dtm].add(n, amount, when);
      }
    }
  }
  watch_occupancies(when);
}

void Pmu::reset() {
  settle(simulated_time());
  tallies_.settle_all();
  space_.reset();
  for (const auto& dtc : dtcs_) dtc->reset();
  for (Dtm& dtm : dtms_) dtm.reset();
  for (auto& ids : xp_ids_) ids.fill(0);
  for (unsigned source = 0; source < sources_.size(); ++source) {
    const EventSource& place = layout_.sources()[source];
    const RegisterBank& bank = space_.node(place.node);
    load_source(source, bank.value(find_event_select(bank, space_.registers_of(place.node), place.second)));
  }
  for (unsigned dtm = 0; dtm < dtms_.size(); ++dtm) {
    for (unsigned index = 0; index < kWatchpoints; ++index) load_watchpoint(dtm, index);
  }
  gates_changed();
}

}  // namespace pmufab::cmn
