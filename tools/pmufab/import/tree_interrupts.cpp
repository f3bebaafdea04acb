// SPDX-License-Identifier: Apache-2.0
// Which interrupts a node of a device tree has: Devicetree Specification 0.4, 2.4.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/pmufab/import/flat_tree.h"

namespace pmufab::cli {
namespace {

using Cells = std::vector<std::uint32_t>;

/// An interrupt as one controller or nexus names it.
struct Specifier {
  std::size_t controller;
  Cells address;  ///< of the unit that has it
  Cells cells;
};

Cells part_of(const Cells& cells, std::size_t at, std::size_t count) {
  Cells part(count);  // what is not there is 0
  for (std::size_t index = 0; index < count && at + index < cells.size(); ++index) part[index] = cells[at + index];
  return part;
}

/// @return where interrupts of a node go that names no controller with them
std::optional<std::size_t> interrupt_parent(const DeviceTree& tree, std::size_t node) {
  while (node != 0) {
    const TreeNode& its = tree.nodes()[node];
    if (its.properties.contains("interrupt-parent")) return tree.node_with(its.cell("interrupt-parent", 0));
    node = its.parent;
    if (tree.nodes()[node].properties.contains("#interrupt-cells")) return node;
  }
  const TreeNode& root = tree.nodes()[node];
  if (!root.properties.contains("interrupt-parent")) return std::nullopt;
  return tree.node_with(root.cell("interrupt-parent", 0));
}

/// @return what the nexus makes of the interrupt; nothing if its map has no such entry, or an entry without an end
std::optional<Specifier> mapped(const DeviceTree& tree, const Specifier& from) {
  const TreeNode& nexus = tree.nodes()[from.controller];
  const Cells map = nexus.cells("interrupt-map");
  const std::size_t units = nexus.cell("#address-cells", 2);
  Cells wanted = part_of(from.address, 0, units);
  wanted.insert(wanted.end(), from.cells.begin(), from.cells.end());
  const Cells mask = nexus.cells("interrupt-map-mask");
  const auto is_it = [&](std::size_t at) {
    for (std::size_t index = 0; index < wanted.size(); ++index) {
      const std::uint32_t bits = index < mask.size() ? mask[index] : ~0U;
      if (((wanted[index] ^ map[at + index]) & bits) != 0) return false;
    }
    return true;
  };
  for (std::size_t at = 0; at + wanted.size() < map.size();) {
    const std::optional<std::size_t> parent = tree.node_with(map[at + wanted.size()]);
    if (!parent) return std::nullopt;
    const TreeNode& above = tree.nodes()[*parent];
    const std::size_t first = at + wanted.size() + 1;
    const std::size_t address = above.cell("#address-cells", 0);
    const std::size_t count = above.cell("#interrupt-cells", 0);
    if (address > map.size() || count > map.size() || first + address + count > map.size()) return std::nullopt;
    if (is_it(at)) return Specifier{*parent, part_of(map, first, address), part_of(map, first + address, count)};
    at = first + address + count;
  }
  return std::nullopt;
}

/// Add the interrupt, or why it is none of a GIC.
void add_interrupt(const DeviceTree& tree, Specifier specifier, DeviceTree::Interrupts& found) {
  const auto leave_out = [&](std::string_view reason) {
    found.unread.push_back(fmt::format("its interrupt <{}> of {} {}", fmt::join(specifier.cells, " "),
                                       tree.path(specifier.controller), reason));
  };
  constexpr int kDeepest = 16;
  for (int depth = 0; tree.nodes()[specifier.controller].properties.contains("interrupt-map"); ++depth) {
    if (depth == kDeepest) return leave_out("goes round in a circle of interrupt-maps");
    std::optional<Specifier> next = mapped(tree, specifier);
    if (!next) return leave_out("leads nowhere: its interrupt-map has no such entry");
    specifier = std::move(*next);
  }
  const std::vector<std::string> kinds = tree.nodes()[specifier.controller].texts("compatible");
  const bool is_gic =
      std::ranges::any_of(kinds, [](const std::string& kind) { return kind.find("gic") != std::string::npos; });
  constexpr std::size_t kGicCells = 3;
  if (!is_gic || specifier.cells.size() < kGicCells) return leave_out("is none of a GIC, whose numbers a platform has");
  constexpr std::uint32_t kFirst[] = {32, 16, 4096, 1056};  // shared, private, and the extended ones of both
  constexpr std::uint32_t kEdges = 3;
  if (specifier.cells[0] >= std::size(kFirst)) return leave_out("is of a kind that pmufab does not know");
  found.wires.push_back(
      {std::uint64_t{kFirst[specifier.cells[0]]} + specifier.cells[1], (specifier.cells[2] & kEdges) != 0});
}

}  // namespace

DeviceTree::Interrupts DeviceTree::interrupts(std::size_t node) const {
  Interrupts found;
  const bool is_extended = nodes_[node].properties.contains("interrupts-extended");
  const Cells cells = nodes_[node].cells(is_extended ? "interrupts-extended" : "interrupts");
  const std::optional<std::size_t> parent = is_extended ? std::nullopt : interrupt_parent(*this, node);
  for (std::size_t at = 0; at < cells.size();) {
    const std::optional<std::size_t> controller = is_extended ? node_with(cells[at++]) : parent;
    const std::size_t count = controller ? nodes_[*controller].cell("#interrupt-cells", 0) : 0;
    if (count == 0 || count > cells.size() - at) {
      found.unread.emplace_back(!controller  ? "its interrupts belong to a controller that is not in the tree"
                                : count == 0 ? "its interrupts belong to a node that does not say how it names them"
                                             : "its last interrupt is cut off");
      break;
    }
    add_interrupt(*this, {*controller, nodes_[node].cells("reg"), part_of(cells, at, count)}, found);
    at += count;
  }
  return found;
}

}  // namespace pmufab::cli
