// SPDX-License-Identifier: Apache-2.0
#include "tlm/spec/printable.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

namespace pmufab {
namespace {

// What is cut is shorter than what must be cut, so that a text which goes through here twice is cut once.
constexpr std::size_t kMostQuoted = 120;
constexpr std::size_t kShown = 80;

/// @return the number of bytes of the character that `lead` begins, if it begins one; otherwise 0.
std::size_t length_after(unsigned char lead) noexcept {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead >= 0xf5) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/// @return the number of bytes of the character at the front; 0 if it is not UTF-8.
std::size_t character_length(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = length_after(lead);
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
    const unsigned low = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned high = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) return 0;
  }
  return length;
}

/// @param character  well-formed UTF-8
std::uint32_t code_point(std::string_view character) noexcept {
  constexpr std::uint32_t kLead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};  // bits of the first byte, by length
  std::uint32_t code = static_cast<unsigned char>(character.front()) & kLead[character.size()];
  for (const char byte : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  return code;
}

/// Whether a character controls how others are shown: direction, lines, what is hidden. Of Unicode's categories these are
/// Cc (control), Zl and Zp (separators), and Cf (format) without visible signs and what joins or divides the letters of a
/// word.
bool is_control(std::string_view character) noexcept {
  struct Range {
    std::uint32_t first, last;
  };
  constexpr Range kRanges[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},    {0x180e, 0x180e},
                               {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                               {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0001, 0xe007f}};
  const std::uint32_t code = code_point(character);
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [code](const Range& range) { return code >= range.first && code <= range.last; });
}

/// @param kept  control characters that stay
std::string escaped(std::string_view text, std::string_view kept) {
  const auto stays = [kept](char c) { return (c >= ' ' && c <= '~') || kept.find(c) != std::string_view::npos; };
  if (std::all_of(text.begin(), text.end(), stays)) return std::string(text);  // nearly always
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    if (length > 0 && (!is_control(character) || kept.find(character) != std::string_view::npos)) {
      result += character;
    } else {
      for (const char byte : character)
        result += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
    text.remove_prefix(character.size());
  }
  return result;
}

bool is_in_word(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// @return the place of the quote that ends the value which begins at `begin`. An apostrophe stands inside a word.
std::size_t closing_quote(std::string_view text, std::size_t begin) noexcept {
  std::size_t at = text.find('\'', begin);
  while (at != std::string_view::npos && at + 1 < text.size() && is_in_word(text[at + 1])) at = text.find('\'', at + 1);
  return at;
}

/// @param value  well-formed UTF-8
std::string shortened(std::string_view value) {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; };
  const auto characters = static_cast<std::size_t>(std::count_if(value.begin(), value.end(), begins_character));
  if (characters <= kMostQuoted) return std::string(value);
  std::size_t end = 0;
  for (std::size_t seen = 0; seen <= kShown; ++end) {
    if (begins_character(value[end]) && ++seen > kShown) break;
  }
  return fmt::format("{}... ({} characters)", value.substr(0, end), with_separators(characters));
}

}  // namespace

std::string with_separators(std::uint64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) text += ',';
    text += digits[at];
  }
  return text;
}

std::size_t utf8_prefix(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string printable(std::string_view text) { return escaped(text, "\t"); }

std::string printable_lines(std::string_view text) { return escaped(text, "\t\n"); }

std::string printable_message(std::string_view text) {
  const std::string safe = printable_lines(text);
  std::string result;
  std::size_t at = 0;
  while (at < safe.size()) {
    const std::size_t quote = safe.find('\'', at);
    const bool opens = quote != std::string::npos && (quote == 0 || !is_in_word(safe[quote - 1]));
    const std::size_t end = opens ? closing_quote(safe, quote + 1) : quote;
    if (end == std::string::npos) break;
    if (opens) {
      result += safe.substr(at, quote + 1 - at);
      result += shortened(std::string_view(safe).substr(quote + 1, end - quote - 1));
    } else {
      result += safe.substr(at, quote - at);
    }
    result += '\'';
    at = end + 1;
  }
  return result + safe.substr(std::min(at, safe.size()));
}

}  // namespace pmufab
