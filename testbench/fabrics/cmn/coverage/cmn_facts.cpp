// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_kind.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/cmn/description/layout.h"
#include "models/cmn/part/cmn_spec.h"

namespace pmufab::coverage {
namespace {

using platform::PlatformSpec;

constexpr std::uint64_t kPairStride = 0x10;     // counters of a DTC come in pairs
constexpr std::uint64_t kCycleRegister = 0x40;  // por_dt_pmccntr, behind four pairs
constexpr unsigned kMeshCycles = 8;             // number of the cycle counter
constexpr const char* kCyclesEvent = "dtc_cycles";

/// @param offset  from the counters of a DTC
std::optional<unsigned> counter_of_dtc(std::uint64_t offset, std::uint64_t /*data*/) {
  if (offset == kCycleRegister) return kMeshCycles;
  if (offset > kCycleRegister) return std::nullopt;
  return static_cast<unsigned>(offset / kPairStride * 2 + (offset % kPairStride >= 4 ? 1 : 0));
}

bool is_watchpoint(const perf::PmuCatalog::Event& event) { return event.definition.find("=?") != std::string::npos; }

/// Fields of arm_cmn share bits. Those of watchpoints have a meaning for watchpoints alone; occupid and filter are part
/// of an event's definition.
bool filters_mesh_event(const perf::PmuCatalog::Event& event, std::string_view format) {
  if (format.starts_with("wp_")) return is_watchpoint(event);
  return format == "bynodeid" && event.name != kCyclesEvent;
}

/// The shape of a mesh.
void add_shape(PmuClasses& classes, const cmn::Topology& mesh) {
  constexpr std::size_t kMany = 128;
  const bool is_line = mesh.columns == 1 || mesh.rows == 1;
  const std::size_t xps = std::size_t{mesh.columns} * mesh.rows;
  classes.add("wider than tall", !is_line && mesh.columns > mesh.rows);
  classes.add("taller than wide", !is_line && mesh.columns < mesh.rows);
  classes.add("square", !is_line && mesh.columns == mesh.rows);
  classes.add("a single line", is_line && xps > 1);
  classes.add("one crosspoint", xps == 1);
  classes.add("more than 128 crosspoints", xps > kMany);
}

/// DTCs whose domains do not follow the order of their nodes.
bool has_shuffled_dtcs(const cmn::Topology& mesh) {
  std::vector<unsigned> order;
  for (const cmn::Crosspoint& crosspoint : mesh.crosspoints) {
    const auto note = [&](const cmn::Node& node) {
      if (node.type == cmn::NodeType::dtc) order.push_back(crosspoint.dtc_domain);
    };
    for (const cmn::Port& port : crosspoint.ports) std::ranges::for_each(port.nodes, note);
    std::ranges::for_each(crosspoint.nodes, note);
  }
  return !std::ranges::is_sorted(order);
}

void add_domains(PmuFacts& facts, PmuClasses& classes, const platform::CmnSpec& spec) {
  const cmn::Topology& mesh = spec.topology;
  for (unsigned dtcs = 1; dtcs <= cmn::kMaximumDtcs; ++dtcs)
    classes.add(fmt::format("{} DTC{}", dtcs, dtcs == 1 ? "" : "s"), mesh.dtcs == dtcs);
  classes.add("DTCs in another order than their nodes", has_shuffled_dtcs(mesh));
  classes.add("one DTM for a crosspoint", !mesh.multiple_dtm);
  classes.add("several DTMs for a crosspoint", mesh.multiple_dtm);
  const std::set<unsigned> lines(spec.interrupts.begin(), spec.interrupts.end());
  facts.wirings = {"a line for each DTC", "DTCs share a line"};
  facts.wiring =
      spec.interrupts.empty() || lines.size() == spec.interrupts.size() ? facts.wirings[0] : facts.wirings[1];
  facts.event_width = "event counters";
  facts.cycles_width = "cycle counters";
  facts.widths = {facts.event_width, facts.cycles_width};
}

void add_mesh(PmuFacts& facts, const PlatformSpec& platform, std::size_t number) {
  const platform::CmnSpec& spec = platform.of<platform::CmnMeshesSpec>().meshes[number];
  const cmn::Topology& mesh = spec.topology;
  const cmn::ProductFacts& product = cmn::facts_of(mesh.product, mesh.revision);
  facts.kind = kind_of_mesh(mesh.product);
  facts.counter_at = counter_of_dtc;
  facts.counters = cmn::kGlobalCounters;
  facts.cycle_counter = kMeshCycles;
  facts.cycles_event = kCyclesEvent;
  facts.filters = filters_mesh_event;
  const cmn::Layout layout(mesh);
  for (unsigned dtc = 0; dtc < mesh.dtcs; ++dtc) {
    facts.places.push_back(fmt::format("cmn{}.dtc{}.INTREQPMU", number, dtc));
    facts.registers.push_back(mesh.base + layout.nodes()[layout.dtc_node(dtc)].offset + product.dtc_base);
  }
  PmuClasses classes(facts);
  add_shape(classes, mesh);
  add_domains(facts, classes, spec);
  for (unsigned revision = 0; revision < product.revisions; ++revision)
    classes.add(fmt::format("revision {}", revision), mesh.revision == revision);
  const auto has_port = [&](auto wanted) {
    return std::ranges::any_of(mesh.crosspoints, [&](const cmn::Crosspoint& crosspoint) {
      return std::ranges::any_of(crosspoint.ports, wanted);
    });
  };
  classes.add("several devices at a port", has_port([](const cmn::Port& port) { return cmn::device_count(port) > 1; }));
  classes.add("several meshes", platform.of<platform::CmnMeshesSpec>().meshes.size() > 1);
  classes.add("linked with another mesh",
              std::ranges::any_of(platform.of<platform::CmnMeshesSpec>().links, [&](const platform::CmnLinkSpec& link) {
                return link.from.mesh == number || link.to.mesh == number;
              }));
}

std::optional<PmuFacts> facts_of_mesh(const PlatformSpec& platform, const std::string& pmu) {
  const auto mesh = number_after(pmu, "arm_cmn_");
  if (!mesh || *mesh >= platform.of<platform::CmnMeshesSpec>().meshes.size()) return std::nullopt;
  PmuFacts facts;
  add_mesh(facts, platform, *mesh);
  return facts;
}

}  // namespace

std::string kind_of_mesh(cmn::Product product) { return fmt::format("arm_cmn_* ({})", cmn::to_string(product)); }

const FactsRoom& cmn_facts() {
  static const FactsRoom room = {facts_of_mesh, {"type", "eventid"}, {"occupid"}};
  return room;
}

}  // namespace pmufab::coverage
