// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/import/flat_tree.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "testbench/scenario/yaml/input_error.h"
#include "testbench/scenario/yaml/input_file.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

constexpr std::size_t kCell = 4;
constexpr std::string_view kBlobMagic = "\xd0\x0d\xfe\xed";

[[noreturn]] void refuse_blob(const std::string& reason) { throw std::invalid_argument(reason); }

/// @return the big-endian cell at `at`. @throws std::invalid_argument if it is not there
std::uint32_t blob_cell(std::string_view bytes, std::size_t at) {
  if (bytes.size() < kCell || at > bytes.size() - kCell) refuse_blob("the blob is cut off");
  std::uint32_t value = 0;
  for (std::size_t index = 0; index < kCell; ++index)
    value = value << 8 | static_cast<unsigned char>(bytes[at + index]);
  return value;
}

/// @return the text up to the next zero byte
std::string blob_text(std::string_view bytes, std::size_t at) {
  const std::size_t end = at < bytes.size() ? bytes.find('\0', at) : std::string_view::npos;
  if (end == std::string_view::npos) refuse_blob("a name in the blob has no end");
  return std::string(bytes.substr(at, end - at));
}

std::string_view blob_part(std::string_view blob, std::size_t at, std::size_t size) {
  if (at > blob.size() || size > blob.size() - at) refuse_blob("the blob is cut off");
  return blob.substr(at, size);
}

/// @return the number of up to two cells; nothing if there are more
std::optional<std::uint64_t> joined(const std::vector<std::uint32_t>& cells, std::size_t at, std::size_t count) {
  if (count > 2 || at + count > cells.size()) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t index = 0; index < count; ++index) value = value << 32 | cells[at + index];
  return value;
}

}  // namespace

std::vector<std::uint32_t> TreeNode::cells(const std::string& property) const {
  std::vector<std::uint32_t> numbers;
  const auto found = properties.find(property);
  if (found == properties.end()) return numbers;
  for (std::size_t at = 0; at + kCell <= found->second.size(); at += kCell)
    numbers.push_back(blob_cell(found->second, at));
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

DeviceTree::DeviceTree(std::string_view blob) {
  if (!blob.starts_with(kBlobMagic)) refuse_blob("it does not begin as a blob does");
  constexpr std::size_t kStructure = 8;
  constexpr std::size_t kStrings = 12;
  constexpr std::size_t kStringsSize = 32;
  constexpr std::size_t kStructureSize = 36;
  read_structure(blob_part(blob, blob_cell(blob, kStructure), blob_cell(blob, kStructureSize)),
                 blob_part(blob, blob_cell(blob, kStrings), blob_cell(blob, kStringsSize)));
  if (nodes_.empty()) refuse_blob("the tree has no root");
}

void DeviceTree::read_structure(std::string_view structure, std::string_view strings) {
  enum Token : std::uint32_t { begin_node = 1, end_node = 2, property = 3, nothing = 4, end = 9 };
  const auto aligned = [](std::size_t at) { return (at + kCell - 1) / kCell * kCell; };
  std::vector<std::size_t> open;
  for (std::size_t at = 0;;) {
    const std::uint32_t token = blob_cell(structure, at);
    at += kCell;
    if (token == begin_node) {
      if (open.empty() && !nodes_.empty()) refuse_blob("the tree has two roots");
      std::string name = blob_text(structure, at);
      at = aligned(at + name.size() + 1);
      nodes_.push_back({std::move(name), open.empty() ? 0 : open.back(), {}});
      open.push_back(nodes_.size() - 1);
    } else if (token == property && !open.empty()) {
      const std::size_t size = blob_cell(structure, at);
      std::string name = blob_text(strings, blob_cell(structure, at + kCell));
      nodes_[open.back()].properties[std::move(name)] = std::string(blob_part(structure, at + 2 * kCell, size));
      at = aligned(at + 2 * kCell + size);
    } else if (token == end_node && !open.empty()) {
      open.pop_back();
    } else if (token == end && open.empty()) {
      return;
    } else if (token != nothing) {
      refuse_blob(fmt::format("token {} at byte {:#x} of the structure is out of place", token, at - kCell));
    }
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
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].properties.contains("phandle") && nodes_[node].cell("phandle", 0) == phandle) return node;
  }
  return std::nullopt;
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

std::vector<DeviceTree::Interrupt> DeviceTree::interrupts(std::size_t node) const {
  std::vector<Interrupt> found;
  const std::vector<std::uint32_t> cells = nodes_[node].cells("interrupts");
  std::size_t above = node;
  while (above != 0 && !nodes_[above].properties.contains("interrupt-parent")) above = nodes_[above].parent;
  const std::optional<std::size_t> controller = node_with(nodes_[above].cell("interrupt-parent", 0));
  if (!controller) return found;
  const std::size_t each = nodes_[*controller].cell("#interrupt-cells", 0);
  const std::vector<std::string> kinds = nodes_[*controller].texts("compatible");
  const bool is_gic = std::any_of(kinds.begin(), kinds.end(),
                                  [](const std::string& kind) { return kind.find("gic") != std::string::npos; });
  constexpr std::size_t kGicCells = 3;
  if (!is_gic || each < kGicCells) return found;
  for (std::size_t at = 0; at + each <= cells.size() && at + each > at; at += each) {
    enum Kind : std::uint32_t { shared = 0, own = 1, extended = 2 };
    constexpr std::uint32_t kEdges = 3;
    if (cells[at] > extended) continue;
    const std::uint64_t first = cells[at] == shared ? 32 : cells[at] == own ? 16 : 4096;
    found.push_back({first + cells[at + 1], (cells[at + 2] & kEdges) != 0});
  }
  return found;
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
           "give source (.dts), a blob (.dtb), or a folder such as /proc/device-tree");
  try {
    return DeviceTree(scenario::read_input(blob, kLargest));
  } catch (const std::invalid_argument& error) {
    refuse(error.what(), "read the tree again");
    throw;
  }
}

}  // namespace pmufab::cli
