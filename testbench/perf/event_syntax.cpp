// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/event_syntax.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/software_events.h"
#include "tlm/spec/printable.h"

namespace pmufab::perf {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '*' || c == '?' ||
         c == '@' || c == '!' || c == '[' || c == ']';
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  std::vector<WrittenGroup> parse() {
    std::vector<WrittenGroup> groups;
    skip_blanks();
    if (at_ == text_.size()) fail("there is no event", "write pmu/event/, for example nvidia_ucf_pmu_0/slc_access_rd/");
    while (true) {
      groups.push_back(text_[at_] == '{' ? group() : single());
      skip_blanks();
      if (at_ == text_.size()) return groups;
      if (text_[at_] == '}') fail("a brace closes that was not opened");
      if (text_[at_] != ',') fail(fmt::format("expected ',' before '{}'", text_.substr(at_)));
      ++at_;
      skip_blanks();
      if (at_ == text_.size()) fail("an event is missing after ','");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& reason, const std::string& suggestion = {}) {
    throw EventError(text_, at_, reason, suggestion);
  }
  [[nodiscard]] bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  WrittenGroup single() {
    WrittenGroup result;
    result.events.push_back(event());
    return result;
  }

  WrittenGroup group() {
    WrittenGroup result;
    result.braces = true;
    const std::size_t opened = at_++;
    while (true) {
      skip_blanks();
      if (at_ == text_.size()) {
        at_ = opened;
        fail("this brace is not closed", "write {event,event}");
      }
      if (next_is('{')) fail("groups do not nest");
      result.events.push_back(event());
      skip_blanks();
      if (next_is('}')) break;
      if (next_is(',')) {
        ++at_;
        continue;
      }
      if (at_ == text_.size()) {
        at_ = opened;
        fail("this brace is not closed", "write {event,event}");
      }
      fail(fmt::format("expected ',' or '}}' before '{}'", text_.substr(at_)));
    }
    ++at_;
    const std::string shared = modifiers();
    for (WrittenEvent& event : result.events) event.modifiers += shared;
    return result;
  }

  std::string modifiers() {
    if (next_is(':')) ++at_;
    const std::size_t start = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return text_.substr(start, at_ - start);
  }

  WrittenEvent event() {
    WrittenEvent result;
    result.position = at_;
    result.pmu = word();
    if (result.pmu.empty()) fail(fmt::format("expected an event before '{}'", text_.substr(at_)));
    if (!next_is('/')) {
      if (software_event(result.pmu)) return software(std::move(result));
      at_ = result.position;
      fail(fmt::format("'{}' names no PMU", result.pmu), "write pmu/event/");
    }
    ++at_;
    skip_blanks();
    while (!next_is('/')) {
      if (at_ == text_.size()) fail("the closing '/' of this event is missing");
      result.terms.push_back(term());
      skip_blanks();
      if (next_is(',')) {
        ++at_;
        skip_blanks();
        if (next_is('/')) fail("a term is missing after ','");
      } else if (!next_is('/')) {
        if (at_ == text_.size()) fail("the closing '/' of this event is missing");
        fail(fmt::format("expected ',' or '/' before '{}'", text_.substr(at_)));
      }
    }
    ++at_;
    result.modifiers = modifiers();
    result.text = text_.substr(result.position, at_ - result.position);
    return result;
  }

  /// @param named  the name alone was read, as a PMU
  WrittenEvent software(WrittenEvent named) {
    named.text = named.pmu;
    named.terms.push_back({.name = std::exchange(named.pmu, kSoftwarePmu), .value = {}, .position = named.position});
    named.modifiers = modifiers();
    return named;
  }

  WrittenTerm term() {
    WrittenTerm result;
    result.position = at_;
    result.name = word();
    if (result.name.empty()) fail(fmt::format("expected a term before '{}'", text_.substr(at_)));
    if (next_is('=')) {
      result.value_position = ++at_;
      result.value = word();
      if (result.value->empty()) fail(fmt::format("the term '{}' has no value after '='", result.name));
    }
    return result;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

EventError::EventError(const std::string& text, std::size_t position, const std::string& reason,
                       const std::string& suggestion)
    : scenario::InputError(scenario::Source{}, fmt::format("event '{}'", text), reason, suggestion),
      text_(text),
      position_(position) {}

std::string EventError::picture() const {
  constexpr std::string_view kIntroduction = "event syntax error: '";
  constexpr std::size_t kAround = 200;  // bytes shown on either side of the error
  const std::size_t begin = position_ > kAround ? position_ - kAround : 0;
  const std::size_t end = std::min(text_.size(), position_ + kAround);
  const std::string before = (begin > 0 ? "..." : "") + printable(text_.substr(begin, position_ - begin));
  const std::string after = printable(text_.substr(position_, end - position_)) + (end < text_.size() ? "..." : "");
  const std::size_t mark = kIntroduction.size() + before.size();
  std::string result = fmt::format("{}{}{}'\n{}\\___ {}", kIntroduction, before, after, std::string(mark, ' '),
                                   printable_message(reason()));
  if (!suggestion().empty())
    result += fmt::format("\n{}{}", std::string(mark + 5, ' '), printable_message(suggestion()));
  return result;
}

std::vector<WrittenGroup> parse_events(const std::string& text) { return Parser(text).parse(); }

}  // namespace pmufab::perf
