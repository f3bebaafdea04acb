// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/scenario/cmn_kind.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/verify/cmn_driver.h"
#include "testbench/fabrics/cmn/verify/mesh_offer.h"
#include "testbench/fabrics/cmn/verify/mesh_plan.h"
#include "testbench/fabrics/common/values.h"

namespace pmufab::verify {

using scenario::Value;

namespace {

constexpr std::uint64_t kFirstBase = 0x5000'0000;  // of the first mesh's registers
constexpr std::uint64_t kBaseStep = 0x4000'0000;

/// Gateways of two meshes, joined in order.
Value make_links(Random& random, const std::vector<MeshPlan>& meshes) {
  const auto name_of = [](const MeshPlan& mesh) { return mesh.has_ccg() ? "ccg" : "cxrh"; };
  const auto gateways = [](const MeshPlan& mesh) {
    return mesh.has_ccg() ? mesh.count("CCG") + mesh.count("CCG-RNI") : mesh.count("CXRH");
  };
  Value links = Value::sequence();
  const unsigned most = std::min(gateways(meshes[0]), gateways(meshes[1]));
  const std::uint64_t count = random.number(1, std::min(most, 3U));
  for (std::uint64_t gateway = 0; gateway < count; ++gateway) {
    Value& link = links.items.emplace_back(Value::map());
    link.add("from", word(fmt::format("cmn0/{}{}", name_of(meshes[0]), gateway)));
    link.add("to", word(fmt::format("cmn1/{}{}", name_of(meshes[1]), gateway)));
    link.add("latency", word(fmt::format("{} ns", random.number(5, 40))));
    link.add("flit_bytes", number(random.pick({16U, 32U, 64U})));
    link.add("link_credits", number(random.pick({12U, 32U, 64U})));
    link.add("reqtrk_entries", number(random.number(4, 16)));
    link.add("write_buffers", number(random.number(2, 8)));
  }
  return links;
}

/// Adds a mesh that software must leave alone, as the last one: it gets no PMU.
void add_closed_mesh(Random& random, const CmnDriver& driver, std::vector<MeshPlan>& meshes) {
  constexpr unsigned kTries = 10;  // one in seven is a CMN S3 before r2
  for (unsigned tries = 0; tries < kTries; ++tries) {
    MeshPlan mesh = make_mesh(random, driver, false, true);
    mesh.topology.deviations.device_isolation = true;
    if (!cmn::must_be_left_alone(mesh.topology)) continue;
    meshes.push_back(std::move(mesh));
    return;
  }
}

/// @return names of events that are wished for on a mesh.
std::set<std::string> wanted_of(const Wishes& wishes, const MeshPlan& mesh) {
  const auto found = wishes.find(coverage::kind_of_mesh(mesh.topology.product));
  return found == wishes.end() ? std::set<std::string>() : found->second;
}

/// @return a mesh alone; of two, rather the one of the product that lacks more
MeshPlan make_one_mesh(Random& random, const CmnDriver& driver, const Wishes& wishes) {
  MeshPlan mesh = make_mesh(random, driver, false, false);
  if (wishes.empty() || random.chance(50)) return mesh;
  MeshPlan other = make_mesh(random, driver, false, false);
  const std::size_t lacks = wanted_of(wishes, mesh).size();
  const std::size_t other_lacks = wanted_of(wishes, other).size();
  if (lacks + other_lacks == 0) return mesh;
  return random.number(1, lacks + other_lacks) <= other_lacks ? other : mesh;
}

/// @return the meshes, and whether they are linked
std::pair<std::vector<MeshPlan>, bool> make_meshes(Random& random, const CmnDriver& driver, const Wishes& wishes) {
  std::vector<MeshPlan> meshes;
  const auto kind = static_cast<unsigned>(random.number(1, 100));
  if (kind <= 70) {
    meshes.push_back(make_one_mesh(random, driver, wishes));
    return {std::move(meshes), false};
  }
  if (driver.hn_s && random.chance(10)) {
    meshes.push_back(make_mesh(random, driver, false, true));
    add_closed_mesh(random, driver, meshes);
    return {std::move(meshes), false};
  }
  const bool linked = kind <= 90;
  while (meshes.size() < 2) {
    meshes.push_back(make_mesh(random, driver, linked, true));
    meshes.back().is_linked = linked;
  }
  return {std::move(meshes), linked};
}

void describe(Random& random, std::vector<MeshPlan>& meshes, bool linked, GeneratedMachine& machine) {
  const std::uint64_t sockets = random.pick({1, 1, 1, 2, 4});
  const std::uint64_t cpus = sockets == 1 ? random.number(2, 8) : random.number(1, 4);
  machine.cpus = static_cast<unsigned>(sockets * cpus);
  Value& platform = machine.platform = Value::map();
  platform.add("kind", word("cmn"));
  platform.add("name", word("cmn-random"));
  if (sockets > 1) platform.add("sockets", number(sockets));
  platform.add("cpus_per_socket", number(cpus));
  Value list = Value::sequence();
  for (MeshPlan& mesh : meshes) {
    if (random.chance(60)) mesh.socket = static_cast<unsigned>(random.number(0, sockets - 1));
    mesh.topology.base = kFirstBase + list.items.size() * kBaseStep;
    list.items.push_back(mesh.value());
  }
  platform.add("meshes", std::move(list));
  if (linked) platform.add("links", make_links(random, meshes));
  for (const MeshPlan& mesh : meshes) {
    if (cmn::must_be_left_alone(mesh.topology)) break;
    const unsigned first = mesh.socket ? *mesh.socket * static_cast<unsigned>(cpus) : 0;
    const unsigned count = mesh.socket ? static_cast<unsigned>(cpus) : machine.cpus;
    PmuOffer& offer = machine.pmus.emplace_back();
    for (unsigned cpu = first; cpu < first + count; ++cpu) offer.cpus.push_back(cpu);
  }
}

}  // namespace

GeneratedMachine CmnGenerator::make(Random& random, std::string_view kernel, const Wishes& wishes) const {
  const CmnDriver driver(kernel);
  GeneratedMachine machine;
  auto [meshes, linked] = make_meshes(random, driver, wishes);
  machine.window = random.pick({6, 10, 15}) * kMicrosecond;
  describe(random, meshes, linked, machine);
  MeshFlows flows;
  for (unsigned mesh = 0; mesh < meshes.size(); ++mesh)
    add_flows(random, meshes[mesh], mesh, linked ? &meshes[1 - mesh] : nullptr, machine.window, flows);
  for (auto& [key, items] : {std::pair{"chi_traffic", &flows.chi}, std::pair{"mesh_traffic", &flows.flits}}) {
    if (items->empty()) continue;
    Value list = Value::sequence();
    list.items = std::move(*items);
    machine.traffic.emplace_back(key, std::move(list));
  }
  const bool has_bulk = random.chance(75);
  if (has_bulk) {
    machine.host.emplace(Value::map()).add("access_latency", number(0));
    machine.host->add("interrupt_delay", word("1 ps"));
  } else {
    // A carry between two accesses of a reading must be unlikely.
    constexpr Picoseconds kFast = 1'000;
    machine.slowest_access = kFast;
  }
  if (random.chance(45)) {
    Value writes = Value::sequence();
    for (unsigned mesh = 0; mesh < machine.pmus.size(); ++mesh)
      add_firmware_writes(random, meshes[mesh], !has_bulk, writes);
    if (!writes.items.empty()) machine.traffic.emplace_back("firmware_writes", std::move(writes));
  }
  for (unsigned mesh = 0; mesh < machine.pmus.size(); ++mesh) {
    std::set<std::string> wanted = wanted_of(wishes, meshes[mesh]);
    machine.seeks = machine.seeks || !wanted.empty();
    PmuOffer offer =
        make_offer(random, meshes[mesh], driver, {.number = mesh, .has_bulk = has_bulk, .wanted = std::move(wanted)});
    offer.cpus = std::move(machine.pmus[mesh].cpus);
    machine.pmus[mesh] = std::move(offer);
  }
  return machine;
}

}  // namespace pmufab::verify
