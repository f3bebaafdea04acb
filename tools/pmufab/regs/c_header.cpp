// SPDX-License-Identifier: Apache-2.0
// Registers as macros for C: addresses, offsets, and masks of fields.
#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "tools/pmufab/regs/register_map.h"

namespace pmufab::cli {
namespace {

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

void define_c(std::string& out, const std::string& name, const std::string& value) {
  out += fmt::format("#define {:<56} {}\n", name, value);
}

void add_c_register(std::string& out, const std::string& prefix, const nlohmann::ordered_json& entry) {
  const std::string name = prefix + "_" + capitals(identifier(entry.at("name").get<std::string>()));
  const auto width = entry.at("width").get<unsigned>();
  const std::string suffix = width > 32 ? "ULL" : "U";
  const std::string offset = fmt::format("{:#x}", entry.at("offset").get<std::uint64_t>());
  if (entry.at("count").get<unsigned>() > 1) {
    define_c(out, name + "(n)", fmt::format("({} + {:#x} * (n))", offset, entry.at("stride").get<std::uint64_t>()));
    define_c(out, name + "_COUNT", fmt::format("{}", entry.at("implemented").get<unsigned>()));
  } else {
    define_c(out, name, offset);
  }
  for (const MapField& field : fields_of(entry)) {
    const std::string of_field = name + "_" + capitals(field.name);
    define_c(out, of_field + "_SHIFT", fmt::format("{}", field.lsb));
    define_c(out, of_field + "_MASK", fmt::format("{:#x}{}", low_bits(field.width) << field.lsb, suffix));
  }
}

}  // namespace

std::string to_c_header(const RegisterMap& map, const std::string& name) {
  const std::string guard = "PMUFAB_" + capitals(identifier(name)) + "_H";
  std::string out = fmt::format(
      "/* The registers of the platform {}, as pmufab models them. */\n#ifndef {}\n#define {}\n", name, guard, guard);
  out += "\n/* Addresses. The name of a layout's macros is that of the first bank that has it. */\n";
  for (const RegisterMap::Instance& one : map.instances)
    out += fmt::format("#define {:<56} {:#x}ULL /* {} */\n", capitals(one.name) + "_BASE", one.base,
                       map.layouts[one.layout].name);
  for (const RegisterMap::Layout& layout : map.layouts) {
    out += fmt::format("\n/* Offsets and fields: {} */\n", layout.name);
    for (const nlohmann::ordered_json& entry : layout.registers) add_c_register(out, capitals(layout.name), entry);
  }
  return out + fmt::format("\n#endif /* {} */\n", guard);
}

}  // namespace pmufab::cli
