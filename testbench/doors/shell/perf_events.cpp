// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/perf_events.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/software_events.h"

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

bool is_software(const perf::ResolvedEvent& event) { return event.pmu == perf::kSoftwarePmu; }

/// @return the software event of these attributes, whose count nobody judges; nothing if there is no such one here
std::optional<perf::ResolvedEvent> name_software(const perf::PerfAttributes& attributes) {
  if (attributes.type != perf::kSoftwareType || attributes.sample_period != 0) return std::nullopt;
  const std::optional<std::string_view> name = perf::software_name(attributes.config);
  if (!name) return std::nullopt;
  perf::ResolvedEvent event;
  event.text = *name;
  event.pmu = perf::kSoftwarePmu;
  event.attributes = attributes;
  return event;
}

/// @return a process or thread that the caller may mean: the kernel looks it up before anything else
bool is_there(pid_t pid) { return pid == 0 || (pid > 0 && access(fmt::format("/proc/{}", pid).c_str(), F_OK) == 0); }

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
  const bool for_group = (flags & PERF_FLAG_PID_CGROUP) != 0;
  if (for_group && (pid == -1 || cpu == -1)) return -EINVAL;
  if (leader != 0 && find(leader) == nullptr) return -EBADF;
  const bool for_task = for_group || pid != -1;
  // Samples that go to another event's buffer, and no event has one here; an event of a CPU in the group of a task.
  const bool is_refused = leader != 0 && ((flags & PERF_FLAG_FD_OUTPUT) != 0 || (!for_task && leader >= kFirstOfTasks));
  if (is_refused || (flags & PERF_FLAG_FD_NO_GROUP) != 0) leader = 0;
  if (!for_group && pid != -1 && !is_there(pid)) return -ESRCH;
  perf::PerfAttributes wanted = to_host(attributes);
  wanted.disabled = true;  // until the scoreboard knows what to expect
  std::optional<perf::ResolvedEvent> named = name_software(wanted);
  const Handle handle =
      for_task ? open_for_task(wanted, cpu, leader, named.has_value()) : machine_.pmus().open(wanted, cpu, leader);
  if (handle <= 0) return handle;
  if (!named) named = names_.name(wanted);
  if (!named || is_refused) {
    if (!for_task) machine_.pmus().close(handle);
    // Without a name, it is of a PMU that came after the shell began: sysfs does not show it either.
    return is_refused ? -EINVAL : -ENOENT;
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
  if (const int error = attributes.disabled != 0 ? 0 : enable(handle); error < 0) {
    close(handle);
    return error;
  }
  plan_rotations();
  return handle;
}

/// No driver of a PMU outside of CPUs takes an event of a task. Of software events, the clocks of a task stand still:
/// computing takes no simulated time.
PerfEvents::Handle PerfEvents::open_for_task(const perf::PerfAttributes& wanted, int cpu, Handle leader,
                                             bool is_software) {
  if (is_software) {
    if (cpu < -1 || cpu >= static_cast<int>(machine_.platform().firmware().cpus.size())) return -EINVAL;
    return leader != 0 && leader < kFirstOfTasks ? -EINVAL : next_of_tasks_++;
  }
  const Handle handle = machine_.host().open_for_task(wanted, cpu);
  if (handle > 0) machine_.host().close(handle);
  // A PMU that other software serves refuses it, too.
  return handle > 0 || (handle == -ENOENT && names_.name(wanted)) ? -EINVAL : handle;
}

void PerfEvents::expect(Handle handle, Event& event) {
  if (is_software(event.event)) return;
  const Event* const leader = event.leader == handle ? nullptr : find(event.leader);
  event.not_judged = scenario::expect_event(machine_.scoreboard(), machine_.fabrics(), handle, event.event,
                                            leader == nullptr ? nullptr : &leader->event.terms);
}

std::set<std::string> PerfEvents::crowded() {
  std::set<std::string> pmus = machine_.calls().take_crowded();
  // Other events are not scheduled beside an exclusive event.
  for (const auto& [handle, event] : events_) {
    if (event.exclusive && !is_software(event.event)) pmus.insert(event.event.pmu);
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
  const Handle leader = find(handle)->leader;
  if (handle >= kFirstOfTasks) {
    readings.assign(group ? find(leader)->members.size() : 1, EventReading{});
    return 0;
  }
  // Reading any member gives the whole group.
  if (group) return machine_.pmus().read_group(leader, readings);
  readings.resize(1);
  return machine_.pmus().read(handle, readings.front());
}

int PerfEvents::enable(Handle handle) { return handle >= kFirstOfTasks ? 0 : machine_.pmus().enable(handle); }

std::vector<std::uint64_t> PerfEvents::read(Handle handle, std::uint64_t room, int& error) {
  std::vector<std::uint64_t> words;
  const Event* const event = find(handle);
  error = event == nullptr ? -EBADF : 0;
  if (error < 0 || (handle < kFirstOfTasks && machine_.pmus().in_error(handle))) return words;
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

int PerfEvents::control_one(Handle handle, std::uint64_t request) {
  Event& event = *find(handle);
  if (request == PERF_EVENT_IOC_ENABLE) {
    if (event.seen && !event.expected_at_enable && !is_software(event.event))
      event.expected_at_enable = machine_.scoreboard().expected(handle, simulated_time());
    return enable(handle);
  }
  if (request == PERF_EVENT_IOC_DISABLE) return handle >= kFirstOfTasks ? 0 : machine_.pmus().disable(handle);
  std::vector<EventReading> reading;
  const int result = read_now(handle, false, reading);
  if (result >= 0) event.base = reading.front().value;
  return result;
}

/// What the kernel answers to requests that do not count: these events take no samples and have no buffer, filter or
/// program.
int PerfEvents::refuse(std::uint64_t request, std::uint64_t argument) {
  switch (request) {
    case PERF_EVENT_IOC_SET_OUTPUT: {
      // Events have no buffer, so there is none to leave, which the kernel does gladly, and none to share.
      constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
      if (argument == kNowhere) return 0;
      const bool is_event = argument < std::uint64_t{kLastOfTasks} && find(static_cast<Handle>(argument)) != nullptr;
      return is_event ? -EINVAL : -EBADF;
    }
    case PERF_EVENT_IOC_REFRESH:
    case PERF_EVENT_IOC_PERIOD:
    case PERF_EVENT_IOC_SET_FILTER:
    case PERF_EVENT_IOC_PAUSE_OUTPUT:
    case PERF_EVENT_IOC_QUERY_BPF:
      return -EINVAL;
    case PERF_EVENT_IOC_SET_BPF:
      return -EBADF;  // there are no programs
    case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
      return -EOPNOTSUPP;  // but of breakpoints
    default:
      return -ENOTTY;
  }
}

int PerfEvents::control(Handle handle, std::uint64_t request, std::uint64_t argument, std::uint64_t& value) {
  Event* const event = find(handle);
  if (event == nullptr) return -EBADF;
  if (request == PERF_EVENT_IOC_ID) {
    value = static_cast<std::uint64_t>(handle);
    return 0;
  }
  if (request != PERF_EVENT_IOC_ENABLE && request != PERF_EVENT_IOC_DISABLE && request != PERF_EVENT_IOC_RESET)
    return refuse(request, argument);
  const bool group = (argument & PERF_IOC_FLAG_GROUP) != 0;
  const std::vector<Handle> all = group ? find(event->leader)->members : std::vector<Handle>{handle};
  for (const Handle each : all) {
    if (const int result = control_one(each, request); result < 0) return result;
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
  // Nor do software events, which no PMU counts.
  if (event->reads > 0 && !is_software(event->event)) on_verdict_(judge(handle, *event));
  if (handle < kFirstOfTasks) machine_.pmus().close(handle);
  if (!is_software(event->event)) machine_.scoreboard().forget(handle);
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

namespace {

constexpr int kKernels = 4;  // PERF_CPU_HRTIMER, 1000 / 250

/// The number in what a program wrote, which a line feed may end; nothing if the kernel refuses it. As in the kernel,
/// 0x begins a hexadecimal number, another 0 an octal one, and a plus sign may come before.
std::optional<int> accepted(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
    if (text.starts_with('-')) return std::nullopt;
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

}  // namespace

Picoseconds MuxIntervals::of(const std::string& pmu) {
  const std::filesystem::path file = devices_ / pmu / "perf_event_mux_interval_ms";
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  int& milliseconds = accepted_.try_emplace(pmu, kKernels).first->second;
  if (const std::optional<int> number = accepted(text)) milliseconds = *number;
  const std::string shown = std::to_string(milliseconds) + "\n";
  if (!text.empty() && text != shown) std::ofstream(file, std::ios::binary) << shown;  // empty: it is being written
  constexpr double kMillisecond = 1e9;
  constexpr double kMost = 1e18;
  return static_cast<Picoseconds>(std::clamp(milliseconds * kMillisecond * time_scale_, 1.0, kMost));
}

}  // namespace pmufab::shell
