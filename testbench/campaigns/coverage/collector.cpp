// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/coverage/collector.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/perf/verdict.h"

namespace pmufab::coverage {

using perf::EventHandle;

Collector::Collector(const platform::PlatformSpec& platform, const scoreboard::Scoreboard& judge, CheckEvent check)
    : platform_(platform), judge_(judge), check_(std::move(check)) {
  coverage_.count_run();
  WrapWatch::listen([](void* self, const CounterWrap& wrap) { static_cast<Collector*>(self)->wrapped(wrap); }, this);
}

Collector::~Collector() { WrapWatch::listen(nullptr, nullptr); }

PublishedEvents Collector::published(const perf::PmuCatalog::Entry& pmu) const {
  PublishedEvents events;
  for (const perf::PmuCatalog::Event& event : pmu.events) {
    std::string name = event.name;
    try {
      std::string text = fmt::format("{}/{}", pmu.name, event.name);
      for (const std::string_view open : perf::PmuCatalog::open_terms(event)) text += fmt::format(",{}=0", open);
      const auto groups = published_->catalog.resolve(text + "/");
      const perf::ResolvedEvent& resolved = groups.front().events.front();
      if (const auto named = published_->names.name(resolved.attributes)) name = name_of(*named);
      check_(resolved);
    } catch (const perf::EventError& error) {
      events.uncaused.emplace(name, error.reason());
    }
    events.names.emplace(event.name, std::move(name));
  }
  return events;
}

std::string Collector::name_of(const perf::ResolvedEvent& event) const {
  const perf::WrittenEvent written = perf::parse_events(event.text).front().events.front();
  const bool has_name = !written.terms.empty() && !written.terms.front().value;
  return has_name ? written.terms.front().name : std::string();
}

void Collector::loaded(const std::vector<perf::Pmu>& pmus) {
  for (auto& [name, pmu] : pmus_) pmu.entry = nullptr;  // of what was published before
  published_ = std::make_unique<Published>(pmus, judge_);
  for (const perf::PmuCatalog::Entry& entry : published_->catalog.entries()) {
    const auto [place, is_new] = pmus_.try_emplace(entry.name);
    Watched& pmu = place->second;
    pmu.entry = &entry;
    pmu.counters.clear();
    pmu.wrapped.clear();
    pmu.read.reset();
    pmu.handler.reset();
    if (!is_new) {
      pmu.steps.insert(Step::reload);
      continue;
    }
    pmu.facts = facts_of(platform_, entry.name);
    for (std::size_t unit = 0; unit < pmu.facts.places.size(); ++unit)
      places_.emplace(pmu.facts.places[unit], std::pair(&pmu, unit));
    declare(coverage_, pmu.facts, entry, published(entry));
  }
}

void Collector::did(Step step) {
  if (step == Step::offline && ++offline_ > 1) step = Step::offline_twice;
  for (auto& [name, pmu] : pmus_) pmu.steps.insert(step);
}

Collector::Watched* Collector::find(const std::string& pmu) {
  const auto found = pmus_.find(pmu);
  return found == pmus_.end() ? nullptr : &found->second;
}

Collector::Watched* Collector::find(std::uint32_t type) {
  if (published_ == nullptr) return nullptr;
  for (const perf::PmuCatalog::Entry& entry : published_->catalog.entries()) {
    if (entry.type == type) return find(entry.name);
  }
  return nullptr;
}

// ---- What drivers do

void Collector::on_call(Call call, bool begin, const std::string& pmu, EventHandle event, std::uint64_t /*value*/,
                        Picoseconds when) {
  Watched* const watched = find(pmu);
  if (begin) {
    frames_.push_back({call, pmu, event});
    if (watched == nullptr) return;
    if (call == Call::read) watched->read = Span{when, kNever};
    if (call == Call::interrupt) watched->handler = Span{when, kNever};
    return;
  }
  if (!frames_.empty()) frames_.pop_back();
  if (watched == nullptr) return;
  if (call == Call::read && watched->read) watched->read->end = when;
  if (call == Call::interrupt && watched->handler) {
    handled(*watched);
    watched->handler->end = when;
  }
  if (call == Call::del) forget_counters(*watched, event);
}

/// The event is on no counter any more.
void Collector::forget_counters(Watched& pmu, EventHandle event) {
  std::erase_if(pmu.counters, [&](const auto& entry) {
    if (entry.second != event) return false;
    pmu.wrapped.erase(entry.first);
    return true;
  });
}

std::string Collector::on_add_failed(const std::string& pmu, EventHandle event, int /*error*/) {
  Watched* const watched = find(pmu);
  if (watched != nullptr) forget_counters(*watched, event);
  return {};
}

void Collector::on_access(const MmioBus::BusAccess& access) {
  if (frames_.empty()) return;
  const Frame& frame = frames_.back();
  Watched* const pmu = find(frame.pmu);
  if (pmu == nullptr) return;
  const std::optional<CounterPlace> place = pmu->facts.counter_written(access);
  if (!place || frame.event == 0 || (frame.call != Call::add && frame.call != Call::start)) return;
  pmu->counters.insert_or_assign(*place, frame.event);
  pmu->wrapped.erase(*place);
  const auto open = open_.find(frame.event);
  if (open != open_.end()) open->second.counters.insert(place->counter);
}

// ---- Wraps

void Collector::wrapped(const CounterWrap& wrap) {
  const auto found = places_.find(wrap.place);
  if (found == places_.end()) return;
  const auto& [pmu, unit] = found->second;
  note_wrap(*pmu, {unit, wrap.counter}, wrap);
}

void Collector::note_wrap(Watched& pmu, const CounterPlace& place, const CounterWrap& wrap) {
  const auto counted = pmu.counters.find(place);
  if (counted == pmu.counters.end()) return;
  const auto found = open_.find(counted->second);
  if (found == open_.end()) return;
  pmu.wrapped.try_emplace(place, wrap.when);
  Open& event = found->second;
  ++event.wraps;
  event.in_read = event.in_read || (pmu.read && pmu.read->contains(wrap.when));
  event.in_handler = event.in_handler || (pmu.handler && pmu.handler->contains(wrap.when));
  // What wraps while a handler runs may be served by it.
  const auto waits = [&](const auto& wrapped) { return !pmu.handler || wrapped.second >= pmu.handler->end; };
  if (std::ranges::count_if(pmu.wrapped, waits) < 2) return;
  for (const auto& [other, when] : pmu.wrapped) {
    if (!waits(std::pair(other, when))) continue;
    const auto other_event = pmu.counters.find(other);
    const auto other_open = other_event == pmu.counters.end() ? open_.end() : open_.find(other_event->second);
    if (other_open != open_.end()) other_open->second.several = true;
  }
}

void Collector::handled(Watched& pmu) {
  std::erase_if(pmu.wrapped, [&](const auto& wrapped) {
    const auto& [place, when] = wrapped;
    if (when > pmu.handler->begin) return false;  // it may need another handler
    const auto counted = pmu.counters.find(place);
    const auto open = counted == pmu.counters.end() ? open_.end() : open_.find(counted->second);
    if (open != open_.end()) open->second.handled = true;
    return true;
  });
}

// ---- What programs do

void Collector::on_open(const perf::PerfAttributes& attributes, EventHandle leader, EventHandle result) {
  Watched* const pmu = find(attributes.type);
  if (pmu == nullptr) return;
  if (result <= 0) {
    pmu->steps.insert(Step::refused);
    return;
  }
  Open& event = open_[result];
  event.pmu = pmu;
  event.attributes = attributes;
  event.leader = leader;
  const auto group = open_.find(leader);
  event.in_group = leader > 0;
  if (group != open_.end()) group->second.in_group = true;
}

void Collector::on_read(EventHandle event, bool is_group, const perf::EventReading& reading) {
  const perf::Turns turns{reading.time_enabled, reading.time_running};
  const bool is_shared = turns.is_shared() && !turns.is_never();
  const auto note = [&](Open& open) {
    ++open.reads;
    open.shared = open.shared || is_shared;
  };
  const auto found = open_.find(event);
  if (found == open_.end()) return;
  note(found->second);
  if (!is_group) return;
  for (auto& [handle, open] : open_) {
    if (open.leader == event) note(open);
  }
}

void Collector::on_close(EventHandle event) {
  const auto found = open_.find(event);
  if (found == open_.end()) return;
  const std::optional<scoreboard::EventResult> judged = judge_.result(event);
  if (judged && judged->expected > 0) met(found->second, judged->expected);
  open_.erase(found);
}

void Collector::counted(const perf::PerfAttributes& attributes, std::uint64_t truth) {
  Watched* const pmu = find(attributes.type);
  if (pmu == nullptr || truth == 0) return;
  Open event;
  event.pmu = pmu;
  event.attributes = attributes;
  const std::optional<perf::ResolvedEvent> named = published_->names.name(attributes);
  const std::string name = named ? name_of(*named) : std::string();
  if (!name.empty()) meet(*pmu, kEvent, name);
  if (named) met_filters(event, name, *named);
  meet(*pmu, kCount, count_class(truth));
  for (const std::string& topology : pmu->facts.topology) meet(*pmu, kTopology, topology);
}

// ---- Bins

void Collector::meet(const Watched& pmu, const std::string& point, const std::string& bin) {
  coverage_.meet(pmu.facts.kind, point, bin);
}

void Collector::met(const Open& event, std::uint64_t truth) {
  Watched& pmu = *event.pmu;
  const std::optional<perf::ResolvedEvent> named = published_->names.name(event.attributes);
  const std::string name = named ? name_of(*named) : std::string();
  meet(pmu, kCount, count_class(truth));
  meet(pmu, kReading, event.reads > 1 ? "several times" : "once");
  for (const std::string& topology : pmu.facts.topology) meet(pmu, kTopology, topology);
  if (!name.empty()) met_event(event, name);
  if (named) met_filters(event, name, *named);
  met_wraps(event, name);

  const auto [before, is_first] = pmu.opened.try_emplace(name, event.attributes);
  if (!is_first) {
    const auto filters = [](const perf::PerfAttributes& one) {
      return std::tuple(one.config, one.config1, one.config2);
    };
    if (filters(before->second) != filters(event.attributes)) pmu.steps.insert(Step::reopen);
    before->second = event.attributes;
  }
  for (const Step step : pmu.steps) meet(pmu, kLifeCycle, kSteps.at(static_cast<std::size_t>(step)));
}

void Collector::met_event(const Open& event, const std::string& name) {
  const Watched& pmu = *event.pmu;
  meet(pmu, kEvent, name);
  for (const unsigned counter : event.counters) {
    if (const auto position = pmu.facts.position(name, counter)) meet(pmu, kEventByCounter, cross(name, *position));
  }
  const auto use = [&](Use how) { meet(pmu, kEventByUse, cross(name, kUses.at(static_cast<std::size_t>(how)))); };
  if (event.in_group) use(Use::in_group);
  if (event.shared) use(Use::multiplexed);
  if (!event.in_group && !event.shared) use(Use::alone);
}

void Collector::met_filters(const Open& event, const std::string& name, const perf::ResolvedEvent& named) {
  const Watched& pmu = *event.pmu;
  if (pmu.entry == nullptr) return;
  for (const perf::PmuCatalog::Format& format : pmu.entry->formats) {
    if (!format.bits || selects_event(format.name) || is_other_name(*pmu.entry, format)) continue;
    const auto term =
        std::ranges::find_if(named.terms, [&](const scoreboard::EventTerm& one) { return one.name == format.name; });
    const std::uint64_t value = term == named.terms.end() ? 0 : term->value.value_or(1);
    meet(pmu, filter_point(format.name), value_class(value, format.bits->maximum()));
    if (value != 0 && !name.empty()) meet(pmu, kEventByFilter, cross(name, format.name));
  }
}

void Collector::met_wraps(const Open& event, const std::string& name) {
  const Watched& pmu = *event.pmu;
  if (pmu.facts.widths.empty()) return;
  const std::string& width = pmu.facts.width_of(name);
  const auto met = [&](Wraps how) { meet(pmu, kWrap, cross(width, kWraps.at(static_cast<std::size_t>(how)))); };
  met(event.wraps == 0 ? Wraps::none : event.wraps == 1 ? Wraps::one : Wraps::many);
  if (event.several) met(Wraps::several);
  if (event.in_read) met(Wraps::in_read);
  if (event.in_handler) met(Wraps::in_handler);
  // Where there is no interrupt, counting on is all there is to do.
  const bool is_done = pmu.facts.wiring == kNoInterrupt ? event.wraps > 0 : event.handled;
  if (is_done) meet(pmu, kInterrupt, pmu.facts.wiring);
}

}  // namespace pmufab::coverage
