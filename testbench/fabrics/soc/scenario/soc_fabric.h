// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/soc/part/soc_part.h"
#include "models/soc/wire/description.h"
#include "testbench/fabrics/common/coresight_service.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/common/occurrence_traffic.h"
#include "testbench/fabrics/soc/judge/soc_judge_spec.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::scenario {

/// The streams of a scenario that sources of described PMUs let happen.
using SocWorkload = std::vector<traffic::StreamSpec>;

/// @param kernel  version of the drivers: it decides what they call a PMU
[[nodiscard]] scoreboard::SocJudgeSpec soc_judge_spec(const platform::PlatformSpec& platform, std::string_view kernel);

/// The described PMUs of a machine: their sources' traffic, and their judge.
class SocFabric final : public Fabric {
 public:
  explicit SocFabric(const FabricContext& context);
  ~SocFabric() override;
  SocFabric& operator=(SocFabric&&) = delete;

  void start_traffic() override;
  void stop_traffic() override;
  [[nodiscard]] bool is_busy() const override { return streams_.is_busy(); }
  [[nodiscard]] const sc_core::sc_event* idle_event() const override { return streams_.idle_event(); }
  [[nodiscard]] bool traffic_is_over() const override { return !is_busy(); }
  void report_traffic(Json& list) const override { streams_.report(list); }
  void add_gauges(std::vector<Gauge>& gauges) const override { streams_.add_gauges(gauges); }
  [[nodiscard]] std::optional<unsigned> socket_of(const std::string& pmu) const override;
  [[nodiscard]] std::string driver_of(const std::string& pmu) const override;
  [[nodiscard]] perf::PmuService* pmus() override { return reference_.get(); }
  /// Of the reference software: why it refuses all events of a PMU.
  [[nodiscard]] std::string hint(const perf::ResolvedEvent& event) const override;
  [[nodiscard]] scoreboard::Injection injection(const perf::ResolvedEvent& event, unsigned unit) override;

 private:
  platform::SocPart& part_;
  scoreboard::SocJudgeSpec spec_;
  std::vector<platform::SocPmuRow> rows_;  // of spec_.pmus, in the same order
  OccurrenceTraffic streams_{"stream", "occurrences"};
  std::unique_ptr<CoreSightService> reference_;  // null: drivers count
};

/// @return why the reference software cannot count at a described PMU; "" if it can
[[nodiscard]] std::string reason_not_served(const soc::PmuDescription& pmu);

/// @param pmu   with its name in perf. The software refuses all of its events (EOPNOTSUPP) if there is a
///              reason_not_served().
/// @param node  its entry in the firmware's table
/// @return the PMU, and what the terms mean that its driver publishes
[[nodiscard]] ServedCoreSightPmu soc_served_pmu(const scoreboard::SocPmuSpec& pmu, const platform::ApmtNode& node);

}  // namespace pmufab::scenario
