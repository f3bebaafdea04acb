// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_fabric.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/ucf/ucf_events.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"
#include "testbench/fabrics/tegra410/judge/pcie/pcie_tgt_judge.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"

namespace pmufab::scenario {
namespace {

using platform::PmuRow;
using platform::PmuType;
using scoreboard::EventTerms;
using scoreboard::Injection;

/// A PMU that counts cycles of a clock.
template <typename Pmu>
Injection cycles_of(Pmu& pmu) {
  return [&pmu](std::uint64_t count, Picoseconds when) { pmu.pass_cycles(count, when); };
}

Injection happens_at(Probe& probe, unsigned qualifier) {
  return [&probe, qualifier](std::uint64_t count, Picoseconds when) { probe.publish(count, qualifier, when); };
}

unsigned only_bit(std::uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

Injection at_ucf(platform::Platform& platform, const PmuRow& row, const EventTerms& terms) {
  const scoreboard::UcfMeaning meaning = scoreboard::ucf_meaning(terms);
  if (meaning.kind == scoreboard::UcfMeaning::Kind::cycles)
    return cycles_of(platform.get<platform::Tegra410Part>().pmu(row.name));
  const std::uint32_t number = scoreboard::event_number(meaning.event);
  const auto event =
      std::ranges::find_if(tegra410::kUcfEvents, [&](const tegra410::UcfEventCode& code) { return code.id == number; });
  return happens_at(platform.get<platform::Tegra410Part>()
                        .socket(row.socket)
                        .ucf()
                        .probe(static_cast<tegra410::UcfEvent>(event - tegra410::kUcfEvents.begin())),
                    tegra410::qualifier(static_cast<tegra410::Source>(only_bit(meaning.sources)),
                                        static_cast<tegra410::Destination>(only_bit(meaning.destinations))));
}

Injection at_pcie(platform::Platform& platform, const PmuRow& row, const EventTerms& terms) {
  const scoreboard::PcieMeaning meaning = scoreboard::pcie_meaning(terms);
  if (meaning.kind == scoreboard::PcieMeaning::Kind::cycles)
    return cycles_of(platform.get<platform::Tegra410Part>().pmu(row.name));
  tegra410::RootComplex& complex =
      *platform.get<platform::Tegra410Part>().socket(row.socket).root_complex(row.root_complex);
  return happens_at(complex.inbound.probe(static_cast<tegra410::PcieEvent>(meaning.event)),
                    only_bit(meaning.source.root_ports) * tegra410::kPcieDestinations + only_bit(meaning.destinations));
}

Injection at_pcie_tgt(platform::Platform& platform, const PmuRow& row, const EventTerms& terms) {
  const scoreboard::PcieTgtMeaning meaning = scoreboard::pcie_tgt_meaning(terms);
  if (meaning.kind == scoreboard::PcieTgtMeaning::Kind::cycles)
    return cycles_of(platform.get<platform::Tegra410Part>().pmu(row.name));
  tegra410::PcieTarget& target =
      platform.get<platform::Tegra410Part>().socket(row.socket).root_complex(row.root_complex)->target;
  return [&target, event = static_cast<tegra410::PcieTargetEvent>(meaning.event), port = only_bit(meaning.ports)](
             std::uint64_t count, Picoseconds when) { target.add_at_once(event, port, count, when); };
}

/// Requests that take no time, or are outstanding at the next edge of the clock and no other.
Picoseconds end_of(bool is_outstanding, const ClockDomain& clock, Picoseconds when) {
  return is_outstanding ? clock.time_of_edge(clock.edges_before(when)) + 1 : when;
}

Injection at_cmem(platform::Platform& platform, const PmuRow& row, const EventTerms& terms, unsigned unit) {
  const scoreboard::CmemMeaning meaning = scoreboard::cmem_meaning(terms);
  tegra410::CmemLatencyPmu& pmu = platform.get<platform::Tegra410Part>().socket(row.socket).cmem_latency_pmu();
  if (meaning == scoreboard::CmemMeaning::cycles) return cycles_of(pmu);
  const tegra410::CmemControllers::Place place{unit / tegra410::kCmemControllersPerInstance,
                                               unit % tegra410::kCmemControllersPerInstance};
  return [&pmu, place, is_outstanding = meaning == scoreboard::CmemMeaning::rd_cum_outs](std::uint64_t count,
                                                                                         Picoseconds when) {
    pmu.read(place, count, when, when, end_of(is_outstanding, pmu.clock(), when));
  };
}

Injection at_c2c(platform::Platform& platform, const PmuRow& row, const EventTerms& terms, tegra410::C2cPmu& pmu,
                 unsigned unit) {
  const std::vector<scoreboard::C2cPmuSpec> specs = tegra410_judge_spec(platform.spec())->c2c_pmus;
  const auto spec =
      std::ranges::find_if(specs, [&](const scoreboard::C2cPmuSpec& one) { return one.name == row.perf_name; });
  const scoreboard::C2cMeaning meaning = scoreboard::c2c_meaning(terms, spec->peer == scoreboard::C2cPeer::gpu);
  if (meaning.is_cycles()) return cycles_of(pmu);
  std::uint32_t instances = 0;
  for (std::size_t peer = 0; peer < spec->masks.size(); ++peer) {
    if (meaning.gpus == 0 || (meaning.gpus >> peer & 1U) != 0) instances |= spec->masks[peer];
  }
  for (unsigned i = 0; i < unit; ++i) instances &= instances - 1;  // the lowest ones
  return [&pmu, traffic = static_cast<tegra410::C2cPmu::Traffic>(meaning.traffic()), instance = only_bit(instances),
          is_outstanding = !meaning.is_requests()](std::uint64_t count, Picoseconds when) {
    pmu.add_at_once(traffic, instance, count, when, end_of(is_outstanding, pmu.clock(), when));
  };
}

}  // namespace

Injection tegra410_injection(platform::Platform& platform, const std::string& pmu, const EventTerms& terms,
                             unsigned unit) {
  for (const PmuRow& row : platform::tegra410_pmus(platform.spec())) {
    if (row.perf_name != pmu) continue;
    tegra410::C2cInterfaces& c2c = platform.get<platform::Tegra410Part>().socket(row.socket).c2c();
    switch (row.type) {
      case PmuType::ucf:
        return at_ucf(platform, row, terms);
      case PmuType::pcie:
        return at_pcie(platform, row, terms);
      case PmuType::pcie_tgt:
        return at_pcie_tgt(platform, row, terms);
      case PmuType::cmem_latency:
        return at_cmem(platform, row, terms, unit);
      case PmuType::nvlink_c2c:
        return at_c2c(platform, row, terms, c2c.nvlink_c2c(), unit);
      case PmuType::nvclink:
        return at_c2c(platform, row, terms, c2c.nvclink(), unit);
      case PmuType::nvdlink:
        return at_c2c(platform, row, terms, c2c.nvdlink(), unit);
      case PmuType::other:
        break;
    }
  }
  return {};
}

}  // namespace pmufab::scenario
