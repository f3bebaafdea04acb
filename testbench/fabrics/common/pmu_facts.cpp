// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/pmu_facts.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace pmufab::coverage {
namespace {

constexpr std::uint64_t kPage = 0x1000;

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

}  // namespace

std::optional<CounterPlace> PmuFacts::counter_written(const MmioBus::BusAccess& access) const {
  if (!access.is_write || !counter_at) return std::nullopt;
  if (registers.empty()) {
    const std::optional<unsigned> counter = counter_at(access.address % kPage, access.data);
    return counter ? std::optional(CounterPlace{0, *counter}) : std::nullopt;
  }
  for (std::size_t unit = 0; unit < registers.size(); ++unit) {
    if (access.address < registers[unit]) continue;
    if (const auto counter = counter_at(access.address - registers[unit], access.data))
      return CounterPlace{unit, *counter};
  }
  return std::nullopt;
}

bool PmuFacts::is_cycles(std::string_view event) const noexcept {
  return !cycles_event.empty() && event == cycles_event;
}

const std::string& PmuFacts::width_of(std::string_view event) const noexcept {
  const auto other = other_widths.find(event);
  if (other != other_widths.end()) return other->second;
  return is_cycles(event) ? cycles_width : event_width;
}

std::optional<std::string> PmuFacts::position(std::string_view event, unsigned counter) const {
  if (counters == 0 || counter == cycle_counter) return std::nullopt;
  const auto found = ranges.find(event);
  const Range range = found == ranges.end() ? Range{0, counters} : found->second;
  return counter == range.first ? "first" : counter + 1 >= range.first + range.count ? "last" : "middle";
}

std::string general_name(const std::string& pmu) {
  std::string name;
  for (std::size_t begin = 0; begin < pmu.size();) {
    std::size_t end = begin;
    while (end < pmu.size() && is_digit(pmu[end])) ++end;
    // Digits within a word, as in "c2c", belong to the word.
    const bool ends_word = end == pmu.size() || std::isalpha(static_cast<unsigned char>(pmu[end])) == 0;
    if (end == begin) {
      name += pmu[begin++];
    } else {
      name += begin > 0 && ends_word ? "*" : pmu.substr(begin, end - begin);
      begin = end;
    }
  }
  return name;
}

std::optional<std::size_t> number_after(const std::string& text, const std::string& start) {
  if (!text.starts_with(start) || text.size() == start.size()) return std::nullopt;
  const std::string digits = text.substr(start.size());
  if (digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoul(digits);
}

const std::vector<std::string>& width_classes() {
  static const std::vector<std::string> classes = {"up to 32 bits", "33 to 63 bits", "64 bits"};
  return classes;
}

const std::string& width_class(unsigned bits) {
  constexpr unsigned kHalf = 32;
  constexpr unsigned kWhole = 64;
  return width_classes()[bits <= kHalf ? 0 : bits < kWhole ? 1 : 2];
}

}  // namespace pmufab::coverage
