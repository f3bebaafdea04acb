// SPDX-License-Identifier: Apache-2.0
#include "tlm/spec/printable.h"

#include <gtest/gtest.h>

namespace pmufab::testing {
namespace {

TEST(Printable, control_characters_are_written_out) {
  EXPECT_EQ(printable("a\x1b[31mb\x07"), "a\\x1b[31mb\\x07");
  EXPECT_EQ(printable("a\r\nb\tc\x7f"), "a\\x0d\\x0ab\tc\\x7f");
  EXPECT_EQ(printable_lines("a\r\nb"), "a\\x0d\nb");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "U+009B begins a sequence of a terminal, too";
}

TEST(Printable, characters_that_reverse_or_hide_others_are_written_out) {
  EXPECT_EQ(printable("passed\xe2\x80\xae"
                      "deliaf"),
            "passed\\xe2\\x80\\xaedeliaf");
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8") << "U+2028, a line's end";
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6") << "U+2066";
  EXPECT_EQ(printable("\xef\xbb\xbf"), "\\xef\\xbb\\xbf") << "U+FEFF";
  EXPECT_EQ(printable("\xf3\xa0\x80\xa1"), "\\xf3\\xa0\\x80\\xa1") << "U+E0021";
  const std::string persian = "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae";  // with U+200C inside of a word
  EXPECT_EQ(printable(persian), persian);
}

TEST(Printable, text_in_any_language_stays_and_other_bytes_are_written_out) {
  EXPECT_EQ(printable("Zähler µs 数"), "Zähler µs 数");
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}

TEST(Printable, long_values_in_a_message_are_cut) {
  const std::string longer(70'000, 'x');
  EXPECT_EQ(printable_message("the key '" + longer + "' is not known; 'b' is"),
            "the key '" + std::string(80, 'x') + "... (70,000 characters)' is not known; 'b' is");
  std::string wide;
  for (int i = 0; i < 121; ++i) wide += "µ";
  EXPECT_EQ(printable_message("'" + wide + "'"), "'" + wide.substr(0, 160) + "... (121 characters)'");
  // What need not be cut stays: prose between values, apostrophes, values of a usual length.
  const std::string prose = "'a' is the driver's; " + std::string(200, 'y') + " 'b' '" + std::string(120, 'z') + "'";
  EXPECT_EQ(printable_message(prose), prose);
  const std::string once = printable_message("'" + longer + "'");
  EXPECT_EQ(printable_message(once), once);
}

}  // namespace
}  // namespace pmufab::testing
