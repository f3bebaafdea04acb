// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/export.h"

#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "testbench/run/report/report.h"

namespace pmufab::explore {

std::string number_text(double number) {
  constexpr double kWhole = 1e18;  // written with all its digits below
  if (number == std::floor(number) && std::abs(number) < kWhole) return fmt::format("{:.0f}", number);
  return fmt::format("{}", number);
}

void write_csv(std::ostream& out, const Study& study, Database& database) {
  out << "point";
  for (const Axis& axis : study.axes) out << ',' << scenario::csv_field(axis.name);
  out << ",run_seed,run_drivers,status";
  for (const Response& response : study.responses) out << ',' << scenario::csv_field(response.name);
  out << '\n';
  database.each(study, [&](std::uint64_t position, const Result& result) {
    out << position;
    const std::vector<std::size_t> at = study.grid.values_at(position / study.grid.repeats());
    for (std::size_t i = 0; i < at.size(); ++i) out << ',' << scenario::csv_field(study.axes[i].values[at[i]].label);
    out << ',' << result.seed << ',' << scenario::csv_field(result.drivers) << ',' << result.status;
    for (const std::optional<double>& value : result.values) out << ',' << (value ? number_text(*value) : "");
    out << '\n';
  });
}

}  // namespace pmufab::explore
