// SPDX-License-Identifier: Apache-2.0
// Comma-separated values of pictures, and of reports.
#include <gmock/gmock.h>

#include "testbench/campaigns/explore/report/picture.h"
#include "testbench/run/report/report.h"

namespace pmufab::explore::csv_test {
namespace {

using ::testing::HasSubstr;

TEST(Csv, shows_the_names_of_cases_and_not_their_places) {
  CurveChart chart{"smallest width", "rate", {"1", "2"}, {1, 2}, "width", {}};
  chart.curves.push_back({"width", {{0, 3, {}, {}, "64"}, {1, 4, {}, {}, "wide"}}});
  chart.y_marks = {{3, "64"}, {4, "wide"}};
  EXPECT_EQ(to_csv(chart), "curve,rate,width,low,high\nwidth,1,64,,\nwidth,2,wide,,\n");
  EXPECT_THAT(to_svg(chart), HasSubstr("rate = 2, wide"));
  const HeatMap map{"smallest width", "x", {"1", "2"}, "y", {"a"}, {0, {}}, {"wide", "none"}, true};
  EXPECT_EQ(to_csv(map), "y,x,value\na,1,wide\na,2,\n");
}

TEST(Csv, has_no_formulas_of_spreadsheets) {
  using scenario::csv_field;
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@sum"), "'@sum");
  EXPECT_EQ(csv_field("+a"), "'+a");
  EXPECT_EQ(csv_field("-a,b"), "\"'-a,b\"");
  EXPECT_EQ(csv_field("\ta"), "'\ta");
  EXPECT_EQ(csv_field("\ra"), "\"'\ra\"");
  for (const char* const plain : {"-1", "+1", "-1.5e3", "", "a", "a=b", "1"}) EXPECT_EQ(csv_field(plain), plain);
}

}  // namespace
}  // namespace pmufab::explore::csv_test
