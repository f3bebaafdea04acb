// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/trigger.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/results/results.h"

namespace pmufab::scenario {
namespace {

constexpr Picoseconds kLatestTrigger = Picoseconds{1} << 62;  // what is added to it does not wrap

}  // namespace

const Words<Trigger::Call>& call_words() {
  using Call = Trigger::Call;
  static const Words<Call> words = {{"read", Call::read},
                                    {"add", Call::add},
                                    {"del", Call::del},
                                    {"interrupt", Call::interrupt},
                                    {"pmu_disable", Call::pmu_disable},
                                    {"pmu_enable", Call::pmu_enable},
                                    {"start_txn", Call::start_txn},
                                    {"commit_txn", Call::commit_txn},
                                    {"cancel_txn", Call::cancel_txn}};
  return words;
}

std::string_view to_string(Trigger::Call call) noexcept {
  for (const auto& [word, meaning] : call_words()) {
    if (meaning == call) return word;
  }
  // Nothing can wait for these.
  return call == Trigger::Call::start ? "start" : "stop";
}

std::optional<Trigger::Call> call_called(std::string_view word) noexcept {
  for (const auto& [known, meaning] : call_words()) {
    if (known == word) return meaning;
  }
  return {};
}

void read_trigger(Reader& reader, std::string_view key, Trigger& out, Presence presence) {
  const Value* const value = reader.take(key);
  if (value == nullptr || value->kind != Value::Kind::map) {
    reader.number(key, out.time, Quantity::duration, 0, kLatestTrigger, presence);
    return;
  }
  reader.object(key, [&](Reader& at) {
    at.number("access", out.access, Quantity::count, 1);
    if (at.has("of")) {
      Trigger::Call call = Trigger::Call::read;
      at.choice("of", call, call_words());
      out.call = call;
    }
    at.text("pmu", out.pmu, Presence::required);
    if (at.has("call")) at.number("call", out.nth_call, Quantity::count, 1);
    at.number("after", out.time, Quantity::duration, 0, kLatestTrigger);
    at.flag("optional", out.is_optional);
    if (out.pmu.find_first_of("*?[/") != std::string::npos)
      at.fail("pmu", fmt::format("'{}' is not the name of one PMU", out.pmu), "for example arm_cmn_0");
    if (out.nth_call > 0 && !out.call) at.fail("call", "which kind of call is not given", "add for example of: read");
  });
}

std::string describe(const Trigger& trigger) {
  if (!trigger.is_access()) return format_time(trigger.time);
  const bool is_end = trigger.nth_call > 0 && trigger.access == std::numeric_limits<std::uint64_t>::max();
  std::string text = is_end ? std::string("at the end") : fmt::format("before access {}", trigger.access);
  if (trigger.call) {
    text += fmt::format(" of {}", to_string(*trigger.call));
    text += trigger.nth_call > 0 ? fmt::format(" call {}", trigger.nth_call) : std::string(" calls");
  }
  text += fmt::format(" of {}", trigger.pmu);
  if (trigger.time > 0) text += fmt::format(" after {}", format_time(trigger.time));
  return text;
}

void Triggers::arm(const Trigger& trigger, Picoseconds zero, std::function<void()> fire) {
  if (trigger.is_access()) {
    waiting_.push_back({trigger, zero + trigger.time, std::move(fire)});
    return;
  }
  alarms_.push_back(std::make_unique<Alarm>(std::move(fire)));
  alarms_.back()->set(zero + trigger.time);
}

void Triggers::disarm() {
  for (const Waiting& waiting : waiting_) {
    if (!waiting.trigger.is_optional) missed_.push_back(describe(waiting.trigger));
  }
  waiting_.clear();
  for (const auto& alarm : alarms_) alarm->cancel();
}

std::uint64_t& Triggers::number_of(const std::string& pmu, Call call) {
  for (Calls& known : calls_) {
    if (known.call == call && known.pmu == pmu) return known.number;
  }
  calls_.push_back({pmu, call, 0});
  return calls_.back().number;
}

bool Triggers::matches(const Waiting& waiting, Call call, const std::string& pmu) {
  return waiting.trigger.pmu == pmu && (!waiting.trigger.call || *waiting.trigger.call == call) &&
         simulated_time() >= waiting.from;
}

void Triggers::on_call(Call call, bool begin, const std::string& pmu) {
  if (begin) {
    place_ = {pmu, call, ++number_of(pmu, call), 0};
    for (Waiting& waiting : waiting_) {
      if (!matches(waiting, call, pmu)) continue;
      ++waiting.calls;
      waiting.is_inside = waiting.trigger.nth_call == 0 || waiting.trigger.nth_call == waiting.calls;
    }
    return;
  }
  place_ = {};
  for (Waiting& waiting : waiting_) {
    // The access that it waits for does not come.
    if (waiting.is_inside && waiting.trigger.nth_call > 0) waiting.accesses = waiting.trigger.access;
    waiting.is_inside = false;
  }
  fire();
}

bool Triggers::before_access() {
  if (!place_.pmu.empty()) ++place_.access;
  for (Waiting& waiting : waiting_) {
    if (waiting.is_inside) ++waiting.accesses;
  }
  return std::ranges::any_of(waiting_, [](const Waiting& waiting) { return waiting.is_due(); });
}

void Triggers::fire() {
  std::vector<std::function<void()>> due;
  for (Waiting& waiting : waiting_) {
    if (waiting.is_due()) due.push_back(std::move(waiting.fire));
  }
  std::erase_if(waiting_, [](const Waiting& waiting) { return waiting.is_due(); });
  for (const auto& happen : due) happen();
}

}  // namespace pmufab::scenario
