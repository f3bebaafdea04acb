// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/host/driver_host.h"

namespace pmufab::perf {

/// Serves PMUs as perf's system calls show them: the drivers, or other software. Members but pmus() are called from a
/// SystemC thread process; those that can fail return a negative Linux errno.
class PmuService {
 public:
  virtual ~PmuService() = default;

  /// Its PMUs' types begin with `first_type`, the handles of its events with `first_handle`. Once, before anything
  /// else; the drivers have the kernel's.
  virtual void assign_numbers(std::uint32_t /*first_type*/, EventHandle /*first_handle*/) {}
  [[nodiscard]] virtual std::vector<Pmu> pmus() const = 0;
  /// @return the name of another service's PMU that has the same registers; only one of them can be used at a time.
  [[nodiscard]] virtual std::string twin(const std::string& /*pmu*/) const { return {}; }
  /// @return true if its PMUs stand in place of the drivers' PMUs of the same names, which nobody sees any more.
  [[nodiscard]] virtual bool replaces_drivers() const { return false; }
  /// The CPUs take an interrupt. @return if its PMUs had sent it; nothing: none of them could have, so it is the drivers'
  virtual std::optional<bool> handle_interrupt(std::uint32_t /*number*/) { return std::nullopt; }
  virtual EventHandle open(const PerfAttributes& attributes, int cpu, EventHandle leader) = 0;
  virtual int enable(EventHandle leader) = 0;
  virtual int disable(EventHandle leader) = 0;
  /// @return true for an event that was to stay on and could not: read(2) is at its end.
  [[nodiscard]] virtual bool in_error(EventHandle /*event*/) { return false; }
  virtual int read(EventHandle event, EventReading& reading) = 0;
  virtual int read_group(EventHandle leader, std::vector<EventReading>& readings) = 0;
  virtual void close(EventHandle event) = 0;
};

/// The drivers' PMUs.
class DriverPmus final : public PmuService {
 public:
  explicit DriverPmus(driver_host::DriverHost& host) : host_(host) {}
  [[nodiscard]] std::vector<Pmu> pmus() const override { return host_.pmus(); }
  EventHandle open(const PerfAttributes& attributes, int cpu, EventHandle leader) override {
    return host_.open(attributes, cpu, leader);
  }
  int enable(EventHandle leader) override { return host_.enable(leader); }
  int disable(EventHandle leader) override { return host_.disable(leader); }
  [[nodiscard]] bool in_error(EventHandle event) override { return host_.in_error(event); }
  int read(EventHandle event, EventReading& reading) override { return host_.read(event, reading); }
  int read_group(EventHandle leader, std::vector<EventReading>& readings) override {
    return host_.read_group(leader, readings);
  }
  void close(EventHandle event) override { host_.close(event); }

 private:
  driver_host::DriverHost& host_;
};

/// Is told what programs do with events.
class EventObserver {
 public:
  virtual ~EventObserver() = default;
  /// @param result  the event, or a negative Linux errno
  virtual void on_open(const PerfAttributes& attributes, EventHandle leader, EventHandle result) = 0;
  /// @param is_group  all members of its group were read, and it is the leader
  virtual void on_read(EventHandle event, bool is_group, const EventReading& reading) = 0;
  /// The call that enables it, or disables it, begins and ends.
  virtual void on_enable(EventHandle /*event*/, bool /*begin*/) {}
  virtual void on_disable(EventHandle /*event*/, bool /*begin*/) {}
  /// It is about to be closed.
  virtual void on_close(EventHandle event) = 0;
};

/// All services of a machine as one: the drivers, and what fabrics bring. Each has its own range of numbers.
class PmuServices final : public PmuService {
 public:
  explicit PmuServices(driver_host::DriverHost& host) : drivers_(host), services_{&drivers_} {}
  /// @param service  gets the next numbers; outlives this
  void add(PmuService& service);
  /// Set the observers, which are told in this order.
  void observe(std::vector<EventObserver*> observers) noexcept { observers_ = std::move(observers); }

  [[nodiscard]] std::vector<Pmu> pmus() const override;
  EventHandle open(const PerfAttributes& attributes, int cpu, EventHandle leader) override;
  [[nodiscard]] bool replaces_drivers() const override;
  std::optional<bool> handle_interrupt(std::uint32_t number) override;
  int enable(EventHandle leader) override;
  int disable(EventHandle leader) override;
  [[nodiscard]] bool in_error(EventHandle event) override;
  int read(EventHandle event, EventReading& reading) override;
  int read_group(EventHandle leader, std::vector<EventReading>& readings) override;
  void close(EventHandle event) override;

 private:
  /// @return the service that gave out the handle, or nullptr.
  [[nodiscard]] PmuService* service_of(EventHandle event) const;
  [[nodiscard]] std::string name_of(std::uint32_t type) const;
  [[nodiscard]] bool is_used(const std::string& pmu) const;
  EventHandle open_event(const PerfAttributes& attributes, int cpu, EventHandle leader);

  DriverPmus drivers_;
  std::vector<PmuService*> services_;
  std::map<EventHandle, std::string> open_;  // PMUs of open events
  std::vector<EventObserver*> observers_;
};

}  // namespace pmufab::perf
