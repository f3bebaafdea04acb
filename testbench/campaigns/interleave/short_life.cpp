// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/interleave/short_life.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "testbench/perf/event_syntax.h"

namespace pmufab::interleave {
namespace {

using scenario::Value;

// Times in units: a measure is read after 10 and 20.
constexpr std::uint64_t kBegin = 1;
constexpr std::uint64_t kFirstCounts = 3;
constexpr std::uint64_t kReading = 10;
constexpr std::uint64_t kBetweenReadings = 15;
constexpr std::uint64_t kEnd = 25;
constexpr std::uint64_t kWhole = 28;
constexpr std::uint64_t kFirstCount = 80;  // also some units of an event that counts bytes in units of 16

Value time_of(Picoseconds time) { return Value::of(fmt::format("{} ps", time)); }

Value injection(Picoseconds at, const std::string& source, std::uint64_t count) {
  Value item = Value::map();
  item.add("at", time_of(at));
  item.add("source", Value::of(source, true));
  item.add("count", Value::of(fmt::format("{}", count)));
  return item;
}

void inject(Value& document, Value item) {
  Value* list = document.find("inject");
  if (list == nullptr) list = &document.add("inject", Value::sequence());
  list->items.push_back(std::move(item));
}

/// @return `event` with terms that name one place, where it has none of such a kind yet
std::string with_terms(const perf::WrittenEvent& event, const std::vector<std::string_view>& terms) {
  std::string text = event.text.substr(0, event.text.rfind('/'));
  for (const std::string_view term : terms) {
    const std::string_view kind = term.substr(0, term.find_first_of("_="));  // src, dst, bynodeid, lane
    const bool has = std::ranges::any_of(
        event.terms, [&](const perf::WrittenTerm& written) { return written.name.starts_with(kind); });
    if (!has) text += fmt::format(",{}", term);
  }
  return text + "/";
}

}  // namespace

Value short_life(const Value& effective, const std::vector<OpenTogether>& measures, Picoseconds unit) {
  // Not what passes time, what traffic makes, or what the whole scenario must show.
  constexpr std::array<std::string_view, 7> kKept = {
      "name", "seed", "drivers", "platform", "host", "firmware_writes", "expected_failure"};
  Value life = Value::map();
  for (const Value::Entry& entry : effective.entries) {
    if (std::ranges::find(kKept, entry.key) != kKept.end()) life.entries.push_back(entry);
  }
  life.add("duration", time_of(std::max<std::size_t>(measures.size(), 1) * kWhole * unit));
  Value list = Value::sequence();
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const Picoseconds begin = i * kWhole * unit;
    Value measure = Value::map();
    measure.add("name", Value::of(fmt::format("life {}", i + 1), true));
    measure.add("start", time_of(begin + kBegin * unit));
    measure.add("stop", time_of(begin + kEnd * unit));
    measure.add("interval", time_of(kReading * unit));
    Value events = Value::sequence();
    for (const std::string& event : measures[i]) events.items.push_back(Value::of(event, true));
    measure.add("events", std::move(events));
    list.items.push_back(std::move(measure));
  }
  life.add("measure", std::move(list));
  return life;
}

void begin_counts(Value& short_life, const std::vector<std::vector<std::string>>& sources, Picoseconds unit) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const std::string& source : sources[i])
      inject(short_life, injection((i * kWhole + kFirstCounts) * unit, source, kFirstCount));
  }
}

void add_between_readings(Value& short_life, const std::string& source, std::uint64_t count, Picoseconds unit) {
  inject(short_life, injection(kBetweenReadings * unit, source, count));
}

std::size_t measure_at(Picoseconds time, Picoseconds unit) { return time / (kWhole * unit); }

std::vector<std::string> one_place_of(const std::string& event) {
  const perf::WrittenEvent written = perf::parse_events(event).at(0).events.at(0);
  std::vector<std::string> texts = {event};
  const auto is_of = [&](std::string_view prefix) { return written.pmu.starts_with(prefix); };
  if (is_of("nvidia_ucf_pmu_")) texts.push_back(with_terms(written, {"src_loc_cpu=1", "dst_loc_cmem=1"}));
  if (is_of("nvidia_pcie_tgt_pmu_")) {
    texts.push_back(with_terms(written, {"dst_rp_mask=0x1"}));
  } else if (is_of("nvidia_pcie_pmu_")) {
    texts.push_back(with_terms(written, {"src_rp_mask=0x1", "dst_loc_cmem=1"}));
  }
  if (is_of("dwc_rootport_")) texts.push_back(with_terms(written, {"lane=0"}));
  constexpr unsigned kMostNode = 0x200;
  constexpr unsigned kNodes = 4;  // of one port: their ids follow one another in steps of 4 at least
  const bool is_of_many = is_of("arm_cmn_") && std::ranges::none_of(written.terms, [](const perf::WrittenTerm& term) {
                            return term.name == "bynodeid";
                          });
  for (unsigned id = 0; is_of_many && id < kMostNode; id += kNodes)
    texts.push_back(event.substr(0, event.rfind('/')) + fmt::format(",bynodeid=1,nodeid={:#x}/", id));
  return texts;
}

}  // namespace pmufab::interleave
