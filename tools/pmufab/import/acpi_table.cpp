// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/import/acpi_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tlm/spec/printable.h"

namespace pmufab::cli {
namespace {

using scenario::InputError;

constexpr std::array<std::string_view, 4> kReadSignatures = {"APMT", "PPTT", "DSDT", "SSDT"};
constexpr const char* kBinaryTables =
    "give binary tables, as in /sys/firmware/acpi/tables, or the text that acpidump prints";

[[noreturn]] void refuse_table(const std::string& file, const std::string& place, std::string reason,
                               std::string suggestion = kBinaryTables) {
  throw InputError({std::make_shared<const std::string>(file), 0, 0}, place, std::move(reason), std::move(suggestion));
}

bool is_read(std::string_view signature) {
  return std::ranges::find(kReadSignatures, signature) != kReadSignatures.end();
}

TableFile checked_table(const std::string& file, std::string bytes) {
  if (bytes.size() < kTableHeader)
    refuse_table(file, {},
                 fmt::format("has {} bytes, and the header of an ACPI table has {}", bytes.size(), kTableHeader));
  std::string signature = bytes.substr(0, 4);
  if (!is_read(signature))
    refuse_table(file, {}, fmt::format("the signature '{}' is none of a table that pmufab reads", printable(signature)),
                 fmt::format("give tables APMT, PPTT, DSDT and SSDT; {}", kBinaryTables));
  const std::uint64_t size = table_number(bytes, 4, 4);
  if (size != bytes.size())
    refuse_table(file, "header",
                 fmt::format("the table {} has {} bytes, and the file {}", signature, size, bytes.size()),
                 "the file is cut off, or not one table alone: read it again");
  const unsigned sum = std::accumulate(bytes.begin(), bytes.end(), 0U,
                                       [](unsigned all, char byte) { return all + static_cast<unsigned char>(byte); });
  if (sum % 256 != 0)
    refuse_table(
        file, "header",
        fmt::format("the checksum of the table {} is wrong: its bytes add up to {:#04x}, not 0", signature, sum % 256),
        "the file is damaged: read it again");
  return {file, std::move(signature), std::move(bytes)};
}

/// Tables of a folder have any names. One that is named as a table that pmufab reads must be one.
bool has_table_name(const std::filesystem::path& file) {
  std::string name = file.filename().string().substr(0, 4);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::string extension = file.extension().string();
  return is_read(name) && (extension.empty() || extension == ".aml" || extension == ".bin" || extension == ".dat");
}

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  // Linux shows tables that were loaded later in a folder below.
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error) refuse_table(folder, {}, fmt::format("cannot be read: {}", error.message()), {});
  std::ranges::sort(files);
  return files;
}

/// @return whether text begins as a table does that acpidump prints: "APMT @ 0x0000000000000000"
bool is_dump_heading(std::string_view line) {
  constexpr std::string_view kAt = " @ 0x";
  return line.size() > 4 + kAt.size() && line.substr(4, kAt.size()) == kAt;
}

/// @return whether there is such a line. Lines of others may be above: a command that was typed, or a comment.
bool has_dump(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (is_dump_heading(line)) return true;
    if (line.find('\0') != std::string_view::npos) return false;  // no text
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

/// @return text in ASCII. Windows' shells write what acpidump prints as UTF-16, and editors put a mark before UTF-8.
std::string plain_text(std::string bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) return bytes.substr(3);
  if (!bytes.starts_with("\xff\xfe")) return bytes;
  std::string text;
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) text += bytes[at + 1] == 0 ? bytes[at] : '?';
  return text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/// Add the bytes of a line such as "    0010: 41 52 4D 48  ARMH". @return false if it is no such line, or not the next
bool add_dump_line(std::string_view line, std::string& bytes) {
  const std::size_t colon = line.find(':');
  std::size_t at = line.find_first_not_of(' ');
  if (colon == std::string_view::npos || at == colon) return false;
  std::uint64_t offset = 0;
  for (; at < colon; ++at) {
    if (hex_digit(line[at]) < 0) return false;
    offset = offset << 4 | static_cast<unsigned>(hex_digit(line[at]));
  }
  if (offset != bytes.size()) return false;
  constexpr int kMost = 16;
  ++at;
  for (int count = 0; count < kMost && at + 2 < line.size() && line[at] == ' '; ++count, at += 3) {
    const int high = hex_digit(line[at + 1]);
    const int low = hex_digit(line[at + 2]);
    if (high < 0 || low < 0 || (at + 3 < line.size() && line[at + 3] != ' ')) break;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes.size() > offset;
}

/// @return the tables that pmufab reads of the text that acpidump prints: of each a heading, and lines of bytes
std::vector<TableFile> dumped_tables(const std::string& file, std::string_view text) {
  std::vector<TableFile> tables;
  std::string bytes;
  std::string heading;
  const auto finish = [&] {
    if (is_read(heading)) tables.push_back(checked_table(file, std::move(bytes)));
    bytes.clear();
  };
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (is_dump_heading(line)) {
      finish();
      heading = line.substr(0, 4);
    } else if (!heading.empty() && !line.empty() && !add_dump_line(line, bytes)) {
      throw InputError({std::make_shared<const std::string>(file), number, 1}, {},
                       fmt::format("is no line of acpidump with the bytes from {:#x} on of the table {}", bytes.size(),
                                   printable(heading)),
                       "give what acpidump prints, as it is");
    }
  }
  finish();
  return tables;
}

/// The processor structures of a PPTT, by their offsets.
class ProcessorTree {
 public:
  explicit ProcessorTree(const TableFile& table) : table_(table) {
    constexpr std::size_t kSmallest = 20;
    const std::string& bytes = table.bytes;
    for (std::size_t at = kTableHeader; at < bytes.size();) {
      const std::uint64_t size = at + 2 <= bytes.size() ? table_number(bytes, at + 1, 1) : 0;
      const bool is_processor = table_number(bytes, at, 1) == 0;
      if (size < (is_processor ? kSmallest : 2) || size > bytes.size() - at)
        refuse_table(
            table.file, fmt::format("byte {:#x}", at),
            fmt::format("a structure of {} bytes does not fit into the table, which has {}", size, bytes.size()),
            "the file is damaged: read it again");
      if (is_processor)
        nodes_[at] = {static_cast<std::uint32_t>(table_number(bytes, at + 4, 4)), table_number(bytes, at + 8, 4),
                      static_cast<std::uint32_t>(table_number(bytes, at + 12, 4))};
      at += size;
    }
    for (const auto& [at, node] : nodes_) {
      if (node.parent != 0 && !nodes_.contains(node.parent))
        refuse_table(table.file, fmt::format("byte {:#x}", at),
                     fmt::format("the parent of a processor is at {:#x}, where none is", node.parent),
                     "the file is damaged: read it again");
      parents_.insert(node.parent);
    }
  }

  [[nodiscard]] std::vector<Package> packages() const {
    std::vector<std::pair<std::uint64_t, Package>> found;  // by the offset of the package
    for (const auto& [at, node] : nodes_) {
      if (parents_.contains(at)) continue;
      const std::vector<std::uint64_t> line = line_of(at);
      const auto known = std::ranges::find_if(found, [&](const auto& one) { return one.first == line.back(); });
      Package& package = known == found.end() ? found.emplace_back(line.back(), Package{}).second : known->second;
      package.processors.push_back(node.id);
      for (const std::uint64_t above : line) {
        if (above != at && (nodes_.at(above).flags & kIdIsValid) != 0) ++package.containers[nodes_.at(above).id];
      }
    }
    std::vector<Package> packages;
    for (auto& [at, package] : found) packages.push_back(std::move(package));
    return packages;
  }

 private:
  static constexpr std::uint32_t kPackage = 1;
  static constexpr std::uint32_t kIdIsValid = 2;
  struct Node {
    std::uint32_t flags = 0;
    std::uint64_t parent = 0;
    std::uint32_t id = 0;
  };

  /// @return a structure and those above it, up to its package
  [[nodiscard]] std::vector<std::uint64_t> line_of(std::uint64_t at) const {
    constexpr std::size_t kDeepest = 32;
    std::vector<std::uint64_t> line{at};
    while ((nodes_.at(line.back()).flags & kPackage) == 0 && nodes_.at(line.back()).parent != 0) {
      if (line.size() == kDeepest)
        refuse_table(table_.file, fmt::format("byte {:#x}", at), "the parents of a processor go round in a circle",
                     "the file is damaged: read it again");
      line.push_back(nodes_.at(line.back()).parent);
    }
    return line;
  }

  const TableFile& table_;
  std::map<std::uint64_t, Node> nodes_;
  std::set<std::uint64_t> parents_;
};

}  // namespace

std::uint64_t table_number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t index = size; index-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes.at(at + index));
  return value;
}

std::vector<TableFile> read_tables(const std::vector<std::string>& paths) {
  constexpr std::size_t kLargest = 64U << 20;
  constexpr std::size_t kBegin = 4096;  // of a file in a folder, to know what it is
  std::vector<TableFile> tables;
  const auto add_dump = [&](const std::string& file) {
    const std::vector<TableFile> more = dumped_tables(file, plain_text(scenario::read_input(file, kLargest)));
    tables.insert(tables.end(), more.begin(), more.end());
  };
  for (const std::string& path : paths) {
    const std::size_t before = tables.size();
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      std::string bytes = scenario::read_input(path, kLargest);
      if (!has_dump(plain_text(bytes))) {
        tables.push_back(checked_table(path, std::move(bytes)));
        continue;
      }
      add_dump(path);
      if (tables.size() == before) refuse_table(path, {}, "the text has no table APMT, PPTT, DSDT or SSDT");
      continue;
    }
    for (const std::filesystem::path& file : files_in(path)) {
      const std::string first = scenario::read_input(file, kBegin).substr(0, kBegin);
      if (has_dump(plain_text(first)))
        add_dump(file.string());
      else if (has_table_name(file) || is_read(first.substr(0, 4)))
        tables.push_back(checked_table(file.string(), scenario::read_input(file, kLargest)));
    }
    if (tables.size() == before) refuse_table(path, {}, "the folder has no table APMT, PPTT, DSDT or SSDT");
  }
  return tables;
}

std::vector<ApmtEntry> apmt_entries(const TableFile& table) {
  constexpr std::size_t kNode = 56;
  const std::string& bytes = table.bytes;
  std::vector<ApmtEntry> entries;
  for (std::size_t at = kTableHeader; at < bytes.size(); at += kNode) {
    const std::uint64_t size = at + 2 <= bytes.size() ? table_number(bytes, at, 2) : 0;
    if (size != kNode || size > bytes.size() - at)
      refuse_table(table.file, fmt::format("node {}, at byte {:#x}", entries.size(), at),
                   fmt::format("its length is {}, and {} bytes are left; a node of the APMT has {}", size,
                               bytes.size() - at, kNode),
                   "the file is damaged, or of a later revision than 0");
    const auto number = [&](std::size_t offset) {
      return static_cast<std::uint32_t>(table_number(bytes, at + offset, 4));
    };
    const std::uint64_t flags = table_number(bytes, at + 2, 1);
    entries.push_back({.number = entries.size(),
                       .type = static_cast<unsigned>(table_number(bytes, at + 3, 1)),
                       .id = number(4),
                       .primary = table_number(bytes, at + 8, 8),
                       .secondary = number(16),
                       .base0 = table_number(bytes, at + 20, 8),
                       .base1 = table_number(bytes, at + 28, 8),
                       .interrupt = number(36),
                       .interrupt_flags = number(44),
                       .affinity = number(48),
                       .implementation_id = number(52),
                       .has_two_pages = (flags & 1) != 0,
                       .affinity_is_container = (flags & 2) != 0,
                       .is_atomic = (flags & 4) != 0});
  }
  return entries;
}

std::vector<Package> packages_of(const TableFile& table) { return ProcessorTree(table).packages(); }

}  // namespace pmufab::cli
