// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ostream.h>

#include "testbench/perf/account.h"
#include "testbench/run/report/report.h"

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
  return std::ranges::all_of(run.measures, [](const MeasureResult& measure) {
    return std::ranges::all_of(measure.counters, [](const CounterResult& counter) {
      return counter.check == CounterResult::Check::unchecked && counter.driver && counter.expected;
    });
  });
}

std::string signed_difference(std::uint64_t reported, std::uint64_t happened) {
  if (reported == happened) return "0";
  return fmt::format("{}{}", reported > happened ? '+' : '-',
                     with_separators(reported > happened ? reported - happened : happened - reported));
}

/// @return how wide a column of a table is: as its widest text
template <typename Rows, typename Text>
std::size_t width_of(const Rows& rows, std::size_t head, Text text) {
  for (const auto& row : rows) head = std::max(head, text(row).size());
  return head;
}

}  // namespace

void ComparisonTables::add(const RunResult& run) {
  if (!is_exploration(run)) return;
  const auto [keys, values] = keys_and_values(run.variant);
  const std::string title = fmt::format("{}, drivers of Linux {}: {}", run.scenario, run.drivers, keys);
  auto table = std::ranges::find_if(tables_, [&](const Table& one) { return one.title == title; });
  if (table == tables_.end()) table = tables_.insert(table, {title, keys, false, {}});
  for (const MeasureResult& measure : run.measures) {
    for (const CounterResult& counter : measure.counters) {
      Row& row = table->rows.emplace_back();
      row.values = values;
      row.reported = with_separators(*counter.driver);
      row.expected = with_separators(*counter.expected);
      row.difference = signed_difference(*counter.driver, *counter.expected);
      row.event = counter.event;
      if (!counter.account) continue;
      row.happened = with_separators(counter.account->happened);
      if (perf::has_blind_time(*counter.account) || *counter.driver != *counter.expected)
        row.lost = perf::describe(counter.account->loss);
      table->has_happened = table->has_happened || perf::has_blind_time(*counter.account);
    }
  }
}

void ComparisonTables::write(std::ostream& out, const Table& table) {
  const std::vector<Row>& rows = table.rows;
  // An event that all rows have stands in the title: lines are as short as they can be.
  const bool has_events = std::ranges::any_of(rows, [&](const Row& row) { return row.event != rows.front().event; });
  const std::size_t values = width_of(rows, table.keys.size(), [](const Row& row) { return row.values; });
  const std::size_t reported = width_of(rows, 8, [](const Row& row) { return row.reported; });
  const std::size_t expected = width_of(rows, 4, [](const Row& row) { return row.expected; });
  const std::size_t difference = width_of(rows, 10, [](const Row& row) { return row.difference; });
  const std::size_t happened = width_of(rows, 8, [](const Row& row) { return row.happened; });
  fmt::print(out, "\n{}{}\n", table.title, has_events ? "" : fmt::format("; {}", rows.front().event));
  fmt::print(out, "  {:<{}}  {:>{}}  {:>{}}  {:>{}}", table.keys, values, "reported", reported, "true", expected,
             "difference", difference);
  if (table.has_happened) fmt::print(out, "  {:>{}}", "happened", happened);
  fmt::print(out, "{}\n", has_events ? "  event" : "");
  for (const Row& row : rows) {
    fmt::print(out, "  {:<{}}  {:>{}}  {:>{}}  {:>{}}", row.values, values, row.reported, reported, row.expected,
               expected, row.difference, difference);
    if (table.has_happened) fmt::print(out, "  {:>{}}", row.happened.empty() ? "-" : row.happened, happened);
    if (has_events) fmt::print(out, "  {}", row.event);
    fmt::print(out, "{}\n", row.lost.empty() ? "" : fmt::format("   ({})", row.lost));
  }
}

void ComparisonTables::write(std::ostream& out) const {
  for (const Table& table : tables_) write(out, table);
  if (!tables_.empty()) fmt::print(out, "\n");
}

}  // namespace pmufab::scenario
