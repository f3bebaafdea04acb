// SPDX-License-Identifier: Apache-2.0
// Containers that keep their memory do what the standard ones do.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>

#include "testbench/fabrics/cmn/judge/homes/reference_lines.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"
#include "testbench/judge/queue.h"
#include "testbench/judge/recycled_list.h"

namespace pmufab::scoreboard::test {
namespace {

TEST(Queue, is_first_in_first_out_also_when_it_grows_after_it_has_wrapped_round) {
  Queue<int> queue;
  std::deque<int> deque;
  boost::random::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    // It grows on the whole, and is emptied now and then.
    if (random() % 5 < 3) {
      queue.push_back(i);
      deque.push_back(i);
    } else if (!deque.empty()) {
      EXPECT_EQ(queue.front(), deque.front());
      queue.pop_front();
      deque.pop_front();
    }
    if (i % 1000 == 999) {
      EXPECT_EQ(std::vector<int>(queue.begin(), queue.end()), std::vector<int>(deque.begin(), deque.end()));
      for (; !deque.empty(); deque.pop_front()) queue.pop_front();
    }
    ASSERT_EQ(queue.size(), deque.size());
    ASSERT_EQ(queue.empty(), deque.empty());
  }
}

TEST(RecycledList, removes_any_element_and_leaves_the_others_where_they_are) {
  RecycledList<std::shared_ptr<int>> list;
  const auto first = list.push_back(std::make_shared<int>(1));
  const auto second = list.push_back(std::make_shared<int>(2));
  const std::shared_ptr<int>* const third = &*list.push_back(std::make_shared<int>(3));
  const std::weak_ptr<int> removed = *second;
  list.erase(second);
  EXPECT_TRUE(removed.expired()) << "what it owned is freed at once";
  list.push_back(std::make_shared<int>(4));
  std::vector<int> values;
  for (const auto& value : list) values.push_back(*value);
  EXPECT_EQ(values, (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(third, &*std::next(list.begin()));
  list.erase(first);
  list.erase(list.begin());
  list.erase(list.begin());
  EXPECT_TRUE(list.empty());
}

TEST(LowestFree, gives_the_lowest_number_that_nobody_has) {
  LowestFree numbers;
  for (unsigned number = 0; number < 200; ++number) EXPECT_EQ(numbers.take(), number);
  for (const unsigned number : {150U, 3U, 64U, 63U}) numbers.free(number);
  for (const unsigned number : {3U, 63U, 64U, 150U, 200U}) EXPECT_EQ(numbers.take(), number);
}

/// The same by a list for each set, the youngest first.
class PlainLines {
 public:
  PlainLines(unsigned sets, unsigned homes) : homes_(homes), sets_(sets) {}
  std::list<std::uint64_t>& set_of(std::uint64_t line) { return sets_[line / homes_ % sets_.size()]; }
  [[nodiscard]] bool has(std::uint64_t line) {
    const auto& set = set_of(line);
    return std::find(set.begin(), set.end(), line) != set.end();
  }
  void touch(std::uint64_t line) {
    set_of(line).remove(line);
    set_of(line).push_front(line);
  }

 private:
  unsigned homes_;
  std::vector<std::list<std::uint64_t>> sets_;
};

TEST(ReferenceLines, replace_the_line_that_was_used_least_recently) {
  constexpr unsigned kSets = 4;
  constexpr unsigned kWays = 3;
  constexpr unsigned kHomes = 2;
  ReferenceLines<CachedLine> lines(kSets, kWays, kHomes);
  PlainLines plain(kSets, kHomes);
  boost::random::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t line = random() % 64;
    ASSERT_EQ(lines.find(line) != nullptr, plain.has(line)) << i;
    ASSERT_EQ(lines.is_full(line), plain.set_of(line).size() == kWays) << i;
    switch (random() % 4) {
      case 0:
        lines.remove(line);
        plain.set_of(line).remove(line);
        break;
      case 1:
        if (plain.has(line)) {
          ASSERT_EQ(lines.touch(line)->line, line);
          plain.touch(line);
        } else {
          ASSERT_EQ(lines.touch(line), nullptr);
        }
        break;
      default:
        if (plain.has(line)) break;
        if (lines.is_full(line)) {
          const std::uint64_t oldest = lines.oldest(line, [](const CachedLine&) { return true; })->line;
          ASSERT_EQ(oldest, plain.set_of(line).back()) << i;
          lines.remove(oldest);
          plain.set_of(line).pop_back();
        }
        lines.add({line, false});
        plain.touch(line);
        break;
    }
  }
}

/// Twice as many lines as ways: a filter whose lines are all in use takes a further one. More lines than there are marks.
TEST(ReferenceLines, find_lines_beyond_the_ways_and_those_with_equal_marks) {
  constexpr unsigned kWays = 8;
  ReferenceLines<CachedLine> lines(1, kWays, 1);
  PlainLines plain(1, 1);
  boost::random::mt19937 random(2);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t line = random() % 1024;
    ASSERT_EQ(lines.find(line) != nullptr, plain.has(line)) << i;
    if (plain.has(line)) {
      ASSERT_EQ(lines.touch(line)->line, line);
      plain.touch(line);
    } else {
      ASSERT_EQ(lines.add({line, false})->line, line);
      plain.touch(line);
    }
    ASSERT_EQ(lines.is_full(line), plain.set_of(line).size() >= kWays) << i;
    const auto any = [](const CachedLine&) { return true; };
    ASSERT_EQ(lines.oldest(line, any)->line, plain.set_of(line).back()) << i;
    if (plain.set_of(line).size() < 2 * kWays) continue;
    // Lines go from anywhere, until few are left.
    const std::size_t left = random() % kWays;
    while (plain.set_of(line).size() > left) {
      const std::uint64_t gone =
          *std::next(plain.set_of(line).begin(), static_cast<std::ptrdiff_t>(random() % plain.set_of(line).size()));
      lines.remove(gone);
      plain.set_of(line).remove(gone);
      ASSERT_EQ(lines.find(gone), nullptr);
    }
  }
}

TEST(ReferenceLines, of_those_that_may_go_give_the_oldest) {
  ReferenceLines<CachedLine> lines(1, 4, 1);
  const auto is_even = [](const CachedLine& one) { return one.line % 2 == 0; };
  EXPECT_EQ(lines.oldest(0, is_even), nullptr) << "there are none";
  for (const std::uint64_t line : {1U, 2U, 3U, 4U}) lines.add({line, false});
  EXPECT_EQ(lines.oldest(0, is_even)->line, 2U);
  lines.touch(2);
  EXPECT_EQ(lines.oldest(0, is_even)->line, 4U);
  EXPECT_EQ(lines.oldest(0, [](const CachedLine&) { return false; }), nullptr);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
