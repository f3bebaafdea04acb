// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_meaning.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/judge/cxl_event_names.h"

namespace pmufab::scoreboard {
namespace {

/// A term and its place in perf's three words of configuration.
struct CxlField {
  std::string_view name;
  unsigned word;
  unsigned first;
  unsigned width;
  enum class Needs : std::uint8_t { nothing, hdm_filter, ddr_filter } needs = Needs::nothing;
};
constexpr std::array<CxlField, 10> kCxlFields{{
    {"mask", 0, 0, 32},
    {"gid", 0, 32, 16},
    {"vid", 0, 48, 16},
    {"threshold", 1, 0, 16},
    {"invert", 1, 16, 1},
    {"edge", 1, 17, 1},
    {"hdm_filter_en", 1, 18, 1, CxlField::Needs::hdm_filter},
    {"crb_filter_en", 1, 19, 1, CxlField::Needs::ddr_filter},
    {"hdm", 2, 0, 16, CxlField::Needs::hdm_filter},
    {"crb", 2, 32, 32, CxlField::Needs::ddr_filter},
}};
constexpr std::array<std::string_view, 3> kWords{"config", "config1", "config2"};

constexpr std::uint64_t ones(unsigned width) { return (std::uint64_t{1} << width) - 1; }

std::uint64_t value_of(const EventTerm& term, unsigned width) {
  if (!term.value) {
    if (width == 1) return 1;
    throw std::invalid_argument(fmt::format("term '{}' needs a value", term.name));
  }
  if (width < 64 && *term.value > ones(width))
    throw std::invalid_argument(
        fmt::format("term '{}' takes at most {:#x}, not {:#x}", term.name, ones(width), *term.value));
  return *term.value;
}

bool has_filter(const CxlPmuSpec& pmu, CxlField::Needs needs) {
  return needs == CxlField::Needs::nothing || (needs == CxlField::Needs::hdm_filter ? pmu.hdm_filter : pmu.ddr_filter);
}

std::string events_text(const CxlProgram& program) {
  std::string text;
  for (unsigned bit = 0; bit < 32; ++bit) {
    if ((program.mask >> bit & 1U) == 0) continue;
    const std::string_view name =
        program.vendor == kCxlVendor ? cxl_event_name({program.group, bit}) : std::string_view{};
    text += fmt::format(
        "{}{}", text.empty() ? "" : " + ",
        name.empty() ? fmt::format("{:#x}/{:#x} bit {}", program.vendor, program.group, bit) : std::string(name));
  }
  return text.empty() ? fmt::format("no event of {:#x}/{:#x}", program.vendor, program.group) : text;
}

}  // namespace

std::string to_string(const CxlProgram& program) {
  std::string text = events_text(program);
  if (program.hdm) text += fmt::format(", decoders {:#x}", *program.hdm);
  if (program.location) text += fmt::format(", channel, rank, bank group and bank {:#010x}", *program.location);
  if (program.threshold != 0)
    text += fmt::format(", {} {} in a clock", program.invert ? "at most" : "at least", program.threshold);
  if (program.edge) text += ", edges";
  return text;
}

CxlProgram cxl_meaning(const EventTerms& terms, const CxlPmuSpec& pmu) {
  std::array<std::uint64_t, 3> words{};
  bool named = false;
  bool described = false;
  // As in perf: whole words first, where the last one counts; the bits of all other terms are added.
  for (const EventTerm& term : terms) {
    const auto* const word = std::find(kWords.begin(), kWords.end(), term.name);
    if (word == kWords.end()) continue;
    words[static_cast<std::size_t>(word - kWords.begin())] = value_of(term, 64);
    described = described || word == kWords.begin();
  }
  for (const EventTerm& term : terms) {
    if (std::find(kWords.begin(), kWords.end(), term.name) != kWords.end()) continue;
    const auto* const field = std::find_if(kCxlFields.begin(), kCxlFields.end(),
                                           [&](const CxlField& known) { return known.name == term.name; });
    if (field != kCxlFields.end() && has_filter(pmu, field->needs)) {
      words[field->word] |= value_of(term, field->width) << field->first;
      described = described || field->word == 0;
    } else if (const auto event = cxl_event_of_name(term.name); event && !term.value) {
      if (named) throw std::invalid_argument(fmt::format("term '{}' names a second event", term.name));
      words[0] |= std::uint64_t{kCxlVendor} << 48 | std::uint64_t{event->group} << 32 | std::uint64_t{1} << event->bit;
      named = true;
    } else {
      throw std::invalid_argument(fmt::format("the CPMU has no term '{}'", term.name));
    }
  }
  if (!named && !described) throw std::invalid_argument("no event");

  const auto bits = [&](std::string_view name) {
    const auto* const field =
        std::find_if(kCxlFields.begin(), kCxlFields.end(), [&](const CxlField& known) { return known.name == name; });
    return static_cast<std::uint32_t>(words[field->word] >> field->first & ones(field->width));
  };
  CxlProgram program;
  program.vendor = static_cast<std::uint16_t>(bits("vid"));
  program.group = static_cast<std::uint16_t>(bits("gid"));
  program.mask = bits("mask");
  program.threshold = bits("threshold");
  program.invert = bits("invert") != 0;
  program.edge = bits("edge") != 0;
  if (pmu.hdm_filter && bits("hdm_filter_en") != 0) program.hdm = bits("hdm");
  if (pmu.ddr_filter && bits("crb_filter_en") != 0) program.location = bits("crb");
  return program;
}

}  // namespace pmufab::scoreboard
