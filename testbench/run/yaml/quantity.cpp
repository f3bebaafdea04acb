// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/yaml/quantity.h"

#include <array>
#include <cctype>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::uint64_t factor;
  bool written = true;  // format_quantity may use it
};

constexpr std::array kFrequencies = {Unit{"THz", 1'000'000'000'000}, Unit{"GHz", 1'000'000'000}, Unit{"MHz", 1'000'000},
                                     Unit{"kHz", 1'000}, Unit{"Hz", 1}};
constexpr std::array kBytes = {Unit{"PiB", std::uint64_t{1} << 50},
                               Unit{"TiB", std::uint64_t{1} << 40},
                               Unit{"GiB", std::uint64_t{1} << 30},
                               Unit{"MiB", std::uint64_t{1} << 20},
                               Unit{"KiB", std::uint64_t{1} << 10},
                               Unit{"TB", 1'000'000'000'000, false},
                               Unit{"GB", 1'000'000'000, false},
                               Unit{"MB", 1'000'000, false},
                               Unit{"kB", 1'000, false},
                               Unit{"B", 1}};
constexpr std::array kDurations = {Unit{"h", 3'600'000'000'000'000, false},
                                   Unit{"min", 60'000'000'000'000, false},
                                   Unit{"s", 1'000'000'000'000},
                                   Unit{"ms", 1'000'000'000},
                                   Unit{"us", 1'000'000},
                                   Unit{"ns", 1'000},
                                   Unit{"ps", 1}};

/// What each quantity is called, and an example, in the order of Quantity.
constexpr auto kTexts = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"a number", "for example 8 or 0x1f"},
    {"an address", "for example 0x80_0000_0000 or 512 GiB"},
    {"a frequency", "for example 2.4 GHz"},
    {"a size", "for example 64 MiB"},
    {"a time", "for example 50 us"},
});
static_assert(kTexts.size() == static_cast<std::size_t>(Quantity::duration) + 1);

std::span<const Unit> units_of(Quantity quantity) noexcept {
  switch (quantity) {
    case Quantity::count:
      return {};
    case Quantity::frequency:
      return kFrequencies;
    case Quantity::address:
    case Quantity::bytes:
      return kBytes;
    case Quantity::duration:
      return kDurations;
  }
  return {};
}

std::string unit_names(Quantity quantity) {
  std::string names;
  for (const Unit& unit : units_of(quantity)) names += fmt::format("{}{}", names.empty() ? "" : ", ", unit.name);
  return names;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_hex_digit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

/// Value times factor, or an exception.
std::uint64_t multiply(std::uint64_t value, std::uint64_t factor) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(value, factor, &result)) throw std::invalid_argument("does not fit into 64 bits");
  return result;
}

std::uint64_t append_digit(std::uint64_t value, unsigned base, char digit) {
  const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(digit)));
  const unsigned number =
      is_digit(lower) ? static_cast<unsigned>(lower - '0') : static_cast<unsigned>(lower - 'a' + 10);
  const std::uint64_t shifted = multiply(value, base);
  std::uint64_t result = 0;
  if (__builtin_add_overflow(shifted, std::uint64_t{number}, &result))
    throw std::invalid_argument("does not fit into 64 bits");
  return result;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The digits at the front of `text`, which are removed; '_' may separate digits.
std::string take_digits(std::string_view& text, bool (*accept)(char)) {
  std::string digits;
  while (!text.empty() &&
         (accept(text.front()) || (text.front() == '_' && !digits.empty() && text.size() > 1 && accept(text[1])))) {
    if (text.front() != '_') digits += text.front();
    text.remove_prefix(1);
  }
  return digits;
}

}  // namespace

std::uint64_t parse_quantity(std::string_view text, Quantity quantity) {
  std::string_view rest = trim(text);
  if (!rest.empty() && rest.front() == '-') throw std::invalid_argument("is negative");
  const bool hexadecimal = rest.size() > 2 && rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X');
  if (hexadecimal) rest.remove_prefix(2);
  const std::string whole = take_digits(rest, hexadecimal ? is_hex_digit : is_digit);
  if (whole.empty()) throw std::invalid_argument("is not a number");
  std::string decimals;
  if (!hexadecimal && !rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    decimals = take_digits(rest, is_digit);
    if (decimals.empty()) throw std::invalid_argument("is not a number");
    while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  }

  std::uint64_t value = 0;
  for (const char digit : whole) value = append_digit(value, hexadecimal ? 16 : 10, digit);

  const std::string_view suffix = trim(rest);
  std::uint64_t factor = 1;
  if (suffix.empty()) {
    if (quantity == Quantity::duration && (value != 0 || !decimals.empty())) throw std::invalid_argument("has no unit");
  } else {
    const Unit* found = nullptr;
    for (const Unit& unit : units_of(quantity)) {
      if (unit.name == suffix) found = &unit;
    }
    if (found == nullptr) {
      if (units_of(quantity).empty()) throw std::invalid_argument("is not a whole number");
      throw std::invalid_argument(fmt::format("has the unknown unit '{}'; units are {}", suffix, unit_names(quantity)));
    }
    factor = found->factor;
  }

  std::uint64_t result = multiply(value, factor);
  if (!decimals.empty()) {
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 1;
    for (const char digit : decimals) {
      numerator = append_digit(numerator, 10, digit);
      denominator = multiply(denominator, 10);
    }
    const Wide scaled = static_cast<Wide>(numerator) * factor;  // numerator < denominator: the quotient is below factor
    if (scaled % denominator != 0) throw std::invalid_argument("is not a whole number of the smallest unit");
    if (__builtin_add_overflow(result, static_cast<std::uint64_t>(scaled / denominator), &result))
      throw std::invalid_argument("does not fit into 64 bits");
  }
  return result;
}

std::string format_quantity(std::uint64_t value, Quantity quantity) {
  if (quantity == Quantity::address) return fmt::format("{:#x}", value);
  if (value == 0 || quantity == Quantity::count) return fmt::format("{}", value);
  for (const Unit& unit : units_of(quantity)) {
    if (unit.written && value % unit.factor == 0) return fmt::format("{} {}", value / unit.factor, unit.name);
  }
  return fmt::format("{}", value);
}

std::string_view name_of(Quantity quantity) noexcept { return kTexts.at(static_cast<std::size_t>(quantity)).first; }

std::string_view example_of(Quantity quantity) noexcept { return kTexts.at(static_cast<std::size_t>(quantity)).second; }

}  // namespace pmufab::scenario
