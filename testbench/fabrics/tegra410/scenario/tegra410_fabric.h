// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "testbench/fabrics/common/coresight_service.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_injection.h"
#include "testbench/fabrics/tegra410/traffic/traffic_issuer.h"

namespace pmufab::scenario {

/// The Tegra410 sockets of a machine: loads, stores and requests of generators and traces, and the judge of the UCF and
/// CMEM latency PMUs.
class Tegra410Fabric final : public Fabric {
 public:
  /// @throws InputError for a trace that cannot be replayed or impossible traffic
  explicit Tegra410Fabric(const FabricContext& context);
  ~Tegra410Fabric() override;
  Tegra410Fabric(const Tegra410Fabric&) = delete;
  Tegra410Fabric& operator=(const Tegra410Fabric&) = delete;

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

}  // namespace pmufab::scenario
