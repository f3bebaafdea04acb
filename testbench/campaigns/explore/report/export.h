// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "testbench/campaigns/explore/database/database.h"

namespace pmufab::explore {

/// Write all points of the study as comma-separated values, in their order: number, axes, seed, drivers, status,
/// responses. What was measured of the machine, such as seconds, is left out: two explorations give the same bytes.
void write_csv(std::ostream& out, const Study& study, Database& database);

/// @return a number as it stands in tables: whole ones without a point, others with as many digits as they need
[[nodiscard]] std::string number_text(double number);

}  // namespace pmufab::explore
