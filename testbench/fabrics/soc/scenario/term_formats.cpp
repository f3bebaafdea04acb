// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/scenario/term_formats.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "testbench/perf/pmu_catalog.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::scenario {
namespace {

constexpr unsigned kWord = 64;
constexpr unsigned kLastWord = 3;  // of the kernel. Events of pmufab have none: drivers may publish terms there

/// @return the bits of a format, 64 for each word; empty: the text is none
std::vector<unsigned> bits_of(std::string text) {
  constexpr std::string_view kLast = "config3";
  const bool is_last = text.starts_with(kLast);
  if (is_last) text.replace(0, kLast.size(), "config2");
  const std::optional<perf::TermFormat> format = perf::parse_format(text);
  if (!format) return {};
  std::vector<unsigned> bits = format->bits;
  for (unsigned& bit : bits) bit += kWord * (is_last ? kLastWord : static_cast<unsigned>(format->word));
  const std::set<unsigned> different(bits.begin(), bits.end());
  return different.size() == bits.size() ? bits : std::vector<unsigned>();
}

}  // namespace

unsigned TermFormats::add(Reader& reader, Term term) {
  const std::vector<unsigned> bits = bits_of(term.format);
  const auto fail = [&](const std::string& reason, const std::string& suggestion) {
    reader.fail(term.format_key, fmt::format("'{}' {}", term.format, reason), suggestion);
  };
  if (bits.empty() && !term.format.empty())
    fail("is no format of a term", term.name_key == "terms"
                                       ? "give a word, for example config1, and a bit of it in terms"
                                       : "for example config1:0-7");
  if (!bits.empty() && term.most > low_bits(static_cast<unsigned>(bits.size())))
    fail(fmt::format("has {} bits; {} needs values up to {:#x}", bits.size(), term.name, term.most), "give it more");
  if (term.is_number && !bits.empty() && bits.front() >= kWord * kLastWord)
    fail("is of config3, and pmufab knows numbers of events in config, config1 and config2", "");
  for (const auto& [other, taken] : terms_) {
    const bool is_alike = term.format == other.format || term.format.empty() || other.format.empty();
    if (other.name == term.name && term.may_repeat && other.may_repeat && is_alike) continue;
    if (other.name == term.name) reader.fail(term.name_key, fmt::format("'{}' is that of another term", term.name));
    const auto shared = std::ranges::find_first_of(bits, taken);
    if (shared != bits.end() && !(term.is_number && other.is_number && term.format == other.format))
      fail(fmt::format("has bit {} of config{}, as the term {} has", *shared % kWord,
                       *shared < kWord ? "" : std::to_string(*shared / kWord), other.name),
           "give each term bits of its own");
  }
  terms_.emplace_back(std::move(term), bits);
  return static_cast<unsigned>(bits.size());
}

void TermFormats::check_refused(Reader& reader, const std::string& name, std::uint64_t value) const {
  const auto found = std::ranges::find_if(terms_, [&](const auto& one) { return one.first.name == name; });
  if (found == terms_.end()) return;
  const auto& [term, bits] = *found;
  if (!bits.empty() && value > low_bits(static_cast<unsigned>(bits.size())))
    reader.fail("terms", fmt::format("{}={:#x} does not fit into {}", name, value, term.format));
  if (value == 0 && !term.has_zero)
    reader.fail("terms", fmt::format("{} is 0, as if the term were not there", name), "leave it out");
}

}  // namespace pmufab::scenario
