// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pmufab::cli {

/// A node of a device tree.
struct TreeNode {
  std::string name;
  std::size_t parent = 0;  ///< index; the root's is its own
  std::map<std::string, std::string> properties;

  /// @return the property's 32-bit numbers; empty if there is no such property
  [[nodiscard]] std::vector<std::uint32_t> cells(const std::string& property) const;
  /// @return the first of them, or `otherwise`
  [[nodiscard]] std::uint32_t cell(const std::string& property, std::uint32_t otherwise) const;
  /// @return the property's strings
  [[nodiscard]] std::vector<std::string> texts(const std::string& property) const;
};

/// A device tree: the root first, each node behind its parent.
class DeviceTree {
 public:
  /// @param blob  the form that dtc writes with -O dtb (Devicetree Specification 0.4, chapter 5), which libfdt reads
  /// @throws std::invalid_argument with the reason if it is not of that form
  explicit DeviceTree(const std::string& blob);

  [[nodiscard]] const std::vector<TreeNode>& nodes() const noexcept { return nodes_; }
  /// @return "/soc/pmu@20000000"
  [[nodiscard]] std::string path(std::size_t node) const;
  /// @return the `status` that says that the node is not there, its own or that of a node above; empty if it is there
  [[nodiscard]] std::string absence(std::size_t node) const;
  /// @return the index of the node with this phandle
  [[nodiscard]] std::optional<std::size_t> node_with(std::uint32_t phandle) const;

  struct Range {
    std::uint64_t base;
    std::uint64_t size;
  };
  /// @return what `reg` names, as addresses of the root, each at its place; nothing where no bus leads to it
  [[nodiscard]] std::vector<std::optional<Range>> registers(std::size_t node) const;

  struct Interrupt {
    std::uint64_t number;
    bool is_edge;
  };
  struct Interrupts {
    std::vector<Interrupt> wires;     ///< of a GIC
    std::vector<std::string> unread;  ///< a line for each interrupt that is no such one, with the reason
  };
  /// @return what `interrupts-extended` names or else `interrupts` (Devicetree Specification 0.4, 2.4), through
  /// `interrupt-map` where a nexus is in between, as the numbers of a GIC (arm,gic-v3.yaml): private ones from 16 on,
  /// shared ones from 32 on, extended private ones from 1056 on, extended shared ones from 4096 on
  [[nodiscard]] Interrupts interrupts(std::size_t node) const;

 private:
  [[nodiscard]] std::optional<std::uint64_t> at_root(std::size_t bus, std::uint64_t address) const;

  std::vector<TreeNode> nodes_;
  std::map<std::uint32_t, std::size_t> handles_;  // nodes by their phandles
};

/// Read a blob (.dtb), or what dtc of Debian's device-tree-compiler makes one of: source (.dts), or a folder such as
/// /proc/device-tree.
/// @param scratch  a folder for dtc's files
/// @throws scenario::InputError if the tree is damaged, and if dtc is needed and not there or does not understand it
[[nodiscard]] DeviceTree read_tree(const std::string& path, const std::filesystem::path& scratch);

}  // namespace pmufab::cli
