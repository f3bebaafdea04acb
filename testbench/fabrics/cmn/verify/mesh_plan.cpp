// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/verify/mesh_plan.h"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace pmufab::verify {

using scenario::Value;

namespace {

/// Pictures have the northernmost row first.
template <typename Word>
Value picture(const cmn::Topology& topology, Word word) {
  std::vector<std::string> lines;
  for (unsigned y = topology.rows; y-- > 0;) {
    std::string line;
    for (unsigned x = 0; x < topology.columns; ++x)
      line += fmt::format("{}{}", x == 0 ? "" : " ", word(y * topology.columns + x));
    lines.push_back(std::move(line));
  }
  return list_of(lines);
}

void add_tiles(const MeshPlan& plan, Value& mesh) {
  std::map<std::vector<std::string>, std::string> names;
  Value tiles = Value::map();
  for (const std::vector<std::string>& ports : plan.devices) {
    const auto [place, is_new] = names.emplace(ports, fmt::format("T{}", names.size()));
    if (is_new) tiles.add(place->second, list_of(ports));
  }
  mesh.add("tiles", std::move(tiles));
  mesh.add("rows", picture(plan.topology, [&](unsigned xp) { return names.at(plan.devices[xp]); }));
}

}  // namespace

Value list_of(const std::vector<unsigned>& numbers) {
  Value list = Value::sequence();
  for (const unsigned one : numbers) list.items.push_back(number(one));
  return list;
}
Value list_of(const std::vector<std::string>& texts) {
  Value list = Value::sequence();
  for (const std::string& text : texts) list.items.push_back(word(text));
  return list;
}

Value MeshPlan::value() const {
  Value mesh_value = Value::map();
  mesh_value.add("product", word(product));
  mesh_value.add("revision", word(revision));
  if (topology.variant == cmn::Variant::graviton5) mesh_value.add("variant", word("graviton5"));
  if (acpi) mesh_value.add("firmware", word("acpi"));
  mesh_value.add("clock", word(fmt::format("{} MHz", topology.frequency_hz / 1'000'000)));
  mesh_value.add("base", hexadecimal(topology.base));
  if (topology.multiple_dtm) mesh_value.add("multiple_dtm", flag(true));
  const cmn::VirtualChannels& channels = topology.channels;
  Value numbers = Value::map();
  for (const auto& [key, count] : {std::pair{"req", channels.req}, std::pair{"rsp", channels.rsp},
                                   std::pair{"snp", channels.snp}, std::pair{"dat", channels.dat}}) {
    if (count != 1) numbers.add(key, number(count));
  }
  if (!numbers.entries.empty()) mesh_value.add("channels", std::move(numbers));
  add_tiles(*this, mesh_value);
  if (topology.dtcs > 1)
    mesh_value.add("domains", picture(topology, [&](unsigned xp) { return topology.crosspoints[xp].dtc_domain; }));
  if (topology.variant == cmn::Variant::standard && topology.limits == cmn::kLinux73Limits)
    mesh_value.add("limits", word("linux-7.3"));
  if (!interrupts.empty()) mesh_value.add("interrupts", list_of(interrupts));
  if (socket) mesh_value.add("socket", number(*socket));
  if (mesh) mesh_value.add("mesh", *mesh);
  if (nodes) mesh_value.add("nodes", *nodes);
  if (logical_ids) mesh_value.add("logical_ids", *logical_ids);
  if (topology.root) mesh_value.add("root", hexadecimal(*topology.root));
  if (automotive) mesh_value.add("automotive", flag(true));
  if (topology.deviations.device_isolation) mesh_value.add("device_isolation", flag(true));
  if (!empty_children.empty()) mesh_value.add("empty_children", list_of(empty_children));
  if (!cycles_need_cg_disable) mesh_value.add("pmu", Value::map()).add("cycles_need_cg_disable", flag(false));
  return mesh_value;
}

unsigned MeshPlan::count(std::string_view device) const {
  unsigned sum = 0;
  for (const std::vector<std::string>& ports : devices) {
    for (const std::string& word : ports) {
      if (word == device) ++sum;
      if (word.size() == device.size() + 2 && word.starts_with(device) && word[device.size()] == 'x')
        sum += static_cast<unsigned>(word.back() - '0');
    }
  }
  return sum;
}

}  // namespace pmufab::verify
