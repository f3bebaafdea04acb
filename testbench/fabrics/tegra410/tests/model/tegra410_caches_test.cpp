// SPDX-License-Identifier: Apache-2.0
// The containers of the Tegra410 fabric, compared with slow models of the same rules.
#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "models/tegra410/address_map.h"
#include "models/tegra410/cpu/private_cache.h"
#include "models/tegra410/ucf/directory.h"

namespace pmufab::tegra410 {
namespace {

/// A set-associative cache in its simplest form: one list per set, most recent first.
class ListCache {
 public:
  struct Line {
    std::uint64_t number;
    bool flag;
  };
  explicit ListCache(unsigned ways) : ways_(ways) {}

  Line* find(std::uint64_t set, std::uint64_t line) {
    for (Line& entry : sets_[set]) {
      if (entry.number == line) return &entry;
    }
    return nullptr;
  }
  Line* use(std::uint64_t set, std::uint64_t line) {
    std::list<Line>& lines = sets_[set];
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.number == line; });
    if (found == lines.end()) return nullptr;
    lines.splice(lines.begin(), lines, found);
    return &lines.front();
  }
  std::optional<Line> put(std::uint64_t set, std::uint64_t line, bool flag) {
    std::list<Line>& lines = sets_[set];
    std::optional<Line> victim;
    if (lines.size() == ways_) {
      victim = lines.back();
      lines.pop_back();
    }
    lines.push_front({line, flag});
    return victim;
  }
  void drop(std::uint64_t set, std::uint64_t line) {
    sets_[set].remove_if([&](const Line& l) { return l.number == line; });
  }

 private:
  unsigned ways_;
  std::map<std::uint64_t, std::list<Line>> sets_;
};

TEST(Tegra410Caches, private_cache_replaces_in_exact_lru_order_and_needs_ownership_to_store) {
  const PrivateCacheParameters parameters{.size = 8 * 4 * 64, .ways = 4, .hit_latency = 0};  // 8 sets
  PrivateCache cache(parameters);
  ListCache lists(4);
  std::mt19937_64 random(1);
  for (int step = 0; step < 200'000; ++step) {
    const std::uint64_t line = 0x3'0000'0000 + random() % 80;
    const std::uint64_t set = line % 8;
    const bool store = random() % 3 == 0;
    switch (random() % 10) {
      case 0:
        cache.drop(line);
        lists.drop(set, line);
        continue;
      case 1:
        cache.share(line);
        if (auto* const listed = lists.find(set, line)) listed->flag = false;
        continue;
      default:
        break;
    }
    ListCache::Line* const listed = lists.use(set, line);
    if (listed == nullptr) {
      ASSERT_EQ(cache.access(line, store), PrivateCache::Lookup::miss);
      const auto victim = cache.make_room(line);
      cache.fill(line, store);
      const auto expected = lists.put(set, line, store);
      ASSERT_EQ(victim.has_value(), expected.has_value());
      if (victim) {
        ASSERT_EQ(victim->line, expected->number);
        ASSERT_EQ(victim->flag, expected->flag);
      }
    } else if (store && !listed->flag) {
      ASSERT_EQ(cache.access(line, store), PrivateCache::Lookup::hit_shared);
      cache.own(line);
      listed->flag = true;
    } else {
      ASSERT_EQ(cache.access(line, store), PrivateCache::Lookup::hit);
    }
    ASSERT_EQ(cache.dirty(line), std::optional(lists.find(set, line)->flag));
  }
}

TEST(Tegra410Caches, divider_is_exact_at_the_edges_of_its_range) {
  std::mt19937_64 random(2);
  const std::uint64_t limit = std::uint64_t{1} << 50;
  for (std::uint64_t divisor = 1; divisor <= 16384; ++divisor) {
    const Divider divider(divisor);
    for (const std::uint64_t n : {std::uint64_t{0}, divisor - 1, divisor, limit - 1, limit / divisor * divisor - 1,
                                  limit / divisor * divisor, random() % limit}) {
      if (n < limit) {
        ASSERT_EQ(divider.quotient(n), n / divisor) << n << " / " << divisor;
      }
    }
  }
}

TEST(Tegra410Caches, directory_keeps_exactly_the_lines_somebody_holds) {
  struct Holders {
    std::uint64_t clusters = 0;
    unsigned sockets = 0;
    Holder owner = kNobody;
  };
  Directory directory;  // has to grow many times
  std::map<std::uint64_t, Holders> expected;
  std::mt19937_64 random(3);
  std::uint64_t lines = 20'000;
  for (int step = 0; step < 600'000; ++step) {
    if (step == 300'000) lines = 50;  // from then on few lines, which come and go often
    const std::uint64_t line = (std::uint64_t{1} << 49) + random() % lines * 7;
    const unsigned number = random() % 64;
    const bool is_socket = number < 4 && random() % 2 == 0;
    const Holder holder = is_socket ? holder_of_socket(number) : holder_of_cluster(number);
    Directory::Entry* const entry = directory.find(line);
    const auto found = expected.find(line);
    ASSERT_EQ(entry != nullptr, found != expected.end());
    if (entry != nullptr) {
      ASSERT_EQ(entry->line(), line);
      ASSERT_EQ(entry->clusters(), found->second.clusters);
      ASSERT_EQ(entry->sockets(), found->second.sockets);
      ASSERT_EQ(entry->owner(), found->second.owner);
    }
    switch (random() % 5) {
      case 0:
        directory.add(line, holder);
        (is_socket ? expected[line].sockets |= 1U << number : expected[line].clusters |= std::uint64_t{1} << number);
        break;
      case 1:
        directory.add(line, holder).give_to(holder);
        expected[line] = is_socket ? Holders{0, 1U << number, holder} : Holders{std::uint64_t{1} << number, 0, holder};
        break;
      case 2:
        if (entry != nullptr) {
          directory.erase(entry);
          expected.erase(found);
        }
        break;
      default:
        if (entry != nullptr) {
          entry->remove(holder);
          directory.erase_if_empty(entry);
          Holders& holders = found->second;
          (is_socket ? holders.sockets &= ~(1U << number) : holders.clusters &= ~(std::uint64_t{1} << number));
          if (holders.owner == holder) holders.owner = kNobody;
          if (holders.sockets == 0 && holders.clusters == 0) expected.erase(found);
        }
    }
    ASSERT_EQ(directory.size(), expected.size());
  }
}

TEST(Tegra410Caches, address_map_finds_the_range_of_every_address_and_nothing_in_the_gaps) {
  const AddressMap map({{0x4000, 0x1000, 1, MemoryClass::gmem}, {0x1000, 0x1000, 0, MemoryClass::cmem}}, 2);
  EXPECT_EQ(map.find(0x0), nullptr);
  EXPECT_EQ(map.find(0xfff), nullptr);
  EXPECT_EQ(map.find(0x1000)->memory_class, MemoryClass::cmem);
  EXPECT_EQ(map.find(0x1fff)->memory_class, MemoryClass::cmem);
  EXPECT_EQ(map.find(0x2000), nullptr);
  EXPECT_EQ(map.find(0x4000)->socket, 1U);
  EXPECT_EQ(map.find(0x4fff)->socket, 1U);
  EXPECT_EQ(map.find(0x5000), nullptr);
  EXPECT_EQ(map.find(~std::uint64_t{0}), nullptr);
}

TEST(Tegra410Caches, address_map_refuses_impossible_ranges) {
  using Ranges = std::vector<MemoryRange>;
  const auto make = [](const Ranges& ranges) { return AddressMap(ranges, 2); };
  EXPECT_THROW(make({}), std::invalid_argument);
  EXPECT_THROW(make({{0, 0, 0, MemoryClass::cmem}}), std::invalid_argument);
  EXPECT_THROW(make({{0, 65, 0, MemoryClass::cmem}}), std::invalid_argument);
  EXPECT_THROW(make({{32, 64, 0, MemoryClass::cmem}}), std::invalid_argument);
  EXPECT_THROW(make({{0, 64, 2, MemoryClass::cmem}}), std::invalid_argument);
  EXPECT_THROW(make({{AddressMap::kLimit - 64, 128, 0, MemoryClass::cmem}}), std::invalid_argument);
  EXPECT_THROW(make({{0, 128, 0, MemoryClass::cmem}, {64, 64, 1, MemoryClass::cmem}}), std::invalid_argument);
  EXPECT_NO_THROW(make({{AddressMap::kLimit - 64, 64, 0, MemoryClass::cmem}, {0, 64, 1, MemoryClass::cmem}}));
}

}  // namespace
}  // namespace pmufab::tegra410
