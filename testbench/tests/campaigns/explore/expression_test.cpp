// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/expression.h"

#include <map>

#include <gmock/gmock.h>

namespace pmufab::explore::expression_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"happened", "reported", "width"};

Expression parsed(const std::string& text) { return {text, kNames, {}, "responses.x"}; }

std::optional<double> value(const std::string& text, std::map<std::string, double> numbers = {}) {
  return parsed(text).evaluate([&](const std::string& name) -> std::optional<double> {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string mistake(const std::string& text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const scenario::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Expression, computes_with_the_usual_precedence) {
  EXPECT_EQ(value("1 + 2 * 3 ^ 2 - 4 / 2"), 17);
  EXPECT_EQ(value("-(1 + 2) * 3"), -9);
  EXPECT_EQ(value("100 * (happened - reported) / happened", {{"happened", 200}, {"reported", 150}}), 25);
  EXPECT_EQ(value("2 ^ width", {{"width", 10}}), 1024);
}

TEST(Expression, has_conditions_and_functions) {
  EXPECT_EQ(value("1 < 2 && 2 <= 2 && 3 != 4 && 5 == 5"), 1);
  EXPECT_EQ(value("1 > 2 || 2 >= 3"), 0);
  EXPECT_EQ(value("width > 3 ? 10 : 20", {{"width", 4}}), 10);
  EXPECT_EQ(value("min(3, 1, 2) + max(3, 1, 2) + abs(-5)"), 9);
  EXPECT_EQ(value("log2(1024)"), 10);
  EXPECT_EQ(value("ceil(1.2) + floor(1.8)"), 3);
}

TEST(Expression, has_no_value_if_a_number_is_missing_or_the_result_is_none) {
  EXPECT_EQ(value("happened + 1"), std::nullopt);
  EXPECT_EQ(value("1 / happened", {{"happened", 0}}), std::nullopt);
  EXPECT_EQ(value("log2(happened)", {{"happened", -1}}), std::nullopt);
  EXPECT_FALSE(parsed("happened == 0").holds([](const std::string&) { return std::nullopt; }));
}

TEST(Expression, says_what_is_wrong_and_where) {
  EXPECT_THAT(mistake("1 + hapened"), AllOf(HasSubstr("responses.x"), HasSubstr("'hapened' is unknown at column 5"),
                                            HasSubstr("did you mean 'happened'?")));
  EXPECT_THAT(mistake("1 + mx(1, 2)"),
              AllOf(HasSubstr("the function 'mx' is unknown at column 5"), HasSubstr("'max'")));
  EXPECT_THAT(mistake("(1 + 2"), HasSubstr("closing parenthesis is missing"));
  EXPECT_THAT(mistake("1 +"), HasSubstr("something is missing at the end"));
  EXPECT_THAT(mistake(""), HasSubstr("something is missing"));
  EXPECT_THAT(mistake("width = 3"), AllOf(HasSubstr("a single '=' at column 7"), HasSubstr("write ==")));
  EXPECT_THAT(mistake("1, 2"), HasSubstr("several results"));
  EXPECT_THAT(mistake("1 $ 2"), HasSubstr("column"));
}

}  // namespace
}  // namespace pmufab::explore::expression_test
