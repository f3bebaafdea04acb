// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/publication/mesh_map.h"

#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmufab::scoreboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

/// Two columns and two rows. The crosspoint in the north-east has two devices at a port.
MeshMap mesh() {
  MeshMap map{2, {}};
  map.crosspoints.resize(4);
  map.crosspoints[0] = {"0", false, {{"HN-F", {{{0}, {}}}}, {"RN-F_E", {}}}};
  map.crosspoints[1] = {"1", false, {{"", {}}, {"HN-T", {{{1}, {}}}}}};
  map.crosspoints[2] = {"0", false, {{"HN-D", {{{0}, {}}}}}};
  map.crosspoints[3] = {"1", false, {{"HN-F", {{{1}, {2, 7}}}}, {"", {}}}};
  return map;
}

constexpr const char* kShown =
    "     X    0        1    \n"
    "Y P D+--------+--------+\n"
    "1    | XP #2  | XP #3  |\n"
    "     | DTC 0  | DTC 1  |\n"
    "     |........|........|\n"
    "  0  |  HN-D  |  HN-F  |\n"
    "    0|   #0   |   #1   |\n"
    "    1|        |   #7   |\n"
    "  1  |        |        |\n"
    "    0|   #5   |        |\n"  // of an empty place it shows what it finds there
    "    1|        |        |\n"
    "-----+--------+--------+\n"
    "0    | XP #0  | XP #1  |\n"
    "     | DTC 0  | DTC 1  |\n"
    "     |........|........|\n"
    "  0  |  HN-F  |        |\n"
    "    0|   #0   |        |\n"
    "    1|        |        |\n"
    "  1  | RN-F_E |  HN-T  |\n"
    "    0|        |   #1   |\n"
    "    1|        |        |\n"
    "-----+--------+--------+\n";

/// @return the map with the first `before` replaced
std::string with(const std::string& before, const std::string& after) {
  std::string text = kShown;
  text.replace(text.find(before), before.size(), after);
  return text;
}

TEST(MeshMap, of_the_mesh_is_right) { EXPECT_EQ(compare_map(mesh(), kShown), std::nullopt); }

TEST(MeshMap, whose_columns_are_not_below_one_another_is_wrong) {
  EXPECT_THAT(compare_map(mesh(), with("|   #0   |   #1   |", "|   #0    |   #1   |")),
              Optional(HasSubstr("columns are not below those of the others: '    0|   #0    |   #1   |'")));
  EXPECT_THAT(compare_map(mesh(), with("| XP #0  | XP #1  |", "| XP #0  |XP #1  |")),
              Optional(HasSubstr("columns are not below those of the others: '0    | XP #0  |XP #1  |'")));
}

TEST(MeshMap, every_part_is_compared) {
  EXPECT_THAT(compare_map(mesh(), with("XP #3", "XP #1")), Optional(HasSubstr("crosspoint 3 has number '1'")));
  EXPECT_THAT(compare_map(mesh(), with("DTC 0  | DTC 1", "DTC 0  | DTC 0")),
              Optional(HasSubstr("crosspoint 3 has DTC '0', which must be 1")));
  EXPECT_THAT(compare_map(mesh(), with("HN-D", "HN-T")),
              Optional(HasSubstr("crosspoint 2 has 'HN-T' at port 0, which must be 'HN-D'")));
  EXPECT_THAT(compare_map(mesh(), with("#7", "#3")),
              Optional(HasSubstr("crosspoint 3 has logical id '3' for device 1 of port 0, which must be 2 or 7")));
  EXPECT_THAT(compare_map(mesh(), with("0    | XP", "1    | XP")), Optional(HasSubstr("in the place of row 0")));
  EXPECT_THAT(compare_map(mesh(), "nothing\n"), Optional(HasSubstr("has 0 rows, and the mesh 2")));
}

TEST(MeshMap, of_a_mesh_without_registers_for_domains_may_leave_them_out) {
  MeshMap expected = mesh();
  const std::string shown = with("DTC 0  | DTC 1", "DTC ?? | DTC 1");
  EXPECT_THAT(compare_map(expected, shown), Optional(HasSubstr("crosspoint 2 has DTC '")));
  expected.crosspoints[2].may_be_unknown = true;
  EXPECT_EQ(compare_map(expected, shown), std::nullopt);
}

}  // namespace
}  // namespace pmufab::scoreboard
