// SPDX-License-Identifier: Apache-2.0
// Random programs, compared with a tiny reference that looks at every clock edge and shares no code with the model.

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/tests/models/coresight/coresight_rig.h"

namespace pmufab::coresight {
namespace {

/// The PMU in its simplest form: its state, and the effects of clock edges, events and writes.
struct Reference {
  explicit Reference(const CoreSightPmuOptions& options) : width(options.width), cycle_counter(options.cycle_counter) {
    for (unsigned counter = 0; counter < 64; ++counter) exists.at(counter) = options.has_counter(counter);
  }

  void to(Picoseconds time) {  // all edges before `time`; the clock has one each nanosecond
    for (; next_edge < time; next_edge += 1000) {
      for (unsigned counter = 0; counter < 64; ++counter) {
        const bool clocked = (cycle_counter && counter == 31) || type.at(counter) == kClockEvent;
        if (runs(counter) && clocked) add(counter, 1, next_edge + 1);
        if (!runs(counter) || clocked) continue;
        const std::uint64_t outstanding = outstanding_at(counter, next_edge);
        if (outstanding != 0) add(counter, outstanding, next_edge + 1);
      }
    }
  }
  /// A request that a counter counts at each edge from start on and before end, in windows of its own.
  struct Request {
    Picoseconds start, end;
    unsigned qualifier, id;
  };
  [[nodiscard]] std::uint64_t outstanding_at(unsigned counter, Picoseconds edge) const {
    std::uint64_t sum = 0;
    for (const Request& request : requests) {
      if (request.start > edge || request.end <= edge) continue;
      const std::uint64_t set = filter.at(counter) | filter2.at(counter) << 32;
      if (type.at(counter) == kOutstandingEvent && (set == 0 || (set >> request.qualifier & 1) != 0)) ++sum;
      if (type.at(counter) == kOutstandingOfIdEvent && (filter.at(counter) & 0xf) == (request.id & 0xf)) ++sum;
    }
    return sum;
  }
  void event(unsigned probe, unsigned qualifier, std::uint64_t amount, Picoseconds time) {
    to(time);
    for (unsigned counter = 0; counter < 64; ++counter) {
      if ((cycle_counter && counter == 31) || !runs(counter) || type.at(counter) != 0x10 + probe) continue;
      const std::uint64_t set = filter.at(counter) | filter2.at(counter) << 32;
      if (set == 0 || (set >> qualifier & 1) != 0) add(counter, amount, time);
    }
  }
  void add(unsigned counter, std::uint64_t amount, Picoseconds time) {
    __extension__ using Wide = unsigned __int128;
    const Wide sum = Wide{value.at(counter)} + amount;
    if ((sum >> width) != 0) {
      status |= 1ULL << counter;
      look_at_line(time);
    }
    value.at(counter) = static_cast<std::uint64_t>(sum) & mask();
  }
  void look_at_line(Picoseconds time) {
    const bool high = (status & interrupts) != 0;
    if (high != line) changes.push_back({time, high});
    line = high;
  }
  [[nodiscard]] bool runs(unsigned counter) const {
    return exists.at(counter) && enabled && (enables >> counter & 1) != 0;
  }
  [[nodiscard]] std::uint64_t mask() const { return width == 64 ? ~0ULL : (1ULL << width) - 1; }
  [[nodiscard]] std::uint64_t all() const {
    std::uint64_t bits = 0;
    for (unsigned counter = 0; counter < 64; ++counter) bits |= std::uint64_t{exists.at(counter)} << counter;
    return bits;
  }

  unsigned width;
  bool cycle_counter;
  Picoseconds next_edge = 0;
  bool enabled = false, line = false;
  std::uint64_t enables = 0, interrupts = 0, status = 0;
  std::array<bool, 64> exists{};
  std::array<std::uint64_t, 64> value{}, type{}, filter{}, filter2{};
  std::vector<Request> requests;
  std::vector<testing::InterruptProbe::Change> changes;
};

class CoreSightRandom : public testing::SimulationTest {
 protected:
  void compare(const CoreSightPmuOptions& options, unsigned seed, int steps);
};

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
void CoreSightRandom::compare(const CoreSightPmuOptions& options, unsigned seed, int steps) {
  CoreSightRig rig(options);
  testing::InterruptProbe interrupt(rig.line);
  Reference reference(options);
  std::mt19937 random(seed);
  const auto pick = [&](std::uint64_t bound) { return std::uint64_t{random()} % bound; };
  std::vector<unsigned> counters;
  for (unsigned counter = 0; counter < 64; ++counter) {
    if (reference.exists.at(counter)) counters.push_back(counter);
  }
  const auto check = [&](int step) {
    ASSERT_EQ(interrupt.is_high(), reference.line) << "step " << step;
    for (const unsigned counter : counters) {
      ASSERT_EQ(rig.read_counter(counter), reference.value.at(counter)) << "step " << step << " counter " << counter;
    }
    for (unsigned word = 0; word * 32 < options.counter_numbers(); ++word) {
      const auto word_of = [&](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32 * word); };
      ASSERT_EQ(rig.get_mask(kPmovsclr, word), word_of(reference.status)) << "step " << step;
      ASSERT_EQ(rig.get_mask(kPmcntenclr, word), word_of(reference.enables)) << "step " << step;
      ASSERT_EQ(rig.get_mask(kPmintenset, word), word_of(reference.interrupts)) << "step " << step;
    }
  };
  const auto story = [&] {
    for (int step = 0; step < steps; ++step) {
      const Picoseconds begin = testing::now();
      const Picoseconds pause = pick(3) == 0 ? 1000 * (1 + pick(20)) : 1 + pick(7000);
      // Traffic up to the next access, issued now, mostly ahead of time.
      Picoseconds when = begin;
      for (std::uint64_t events = pick(4); events > 0; --events) {
        when += 1 + pick(pause);
        if (when >= begin + pause) break;
        const auto probe = static_cast<unsigned>(pick(3));
        const auto qualifier = static_cast<unsigned>(pick(64));
        const std::uint64_t amount = pick(10) == 0 ? std::uint64_t{1} << (options.width - 1) : 1 + pick(9);
        reference.event(probe, qualifier, amount, when);
        rig.probes.at(probe).publish(amount, qualifier, when);
        if (pick(2) == 0) {
          const Picoseconds start = when + (pick(3) == 0 ? pick(3000) : 0);
          const Picoseconds end = start + pick(pick(4) == 0 ? 60'000 : 6'000);
          const auto id = static_cast<unsigned>(pick(32));
          reference.requests.push_back({start, end, qualifier, id});
          rig.requests.add(start, end, qualifier, id);
        }
      }
      std::erase_if(reference.requests, [&](const auto& request) { return request.end <= reference.next_edge; });
      testing::advance(pause);
      const Picoseconds now = testing::now();
      reference.to(now);
      const unsigned counter = counters[pick(counters.size())];
      const std::uint64_t bits = pick(3) == 0 ? ~0ULL : 1ULL << counter;
      const auto put_mask = [&](std::uint64_t reg) {
        const std::uint64_t page = reg == kPmovsclr || reg == kPmovsset ? rig.upper() : kPage0;
        // One word at a time: two words written at one instant are two accesses.
        const unsigned word = counter / 32;
        rig.cpu.put32(page + reg + 4 * word, static_cast<std::uint32_t>(bits >> 32 * word));
        return bits & 0xffff'ffffULL << 32 * word & reference.all();
      };
      switch (pick(12)) {
        case 0:
          reference.enables |= put_mask(kPmcntenset);
          break;
        case 1:
          reference.enables &= ~put_mask(kPmcntenclr);
          break;
        case 2:
          reference.interrupts |= put_mask(kPmintenset);
          break;
        case 3:
          reference.interrupts &= ~put_mask(kPmintenclr);
          break;
        case 4:
          reference.status &= ~put_mask(kPmovsclr);
          break;
        case 5:
          if (pick(4) == 0) reference.status |= put_mask(kPmovsset);
          break;
        case 6: {
          const auto control = static_cast<std::uint32_t>(pick(8) | (pick(3) != 0 ? 1 : 0));
          if (pick(3) != 0) {
            rig.control(control & 1);
          } else {
            rig.control(control);
            for (const unsigned other : counters) {
              const bool cycles = options.cycle_counter && other == 31;
              if ((control & (cycles ? 4 : 2)) != 0) reference.value.at(other) = 0;
            }
          }
          reference.enabled = (control & 1) != 0;
          break;
        }
        case 7:
        case 8: {
          const std::uint64_t value =
              pick(4) == 0 ? (std::uint64_t{random()} << 32 | random()) : rig.maximum() - pick(30);
          rig.write_counter(counter, value);
          reference.value.at(counter) = value & reference.mask();
          break;
        }
        case 9: {
          const std::uint64_t types[] = {
              0x10, 0x11, 0x12, kClockEvent, 0x77, kOutstandingEvent, kOutstandingOfIdEvent, kOutstandingEvent};
          const std::uint64_t type = types[pick(8)];
          rig.write_type(counter, type);
          reference.type.at(counter) = type;
          break;
        }
        case 10: {
          const bool second = pick(2) == 0;
          const std::uint32_t filter = pick(3) == 0 ? 0 : static_cast<std::uint32_t>(random());
          const std::uint64_t base = kPage0 + (second ? kPmevfilt2r : kPmevfiltr);
          rig.cpu.put32(base + (options.ext64 ? 8 : 4) * counter, filter);
          (second ? reference.filter2 : reference.filter).at(counter) = filter;
          break;
        }
        default:
          break;
      }
      reference.look_at_line(now);
      check(step);
      if (HasFatalFailure()) return;
    }
    testing::advance(1);
    EXPECT_EQ(interrupt.changes(), reference.changes);
    EXPECT_GT(interrupt.changes().size(), 20U) << "the test does too little";
    EXPECT_EQ(rig.pmu.guest_errors(), 0U);
  };
  run(story);
}

// contract C10, C12, C13: status is cleared by its bits, and registers lie where the rig finds them
TEST_F(CoreSightRandom, equals_the_reference_with_16_bits) { compare({.counters = 8, .width = 16}, 1, 6000); }
TEST_F(CoreSightRandom, equals_the_reference_with_32_bits_and_two_pages) {
  compare({.counters = 8, .width = 32, .dual_page = true}, 2, 6000);
}
TEST_F(CoreSightRandom, equals_the_reference_with_33_bits_in_halves) {
  compare({.counters = 8, .width = 33, .atomic_64bit = false}, 3, 6000);
}
TEST_F(CoreSightRandom, equals_the_reference_with_64_bits) { compare({.counters = 8, .width = 64}, 4, 6000); }
TEST_F(CoreSightRandom, equals_the_reference_with_counters_behind_the_cycle_counter) {
  compare({.counters = 40, .width = 16}, 5, 6000);
}
TEST_F(CoreSightRandom, equals_the_reference_without_a_cycle_counter) {
  compare({.counters = 33, .width = 64, .cycle_counter = false, .dual_page = true, .atomic_64bit = false}, 6, 6000);
}
TEST_F(CoreSightRandom, equals_the_reference_in_the_64bit_layout) {
  compare({.counters = 40, .width = 48, .ext64 = true}, 7, 6000);
}

}  // namespace
}  // namespace pmufab::coresight
