// SPDX-License-Identifier: Apache-2.0
// The queue of waiting flits against one of whole numbers.

#include <cstdint>
#include <deque>

#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>

#include "testbench/fabrics/cmn/traffic/due_queue.h"

namespace pmufab::traffic {
namespace {

TEST(DueQueue, gives_back_what_it_was_given) {
  boost::random::mt19937_64 random(1);
  // None, short ones, those around the longest that fits into a byte, and far longer ones.
  const auto gap = [&]() -> cmn::Cycle {
    const std::uint64_t kind = random() % 8;
    if (kind == 0) return 0;
    if (kind < 5) return random() % 4;
    if (kind < 7) return 250 + random() % 12;
    return random() >> (20 + random() % 40);
  };
  DueQueue queue;
  std::deque<cmn::Cycle> reference;
  cmn::Cycle due = 0;
  std::uint64_t popped = 0;
  for (unsigned step = 0; step < 100'000; ++step) {
    ASSERT_EQ(queue.empty(), reference.empty());
    if (!reference.empty()) {
      ASSERT_EQ(queue.front(), reference.front()) << step;
    }
    // It grows for some time, then it shrinks until it is empty.
    const bool grows = (step / 5'000) % 2 == 0;
    if (reference.empty() || random() % 8 < (grows ? 6U : 2U)) {
      due += gap();
      queue.push(due);
      reference.push_back(due);
    } else {
      queue.pop();
      reference.pop_front();
      ++popped;
    }
  }
  EXPECT_GT(popped, 40'000U);
  for (unsigned i = 0; i < 1'000; ++i) {
    due += i;  // gaps of both kinds
    queue.push(due);
  }
  queue.pop();
  queue.clear();
  EXPECT_TRUE(queue.empty());
  queue.push(7);
  queue.push(due + 7);
  EXPECT_EQ(queue.front(), 7U);
  queue.pop();
  EXPECT_EQ(queue.front(), due + 7);
  queue.pop();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace pmufab::traffic
