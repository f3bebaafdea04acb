// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/platform/platform.h"
#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/coresight_service.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/fabrics/tegra410/traffic/traffic_issuer.h"
#include "testbench/judge/pmu_judge.h"
#include "testbench/traffic/producers/traffic_spec.h"

namespace pmufab::scenario {

/// @param pmu    perf's name of the PMU
/// @param terms  of an event that the PMU's judge lets happen many times at once
/// @param unit   of a CMEM or C2C PMU: the memory controller, or which of the instances that lead to the peer
/// @return what to call so that the models of the sockets let it happen; empty for a PMU of another fabric
[[nodiscard]] scoreboard::Injection tegra410_injection(platform::Platform& platform, const std::string& pmu,
                                                       const scoreboard::EventTerms& terms, unsigned unit);

/// The Tegra410 sockets of a machine: loads, stores and requests of generators and traces, and the judge of the UCF and
/// CMEM latency PMUs.
class Tegra410Fabric final : public Fabric {
 public:
  /// @throws InputError for a trace that cannot be replayed or impossible traffic
  explicit Tegra410Fabric(const FabricContext& context);
  ~Tegra410Fabric() override;
  Tegra410Fabric& operator=(Tegra410Fabric&&) = delete;

  void start_traffic() override { issuer_->start(); }
  void stop_traffic() override { issuer_->stop(); }
  [[nodiscard]] bool is_busy() const override { return has_traffic_ && !issuer_->done(); }
  [[nodiscard]] const sc_core::sc_event* idle_event() const override { return &issuer_->done_event(); }
  [[nodiscard]] bool traffic_is_over() const override { return !is_busy(); }
  void report_traffic(Json& list) const override;
  [[nodiscard]] perf::PmuService* pmus() override { return reference_.get(); }
  void add_gauges(std::vector<Gauge>& gauges) const override;
  [[nodiscard]] std::optional<unsigned> socket_of(const std::string& pmu) const override;
  [[nodiscard]] scoreboard::Injection injection(const perf::ResolvedEvent& event, unsigned unit) override {
    return tegra410_injection(platform_, event.pmu, event.terms, unit);
  }

 private:
  platform::Platform& platform_;
  std::map<std::string, unsigned> sockets_;  // by PMU
  bool has_traffic_;
  std::unique_ptr<traffic::TrafficIssuer> issuer_;
  std::unique_ptr<CoreSightService> reference_;  // null: drivers count
};

/// Traffic of the sockets, kept in a Workload.
struct Tegra410Workload {
  std::vector<traffic::GeneratorSpec> generators;
};

/// @return the PMUs of a Tegra410's UCF and root complexes, and what their terms mean by the kernel's document
///         (nvidia-tegra410-pmu.rst). Address filters of PCIE-TGT PMUs are refused (EOPNOTSUPP): the software has none.
[[nodiscard]] std::vector<ServedCoreSightPmu> tegra410_served_pmus(const platform::PlatformSpec& platform);

/// What the judge of the Tegra410 sockets must know, from the specification the platform is built from (never from the
/// model). @return nothing if the platform has none
[[nodiscard]] std::optional<scoreboard::Tegra410JudgeSpec> tegra410_judge_spec(const platform::PlatformSpec& platform);

}  // namespace pmufab::scenario
