// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/events/event_result.h"

namespace pmufab::scoreboard {

std::string_view to_string(EventResult::Match match) noexcept {
  switch (match) {
    case EventResult::Match::exact:
      return "exact";
    case EventResult::Match::within:
      return "within";
    case EventResult::Match::mismatch:
      return "mismatch";
    case EventResult::Match::not_counted:
      break;
  }
  return "not counted";
}

}  // namespace pmufab::scoreboard
