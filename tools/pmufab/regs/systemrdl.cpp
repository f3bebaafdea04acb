// SPDX-License-Identifier: Apache-2.0
// Registers in SystemRDL 2.0 (Accellera).
#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "tools/pmufab/regs/register_map.h"

namespace pmufab::cli {
namespace {

std::string rdl_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// What software can do to a field. Hardware reads and writes those that software cannot change alone.
std::string rdl_properties(const MapField& field) {
  std::string text = "sw=r; hw=na;";
  if (field.access == "rw") text = "sw=rw; hw=r;";
  if (field.access == "ro") text = "sw=r; hw=w;";
  if (field.access == "wo") text = "sw=w; hw=r;";
  if (field.access == "w1c") text = "sw=rw; hw=rw; woclr;";
  if (field.access == "w0c") text = "sw=rw; hw=rw; onwrite=wzc;";
  if (field.access == "rc") text = "sw=r; hw=w; rclr;";
  if (field.access == "w1s") text = "sw=rw; hw=rw; woset;";
  std::string meaning = field.meaning;
  if (field.access == "unimplemented") meaning += meaning.empty() ? "not modelled" : " (not modelled)";
  if (!meaning.empty()) text += fmt::format(" desc={};", rdl_text(meaning));
  return text;
}

/// A backslash makes an identifier of what may be a keyword.
std::string rdl_name(const std::string& name) { return "\\" + name; }

void add_rdl_register(std::string& out, const nlohmann::ordered_json& entry, const MapElement& element,
                      std::uint64_t first) {
  out += fmt::format("    reg {{\n      regwidth={};", element.width);
  if (entry.at("halves").get<bool>()) out += " accesswidth=32;";
  if (const std::string source = entry.at("source"); !source.empty()) out += fmt::format(" desc={};", rdl_text(source));
  out += '\n';
  for (const MapField& field : fields_of(entry)) {
    out += fmt::format("      field {{ {} }} {}[{}:{}] = {}'h{:x};\n", rdl_properties(field), rdl_name(field.name),
                       field.lsb + field.width - 1, field.lsb, field.width,
                       element.reset >> field.lsb & low_bits(field.width));
  }
  out += fmt::format("    }} {}", rdl_name(element.name));
  if (element.count > 1) out += fmt::format("[{}]", element.count);
  out += fmt::format(" @ {:#x}", element.offset - first);
  if (element.count > 1) out += fmt::format(" += {:#x}", element.width / 8);
  out += ";\n";
}

/// @return the lowest offset of a register. Before it, a window may lie in another bank's.
std::uint64_t first_offset(const RegisterMap::Layout& layout) {
  std::uint64_t first = layout.size;
  for (const nlohmann::ordered_json& entry : layout.registers) {
    for (const MapElement& element : elements_of(entry)) first = std::min(first, element.offset);
  }
  return first;
}

}  // namespace

std::string to_systemrdl(const RegisterMap& map, const std::string& name) {
  std::string out = fmt::format("// The registers of the platform {}, as pmufab models them. SystemRDL 2.0.\n", name);
  out += fmt::format("addrmap {} {{\n", rdl_name(identifier(name)));
  for (const RegisterMap::Layout& layout : map.layouts) {
    out += fmt::format("  addrmap {} {{\n", rdl_name("layout_of_" + layout.name));
    for (const nlohmann::ordered_json& entry : layout.registers) {
      for (const MapElement& element : elements_of(entry)) add_rdl_register(out, entry, element, first_offset(layout));
    }
    out += "  };\n";
  }
  for (const RegisterMap::Instance& one : map.instances)
    out += fmt::format("  {} {} @ {:#x};\n", rdl_name("layout_of_" + map.layouts[one.layout].name), rdl_name(one.name),
                       one.base + first_offset(map.layouts[one.layout]));
  return out + "};\n";
}

}  // namespace pmufab::cli
