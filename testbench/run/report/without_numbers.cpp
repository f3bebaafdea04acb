// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/without_numbers.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace pmufab::scenario {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_hexadecimal(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

/// @return where a hexadecimal number ends that begins with a letter, behind '_': "ffff0000" of "dwc_rootport_ffff0000".
///         Words such as "c2c" have too few digits. `begin` if there is none
std::size_t end_of_hexadecimal(std::string_view text, std::size_t begin) {
  if (begin == 0 || text[begin - 1] != '_') return begin;
  std::size_t end = begin;
  while (end < text.size() && is_hexadecimal(text[end])) ++end;
  const auto digits = std::count_if(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                    text.begin() + static_cast<std::ptrdiff_t>(end), is_digit);
  const bool is_number = digits > 1 || (digits == 1 && end - begin > 3);
  const bool ends = end == text.size() || (!is_letter(text[end]) && text[end] != '_');
  return is_number && ends ? end : begin;
}

}  // namespace

std::string without_numbers(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t end = is_letter(text[i]) ? end_of_hexadecimal(text, i) : i; end > i) {
      plain += '*';
      i = end;
      continue;
    }
    if (!is_digit(text[i])) {
      plain += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (i > 0 && is_letter(text[i - 1]) && end < text.size() && is_letter(text[end])) {
      plain += text.substr(i, end - i);
      i = end;
      continue;
    }
    while (i < text.size() && (is_hexadecimal(text[i]) || text[i] == 'x' || text[i] == ',' || text[i] == '.')) ++i;
    plain += '*';
  }
  return plain;
}

}  // namespace pmufab::scenario
