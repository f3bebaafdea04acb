// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ostream.h>

#include "testbench/perf/account.h"
#include "testbench/scenario/report/report.h"

namespace pmufab::scenario {
namespace {

/// "local_width=8,global_width=32": "local_width, global_width" and "8, 32".
std::pair<std::string, std::string> keys_and_values(const std::string& variant) {
  std::pair<std::string, std::string> both;
  for (std::size_t begin = 0; begin < variant.size();) {
    const std::size_t end = std::min(variant.find(',', begin), variant.size());
    const std::size_t equals = std::min(variant.find('=', begin), end);
    if (begin > 0) {
      both.first += ", ";
      both.second += ", ";
    }
    both.first += variant.substr(begin, equals - begin);
    both.second += equals < end ? variant.substr(equals + 1, end - equals - 1) : "";
    begin = end + 1;
  }
  return both;
}

/// @return true if the run is one of several, and nobody judges a count of it.
bool is_exploration(const RunResult& run) {
  if (run.variant.empty() || run.counters() == 0) return false;
  return std::all_of(run.measures.begin(), run.measures.end(), [](const MeasureResult& measure) {
    return std::all_of(measure.counters.begin(), measure.counters.end(), [](const CounterResult& counter) {
      return counter.check == CounterResult::Check::unchecked && counter.driver && counter.expected;
    });
  });
}

std::string signed_difference(std::uint64_t reported, std::uint64_t happened) {
  if (reported == happened) return "0";
  return fmt::format("{}{}", reported > happened ? '+' : '-',
                     with_separators(reported > happened ? reported - happened : happened - reported));
}

constexpr std::size_t kNarrowest = 20;

std::size_t width_of(const std::string& keys) { return std::max(keys.size(), kNarrowest); }

}  // namespace

void ComparisonTables::add(const RunResult& run) {
  if (!is_exploration(run)) return;
  const auto [keys, values] = keys_and_values(run.variant);
  const std::string title = fmt::format("{}, drivers of Linux {}: {}", run.scenario, run.drivers, keys);
  auto table = std::find_if(tables_.begin(), tables_.end(), [&](const Table& one) { return one.title == title; });
  if (table == tables_.end()) table = tables_.insert(table, {title, keys, false, {}});
  for (const MeasureResult& measure : run.measures) {
    for (const CounterResult& counter : measure.counters) {
      Row& row = table->rows.emplace_back();
      row.counts =
          fmt::format("  {:<{}}  {:>25}  {:>25}  {:>25}  ", values, width_of(keys), with_separators(*counter.driver),
                      with_separators(*counter.expected), signed_difference(*counter.driver, *counter.expected));
      row.event = counter.event;
      if (!counter.account) continue;
      row.happened = with_separators(counter.account->happened);
      if (perf::has_blind_time(*counter.account) || *counter.driver != *counter.expected)
        row.lost = perf::describe(counter.account->loss);
      table->has_happened = table->has_happened || perf::has_blind_time(*counter.account);
    }
  }
}

void ComparisonTables::write(std::ostream& out) const {
  for (const Table& table : tables_) {
    fmt::print(out, "\n{}\n  {:<{}}  {:>25}  {:>25}  {:>25}  ", table.title, table.keys, width_of(table.keys),
               "reported", "true", "difference");
    if (table.has_happened) fmt::print(out, "{:>25}  ", "happened");
    fmt::print(out, "event\n");
    for (const Row& row : table.rows) {
      out << row.counts;
      if (table.has_happened) fmt::print(out, "{:>25}  ", row.happened.empty() ? "-" : row.happened);
      fmt::print(out, "{}{}\n", row.event, row.lost.empty() ? "" : fmt::format("   ({})", row.lost));
    }
  }
  if (!tables_.empty()) fmt::print(out, "\n");
}

}  // namespace pmufab::scenario
