// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/import/machine.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tlm/spec/printable.h"
#include "tools/pmufab/import/flat_tree.h"

namespace pmufab::cli {
namespace {

/// The CPUs of a tree. A NUMA node is taken for a socket.
class TreeCpus {
 public:
  TreeCpus(const DeviceTree& tree, FoundMachine& machine) {
    for (std::size_t index = 0; index < tree.nodes().size(); ++index) {
      const TreeNode& node = tree.nodes()[index];
      if (node.texts("device_type") != std::vector<std::string>{"cpu"}) continue;
      // One that is disabled and has a method waits to be started (Devicetree Specification 0.4, 3.8.1).
      const std::string absence = tree.absence(index);
      if (!absence.empty() && !(absence == "disabled" && node.properties.contains("enable-method"))) {
        machine.asides.push_back(fmt::format("{}: a CPU whose status is '{}'", tree.path(index), absence));
        continue;
      }
      std::vector<std::uint32_t>& socket = sockets_[node.cell("numa-node-id", 0)];
      socket.push_back(node.cell("phandle", 0));
      machine.cpus_per_socket = std::max(machine.cpus_per_socket, static_cast<unsigned>(socket.size()));
    }
    if (sockets_.empty()) {
      machine.remarks.emplace_back("the tree has no CPUs: sockets and CPUs are placeholders");
      return;
    }
    machine.sockets = static_cast<unsigned>(sockets_.size());
    machine.remarks.emplace_back(machine.sockets > 1 ? "the tree tells no sockets: these are its NUMA nodes"
                                                     : "the tree tells no sockets: this is one for all CPUs");
  }

  /// @return the socket that the CPUs of a NUMA node are; nothing if it has no CPUs
  [[nodiscard]] std::optional<unsigned> socket_of(std::uint32_t node) const {
    const auto found = sockets_.find(node);
    if (found == sockets_.end()) return std::nullopt;
    return static_cast<unsigned>(std::distance(sockets_.begin(), found));
  }

  /// Put a PMU to the CPUs that it belongs to.
  void place(const std::vector<std::uint32_t>& phandles, FoundPmu& pmu) const {
    if (phandles.empty()) {
      if (sockets_.size() > 1) pmu.facts.remarks.emplace_back("the tree does not tell its CPUs");
      return;
    }
    unsigned number = 0;
    for (const auto& [node, socket] : sockets_) {
      const auto is_its = [&](std::uint32_t cpu) { return std::ranges::find(phandles, cpu) != phandles.end(); };
      const std::ptrdiff_t count = std::ranges::count_if(socket, is_its);
      if (count != 0) {
        pmu.socket = number;
        const auto all = static_cast<std::ptrdiff_t>(socket.size());
        if (phandles.size() == 1 && all > 1)
          pmu.facts.cpu = static_cast<unsigned>(std::ranges::find_if(socket, is_its) - socket.begin());
        else if (count != all || phandles.size() != socket.size())
          pmu.facts.remarks.push_back(
              fmt::format("it belongs to {} CPUs, and not to a whole NUMA node", phandles.size()));
        return;
      }
      ++number;
    }
    pmu.facts.remarks.emplace_back("it belongs to CPUs that the tree does not have");
  }

 private:
  std::map<std::uint32_t, std::vector<std::uint32_t>> sockets_;  // phandles, by NUMA node
};

void add_tree_pmu(const DeviceTree& tree, std::size_t node, const TreeCpus& cpus, FoundMachine& machine) {
  const TreeNode& its = tree.nodes()[node];
  const std::vector<std::optional<DeviceTree::Range>> pages = tree.registers(node);
  FoundPmu pmu{.place = tree.path(node)};
  if (const std::string absence = tree.absence(node); !absence.empty()) {
    machine.others.push_back(fmt::format("{}: a CoreSight PMU whose status is '{}'", pmu.place, absence));
    return;
  }
  if (pages.empty() || !pages[0]) {
    machine.others.push_back(fmt::format("{}: a CoreSight PMU whose registers no address leads to", pmu.place));
    return;
  }
  pmu.facts.base = pages[0]->base;
  if (pages.size() > 2) pmu.facts.remarks.push_back(fmt::format("it has {} pages, here the first two", pages.size()));
  if (pages.size() > 1) {
    if (pages[1])
      pmu.facts.page1 = pages[1]->base;
    else
      pmu.facts.remarks.emplace_back("no address leads to its second page");
  }
  const DeviceTree::Interrupts interrupts = tree.interrupts(node);
  if (!interrupts.wires.empty()) {
    pmu.facts.interrupt = interrupts.wires[0].number;
    pmu.facts.is_edge = interrupts.wires[0].is_edge;
  }
  for (std::size_t more = 1; more < interrupts.wires.size(); ++more)
    pmu.facts.remarks.push_back(fmt::format("it has interrupt {}, too", interrupts.wires[more].number));
  for (const std::string& line : interrupts.unread) pmu.facts.remarks.push_back(line);
  pmu.facts.atomic_64bit = its.cell("reg-io-width", 0) == 8;
  cpus.place(its.cells("cpus"), pmu);
  machine.pmus.push_back(std::move(pmu));
}

void add_tree_mesh(const DeviceTree& tree, std::size_t node, const char* product, const TreeCpus& cpus,
                   FoundMachine& machine) {
  const TreeNode& its = tree.nodes()[node];
  FoundMesh mesh{.place = tree.path(node), .product = product};
  if (const std::string absence = tree.absence(node); !absence.empty()) {
    machine.others.push_back(fmt::format("{}: a mesh {} whose status is '{}'", mesh.place, product, absence));
    return;
  }
  const std::vector<std::optional<DeviceTree::Range>> ranges = tree.registers(node);
  if (!ranges.empty() && ranges[0]) {
    mesh.base = ranges[0]->base;
    mesh.size = ranges[0]->size;
  }
  for (std::size_t more = 1; more < ranges.size(); ++more)
    mesh.remarks.push_back(ranges[more] ? fmt::format("it has registers of {:#x} bytes at {:#x}, too",
                                                      ranges[more]->size, ranges[more]->base)
                                        : "it has further registers, which no address leads to");
  if (its.properties.contains("arm,root-node")) mesh.root = its.cell("arm,root-node", 0);
  DeviceTree::Interrupts interrupts = tree.interrupts(node);
  for (const DeviceTree::Interrupt& wire : interrupts.wires) mesh.interrupts.push_back(wire.number);
  std::move(interrupts.unread.begin(), interrupts.unread.end(), std::back_inserter(mesh.remarks));
  if (its.properties.contains("numa-node-id")) {
    const std::uint32_t numa = its.cell("numa-node-id", 0);
    mesh.socket = cpus.socket_of(numa);
    if (!mesh.socket) mesh.remarks.push_back(fmt::format("it is of NUMA node {}, which has no CPUs", numa));
  }
  machine.meshes.push_back(std::move(mesh));
}

}  // namespace

FoundMachine machine_from_tree(const std::string& path, const std::filesystem::path& scratch) {
  const DeviceTree tree = read_tree(path, scratch);
  FoundMachine machine;
  const std::vector<std::string> models = tree.nodes().front().texts("model");
  machine.origin =
      models.empty() ? "from a device tree" : fmt::format("from the device tree of {}", printable(models[0]));
  const TreeCpus cpus(tree, machine);
  for (std::size_t node = 0; node < tree.nodes().size(); ++node) {
    const TreeNode& its = tree.nodes()[node];
    if (its.texts("device_type") == std::vector<std::string>{"memory"} && tree.absence(node).empty()) {
      for (const std::optional<DeviceTree::Range>& range : tree.registers(node)) {
        if (!range) continue;
        machine.asides.push_back(
            fmt::format("{}: memory, {:#x} bytes from {:#x} on, which is no part of such a platform", tree.path(node),
                        range->size, range->base));
      }
    }
    for (const std::string& compatible : its.texts("compatible")) {
      if (compatible == "arm,coresight-pmu") add_tree_pmu(tree, node, cpus, machine);
      if (const char* const product = mesh_product(compatible); product != nullptr)
        add_tree_mesh(tree, node, product, cpus, machine);
    }
  }
  return machine;
}

}  // namespace pmufab::cli
