// SPDX-License-Identifier: Apache-2.0
// Printing of register banks.

#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tlm/registers/register_bank.h"

namespace pmufab::register_dump_test {
namespace {

constexpr FieldSpec kControl[] = {
    {"EN", 0, 1, Access::rw, 1, "counting enabled"},
    {"MODE", 4, 3, Access::rw, 5},
    {"RSVD", 8, 8, Access::reserved},
    {"CODE", 16, 16, Access::ro, 0xbeef, "a|b"},
};
constexpr FieldSpec kCounter[] = {{"VALUE", 0, 64, Access::ro, 0, "events"}};
constexpr RegisterSpec kRegisters[] = {
    {.name = "CTRL", .offset = 0x0, .width = 32, .fields = kControl, .source = "spec 1.2"},
    {.name = "CNT", .offset = 0x8, .width = 64, .fields = kCounter, .count = 3, .stride = 0x10},
};

class RegisterDump : public ::testing::Test {
 protected:
  RegisterDump() {
    bank.limit(bank.find("CNT"), 2);
    bank.set_value(bank.find("CNT"), 0xff, 0);
    bank.on_read(bank.find("CNT"), [this](unsigned element, Picoseconds when) {
      return element == 0 ? bank.value(bank.find("CNT")) : when;
    });
  }
  RegisterBank bank{{.name = "soc.pmu", .size = 0x100}, kRegisters};
};

TEST_F(RegisterDump, text_shows_values_and_decoded_fields_of_what_is_implemented) {
  std::ostringstream out;
  bank.dump_text(out, 4'096);
  EXPECT_EQ(out.str(),
            "soc.pmu: 2 registers in 0x100 bytes, at 4096 ps\n"
            "0x0000  CTRL                     0xbeef0051\n"
            "              0  EN                   rw            0x1  counting enabled\n"
            "            6:4  MODE                 rw            0x5\n"
            "          31:16  CODE                 ro            0xbeef  a|b\n"
            "0x0008  CNT[0]                   0x00000000000000ff\n"
            "           63:0  VALUE                ro            0xff  events\n"
            "0x0018  CNT[1]                   0x0000000000001000\n"
            "           63:0  VALUE                ro            0x1000  events\n");
}

TEST_F(RegisterDump, markdown_shows_the_map_and_not_the_values) {
  std::ostringstream out;
  bank.dump_markdown(out);
  EXPECT_EQ(out.str(),
            "## soc.pmu\n"
            "\n"
            "A window of 0x100 bytes.\n"
            "\n"
            "| Offset | Register | Bits | Field | Access | Reset | Meaning |\n"
            "|---|---|---|---|---|---|---|\n"
            "| 0x0 | CTRL | 31:0 | | | 0xbeef0051 | spec 1.2 |\n"
            "| | | 0 | EN | rw | 0x1 | counting enabled |\n"
            "| | | 6:4 | MODE | rw | 0x5 |  |\n"
            "| | | 15:8 | RSVD | reserved | 0x0 |  |\n"
            "| | | 31:16 | CODE | ro | 0xbeef | a\\|b |\n"
            "| 0x8 + 0x10 n | CNT[0 ... 1] | 63:0 | | | 0x0000000000000000 |  |\n"
            "| | | 63:0 | VALUE | ro | 0x0 | events |\n");
}

TEST_F(RegisterDump, json_holds_map_and_values_and_keeps_64_bits) {
  bank.set_value(bank.find("CNT"), 0xffff'ffff'ffff'fffe, 0);
  const auto expected = nlohmann::json::parse(R"({
    "name": "soc.pmu", "size": 256, "time_ps": 4096,
    "registers": [
      {"name": "CTRL", "offset": 0, "width": 32, "count": 1, "implemented": 1, "stride": 0, "halves": false,
       "source": "spec 1.2",
       "fields": [
         {"name": "EN", "lsb": 0, "width": 1, "access": "rw", "reset": "0x1", "meaning": "counting enabled"},
         {"name": "MODE", "lsb": 4, "width": 3, "access": "rw", "reset": "0x5", "meaning": ""},
         {"name": "RSVD", "lsb": 8, "width": 8, "access": "reserved", "reset": "0x0", "meaning": ""},
         {"name": "CODE", "lsb": 16, "width": 16, "access": "ro", "reset": "0xbeef", "meaning": "a|b"}],
       "resets": ["0xbeef0051"], "values": ["0xbeef0051"]},
      {"name": "CNT", "offset": 8, "width": 64, "count": 3, "implemented": 2, "stride": 16, "halves": false,
       "source": "",
       "fields": [{"name": "VALUE", "lsb": 0, "width": 64, "access": "ro", "reset": "0x0", "meaning": "events"}],
       "resets": ["0x0000000000000000", "0x0000000000000000", "0x0000000000000000"],
       "values": ["0xfffffffffffffffe", "0x0000000000001000", "0x0000000000000000"]}]
  })");
  EXPECT_EQ(bank.dump_json(4'096), expected);
}

TEST_F(RegisterDump, printing_changes_nothing) {
  const nlohmann::json before = bank.dump_json(7);
  std::ostringstream out;
  bank.dump_text(out, 9);
  bank.dump_markdown(out);
  EXPECT_EQ(bank.dump_json(7), before);
  EXPECT_EQ(bank.guest_errors(), 0U);
}

TEST(AccessPolicy, has_a_name_for_each_policy) {
  EXPECT_EQ(to_string(Access::rw), "rw");
  EXPECT_EQ(to_string(Access::ro), "ro");
  EXPECT_EQ(to_string(Access::w1c), "w1c");
  EXPECT_EQ(to_string(Access::w1s), "w1s");
  EXPECT_EQ(to_string(Access::w0c), "w0c");
  EXPECT_EQ(to_string(Access::rc), "rc");
  EXPECT_EQ(to_string(Access::wo), "wo");
  EXPECT_EQ(to_string(Access::raz_wi), "raz_wi");
  EXPECT_EQ(to_string(Access::reserved), "reserved");
  EXPECT_EQ(to_string(Access::unimplemented), "unimplemented");
}

}  // namespace
}  // namespace pmufab::register_dump_test
