// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/soc_fabric.h"

#include <algorithm>
#include <utility>

#include "models/soc/part/soc_rows.h"
#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/fabrics/cxl/judge/cxl_judge.h"
#include "testbench/fabrics/soc/judge/soc_judge.h"
#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::scenario {

scoreboard::SocJudgeSpec soc_judge_spec(const platform::PlatformSpec& platform, std::string_view kernel) {
  // From this version on, the names of all PMUs without a back-end follow from the firmware table.
  constexpr std::string_view kNamesByFirmware = "7.3";
  const bool is_old = driver_host::compare_versions(kernel, kNamesByFirmware) < 0;
  scoreboard::SocJudgeSpec spec;
  spec.sockets = platform.sockets;
  spec.sources = platform.of<platform::SocSpec>().sources;
  for (const platform::SocPmuRow& row : platform::soc_pmus(platform)) {
    scoreboard::SocPmuSpec& pmu = spec.pmus.emplace_back();
    pmu.description = platform.of<platform::SocSpec>().pmus[row.pmu];
    pmu.socket = row.socket;
    pmu.name = is_old ? row.old_perf_name : row.perf_name;
    for (const platform::PmuWindow& window : row.windows) pmu.windows.push_back(window.base);
  }
  return spec;
}

SocFabric::SocFabric(const FabricContext& context)
    : part_(*context.platform.find<platform::SocPart>()),
      spec_(soc_judge_spec(context.platform.spec(), context.kernel)),
      rows_(platform::soc_pmus(context.platform.spec())) {
  const scoreboard::SocFabricJudges fabrics = {context.scoreboard.find<scoreboard::Tegra410Judge>(),
                                               context.scoreboard.find<scoreboard::CxlJudge>(),
                                               context.scoreboard.find_all<scoreboard::CmnJudge>()};
  part_.set_observer(context.listener(
      context.scoreboard.add(std::make_unique<scoreboard::SocJudge>(spec_, context.scoreboard.chronicle(), fabrics))));
  for (const traffic::StreamSpec& stream : context.workload.of<SocWorkload>()) {
    soc::Source& source = part_.source(platform::source_number(context.platform.spec(), stream.source, stream.socket));
    streams_.add(
        stream, [&source](const Occurrence& occurrence, Picoseconds when) { source.happen(occurrence, when); },
        context.workload.seed);
  }
  if (!context.has_reference_software) return;
  std::vector<ServedCoreSightPmu> served;
  for (std::size_t i = 0; i < spec_.pmus.size(); ++i) {
    if (!rows_[i].device) served.push_back(soc_served_pmu(spec_.pmus[i], rows_[i].apmt));
  }
  reference_ = std::make_unique<CoreSightService>(context.host, served, context.listener(context.scoreboard));
}

std::string SocFabric::hint(const perf::ResolvedEvent& event) const {
  const auto found = std::ranges::find_if(spec_.pmus, [&](const auto& one) { return one.name == event.pmu; });
  if (!reference_ || found == spec_.pmus.end()) return {};
  return reason_not_served(found->description);
}

// The judge may be gone before the platform is.
SocFabric::~SocFabric() { part_.set_observer(nullptr); }

void SocFabric::start_traffic() { streams_.start(); }

void SocFabric::stop_traffic() { streams_.stop(); }

std::optional<unsigned> SocFabric::socket_of(const std::string& pmu) const {
  const auto found = std::ranges::find_if(spec_.pmus, [&](const auto& one) { return one.name == pmu; });
  // One that belongs to a CPU does not belong to all of the socket's.
  if (found == spec_.pmus.end() || found->description.cpu) return std::nullopt;
  return found->socket;
}

std::string SocFabric::driver_of(const std::string& pmu) const {
  const auto found = std::ranges::find_if(spec_.pmus, [&](const auto& one) { return one.name == pmu; });
  return found == spec_.pmus.end() || !found->description.map ? "" : found->description.map->device.module;
}

scoreboard::Injection SocFabric::injection(const perf::ResolvedEvent& event, unsigned /*unit*/) {
  const auto found = std::ranges::find_if(spec_.pmus, [&](const auto& one) { return one.name == event.pmu; });
  if (found == spec_.pmus.end()) return {};
  const scoreboard::SocMeaning meaning = scoreboard::soc_meaning(event.terms, found->description, spec_.sources);
  if (meaning.kind == scoreboard::SocMeaning::Kind::cycles) {
    const platform::SocPmuRow& row = rows_[static_cast<std::size_t>(found - spec_.pmus.begin())];
    return [pmu = part_.pmu(row.name)](std::uint64_t count, Picoseconds when) { pmu->pass_cycles(count, when); };
  }
  soc::Source& source = part_.source(meaning.source * spec_.sockets + found->socket);
  return [&source, occurrence = scoreboard::occurrence_of(meaning)](std::uint64_t count, Picoseconds when) mutable {
    occurrence.repeat = count;
    source.happen(occurrence, when);
  };
}

}  // namespace pmufab::scenario
