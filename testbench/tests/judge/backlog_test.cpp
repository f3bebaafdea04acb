// SPDX-License-Identifier: Apache-2.0
// Also built with ThreadSanitizer, so it needs nothing but the backlog.
#include "testbench/judge/backlog.h"

#include <csignal>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

namespace pmufab::scoreboard {
namespace {

using ::testing::ElementsAre;

/// Writes down what it sees.
struct Witness {
  struct Pair {
    std::uint32_t one;
    std::uint8_t other;
  };

  void number(const std::uint64_t& value) {
    here.push_back(std::this_thread::get_id());
    seen.push_back(value);
    if (value == kBad) throw std::runtime_error("a number it does not like");
  }
  void pair(const Pair& value, std::span<const std::uint64_t> items) {
    seen.push_back(value.one);
    seen.push_back(value.other);
    seen.insert(seen.end(), items.begin(), items.end());
  }
  void mask(const int& /*unused*/) {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    hears_others |= sigismember(&blocked, SIGTERM) == 0 && std::this_thread::get_id() != owner;
    hears_profiler |= sigismember(&blocked, SIGPROF) == 0 && std::this_thread::get_id() != owner;
  }

  static constexpr std::uint64_t kBad = ~std::uint64_t{0};
  std::vector<std::uint64_t> seen{};
  std::vector<std::thread::id> here{};  // the threads that told numbers
  std::thread::id owner = std::this_thread::get_id();
  bool hears_others = false;
  bool hears_profiler = false;
};

constexpr unsigned kMany = 200'000;  // numbers that fill many blocks

TEST(Backlog, judges_at_once_without_a_second_thread) {
  Backlog backlog;
  Witness witness;
  backlog.add<&Witness::number>(witness, std::uint64_t{1});
  EXPECT_THAT(witness.seen, ElementsAre(1));
  const std::vector<std::uint64_t> items{4, 5};
  backlog.add<&Witness::pair>(witness, Witness::Pair{2, 3}, std::span(items));
  EXPECT_THAT(witness.seen, ElementsAre(1, 2, 3, 4, 5));
  backlog.catch_up();
  EXPECT_THAT(witness.seen, ElementsAre(1, 2, 3, 4, 5));
}

TEST(Backlog, judges_in_order_whatever_is_added_and_whenever_somebody_asks) {
  std::mt19937_64 random(1);
  Backlog backlog;
  backlog.use_thread();
  Witness witness;
  std::vector<std::uint64_t> expected;
  for (unsigned record = 0; record < kMany; ++record) {
    if (random() % 2 == 0) {
      backlog.add<&Witness::number>(witness, std::uint64_t{record});
      expected.push_back(record);
    } else {
      std::vector<std::uint64_t> items(random() % 20);
      for (std::uint64_t& item : items) item = random();
      backlog.add<&Witness::pair>(witness, Witness::Pair{record, 7}, std::span<const std::uint64_t>(items));
      expected.push_back(record);
      expected.push_back(7);
      expected.insert(expected.end(), items.begin(), items.end());
    }
    if (random() % 5000 != 0) continue;
    backlog.catch_up();
    ASSERT_TRUE(witness.seen == expected) << "after " << record;
  }
  backlog.catch_up();
  EXPECT_TRUE(witness.seen == expected);
}

TEST(Backlog, lets_another_thread_judge_full_blocks) {
  Backlog backlog;
  backlog.use_thread();
  Witness witness;
  for (std::uint64_t record = 0; record < kMany; ++record) backlog.add<&Witness::number>(witness, record);
  backlog.catch_up();
  ASSERT_EQ(witness.here.size(), kMany);
  EXPECT_NE(witness.here.front(), witness.owner);
  EXPECT_EQ(witness.here.back(), witness.owner) << "the rest is not worth waking another thread";
}

TEST(Backlog, keeps_the_order_of_what_several_judges_see) {
  struct Turns {
    void see(const unsigned& judge) { order.push_back(judge); }
    std::vector<unsigned>& order;
  };
  std::vector<unsigned> order;
  std::vector<Turns> judges(3, Turns{order});
  std::vector<unsigned> expected;
  Backlog backlog;
  backlog.use_thread();
  for (unsigned record = 0; record < kMany; ++record) {
    expected.push_back(record * record % 3);
    backlog.add<&Turns::see>(judges[expected.back()], expected.back());
  }
  backlog.catch_up();
  EXPECT_TRUE(order == expected);
}

TEST(Backlog, tells_what_a_judge_has_thrown_once_and_judges_no_more) {
  for (const std::uint64_t bad : {std::uint64_t{10}, std::uint64_t{kMany / 2}, std::uint64_t{kMany - 1}}) {
    Backlog backlog;
    backlog.use_thread();
    Witness witness;
    unsigned thrown = 0;
    for (std::uint64_t record = 0; record < kMany; ++record) {
      try {
        backlog.add<&Witness::number>(witness, record == bad ? Witness::kBad : record);
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    }
    for (unsigned question = 0; question < 3; ++question) {
      try {
        backlog.catch_up();
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    }
    EXPECT_EQ(thrown, 1U);
    EXPECT_EQ(witness.seen.size(), bad + 1);
    EXPECT_EQ(witness.seen.back(), Witness::kBad);
  }
}

TEST(Backlog, judges_nothing_after_it_was_abandoned) {
  Backlog backlog;
  backlog.use_thread();
  {
    Witness witness;
    for (std::uint64_t record = 0; record < kMany; ++record) backlog.add<&Witness::number>(witness, record);
    backlog.abandon();
  }  // a judge that were still at work would use what is gone
  Witness next;
  backlog.add<&Witness::number>(next, std::uint64_t{1});
  EXPECT_THAT(next.seen, ElementsAre(1));
}

TEST(Backlog, ends_its_thread_with_records_left) {
  Witness witness;
  {
    Backlog backlog;
    backlog.use_thread();
    for (std::uint64_t record = 0; record < kMany; ++record) backlog.add<&Witness::number>(witness, record);
  }
  for (std::uint64_t record = 0; record < witness.seen.size(); ++record) ASSERT_EQ(witness.seen[record], record);
}

TEST(Backlog, leaves_signals_to_the_thread_of_the_simulation) {
  Backlog backlog;
  backlog.use_thread();
  Witness witness;
  for (unsigned record = 0; record < kMany; ++record) backlog.add<&Witness::mask>(witness, 0);
  backlog.catch_up();
  EXPECT_FALSE(witness.hears_others);
  EXPECT_TRUE(witness.hears_profiler);
}

TEST(Backlog, refuses_a_record_that_fits_into_no_block) {
  Backlog backlog;
  backlog.use_thread();
  Witness witness;
  const std::vector<std::uint64_t> items(1 << 20);
  EXPECT_THROW(backlog.add<&Witness::pair>(witness, Witness::Pair{}, std::span(items)), std::length_error);
  backlog.add<&Witness::number>(witness, std::uint64_t{1});
  backlog.catch_up();
  EXPECT_THAT(witness.seen, ElementsAre(1));
}

}  // namespace
}  // namespace pmufab::scoreboard
