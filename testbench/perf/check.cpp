// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/check.h"

namespace pmufab::perf {

std::string_view to_string(Check check) noexcept {
  switch (check) {
    case Check::exact:
      return "exact";
    case Check::within:
      return "within";
    case Check::wrong:
      return "wrong";
    case Check::not_opened:
      return "not_opened";
    case Check::refused:
      return "refused";
    case Check::unchecked:
      return "unchecked";
  }
  return "?";
}

Check check_called(std::string_view word) noexcept {
  for (const Check check : {Check::exact, Check::within, Check::wrong, Check::not_opened, Check::refused}) {
    if (to_string(check) == word) return check;
  }
  return Check::unchecked;
}

std::string_view mark_of(Check check, bool symbols) noexcept {
  switch (check) {
    case Check::exact:
    case Check::refused:
      return symbols ? "✓" : "ok";
    case Check::within:
      return symbols ? "≈" : "about";
    case Check::wrong:
    case Check::not_opened:
      return symbols ? "✗" : "WRONG";
    case Check::unchecked:
      return "-";
  }
  return "?";
}

}  // namespace pmufab::perf
