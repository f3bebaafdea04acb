// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "testbench/campaigns/explore/database/database.h"
#include "testbench/campaigns/explore/report/report.h"
#include "testbench/campaigns/explore/report/statistics.h"
#include "testbench/campaigns/explore/study/study.h"

namespace pmufab::explore {

/// What a response does if one axis at a time leaves the baseline: a picture for each response of `show`.
class SensitivityPictures {
 public:
  explicit SensitivityPictures(const Study& study);
  void add(std::uint64_t position, const Result& result);
  [[nodiscard]] std::vector<Picture> pictures() const;

 private:
  const Study& study_;
  std::vector<std::size_t> responses_;
  std::vector<std::vector<std::vector<Sample>>> samples_;  // by response, axis, value
};

/// The designs that no other beats, by the key `front`.
class FrontPicture {
 public:
  explicit FrontPicture(const Study& study);
  void add(std::uint64_t position, const Result& result);
  /// @return none without that key, or without points
  [[nodiscard]] std::vector<Picture> pictures() const;

 private:
  struct Worst {
    double cost = 0;
    double error = 0;
    bool is_known = true;  // each point has both numbers
  };
  const Study& study_;
  std::vector<std::size_t> chosen_;         // axes of a design
  std::map<std::uint64_t, Worst> designs_;  // by the site with the first values of the other axes
};

}  // namespace pmufab::explore
