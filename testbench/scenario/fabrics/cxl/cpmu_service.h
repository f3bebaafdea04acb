// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cxl_client/cpmu_client.h"
#include "testbench/perf/pmu_service.h"
#include "testbench/scoreboard/cxl/cxl_judge_spec.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::scenario {

/// CPMUs counted by the reference software (testbench/cxl_client) instead of a driver: of ports, which have none, and
/// of devices as a second opinion. PMUs are called "cpmu_rp0.1" (CPMU 1 of root port 0), "cpmu_usp0.0" (upstream port
/// of switch 0), "cpmu_dsp0.1.0" (its downstream port 1) and "cpmu_mem0.0" (a device); their terms are the driver's.
///
/// The software finds the registers by reading configuration space when the first event is opened, and tells an
/// observer what it does as the perf core does. It takes no interrupts: a counter must not wrap twice between two
/// readings.
class CpmuService final : public perf::PmuService {
 public:
  /// @param host      runs the software
  /// @param firmware  tells where configuration space is
  /// @param pmus      those whose names begin with "cpmu_" are served
  /// @param observer  hears of calls; all outlive the service
  CpmuService(driver_host::DriverHost& host, const platform::FirmwareDescription& firmware,
              const std::vector<scoreboard::CxlPmuSpec>& pmus, perf::PerfCallObserver& observer);
  ~CpmuService() override;

  void assign_numbers(std::uint32_t first_type, perf::EventHandle first_handle) override;
  [[nodiscard]] std::vector<perf::Pmu> pmus() const override;
  [[nodiscard]] std::string twin(const std::string& pmu) const override;
  perf::EventHandle open(const perf::PerfAttributes& attributes, int cpu, perf::EventHandle leader) override;
  int enable(perf::EventHandle leader) override;
  int disable(perf::EventHandle leader) override;
  int read(perf::EventHandle event, perf::EventReading& reading) override;
  int read_group(perf::EventHandle leader, std::vector<perf::EventReading>& readings) override;
  void close(perf::EventHandle event) override;

 private:
  using Call = perf::PerfCallObserver::Call;
  struct Block {
    perf::Pmu pmu;
    std::optional<std::uint64_t> address;  // as found
    std::unique_ptr<cxl_client::CpmuClient> client;
  };
  struct Event {
    Block* block;
    cxl_client::CpmuRequest request;
    perf::EventHandle leader;
    std::optional<unsigned> counter{};  // while it counts
    std::uint64_t count = 0;            // when it does not
    Picoseconds since = 0;
    Picoseconds enabled = 0;
  };
  /// Tells of a call while it lives.
  class Telling;

  void find_blocks();
  [[nodiscard]] cxl_client::RegisterAccess registers();
  [[nodiscard]] std::optional<cxl_client::CpmuRequest> request_of(const perf::PerfAttributes& attributes) const;
  void start(perf::EventHandle handle, Event& event);
  void stop(perf::EventHandle handle, Event& event);
  [[nodiscard]] perf::EventReading reading_of(perf::EventHandle handle, Event& event);
  template <typename Action>
  int for_group(perf::EventHandle leader, Action action);

  driver_host::DriverHost& host_;
  platform::FirmwareDescription firmware_;
  perf::PerfCallObserver& observer_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::map<perf::EventHandle, Event> events_;
  perf::EventHandle next_ = 1;
  bool searched_ = false;
};

}  // namespace pmufab::scenario
