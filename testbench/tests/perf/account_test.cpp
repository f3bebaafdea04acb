// SPDX-License-Identifier: Apache-2.0
// What happened, was counted and was reported: as JSON, and in words.
#include "testbench/perf/account.h"

#include <gtest/gtest.h>

namespace pmufab::perf::account_test {
namespace {

using scoreboard::Account;
using scoreboard::LossCause;
using Json = nlohmann::ordered_json;

Account account_of(std::uint64_t happened, std::uint64_t counted, LossCause cause, std::int64_t lost) {
  Account account{happened, counted, {}};
  account.loss[cause] = lost;
  return account;
}

TEST(AccountAsJson, has_every_cause_and_comes_back_as_it_was) {
  Account account = account_of(100, 40, LossCause::handler, 70);
  account.loss[LossCause::not_scheduled] = -10;
  account.loss[LossCause::carry_lost] = 5;
  Json json;
  add_account(json, account, 35, {10, 5});
  EXPECT_EQ(json.dump(),
            R"({"happened":100,"counted":40,"reported":35,"scaled":70,"loss":{"handler":70,"reading":0,)"
            R"("not_scheduled":-10,"disabled":0,"frozen":0,"carry_under_way":0,"carry_lost":5,"ambiguous_wrap":0,)"
            R"("unexplained":0}})");
  EXPECT_EQ(account_from_json(Json::parse(json.dump())), account);
}

TEST(AccountAsJson, has_null_for_what_is_not_known) {
  Json json;
  add_account(json, {}, {}, {});
  EXPECT_EQ(json.dump(), R"({"happened":null,"counted":null,"reported":null,"scaled":null,"loss":null})");
  EXPECT_EQ(account_from_json(json), std::nullopt);
  EXPECT_EQ(account_from_json(Json::object()), std::nullopt) << "of an older version";
}

TEST(Account, that_adds_up_does_so_beyond_half_the_range) {
  Account account = account_of(5, 5, LossCause::unexplained, -281'474'976'710'656);
  EXPECT_TRUE(account.adds_up(281'474'976'710'661));
  EXPECT_FALSE(account.adds_up(281'474'976'710'660));
  account = account_of(~std::uint64_t{0}, 0, LossCause::not_scheduled, -1);
  EXPECT_TRUE(account.adds_up(0));
}

TEST(Account, with_another_number_reported_adds_up_again) {
  Account account = account_of(100, 40, LossCause::handler, 60);
  account.loss[LossCause::carry_lost] = 40;
  const Account other = with_reported(account, 30);
  EXPECT_TRUE(other.adds_up(30));
  EXPECT_EQ(other.loss[LossCause::handler], 60);
  EXPECT_EQ(other.loss[LossCause::carry_lost], 0);
  EXPECT_EQ(other.loss[LossCause::unexplained], 10);
}

TEST(Account, is_worth_a_column_unless_little_was_lost_by_switching) {
  EXPECT_FALSE(has_blind_time(account_of(1000, 1000, LossCause::disabled, 0)));
  EXPECT_FALSE(has_blind_time(account_of(1000, 950, LossCause::disabled, 50)));
  EXPECT_TRUE(has_blind_time(account_of(1000, 949, LossCause::disabled, 51)));
  EXPECT_TRUE(has_blind_time(account_of(1000, 1051, LossCause::disabled, -51)));
  EXPECT_TRUE(has_blind_time(account_of(1000, 999, LossCause::handler, 1)));
  EXPECT_TRUE(has_blind_time(account_of(1000, 999, LossCause::reading, 1)));
  EXPECT_TRUE(has_blind_time(account_of(1000, 999, LossCause::not_scheduled, 1)));
  // What was counted and not reported is the difference of two columns that are there.
  EXPECT_FALSE(has_blind_time(account_of(1000, 1000, LossCause::unexplained, 1)));
}

TEST(Account, says_its_losses_in_words) {
  Account account = account_of(0, 0, LossCause::handler, 84'513);
  account.loss[LossCause::not_scheduled] = -1'200;
  account.loss[LossCause::carry_under_way] = 65'536;
  EXPECT_EQ(describe(account.loss), "lost: 84,513 handler, -1,200 not scheduled, 65,536 carry under way");
  EXPECT_EQ(describe(scoreboard::Losses{}), "");
}

TEST(Account, scales_a_count_up_as_perf_does) {
  EXPECT_EQ(scaled_up(35, {10, 5}), 70U);
  EXPECT_EQ(scaled_up(35, {10, 10}), 35U);
  EXPECT_EQ(scaled_up(35, {10, 0}), 0U) << "it never had a counter";
  EXPECT_EQ(scaled_up(10, {10, 3}), 33U);
}

}  // namespace
}  // namespace pmufab::perf::account_test
