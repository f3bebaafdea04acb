// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/report/without_numbers.h"

#include <cctype>
#include <cstddef>

namespace pmufab::scenario {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_hexadecimal(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string without_numbers(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
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
