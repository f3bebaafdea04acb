// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/software_pmus.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace pmufab::scenario {

using perf::EventHandle;
using perf::EventReading;
using perf::PerfAttributes;

SoftwarePmus::Telling::Telling(perf::PerfCallObserver* observer, Call call, const std::string& pmu, EventHandle event)
    : observer_(observer), call_(call), pmu_(pmu), event_(event) {
  if (observer_ != nullptr) observer_->on_call(call_, true, pmu_, event_, 0, simulated_time());
}

SoftwarePmus::Telling::~Telling() {
  if (observer_ != nullptr) observer_->on_call(call_, false, pmu_, event_, value, simulated_time());
}

SoftwarePmus::Block& SoftwarePmus::add(std::string name, std::vector<std::pair<std::string, std::string>> files) {
  Block& block = *blocks_.emplace_back(std::make_unique<Block>());
  block.pmu = {std::move(name), static_cast<std::uint32_t>(blocks_.size() - 1), std::move(files)};
  return block;
}

void SoftwarePmus::assign_numbers(std::uint32_t first_type, EventHandle first_handle) {
  for (const auto& block : blocks_) block->pmu.type += first_type;
  next_ = first_handle;
}

std::vector<perf::Pmu> SoftwarePmus::pmus() const {
  std::vector<perf::Pmu> list;
  for (const auto& block : blocks_) list.push_back(block->pmu);
  return list;
}

std::vector<perf::Pmu> SoftwarePmus::published_pmus() const {
  std::vector<perf::Pmu> list = SoftwarePmus::pmus();
  const std::vector<perf::Pmu> published = host_.pmus();
  std::erase_if(list, [&](perf::Pmu& pmu) {
    const auto found = std::ranges::find_if(published, [&](const perf::Pmu& other) { return other.name == pmu.name; });
    if (found == published.end()) return true;
    pmu.files = found->files;
    pmu.unreadable = found->unreadable;
    return false;
  });
  return list;
}

RegisterAccess SoftwarePmus::registers() const {
  driver_host::DriverHost& host = host_;
  return {
      .read32 = [&host](std::uint64_t address) { return static_cast<std::uint32_t>(host.read_register(address, 4)); },
      .write32 = [&host](std::uint64_t address, std::uint32_t value) { host.write_register(address, 4, value); },
      .read64 = [&host](std::uint64_t address) { return host.read_register(address, 8); },
      .write64 = [&host](std::uint64_t address, std::uint64_t value) { host.write_register(address, 8, value); }};
}

EventHandle SoftwarePmus::open(const PerfAttributes& attributes, int /*cpu*/, EventHandle leader) {
  const auto found =
      std::ranges::find_if(blocks_, [&](const auto& block) { return block->pmu.type == attributes.type; });
  if (found == blocks_.end()) return -ENOENT;
  Block& block = **found;
  if (leader != 0 && (!events_.contains(leader) || events_.at(leader).block != &block)) return -EINVAL;
  const PerfAttributes meant = leader == 0 ? attributes : in_group(block, attributes, events_.at(leader).attributes);
  std::vector<PerfAttributes> others;
  for (const auto& [handle, event] : events_) {
    if (event.block == &block) others.push_back(event.attributes);
  }
  int result = 0;
  host_.run_program([&] { result = prepare(block, meant, others); });
  if (result < 0) return result;
  const EventHandle handle = next_++;
  events_.emplace(handle, Event{&block, meant, leader == 0 ? handle : leader});
  return handle;
}

template <typename Action>
int SoftwarePmus::for_group(EventHandle leader, Action action) {
  const auto found = events_.find(leader);
  if (found == events_.end()) return -EBADF;
  Block& block = *found->second.block;
  host_.run_program([&] {
    {
      const Telling call(observer_, Call::pmu_disable, block.pmu.name);
      block.software->stop();
    }
    for (auto& [handle, event] : events_) {
      if (event.leader == leader) action(handle, event);
    }
    const Telling call(observer_, Call::pmu_enable, block.pmu.name);
    block.software->run();
  });
  return 0;
}

int SoftwarePmus::enable(EventHandle leader) {
  return for_group(leader, [this](EventHandle handle, Event& event) { start(handle, event); });
}

int SoftwarePmus::disable(EventHandle leader) {
  return for_group(leader, [this](EventHandle handle, Event& event) { stop(handle, event); });
}

void SoftwarePmus::start(EventHandle handle, Event& event) {
  if (event.counter) return;
  const Telling call(observer_, Call::add, event.block->pmu.name, handle);
  event.counter = event.block->software->open(event.attributes);
  if (!event.counter && observer_ != nullptr) observer_->on_add_failed(event.block->pmu.name, handle, -ENOSPC);
  event.since = simulated_time();
}

void SoftwarePmus::stop(EventHandle handle, Event& event) {
  if (!event.counter) return;
  Telling call(observer_, Call::del, event.block->pmu.name, handle);
  event.block->software->close(*event.counter);
  event.count += event.block->software->count(*event.counter);
  call.value = event.count;
  event.counter.reset();
  event.enabled += simulated_time() - event.since;
}

EventReading SoftwarePmus::reading_of(EventHandle handle, Event& event) {
  if (!event.counter) return {event.count, event.enabled, event.enabled};
  Telling call(observer_, Call::read, event.block->pmu.name, handle);
  call.value = event.count + event.block->software->count(*event.counter);
  const Picoseconds enabled = event.enabled + simulated_time() - event.since;
  return {call.value, enabled, enabled};
}

int SoftwarePmus::read(EventHandle event, EventReading& reading) {
  const auto found = events_.find(event);
  if (found == events_.end()) return -EBADF;
  host_.run_program([&] { reading = reading_of(event, found->second); });
  return 0;
}

int SoftwarePmus::read_group(EventHandle leader, std::vector<EventReading>& readings) {
  if (!events_.contains(leader)) return -EBADF;
  readings.clear();
  host_.run_program([&] {
    for (auto& [handle, event] : events_) {
      if (event.leader == leader) readings.push_back(reading_of(handle, event));
    }
  });
  return 0;
}

bool SoftwarePmus::handle(const Block& block, unsigned line) {
  const Telling call(observer_, Call::interrupt, block.pmu.name);
  return host_.run_handler(block.pmu.name, [&] { return block.software->handle_overflow(line); });
}

std::optional<bool> SoftwarePmus::handle_interrupt(std::uint32_t number) {
  std::optional<bool> handled;
  const auto [first, last] = interrupts_.equal_range(number);
  for (auto one = first; one != last; ++one) {
    const auto& [block, line] = one->second;
    if (block->software) handled = handle(*block, line) || handled.value_or(false);
  }
  return handled;
}

void SoftwarePmus::close(EventHandle event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  if (found->second.counter) disable(found->second.leader);
  events_.erase(found);
}

}  // namespace pmufab::scenario
