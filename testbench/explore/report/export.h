// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "testbench/explore/database/database.h"

namespace pmufab::explore {

/// Write all points of the study as comma-separated values, in their order: number, axes, seed, drivers, status,
/// responses. What was measured of the machine, such as seconds, is left out: two explorations give the same bytes.
void write_csv(std::ostream& out, const Study& study, Database& database);

/// @return a field of a line of comma-separated values, with quotes if it needs them
[[nodiscard]] std::string csv_field(std::string_view text);

/// @return a number as it stands in tables: whole ones without a point, others with as many digits as they need
[[nodiscard]] std::string number_text(double number);

}  // namespace pmufab::explore
