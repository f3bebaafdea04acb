// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/tests/traffic/traffic_rig.h"

namespace pmufab::traffic {
namespace {

struct Mistake {
  const char* field;
  const char* reason;
  std::function<void(GeneratorSpec&)> make;
};

GeneratorSpec trace_generator() {
  GeneratorSpec spec;
  spec.name = "t";
  spec.trace = TraceSpec{.file = "x.pmutrace", .placement = {cmem(1 << 20)}};
  return spec;
}

TEST(TrafficSpec, good_scenarios_pass) {
  TrafficSpec spec;
  EXPECT_NO_THROW(validate(spec, two_sockets(), 2));
  spec.generators = {generator(PatternKind::uniform, 1), trace_generator()};
  EXPECT_NO_THROW(validate(spec, two_sockets(), 2));
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST(TrafficSpec, every_mistake_is_named_by_field_and_reason) {
  const Mistake mistakes[] = {
      {"name", "needs a name", [](auto& g) { g.name.clear(); }},
      {"requester.socket", "no socket 2", [](auto& g) { g.requester.socket = 2; }},
      {"requester.qos", "more than 15", [](auto& g) { g.requester.qos = 16; }},
      {"requester.bdf", "only pcie", [](auto& g) { g.requester.bdf = 8; }},
      {"requester.root_port", "only pcie", [](auto& g) { g.requester.root_port = 1; }},
      {"requester.kind", "no private cache",
       [](auto& g) {
         g.requester.kind = RequesterKind::gpu;
         g.path = Path::cached;
       }},
      {"outstanding", "more than", [](auto& g) { g.outstanding = 100'000; }},
      {"targets", "no memory", [](auto& g) { g.targets.clear(); }},
      {"targets", "every weight is 0", [](auto& g) { g.targets[0].weight = 0; }},
      {"targets[0].memory", "socket 1 has no gmem",
       [](auto& g) { g.targets[0] = Target{.socket = 1, .memory = MemoryClass::gmem, .base = {}}; }},
      {"targets[0].size", "not a multiple of 64", [](auto& g) { g.targets[0].size = 100; }},
      {"targets[0].size", "do not fit", [](auto& g) { g.targets[0].size = 2 * kMemoryBytes; }},
      {"targets[0].offset", "beyond", [](auto& g) { g.targets[0].offset = kMemoryBytes; }},
      {"targets[0].base", "no memory holds", [](auto& g) { g.targets[0].base = 0; }},
      {"targets[0].base", "no memory holds",
       [](auto& g) {
         g.targets[0].base = kCmem0 + 64;
         g.targets[0].size = kMemoryBytes;
       }},
      {"mix", "no operation", [](auto& g) { g.mix.clear(); }},
      {"mix[0].operation", "private cache",
       [](auto& g) {
         g.path = Path::cached;
         g.mix = {{Operation::evict, 1}};
       }},
      {"sizes[0].bytes", "1 ... 64",
       [](auto& g) {
         g.sizes = {{65, 1}};
       }},
      {"sizes[0].bytes", "1 ... 64",
       [](auto& g) {
         g.sizes = {{0, 1}};
       }},
      {"pattern.stride", "0",
       [](auto& g) {
         g.pattern.kind = PatternKind::stride;
         g.pattern.stride = 0;
       }},
      {"pattern.hot_fraction", "0 ... 1",
       [](auto& g) {
         g.pattern.kind = PatternKind::hotspot;
         g.pattern.hot_fraction = 1.5;
       }},
      {"pattern.hot_size", "smallest target",
       [](auto& g) {
         g.pattern.kind = PatternKind::hotspot;
         g.pattern.hot_size = 1 << 21;
       }},
      {"pattern.exponent", "above 0",
       [](auto& g) {
         g.pattern.kind = PatternKind::zipf;
         g.pattern.exponent = 0;
       }},
      {"pattern.exponent", "above 0",
       [](auto& g) {
         g.pattern.kind = PatternKind::zipf;
         g.pattern.exponent = std::numeric_limits<double>::quiet_NaN();
       }},
      {"pattern.ranks", "1 ...",
       [](auto& g) {
         g.pattern.kind = PatternKind::zipf;
         g.pattern.ranks = 0;
       }},
      {"pattern.kind", "one request in flight",
       [](auto& g) {
         g.pattern.kind = PatternKind::pointer_chase;
         g.outstanding = 4;
       }},
      {"pattern.consumer", "nothing reads", [](auto& g) { g.pattern.kind = PatternKind::producer_consumer; }},
      {"pattern.consumer.socket", "no socket 9",
       [](auto& g) {
         g.pattern.kind = PatternKind::producer_consumer;
         g.pattern.consumer = RequesterSpec{.socket = 9};
       }},
      {"pattern.block_size", "smallest target",
       [](auto& g) {
         g.pattern.kind = PatternKind::producer_consumer;
         g.pattern.block_size = 1 << 21;
       }},
      {"pacing.requests_per_us", "0.000001 ...", [](auto& g) { g.pacing.requests_per_us = 0; }},
      {"pacing.requests_per_us", "0.000001 ...", [](auto& g) { g.pacing.requests_per_us = 2e6; }},
      {"pacing.gap", "no time pass",
       [](auto& g) {
         g.pacing.kind = PacingSpec::Kind::back_to_back;
         g.pacing.gap = 0;
       }},
      {"burst.on", "never be on",
       [](auto& g) {
         g.burst = BurstSpec{0, 1};
       }},
      {"burst.off", "no pause",
       [](auto& g) {
         g.burst = BurstSpec{1, 0};
       }},
      {"start", "phases say", [](auto& g) { g.start = 1; }},
      {"phases[0]", "needs an end", [](auto& g) { g.phases.assign(2, {}); }},
      {"phases[0].duration", "must not be 0", [](auto& g) { g.phases[0].duration = 0; }},
      {"phases[0].count", "must not be 0", [](auto& g) { g.phases[0].count = 0; }},
      {"phases[0].targets[0].base", "no memory",
       [](auto& g) { g.phases[0].targets = {Target{.base = 0, .size = 64}}; }},
      {"phases[0].pattern.stride", "0",
       [](auto& g) { g.phases[0].pattern = PatternSpec{.kind = PatternKind::stride, .stride = 0, .consumer = {}}; }},
      {"phases[0].pattern.hot_size", "smallest target",
       [](auto& g) {
         g.pattern.kind = PatternKind::hotspot;
         g.phases[0].targets = {cmem(64)};
       }},
      {"phases[0].burst.on", "never",
       [](auto& g) {
         g.phases[0].burst = BurstSpec{0, 0};
       }},
      {"trace.file", "no file",
       [](auto& g) {
         g = trace_generator();
         g.trace->file.clear();
       }},
      {"trace.page_size", "power of two",
       [](auto& g) {
         g = trace_generator();
         g.trace->page_size = 3000;
       }},
      {"trace.gap", "no time pass",
       [](auto& g) {
         g = trace_generator();
         g.trace->gap = 0;
       }},
      {"trace.repeat", "0 passes",
       [](auto& g) {
         g = trace_generator();
         g.trace->repeat = 0;
       }},
      {"trace.placement", "no memory",
       [](auto& g) {
         g = trace_generator();
         g.trace->placement.clear();
       }},
      {"trace.placement[0]", "no aligned page",
       [](auto& g) {
         g = trace_generator();
         g.trace->placement[0].offset = 64;
         g.trace->placement[0].size = 4096;
       }},
      {"targets", "its own addresses",
       [](auto& g) {
         g = trace_generator();
         g.targets = {cmem(64)};
       }},
      {"phases", "no phases",
       [](auto& g) {
         g = trace_generator();
         g.phases.resize(1);
       }},
  };
  for (const Mistake& mistake : mistakes) {
    TrafficSpec spec;
    spec.generators = {generator(PatternKind::uniform, 1), generator(PatternKind::uniform, 1)};
    spec.generators[0].name = "first";
    mistake.make(spec.generators[1]);
    try {
      validate(spec, two_sockets(), 2);
      ADD_FAILURE() << "accepted: " << mistake.field << ": " << mistake.reason;
    } catch (const SpecError& error) {
      EXPECT_EQ(error.field(), "generators[1]." + std::string(mistake.field)) << error.what();
      EXPECT_THAT(error.reason(), ::testing::HasSubstr(mistake.reason));
      EXPECT_THAT(error.what(), ::testing::StartsWith(error.field() + ": " + error.reason()));
    }
  }
}

TEST(TrafficSpec, two_generators_cannot_share_a_name) {
  TrafficSpec spec;
  spec.generators.assign(2, generator(PatternKind::uniform, 1));
  try {
    validate(spec, two_sockets(), 2);
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_EQ(error.field(), "generators[1].name");
  }
}

TEST(TrafficSpec, a_missing_memory_is_answered_with_those_there_are) {
  TrafficSpec spec;
  spec.generators = {generator(PatternKind::uniform, 1)};
  spec.generators[0].targets[0].memory = MemoryClass::cxl;
  try {
    validate(spec, two_sockets(), 2);
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_THAT(error.suggestion(), ::testing::HasSubstr("socket 0 gmem [0x20000000000, 0x20100000000)"));
  }
}

TEST(TrafficSpec, names_of_operations_go_both_ways) {
  for (unsigned i = 0; i <= static_cast<unsigned>(Operation::atomic_store); ++i) {
    const auto value = static_cast<Operation>(i);
    EXPECT_EQ(operation_from(to_string(value)), value);
  }
  EXPECT_EQ(operation_from("WriteBackFull"), Operation::write_back_full);
  EXPECT_EQ(operation_from("readshared"), std::nullopt);
}

}  // namespace
}  // namespace pmufab::traffic
