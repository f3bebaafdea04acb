// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/cxl/cpmu_service.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <systemc>

#include "models/cxl/cpmu/event_names.h"
#include "testbench/cxl_client/cpmu_search.h"
#include "testbench/scoreboard/cxl/cxl_event_names.h"

namespace pmufab::scenario {
namespace {

using cxl_client::CpmuFunction;
using cxl_client::CpmuRequest;
using perf::EventHandle;
using perf::EventReading;

constexpr std::string_view kPmuPrefix = "cpmu_";
constexpr std::string_view kDevice = "cpmu_mem";
constexpr std::string_view kDriver = "cxl_pmu_mem";

Picoseconds now() { return to_picoseconds(sc_core::sc_time_stamp()); }

/// What sysfs would show: the driver's terms, and the events the CPMU has a name for.
std::vector<std::pair<std::string, std::string>> files_of(const scoreboard::CxlPmuSpec& pmu) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"cpumask", "0"},
      {"format/mask", "config:0-31"},
      {"format/gid", "config:32-47"},
      {"format/vid", "config:48-63"},
      {"format/threshold", "config1:0-15"},
      {"format/invert", "config1:16"},
      {"format/edge", "config1:17"},
  };
  if (pmu.hdm_filter) {
    files.emplace_back("format/hdm_filter_en", "config1:18");
    files.emplace_back("format/hdm", "config2:0-15");
  }
  if (pmu.ddr_filter) {
    files.emplace_back("format/crb_filter_en", "config1:19");
    files.emplace_back("format/crb", "config2:32-63");
  }
  for (const scoreboard::CxlGroupSpec& group : pmu.groups) {
    if (group.vendor != scoreboard::kCxlVendor) continue;
    const std::uint32_t supported = pmu.supported(group.vendor, group.group);
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((supported >> bit & 1U) == 0) continue;
      const std::string name = cxl::event_name(group.vendor, group.group, bit);
      // Only what the judge knows by the same name.
      if (scoreboard::cxl_event_of_name(name) != scoreboard::CxlEventId{group.group, bit}) continue;
      files.emplace_back("events/" + name, fmt::format("vid={:#x},gid={:#x},mask={:#x}", group.vendor, group.group,
                                                       std::uint32_t{1} << bit));
    }
  }
  return files;
}

std::string name_of(const CpmuFunction& function, std::size_t cpmu) {
  switch (function.kind) {
    case CpmuFunction::Kind::root_port:
      return fmt::format("cpmu_rp{}.{}", function.number_of_kind, cpmu);
    case CpmuFunction::Kind::upstream_port:
      return fmt::format("cpmu_usp{}.{}", function.number_of_kind, cpmu);
    case CpmuFunction::Kind::downstream_port:
      return fmt::format("cpmu_dsp{}.{}.{}", function.switch_number, function.number_of_kind, cpmu);
    case CpmuFunction::Kind::endpoint:
      break;
  }
  return fmt::format("cpmu_mem{}.{}", function.number_of_kind, cpmu);
}

}  // namespace

class CpmuService::Telling {
 public:
  Telling(perf::PerfCallObserver& observer, Call call, const std::string& pmu, EventHandle event = 0)
      : observer_(observer), call_(call), pmu_(pmu), event_(event) {
    observer_.on_call(call_, true, pmu_, event_, 0, now());
  }
  ~Telling() { observer_.on_call(call_, false, pmu_, event_, value, now()); }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

  std::uint64_t value = 0;

 private:
  perf::PerfCallObserver& observer_;
  Call call_;
  const std::string& pmu_;
  EventHandle event_;
};

CpmuService::CpmuService(driver_host::DriverHost& host, const platform::FirmwareDescription& firmware,
                         const std::vector<scoreboard::CxlPmuSpec>& pmus, perf::PerfCallObserver& observer)
    : host_(host), firmware_(firmware), observer_(observer) {
  for (const scoreboard::CxlPmuSpec& pmu : pmus) {
    if (!pmu.name.starts_with(kPmuPrefix)) continue;
    Block& block = *blocks_.emplace_back(std::make_unique<Block>());
    block.pmu = {pmu.name, static_cast<std::uint32_t>(blocks_.size() - 1), files_of(pmu)};
  }
}

CpmuService::~CpmuService() = default;

void CpmuService::assign_numbers(std::uint32_t first_type, EventHandle first_handle) {
  for (const auto& block : blocks_) block->pmu.type += first_type;
  next_ = first_handle;
}

std::vector<perf::Pmu> CpmuService::pmus() const {
  std::vector<perf::Pmu> list;
  for (const auto& block : blocks_) list.push_back(block->pmu);
  return list;
}

std::string CpmuService::twin(const std::string& pmu) const {
  if (!pmu.starts_with(kDevice)) return {};
  return std::string(kDriver) + pmu.substr(kDevice.size());
}

void CpmuService::find_blocks() {
  if (std::exchange(searched_, true)) return;
  for (const platform::PciSegment& segment : firmware_.pci_segments) {
    const cxl_client::ConfigurationAccess access{
        .read =
            [&](std::uint64_t at) {
              return static_cast<std::uint32_t>(host_.read_register(segment.ecam_base + at, 4));
            },
        .write = [&](std::uint64_t at,
                     std::uint32_t value) { host_.write_register(segment.ecam_base + at, 4, value); }};
    for (const CpmuFunction& function : cxl_client::find_cpmus(access, segment.first_bus, segment.last_bus)) {
      for (std::size_t cpmu = 0; cpmu < function.blocks.size(); ++cpmu) {
        const std::string name = name_of(function, cpmu);
        for (const auto& block : blocks_) {
          if (block->pmu.name == name) block->address = function.blocks[cpmu];
        }
      }
    }
  }
}

cxl_client::RegisterAccess CpmuService::registers() {
  return {.read64 = [this](std::uint64_t address) { return host_.read_register(address, 8); },
          .write64 = [this](std::uint64_t address, std::uint64_t value) { host_.write_register(address, 8, value); },
          .write32 = [this](std::uint64_t address, std::uint32_t value) { host_.write_register(address, 4, value); }};
}

std::optional<CpmuRequest> CpmuService::request_of(const perf::PerfAttributes& attributes) const {
  constexpr std::uint64_t kThreshold = 0xffff;
  constexpr std::uint64_t kMostThreshold = 0xff;
  CpmuRequest request;
  request.interrupt = false;  // the driver of an endpoint would take the message, and the status with it
  request.events = static_cast<std::uint32_t>(attributes.config);
  request.group = static_cast<std::uint16_t>(attributes.config >> 32);
  request.vendor = static_cast<std::uint16_t>(attributes.config >> 48);
  if ((attributes.config1 & kThreshold) > kMostThreshold || attributes.sample_period != 0) return std::nullopt;
  request.threshold = static_cast<std::uint8_t>(attributes.config1);
  request.invert = (attributes.config1 >> 16 & 1U) != 0;
  request.edge = (attributes.config1 >> 17 & 1U) != 0;
  if ((attributes.config1 >> 18 & 1U) != 0) request.hdm_decoders = static_cast<std::uint16_t>(attributes.config2);
  if ((attributes.config1 >> 19 & 1U) != 0) request.ddr_location = static_cast<std::uint32_t>(attributes.config2 >> 32);
  return request;
}

EventHandle CpmuService::open(const perf::PerfAttributes& attributes, int /*cpu*/, EventHandle leader) {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const auto& block) { return block->pmu.type == attributes.type; });
  if (found == blocks_.end()) return -ENOENT;
  Block& block = **found;
  if (leader != 0 && (!events_.contains(leader) || events_.at(leader).block != &block)) return -EINVAL;
  const std::optional<CpmuRequest> request = request_of(attributes);
  if (!request || request->events == 0) return -EINVAL;
  host_.run_program([&] {
    find_blocks();
    if (block.address && !block.client)
      block.client = std::make_unique<cxl_client::CpmuClient>(registers(), *block.address);
  });
  if (!block.client) return -ENODEV;
  // Counts that are exact begin and end with the freeze register.
  if (!block.client->can_freeze()) return -EOPNOTSUPP;
  std::vector<CpmuRequest> requests{*request};
  if (!block.client->has_counters_for(requests)) return -EINVAL;
  for (const auto& [handle, event] : events_) {
    if (event.block == &block) requests.push_back(event.request);
  }
  if (!block.client->has_counters_for(requests)) return -ENOSPC;
  const EventHandle handle = next_++;
  events_.emplace(handle, Event{&block, *request, leader == 0 ? handle : leader});
  return handle;
}

template <typename Action>
int CpmuService::for_group(EventHandle leader, Action action) {
  const auto found = events_.find(leader);
  if (found == events_.end()) return -EBADF;
  Block& block = *found->second.block;
  host_.run_program([&] {
    {
      const Telling call(observer_, Call::pmu_disable, block.pmu.name);
      block.client->freeze();
    }
    for (auto& [handle, event] : events_) {
      if (event.leader == leader) action(handle, event);
    }
    const Telling call(observer_, Call::pmu_enable, block.pmu.name);
    block.client->unfreeze();
  });
  return 0;
}

int CpmuService::enable(EventHandle leader) {
  return for_group(leader, [this](EventHandle handle, Event& event) { start(handle, event); });
}

int CpmuService::disable(EventHandle leader) {
  return for_group(leader, [this](EventHandle handle, Event& event) { stop(handle, event); });
}

void CpmuService::start(EventHandle handle, Event& event) {
  if (event.counter) return;
  const Telling call(observer_, Call::add, event.block->pmu.name, handle);
  event.counter = event.block->client->open(event.request);
  if (!event.counter) observer_.on_add_failed(event.block->pmu.name, handle, -ENOSPC);
  event.since = now();
}

void CpmuService::stop(EventHandle handle, Event& event) {
  if (!event.counter) return;
  Telling call(observer_, Call::del, event.block->pmu.name, handle);
  event.block->client->close(*event.counter);
  event.count += event.block->client->count(*event.counter);
  call.value = event.count;
  event.counter.reset();
  event.enabled += now() - event.since;
}

EventReading CpmuService::reading_of(EventHandle handle, Event& event) {
  if (!event.counter) return {event.count, event.enabled, event.enabled};
  Telling call(observer_, Call::read, event.block->pmu.name, handle);
  call.value = event.count + event.block->client->count(*event.counter);
  const Picoseconds enabled = event.enabled + now() - event.since;
  return {call.value, enabled, enabled};
}

int CpmuService::read(EventHandle event, EventReading& reading) {
  const auto found = events_.find(event);
  if (found == events_.end()) return -EBADF;
  host_.run_program([&] { reading = reading_of(event, found->second); });
  return 0;
}

int CpmuService::read_group(EventHandle leader, std::vector<EventReading>& readings) {
  if (!events_.contains(leader)) return -EBADF;
  readings.clear();
  host_.run_program([&] {
    for (auto& [handle, event] : events_) {
      if (event.leader == leader) readings.push_back(reading_of(handle, event));
    }
  });
  return 0;
}

void CpmuService::close(EventHandle event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  if (found->second.counter) disable(found->second.leader);
  events_.erase(found);
}

}  // namespace pmufab::scenario
