// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/host/driver_host.h"
#include "testbench/host/register_access/register_access.h"
#include "testbench/perf/pmu_service.h"

namespace pmufab::scenario {

/// Software that counts with one PMU.
class PmuSoftware {
 public:
  virtual ~PmuSoftware() = default;
  /// Let the PMU's counters count, or none of them.
  virtual void run() = 0;
  virtual void stop() = 0;
  /// @return the counter; nothing if none is free
  virtual std::optional<unsigned> open(const perf::PerfAttributes& attributes) = 0;
  virtual void close(unsigned counter) = 0;
  /// @return events since open()
  virtual std::uint64_t count(unsigned counter) = 0;
  /// The CPUs take an interrupt of the PMU.
  /// @param line  which one, at a PMU that has several
  /// @return false: the PMU has not sent it
  virtual bool handle_overflow(unsigned line) = 0;
};

/// PMUs that are served by software of our own instead of a driver. It tells an observer what it does as the perf core
/// does. Events do not take turns: one for which no counter is free is refused.
class SoftwarePmus : public perf::PmuService {
 public:
  /// @param host      runs the software
  /// @param observer  hears of calls; both outlive the service. Null: nobody hears of them
  SoftwarePmus(driver_host::DriverHost& host, perf::PerfCallObserver* observer) : host_(host), observer_(observer) {}

  void assign_numbers(std::uint32_t first_type, perf::EventHandle first_handle) override;
  [[nodiscard]] std::vector<perf::Pmu> pmus() const override;
  perf::EventHandle open(const perf::PerfAttributes& attributes, int cpu, perf::EventHandle leader) override;
  int enable(perf::EventHandle leader) override;
  int disable(perf::EventHandle leader) override;
  int read(perf::EventHandle event, perf::EventReading& reading) override;
  int read_group(perf::EventHandle leader, std::vector<perf::EventReading>& readings) override;
  void close(perf::EventHandle event) override;
  std::optional<bool> handle_interrupt(std::uint32_t number) override;

 protected:
  struct Block {
    perf::Pmu pmu;
    std::unique_ptr<PmuSoftware> software;  ///< null until its first event is opened
  };
  /// @return the new PMU, whose type is its place in the list
  Block& add(std::string name, std::vector<std::pair<std::string, std::string>> files);
  /// A PMU sends interrupts of this number, which several PMUs may share. @param line  as PmuSoftware::handle_overflow()
  void add_interrupt(std::uint32_t number, Block& block, unsigned line = 0) {
    interrupts_.emplace(number, Line{&block, line});
  }
  /// Let a PMU's software handle an interrupt. @pre it has been made
  bool handle(const Block& block, unsigned line);
  /// @return the attributes of a member of a group, which may have some from its leader
  [[nodiscard]] virtual perf::PerfAttributes in_group(const Block& /*block*/, const perf::PerfAttributes& member,
                                                      const perf::PerfAttributes& /*leader*/) const {
    return member;
  }
  /// Make the software of a PMU, if it is not there, and see if an event is possible.
  /// @param others  open events of that PMU
  /// @return 0 or a negative Linux errno
  virtual int prepare(Block& block, const perf::PerfAttributes& attributes,
                      const std::vector<perf::PerfAttributes>& others) = 0;
  [[nodiscard]] driver_host::DriverHost& host() const noexcept { return host_; }
  /// @return the platform's registers, through the CPUs of the host. It is for programs of the host.
  [[nodiscard]] RegisterAccess registers() const;
  /// @return those of the PMUs that a driver has registered, with the files that it shows
  [[nodiscard]] std::vector<perf::Pmu> published_pmus() const;
  [[nodiscard]] const std::vector<std::unique_ptr<Block>>& blocks() const noexcept { return blocks_; }

 private:
  using Call = perf::PerfCallObserver::Call;
  /// Tells of a call while it lives.
  class Telling {
   public:
    Telling(perf::PerfCallObserver* observer, Call call, const std::string& pmu, perf::EventHandle event = 0);
    ~Telling();
    Telling& operator=(Telling&&) = delete;

    std::uint64_t value = 0;

   private:
    perf::PerfCallObserver* observer_;
    Call call_;
    const std::string& pmu_;
    perf::EventHandle event_;
  };
  struct Line {
    Block* block;
    unsigned line;
  };
  struct Event {
    Block* block;
    perf::PerfAttributes attributes;
    perf::EventHandle leader;
    std::optional<unsigned> counter{};  // while it counts
    std::uint64_t count = 0;            // when it does not
    Picoseconds since = 0;
    Picoseconds enabled = 0;
  };

  void start(perf::EventHandle handle, Event& event);
  void stop(perf::EventHandle handle, Event& event);
  [[nodiscard]] perf::EventReading reading_of(perf::EventHandle handle, Event& event);
  template <typename Action>
  int for_group(perf::EventHandle leader, Action action);

  driver_host::DriverHost& host_;
  perf::PerfCallObserver* observer_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::map<perf::EventHandle, Event> events_;
  std::multimap<std::uint32_t, Line> interrupts_;  // by number
  perf::EventHandle next_ = 1;
};

}  // namespace pmufab::scenario
