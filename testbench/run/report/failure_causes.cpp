// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/report/failure_causes.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "testbench/fabrics/fabric_kinds.h"

namespace pmufab::scenario {
namespace {

using Check = CounterResult::Check;

constexpr std::uint64_t kShownInFull = 3;

/// What is wrong, in words, and what it has in common with failures of the same cause.
struct OneFailure {
  std::string text;
  std::string kind;
};

/// @return the event with the kind of its PMU, and with the names alone of the filters that select some of its
///         occurrences: "arm_cmn_*/hnf_cache_miss,bynodeid=,nodeid=/"
std::string kind_of_event(const CounterResult& counter) {
  const std::size_t slash = counter.event.find('/');
  if (slash == std::string::npos) return counter.event;
  std::string kind = without_numbers(counter.pmu) + "/";
  for (std::size_t begin = slash + 1; begin < counter.event.size();) {
    const std::size_t end = std::min(counter.event.find(',', begin), counter.event.size());
    const std::string term = counter.event.substr(begin, end - begin);
    const std::size_t equals = std::min(term.find('='), term.size());
    const std::string name = term.substr(0, equals);
    const bool is_filter = equals < term.size() && !coverage::defines_event(name) && !name.starts_with("config");
    kind += (begin > slash + 1 ? "," : "") + (is_filter ? term.substr(0, equals + 1) : term);
    begin = end + 1;
  }
  return kind;
}

/// All failures of a run.
std::vector<OneFailure> failures_of(const RunResult& run) {
  std::vector<OneFailure> failures;
  const auto add_check = [&](const CheckResult& check) {
    if (check.ok) return;
    const std::string text = fmt::format("{}: {}", check.name, check.text);
    failures.push_back({text, without_numbers(text)});
  };
  for (const MeasureResult& measure : run.measures) {
    for (const CounterResult& counter : measure.counters) {
      if (counter.check != Check::wrong && counter.check != Check::not_opened) continue;
      const std::string note = (counter.check == Check::not_opened ? "not opened: " : "") + counter.note;
      failures.push_back({fmt::format("{}: {}", counter.event, note),
                          fmt::format("{}: {}", kind_of_event(counter), without_numbers(note))});
    }
    for (const DerivedResult& figure : measure.derived) {
      if (figure.ok) continue;
      const std::string text = fmt::format("{}: more than 0.1 % from the traffic's own", figure.name);
      failures.push_back({text, without_numbers(text)});
    }
    for (const CheckResult& check : measure.checks) add_check(check);
  }
  for (const CheckResult& check : run.checks) add_check(check);
  if (!run.message.empty()) failures.push_back({run.message, without_numbers(run.message)});
  return failures;
}

}  // namespace

bool FailureCauses::add(const RunResult& run) {
  if (run.status != RunResult::Status::failed) return false;
  bool is_known = true;
  std::set<std::string> of_run;
  for (const OneFailure& failure : failures_of(run)) {
    auto cause = std::ranges::find_if(causes_, [&](const Cause& known) { return known.kind == failure.kind; });
    if (cause == causes_.end())
      cause =
          causes_.insert(cause, {failure.kind, failure.text, fmt::format("{}, Linux {}", run.title(), run.drivers)});
    ++cause->failures;
    if (!of_run.insert(failure.kind).second) continue;
    is_known = is_known && cause->runs >= kShownInFull;
    ++cause->runs;
  }
  return is_known && !of_run.empty();
}

void FailureCauses::write(std::ostream& out) const {
  const bool has_several = std::ranges::any_of(causes_, [](const Cause& cause) { return cause.failures > 1; });
  if (!has_several) return;
  std::vector<const Cause*> all;
  for (const Cause& cause : causes_) all.push_back(&cause);
  std::ranges::stable_sort(all, [](const Cause* one, const Cause* other) { return one->failures > other->failures; });
  fmt::print(out, "Failures by cause:\n");
  for (const Cause* const cause : all) {
    fmt::print(out, "  {} of {}, first in {}: {}\n", counted(cause->failures, "failure"), counted(cause->runs, "run"),
               cause->where, cause->first);
  }
}

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
