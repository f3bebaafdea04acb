// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "testbench/campaigns/explore/database/database.h"
#include "testbench/campaigns/explore/report/findings.h"

namespace pmufab::explore {

/// A picture of a report, and its numbers.
struct Picture {
  std::string name;  ///< as part of a file name: "lost_percent-by-width"
  std::string svg;
  std::string csv;
};

/// Pictures of goals: the answers over the axes of for_each. Pictures of responses, unless the study is a search: over
/// each axis and each pair of axes, against the baseline, and of the key `front`. A picture has the mean and the range
/// over the other axes and the seeds. If only seeds vary, it has the mean and its 95 % confidence interval.
[[nodiscard]] std::vector<Picture> pictures_of(const Study& study, const Findings& findings, Database& database);

/// Write the page: answers, pictures, and each point with the command that runs it. It names no other file and no
/// address, and is written as it is made.
void write_report(std::ostream& out, const Study& study, const Findings& findings, const std::vector<Picture>& pictures,
                  Database& database);

}  // namespace pmufab::explore
