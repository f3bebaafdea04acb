// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::perf {

/// An event string that cannot be used. Keeps the position of the error in the string besides the message.
class EventError : public scenario::InputError {
 public:
  /// @param text      the whole event string
  /// @param position  byte offset of the trouble
  EventError(const std::string& text, std::size_t position, const std::string& reason,
             const std::string& suggestion = {});

  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  /// The event string with a mark below the error, in three lines, as perf shows it.
  [[nodiscard]] std::string picture() const;

 private:
  std::string text_;
  std::size_t position_;
};

/// One term between an event's slashes, as written.
struct WrittenTerm {
  std::string name;
  std::optional<std::string> value;  ///< absent for a bare word
  std::size_t position = 0;          ///< of the name in the event string
  std::size_t value_position = 0;
};

/// pmu/term,term=value/modifiers, as written.
struct WrittenEvent {
  std::string pmu;  ///< may hold '*' and '?'
  std::vector<WrittenTerm> terms;
  std::string modifiers;
  std::string text;  ///< of this event alone
  std::size_t position = 0;
};

/// One event, or the events of one {group}.
struct WrittenGroup {
  std::vector<WrittenEvent> events;
  bool braces = false;
};

/// Parse an event string of perf's -e option: events separated by commas, groups in braces.
///
/// Blanks between events are allowed. Modifiers after the last slash and after a closing brace (":u", "u") are kept.
/// The resolver checks them.
/// @throws EventError
[[nodiscard]] std::vector<WrittenGroup> parse_events(const std::string& text);

}  // namespace pmufab::perf
