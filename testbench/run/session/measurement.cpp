// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/measurement.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/perf/software_events.h"
#include "testbench/perf/verdict.h"

namespace pmufab::scenario {
namespace {

using perf::EventHandle;
using perf::EventReading;
using scoreboard::EventResult;

perf::Turns turns_of(const EventReading& reading) { return {reading.time_enabled, reading.time_running}; }

}  // namespace

std::string describe_errno(int result) {
  const char* name = strerrorname_np(-result);
  return name == nullptr ? fmt::format("error {}", -result) : fmt::format("{} ({})", name, strerrordesc_np(-result));
}

Measurement::Measurement(const MeasureSpec& spec, perf::PmuService& pmus, scoreboard::Scoreboard& judge,
                         const perf::PmuCatalog& catalog, Picoseconds zero, Picoseconds rotation,
                         std::function<void(const IntervalResult&)> take)
    : spec_(spec), pmus_(pmus), judge_(judge), zero_(zero), rotation_(rotation), take_(std::move(take)) {
  result_.name = spec.name;
  result_.is_compared = spec.compare == MeasureSpec::Compare::exact;
  if (spec.window > 0) {
    result_.window = spec.window;
  } else if (spec.stop && !spec.follows) {
    result_.window = *spec.stop - spec.start;
  }
  for (const std::string& text : spec.events) {
    for (perf::ResolvedGroup& resolved : catalog.resolve(text)) {
      Group& group = groups_.emplace_back();
      group.braces = resolved.braces;
      for (perf::ResolvedEvent& event : resolved.events) group.counters.push_back(Counter{.event = std::move(event)});
    }
  }
}

std::string Measurement::likely_reason(const Group& group, const Counter& counter) {
  const perf::PerfAttributes& attributes = counter.event.attributes;
  if (attributes.exclude_user || attributes.exclude_kernel || attributes.exclude_guest)
    return "; a PMU outside of the CPUs counts in all modes, so leave out ':u', ':k' and the like";
  if (attributes.sample_period != 0) return "; it counts, and takes no samples";
  if (group.counters.front().event.pmu != counter.event.pmu && group.counters.front().event.pmu != perf::kSoftwarePmu)
    return "; a group has events of one PMU";
  if (&group.counters.front() != &counter) {
    return fmt::format(
        "; a group's {} events count at the same time: has the PMU as many counters, and do their filters "
        "agree?",
        group.counters.size());
  }
  return {};
}

void Measurement::open(Group& group, unsigned number) {
  EventHandle leader = 0;
  for (Counter& counter : group.counters) {
    perf::PerfAttributes attributes = counter.event.attributes;
    attributes.disabled = leader == 0;  // as perf stat: members follow their leader
    const unsigned cpu = spec_.cpu.value_or(counter.event.cpu);
    if (tell_opening_) tell_opening_(counter.event.text);
    const EventHandle handle = pmus_.open(attributes, static_cast<int>(cpu), leader);
    if (handle <= 0) {
      const bool as_told = !spec_.open_error.empty() && spec_.open_error == strerrorname_np(-handle);
      if (as_told) ++refused_as_told_;
      for (Counter& other : group.counters) {
        CounterResult refused;
        refused.event = other.event.text;
        refused.pmu = other.event.pmu;
        refused.group = number;
        if (&other == &counter) {
          refused.check = as_told ? CounterResult::Check::refused : CounterResult::Check::not_opened;
          refused.note = fmt::format("opening it failed: {}{}", describe_errno(handle), likely_reason(group, counter));
        } else {
          refused.note = "its group was not opened";
        }
        result_.counters.push_back(std::move(refused));
        if (other.handle > 0) pmus_.close(other.handle);
        other.handle = 0;
      }
      return;
    }
    counter.handle = handle;
    if (leader == 0) leader = handle;
    expect(group, counter);
  }
}

/// Tell the judge what an open event means. Without a judge it is asked which figures follow from the count.
void Measurement::expect(const Group& group, Counter& counter) {
  if (!is_judged()) counter.not_judged = "judge: off";
  if (!judge_.judges(counter.event.pmu)) return;
  const Counter& leading = group.counters.front();
  try {
    judge_.expect(counter.handle, counter.event.pmu, counter.event.terms,
                  &counter == &leading ? nullptr : &leading.event.terms);
  } catch (const std::invalid_argument& error) {
    if (!is_judged()) return;
    // A driver that takes what it must refuse is wrong, whatever the event may be.
    if (spec_.compare != MeasureSpec::Compare::none && spec_.open_error.empty())
      throw InputError(Source{}, fmt::format("event '{}'", counter.event.text),
                       fmt::format("the scoreboard cannot judge this event: {}", error.what()));
    counter.not_judged = error.what();
  }
}

void Measurement::begin(const std::function<bool()>& stops) {
  const auto goes_on = [&] { return !stops || !stops(); };
  unsigned opened = 0;
  for (; opened < groups_.size() && goes_on(); ++opened) open(groups_[opened], opened);
  groups_.resize(opened);
  result_.start = to_picoseconds(sc_core::sc_time_stamp()) - zero_;
  std::size_t enabled = 0;
  for (; enabled < groups_.size() && goes_on(); ++enabled) {
    if (const EventHandle leader = groups_[enabled].counters.front().handle; leader > 0) pmus_.enable(leader);
  }
  for (std::size_t i = enabled; i < groups_.size(); ++i) {
    for (const Counter& counter : groups_[i].counters) {
      if (counter.handle > 0) pmus_.close(counter.handle);
    }
  }
  groups_.resize(enabled);
}

bool Measurement::counts_on(const std::string& pmu) const {
  return is_counting_ && std::ranges::any_of(groups_, [&](const Group& group) {
           return std::ranges::any_of(
               group.counters, [&](const Counter& counter) { return counter.handle > 0 && counter.event.pmu == pmu; });
         });
}

void Measurement::set_counting(bool counting) {
  is_counting_ = counting;
  for (Group& group : groups_) {
    const EventHandle leader = group.counters.front().handle;
    if (leader > 0) counting ? pmus_.enable(leader) : pmus_.disable(leader);
  }
}

void Measurement::read(Group& group) {
  if (group.counters.front().handle <= 0) return;
  std::vector<EventReading> readings;
  int result = 0;
  if (group.braces) {
    result = pmus_.read_group(group.counters.front().handle, readings);
  } else {
    result = pmus_.read(group.counters.front().handle, readings.emplace_back());
  }
  if (result >= 0 && readings.size() != group.counters.size()) result = -EIO;
  // An earlier reading is no count of the time until now.
  for (std::size_t i = 0; i < group.counters.size(); ++i) {
    Counter& counter = group.counters[i];
    counter.read_error = std::min(result, 0);
    counter.reading.reset();
    if (result >= 0) counter.reading = readings[i];
  }
}

void Measurement::read_running(Group& group) {
  if (group.counters.front().handle <= 0) return;
  const Picoseconds begin = simulated_time();
  read(group);
  group.latencies.push_back(simulated_time() - begin);
}

void Measurement::note_interval() {
  IntervalResult interval;
  interval.time = to_picoseconds(sc_core::sc_time_stamp()) - zero_;
  for (Group& group : groups_) {
    for (Counter& counter : group.counters) {
      IntervalCount& count = interval.counts.emplace_back();
      if (counter.handle <= 0 || !counter.reading) continue;
      const EventReading before = std::exchange(counter.last, *counter.reading);
      const EventReading& now = counter.last;
      counter.increases += now.value - before.value;
      if (now.value >= before.value) {
        count = {now.value - before.value, now.time_enabled - before.time_enabled,
                 now.time_running - before.time_running};
      } else if (counter.went_back.empty()) {
        counter.went_back = fmt::format("its reading went back from {} to {} at {}", with_separators(before.value),
                                        with_separators(now.value), format_time(interval.time));
      }
    }
  }
  ++intervals_;
  take_(interval);
}

void Measurement::read_interval() {
  for (Group& group : groups_) read_running(group);
  note_interval();
}

void Measurement::read_again() {
  for (Group& group : groups_) read_running(group);
}

MeasureResult Measurement::begun() const {
  MeasureResult result;
  result.name = result_.name;
  result.start = result_.start;
  result.partial = true;
  result.is_compared = result_.is_compared;
  for (unsigned group = 0; group < groups_.size(); ++group) {
    for (const Counter& counter : groups_[group].counters) {
      CounterResult& of = result.counters.emplace_back();
      of.event = counter.event.text;
      of.pmu = counter.event.pmu;
      of.group = group;
      of.note = "the run ended before its last reading";
    }
  }
  return result;
}

Json Measurement::Group::latency() const {
  LatencyHistogram histogram;
  for (const Picoseconds one : latencies) histogram.add(one);
  return to_json(histogram);
}

CounterResult Measurement::compare(const Counter& counter, unsigned group, const Json& latency) const {
  CounterResult result;
  result.event = counter.event.text;
  result.pmu = counter.event.pmu;
  result.group = group;
  result.reading_latency = latency;
  if (counter.reading) {
    result.driver = counter.reading->value;
    result.time_enabled = counter.reading->time_enabled;
    result.time_running = counter.reading->time_running;
  }
  const std::optional<EventResult> judged = is_judged() ? judge_.result(counter.handle) : std::nullopt;
  perf::Expected expected = judged ? perf::expected_of(*judged, zero_) : perf::not_judged(counter.not_judged);
  if (judged) {
    result.expected = judged->expected;
    result.reads = judged->reads;
    result.reads_failed = judged->reads_failed;
    if (counter.reading) result.account = judged->account;
    for (const scoreboard::ReadCheck& read : judged->failed_reads)
      result.failed_reads.push_back({read.begin - zero_, read.value, read.low, read.high});
  }
  expected.is_compared = result_.is_compared;
  expected.is_nonzero = spec_.nonzero && !result_.partial;
  perf::Judgement judgement =
      perf::judge({.value = result.driver,
                   .turns = {result.time_enabled, result.time_running},
                   .rotation = rotation_,
                   .read_error = counter.read_error < 0 ? describe_errno(counter.read_error) : ""},
                  expected);
  result.check = judgement.check;
  result.note = std::move(judgement.note);
  if (!counter.went_back.empty()) result.note += (result.note.empty() ? "" : "; ") + counter.went_back;
  return result;
}

void Measurement::add_derived(MeasureResult& result) const {
  std::vector<DerivedInput> inputs;
  for (const Group& group : groups_) {
    for (const Counter& counter : group.counters) {
      if (counter.handle <= 0 || !counter.reading) continue;
      DerivedInput input;
      input.pmu = counter.event.pmu;
      for (const scoreboard::EventTerm& term : counter.event.terms) {
        if (!term.value && input.event.empty()) {
          input.event = term.name;
        } else {
          input.filtered = true;
        }
      }
      input.count = counter.reading->value;
      input.elapsed = counter.reading->time_running;
      input.complete = !turns_of(*counter.reading).is_shared();
      if (const auto judged = judge_.result(counter.handle)) {
        input.figure = judged->figure;
        if (is_judged()) input.mean_latency_ps = judged->mean_read_latency_ps;
      }
      inputs.push_back(std::move(input));
    }
  }
  result.derived = derive(inputs);
  if (!result.is_compared) {
    for (DerivedResult& derived : result.derived) derived.ok = true;  // reported, and not judged
  }
}

void Measurement::check_window() {
  if (!result_.window || result_.partial) return;
  std::optional<Picoseconds> shortest;
  Picoseconds longest = 0;
  for (const CounterResult& counter : result_.counters) {
    if (!counter.driver) continue;
    shortest = std::min(shortest.value_or(counter.time_enabled), counter.time_enabled);
    longest = std::max(longest, counter.time_enabled);
  }
  if (!shortest) return;
  const Picoseconds asked = *result_.window;
  const auto apart = [asked](Picoseconds time) { return time > asked ? time - asked : asked - time; };
  const bool is_stretched = longest > asked + asked / 10;
  const bool ok = !spec_.tolerance || std::max(apart(*shortest), apart(longest)) <= *spec_.tolerance;
  if (!is_stretched && !spec_.tolerance) return;
  const std::string got = *shortest == longest ? format_time(longest)
                                               : fmt::format("{} to {}", format_time(*shortest), format_time(longest));
  result_.checks.push_back(
      {"window", ok,
       fmt::format("{} were asked for, and events were on for {}{}", format_time(asked), got,
                   is_stretched ? ": register accesses and interrupt handlers stretched it" : "")});
}

MeasureResult Measurement::end(bool cut_short) {
  for (Group& group : groups_) {
    if (group.counters.front().handle > 0) pmus_.disable(group.counters.front().handle);
  }
  for (Group& group : groups_) read(group);
  result_.stop = to_picoseconds(sc_core::sc_time_stamp()) - zero_;
  result_.partial = cut_short;
  if (spec_.interval > 0) note_interval();

  std::vector<CounterResult> compared;
  for (unsigned i = 0; i < groups_.size(); ++i) {
    const Json latency = groups_[i].latency();  // they are read together
    for (const Counter& counter : groups_[i].counters) {
      if (counter.handle > 0) compared.push_back(compare(counter, i, latency));
    }
  }
  add_derived(result_);
  for (Group& group : groups_) {
    for (Counter& counter : group.counters) {
      if (counter.handle > 0) pmus_.close(counter.handle);
      counter.handle = 0;
    }
  }
  // Refused events were noted first; order is that of the scenario.
  for (CounterResult& counter : compared) result_.counters.push_back(std::move(counter));
  std::ranges::stable_sort(result_.counters,
                           [](const CounterResult& a, const CounterResult& b) { return a.group < b.group; });

  check_window();
  if (!spec_.open_error.empty()) {
    const bool all = refused_as_told_ == groups_.size();
    result_.checks.push_back({"open_error", all,
                              all ? fmt::format("the driver refused it with {}", spec_.open_error)
                              : refused_as_told_ == 0
                                  ? fmt::format("no event was refused with {}", spec_.open_error)
                                  : fmt::format("only {} of {} events and groups were refused with {}",
                                                refused_as_told_, groups_.size(), spec_.open_error)});
  }
  if (spec_.interval > 0 && spec_.compare == MeasureSpec::Compare::exact) {
    bool sums_agree = true;
    for (const Group& group : groups_) {
      for (const Counter& counter : group.counters)
        sums_agree = sums_agree && counter.increases == (counter.reading ? counter.reading->value : 0);
    }
    result_.checks.push_back({"intervals", sums_agree,
                              fmt::format("{}; their sums {} the final counts", counted(intervals_, "interval"),
                                          sums_agree ? "equal" : "differ from")});
  }
  return std::move(result_);
}

}  // namespace pmufab::scenario
