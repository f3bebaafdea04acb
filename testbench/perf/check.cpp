// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/check.h"

#include <array>
#include <cstddef>

namespace pmufab::perf {

std::string_view to_string(Check check) noexcept {
  constexpr auto kWords =
      std::to_array<std::string_view>({"exact", "within", "wrong", "not_opened", "refused", "unchecked"});
  static_assert(kWords.size() == static_cast<std::size_t>(Check::unchecked) + 1);
  return kWords.at(static_cast<std::size_t>(check));
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
