// SPDX-License-Identifier: Apache-2.0
// Prints a register bank as text, Markdown and JSON.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tlm/registers/register_bank.h"

namespace pmufab {

namespace {

std::string bits_of(const FieldSpec& field) {
  return field.width == 1 ? fmt::format("{}", field.lsb) : fmt::format("{}:{}", field.lsb + field.width - 1, field.lsb);
}

std::uint64_t extract(std::uint64_t value, const FieldSpec& field) {
  return field.width >= 64 ? value : value >> field.lsb & ((std::uint64_t{1} << field.width) - 1);
}

/// Escapes text for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string hex(std::uint64_t value, unsigned width) { return fmt::format("{:#0{}x}", value, 2 + width / 4); }

}  // namespace

void RegisterBank::dump_text(std::ostream& out, Picoseconds when) const {
  out << fmt::format("{}: {} registers in {:#x} bytes, at {} ps\n", options_.name, registers_.size(), options_.size,
                     when);
  for (const Register& reg : registers_) {
    const RegisterSpec& spec = *reg.spec;
    for (unsigned element = 0; element < reg.count; ++element) {
      const std::string name = spec.count > 1 ? fmt::format("{}[{}]", spec.name, element) : std::string(spec.name);
      const std::uint64_t value = read_element(reg, element, when);
      out << fmt::format("{:#06x}  {:<24} {}\n", spec.offset + std::uint64_t{element} * spec.stride, name,
                         hex(value, spec.width));
      for (const FieldSpec& field : spec.fields) {
        if (field.access == Access::reserved) continue;
        out << fmt::format("          {:>5}  {:<20} {:<13} {:#x}", bits_of(field), field.name, to_string(field.access),
                           extract(value, field));
        if (!field.meaning.empty()) out << "  " << field.meaning;
        out << '\n';
      }
    }
  }
}

void RegisterBank::dump_markdown(std::ostream& out) const {
  out << fmt::format("## {}\n\nA window of {:#x} bytes.\n\n", options_.name, options_.size);
  out << "| Offset | Register | Bits | Field | Access | Reset | Meaning |\n";
  out << "|---|---|---|---|---|---|---|\n";
  for (const Register& reg : registers_) {
    const RegisterSpec& spec = *reg.spec;
    std::string name = cell(spec.name);
    std::string offset = fmt::format("{:#x}", spec.offset);
    if (spec.count > 1) {
      name += fmt::format("[0 ... {}]", std::max(reg.count, 1U) - 1);
      offset += fmt::format(" + {:#x} n", spec.stride);
    }
    out << fmt::format("| {} | {} | {}:0 | | | {} | {} |\n", offset, name, spec.width - 1,
                       hex(reg.resets[0], spec.width), cell(spec.source));
    for (const FieldSpec& field : spec.fields) {
      out << fmt::format("| | | {} | {} | {} | {:#x} | {} |\n", bits_of(field), cell(field.name),
                         to_string(field.access), extract(reg.resets[0], field), cell(field.meaning));
    }
  }
}

nlohmann::json RegisterBank::dump_json(Picoseconds when) const {
  // Values are strings, because many JSON readers keep only 53 bits of a number.
  nlohmann::json registers = nlohmann::json::array();
  for (const Register& reg : registers_) {
    const RegisterSpec& spec = *reg.spec;
    nlohmann::json fields = nlohmann::json::array();
    for (const FieldSpec& field : spec.fields) {
      fields.push_back({{"name", field.name},
                        {"lsb", field.lsb},
                        {"width", field.width},
                        {"access", to_string(field.access)},
                        {"reset", fmt::format("{:#x}", field.reset)},
                        {"meaning", field.meaning}});
    }
    nlohmann::json values = nlohmann::json::array();
    nlohmann::json resets = nlohmann::json::array();
    for (unsigned element = 0; element < spec.count; ++element) {
      values.push_back(hex(read_element(reg, element, when), spec.width));
      resets.push_back(hex(reg.resets[element], spec.width));
    }
    registers.push_back({{"name", spec.name},
                         {"offset", spec.offset},
                         {"width", spec.width},
                         {"count", spec.count},
                         {"implemented", reg.count},
                         {"stride", spec.stride},
                         {"halves", spec.halves},
                         {"source", spec.source},
                         {"fields", std::move(fields)},
                         {"resets", std::move(resets)},
                         {"values", std::move(values)}});
  }
  return {{"name", options_.name}, {"size", options_.size}, {"time_ps", when}, {"registers", std::move(registers)}};
}

}  // namespace pmufab
