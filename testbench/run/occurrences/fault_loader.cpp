// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "testbench/run/occurrences/fault_spec.h"

namespace pmufab::scenario {
namespace {

using FaultKind = FaultSpec::Kind;

constexpr Picoseconds kMaximumSlowness = 1'000'000'000'000;  // a second, of one access
constexpr Picoseconds kDefaultGap = 1'000'000;               // from an interrupt to its double

const Words<FaultKind>& fault_words() {
  static const Words<FaultKind> words = {{"interrupt_lost", FaultKind::interrupt_lost},
                                         {"interrupt_doubled", FaultKind::interrupt_doubled},
                                         {"interrupt_spurious", FaultKind::interrupt_spurious},
                                         {"interrupt_late", FaultKind::interrupt_late},
                                         {"counter_stuck", FaultKind::counter_stuck},
                                         {"reads_all_ones", FaultKind::reads_all_ones},
                                         {"reads_refused", FaultKind::reads_refused},
                                         {"slow_access", FaultKind::slow_access},
                                         {"power_off", FaultKind::power_off},
                                         {"removed", FaultKind::removed}};
  return words;
}

void read_place(Reader& reader, FaultSpec& fault) {
  if (fault.is_of_interrupts()) {
    reader.text("pmu", fault.pmu, Presence::required);
    return;
  }
  if (fault.kind == FaultKind::removed) reader.text("pmu", fault.pmu, Presence::required);
  reader.text("block", fault.block, Presence::required);
  if (fault.kind == FaultKind::power_off || fault.kind == FaultKind::removed) return;
  reader.number("offset", fault.offset, Quantity::address);
  reader.number("size", fault.size);
}

}  // namespace

std::string_view to_string(FaultSpec::Kind kind) noexcept {
  for (const auto& [word, meaning] : fault_words()) {
    if (meaning == kind) return word;
  }
  return "fault";
}

void read_fault(Reader& reader, const std::filesystem::path& base,
                const std::function<bool(const std::string& event)>& is_measured, std::vector<FaultSpec>& out) {
  const DelayLimits limits{kMaximumSlowness, base};
  FaultSpec fault;
  fault.place = reader.source();
  fault.path = reader.path();
  read_trigger(reader, "at", fault.at, Presence::required);
  if (!reader.has("do")) reader.fail("do", "the key 'do' is missing", "for example do: interrupt_lost");
  reader.choice("do", fault.kind, fault_words());
  read_place(reader, fault);
  if (fault.kind == FaultKind::interrupt_late || fault.kind == FaultKind::slow_access) {
    const bool until = fault.kind == FaultKind::interrupt_late && reader.has("until");  // then that says how late
    read_delay(reader, "delay", fault.delay, limits, until ? Presence::optional : Presence::required);
  } else if (fault.kind == FaultKind::interrupt_doubled) {
    fault.delay.time = kDefaultGap;
    read_delay(reader, "delay", fault.delay, limits);
  }
  const bool is_once = fault.kind == FaultKind::interrupt_spurious;
  const bool is_for_good = fault.kind == FaultKind::removed;
  if (!is_once && !is_for_good) {
    if (reader.has("until") || fault.kind == FaultKind::power_off) {
      fault.until.emplace();
      read_trigger(reader, "until", *fault.until, Presence::required);
      if (reader.has("until") && !fault.at.is_access() && !fault.until->is_access() &&
          fault.until->time <= fault.at.time)
        reader.fail("until", "is not after 'at'");
    }
    const bool is_one = fault.kind == FaultKind::interrupt_lost || fault.kind == FaultKind::interrupt_doubled;
    if (is_one && !fault.until) fault.count = 1;
    if (fault.kind != FaultKind::power_off) reader.number("count", fault.count);
  }
  reader.optional_object("not_judged", [&](Reader& item) {
    item.texts("event", fault.not_judged_events, Presence::required);
    item.prose("reason", fault.not_judged_reason, Presence::required);
    for (const std::string& event : fault.not_judged_events) {
      if (!is_measured(event)) item.fail("event", fmt::format("no measure counts '{}'", event));
    }
  });
  out.push_back(std::move(fault));
}

}  // namespace pmufab::scenario
