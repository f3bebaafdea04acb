// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/interleave/time_line.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "testbench/run/results/results.h"

namespace pmufab::interleave {
namespace {

constexpr std::size_t kBefore = 2;  // calls that are shown before the first step
constexpr std::size_t kAfter = 3;   // and after the last
constexpr std::size_t kMostLines = 80;

bool is_at(const Trigger& trigger, const AccessRecord& access) {
  return trigger.pmu == access.place.pmu && *trigger.call == access.place.call &&
         trigger.nth_call == access.place.nth_call && trigger.access == access.place.access;
}

bool is_in_call(const Trigger& trigger, const AccessRecord& access) {
  return trigger.pmu == access.place.pmu && *trigger.call == access.place.call &&
         trigger.nth_call == access.place.nth_call;
}

/// @return the access before which a step comes; the number of accesses: after all
std::size_t place_of(const Trigger& at, const std::vector<AccessRecord>& accesses) {
  std::size_t after_call = accesses.size();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!at.is_access()) {
      if (accesses[i].when > at.time) return i;
      continue;
    }
    if (is_at(at, accesses[i])) return i;
    if (is_in_call(at, accesses[i])) after_call = i + 1;
  }
  return after_call;
}

bool is_same_call(const AccessRecord& one, const AccessRecord& other) {
  return one.place.pmu == other.place.pmu && one.place.call == other.place.call &&
         one.place.nth_call == other.place.nth_call;
}

std::string line_of(const AccessRecord& access) {
  const std::string name = access.name.empty() ? "no register" : access.name;
  return fmt::format("  {:>12}  {:<5} {:#x}  {:<28} {:#018x}  {}\n", scenario::format_time(access.when),
                     access.is_write ? "write" : "read", access.address, name, access.value, access.function);
}

/// @return where `calls` more calls have been passed, from `index` on
std::size_t moved(const std::vector<AccessRecord>& accesses, std::size_t index, std::size_t calls, bool forward) {
  while (forward ? index < accesses.size() : index > 0) {
    const bool is_edge = index > 0 && index < accesses.size() && !is_same_call(accesses[index - 1], accesses[index]);
    if (is_edge && calls-- == 0) break;
    forward ? ++index : --index;
  }
  return index;
}

}  // namespace

std::string draw_time_line(const std::vector<AccessRecord>& accesses, const Schedule& schedule) {
  struct Mark {
    std::size_t place;
    std::string text;
  };
  std::vector<Mark> marks;
  for (const Step& step : schedule.steps) {
    marks.push_back({place_of(step.at, accesses), describe(step)});
    if (step.kind == Step::Kind::hold) marks.push_back({place_of(step.until, accesses), "interrupts are let through"});
  }
  std::ranges::stable_sort(marks, [](const Mark& a, const Mark& b) { return a.place < b.place; });
  if (marks.empty()) return {};
  const std::size_t first = moved(accesses, marks.front().place, kBefore, false);
  const std::size_t last = moved(accesses, marks.back().place, kAfter, true);
  std::string text;
  std::size_t lines = 0;
  auto mark = marks.begin();
  for (std::size_t i = first; i <= last && i <= accesses.size(); ++i) {
    for (; mark != marks.end() && mark->place <= i; ++mark) text += fmt::format("  ------------  {}\n", mark->text);
    if (i == last || i == accesses.size()) break;
    if (++lines > kMostLines) return text + "  ...\n";
    if (i == first || !is_same_call(accesses[i - 1], accesses[i]))
      text += fmt::format("  {} call {} of {}\n", scenario::to_string(accesses[i].place.call),
                          accesses[i].place.nth_call, accesses[i].place.pmu);
    text += line_of(accesses[i]);
  }
  return text;
}

}  // namespace pmufab::interleave
