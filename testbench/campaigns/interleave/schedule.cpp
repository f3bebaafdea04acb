// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/interleave/schedule.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/results/results.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::interleave {
namespace {

using scenario::Value;

Trigger before(const std::string& pmu, const Window& window, std::uint64_t access) {
  Trigger trigger;
  trigger.pmu = pmu;
  trigger.call = window.call;
  trigger.nth_call = window.nth_call;
  trigger.access = access;
  return trigger;
}

Trigger at_time(Picoseconds time) {
  Trigger trigger;
  trigger.time = time;
  return trigger;
}

/// Every step that may happen in a window, at every place: before each access, and after the last.
std::vector<Step> steps_of(const Choices& choices, const Choices::OfWindow& of) {
  std::vector<Step> steps;
  for (std::uint64_t access = 1; access <= of.window.accesses + 1; ++access) {
    for (const Choices::Event& event : of.events)
      steps.push_back({Step::Kind::event, event.source, event.count, before(choices.pmu, of.window, access), {}});
  }
  for (const Trigger& until : of.holds)
    steps.push_back({Step::Kind::hold, {}, 0, before(choices.pmu, of.window, 1), until});
  steps.push_back({Step::Kind::read, {}, 0, before(choices.pmu, of.window, of.window.accesses + 1), {}});
  return steps;
}

/// Two steps that are about the same thing are no schedule, or another one's.
bool go_together(const Step& one, const Step& other) {
  if (one.kind != other.kind) return true;
  return one.kind == Step::Kind::event && one.source != other.source;
}

/// Without an event in bulk there is nothing to hold back, and a reading more is only a reading.
bool has_sense(const Choices& choices, const Schedule& schedule) {
  return choices.interrupts_anyway ||
         std::ranges::any_of(schedule.steps, [](const Step& step) { return step.kind == Step::Kind::event; });
}

/// What is made of the steps of one window.
struct Making {
  const Choices& choices;
  std::vector<Step> steps;
  std::size_t most;  // schedules, of all windows
  Schedules& all;
};

void add_schedules(Making& making, unsigned size, std::size_t first, Schedule& begun) {
  if (begun.steps.size() == size) {
    if (!has_sense(making.choices, begun)) return;
    making.all.is_all = making.all.list.size() < making.most;
    if (making.all.is_all) making.all.list.push_back(begun);
    return;
  }
  const std::vector<Step>& steps = making.steps;
  for (std::size_t i = first; i < steps.size() && making.all.is_all; ++i) {
    const bool fits = std::ranges::all_of(begun.steps, [&](const Step& other) { return go_together(steps[i], other); });
    if (!fits) continue;
    begun.steps.push_back(steps[i]);
    add_schedules(making, size, i + 1, begun);
    begun.steps.pop_back();
  }
}

Value text_of(std::string text) { return Value::of(std::move(text), true); }
Value number_of(std::uint64_t number) { return Value::of(fmt::format("{}", number)); }

Value value_of(const Trigger& trigger) {
  if (!trigger.is_access()) return Value::of(fmt::format("{} ps", trigger.time));
  Value value = Value::map();
  value.add("access", number_of(trigger.access));
  value.add("of", Value::of(std::string(scenario::to_string(*trigger.call))));
  value.add("pmu", text_of(trigger.pmu));
  value.add("call", number_of(trigger.nth_call));
  return value;
}

void append(Value& document, const std::string& key, Value item) {
  Value* list = document.find(key);
  if (list == nullptr) list = &document.add(key, Value::sequence());
  if (list->kind == Value::Kind::null) *list = Value::sequence();
  list->items.push_back(std::move(item));
}

}  // namespace

Schedules all_schedules(const Choices& choices, unsigned bound, std::size_t most) {
  Schedules all;
  for (unsigned size = 1; size <= bound; ++size) {
    for (const Choices::OfWindow& of : choices.windows) {
      if (!all.is_all) return all;
      Making making{choices, steps_of(choices, of), most, all};
      Schedule begun;
      add_schedules(making, size, 0, begun);
    }
  }
  return all;
}

std::vector<Schedule> random_schedules(const std::vector<Schedule>& alike, std::size_t number, std::uint64_t seed,
                                       Picoseconds from, Picoseconds to) {
  traffic::RandomStream random(seed);
  std::vector<Schedule> all;
  for (std::size_t i = 0; i < number && !alike.empty(); ++i) {
    Schedule schedule = alike[i % alike.size()];
    for (Step& step : schedule.steps) {
      const Picoseconds time = from + random.below(to - from + 1);
      step.at = at_time(time);
      if (step.kind == Step::Kind::hold) step.until = at_time(time + random.below(to - time + 1));
    }
    all.push_back(std::move(schedule));
  }
  return all;
}

Value with_steps(Value document, const std::string& pmu, const Schedule& schedule) {
  // What the scenario expects besides the judge, it expects of what happens without the steps.
  const bool is_more =
      std::ranges::any_of(schedule.steps, [](const Step& step) { return step.kind == Step::Kind::event; });
  if (is_more) std::erase_if(document.entries, [](const Value::Entry& entry) { return entry.key == "expect"; });
  for (const Step& step : schedule.steps) {
    Value item = Value::map();
    item.add("at", value_of(step.at));
    switch (step.kind) {
      case Step::Kind::event:
        item.add("source", text_of(step.source));
        item.add("count", number_of(step.count));
        append(document, "inject", std::move(item));
        break;
      case Step::Kind::hold:
        item.add("do", Value::of("interrupt_late"));
        item.add("pmu", text_of(pmu));
        item.add("until", value_of(step.until));
        append(document, "faults", std::move(item));
        break;
      case Step::Kind::read:
        item.add("do", Value::of("read_events"));
        append(document, "actions", std::move(item));
        break;
    }
  }
  return document;
}

std::string describe(const Step& step) {
  const std::string when = step.at.is_access() ? scenario::describe(step.at) : "at " + scenario::describe(step.at);
  switch (step.kind) {
    case Step::Kind::event:
      return fmt::format("{}: {} times {}", when, scenario::with_separators(step.count), step.source);
    case Step::Kind::hold:
      return fmt::format("{}: interrupts held back until {}", when, scenario::describe(step.until));
    case Step::Kind::read:
      return fmt::format("{}: another process reads the events", when);
  }
  return {};
}

}  // namespace pmufab::interleave
