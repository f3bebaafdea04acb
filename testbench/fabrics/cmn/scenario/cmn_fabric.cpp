// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_fabric.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/nodes/home/home_node.h"
#include "models/cmn/nodes/memory/sn_f.h"
#include "models/cmn/part/cmn_meshes.h"
#include "models/cmn/part/cmn_spec.h"
#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/fabrics/cmn/scenario/judge_spec.h"
#include "testbench/fabrics/cmn/scenario/mesh_load.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

/// @return false for the side of an XP at the edge of the mesh
bool leads_somewhere(const cmn::MeshParameters& mesh, unsigned xp, cmn::Interface interface) {
  switch (interface) {
    case cmn::Interface::east:
      return xp % mesh.columns + 1 < mesh.columns;
    case cmn::Interface::west:
      return xp % mesh.columns > 0;
    case cmn::Interface::north:
      return xp / mesh.columns + 1 < mesh.rows;
    case cmn::Interface::south:
      return xp / mesh.columns > 0;
    default:
      return true;
  }
}

/// The loads of the links that leave XPs: flits, and cycles in which one waited for a credit, of all channels.
void add_links(std::size_t index, const cmn::MeshEngine& engine, std::vector<Gauge>& gauges) {
  const cmn::MeshParameters& mesh = engine.parameters();
  for (unsigned xp = 0; xp < mesh.xps(); ++xp) {
    const unsigned used = static_cast<unsigned>(cmn::Interface::port0) + mesh.ports_of(xp);
    for (unsigned i = 0; i < used; ++i) {
      const auto interface = static_cast<cmn::Interface>(i);
      if (!leads_somewhere(mesh, xp, interface)) continue;
      const std::string name = fmt::format("cmn{}.xp{}.{}", index, xp, cmn::to_string(interface));
      for (const auto& [event, what] : {std::pair{cmn::FlitEvent::valid, "flits"}, {cmn::FlitEvent::stall, "stalls"}}) {
        gauges.push_back({fmt::format("{}.{}", name, what), true, [&engine, xp, interface, event = event] {
                            std::uint64_t sum = 0;
                            for (const cmn::Channel channel : engine.parameters().channels)
                              sum += engine.tally(xp, interface, channel, event);
                            return sum;
                          }});
      }
    }
  }
}

/// An interface of an XP, and what has left by it on a channel.
struct Busiest {
  unsigned xp = 0;
  cmn::Interface interface = cmn::Interface::east;
  cmn::Channel channel = cmn::Channel::req;
  std::uint64_t flits = 0;
  std::uint64_t stalls = 0;  // cycles in which one waited for a credit
};

/// @return the one that was used in most cycles; nothing if there was no traffic
std::optional<Busiest> busiest_of(const cmn::MeshEngine& engine) {
  std::optional<Busiest> busiest;
  const cmn::MeshParameters& mesh = engine.parameters();
  for (unsigned xp = 0; xp < mesh.xps(); ++xp) {
    const unsigned used = static_cast<unsigned>(cmn::Interface::port0) + mesh.ports_of(xp);
    for (unsigned i = 0; i < used; ++i) {
      const auto interface = static_cast<cmn::Interface>(i);
      if (!leads_somewhere(mesh, xp, interface)) continue;
      for (const cmn::Channel channel : mesh.channels) {
        const std::uint64_t flits = engine.tally(xp, interface, channel, cmn::FlitEvent::valid);
        if (flits > (busiest ? busiest->flits : 0))
          busiest = {xp, interface, channel, flits, engine.tally(xp, interface, channel, cmn::FlitEvent::stall)};
      }
    }
  }
  return busiest;
}

/// The requests that homes hold, in the order of their numbers.
void add_homes(std::size_t index, const cmn::Nodes& nodes, std::vector<Gauge>& gauges) {
  gauges.push_back({fmt::format("cmn{}.transactions", index), false, [&nodes] { return nodes.pending(); }});
  for (const std::uint16_t id : nodes.addresses().nodes(cmn::DeviceKind::home)) {
    const auto* const home = dynamic_cast<const cmn::HomeNode*>(nodes.find(id));
    if (home == nullptr) continue;
    gauges.push_back({fmt::format("cmn{}.home_{:#x}.pocq", index, id), false,
                      [home] { return static_cast<std::uint64_t>(home->pocq_occupancy().entries(0)); }});
  }
}

/// The home whose POCQ was fullest. @param first, end  cycles: of the traffic
void add_busiest_home(const std::string& mesh, const cmn::Nodes& nodes, cmn::Cycle first, cmn::Cycle end,
                      Json& networks) {
  const cmn::HomeNode* busiest = nullptr;
  std::uint16_t node_id = 0;
  double most = 0;
  for (const std::uint16_t id : nodes.addresses().nodes(cmn::DeviceKind::home)) {
    const auto* const home = dynamic_cast<const cmn::HomeNode*>(nodes.find(id));
    if (home == nullptr) continue;
    const double use = static_cast<double>(home->pocq_occupancy().sum(0, end)) / home->pocq_entries();
    if (use <= most) continue;
    busiest = home;
    node_id = id;
    most = use;
  }
  if (busiest == nullptr) return;
  add_busiest(mesh + "_homes", fmt::format("POCQ of home {:#x}", node_id), most,
              static_cast<double>(busiest->pocq_full().cycles(end)), static_cast<double>(end - first), networks);
}

/// The memory node that was busy for longest.
void add_busiest_memory(const std::string& mesh, const cmn::Nodes& nodes, cmn::Cycle cycles, Json& networks) {
  const cmn::SnF* busiest = nullptr;
  std::uint16_t node_id = 0;
  for (const std::uint16_t id : nodes.addresses().nodes(cmn::DeviceKind::sn_f)) {
    const auto* const memory = dynamic_cast<const cmn::SnF*>(nodes.find(id));
    if (memory == nullptr || (busiest != nullptr && memory->busy() <= busiest->busy())) continue;
    busiest = memory;
    node_id = id;
  }
  if (busiest == nullptr) return;
  add_busiest(mesh + "_memory", fmt::format("SN-F {:#x}", node_id), static_cast<double>(busiest->busy()),
              static_cast<double>(busiest->waited()), static_cast<double>(cycles), networks);
}

std::uint64_t cycles_of(const cmn::AxiParameters& axi) {
  constexpr std::uint64_t kBeats = 4;
  return std::uint64_t{axi.ar_period} + axi.aw_period + kBeats * axi.w_period + axi.read_latency + axi.write_latency;
}

/// @return more cycles than pass between two movements while nodes take all the time they were given.
std::uint64_t quiet_cycles(const cmn::NodeParameters& nodes) {
  constexpr std::uint64_t kLeast = 2'000'000;
  constexpr std::uint64_t kMost = 10'000'000;
  const std::uint64_t sum = std::uint64_t{nodes.rn_f.latency} + nodes.sn_f.latency + nodes.sn_f.response_latency +
                            nodes.sn_f.cycles_per_request + nodes.home.latency + nodes.rn_i.latency +
                            nodes.io_home.latency + cycles_of(nodes.io_home.axi) + nodes.dvm_node.latency +
                            nodes.sbsx.latency + cycles_of(nodes.sbsx.axi) + nodes.mtsx.latency +
                            cycles_of(nodes.mtsx.axi);
  return std::clamp(2 * sum, kLeast, kMost);
}

/// Make what a specification of traffic asks for. @throws InputError
template <typename Make>
void make_on(const platform::Platform& platform, unsigned mesh, const std::string& field, Make make) {
  if (mesh >= platform.get<platform::CmnMeshes>().size())
    throw InputError({}, field + ".mesh", fmt::format("there is no mesh {}", mesh),
                     fmt::format("the platform has {}", platform.get<platform::CmnMeshes>().size()));
  with_input_errors(make);
}

}  // namespace

CmnFabric::CmnFabric(const FabricContext& context)
    : platform_(context.platform),
      flows_(make_flows(platform_, context.workload)),
      chi_traffic_(make_chi_traffic(platform_, context.workload)) {
  const std::vector<scoreboard::CmnJudgeSpec> meshes = cmn_judge_specs(platform_.spec());
  std::vector<scoreboard::CmnJudge*> judges;
  for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) {
    judges.push_back(
        &context.scoreboard.add(std::make_unique<scoreboard::CmnJudge>(meshes[mesh], context.scoreboard.chronicle())));
    platform_.get<platform::CmnMeshes>().mesh(mesh).set_observer(context.listener(*judges.back()));
  }
  link_judges(platform_.spec(), meshes, judges);
  if (context.has_reference_software)
    reference_ = std::make_unique<CmnService>(context.host, mesh_pmus(platform_.spec(), platform_.firmware()),
                                              context.listener(context.scoreboard));
}

// The judge may be gone before the platform is.
CmnFabric::~CmnFabric() {
  for (std::size_t mesh = 0; mesh < platform_.get<platform::CmnMeshes>().size(); ++mesh)
    platform_.get<platform::CmnMeshes>().mesh(mesh).set_observer(nullptr);
}

std::vector<std::unique_ptr<traffic::FlitFlow>> make_flows(platform::Platform& platform, const Workload& workload) {
  std::vector<std::unique_ptr<traffic::FlitFlow>> flows;
  for (const traffic::FlitFlowSpec& spec : workload.of<CmnWorkload>().flits) {
    const std::string field = fmt::format("mesh_traffic[{}]", flows.size());
    make_on(platform, spec.mesh, field, [&] {
      flows.push_back(std::make_unique<traffic::FlitFlow>(platform.get<platform::CmnMeshes>().mesh(spec.mesh), spec,
                                                          field, workload.seed));
    });
  }
  return flows;
}

std::vector<std::unique_ptr<traffic::ChiTraffic>> make_chi_traffic(platform::Platform& platform,
                                                                   const Workload& workload) {
  std::vector<std::unique_ptr<traffic::ChiTraffic>> all;
  for (const traffic::ChiTrafficSpec& spec : workload.of<CmnWorkload>().chi) {
    const std::string field = fmt::format("chi_traffic[{}]", all.size());
    make_on(platform, spec.mesh, field, [&] {
      all.push_back(std::make_unique<traffic::ChiTraffic>(platform.get<platform::CmnMeshes>().mesh(spec.mesh),
                                                          platform.get<platform::CmnMeshes>().nodes(spec.mesh), spec,
                                                          field, workload.seed));
    });
  }
  return all;
}

void CmnFabric::start_traffic() {
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  began_ = now;
  for (const auto& chi : chi_traffic_) chi->start(now);
  for (const auto& flow : flows_) flow->start(now);
}

void CmnFabric::stop_traffic() {
  for (const auto& chi : chi_traffic_) chi->stop();
  for (const auto& flow : flows_) flow->stop();
}

std::uint64_t CmnFabric::operations_ahead() const {
  auto& meshes = platform_.get<platform::CmnMeshes>();
  std::uint64_t cycles = 0;
  for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) cycles += meshes.mesh(mesh).cycles_ahead();
  return cycles;
}

bool CmnFabric::traffic_is_over() const {
  const auto has_ended = [](const auto& traffic) { return traffic->ended(); };
  return std::ranges::all_of(flows_, has_ended) && std::ranges::all_of(chi_traffic_, has_ended) && progress().done();
}

void CmnFabric::add_gauges(std::vector<Gauge>& gauges) const {
  for (const auto& flow : flows_) {
    gauges.push_back(
        {fmt::format("mesh_traffic.{}.flits", flow->name()), true, [one = flow.get()] { return one->uploaded(); }});
  }
  for (const auto& chi : chi_traffic_) {
    const traffic::ChiTraffic* const one = chi.get();
    gauges.push_back({fmt::format("chi_traffic.{}.operations", one->name()), true, [one] { return one->begun(); }});
    gauges.push_back({fmt::format("chi_traffic.{}.outstanding", one->name()), false,
                      [one] { return one->begun() - one->completed(); }});
  }
  for (std::size_t index = 0; index < platform_.get<platform::CmnMeshes>().size(); ++index) {
    const cmn::Mesh& mesh = platform_.get<platform::CmnMeshes>().mesh(index);
    gauges.push_back(
        {fmt::format("cmn{}.flits_under_way", index), false, [&mesh] { return mesh.uploaded() - mesh.delivered(); }});
    add_homes(index, platform_.get<platform::CmnMeshes>().nodes(index), gauges);
    add_links(index, mesh.engine(), gauges);
  }
}

void report(const std::vector<std::unique_ptr<traffic::FlitFlow>>& flows, Json& list) {
  for (const auto& flow : flows) {
    Json item;
    item["name"] = flow->name();
    item["issued"] = flow->uploaded();
    item["offered"] = flow->offered();
    item["latency_cycles"] = to_json(flow->latencies());
    item["stalls"] = {{"port_cycles", flow->waited()}};
    list.push_back(std::move(item));
  }
}

void report(const std::vector<std::unique_ptr<traffic::ChiTraffic>>& traffic, Json& list) {
  for (const auto& chi : traffic) {
    Json item;
    item["name"] = chi->name();
    item["issued"] = chi->begun();
    item["completed"] = chi->completed();
    item["mean_latency_cycles"] = chi->latencies().mean();
    item["latency_cycles"] = to_json(chi->latencies());
    add_idle_and_loaded(chi->latencies(), "cycles", item);
    const traffic::ChiCycles& cycles = chi->cycles();
    item["stalls"] = {{"outstanding_limit_cycles", cycles.outstanding},
                      {"answer_cycles", cycles.answer},
                      {"credit_cycles", cycles.credit},
                      {"port_cycles", cycles.port},
                      {"idle_cycles", cycles.idle},
                      {"issuing_cycles", cycles.issuing}};
    list.push_back(std::move(item));
  }
}

void CmnFabric::report_traffic(Json& list) const {
  report(flows_, list);
  report(chi_traffic_, list);
}

void CmnFabric::report_busiest(Json& networks) const {
  const Picoseconds now = simulated_time();
  for (std::size_t index = 0; index < platform_.get<platform::CmnMeshes>().size(); ++index) {
    const ClockDomain& clock = platform_.get<platform::CmnMeshes>().mesh(index).clock();
    const cmn::Cycle first = clock.edges_before(began_);
    const cmn::Cycle end = clock.edges_before(now);
    const cmn::Cycle cycles = end - first;
    const std::optional<Busiest> busiest = busiest_of(platform_.get<platform::CmnMeshes>().mesh(index).engine());
    if (!busiest || cycles == 0) continue;
    const std::string mesh = fmt::format("cmn{}", index);
    add_busiest(mesh,
                fmt::format("xp{}.{}, channel {}", busiest->xp, cmn::to_string(busiest->interface),
                            cmn::to_string(busiest->channel)),
                static_cast<double>(busiest->flits), static_cast<double>(busiest->stalls), static_cast<double>(cycles),
                networks);
    if (chi_traffic_.empty()) continue;
    add_busiest_home(mesh, platform_.get<platform::CmnMeshes>().nodes(index), first, end, networks);
    add_busiest_memory(mesh, platform_.get<platform::CmnMeshes>().nodes(index), cycles, networks);
  }
}

void CmnFabric::report_load(Json& list) const {
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  for (std::size_t mesh = 0; mesh < platform_.get<platform::CmnMeshes>().size(); ++mesh) {
    const auto& clock = platform_.get<platform::CmnMeshes>().mesh(mesh).clock();
    list.push_back(to_json(load_of(platform_.get<platform::CmnMeshes>().mesh(mesh).engine(),
                                   clock.edges_before(now) - clock.edges_before(began_))));
  }
}

std::optional<unsigned> CmnFabric::socket_of(const std::string& pmu) const {
  const std::vector<platform::CmnSpec>& meshes = platform_.spec().of<platform::CmnMeshesSpec>().meshes;
  for (std::size_t index = 0; index < meshes.size(); ++index) {
    if (pmu == fmt::format("arm_cmn_{}", index)) return meshes[index].socket;
  }
  return std::nullopt;
}

void CmnFabric::check_event(const perf::ResolvedEvent& event) const {
  for (std::size_t mesh = 0; mesh < platform_.get<platform::CmnMeshes>().size(); ++mesh)
    check_modelled(event, mesh, platform_.get<platform::CmnMeshes>().mesh(mesh).topology());
}

scoreboard::Injection CmnFabric::injection(const perf::ResolvedEvent& event, unsigned /*unit*/) {
  const std::vector<scoreboard::CmnJudgeSpec> meshes = cmn_judge_specs(platform_.spec());
  for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) {
    if (meshes[mesh].pmu == event.pmu)
      return cmn_injection(platform_, mesh, scoreboard::cmn_meaning(event.terms, meshes[mesh].layout));
  }
  return {};
}

bool CmnFabric::counts_in_a_pair(const perf::ResolvedEvent& event) const {
  return std::ranges::any_of(event.terms, [](const scoreboard::EventTerm& term) {
    return term.name == "wp_combine" && term.value.value_or(1) != 0;
  });
}

std::string CmnFabric::hint(const perf::ResolvedEvent& event) const {
  std::string text;
  for (std::size_t mesh = 0; mesh < platform_.get<platform::CmnMeshes>().size() && text.empty(); ++mesh)
    text = hint_of_nodes(event, mesh, platform_.get<platform::CmnMeshes>().mesh(mesh).topology());
  return text;
}

DrainProgress CmnFabric::progress() const {
  DrainProgress sum;
  for (std::size_t mesh = 0; mesh < platform_.get<platform::CmnMeshes>().size(); ++mesh) {
    sum.uploaded += platform_.get<platform::CmnMeshes>().mesh(mesh).uploaded();
    sum.delivered += platform_.get<platform::CmnMeshes>().mesh(mesh).delivered();
    sum.pending += platform_.get<platform::CmnMeshes>().nodes(mesh).pending();
  }
  sum.pending += platform_.get<platform::CmnMeshes>().pending_at_links();
  return sum;
}

Picoseconds CmnFabric::drain_patience() const { return mesh_patience(platform_.spec()); }

Picoseconds mesh_patience(const platform::PlatformSpec& spec) {
  constexpr Picoseconds kLeast = 1'000'000'000;
  constexpr Picoseconds kSecond = 1'000'000'000'000;
  Picoseconds patience = kLeast;
  for (const platform::CmnSpec& mesh : spec.of<platform::CmnMeshesSpec>().meshes)
    patience = std::max(patience, quiet_cycles(mesh.nodes) * kSecond / mesh.topology.frequency_hz);
  for (const platform::CmnLinkSpec& link : spec.of<platform::CmnMeshesSpec>().links)
    patience = std::max(patience, kLeast + link.parameters.latency);
  return patience;
}

}  // namespace pmufab::scenario
