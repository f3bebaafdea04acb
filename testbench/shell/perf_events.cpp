// SPDX-License-Identifier: Apache-2.0
#include "testbench/shell/perf_events.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace pmufab::shell {
namespace {

using perf::EventReading;
using scoreboard::EventResult;

std::uint64_t to_nanoseconds(Picoseconds span) { return span / 1000; }

perf::PerfAttributes to_host(const perf_event_attr& attributes) {
  perf::PerfAttributes result;
  result.type = attributes.type;
  result.config = attributes.config;
  result.config1 = attributes.config1;
  result.config2 = attributes.config2;
  result.sample_period = attributes.sample_period;
  result.disabled = attributes.disabled != 0;
  result.pinned = attributes.pinned != 0;
  result.exclusive = attributes.exclusive != 0;
  result.exclude_user = attributes.exclude_user != 0;
  result.exclude_kernel = attributes.exclude_kernel != 0;
  // PMUs outside of CPUs have none of these modes; the driver host needs to know of one to refuse them all.
  result.exclude_guest = attributes.exclude_guest != 0 || attributes.exclude_host != 0 || attributes.exclude_hv != 0 ||
                         attributes.exclude_idle != 0;
  return result;
}

/// The size of a reading in words of 8 bytes: what follows each value, and what comes once for all.
struct ReadFormat {
  bool group;
  bool time_enabled;
  bool time_running;
  bool id;
  bool lost;
  explicit ReadFormat(std::uint64_t bits)
      : group((bits & PERF_FORMAT_GROUP) != 0),
        time_enabled((bits & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0),
        time_running((bits & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0),
        id((bits & PERF_FORMAT_ID) != 0),
        lost((bits & PERF_FORMAT_LOST) != 0) {}
  [[nodiscard]] std::size_t words(std::size_t values) const {
    const auto each = std::size_t{1} + (id ? 1 : 0) + (lost ? 1 : 0);
    return values * each + (group ? 1 : 0) + (time_enabled ? 1 : 0) + (time_running ? 1 : 0);
  }
};

}  // namespace

PerfEvents::PerfEvents(scenario::Machine& machine, const perf::PmuCatalog& catalog, pci_access::PciAccess& pci,
                       MuxIntervals intervals, VerdictFunction on_verdict)
    : machine_(machine),
      catalog_(catalog),
      pci_(pci),
      names_(catalog_, machine_.scoreboard()),
      on_verdict_(std::move(on_verdict)),
      intervals_(std::move(intervals)) {}

PerfEvents::Event* PerfEvents::find(Handle handle) {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : &found->second;
}

PerfEvents::Handle PerfEvents::open(const perf_event_attr& attributes, pid_t pid, int cpu, Handle leader,
                                    std::uint64_t flags) {
  if (leader != 0 && find(leader) == nullptr) return -EBADF;
  perf::PerfAttributes wanted = to_host(attributes);
  wanted.disabled = true;  // until the scoreboard knows what to expect
  const bool for_task = pid != -1 || (flags & PERF_FLAG_PID_CGROUP) != 0;
  Handle handle = 0;
  if (for_task) {
    handle = machine_.host().open_for_task(wanted, cpu);
    if (handle == -ENOENT && names_.name(wanted)) return -EINVAL;  // a PMU that other software serves
  } else {
    handle = machine_.pmus().open(wanted, cpu, leader);
  }
  if (handle <= 0) return handle;
  if (for_task) {
    // No driver of a PMU outside of CPUs takes one; nothing here could follow a task.
    machine_.host().close(handle);
    return -EINVAL;
  }
  std::optional<perf::ResolvedEvent> named = names_.name(wanted);
  if (!named) {  // of a PMU that came after the shell began: sysfs does not show it either
    machine_.pmus().close(handle);
    return -ENOENT;
  }
  Event& event = events_[handle];
  event.event = *std::move(named);
  event.leader = leader == 0 ? handle : leader;
  event.cpu = cpu;
  event.exclusive = wanted.exclusive;
  event.read_format = attributes.read_format;
  event.opened = simulated_time();
  if (Event* const first = find(event.leader)) first->members.push_back(handle);
  expect(handle, event);
  if (const int error = attributes.disabled != 0 ? 0 : machine_.pmus().enable(handle); error < 0) {
    close(handle);
    return error;
  }
  plan_rotations();
  return handle;
}

void PerfEvents::expect(Handle handle, Event& event) {
  const Event* const leader = event.leader == handle ? nullptr : find(event.leader);
  event.not_judged = scenario::expect_event(machine_.scoreboard(), machine_.fabrics(), handle, event.event,
                                            leader == nullptr ? nullptr : &leader->event.terms);
}

std::set<std::string> PerfEvents::crowded() {
  std::set<std::string> pmus = machine_.calls().take_crowded();
  // Other events are not scheduled beside an exclusive event.
  for (const auto& [handle, event] : events_) {
    if (event.exclusive) pmus.insert(event.event.pmu);
  }
  return pmus;
}

void PerfEvents::plan_rotations(const std::map<std::string, Picoseconds>& last) {
  for (const std::string& pmu : crowded()) {
    if (rotations_.contains(pmu)) continue;
    const Picoseconds interval = intervals_.of(pmu);
    const auto found = last.find(pmu);
    const Picoseconds begin = found == last.end() ? simulated_time() : found->second;
    // As the kernel's timer: the time that a rotation takes does not add to the turns.
    rotations_.emplace(pmu, begin + ((simulated_time() - begin) / interval + 1) * interval);
  }
}

std::optional<Picoseconds> PerfEvents::next_rotation() const {
  std::optional<Picoseconds> next;
  for (const auto& [pmu, when] : rotations_) next = std::min(next.value_or(when), when);
  return next;
}

void PerfEvents::rotate() {
  std::map<std::string, Picoseconds> due;
  for (const auto& [pmu, when] : rotations_) {
    if (when <= simulated_time()) due.emplace(pmu, when);
  }
  for (const auto& [pmu, when] : due) {
    rotations_.erase(pmu);
    machine_.host().rotate(pmu);
  }
  plan_rotations(due);
}

int PerfEvents::read_now(Handle handle, bool group, std::vector<EventReading>& readings) {
  // Reading any member gives the whole group.
  if (group) return machine_.pmus().read_group(find(handle)->leader, readings);
  readings.resize(1);
  return machine_.pmus().read(handle, readings.front());
}

std::vector<std::uint64_t> PerfEvents::read(Handle handle, std::uint64_t room, int& error) {
  std::vector<std::uint64_t> words;
  const Event* const event = find(handle);
  error = event == nullptr ? -EBADF : 0;
  if (error < 0 || machine_.pmus().in_error(handle)) return words;
  const ReadFormat format(event->read_format);
  const std::vector<Handle> members = format.group ? find(event->leader)->members : std::vector<Handle>{handle};
  if (format.words(members.size()) * sizeof(std::uint64_t) > room) {
    error = -ENOSPC;
    return words;
  }
  std::vector<EventReading> readings;
  const Picoseconds begun = simulated_time();
  error = read_now(handle, format.group, readings);
  if (error >= 0 && readings.size() != members.size()) error = -EIO;
  if (error < 0) return words;
  error = 0;
  if (format.group) words.push_back(readings.size());
  const auto add_times = [&] {
    if (format.time_enabled) words.push_back(to_nanoseconds(readings.front().time_enabled));
    if (format.time_running) words.push_back(to_nanoseconds(readings.front().time_running));
  };
  if (format.group) add_times();
  for (std::size_t i = 0; i < readings.size(); ++i) {
    Event& counted = *find(members[i]);
    counted.seen = Event::Seen{readings[i], counted.base, begun, simulated_time()};
    machine_.scoreboard().keep_last_read(members[i]);
    counted.expected_at_enable.reset();
    ++counted.reads;
    words.push_back(readings[i].value - counted.base);
    if (!format.group) add_times();
    if (format.id) words.push_back(static_cast<std::uint64_t>(members[i]));
    if (format.lost) words.push_back(0);
  }
  return words;
}

int PerfEvents::control(Handle handle, std::uint64_t request, std::uint64_t argument, std::uint64_t& value) {
  Event* const event = find(handle);
  if (event == nullptr) return -EBADF;
  if (request == PERF_EVENT_IOC_ID) {
    value = static_cast<std::uint64_t>(handle);
    return 0;
  }
  if (request != PERF_EVENT_IOC_ENABLE && request != PERF_EVENT_IOC_DISABLE && request != PERF_EVENT_IOC_RESET)
    return request == PERF_EVENT_IOC_REFRESH || request == PERF_EVENT_IOC_PERIOD ? -EINVAL : -ENOTTY;
  const bool group = (argument & PERF_IOC_FLAG_GROUP) != 0;
  const std::vector<Handle> all = group ? find(event->leader)->members : std::vector<Handle>{handle};
  for (const Handle each : all) {
    int result = 0;
    if (request == PERF_EVENT_IOC_ENABLE) {
      Event& counted = *find(each);
      if (counted.seen && !counted.expected_at_enable)
        counted.expected_at_enable = machine_.scoreboard().expected(each, simulated_time());
      result = machine_.pmus().enable(each);
    } else if (request == PERF_EVENT_IOC_DISABLE) {
      result = machine_.pmus().disable(each);
    } else {
      EventReading reading{};
      result = machine_.pmus().read(each, reading);
      find(each)->base = reading.value;
    }
    if (result < 0) return result;
  }
  plan_rotations();
  return 0;
}

perf::Verdict PerfEvents::judge(Handle handle, Event& event) {
  // The program saw the count since PERF_EVENT_IOC_RESET. The scoreboard knows the whole count.
  const Event::Seen seen = event.seen.value_or(Event::Seen{});
  const perf::Turns turns{seen.reading.time_enabled, seen.reading.time_running};
  scoreboard::Scoreboard& judge = machine_.scoreboard();
  const std::optional<EventResult> before = judge.result(handle);
  const std::optional<scoreboard::ReadCheck> check = judge.last_read(handle, seen.until);
  const Picoseconds closed = simulated_time();
  // An event that is closed while it counts is read once more, so that its last count can be compared exactly.
  EventReading last{};
  machine_.pmus().disable(handle);
  const bool readable = machine_.pmus().read(handle, last) >= 0;
  const std::optional<EventResult> judged = judge.result(handle);
  perf::Expected expected = perf::not_judged(event.not_judged);
  if (judged && before && event.not_judged.empty()) {
    expected = perf::expected_of(*judged);
    std::uint64_t count = event.expected_at_enable.value_or(before->expected);
    // The program may have read it last while it was counting: compare with what it may have read then.
    if (check && check->begin >= seen.from)
      count = std::clamp(seen.reading.value, check->low, std::max(check->low, check->high));
    expected.low = expected.high = count - seen.base;
    // An event that was never enabled gets no verdict.
    const bool is_idle = judged->match == EventResult::Match::not_counted && turns.enabled == 0;
    expected.is_right = (expected.is_right || is_idle) && readable && last.value == judged->expected;
  }
  perf::Verdict verdict = perf::verdict_on(
      event.event.text,
      {.value = seen.reading.value - seen.base, .turns = turns, .rotation = intervals_.of(event.event.pmu)}, expected);
  // What the program has read last, and nothing else, is what was reported.
  if (judged && event.not_judged.empty() && seen.base == 0 && readable && last.value == seen.reading.value)
    verdict.account = judged->account;
  verdict.opening = {event.event.pmu, event.cpu, event.opened, closed, turns, event.reads};
  return verdict;
}

void PerfEvents::close(Handle handle) {
  Event* const event = find(handle);
  if (event == nullptr) return;
  // Events that were never read get no verdict: perf opens some only to see whether it can.
  if (event->reads > 0) on_verdict_(judge(handle, *event));
  machine_.pmus().close(handle);
  machine_.scoreboard().forget(handle);
  if (event->leader != handle) {
    std::erase(find(event->leader)->members, handle);
  } else {
    // The remaining members of a group go on as single events.
    for (const Handle each : event->members) {
      if (each == handle) continue;
      Event& member = *find(each);
      member.leader = each;
      member.members = {each};
    }
  }
  events_.erase(handle);
  if (events_.empty()) rotations_.clear();
}

void PerfEvents::close_all() {
  while (!events_.empty()) close(events_.rbegin()->first);
}

}  // namespace pmufab::shell
