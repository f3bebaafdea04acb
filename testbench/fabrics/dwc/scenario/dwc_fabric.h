// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/dwc/part/dwc_part.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/common/occurrence_traffic.h"
#include "testbench/fabrics/dwc/judge/dwc_judge_spec.h"
#include "testbench/fabrics/dwc/traffic/link_states.h"

namespace pmufab::scenario {

/// The attributes of what streams let happen on links.
inline constexpr std::size_t kLinkEvent = 0;
inline constexpr std::size_t kLinkLane = 1;
inline constexpr std::size_t kLinkBytes = 2;
inline constexpr std::size_t kLinkAttributes = 3;

/// What a scenario lets happen on the links of DesignWare root ports.
struct DwcWorkload {
  std::vector<traffic::StreamSpec> streams;  ///< with the attributes above; the source is the root port
  std::vector<traffic::LinkStatesSpec> states;
};

/// @return the root ports, as their judge knows them.
[[nodiscard]] scoreboard::DwcJudgeSpec dwc_judge_spec(const platform::PlatformSpec& platform);

/// The DesignWare root ports of a machine: what happens on their links, and their judge.
class DwcFabric final : public Fabric {
 public:
  explicit DwcFabric(const FabricContext& context);
  ~DwcFabric() override;
  DwcFabric& operator=(DwcFabric&&) = delete;

  void start_traffic() override;
  void stop_traffic() override;
  [[nodiscard]] bool is_busy() const override { return streams_.is_busy(); }
  [[nodiscard]] const sc_core::sc_event* idle_event() const override { return streams_.idle_event(); }
  [[nodiscard]] bool traffic_is_over() const override { return !is_busy(); }
  void report_traffic(Json& list) const override { streams_.report(list); }
  void add_gauges(std::vector<Gauge>& gauges) const override { streams_.add_gauges(gauges); }
  [[nodiscard]] std::optional<unsigned> socket_of(const std::string& pmu) const override;
  /// Linux's driver knows the way to another socket, and not the one back. It counts right there.
  [[nodiscard]] bool may_stay_away() const override { return true; }
  [[nodiscard]] scoreboard::Injection injection(const perf::ResolvedEvent& event, unsigned unit) override;

 private:
  platform::DwcPart& part_;
  scoreboard::DwcJudgeSpec spec_;
  OccurrenceTraffic streams_{"link_stream", "events"};
  std::vector<std::unique_ptr<traffic::LinkStates>> states_;
};

}  // namespace pmufab::scenario
