// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/cxl/part/cxl_part.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/fabrics/cxl/scenario/cpmu_service.h"
#include "testbench/fabrics/cxl/scenario/cxl_listener.h"
#include "testbench/fabrics/cxl/traffic/cxl_replay.h"
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"
#include "testbench/judge/pmu_judge.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {

/// The CXL devices of a machine, their traffic, and the judge of their CPMUs.
class CxlFabric final : public Fabric {
 public:
  /// @throws InputError for traffic that is impossible on the devices
  explicit CxlFabric(const FabricContext& context);
  ~CxlFabric() override;

  void start_traffic() override;
  void stop_traffic() override;
  [[nodiscard]] std::uint64_t operations_ahead() const override;
  [[nodiscard]] bool traffic_is_over() const override;
  void report_traffic(Json& list) const override;
  void report_busiest(Json& networks) const override;
  void add_gauges(std::vector<Gauge>& gauges) const override;
  [[nodiscard]] scoreboard::Injection injection(const perf::ResolvedEvent& event, unsigned unit) override;
  [[nodiscard]] DrainProgress progress() const override;
  [[nodiscard]] bool has_transactions() const override { return !traffic_.empty() || !replays_.empty(); }
  [[nodiscard]] perf::PmuService* pmus() override { return service_.get(); }
  [[nodiscard]] Picoseconds drain_patience() const override { return patience_; }

 private:
  class Recorder;

  void listen(scoreboard::CxlJudge& judge);
  void make_replays(const FabricContext& context, const std::vector<unsigned>& outstanding);

  platform::CxlPart& part_;
  std::vector<scoreboard::CxlPmuSpec> pmus_;
  Picoseconds patience_;
  Picoseconds began_ = 0;  // the traffic
  std::unique_ptr<CxlListener> listener_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<CpmuService> service_;
  std::vector<std::unique_ptr<traffic::CxlTraffic>> traffic_;
  std::vector<std::unique_ptr<traffic::CxlReplay>> replays_;
};

/// Traffic of CXL devices, kept in a Workload.
struct CxlWorkload {
  std::vector<traffic::CxlTrafficSpec> operations;
  std::vector<traffic::CxlReplaySpec> replays;  ///< of the same list of a scenario
  std::string record;                           ///< not empty: file to write operations to, as a trace
};

/// @return what is wrong with a trace, as bad input. It names the operation that may have been meant.
[[nodiscard]] InputError input_error(const traffic::TraceError& error);

/// @param pmu    as the judge knows the CPMU
/// @param terms  of an event that its judge lets happen many times at once
/// @return what to call so that the model lets it happen
[[nodiscard]] scoreboard::Injection cxl_injection(platform::CxlPart& part, const scoreboard::CxlPmuSpec& pmu,
                                                  const scoreboard::EventTerms& terms);

}  // namespace pmufab::scenario
