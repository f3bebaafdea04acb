// SPDX-License-Identifier: Apache-2.0
// Random programs, compared with a CPMU that looks at every clock.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/model/cxl_cpmu_rig.h"

namespace pmufab::cxl {
namespace {

using enum CounterType;
using testing::advance;
using testing::advance_to;
using testing::now;
using Times = std::vector<Picoseconds>;

using CxlCpmuRandom = testing::SimulationTest;

/// A CPMU in its simplest form. It shares no code with the model.
struct Reference {
  struct Unit {
    std::uint64_t configuration = 0;
    std::uint32_t decoders = 0xffff'ffff;
    std::uint64_t value = 0;
    std::uint64_t raw = 0;  // in the current clock
    bool condition = false;
    bool free_running = false;
  };

  [[nodiscard]] std::uint64_t field(const Unit& unit, unsigned lsb, unsigned bits) const {
    return unit.configuration >> lsb & ((1ULL << bits) - 1);
  }
  [[nodiscard]] bool runs(unsigned index) const {
    return (units[index].configuration & kEnable) != 0 && (units[index].free_running || (frozen >> index & 1) == 0);
  }
  [[nodiscard]] Picoseconds time_of_edge(std::uint64_t number) const {
    return (number * 1'000'000 + megahertz - 1) / megahertz;
  }

  /// Everything that happens by itself before `time`, and freezes at it.
  void to(Picoseconds time) {
    for (;;) {
      const Picoseconds edge_time = time_of_edge(edge);
      if (freeze_time <= std::min(edge_time, time)) {
        freeze_time = ~0ULL;
        write_freeze(all_frozen());
      } else if (edge_time < time) {
        sample(edge_time);
        ++edge;
      } else {
        return;
      }
    }
  }
  void sample(Picoseconds time) {
    for (unsigned index = 0; index < units.size(); ++index) {
      Unit& unit = units[index];
      if (!runs(index)) continue;
      const bool ticks = field(unit, 59, 5) == kClock && (field(unit, 24, 32) & 1) != 0;
      const std::uint64_t raw = ticks ? 1 : unit.raw;
      unit.raw = 0;
      const std::uint64_t limit = field(unit, 16, 8);
      bool condition = raw > 0;
      if (limit > 0) condition = (unit.configuration & kInvert) != 0 ? raw <= limit : raw >= limit;
      const bool edge_mode = (unit.configuration & kEdge) != 0;
      const bool rising = condition && !unit.condition;
      unit.condition = condition;
      if (limit == 0 && !edge_mode) {
        if (ticks) add(index, 1, time + 1);
      } else if (edge_mode ? rising : condition) {
        add(index, 1, time + 1);
      }
    }
  }
  void event(unsigned probe, std::uint64_t amount, unsigned decoder, Picoseconds time) {
    to(time + 1);  // an event at an edge belongs to the clock after it
    for (unsigned index = 0; index < units.size(); ++index) {
      Unit& unit = units[index];
      const std::uint64_t group_index = field(unit, 59, 5);
      if (!runs(index) || (group_index != kM2sReq && group_index != kSpare)) continue;
      if ((field(unit, 24, 32) >> probe & 1) == 0) continue;
      if (unit.decoders != 0xffff'ffff && (decoder >= 32 || (unit.decoders >> decoder & 1) == 0)) continue;
      if (field(unit, 16, 8) == 0 && (unit.configuration & kEdge) == 0) {
        add(index, amount, time);
      } else {
        unit.raw += amount;
      }
    }
  }
  void add(unsigned index, std::uint64_t amount, Picoseconds time) {
    Unit& unit = units[index];
    unit.value += amount;
    if (unit.value >> width == 0) return;
    unit.value &= (1ULL << width) - 1;
    if ((status >> index & 1) == 0 && (unit.configuration & kInterrupt) != 0) messages.push_back(time);
    status |= 1ULL << index;
    if ((unit.configuration & kGlobalFreeze) == 0) return;
    std::uint64_t next = edge;
    while (time_of_edge(next) <= time) ++next;
    freeze_time = std::min(freeze_time, time_of_edge(next));
  }
  [[nodiscard]] std::uint64_t all_frozen() const {
    std::uint64_t mask = 0;
    for (unsigned index = 0; index < units.size(); ++index) mask |= std::uint64_t{!units[index].free_running} << index;
    return mask;
  }
  void write_freeze(std::uint64_t value) {
    const auto before = running();
    frozen = value & all_frozen();
    restart(before);
  }
  void write_configuration(unsigned index, std::uint64_t value) {
    const auto before = running();
    units[index].configuration = value;
    restart(before);
  }
  [[nodiscard]] std::array<bool, 6> running() const {
    std::array<bool, 6> list{};
    for (unsigned index = 0; index < units.size(); ++index) list[index] = runs(index);
    return list;
  }
  void restart(const std::array<bool, 6>& before) {
    for (unsigned index = 0; index < units.size(); ++index) {
      if (runs(index) == before[index]) continue;
      units[index].raw = 0;
      units[index].condition = false;
    }
  }

  unsigned width = 0;
  std::uint64_t megahertz = 1000;
  std::uint64_t edge = 0;  // the next edge
  std::array<Unit, 6> units{};
  std::uint64_t frozen = 0;
  std::uint64_t status = 0;
  Picoseconds freeze_time = ~0ULL;
  Times messages{};
};

struct RandomRun {
  RandomRun(CpmuRig& cpmu_rig, std::uint64_t seed) : rig(cpmu_rig), random(static_cast<std::uint32_t>(seed)) {}
  std::uint64_t pick(std::uint64_t bound) { return random() % bound; }

  void begin(unsigned width, std::uint64_t megahertz) {
    rig.cpmu.reset();
    rig.messages.clear();
    reference.width = width;
    reference.megahertz = megahertz;
    while (reference.time_of_edge(reference.edge) < now()) ++reference.edge;
    reference.units[4].configuration = 1 | events(1) | group(kSpare);  // fixed
    reference.units[5].configuration = kEnable | events(3) | group(kSpare);
    reference.units[5].free_running = true;
    program_all();
  }
  void program_all() {
    for (unsigned index = 0; index < 6; ++index) {
      std::uint64_t flags = (pick(2) != 0 ? kInterrupt : 0) | (pick(4) == 0 ? kGlobalFreeze : 0);
      if (index != 5) flags |= pick(8) != 0 ? kEnable : 0;
      if (index < 4) {
        if (pick(3) == 0) flags |= kEdge;
        if (pick(2) == 0) flags |= kInvert;
        flags |= threshold(pick(2) == 0 ? pick(2) : pick(5));
        flags |= pick(6) == 0 ? events(1) | group(kClock) : events(1 + pick(7)) | group(kM2sReq);
        const std::uint32_t decoders = pick(3) == 0 ? static_cast<std::uint32_t>(pick(16)) : 0xffff'ffff;
        rig.put_filter(index, 0, decoders);
        reference.units[index].decoders = decoders;
      }
      rig.put(configuration(index), flags);
      const std::uint64_t kept = index < 4 ? 2 : reference.units[index].configuration & ~(kInterrupt | kGlobalFreeze);
      reference.write_configuration(index, index == 4 ? (kept & ~kEnable) | flags : kept | flags);
    }
  }
  void write_value() {  // of a counter that does not run
    const auto index = static_cast<unsigned>(pick(5));
    if (reference.runs(index)) return;
    // Often close to its wrap.
    const std::uint64_t value = (pick(3) == 0 ? random() : 0ULL - 1 - pick(3)) & ((1ULL << reference.width) - 1);
    rig.put(data(index), value);
    reference.units[index].value = value;
  }
  void toggle() {
    const auto index = static_cast<unsigned>(pick(5));
    const std::uint64_t value = reference.units[index].configuration ^ kEnable;
    rig.put(configuration(index), value);
    reference.write_configuration(index, value);
  }
  void software() {
    reference.to(now());
    switch (pick(6)) {
      case 0:
      case 1: {
        const std::uint64_t mask = pick(2) == 0 ? 0 : pick(64);
        rig.put(kFreeze, mask);
        reference.write_freeze(mask);
        break;
      }
      case 2: {
        const std::uint64_t mask = pick(64);
        rig.put(kOverflowStatus, mask);
        reference.status &= ~mask;
        break;
      }
      case 3:
        toggle();
        break;
      case 4:
        write_value();
        write_value();
        break;
      default:
        check();
    }
  }
  void check() {
    for (unsigned index = 0; index < 6; ++index) ASSERT_EQ(rig.get(data(index)), reference.units[index].value) << index;
    ASSERT_EQ(rig.get(kOverflowStatus), reference.status);
    ASSERT_EQ(rig.get(kFreeze), reference.frozen);
  }
  void go(unsigned steps) {
    for (unsigned step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) {
      if (pick(4) == 0) {
        // Not at the instant of an event or an edge, because the order would be undefined.
        advance_to(now() / 10 * 10 + 10 * pick(300) + 15);
        software();
        continue;
      }
      // Often at an edge (at 1 GHz), sometimes far away, often at the same instant.
      const std::uint64_t kind = pick(8);
      Picoseconds when = now() / 10 * 10 + 10;
      if (kind == 0) when += 10 * pick(2'000);
      if (kind == 1) when += 1'000 - when % 1'000;
      if (kind > 4) when += 10 * pick(60);
      advance_to(when);
      for (std::uint64_t count = 1 + pick(2); count > 0; --count) {
        const auto probe = static_cast<unsigned>(pick(3));
        const std::uint64_t amount = pick(5) == 0 ? 1 + pick(9) : 1;
        const auto decoder = pick(5) == 0 ? kNoHdmDecoder : static_cast<unsigned>(pick(4));
        rig.publish(probe, amount, decoder);
        reference.event(probe, amount, decoder, now());
      }
    }
    advance(3'005);
    reference.to(now());
    check();
    std::sort(reference.messages.begin(), reference.messages.end());
    while (!reference.messages.empty() && reference.messages.back() > now()) reference.messages.pop_back();
    ASSERT_EQ(rig.messages, reference.messages);
  }

  CpmuRig& rig;
  std::mt19937 random;
  Reference reference;
};

void compare_random_programs(unsigned width, std::uint64_t megahertz,
                             const std::function<void(std::function<void()>)>& run) {
  CpmuParameters parameters{
      .counters = counters({configurable, configurable, configurable, configurable, fixed, free_running}),
      .width = width,
      .frequency_hz = megahertz * 1'000'000,
      .hdm_filter = true};
  parameters.counters[5].events = 3;
  CpmuRig rig(parameters);
  run([&] {
    for (std::uint64_t seed = 1; seed <= 300 && !::testing::Test::HasFatalFailure(); ++seed) {
      SCOPED_TRACE(seed);
      RandomRun random(rig, seed * 1'000 + width);
      random.begin(width, megahertz);
      random.go(60);
      advance(7);
    }
    EXPECT_EQ(rig.cpmu.guest_errors(), 0U);
  });
}

// contract B11, B12, B13, B14, B15, B16, B17
TEST_F(CxlCpmuRandom, random_programs_equal_a_cpmu_that_looks_at_every_clock_with_3_bits) {
  compare_random_programs(3, 1'000, [this](const std::function<void()>& story) { run(story); });
}
TEST_F(CxlCpmuRandom, random_programs_equal_a_cpmu_that_looks_at_every_clock_with_5_bits) {
  compare_random_programs(5, 1'700, [this](const std::function<void()>& story) { run(story); });
}
TEST_F(CxlCpmuRandom, random_programs_equal_a_cpmu_that_looks_at_every_clock_with_1_bit) {
  compare_random_programs(1, 1'000, [this](const std::function<void()>& story) { run(story); });
}
TEST_F(CxlCpmuRandom, random_programs_equal_a_cpmu_that_looks_at_every_clock_with_8_bits_and_a_slow_clock) {
  compare_random_programs(8, 333, [this](const std::function<void()>& story) { run(story); });
}

}  // namespace
}  // namespace pmufab::cxl
