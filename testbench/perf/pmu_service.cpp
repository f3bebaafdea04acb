// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/pmu_service.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace pmufab::perf {
namespace {

/// Types of PMUs and handles of events below these are the drivers'; service n has those from n times these on.
constexpr std::uint32_t kTypes = 0x1'0000;
constexpr EventHandle kHandles = 0x100'0000;

}  // namespace

void PmuServices::add(PmuService& service) {
  const std::size_t number = services_.size();
  service.assign_numbers(static_cast<std::uint32_t>(kTypes * number), static_cast<EventHandle>(kHandles * number));
  services_.push_back(&service);
}

PmuService* PmuServices::service_of(EventHandle event) const {
  const auto number = static_cast<std::size_t>(event / kHandles);
  return event > 0 && number < services_.size() ? services_[number] : nullptr;
}

std::vector<Pmu> PmuServices::pmus() const {
  std::vector<Pmu> all;
  for (const PmuService* const service : services_) {
    std::vector<Pmu> own = service->pmus();
    if (service->replaces_drivers()) {
      std::erase_if(all, [&](const Pmu& pmu) {
        return std::ranges::any_of(own, [&](const Pmu& other) { return other.name == pmu.name; });
      });
    }
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

bool PmuServices::replaces_drivers() const {
  return std::ranges::any_of(services_, [](const PmuService* one) { return one->replaces_drivers(); });
}

std::optional<bool> PmuServices::handle_interrupt(std::uint32_t number) {
  for (PmuService* const service : services_) {
    if (const std::optional<bool> handled = service->handle_interrupt(number)) return handled;
  }
  return std::nullopt;
}

bool PmuServices::is_used(const std::string& pmu) const {
  return std::ranges::any_of(open_, [&](const auto& entry) { return entry.second == pmu; });
}

EventHandle PmuServices::open(const PerfAttributes& attributes, int cpu, EventHandle leader) {
  const EventHandle result = open_event(attributes, cpu, leader);
  for (EventObserver* const observer : observers_) observer->on_open(attributes, leader, result);
  return result;
}

EventHandle PmuServices::open_event(const PerfAttributes& attributes, int cpu, EventHandle leader) {
  const std::size_t number = attributes.type / kTypes;
  if (number >= services_.size()) return -ENOENT;
  const std::string name = services_.size() == 1 ? std::string() : name_of(attributes.type);
  for (const PmuService* const service : services_) {
    if (name.empty()) break;
    // Only one of two knows that it has the other's registers.
    const std::string twin = service->twin(name);
    if (!twin.empty() && is_used(twin)) return -EBUSY;
    for (const auto& [handle, other] : open_) {
      if (service->twin(other) == name) return -EBUSY;
    }
  }
  const EventHandle handle = services_[number]->open(attributes, cpu, leader);
  if (handle > 0) open_.emplace(handle, name);
  return handle;
}

std::string PmuServices::name_of(std::uint32_t type) const {
  for (const Pmu& pmu : services_[type / kTypes]->pmus()) {
    if (pmu.type == type) return pmu.name;
  }
  return {};
}

int PmuServices::enable(EventHandle leader) {
  PmuService* const service = service_of(leader);
  if (service == nullptr) return -EBADF;
  for (EventObserver* const observer : observers_) observer->on_enable(leader, true);
  const int result = service->enable(leader);
  for (EventObserver* const observer : observers_) observer->on_enable(leader, false);
  return result;
}

int PmuServices::disable(EventHandle leader) {
  PmuService* const service = service_of(leader);
  if (service == nullptr) return -EBADF;
  for (EventObserver* const observer : observers_) observer->on_disable(leader, true);
  const int result = service->disable(leader);
  for (EventObserver* const observer : observers_) observer->on_disable(leader, false);
  return result;
}

bool PmuServices::in_error(EventHandle event) {
  PmuService* const service = service_of(event);
  return service != nullptr && service->in_error(event);
}

int PmuServices::read(EventHandle event, EventReading& reading) {
  PmuService* const service = service_of(event);
  const int result = service == nullptr ? -EBADF : service->read(event, reading);
  if (result < 0) return result;
  for (EventObserver* const observer : observers_) observer->on_read(event, false, reading);
  return result;
}

int PmuServices::read_group(EventHandle leader, std::vector<EventReading>& readings) {
  PmuService* const service = service_of(leader);
  const int result = service == nullptr ? -EBADF : service->read_group(leader, readings);
  if (result < 0 || readings.empty()) return result;
  for (EventObserver* const observer : observers_) observer->on_read(leader, true, readings.front());
  return result;
}

void PmuServices::close(EventHandle event) {
  for (EventObserver* const observer : observers_) observer->on_close(event);
  if (PmuService* const service = service_of(event)) service->close(event);
  open_.erase(event);
}

}  // namespace pmufab::perf
