// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/verify/case_generator.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {
namespace {

using scenario::Value;

constexpr Picoseconds kNanosecond = 1'000;
constexpr std::array kClocks = {std::string_view("task-clock"), std::string_view("cpu-clock")};

struct Measure {
  std::string name;
  std::vector<std::string> events;
  Picoseconds start = 0;
  Picoseconds stop = 0;    ///< 0: the end
  Picoseconds window = 0;  ///< of one that follows
  bool follows = false;
  Picoseconds interval = 0;
  std::string open_error;
  std::optional<unsigned> cpu;
  bool is_compared = true;
  std::size_t chain = 0;  ///< number of the first measure of its chain, from 1 on; 0: none
};

/// Draws one session. Everything it needs to know of the fabric is in the offers.
class Session {
 public:
  Session(Random& random, const GeneratedMachine& machine) : random_(random), machine_(machine) {}

  void draw(Value& scenario) {
    draw_host();
    draw_offline();
    choose_pmus();
    duration_ = machine_.window * random_.pick({1U, 1U, 2U, 2U, 3U});
    const std::uint64_t style = random_.number(1, 100);
    if (random_.chance(machine_.seeks ? 50 : 15)) {
      draw_full_houses();
    } else if (style <= 45) {
      draw_side_by_side();
    } else if (style <= 75) {
      draw_chain();
    } else if (style <= 90) {
      draw_side_by_side();
      draw_chain();
    } else if (style <= 95 && machine_.resets) {
      draw_reset();
    } else {
      draw_unload();
    }
    const bool pauses = !has_life_cycle_ && random_.chance(25);
    const bool reloads = !has_life_cycle_ && random_.chance(10);
    leave_turns(!has_life_cycle_ && !pauses && !reloads);
    leave_time();
    if (random_.chance(25)) {
      for (std::uint64_t left = random_.number(1, 3); left > 0; --left)
        random_.chance(25) ? draw_foreign() : draw_refused();
    }
    if (!has_life_cycle_ && random_.chance(reloads ? 60 : 25)) draw_hotplug(reloads);
    if (pauses) draw_pauses();
    if (reloads) draw_reload();
    const bool is_calm_session = actions_.empty() && !shares_;
    const bool wraps = random_.chance(60) || machine_.traffic.empty();
    if (wraps && (is_calm_session || !machine_.calm_wraps)) draw_injections();
    draw_occurrences();
    write(scenario);
  }

 private:
  Picoseconds time_between(Picoseconds least, Picoseconds most) {
    if (most <= least) return least;
    return random_.number(least / kNanosecond, most / kNanosecond) * kNanosecond;
  }

  [[nodiscard]] bool has_firmware_writes() const {
    return std::ranges::any_of(machine_.traffic, [](const auto& key) { return key.first == "firmware_writes"; });
  }

  void draw_host() {
    if (machine_.host) {
      access_ = machine_.host_access;
    } else {
      const Picoseconds slowest = machine_.slowest_access;
      access_ = random_.pick({kNanosecond, kNanosecond, 5 * kNanosecond, 5 * kNanosecond, 20 * kNanosecond, slowest});
      access_ = std::min(access_, slowest);
      const Picoseconds longest = machine_.longest_interrupt;
      if (longest > 0 && random_.chance(60)) {
        interrupt_ = random_.pick({Picoseconds{1}, 100 * kNanosecond, 500 * kNanosecond, longest / 2, longest});
        interrupt_ = std::min(interrupt_, longest);
      }
    }
    const unsigned turns = random_.pick({1U, 1U, 2U, 3U, 6U});
    if (access_ == 0) {
      constexpr unsigned kOfWindow = 50;  // turns cost no time
      rotation_ = turns * machine_.window / kOfWindow / kNanosecond * kNanosecond;
    } else {
      rotation_ = std::max(turns * machine_.window / 40, kMicrosecond);
    }
  }

  [[nodiscard]] Value host() const {
    Value host = machine_.host.value_or(Value::map());
    if (!machine_.host) {
      host.add("access_latency", time(access_));
      if (interrupt_ > 0) host.add("interrupt_delay", time(interrupt_));
    }
    host.add("rotation", time(rotation_));
    if (offline_.empty()) return host;
    std::vector<Value> cpus;
    for (const unsigned cpu : offline_) cpus.push_back(number(cpu));
    host.add("offline_cpus", list(std::move(cpus)));
    return host;
  }

  /// @return whether each PMU keeps a CPU if this one goes, too
  [[nodiscard]] bool may_go(unsigned cpu, const std::set<unsigned>& offline) const {
    return std::ranges::all_of(machine_.pmus, [&](const PmuOffer& pmu) {
      return std::ranges::any_of(pmu.cpus, [&](unsigned other) { return other != cpu && !offline.contains(other); });
    });
  }

  /// @return one of a PMU's CPUs, mostly the one that would serve it
  unsigned draw_cpu() {
    const std::vector<unsigned>& cpus = random_.pick(machine_.pmus).cpus;
    return cpus.empty() || random_.chance(70) ? first_cpu(cpus) : random_.pick(cpus);
  }
  static unsigned first_cpu(const std::vector<unsigned>& cpus) { return cpus.empty() ? 0 : cpus.front(); }

  /// CPUs that are offline when the drivers are loaded first.
  void draw_offline() {
    if (!random_.chance(20)) return;
    for (std::uint64_t left = random_.number(1, 3); left > 0; --left) {
      const unsigned cpu = draw_cpu();
      if (may_go(cpu, offline_)) offline_.insert(cpu);
    }
    has_hotplug_ = !offline_.empty();
  }

  /// CPUs go or come while no driver is loaded.
  void draw_hotplug_unloaded(Picoseconds unload, Picoseconds load) {
    if (!random_.chance(40)) return;
    std::set<unsigned> offline = offline_;
    for (std::uint64_t step = random_.number(1, 2); step > 0; --step) {
      const unsigned cpu = draw_cpu();
      const bool comes = offline.contains(cpu);
      if (!comes && !may_go(cpu, offline)) continue;
      if (comes) {
        offline.erase(cpu);
      } else {
        offline.insert(cpu);
      }
      act(comes ? "cpu_online" : "cpu_offline", std::min(unload + 1, load), {"cpu", number(cpu)});
      has_hotplug_ = true;
    }
  }

  /// One to four PMUs: a session concentrates on them, so that states follow one another.
  void choose_pmus() {
    for (const PmuOffer& offer : machine_.pmus) pmus_.push_back(&offer);
    random_.shuffle(pmus_);
    pmus_.resize(std::min<std::size_t>(pmus_.size(), random_.pick({1U, 1U, 2U, 2U, 3U, 4U})));
  }

  // Events.

  static bool fits(const PmuOffer& offer, const std::vector<std::string>& events, bool is_group) {
    return offer.fits ? offer.fits(events, is_group) : events.size() <= offer.counters;
  }

  /// @return whether the events may be opened besides those that are open. If so, they count as open.
  bool has_room(const PmuOffer& offer, const std::vector<std::string>& more) {
    if (offer.shares) return true;
    std::vector<std::string> all = open_[&offer];
    all.insert(all.end(), more.begin(), more.end());
    if (!fits(offer, all, false)) return false;
    open_[&offer] = std::move(all);
    return true;
  }

  /// Fewer of those that take long to read.
  static std::uint64_t most_at_once(const PmuOffer& offer, unsigned usual) {
    constexpr unsigned kAccesses = 300;
    return std::min({offer.counters, usual, std::max(kAccesses / std::max(offer.accesses, 1U), 2U)});
  }

  /// Some events of a PMU, alone or as groups.
  void add_events(const PmuOffer& offer, std::vector<std::string>& events) {
    const std::uint64_t kind = random_.number(1, 100);
    if (kind <= 35) {
      add_group(offer, events, random_.number(1, most_at_once(offer, 7)));
      return;
    }
    // More than there are counters: they take turns. Many of them as groups, each of which is put on at once.
    constexpr unsigned kUsual = 16;
    const bool is_crowd = offer.shares && random_.chance(offer.crowds);
    if (is_crowd && offer.counters > kUsual) {
      const bool is_full = random_.chance(30);  // exactly as many as there are counters
      for (unsigned group = 0; group < (is_full ? 1U : 2U); ++group)
        add_group(offer, events, is_full ? offer.counters : offer.counters / 2 + 1);
      return;
    }
    const std::uint64_t most = is_crowd ? offer.counters + 3 : most_at_once(offer, 6);
    const std::uint64_t wanted = random_.number(is_crowd ? offer.counters : 1, std::max<std::uint64_t>(most, 1));
    for (std::uint64_t i = 0; i < wanted; ++i) {
      const bool is_twin = i > 0 && !events.empty() && random_.chance(15);
      std::string event = is_twin ? events.back() : offer.event(random_);
      if (has_room(offer, {event})) events.push_back(std::move(event));
    }
    if (offer.shares && random_.chance(20)) add_group(offer, events, random_.number(1, most_at_once(offer, 7)));
  }

  void add_group(const PmuOffer& offer, std::vector<std::string>& events, std::uint64_t size) {
    std::vector<std::string> group;
    const bool is_full = offer.group && random_.chance(30);
    if (is_full) group = offer.group(random_);
    for (std::uint64_t i = 0; !is_full && i < size; ++i) {
      const std::size_t before = group.size();
      for (std::string& event : one_by_one(offer.event(random_))) group.push_back(std::move(event));
      if (!fits(offer, group, true)) group.resize(before);
    }
    if (group.empty() || !has_room(offer, group)) return;
    const bool has_clock = offer.beside_clocks && random_.chance(20);
    if (has_clock) group.insert(group.begin(), std::string(random_.pick({kClocks.front(), kClocks.back()})));
    events.push_back(fmt::format("{{{}}}", fmt::join(group, ",")));
  }

  Measure& add_measure(const char* what) {
    Measure& measure = measures_.emplace_back();
    measure.name = fmt::format("{} {}", what, measures_.size());
    return measure;
  }

  void finish_measure(Picoseconds length) {
    Measure& measure = measures_.back();
    if (measure.events.empty()) {
      measures_.pop_back();
      return;
    }
    const bool may_read =
        std::ranges::none_of(pmus_, [&](const PmuOffer* pmu) { return pmu->reading_loses && uses(measure, *pmu); });
    if (may_read && random_.chance(40))
      measure.interval = std::max(length / random_.number(2, 9) / kNanosecond * kNanosecond, kMicrosecond);
  }

  // Turns.

  [[nodiscard]] Picoseconds length_of(const Measure& measure) const {
    if (measure.window > 0) return measure.window;
    const Picoseconds end = measure.stop > 0 ? measure.stop : duration_;
    return end > measure.start ? end - measure.start : 0;
  }

  /// Whether two measures may be open at the same time. One with a window ends when it ends.
  [[nodiscard]] static bool overlap(const Measure& a, const Measure& b) {
    if (a.chain > 0 && a.chain == b.chain) return false;
    const auto ends_before = [](const Measure& one, const Measure& other) {
      return one.stop > 0 && one.stop <= other.start;
    };
    return !ends_before(a, b) && !ends_before(b, a);
  }

  /// @return where the first event of a PMU begins: behind the software event that leads its group
  static std::size_t first_of(const std::string& events) {
    const std::size_t begin = events.front() == '{' ? 1 : 0;
    for (const std::string_view clock : kClocks) {
      if (events.compare(begin, clock.size(), clock) == 0) return begin + clock.size() + 1;
    }
    return begin;
  }

  static bool is_of(const std::string& events, const PmuOffer& pmu) {
    return events.compare(first_of(events), pmu.pmu.size() + 1, pmu.pmu + "/") == 0;
  }

  static bool uses(const Measure& measure, const PmuOffer& pmu) {
    return std::ranges::any_of(measure.events, [&](const std::string& events) { return is_of(events, pmu); });
  }

  /// Events and groups of a PMU that are open together with those of a measure, which come last.
  std::vector<std::string> open_with(std::size_t index, const PmuOffer& pmu, Picoseconds& shortest) const {
    std::vector<std::string> open;
    shortest = length_of(measures_[index]);
    for (std::size_t i = 0; i <= index; ++i) {
      if (i < index && !overlap(measures_[i], measures_[index])) continue;
      const std::size_t before = open.size();
      for (const std::string& events : measures_[i].events) {
        if (is_of(events, pmu)) open.push_back(events);
      }
      if (open.size() > before) shortest = std::min(shortest, length_of(measures_[i]));
    }
    return open;
  }

  /// @return the event, or the events of a group
  static std::vector<std::string> one_by_one(const std::string& text) {
    std::vector<std::string> events;
    std::size_t begin = first_of(text);
    bool inside = false;
    for (std::size_t i = begin; i <= text.size(); ++i) {
      if (i < text.size() && text[i] == '/') inside = !inside;
      const bool ends = i == text.size() || (!inside && (text[i] == ',' || text[i] == '}'));
      if (!ends) continue;
      if (i > begin) events.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
    return events;
  }

  /// @return whether all these can count at once
  static bool is_at_once(const PmuOffer& pmu, const std::vector<std::string>& open) {
    std::vector<std::string> events;
    for (const std::string& text : open) {
      for (std::string& event : one_by_one(text)) events.push_back(std::move(event));
    }
    return fits(pmu, events, false);
  }

  /// @return how long putting on and off the events of other PMUs takes that are open with those of a measure: turns wait
  Picoseconds others(std::size_t index, const PmuOffer& pmu) const {
    std::size_t accesses = 0;
    for (const PmuOffer* const other : pmus_) {
      if (other == &pmu) continue;
      Picoseconds unused = 0;
      for (const std::string& text : open_with(index, *other, unused)) accesses += 4 * other->accesses * count_of(text);
    }
    return accesses * access_;
  }

  /// Events that take turns need time: an event that never had a counter has no count. What does not fit is left out.
  /// @param may_share  nothing shortens the measures
  void leave_turns(bool may_share) {
    constexpr unsigned kAccesses = 25;  // to put an event off and on
    constexpr std::size_t kManyEvents = 16;
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      for (const PmuOffer* const pmu : pmus_) {
        while (true) {
          Picoseconds shortest = 0;
          const std::vector<std::string> open = open_with(i, *pmu, shortest);
          if (open.empty() || is_at_once(*pmu, open)) break;
          std::size_t events_open = 0;
          for (const std::string& text : open) events_open += count_of(text);
          const std::size_t accesses = std::max(2 * kAccesses, pmu->accesses) * events_open;
          const auto has_turns = [&] {
            const std::size_t rounds = events_open > kManyEvents ? 4 : 2;  // it takes time to open many
            return shortest >= rounds * (open.size() + 1) * std::max(rotation_, accesses * access_) + others(i, *pmu);
          };
          const bool shares = pmu->shares && may_share;
          if (shares && !has_turns() && !machine_.host && random_.chance(50)) access_ = std::min(access_, kNanosecond);
          if (shares && has_turns()) {
            shares_ = true;
            break;
          }
          auto& events = measures_[i].events;
          const auto last =
              std::find_if(events.rbegin(), events.rend(), [&](const std::string& one) { return is_of(one, *pmu); });
          if (last == events.rend()) break;  // those before do not fit, and have their turns
          events.erase(std::next(last).base());
        }
      }
    }
    // Of a chain without its first measure, the next one is the first.
    for (std::size_t i = 0; i < measures_.size();) {
      if (!measures_[i].events.empty()) {
        ++i;
        continue;
      }
      const Measure gone = measures_[i];
      measures_.erase(measures_.begin() + static_cast<std::ptrdiff_t>(i));
      if (i < measures_.size() && measures_[i].follows && !gone.follows) {
        measures_[i].follows = false;
        measures_[i].start = gone.start;
      }
    }
  }

  /// @return how many events a text has
  static std::size_t count_of(const std::string& events) {
    return static_cast<std::size_t>(std::ranges::count(events, '/')) / 2;
  }

  /// Readings that take longer than the time between them never end.
  void leave_time() {
    constexpr std::size_t kMany = 1'000;
    std::size_t accesses = 0;
    for (const Measure& measure : measures_) {
      for (const PmuOffer* const pmu : pmus_) {
        for (const std::string& events : measure.events) {
          if (is_of(events, *pmu)) accesses += count_of(events) * pmu->accesses;
        }
      }
    }
    if (accesses > kMany && !machine_.host) access_ = std::min(access_, kNanosecond);
    for (Measure& measure : measures_) {
      if (measure.interval == 0) continue;
      measure.interval = std::max(measure.interval, 4 * accesses * access_ / kNanosecond * kNanosecond);
      if (measure.interval >= length_of(measure)) measure.interval = 0;
    }
  }

  // Styles.

  void draw_side_by_side() {
    const std::uint64_t wanted = random_.number(1, 4);
    for (std::uint64_t i = 0; i < wanted; ++i) {
      Measure& measure = add_measure("side");
      const std::uint64_t parts = random_.chance(30) ? 2 : 1;
      for (std::uint64_t part = 0; part < parts; ++part) add_events(*random_.pick(pmus_), measure.events);
      measure.start = random_.chance(50) ? 0 : time_between(0, duration_ / 2);
      if (random_.chance(60)) measure.stop = time_between(measure.start + duration_ / 8, duration_);
      finish_measure((measure.stop == 0 ? duration_ : measure.stop) - measure.start);
    }
  }

  /// One measure after the other on the same PMUs: what one leaves behind is the next one's.
  void draw_chain() {
    const std::uint64_t wanted = random_.number(2, 6);
    const PmuOffer* pmu = random_.pick(pmus_);
    std::vector<std::string> before;
    std::size_t first = 0;
    for (std::uint64_t i = 0; i < wanted; ++i) {
      Measure& measure = add_measure("chain");
      measure.follows = i > 0;
      if (i == 0) first = measures_.size();
      measure.chain = first;
      measure.window = time_between(duration_ / 8, duration_ / 3);
      if (i == 0) measure.start = time_between(0, duration_ / 4);
      if (random_.chance(20)) pmu = random_.pick(pmus_);
      if (!before.empty() && random_.chance(15)) {
        measure.events = before;  // opened again
      } else {
        open_[pmu].clear();
        add_events(*pmu, measure.events);
      }
      if (measure.events.empty()) measure.events.push_back(pmu->event(random_));
      before = measure.events;
      finish_measure(measure.window);
    }
  }

  /// As many events as have room together, so that each counter has one.
  std::vector<std::string> full_house(const PmuOffer& pmu, bool is_group) {
    constexpr std::size_t kMost = 8;
    constexpr unsigned kTries = 40;
    std::vector<std::string> events;
    for (unsigned tries = 0; tries < kTries && events.size() < std::min<std::size_t>(pmu.counters, kMost); ++tries) {
      std::string event = pmu.event(random_);
      const bool is_pair = event.front() == '{';
      if (is_pair || std::ranges::find(events, event) != events.end()) continue;
      events.push_back(std::move(event));
      if (!fits(pmu, events, is_group)) events.pop_back();
    }
    return events;
  }

  /// One full house after the other: alone, as a group, or two that take turns. Some events move to the next counter.
  void draw_full_houses() {
    const PmuOffer& pmu = *random_.pick(pmus_);
    const std::uint64_t wanted = random_.number(4, 8);
    const std::size_t first = measures_.size() + 1;
    std::vector<std::string> events;
    for (std::uint64_t turn = 0; turn < wanted; ++turn) {
      const std::uint64_t use = random_.number(1, 100);
      const bool is_group = use <= 35;
      if (events.empty() || is_group || random_.chance(60)) {
        events = full_house(pmu, is_group);
      } else {
        std::rotate(events.begin(), events.begin() + 1, events.end());
      }
      if (events.empty()) continue;
      Measure& measure = add_measure("full");
      measure.follows = measures_.size() > first;
      measure.chain = first;
      measure.window = time_between(machine_.window / 2, machine_.window);
      measure.events = is_group ? std::vector{fmt::format("{{{}}}", fmt::join(events, ","))} : events;
      if (is_group || use <= 65 || !pmu.shares) continue;
      for (std::string& event : full_house(pmu, false)) measure.events.push_back(std::move(event));
      measure.window *= 2;
    }
  }

  /// A measure across a reset is not judged; everything after the drivers have been loaded again is.
  void draw_reset() {
    has_life_cycle_ = true;
    const PmuOffer& pmu = *random_.pick(pmus_);
    Measure& across = add_measure("across");
    across.is_compared = false;
    across.stop = duration_ / 2;
    add_events(pmu, across.events);
    if (across.events.empty()) across.events.push_back(pmu.event(random_));
    act("reset", time_between(kMicrosecond, duration_ / 2));
    act("reload_drivers", duration_ / 2 + kMicrosecond);
    open_[&pmu].clear();
    Measure& after = add_measure("after");
    after.start = duration_ / 2 + 2 * kMicrosecond;
    after.window = duration_ / 2;
    add_events(random_.chance(60) ? pmu : *random_.pick(pmus_), after.events);
    finish_measure(after.window);
  }

  void draw_unload() {
    has_life_cycle_ = true;
    draw_side_by_side();
    for (Measure& measure : measures_) measure.start = std::min(measure.start, duration_ / 4);
    const Picoseconds unload = time_between(duration_ / 3, duration_ / 2);
    act("unload_drivers", unload);
    const Picoseconds load = unload + time_between(0, std::min(3 * kMicrosecond, duration_ / 4));
    // Whatever owned the PMUs meanwhile has left them counting.
    if (has_firmware_writes() && random_.chance(60)) act("firmware_writes", time_between(unload, load));
    draw_hotplug_unloaded(unload, load);
    act("load_drivers", load);
    const PmuOffer& pmu = *random_.pick(pmus_);
    open_[&pmu].clear();
    Measure& after = add_measure("after");
    after.start = load + kMicrosecond;
    after.window = duration_ / 2;
    add_events(pmu, after.events);
    finish_measure(after.window);
  }

  void draw_refused() {
    const PmuOffer& offer = *random_.pick(pmus_);
    if (!offer.refused) return;
    const std::optional<RefusedEvent> refused = offer.refused(random_);
    if (!refused) return;
    Measure& measure = add_measure("refused");
    measure.events = {refused->events};
    measure.open_error = refused->error;
    measure.cpu = refused->cpu;
    const bool is_late = has_life_cycle_;  // while drivers are unloaded nothing can be opened
    measure.start = is_late ? 0 : time_between(0, duration_ / 2);
    measure.window = kMicrosecond;
  }

  /// A software event may lead events of any PMU, but of one.
  void draw_foreign() {
    std::vector<const PmuOffer*> able;
    for (const PmuOffer& offer : machine_.pmus) {
      if (offer.beside_clocks) able.push_back(&offer);
    }
    random_.shuffle(able);
    if (able.size() < 2 || !able[1]->beside_others) return;
    const auto one_of = [&](const PmuOffer& offer) { return one_by_one(offer.event(random_)).front(); };
    const std::string first = one_of(*able[0]);
    Measure& measure = add_measure("foreign");
    measure.events = {
        fmt::format("{{{},{},{}}}", random_.pick({kClocks.front(), kClocks.back()}), first, one_of(*able[1]))};
    measure.open_error = "EINVAL";
    measure.start = has_life_cycle_ ? 0 : time_between(0, duration_ / 2);
    measure.window = kMicrosecond;
  }

  // What happens meanwhile.

  void act(const char* what, Picoseconds when, std::pair<std::string, Value> detail = {}) {
    Value action = map({{"at", time(when)}, {"do", word(what)}});
    if (!detail.first.empty()) action.add(detail.first, std::move(detail.second));
    actions_.emplace_back(when, std::move(action));
  }

  /// CPUs go and come back: first the one that serves the PMU, then the one that has taken over, and so on.
  /// @param reloads  drivers are loaded again meanwhile, on the CPUs that are online
  void draw_hotplug(bool reloads) {
    const PmuOffer& pmu = *random_.pick(pmus_);
    const std::vector<unsigned>& cpus = pmu.cpus;
    const bool leaves = pmu.leaves_socket && machine_.cpus > cpus.size() && !reloads && offline_.empty();
    if (cpus.size() < 2 && !leaves) return;
    std::vector<unsigned> offline;
    for (const unsigned cpu : cpus) {
      if (offline_.contains(cpu)) offline.push_back(cpu);
    }
    Picoseconds when = time_between(0, duration_ / 3);
    const std::uint64_t steps = random_.number(1, 6);
    for (std::uint64_t i = 0; i < steps; ++i, when += time_between(kMicrosecond, duration_ / 4)) {
      const bool none_left = offline.size() + (leaves ? 0 : 1) == cpus.size();
      const bool back = !offline.empty() && (none_left || random_.chance(leaves ? 25 : 40));
      if (back) {
        const std::size_t index = random_.number(0, offline.size() - 1);
        act("cpu_online", when, {"cpu", number(offline[index])});
        offline.erase(offline.begin() + static_cast<std::ptrdiff_t>(index));
        continue;
      }
      std::vector<unsigned> online;
      for (const unsigned cpu : cpus) {
        if (std::ranges::find(offline, cpu) == offline.end()) online.push_back(cpu);
      }
      const unsigned cpu = random_.chance(75) ? online.front() : random_.pick(online);
      act("cpu_offline", when, {"cpu", number(cpu)});
      offline.push_back(cpu);
    }
    has_hotplug_ = true;
  }

  void draw_pauses() {
    if (measures_.empty()) return;
    const std::uint64_t wanted = random_.number(1, 2);
    for (std::uint64_t i = 0; i < wanted; ++i) {
      const Measure& measure = random_.pick(measures_);
      if (!measure.open_error.empty()) continue;
      Picoseconds when = measure.start + time_between(kMicrosecond, duration_ / 3);
      const std::uint64_t times = random_.number(1, 2);
      const auto is_over = [&] { return measure.stop > 0 && when >= measure.stop; };
      for (std::uint64_t turn = 0; turn < times && !is_over(); ++turn) {
        act("disable_events", when, {"measure", word(measure.name)});
        when += time_between(0, duration_ / 4);
        if (is_over()) break;
        act("enable_events", when, {"measure", word(measure.name)});
        when += time_between(kMicrosecond, duration_ / 4);
      }
    }
  }

  void draw_reload() {
    const std::uint64_t times = random_.chance(25) ? 2 : 1;
    for (std::uint64_t i = 0; i < times; ++i) act("reload_drivers", time_between(kMicrosecond, duration_));
  }

  // Occurrences in bulk.

  /// @return whether no event of the PMU comes or goes while a wrap at that time waits for its handler
  [[nodiscard]] bool is_calm(const PmuOffer& pmu, Picoseconds when) const {
    const auto is_near = [&](Picoseconds change) {
      return change > 0 && when + handling() > change && change + handling() > when;
    };
    for (const Measure& measure : measures_) {
      if (!uses(measure, pmu)) continue;
      if (measure.chain > 0 || measure.window > 0) return false;  // nobody knows when it ends
      if (is_near(measure.start) || is_near(measure.stop) || is_near(duration_)) return false;
    }
    return true;
  }

  /// Times between which a driver has handled a wrap: its accesses while interrupts are off, the way to the handler, and
  /// the handler's own.
  [[nodiscard]] Picoseconds handling() const {
    const bool has_many = injected_ != nullptr && injected_->counters > 32;
    const unsigned accesses = has_many ? 700 : 250;
    return interrupt_ + accesses * access_ + kMicrosecond;
  }

  /// In the middle of a reading, if anybody reads.
  Picoseconds reading_time(Picoseconds after) {
    std::vector<const Measure*> readers;
    for (const Measure& measure : measures_) {
      if (measure.interval > 0 && !measure.follows) readers.push_back(&measure);
    }
    if (readers.empty() || random_.chance(25)) return time_between(after, duration_);
    const Measure& reader = *random_.pick(readers);
    Picoseconds when = reader.start + reader.interval;
    while (when < after) when += reader.interval;
    const std::uint64_t later = random_.number(0, 2);
    return when + later * reader.interval + random_.number(0, 24) * access_ + access_ / 2;
  }

  /// @param at  an access; `when` is its place among the others
  void add_injection(Picoseconds when, Value at, const std::vector<std::string>& sources, std::uint64_t count) {
    Value source = Value::sequence();
    for (const std::string& one : sources) source.items.push_back(Value::of(one, true));
    injections_.emplace_back(when,
                             map({{"at", std::move(at)}, {"source", std::move(source)}, {"count", number(count)}}));
  }

  /// Nothing else is done at that instant: an event that ends between its overflow and the handler, and with it a check
  /// that opens events when everything has ended, would make drivers warn for good reason.
  void inject(Picoseconds when, const std::vector<std::string>& sources, std::uint64_t count) {
    if (when >= duration_) return;
    ++when;
    if (machine_.calm_wraps && !is_calm(*injected_, when)) return;
    Value source = sources.size() == 1 ? Value::of(sources.front(), true) : Value::sequence();
    if (sources.size() > 1) {
      for (const std::string& one : sources) source.items.push_back(Value::of(one, true));
    }
    injections_.emplace_back(when, map({{"at", time(when)}, {"source", std::move(source)}, {"count", number(count)}}));
  }

  /// @return when a PMU is read while nothing else is done with it; 0: never
  Picoseconds calm_reading(const PmuOffer& pmu) {
    std::vector<const Measure*> readers;
    for (const Measure& measure : measures_) {
      if (uses(measure, pmu) && measure.interval > 0 && !measure.follows) readers.push_back(&measure);
    }
    if (readers.empty() || shares_ || !actions_.empty()) return 0;
    const Measure& reader = *random_.pick(readers);
    const Picoseconds when = reader.start + random_.number(1, length_of(reader) / reader.interval) * reader.interval;
    return is_calm(pmu, when) ? when : 0;
  }

  /// @return whether it is a group that perf reads as one of its PMU
  static bool is_led_by_own(const std::string& events) { return events.front() == '{' && first_of(events) == 1; }

  /// @return whether whoever reads events of a PMU on the way reads groups
  [[nodiscard]] bool reads_groups(const PmuOffer& pmu) const {
    return std::ranges::all_of(measures_, [&](const Measure& measure) {
      return measure.interval == 0 || std::ranges::all_of(measure.events, [&](const std::string& events) {
               return is_led_by_own(events) || !is_of(events, pmu);
             });
    });
  }

  /// While the handler of another wrap runs; or while somebody reads, if nothing else happens at that instant. At any access
  /// of a reading for which the driver stops its counters: these occurrences are not counted.
  void inject_in_call(const PmuOffer& pmu, const std::vector<std::string>& sources, std::uint64_t count) {
    Value at = map({{"access", number(1)}, {"of", word("interrupt")}, {"pmu", word(pmu.pmu)}});
    Picoseconds when = 0;
    const bool is_stopped = pmu.stops_for_groups && reads_groups(pmu) && calm_reading(pmu) > 0;
    if (random_.chance(is_stopped ? 20 : 50)) {
      constexpr unsigned kAccesses = 6;
      at.find("access")->scalar = fmt::format("{}", random_.number(1, kAccesses));
    } else {
      when = calm_reading(pmu);
      if (when == 0) return;
      at.find("of")->scalar = "read";
      constexpr unsigned kAccessesOfGroup = 9;
      if (is_stopped) at.find("access")->scalar = fmt::format("{}", random_.number(1, kAccessesOfGroup));
      at.add("after", time(when));
    }
    at.add("optional", flag(true));
    add_injection(when, std::move(at), sources, count);
  }

  /// Before one access of the next readings: mostly of the first counter that is read.
  void inject_in_reading(const PmuOffer& pmu, Picoseconds after, const std::vector<std::string>& sources,
                         std::uint64_t count) {
    constexpr unsigned kOfOneCounter = 5;  // twice its upper half, its lower half, and a status or two
    const std::uint64_t access =
        random_.number(1, random_.chance(60) ? kOfOneCounter : std::max(pmu.accesses, kOfOneCounter));
    Value at = map({{"access", number(access)},
                    {"of", word("read")},
                    {"pmu", word(pmu.pmu)},
                    {"after", time(after)},
                    {"optional", flag(true)}});
    add_injection(after, std::move(at), sources, count);
  }

  void draw_injections() {
    std::vector<const PmuOffer*> able;
    for (const PmuOffer* const pmu : pmus_) {
      if (pmu->bulk && is_used(*pmu)) able.push_back(pmu);
    }
    random_.shuffle(able);
    able.resize(std::min<std::size_t>(able.size(), random_.number(1, 3)));
    for (const PmuOffer* const pmu : able) draw_injections_of(*pmu);
  }

  [[nodiscard]] bool is_used(const PmuOffer& pmu) const {
    return std::ranges::any_of(measures_, [&](const Measure& measure) { return uses(measure, pmu); });
  }

  /// @return a time in the first half of a measure with one of these events, about
  Picoseconds time_of_use(const PmuOffer& pmu, const std::vector<std::string>& sources) {
    std::vector<std::pair<Picoseconds, Picoseconds>> spans;
    Picoseconds end = 0;
    for (const Measure& measure : measures_) {
      const Picoseconds begin = measure.follows ? end : measure.start;
      end = begin + length_of(measure);
      const bool uses =
          std::ranges::any_of(sources, [&](const std::string& source) { return has_event(measure, pmu, source); });
      if (uses && measure.open_error.empty() && begin < duration_) spans.emplace_back(begin, std::min(end, duration_));
    }
    if (spans.empty()) return time_between(kMicrosecond, duration_ / 2);
    const auto& [begin, until] = random_.pick(spans);
    return time_between(begin + std::min(kMicrosecond, (until - begin) / 4), begin + (until - begin) / 2);
  }

  /// @return whether an event of that name is measured on the PMU
  [[nodiscard]] bool is_measured(const PmuOffer& pmu, const std::string& source) const {
    return std::ranges::any_of(measures_, [&](const Measure& measure) { return has_event(measure, pmu, source); });
  }
  static bool has_event(const Measure& measure, const PmuOffer& pmu, const std::string& source) {
    const std::size_t begin = pmu.pmu.size();
    const std::string name = source.substr(begin, source.find_first_of(",/", begin + 1) - begin);  // "/name"
    return std::ranges::any_of(measure.events, [&](const std::string& events) {
      return is_of(events, pmu) && (events.find(pmu.pmu + name + ",") != std::string::npos ||
                                    events.find(pmu.pmu + name + "/") != std::string::npos);
    });
  }

  void draw_occurrences() {
    for (const PmuOffer* const pmu : pmus_) {
      for (std::uint64_t left = pmu->some ? random_.number(0, 4) : 0; left > 0; --left) {
        const std::optional<BulkEvent> some = pmu->some(random_);
        if (!some) continue;
        std::vector<std::string> sources = {some->source};
        sources.insert(sources.end(), some->more.begin(), some->more.end());
        injected_ = pmu;
        inject(time_between(kMicrosecond, duration_), sources, some->count);
      }
    }
  }

  void draw_injections_of(const PmuOffer& pmu) {
    std::optional<BulkEvent> bulk = pmu.bulk(random_);
    constexpr unsigned kTries = 20;  // to find one that somebody counts
    std::vector<std::string> sources;
    const auto counts = [&] {
      sources = {bulk->source};
      sources.insert(sources.end(), bulk->more.begin(), bulk->more.end());
      const auto counted =
          std::ranges::count_if(sources, [&](const std::string& source) { return is_measured(pmu, source); });
      return static_cast<std::size_t>(counted) >= std::min<std::size_t>(2, sources.size());
    };
    for (unsigned tries = 0; bulk && !counts() && tries < kTries; ++tries) bulk = pmu.bulk(random_);
    if (!bulk) return;
    injected_ = &pmu;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
    if (!bulk->in_calls.empty()) inject_in_call(pmu, bulk->in_calls, bulk->in_calls_count);
    const std::uint64_t gap = std::min<std::uint64_t>(random_.pick({2U, 40U, 1'000U, 20'000U}), bulk->count / 4 + 1);
    Picoseconds first = random_.chance(75) ? time_of_use(pmu, sources) : time_between(kMicrosecond, duration_ / 2);
    if (!bulk->once && random_.chance(machine_.traffic.empty() ? 70 : 30)) {
      // More than a full turn that nothing reads in between: only the handler knows of it.
      for (int turn = 0; turn < 3; ++turn, first += handling()) inject(first, sources, std::min(kMost, bulk->count));
      return;
    }
    constexpr std::uint64_t kMoreThanTraffic = std::uint64_t{1} << 22;  // so that nothing else brings it to its wrap
    if (pmu.reads_halves && !machine_.calm_wraps && bulk->count > kMoreThanTraffic && random_.chance(40)) {
      inject(first, sources, bulk->count - kMoreThanTraffic);
      inject_in_reading(pmu, first + handling(), sources, 2 * kMoreThanTraffic);
      return;
    }
    if (bulk->count > gap && random_.chance(60)) {
      inject(first, sources, bulk->count - gap);
      first = reading_time(first + handling());
      if (sources.size() > 1 && !machine_.calm_wraps && random_.chance(40)) {
        // The second one wraps while the handler of the first is at work.
        inject(first, {sources.front()}, 2 * gap);
        sources.erase(sources.begin());
        first += interrupt_ + random_.number(1, 14) * access_ + access_ / 2;
      }
      inject(first, sources, 2 * gap);
    } else {
      first = reading_time(first);
      inject(first, sources, std::min(kMost, bulk->count + random_.number(0, gap)));
    }
    if (bulk->once || random_.chance(50)) return;
    // Soon, so that nothing reads in between; or in the middle of a reading.
    const Picoseconds next = first + handling();
    const Picoseconds again = random_.chance(40) ? time_between(next, next + kMicrosecond) : reading_time(next);
    inject(again, sources, std::min(kMost, bulk->count));
  }

  // The document.

  static Value value_of(const Measure& measure) {
    Value value = map({{"name", word(measure.name)}});
    std::vector<Value> events;
    for (const std::string& event : measure.events) events.push_back(Value::of(event, true));
    value.add("events", list(std::move(events)));
    if (measure.follows) value.add("follows", flag(true));
    if (measure.start > 0) value.add("start", time(measure.start));
    if (measure.window > 0) value.add("window", time(measure.window));
    if (measure.stop > 0) value.add("stop", time(measure.stop));
    if (measure.interval > 0) value.add("interval", time(measure.interval));
    if (measure.cpu) value.add("cpu", number(*measure.cpu));
    if (!measure.is_compared) value.add("compare", word("none"));
    if (!measure.open_error.empty()) value.add("open_error", word(measure.open_error));
    return value;
  }

  /// The driver moves its events to the CPU that serves the PMU, and the software event stays: perf refuses such a group.
  static bool has_clock(const Measure& measure) {
    return std::ranges::any_of(
        measure.events, [](const std::string& events) { return events.front() == '{' && !is_led_by_own(events); });
  }

  /// A measure on a CPU of its own.
  void choose_cpus() {
    if (has_hotplug_) return;
    for (Measure& measure : measures_) {
      if (!measure.open_error.empty() || has_clock(measure) || !random_.chance(12)) continue;
      std::vector<unsigned> cpus;
      bool first = true;
      for (const PmuOffer* const pmu : pmus_) {
        const bool is_used = std::ranges::any_of(
            measure.events, [&](const std::string& event) { return event.find(pmu->pmu + "/") != std::string::npos; });
        if (!is_used) continue;
        if (first) cpus = pmu->cpus;
        first = false;
        std::erase_if(cpus, [&](unsigned cpu) { return std::ranges::find(pmu->cpus, cpu) == pmu->cpus.end(); });
      }
      if (!cpus.empty()) measure.cpu = random_.pick(cpus);
    }
  }

  static Value by_time(std::vector<std::pair<Picoseconds, Value>> items) {
    std::ranges::stable_sort(items, [](const auto& a, const auto& b) { return a.first < b.first; });
    Value values = Value::sequence();
    for (auto& item : items) values.items.push_back(std::move(item.second));
    return values;
  }

  void write(Value& scenario) {
    if (measures_.empty()) {
      Measure& measure = add_measure("side");
      measure.events.push_back(pmus_.front()->event(random_));
    }
    choose_cpus();
    scenario.add("host", host());
    for (const Measure& measure : measures_) duration_ = std::max(duration_, measure.start + kMicrosecond);
    scenario.add("duration", time(duration_));
    Value& values = scenario.add("measure", Value::sequence());
    for (const Measure& measure : measures_) values.items.push_back(value_of(measure));
    if (!actions_.empty()) scenario.add("actions", by_time(std::move(actions_)));
    if (!injections_.empty()) scenario.add("inject", by_time(std::move(injections_)));
  }

  Random& random_;
  const GeneratedMachine& machine_;
  std::vector<const PmuOffer*> pmus_;
  std::map<const PmuOffer*, std::vector<std::string>> open_;  // of PMUs that do not share; never walked through
  Picoseconds duration_ = 0;
  Picoseconds access_ = 50'000;
  Picoseconds interrupt_ = 0;
  Picoseconds rotation_ = kMicrosecond;
  bool has_life_cycle_ = false;
  bool shares_ = false;                 // events take turns
  const PmuOffer* injected_ = nullptr;  // whose counters wrap
  bool has_hotplug_ = false;
  std::set<unsigned> offline_;  // CPUs, when the drivers are loaded first
  std::vector<Measure> measures_;
  std::vector<std::pair<Picoseconds, Value>> actions_;
  std::vector<std::pair<Picoseconds, Value>> injections_;
};

}  // namespace

void add_session(Random& random, const GeneratedMachine& machine, Value& scenario) {
  Session(random, machine).draw(scenario);
}

}  // namespace pmufab::verify
