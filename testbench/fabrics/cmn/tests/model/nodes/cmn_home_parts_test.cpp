// SPDX-License-Identifier: Apache-2.0
// The parts of a home node and of others, one by one.

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/event_select.h"
#include "models/cmn/nodes/fifo.h"
#include "models/cmn/nodes/gateway/link_end.h"
#include "models/cmn/nodes/home/back_invalidations.h"
#include "models/cmn/nodes/home/home_rules.h"
#include "models/cmn/nodes/home/lru_lines.h"
#include "models/cmn/nodes/home/pocq.h"
#include "models/cmn/nodes/home/snoop_filter.h"
#include "models/cmn/nodes/set_index.h"
#include "models/cmn/wire/chi.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab {
namespace {

using cmn::FilterKind;
using cmn::HomeRule;
using cmn::LruLines;
namespace req = cmn::chi::req;

TEST(LruLines, behaves_like_a_list_that_is_searched_and_reordered) {
  traffic::RandomStream random(3);
  constexpr unsigned kSets = 4;
  constexpr unsigned kWays = 5;
  LruLines lines(kSets, kWays);
  std::vector<std::list<std::pair<std::uint64_t, bool>>> expected(kSets);
  for (unsigned step = 0; step < 20'000; ++step) {
    const std::size_t set = random.below(kSets);
    const std::uint64_t line = random.below(9) << 40U;
    auto& row = expected[set];
    const auto found = std::find_if(row.begin(), row.end(), [&](const auto& one) { return one.first == line; });
    const unsigned position = lines.find(set, line);
    ASSERT_EQ(position == LruLines::kAbsent, found == row.end());
    if (found == row.end()) {
      if (row.size() == kWays) {
        ASSERT_TRUE(lines.is_full(set));
        ASSERT_EQ(lines.line(set, kWays - 1), row.back().first);
        ASSERT_EQ(lines.flag(set, kWays - 1), row.back().second);
        lines.erase(set, kWays - 1);
        row.pop_back();
      }
      const bool flag = random.below(2) != 0;
      lines.insert(set, line, flag);
      row.emplace_front(line, flag);
    } else {
      ASSERT_EQ(position, static_cast<unsigned>(std::distance(row.begin(), found)));
      ASSERT_EQ(lines.flag(set, position), found->second);
      switch (random.below(3)) {
        case 0:
          lines.touch(set, position);
          row.splice(row.begin(), row, found);
          break;
        case 1:
          lines.erase(set, position);
          row.erase(found);
          break;
        default:
          lines.set_flag(set, position, !found->second);
          found->second = !found->second;
      }
    }
    ASSERT_EQ(lines.size(set), row.size());
  }
}

TEST(SetIndex, is_the_line_divided_by_homes_and_reduced_to_the_sets) {
  traffic::RandomStream random(4);
  for (const std::uint64_t homes : {1, 2, 3, 8, 36}) {
    for (const std::uint64_t sets : {1, 2, 5, 1024, 1000}) {
      const cmn::SetIndex index(homes, sets);
      for (unsigned i = 0; i < 50; ++i) {
        const std::uint64_t line = random.below(std::uint64_t{1} << 42U);
        ASSERT_EQ(index(line), line / homes % sets);
      }
    }
  }
}

std::set<unsigned> members(const cmn::RnfSet& set) {
  std::set<unsigned> all;
  set.for_each([&](unsigned index) { all.insert(index); });
  return all;
}

TEST(SnoopFilter, keeps_sharers_with_their_lines_and_gives_up_the_oldest_that_is_not_busy) {
  constexpr unsigned kRnfs = 130;
  constexpr unsigned kWays = 3;
  constexpr unsigned kLimit = 6;
  struct Entry {
    std::uint64_t line;
    std::set<unsigned> sharers;
    bool unique;
  };
  traffic::RandomStream random(5);
  cmn::SnoopFilter filter(1, kWays, kLimit, kRnfs);
  std::list<Entry> expected;  // the youngest first
  for (unsigned step = 0; step < 20'000; ++step) {
    const std::uint64_t line = random.below(10);
    auto found = std::find_if(expected.begin(), expected.end(), [&](const Entry& one) { return one.line == line; });
    ASSERT_EQ(filter.has(0, line), found != expected.end());
    ASSERT_EQ(filter.look_up(0, line), found != expected.end());
    if (found == expected.end()) {
      const std::uint64_t busy = random.below(4) == 0 ? 10 : 3;  // lines below are
      const auto victim = filter.victim(0, [&](std::uint64_t one) { return one < busy; });
      const auto oldest =
          std::find_if(expected.rbegin(), expected.rend(), [&](const Entry& one) { return one.line >= busy; });
      ASSERT_EQ(victim.has_value(), expected.size() >= kWays && oldest != expected.rend());
      if (victim) {
        ASSERT_EQ(victim->line, oldest->line);
        ASSERT_EQ(victim->unique, oldest->unique);
        ASSERT_EQ(members(victim->sharers), oldest->sharers);
        ASSERT_EQ(victim->sharers.size(), oldest->sharers.size());
        filter.remove(0, victim->position);
        expected.erase(std::next(oldest).base());
      } else if (expected.size() == kLimit) {
        continue;
      }
      filter.add(0, line);
      expected.push_front({line, {}, false});
    } else {
      expected.splice(expected.begin(), expected, found);
    }
    Entry& entry = expected.front();
    ASSERT_EQ(members(filter.youngest(0)), entry.sharers);
    ASSERT_EQ(filter.is_unique(0), entry.unique);
    const auto requester = static_cast<unsigned>(random.below(kRnfs));
    filter.youngest(0).add(requester);
    entry.sharers.insert(requester);
    if (random.below(3) == 0) {
      const unsigned leaver = *entry.sharers.begin();
      filter.youngest(0).remove(leaver);
      entry.sharers.erase(leaver);
    }
    entry.unique = entry.sharers.size() == 1;
    filter.set_unique(0, entry.unique);
    if (entry.sharers.empty() || random.below(8) == 0) {
      filter.remove_youngest(0);
      expected.pop_front();
    }
    ASSERT_EQ(filter.size(0), expected.size());
  }
}

cmn::PocqEntry request_for(std::uint64_t line, std::uint16_t codes = 1) {
  cmn::PocqEntry entry;
  entry.line = line;
  entry.classes.of(FilterKind::occup1) = codes;
  entry.classes.of(FilterKind::class_occup) = 1U << 3U;
  return entry;
}

TEST(Pocq, gives_the_lowest_free_number_and_knows_who_waits_longest_for_a_line) {
  cmn::Pocq pocq(4);
  EXPECT_EQ(pocq.allocate(request_for(7), 0), 0U);
  EXPECT_EQ(pocq.allocate(request_for(7), 0), 1U);
  EXPECT_EQ(pocq.allocate(request_for(8), 0), 2U);
  EXPECT_TRUE(pocq.has(7));
  EXPECT_FALSE(pocq.has(9));
  pocq.wait(1);
  pocq.free(0, 10);
  EXPECT_EQ(pocq.allocate(request_for(7), 10), 0U) << "younger than 1, though lower";
  pocq.wait(0);
  EXPECT_EQ(pocq.unused(), 1U);
  EXPECT_EQ(pocq.oldest_waiting(7), 1U);
  EXPECT_EQ(pocq.oldest_waiting(8), cmn::Pocq::kNoEntry);
  pocq.end_wait(1);
  EXPECT_EQ(pocq.oldest_waiting(7), 0U);
  EXPECT_THROW(static_cast<void>(pocq.at(3)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(pocq.at(4)), std::out_of_range);
}

TEST(Pocq, counts_entries_by_what_they_are) {
  cmn::Pocq pocq(4);
  const unsigned read = pocq.allocate(request_for(1, 0b011), 10);
  const unsigned write = pocq.allocate(request_for(2, 0b101), 15);
  pocq.free(read, 30);
  pocq.free(write, 30);
  EXPECT_EQ(pocq.occupancy().sum(0, 100), 35U);
  EXPECT_EQ(pocq.occupancy().sum(1, 100), 20U);
  EXPECT_EQ(pocq.occupancy().sum(2, 100), 15U);
  EXPECT_EQ(pocq.class_occupancy().sum(3, 100), 35U);
  EXPECT_EQ(pocq.class_occupancy().sum(0, 100), 0U);
}

TEST(BackInvalidations, end_with_the_last_answer_and_remember_dirty_data) {
  cmn::BackInvalidations all;
  EXPECT_EQ(all.begin(5, 2), 0U);
  EXPECT_EQ(all.begin(6, 1), 1U);
  EXPECT_TRUE(all.has(5));
  EXPECT_FALSE(all.answer(0, true));
  EXPECT_TRUE(all.answer(1, false));
  EXPECT_FALSE(all.at(1).dirty);
  EXPECT_FALSE(all.has(6));
  EXPECT_EQ(all.begin(7, 1), 1U) << "the lowest free number";
  EXPECT_TRUE(all.answer(0, false));
  EXPECT_TRUE(all.at(0).dirty);
  EXPECT_EQ(all.under_way(), 1U);
  EXPECT_THROW(all.answer(9, false), std::out_of_range);
}

TEST(LinkParameters, that_cannot_be_are_refused_by_name) {
  const auto refused = [](const cmn::LinkParameters& parameters) {
    const auto fault = cmn::fault_of(parameters);
    return fault ? fault->field : std::string();
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({.latency = 0}), "latency");
  EXPECT_EQ(refused({.cycles_per_flit = 0}), "cycles_per_flit");
  EXPECT_EQ(refused({.flit_bytes = 48}), "flit_bytes");
  EXPECT_EQ(refused({.link_credits = 0}), "link_credits");
  EXPECT_EQ(refused({.rht_entries = 257}), "rht_entries");
  EXPECT_EQ(refused({.reqtrk_entries = 0}), "reqtrk_entries");
  EXPECT_EQ(refused({.node_latency = 0}), "node_latency");
  EXPECT_EQ(refused({.write_buffers = 0}), "write_buffers");
}

TEST(Fifo, gives_back_in_order_while_it_grows) {
  cmn::Fifo<int> ring;
  int in = 0;
  int out = 0;
  for (int round = 1; round < 40; ++round) {
    for (int i = 0; i < round; ++i) ring.push(in++);
    for (int i = 0; i + 1 < round; ++i) ASSERT_EQ(ring.pop(), out++);
  }
  EXPECT_EQ(ring.size(), 39U);
  while (!ring.empty()) ASSERT_EQ(ring.pop(), out++);
  EXPECT_EQ(out, in);
}

TEST(HomeRules, are_for_what_requesters_send_to_homes_only) {
  const std::set<unsigned> taken{req::kReadShared,      req::kReadClean,       req::kReadOnce,
                                 req::kReadNoSnp,       req::kReadUnique,      req::kCleanShared,
                                 req::kCleanInvalid,    req::kMakeInvalid,     req::kCleanUnique,
                                 req::kMakeUnique,      req::kEvict,           req::kWriteEvictFull,
                                 req::kWriteCleanFull,  req::kWriteUniquePtl,  req::kWriteUniqueFull,
                                 req::kWriteBackFull,   req::kWriteNoSnpPtl,   req::kWriteNoSnpFull,
                                 req::kStashOnceShared, req::kStashOnceUnique, req::kReadNotSharedDirty};
  for (unsigned opcode = 0; opcode < 128; ++opcode) {
    const bool atomic = opcode >= 0x28 && opcode <= 0x39;
    EXPECT_EQ(cmn::home_rule(static_cast<std::uint8_t>(opcode)).kind != HomeRule::Kind::unknown,
              atomic || taken.count(opcode) != 0)
        << opcode;
  }
}

}  // namespace
}  // namespace pmufab
