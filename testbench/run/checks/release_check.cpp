// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/checks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/checks/check_helpers.h"

namespace pmufab::scenario {
namespace {

using driver_host::DriverHost;

constexpr const char* kName = "released";
constexpr std::size_t kMostKinds = 12;   // of a PMU's events that are opened
constexpr std::size_t kMostEvents = 70;  // of a PMU at once: no PMU has more counters
constexpr std::uint32_t kRawEvents = 4;  // PERF_TYPE_RAW: of the CPU's own PMU
constexpr std::uint64_t kSamplePeriod = 1000;

std::string text_of(const std::string& pmu, const perf::PerfAttributes& event) {
  std::string text = fmt::format("{}/config=0x{:x}", pmu, event.config);
  if (event.config1 != 0) text += fmt::format(",config1=0x{:x}", event.config1);
  if (event.config2 != 0) text += fmt::format(",config2=0x{:x}", event.config2);
  return text + "/";
}

/// @return some of the PMU's events of the run, evenly spread
std::vector<perf::PerfAttributes> events_of(const DriverHost& host, std::uint32_t type) {
  std::vector<perf::PerfAttributes> all;
  for (const perf::PerfAttributes& event : host.opened()) {
    if (event.type == type) all.push_back(event);
  }
  if (all.size() <= kMostKinds) return all;
  std::vector<perf::PerfAttributes> some;
  for (std::size_t i = 0; i < kMostKinds; ++i) some.push_back(all[i * all.size() / kMostKinds]);
  return some;
}

/// Counts the events that a driver adds until it refuses one.
class AddCounter final : public perf::PerfCallObserver {
 public:
  explicit AddCounter(DriverHost& host) : host_(host) { host_.observe(this); }
  ~AddCounter() override { host_.observe(nullptr); }
  AddCounter& operator=(AddCounter&&) = delete;
  void on_call(Call call, bool begin, const std::string& /*pmu*/, perf::EventHandle /*event*/, std::uint64_t /*value*/,
               Picoseconds /*when*/) override {
    if (call == Call::add && !begin && !refused_) ++added_;
  }
  std::string on_add_failed(const std::string& /*pmu*/, perf::EventHandle /*event*/, int /*error*/) override {
    refused_ = true;
    return {};
  }
  [[nodiscard]] unsigned added() const noexcept { return added_; }

 private:
  DriverHost& host_;
  unsigned added_ = 0;
  bool refused_ = false;
};

/// @return how many events of these kinds, in turn, are added one after the other to an idle PMU. They are one group,
///         as large as the driver allows: so none is taken off before all are on.
unsigned room_for(DriverHost& host, const std::vector<perf::PerfAttributes>& kinds, int cpu) {
  perf::PerfAttributes first = kinds.front();
  first.disabled = true;  // until the group is complete
  first.pinned = true;
  first.exclusive = false;
  std::vector<perf::EventHandle> open = {host.open(first, cpu)};
  if (open.front() <= 0) return 0;
  std::vector<bool> is_full(kinds.size());
  for (std::size_t i = 1; open.size() < kMostEvents; ++i) {
    if (std::ranges::find(is_full, false) == is_full.end()) break;
    if (is_full[i % kinds.size()]) continue;
    perf::PerfAttributes member = kinds[i % kinds.size()];
    member.disabled = member.pinned = member.exclusive = false;
    const perf::EventHandle handle = host.open(member, cpu, open.front());
    is_full[i % kinds.size()] = handle <= 0;
    if (handle > 0) open.push_back(handle);
  }
  unsigned added = 0;
  {
    const AddCounter counter(host);
    host.enable(open.front());
    added = counter.added();
  }
  for (auto handle = open.rbegin(); handle != open.rend(); ++handle) host.close(*handle);
  return added;
}

/// perf puts an event on the CPU that a user names. A driver refuses it, or puts it on the CPU that serves the PMU.
void open_elsewhere(DriverHost& host, perf::PerfAttributes event, int cpu) {
  event.disabled = true;
  for (const int other : {cpu - 1, cpu + 1}) {
    if (const perf::EventHandle handle = host.open(event, other); handle > 0) host.close(handle);
  }
}

/// Linux's drivers take the leader of a group for an event of their own, whatever its PMU. The one reads memory that is
/// none, the other refuses the group: pcie-software-leader.yaml and dwc/dwc-software-events.yaml in
/// scenarios/known-defects/.
constexpr std::array kNotBesideSoftwareEvents = {std::string_view("nvidia_pcie_pmu_"),
                                                 std::string_view("dwc_rootport_")};

bool goes_beside_software_events(std::string_view pmu) {
  return std::ranges::none_of(kNotBesideSoftwareEvents, [&](std::string_view name) { return pmu.starts_with(name); });
}

/// The drivers say what is wrong if one takes such an event: see DriverHost::warning_texts().
void open_foreign(DriverHost& host, perf::PerfAttributes event, int cpu) {
  perf::PerfAttributes sampling = event;
  sampling.sample_period = kSamplePeriod;
  perf::PerfAttributes of_user = event;
  of_user.exclude_kernel = true;
  perf::PerfAttributes of_kernel = event;
  of_kernel.exclude_user = true;
  constexpr int kAnyCpu = -1;
  for (const int of_task : {cpu, kAnyCpu}) {
    if (const perf::EventHandle handle = host.open_for_task(event, of_task); handle > 0) host.close(handle);
  }
  event.type = kRawEvents;
  for (const perf::PerfAttributes& wrong : {event, sampling, of_user, of_kernel}) {
    if (const perf::EventHandle handle = host.open(wrong, cpu); handle > 0) host.close(handle);
  }
}

}  // namespace

ReleaseCheck::Rooms ReleaseCheck::rooms(bool foreign) {
  DriverHost& host = machine_.host();
  Rooms rooms;
  const perf::PmuCatalog catalog(host.pmus());
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    const std::vector<perf::PerfAttributes> events = events_of(host, pmu.type);
    if (events.empty() || broken_.pmus.contains(pmu.name)) continue;
    const int cpu = pmu.cpus.empty() ? 0 : static_cast<int>(pmu.cpus.front());
    if (foreign) {
      open_elsewhere(host, events.front(), cpu);
      open_foreign(host, events.front(), cpu);
      if (goes_beside_software_events(pmu.name)) host.try_software_group(events.front(), cpu);
    }
    rooms[pmu.name + ", its events of the run in turn"] = room_for(host, events, cpu);
    for (const perf::PerfAttributes& event : events) rooms[text_of(pmu.name, event)] = room_for(host, {event}, cpu);
  }
  return rooms;
}

void ReleaseCheck::look_at_used(const BrokenParts& broken) {
  broken_ = broken;
  const Unjudged unjudged(machine_);
  const Picoseconds start = simulated_time();
  try {
    used_ = rooms(true);
  } catch (const std::exception& error) {
    if (!machine_.host().panicked()) throw;
    panic_ = error.what();
  }
  taken_ = simulated_time() - start;
}

CheckResult ReleaseCheck::compare_with_fresh(const Steps& steps) {
  if (!panic_.empty()) return {kName, false, "the kernel panicked: " + panic_};
  if (used_.empty()) return {kName, true, broken_.added_to("no event was opened")};
  try {
    return compare(steps);
  } catch (const std::exception& error) {
    if (!machine_.host().panicked()) throw;
    return {kName, false, fmt::format("the kernel panicked: {}", error.what())};
  }
}

CheckResult ReleaseCheck::compare(const Steps& steps) {
  const Unjudged unjudged(machine_);
  DriverHost& host = machine_.host();
  machine_.platform().reset();
  if (steps.before_loading) steps.before_loading();
  if (host.load() < 0) return {kName, false, "the drivers cannot be loaded again"};
  steps.when_loaded();
  const Rooms fresh = rooms(false);
  if (steps.at_end) steps.at_end();
  host.unload();
  std::vector<std::string> wrong;
  for (const auto& [event, room] : used_) {
    const auto found = fresh.find(event);
    const unsigned expected = found == fresh.end() ? 0 : found->second;
    if (room == expected) continue;
    wrong.push_back(
        fmt::format("{}: room for {} after the run, and for {} with freshly loaded drivers", event, room, expected));
  }
  if (wrong.empty()) return {kName, true, broken_.added_to("all that the events had taken can be had again")};
  return {kName, false, fmt::format("not all that events had taken can be had again: {}", fmt::join(wrong, " | "))};
}

}  // namespace pmufab::scenario
