// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/import/flat_tree.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <libfdt.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

constexpr std::size_t kCell = sizeof(fdt32_t);
constexpr std::string_view kBlobMagic = "\xd0\x0d\xfe\xed";

/// @return the number that a function of libfdt has returned. @throws std::invalid_argument if it tells an error
int checked(int result) {
  if (result < 0) throw std::invalid_argument(fmt::format("the blob is damaged: {}", fdt_strerror(result)));
  return result;
}

/// @return the number of up to two cells; nothing if there are more
std::optional<std::uint64_t> joined(const std::vector<std::uint32_t>& cells, std::size_t at, std::size_t count) {
  if (count > 2 || at + count > cells.size()) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t index = 0; index < count; ++index) value = value << 32 | cells[at + index];
  return value;
}

/// @return whether a line is for the C preprocessor, as in the sources of Linux
bool has_directive(const std::string& source) {
  for (const char* const directive : {"#include", "#define", "#if"}) {
    if (source.starts_with(directive) || source.find("\n" + std::string(directive)) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> TreeNode::cells(const std::string& property) const {
  std::vector<std::uint32_t> numbers;
  const auto found = properties.find(property);
  if (found == properties.end()) return numbers;
  for (std::size_t at = 0; at + kCell <= found->second.size(); at += kCell)
    numbers.push_back(fdt32_ld(reinterpret_cast<const fdt32_t*>(found->second.data() + at)));
  return numbers;
}

std::uint32_t TreeNode::cell(const std::string& property, std::uint32_t otherwise) const {
  const std::vector<std::uint32_t> numbers = cells(property);
  return numbers.empty() ? otherwise : numbers.front();
}

std::vector<std::string> TreeNode::texts(const std::string& property) const {
  std::vector<std::string> strings;
  const auto found = properties.find(property);
  if (found == properties.end()) return strings;
  for (std::size_t at = 0; at < found->second.size();) {
    const std::size_t end = std::min(found->second.find('\0', at), found->second.size());
    strings.push_back(found->second.substr(at, end - at));
    at = end + 1;
  }
  return strings;
}

DeviceTree::DeviceTree(const std::string& blob) {
  const void* const tree = blob.data();
  checked(fdt_check_full(tree, blob.size()));
  std::vector<std::size_t> open;
  int depth = -1;
  for (int at = fdt_next_node(tree, -1, &depth); at >= 0 && depth >= 0; at = fdt_next_node(tree, at, &depth)) {
    open.resize(static_cast<std::size_t>(depth));
    int size = 0;
    const char* const name = fdt_get_name(tree, at, &size);
    checked(size);
    TreeNode& node = nodes_.emplace_back(TreeNode{name, open.empty() ? 0 : open.back(), {}});
    open.push_back(nodes_.size() - 1);
    for (int property = fdt_first_property_offset(tree, at); property >= 0;
         property = fdt_next_property_offset(tree, property)) {
      const char* key = nullptr;
      const void* const value = fdt_getprop_by_offset(tree, property, &key, &size);
      checked(size);
      node.properties[key].assign(static_cast<const char*>(value), static_cast<std::size_t>(size));
    }
    if (const auto handle = node.properties.find("phandle"); handle != node.properties.end())
      handles_.emplace(node.cell("phandle", 0), nodes_.size() - 1);
  }
}

std::string DeviceTree::path(std::size_t node) const {
  std::string text;
  for (; node != 0; node = nodes_[node].parent) text.insert(0, "/" + nodes_[node].name);
  return printable(text.empty() ? "/" : text);
}

std::string DeviceTree::absence(std::size_t node) const {
  for (; node != 0; node = nodes_[node].parent) {
    const std::vector<std::string> status = nodes_[node].texts("status");
    if (!status.empty() && status[0] != "okay" && status[0] != "ok") return printable(status[0]);
  }
  return {};
}

std::optional<std::size_t> DeviceTree::node_with(std::uint32_t phandle) const {
  const auto found = handles_.find(phandle);
  return found == handles_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint64_t> DeviceTree::at_root(std::size_t bus, std::uint64_t address) const {
  for (; bus != 0; bus = nodes_[bus].parent) {
    if (!nodes_[bus].properties.contains("ranges")) return std::nullopt;
    const std::vector<std::uint32_t> ranges = nodes_[bus].cells("ranges");
    if (ranges.empty()) continue;  // the same addresses above
    const std::size_t below = nodes_[bus].cell("#address-cells", 2);
    const std::size_t above = nodes_[nodes_[bus].parent].cell("#address-cells", 2);
    const std::size_t size = nodes_[bus].cell("#size-cells", 1);
    if (below == 0 || below > 2 || above == 0 || above > 2 || size > 2) return std::nullopt;
    bool is_found = false;
    for (std::size_t at = 0; !is_found && at + below + above + size <= ranges.size(); at += below + above + size) {
      const std::uint64_t first = joined(ranges, at, below).value_or(0);
      const std::uint64_t length = joined(ranges, at + below + above, size).value_or(0);
      if (address < first || address - first >= length) continue;
      address = joined(ranges, at + below, above).value_or(0) + (address - first);
      is_found = true;
    }
    if (!is_found) return std::nullopt;
  }
  return address;
}

std::vector<std::optional<DeviceTree::Range>> DeviceTree::registers(std::size_t node) const {
  const std::size_t bus = nodes_[node].parent;
  const std::size_t address = nodes_[bus].cell("#address-cells", 2);
  const std::size_t size = nodes_[bus].cell("#size-cells", 1);
  const std::vector<std::uint32_t> reg = nodes_[node].cells("reg");
  std::vector<std::optional<Range>> ranges;
  if (address == 0 || address > 2 || size > 2) return ranges;
  for (std::size_t at = 0; at + address + size <= reg.size(); at += address + size) {
    const std::optional<std::uint64_t> base = at_root(bus, joined(reg, at, address).value_or(0));
    std::optional<Range>& range = ranges.emplace_back();
    if (base) range = {*base, joined(reg, at + address, size).value_or(0)};
  }
  return ranges;
}

DeviceTree read_tree(const std::string& path, const std::filesystem::path& scratch) {
  const auto refuse = [&](const std::string& reason, const std::string& suggestion) {
    throw scenario::InputError({std::make_shared<const std::string>(path), 0, 0}, {}, reason, suggestion);
  };
  constexpr std::size_t kLargest = 64U << 20;
  std::error_code ignored;
  std::string form = "fs";
  if (!std::filesystem::is_directory(path, ignored)) {
    form = scenario::read_input(path, kBlobMagic.size()).starts_with(kBlobMagic) ? "dtb" : "dts";
    if (!std::filesystem::is_regular_file(path, ignored))
      refuse("is not a regular file", "write the tree to a file first");
    scenario::note_input(path);
  }
  const auto tree_of = [&](const std::string& blob) {
    try {
      return DeviceTree(blob);
    } catch (const std::invalid_argument& error) {
      refuse(error.what(), "read the tree again");
      throw;
    }
  };
  if (form == "dtb") return tree_of(scenario::read_input(path, kLargest));
  const std::string blob = (scratch / "tree.dtb").string();
  const ProgramReply reply = ask_program(
      {"timeout", "60", "dtc", "-q", "-I", form, "-O", "dtb", "-o", blob, std::filesystem::absolute(path).string()});
  if (reply.exit_code == kNoSuchProgram)
    refuse("there is no command dtc, which reads device trees", "install it (Debian's package device-tree-compiler)");
  if (reply.exit_code == kTimedOut)
    refuse("dtc does not end within a minute", "give a blob (.dtb), or a folder such as /proc/device-tree");
  if (reply.exit_code != 0)
    refuse(fmt::format("dtc does not understand the tree: '{}'",
                       printable(reply.errors.substr(0, reply.errors.find('\n')))),
           form == "dts" && has_directive(scenario::read_input(path, kLargest))
               ? "it needs the C preprocessor first: cpp -nostdinc -undef -x assembler-with-cpp -I INCLUDES FILE"
               : "give source (.dts), a blob (.dtb), or a folder such as /proc/device-tree");
  return tree_of(scenario::read_input(blob, kLargest));
}

}  // namespace pmufab::cli
