// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_fabric.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/tegra410/part/tegra410_part.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/traffic/trace_format.h"

namespace pmufab::scenario {

Tegra410Fabric::Tegra410Fabric(const FabricContext& context)
    : platform_(context.platform), has_traffic_(!context.workload.of<Tegra410Workload>().generators.empty()) {
  traffic::TrafficIssuer::Options options;
  if (context.progress) {
    options.progress = [tell = context.progress](const traffic::TrafficIssuer::Progress& progress) {
      tell({progress.expected > 0 ? std::optional(progress.fraction()) : std::nullopt, progress.sent_until});
    };
  }
  options.progress_every = 1U << 16;
  with_input_errors([&] {
    try {
      issuer_ = std::make_unique<traffic::TrafficIssuer>(
          "traffic", traffic::TrafficSpec{context.workload.seed, context.workload.of<Tegra410Workload>().generators},
          traffic_memory(platform_.spec()), platform_.sockets(), options);
    } catch (const traffic::TraceError& error) {
      throw InputError(error.what(), "make a trace with pmufab trace import");
    }
  });
  for (unsigned socket = 0; socket < platform_.sockets(); ++socket) {
    issuer_->cpu_access[socket].bind(platform_.get<platform::Tegra410Part>().socket(socket).cpu_access);
    issuer_->requests[socket].bind(platform_.get<platform::Tegra410Part>().socket(socket).requests);
  }
  const scoreboard::Tegra410JudgeSpec judged = *tegra410_judge_spec(platform_.spec());
  for (const auto& pmu : judged.coresight_pmus) sockets_[pmu.name] = pmu.socket;
  for (const auto& pmu : judged.cmem_pmus) sockets_[pmu.name] = pmu.socket;
  for (const auto& pmu : judged.c2c_pmus) sockets_[pmu.name] = pmu.socket;
  platform_.get<platform::Tegra410Part>().set_observer(context.listener(
      context.scoreboard.add(std::make_unique<scoreboard::Tegra410Judge>(judged, context.scoreboard.chronicle()))));
  if (context.has_reference_software)
    reference_ = std::make_unique<CoreSightService>(context.host, tegra410_served_pmus(platform_.spec()),
                                                    context.listener(context.scoreboard));
}

// The judge may be gone before the platform is.
Tegra410Fabric::~Tegra410Fabric() { platform_.get<platform::Tegra410Part>().set_observer(nullptr); }

std::optional<unsigned> Tegra410Fabric::socket_of(const std::string& pmu) const {
  const auto found = sockets_.find(pmu);
  return found == sockets_.end() ? std::nullopt : std::optional(found->second);
}

void Tegra410Fabric::add_gauges(std::vector<Gauge>& gauges) const {
  for (std::size_t i = 0; i < issuer_->generators(); ++i) {
    const traffic::GeneratorStatistics& one = issuer_->generator(i).statistics();
    gauges.push_back({fmt::format("traffic.{}.requests", one.name), true, [&one] { return one.issued; }});
    gauges.push_back({fmt::format("traffic.{}.bytes", one.name), true, [&one] { return one.bytes; }});
    gauges.push_back(
        {fmt::format("traffic.{}.outstanding", one.name), false, [this, i] { return issuer_->outstanding(i); }});
  }
}

void Tegra410Fabric::report_traffic(Json& list) const {
  for (std::size_t i = 0; i < issuer_->generators(); ++i) {
    const traffic::GeneratorStatistics& generator = issuer_->generator(i).statistics();
    Json item;
    item["name"] = generator.name;
    item["issued"] = generator.issued;
    item["bytes"] = generator.bytes;
    item["errors"] = generator.errors;
    item["mean_latency_ps"] = generator.mean_latency();
    item["maximum_latency_ps"] = generator.latency_max;
    item["latency_ps"] = to_json(issuer_->generator(i).latencies());
    item["stalls"] = {{"outstanding_limit_ps", generator.waited}};
    list.push_back(std::move(item));
  }
}

}  // namespace pmufab::scenario
