// SPDX-License-Identifier: Apache-2.0
// CMSIS-SVD 1.3. What an element does not say, the one that it derives from does, and then those around it.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/input_file.h"
#include "tlm/registers/register_spec.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/import/register_file.h"
#include "tools/pmufab/regs/register_map.h"

namespace pmufab::cli {
namespace {

constexpr std::size_t kMostSvdBytes = 64U << 20;
constexpr int kDeepestSvd = 32;
constexpr std::uint64_t kLargestSvdAddress = std::uint64_t{1} << 46;

constexpr std::string_view kSvdElements =
    " access addressBlock addressOffset addressUnitBits alternateCluster alternateGroup alternatePeripheral "
    "alternateRegister appendToName baseAddress bitOffset bitRange bitWidth cluster cpu dataType description device "
    "dim dimArrayIndex dimIncrement dimIndex dimName disableCondition displayName enumeratedValues field fields "
    "groupName headerDefinitionsPrefix headerStructName headerSystemFilename interrupt licenseText lsb "
    "modifiedWriteValues msb name peripheral peripherals prependToName protection readAction register registers "
    "resetMask resetValue series size vendor vendorExtensions vendorID version width writeConstraint ";
constexpr std::string_view kSvdNotEntered =
    " addressBlock cpu dimArrayIndex enumeratedValues interrupt vendorExtensions writeConstraint ";

/// Elements of an array, or one.
struct SvdElements {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t count = 1;
  std::uint64_t stride = 0;
};

class SvdReader {
 public:
  explicit SvdReader(const std::filesystem::path& path) : text_(scenario::read_input(path, kMostSvdBytes)) {
    file_.name = path.string();
    if (text_.size() > kMostSvdBytes) file_.refuse(0, "has more than 64 MiB");
    for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
      ends_.push_back(static_cast<std::ptrdiff_t>(at));
    const pugi::xml_parse_result result =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default | pugi::parse_trim_pcdata);
    if (!result)
      file_.refuse(line_at(result.offset), fmt::format("is no XML: {}", result.description()), "it may be cut off");
    device_ = document_.child("device");
    if (!device_) file_.refuse(0, "has no <device>, with which CMSIS-SVD begins");
    check_elements(device_, 0);
    if (number_in(device_, "addressUnitBits").value_or(8) != 8)
      refuse_at(device_.child("addressUnitBits"), "addresses are not those of bytes");
  }

  RegisterFile read() {
    for (const pugi::xml_node peripheral : device_.child("peripherals").children("peripheral")) {
      const std::shared_ptr<FilePart> part = part_of(peripheral, FilePart::Kind::block, 0);
      for (const SvdElements& one : elements_of_array(peripheral, "baseAddress"))
        file_.blocks.push_back({one.name, part, one.offset, one.count, one.stride, line_of(peripheral)});
    }
    if (file_.blocks.empty()) refuse_at(device_, "has no peripherals");
    return std::move(file_);
  }

 private:
  [[nodiscard]] int line_at(std::ptrdiff_t offset) const {
    return static_cast<int>(std::ranges::lower_bound(ends_, offset) - ends_.begin()) + 1;
  }
  [[nodiscard]] int line_of(const pugi::xml_node& node) const { return line_at(node.offset_debug()); }
  [[noreturn]] void refuse_at(const pugi::xml_node& node, const std::string& reason,
                              const std::string& suggestion = {}) const {
    file_.refuse(line_of(node), fmt::format("{}: {}", label_of(node), reason), suggestion);
  }
  /// @return "register CTRL", or "<dim>"
  [[nodiscard]] static std::string label_of(const pugi::xml_node& node) {
    const std::string name = node.child("name").text().get();
    return name.empty() ? fmt::format("<{}>", printable(node.name()))
                        : fmt::format("{} {}", node.name(), printable(name));
  }

  void check_elements(const pugi::xml_node& node, int depth) const {
    if (!is_listed(kSvdElements, node.name()))
      refuse_at(node, "this element is not known here", "CMSIS-SVD 1.3 has no such element; leave it out");
    if (depth > kDeepestSvd) refuse_at(node, "elements are nested too deeply");
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element && !is_listed(kSvdNotEntered, node.name()))
        check_elements(child, depth + 1);
    }
  }

  /// @return the element that it derives from, or none
  [[nodiscard]] pugi::xml_node base_of(const pugi::xml_node& node) const {
    const std::string path = node.attribute("derivedFrom").value();
    if (path.empty()) return {};
    const auto named = [](const pugi::xml_node& parent, const std::string& name) {
      for (const char* const inside : {"", "registers", "fields"}) {
        const pugi::xml_node list = *inside == '\0' ? parent : parent.child(inside);
        if (const pugi::xml_node found =
                list.find_child([&](const pugi::xml_node& one) { return name == one.child("name").text().get(); }))
          return found;
      }
      return pugi::xml_node{};
    };
    for (const pugi::xml_node& start : {node.parent(), device_.child("peripherals")}) {
      pugi::xml_node found = start;
      for (std::size_t at = 0; found && at <= path.size();) {
        const std::size_t dot = std::min(path.find('.', at), path.size());
        found = named(found, path.substr(at, dot - at));
        at = dot + 1;
      }
      if (found && found != node && std::string_view(found.name()) == node.name()) return found;
    }
    refuse_at(node, fmt::format("derives from '{}', which is not there", printable(path)),
              "name a peripheral, or PERIPHERAL.REGISTER");
  }

  /// @return the element of that name of it, or of what it derives from
  [[nodiscard]] pugi::xml_node child_of(const pugi::xml_node& node, const char* name) const {
    pugi::xml_node from = node;
    for (int depth = 0; from; ++depth) {
      if (depth > kDeepestSvd) refuse_at(node, "derives from itself");
      if (const pugi::xml_node found = from.child(name)) return found;
      from = base_of(from);
    }
    return {};
  }
  /// @return the text of that element, or that of one around it; empty: there is none
  [[nodiscard]] std::string inherited(const pugi::xml_node& node, const char* name) const {
    for (pugi::xml_node from = node; from; from = from.parent()) {
      if (const pugi::xml_node found = child_of(from, name)) return found.text().get();
    }
    return {};
  }
  [[nodiscard]] std::uint64_t number_of(const pugi::xml_node& node, std::string_view text) const {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const bool is_binary = text.starts_with('#') || text.starts_with("0b");
    const std::size_t digits = is_hex || text.starts_with("0b") ? 2 : is_binary ? 1 : 0;
    const auto number = number_from(text.substr(digits), is_hex ? 16 : is_binary ? 2 : 10);
    if (!number) refuse_at(node, fmt::format("'{}' is no number", printable(text)), "for example 0x10");
    return *number;
  }
  [[nodiscard]] std::optional<std::uint64_t> number_in(const pugi::xml_node& node, const char* name) const {
    const pugi::xml_node found = child_of(node, name);
    if (!found) return std::nullopt;
    return number_of(found, found.text().get());
  }
  /// @return a number that must be there, and below a limit
  [[nodiscard]] std::uint64_t need_number(const pugi::xml_node& node, const char* name, std::uint64_t limit) const {
    const std::optional<std::uint64_t> number = number_in(node, name);
    if (!number) refuse_at(node, fmt::format("has no <{}>", name));
    if (*number >= limit) refuse_at(node, fmt::format("<{}> is {:#x}, which is too large", name, *number));
    return *number;
  }

  /// @return an array "NAME[%s]" as one, and "NAME%s" as its elements
  [[nodiscard]] std::vector<SvdElements> elements_of_array(const pugi::xml_node& node, const char* offset) const {
    std::string name = child_of(node, "name").text().get();
    if (name.empty()) refuse_at(node, "has no <name>");
    const std::uint64_t first = *offset == '\0' ? 0 : need_number(node, offset, kLargestSvdAddress);
    if (!node.child("dim") && name.find("%s") == std::string::npos) return {{identifier(name), first}};
    const std::uint64_t count = need_number(node, "dim", kMostFileRegisters);
    const std::uint64_t stride = need_number(node, "dimIncrement", kLargestSvdAddress);
    const std::size_t place = name.find("%s");
    if (place == std::string::npos || count == 0)
      refuse_at(node, count == 0 ? "<dim> is 0" : "has a <dim>, and no %s in its name");
    if (const std::size_t array = name.find("[%s]"); array != std::string::npos)
      return {{identifier(name.erase(array)), first, count, stride}};
    const std::vector<std::string> indices = indices_of(node, count);
    std::vector<SvdElements> elements;
    for (std::uint64_t index = 0; index < count; ++index)
      elements.push_back({identifier(std::string(name).replace(place, 2, indices[index])), first + index * stride});
    return elements;
  }
  /// @return those of "A,B,C", "3-6" or "A-D"; without any, 0, 1 and so on
  [[nodiscard]] std::vector<std::string> indices_of(const pugi::xml_node& node, std::uint64_t count) const {
    std::string text = child_of(node, "dimIndex").text().get();
    std::erase(text, ' ');
    std::vector<std::string> indices;
    if (const std::size_t dash = text.find('-'); text.empty() || dash != std::string::npos) {
      const auto first = number_from(text.empty() ? "0" : text.substr(0, dash), 10);
      for (std::uint64_t index = 0; index < count; ++index)
        indices.push_back(first ? fmt::format("{}", *first + index)
                                : std::string(1, static_cast<char>(text[0] + static_cast<char>(index))));
    } else {
      std::istringstream stream(text);
      for (std::string one; std::getline(stream, one, ',');) indices.push_back(one);
    }
    if (indices.size() != count)
      refuse_at(node, fmt::format("<dimIndex> names {} elements, and <dim> {}", indices.size(), count));
    return indices;
  }

  /// @return registers and clusters of an element, those that it derives from first
  [[nodiscard]] std::vector<pugi::xml_node> members_of(const pugi::xml_node& node, int depth) const {
    if (depth > kDeepestSvd) refuse_at(node, "derives from itself");
    std::vector<pugi::xml_node> members;
    if (const pugi::xml_node base = base_of(node)) members = members_of(base, depth + 1);
    const pugi::xml_node list = node.child("registers") ? node.child("registers") : node;
    for (const pugi::xml_node member : list.children()) {
      const std::string_view kind = member.name();
      if (kind != "register" && kind != "cluster") continue;
      std::erase_if(members, [&](const pugi::xml_node& other) {
        return std::string_view(other.child("name").text().get()) == member.child("name").text().get();
      });
      members.push_back(member);
    }
    return members;
  }

  [[nodiscard]] std::shared_ptr<FilePart> part_of(const pugi::xml_node& node, FilePart::Kind kind, int depth) {
    if (depth > kDeepestSvd) refuse_at(node, "clusters are nested too deeply");
    auto part = std::make_shared<FilePart>();
    part->kind = kind;
    part->description = child_of(node, "description").text().get();
    for (const pugi::xml_node& member : members_of(node, 0)) {
      const std::vector<SvdElements> elements = elements_of_array(member, "addressOffset");
      parts_ += elements.size();
      if (parts_ > kMostFileRegisters)
        refuse_at(member, fmt::format("the file has more than {} registers", kMostFileRegisters));
      const bool is_register = std::string_view(member.name()) == "register";
      const std::shared_ptr<FilePart> its =
          is_register ? register_of(member) : part_of(member, FilePart::Kind::group, depth + 1);
      for (const SvdElements& one : elements) {
        part->children.push_back({one.name, its, one.offset, one.count, one.stride, line_of(member)});
        for (const char* const other : {"alternateRegister", "alternateGroup", "alternateCluster"}) {
          if (child_of(member, other))
            part->children.back().remark =
                fmt::format("it is another view of {}", child_of(member, other).text().get());
        }
      }
    }
    return part;
  }

  [[nodiscard]] std::shared_ptr<FilePart> register_of(const pugi::xml_node& node) const {
    auto part = std::make_shared<FilePart>();
    const std::string size = inherited(node, "size");
    if (size.empty())
      refuse_at(node, "has no <size>", "give one to it, to its peripheral or to the device: <size>32</size>");
    const std::uint64_t width = number_of(node, size);
    if (width == 0 || width > 64 || width % 8 != 0)
      refuse_at(node, fmt::format("<size> is {}: registers of 8 to 64 bits are known here", width));
    part->width = static_cast<unsigned>(width);
    part->description = child_of(node, "description").text().get();
    const std::string reset = inherited(node, "resetValue");
    const std::uint64_t value = reset.empty() ? 0 : number_of(node, reset);
    const pugi::xml_node fields = child_of(node, "fields");
    for (const pugi::xml_node field : fields.children("field")) add_fields(field, node, value, *part);
    if (part->fields.empty())
      add_field({.name = "", .width = part->width, .line = line_of(node)}, node, node, value, *part);
    return part;
  }

  void add_fields(const pugi::xml_node& node, const pugi::xml_node& reg, std::uint64_t value, FilePart& part) const {
    pugi::xml_node from = node;
    for (int depth = 0;
         from && depth < kDeepestSvd && !from.child("bitRange") && !from.child("lsb") && !from.child("bitOffset");
         ++depth)
      from = base_of(from);
    std::uint64_t lsb = 0;
    std::uint64_t msb = 0;
    if (const pugi::xml_node range = from.child("bitRange")) {
      const std::string_view text = range.text().get();
      const std::size_t colon = text.find(':');
      if (!text.starts_with('[') || !text.ends_with(']') || colon == std::string::npos)
        refuse_at(node, fmt::format("<bitRange> is '{}'", printable(text)), "for example [7:0]");
      msb = number_of(range, text.substr(1, colon - 1));
      lsb = number_of(range, text.substr(colon + 1, text.size() - colon - 2));
    } else if (from.child("lsb")) {
      lsb = need_number(from, "lsb", part.width);
      msb = need_number(from, "msb", part.width);
    } else if (from.child("bitOffset")) {
      lsb = need_number(from, "bitOffset", part.width);
      msb = lsb + number_in(node, "bitWidth").value_or(number_in(from, "bitWidth").value_or(1)) - 1;
    } else {
      refuse_at(node, "has no bits", "<bitRange>[7:0]</bitRange>, or <bitOffset> and <bitWidth>, or <lsb> and <msb>");
    }
    const std::uint64_t step = number_in(node, "dimIncrement").value_or(0);
    std::uint64_t copy = 0;
    for (const SvdElements& one : elements_of_array(node, "")) {
      for (std::uint64_t index = 0; index < one.count; ++index) {
        const std::uint64_t first = lsb + copy++ * step;
        if (msb < lsb || first >= part.width || msb - lsb >= part.width - first)
          refuse_at(node, fmt::format("has the bits [{}:{}], and the register {} bits", first + msb - lsb, first,
                                      part.width));
        add_field({.name = one.count > 1 ? fmt::format("{}{}", one.name, index) : one.name,
                   .lsb = static_cast<unsigned>(first),
                   .width = static_cast<unsigned>(msb - lsb + 1),
                   .line = line_of(node)},
                  node, reg, value, part);
      }
    }
  }

  /// @param node  of the field, or of the register if it has none
  void add_field(FileField field, const pugi::xml_node& node, const pugi::xml_node& reg, std::uint64_t value,
                 FilePart& part) const {
    const auto text = [&](const char* name) {
      const std::string own = child_of(node, name).text().get();
      return own.empty() ? std::string(child_of(reg, name).text().get()) : own;
    };
    const std::string own = child_of(node, "access").text().get();
    const std::string access = own.empty() ? inherited(reg, "access") : own;
    field.is_read = access.empty() || access.starts_with("read");
    field.is_written = access != "read-only";
    field.reset = value >> field.lsb & low_bits(field.width);
    const std::string reading = text("readAction");
    const std::string writing = text("modifiedWriteValues");
    field.effect = effect_of(reading, writing == "modify" ? "" : writing);
    if (!field.name.empty()) field.description = child_of(node, "description").text().get();
    part.fields.push_back(std::move(field));
  }

  std::string text_;
  std::vector<std::ptrdiff_t> ends_{};  // of lines
  RegisterFile file_{};
  pugi::xml_document document_{};
  pugi::xml_node device_{};
  std::uint64_t parts_ = 0;
};

}  // namespace

RegisterFile read_svd(const std::filesystem::path& path) { return SvdReader(path).read(); }

}  // namespace pmufab::cli
