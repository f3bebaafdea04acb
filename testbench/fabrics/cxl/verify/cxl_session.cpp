// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/verify/cxl_layout.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/common/values.h"
#include "testbench/fabrics/cxl/judge/cxl_event_names.h"
#include "testbench/fabrics/cxl/verify/cxl_known_defects.h"
#include "testbench/fabrics/cxl/verify/cxl_units.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

constexpr Picoseconds kCxlMicrosecond = 1'000'000;

/// An event of a unit's list. The driver gives the k-th event of the list that no fixed counter takes to the k-th
/// configurable counter, so that a counter has the same program whenever the list is opened from its beginning.
struct CxlListed {
  CxlRequest request;
  const CxlBuiltIn* fixed = nullptr;  // the counter it gets
};

/// A CPMU that the driver serves.
struct CxlServed {
  std::string pmu;
  std::string names;  // the same, or a pattern that CPMUs match which the driver must not serve
  const CxlDevice* device = nullptr;
  const CxlUnit* unit = nullptr;
  std::vector<CxlListed> list;
};

/// A message that happens many times.
struct CxlMessage {
  std::uint16_t group = 0;
  unsigned bit = 0;
  bool operator<(const CxlMessage& other) const { return group != other.group ? group < other.group : bit < other.bit; }
};

class CxlSession {
 public:
  CxlSession(Random& random, std::string_view kernel) : random_(random), kernel_(kernel), wraps_(random.chance(65)) {}

  GeneratedMachine draw() {
    machine_ = cxl_layout(random_);
    const std::vector<CxlDevice*> devices = machine_.devices();
    std::vector<CxlDetails> details;
    for (CxlDevice* const device : devices) {
      details.push_back(cxl_details(random_, *device));
      add_units(*device);
    }
    for (const CxlDevice* const device : devices) serve(*device);
    // Traffic goes on while events are opened, and costs time.
    access_ = wraps_ ? random_.pick({10'000U, 50'000U, 50'000U, 100'000U})
                     : random_.pick({5'000U, 10'000U, 10'000U, 50'000U});
    delay_ = random_.chance(50) ? 0 : random_.number(1, random_.chance(30) ? 20'000'000 : 3'000'000);
    cpus_ = static_cast<unsigned>(random_.number(2, 6));
    for (std::uint64_t chapters = random_.number(1, 3); chapters > 0; --chapters) {
      draw_chapter();
      if (chapters > 1) start_again();
    }
    return finish(details);
  }

 private:
  // The machine.

  void add_units(CxlDevice& device) {
    const unsigned width =
        random_.pick({1U,  2U,  3U,  5U,  7U,  8U,  8U,  12U, 15U, 16U, 17U,
                      24U, 31U, 32U, 33U, 40U, 47U, 48U, 48U, 49U, 62U, cxl_known::kWidestThatWraps});
    const bool unserved = random_.chance(20);
    const std::uint64_t shared_message = random_.chance(50) ? random_.number(1, 15) : 0;
    for (std::uint64_t units = unserved ? 1 : random_.number(1, 3); units > 0; --units) {
      CxlProgram program;
      CxlUnit unit = wraps_ ? wrapping_unit(device, width) : cxl_unit(random_, device, program);
      unit.message_number = static_cast<unsigned>(shared_message > 0 ? shared_message : random_.number(1, 15));
      device.units.push_back(std::move(unit));
    }
    if (unserved) add_unserved(device);
  }

  /// A CPMU that counts messages only: nothing happens on it but what the session lets happen.
  CxlUnit wrapping_unit(const CxlDevice& device, unsigned width) {
    CxlProgram program;
    for (;;) {
      CxlUnit unit = cxl_unit(random_, device, program);
      const CxlGroupKind* const kind = cxl_group_kind(unit.groups[0].vendor, unit.groups[0].id);
      if (unit.configurable > 0 && unit.groups[0].vendor == kCxlVendorId && !kind->of_messages) continue;
      std::erase_if(unit.fixed, [&](const CxlBuiltIn& counter) {
        const CxlGroup& group = unit.groups[counter.group];
        return counter.threshold != 0 ||
               (group.vendor == kCxlVendorId && !cxl_group_kind(group.vendor, group.id)->of_messages);
      });
      if (unit.counters() == unit.free_running.size()) continue;
      unit.width = width;
      return unit;
    }
  }

  /// A CPMU that Linux's driver must leave alone.
  void add_unserved(CxlDevice& device) {
    CxlUnit unit;
    unit.groups.push_back(device.units.front().groups.front());
    unit.configurable = 2;
    unit.width = device.units.front().width;
    switch (random_.number(0, 5)) {
      case 0:
        unit.message_number = 0;
        probe_fails_ = true;
        break;
      case 1:
        unit.interrupt = false;
        probe_fails_ = true;
        break;
      case 2:
      case 3:
        unit.freeze = false;
        [[fallthrough]];
      default:
        unit.writable_while_frozen = false;
        break;
    }
    device.units.push_back(std::move(unit));
  }

  void serve(const CxlDevice& device) {
    for (std::size_t number = 0; number < device.units.size(); ++number) {
      const CxlUnit& unit = device.units[number];
      if (!unit.interrupt || !unit.freeze || !unit.writable_while_frozen || unit.message_number == 0) continue;
      const std::string pmu = fmt::format("cxl_pmu_mem{}.{}", device.number, number);
      const bool others = !device.units.back().writable_while_frozen && !probe_fails_;
      served_.push_back({pmu, others ? fmt::format("cxl_pmu_mem{}.*", device.number) : pmu, &device, &unit, {}});
    }
  }

  // A chapter: each counter keeps its program.

  void draw_chapter() {
    for (CxlServed& served : served_) {
      served.list.clear();
      draw_list(served);
    }
    for (std::uint64_t rounds = random_.number(1, 3); rounds > 0; --rounds) {
      draw_round();
      if (random_.chance(25)) draw_hotplug();
    }
  }

  void draw_list(CxlServed& served) {
    const CxlUnit& unit = *served.unit;
    const bool is_full = wraps_ && random_.chance(unit.counters() > 32 ? 50 : 8);
    const std::uint64_t wanted = is_full ? 64 : random_.number(1, 8);
    unsigned configurable = 0;
    std::set<const CxlBuiltIn*> used;
    for (std::uint64_t tries = 0; tries < 2 * wanted && served.list.size() < wanted; ++tries) {
      CxlListed listed;
      const bool built_in = unit.configurable == 0 || (!unit.fixed.empty() && random_.chance(40));
      const CxlGroup& group = unit.groups[built_in ? random_.pick(unit.fixed).group : cxl_known::kProgrammedGroup];
      listed.request.vendor = group.vendor;
      listed.request.group = group.id;
      listed.request.mask = built_in ? mask_of_fixed(unit, group) : cxl_some(random_, group.supported);
      listed.fixed = fixed_counter(unit, listed.request, used);
      if (listed.fixed != nullptr) {
        used.insert(listed.fixed);
        listed.request.threshold = listed.fixed->threshold;
      } else {
        const CxlGroup& first = unit.groups[cxl_known::kProgrammedGroup];
        if (configurable == unit.configurable || first.vendor != group.vendor || first.id != group.id) continue;
        ++configurable;
        // Without a threshold invert has no effect, and with one a counter counts clocks, not what happens.
        listed.request.invert = random_.chance(15);
        listed.request.edge = !wraps_ && random_.chance(15);
      }
      served.list.push_back(listed);
    }
  }

  std::uint32_t mask_of_fixed(const CxlUnit& unit, const CxlGroup& group) {
    std::vector<std::uint32_t> masks;
    for (const CxlBuiltIn& counter : unit.fixed) {
      const CxlGroup& own = unit.groups[counter.group];
      if (own.vendor == group.vendor && own.id == group.id) masks.push_back(counter.mask);
    }
    return random_.pick(masks);
  }

  static const CxlBuiltIn* fixed_counter(const CxlUnit& unit, const CxlRequest& request,
                                         const std::set<const CxlBuiltIn*>& used) {
    for (const CxlBuiltIn& counter : unit.fixed) {
      const CxlGroup& group = unit.groups[counter.group];
      if (group.vendor == request.vendor && group.id == request.group && counter.mask == request.mask &&
          used.count(&counter) == 0)
        return &counter;
    }
    return nullptr;
  }

  /// @return the event of this round: thresholds of configurable counters, and filters, may differ from round to round.
  std::string text_of(const CxlServed& served, const CxlListed& listed) {
    CxlRequest request = listed.request;
    if (!wraps_ && listed.fixed == nullptr && (request.edge || random_.chance(30)))
      request.threshold = random_.pick({1U, 1U, 2U, 2U, 3U, 4U, 8U, 16U, 64U, 128U, cxl_known::kMostThreshold});
    cxl_add_filters(random_, *served.device, *served.unit, kernel_, request);
    return cxl_event_text(random_, served.names, request, kernel_);
  }

  // A round: one or two measures.

  void draw_round() {
    std::vector<CxlServed*> all;
    for (CxlServed& served : served_) {
      if (!served.list.empty()) all.push_back(&served);
    }
    if (all.empty()) return;
    random_.shuffle(all);
    all.resize(static_cast<std::size_t>(random_.number(1, std::min<std::size_t>(all.size(), 4))));
    std::vector<std::string> first;
    std::vector<std::string> second;
    // Opening an event restarts the other counters of its CPMU. So the second measure has events of each.
    const bool two =
        random_.chance(40) && std::ranges::all_of(all, [](const CxlServed* served) { return served->list.size() > 1; });
    std::vector<std::pair<CxlServed*, std::size_t>> open;
    Picoseconds accesses = 40;
    for (CxlServed* const served : all) {
      const std::size_t events =
          random_.chance(60) ? served->list.size() : random_.number(two ? 2 : 1, served->list.size());
      const std::size_t begin = two ? random_.number(1, events - 1) : events;
      add_events(*served, 0, begin, first);
      add_events(*served, begin, events, second);
      open.emplace_back(served, events);
      accesses += 6 * events * events + 30 * events;
    }
    const Picoseconds opening = accesses * access_ + 2 * kCxlMicrosecond;
    const Picoseconds handling = delay_ + accesses * access_ + 2 * kCxlMicrosecond;
    draw_refused();
    if (!two) {
      draw_single(first, open, opening, handling);
      return;
    }
    const Picoseconds start = now_;
    now_ += opening;
    happen(open);
    now_ += handling;
    const Picoseconds later = now_;
    now_ += opening;
    happen(open);
    now_ += handling;
    add_measure(first, start, now_, 0);
    add_measure(second, later, now_, 0);
    now_ += opening;
  }

  void draw_single(const std::vector<std::string>& events, const std::vector<std::pair<CxlServed*, std::size_t>>& open,
                   Picoseconds opening, Picoseconds handling) {
    const Picoseconds start = now_;
    if (wraps_ && delay_ > handling - delay_ && random_.chance(50)) {
      // Closed before the interrupt: the driver loses the turn (cxl-overflow-stopped), and must not use the event.
      now_ += opening;
      happen(open, false);
      add_measure(events, start, now_ + kCxlMicrosecond, 0, false);
      now_ += handling + delay_;
    } else if (!random_.chance(40)) {
      now_ += opening;
      happen(open, !wraps_ || random_.chance(50));
      now_ += handling;
      add_measure(events, start, now_, 0);
    } else if (!wraps_) {
      now_ += opening + handling + 4 * kCxlMicrosecond;
      add_measure(events, start, now_, (now_ - start) / random_.number(2, 6));
    } else {
      // All happens at once between two readings: each before it reads 0, and each after it comes after the interrupt.
      const Picoseconds interval = 4 * (opening + handling);
      const std::uint64_t readings = random_.number(0, 2);
      const bool is_alone = std::ranges::none_of(events, [](const std::string& event) { return event.front() == '{'; });
      if (delay_ == 0 && is_alone && random_.chance(50)) {
        // In the middle of a reading: between the reads of two events the interrupt comes at once.
        now_ = start + (readings + 1) * interval + random_.number(0, events.size()) * access_ + access_ / 2;
      } else {
        now_ += opening + handling + readings * interval + random_.number(0, opening + handling);
      }
      happen(open, false);
      now_ = start + opening + (readings + 2) * interval;
      add_measure(events, start, now_, interval);
    }
    now_ += opening;
  }

  /// Events of a unit's list, in its order; some as groups.
  void add_events(const CxlServed& served, std::size_t from, std::size_t to, std::vector<std::string>& events) {
    while (from < to) {
      const std::size_t size = random_.chance(70) ? 1 : random_.number(1, to - from);
      std::vector<std::string> members;
      for (std::size_t index = from; index < from + size; ++index)
        members.push_back(text_of(served, served.list[index]));
      events.push_back(size == 1 ? members.front() : fmt::format("{{{}}}", fmt::join(members, ",")));
      from += size;
    }
  }

  void add_measure(const std::vector<std::string>& events, Picoseconds start, Picoseconds stop, Picoseconds interval,
                   bool compared = true) {
    Value texts = Value::sequence();
    for (const std::string& event : events) texts.items.push_back(Value::of(event, true));
    Value measure = map({{"name", word(fmt::format("round {}", measures_.items.size() + 1))},
                         {"start", time(start)},
                         {"stop", time(stop)},
                         {"events", std::move(texts)}});
    if (interval > 0) measure.add("interval", time(interval));
    if (!compared) measure.add("compare", word("none"));
    if (random_.chance(15)) measure.add("cpu", number(random_.number(0, cpus_ - 1)));
    measures_.items.push_back(std::move(measure));
  }

  void draw_refused() {
    if (!random_.chance(30)) return;
    const CxlServed& served = random_.pick(served_);
    const std::optional<std::string> refused = cxl_refused(random_, served.pmu, *served.unit, kernel_);
    if (!refused) return;
    measures_.items.push_back(map({{"name", word(fmt::format("refused {}", measures_.items.size() + 1))},
                                   {"start", time(now_)},
                                   {"window", word("1 us")},
                                   {"open_error", word("EINVAL")},
                                   {"events", list({Value::of(*refused, true)})}}));
    now_ += 3 * kCxlMicrosecond;
  }

  // What happens in a round.

  void happen(const std::vector<std::pair<CxlServed*, std::size_t>>& open, bool in_two_steps = false) {
    if (!wraps_) {
      now_ += random_.number(2, 8) * kCxlMicrosecond;
      return;
    }
    std::set<const CxlDevice*> devices;
    for (const auto& [served, events] : open) devices.insert(served->device);
    // In the order of the devices, and not of their places in memory.
    Picoseconds last = now_;
    for (const CxlDevice* const device : machine_.devices()) {
      if (devices.count(device) == 0) continue;
      std::vector<CxlMessage> messages;
      for (const auto& [served, events] : open) {
        if (served->device == device) add_messages(*served, events, messages);
      }
      last = std::max(last, let_happen(*device, messages, in_two_steps));
    }
    now_ = last;
  }

  /// The messages that the first events of a list count.
  static void add_messages(const CxlServed& served, std::size_t events, std::vector<CxlMessage>& messages) {
    for (std::size_t index = 0; index < events; ++index) {
      const CxlRequest& request = served.list[index].request;
      for (unsigned bit = 0; bit < 32; ++bit) {
        if ((request.mask >> bit & 1U) == 0) continue;
        if (request.vendor == kCxlVendorId) {
          messages.push_back({request.group, bit});
          continue;
        }
        for (const CxlGroup& group : served.unit->groups) {
          if (group.vendor != request.vendor || group.id != request.group) continue;
          const auto message = scoreboard::cxl_event_of_name(group.events[bit]);
          messages.push_back({message->group, message->bit});
        }
      }
    }
  }

  /// Let messages of a device happen: all of its counters have the same width, and none counts more than one wrap.
  Picoseconds let_happen(const CxlDevice& device, std::vector<CxlMessage> messages, bool in_two_steps) {
    const unsigned width = device.units.front().width;
    const std::uint64_t turn = std::uint64_t{1} << width;
    const std::uint64_t most = cxl_known::most_with_one_wrap(width);
    std::uint64_t total = turn;
    switch (random_.number(0, 5)) {
      case 0:
        total = turn - 1;
        break;
      case 1:
        total = std::min(most, turn + random_.number(0, 3));
        break;
      case 2:
        total = random_.number(turn, most);
        break;
      case 3:
        total = most;
        break;
      default:
        break;
    }
    random_.shuffle(messages);
    Picoseconds when = now_;
    const CxlMessage& main = messages.front();
    if (in_two_steps && turn > 2) {
      const std::uint64_t before = random_.chance(50) ? turn - 1 : random_.number(1, turn - 1);
      if (inject(device, main, before, when)) {
        total -= std::min(total, before);
        when += random_.number(1, 5) * kCxlMicrosecond;
      }
    }
    for (std::uint64_t others = std::min<std::uint64_t>(random_.number(0, 2), messages.size() - 1); others > 0;
         --others) {
      const std::uint64_t few = random_.number(1, 3);
      if (total > few + 1 && inject(device, messages[others], few, when)) total -= few;
    }
    if (total > 0) inject(device, main, total, when);
    return when;
  }

  /// @return false if no CPMU of the device can name the message
  bool inject(const CxlDevice& device, const CxlMessage& message, std::uint64_t count, Picoseconds when) {
    CxlRequest request;
    request.group = message.group;
    request.mask = 1U << message.bit;
    for (const CxlServed& served : served_) {
      const bool can = served.device == &device && std::ranges::any_of(served.unit->groups, [&](const CxlGroup& group) {
                         return group.vendor == kCxlVendorId && group.id == message.group;
                       });
      if (!can) continue;
      if (served.unit->hdm_filter && cxl_group_kind(kCxlVendorId, message.group)->filter == CxlFilter::decoder &&
          random_.chance(70))
        request.hdm = 1U << random_.number(0, device.decoders.size() - 1);
      const std::string source = cxl_event_text(random_, served.pmu, request, kernel_, false);
      constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
      for (std::uint64_t left = count; left > 0; left -= std::min(left, kMost)) {
        injections_.items.push_back(
            map({{"at", time(when)}, {"source", Value::of(source, true)}, {"count", number(std::min(left, kMost))}}));
      }
      return true;
    }
    return false;
  }

  // Between rounds and chapters.

  void act(const char* what, std::optional<unsigned> cpu = {}) {
    Value action = map({{"at", time(now_)}, {"do", word(what)}});
    if (cpu) action.add("cpu", number(*cpu));
    actions_.items.push_back(std::move(action));
    now_ += 2 * kCxlMicrosecond;
  }

  void draw_hotplug() {
    const auto cpu = static_cast<unsigned>(random_.chance(70) ? 0 : random_.number(0, cpus_ - 1));
    act("cpu_offline", cpu);
    if (cpus_ > 2 && cpu != 1 && random_.chance(50)) {
      act("cpu_offline", 1);
      act("cpu_online", cpu);
      act("cpu_online", 1);
    } else {
      act("cpu_online", cpu);
    }
  }

  /// Every register as after power on, and the drivers loaded again.
  void start_again() {
    act("unload_drivers");
    act("reset");
    act("load_drivers");
    // A probe reads the registers of each CPMU, and talks to each device through its mailbox. The driver sleeps for 10 us
    // before it looks for an answer.
    constexpr Picoseconds kTalk = 150 * kCxlMicrosecond;
    const std::uint64_t devices = machine_.devices().size();
    now_ += (2'500 * devices + 400 * served_.size()) * access_ + devices * kTalk + 20 * kCxlMicrosecond;
  }

  GeneratedMachine finish(const std::vector<CxlDetails>& details) {
    GeneratedMachine generated;
    generated.cpus = cpus_;
    generated.platform = cxl_platform(random_, machine_, details, cpus_);
    auto& keys = generated.traffic;
    keys.emplace_back("host", map({{"access_latency", time(access_)}, {"interrupt_delay", time(delay_)}}));
    if (!wraps_) keys.emplace_back("cxl_traffic", cxl_workload(random_, machine_, std::nullopt));
    keys.emplace_back("duration", time(now_ + 10 * kCxlMicrosecond));
    keys.emplace_back("measure", std::move(measures_));
    if (Value writes = cxl_firmware(random_, machine_, kernel_); random_.chance(30) && !writes.items.empty())
      keys.emplace_back("firmware_writes", std::move(writes));
    if (!injections_.items.empty()) keys.emplace_back("inject", std::move(injections_));
    if (!actions_.items.empty()) keys.emplace_back("actions", std::move(actions_));
    if (probe_fails_)
      keys.emplace_back("expected_failure",
                        map({{"reason", word("a CPMU has no interrupt")}, {"check", word("probe")}}));
    return generated;
  }

  Random& random_;
  std::string kernel_;
  bool wraps_;  ///< nothing happens but what is injected; otherwise there is traffic, and nothing wraps
  CxlMachine machine_;
  std::vector<CxlServed> served_;
  bool probe_fails_ = false;
  unsigned cpus_ = 2;
  Picoseconds access_ = 50'000;
  Picoseconds delay_ = 0;
  Picoseconds now_ = kCxlMicrosecond;
  Value measures_ = Value::sequence();
  Value injections_ = Value::sequence();
  Value actions_ = Value::sequence();
};

}  // namespace

GeneratedMachine cxl_session_machine(Random& random, std::string_view kernel) {
  for (;;) {
    GeneratedMachine generated = CxlSession(random, kernel).draw();
    const auto measures =
        std::ranges::find_if(generated.traffic, [](const auto& key) { return key.first == "measure"; });
    if (!measures->second.items.empty()) return generated;
  }
}

}  // namespace pmufab::verify
