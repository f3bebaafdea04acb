// SPDX-License-Identifier: Apache-2.0
// Traffic over CXL links: all operations at once; pacing; wrong specifications.

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/cxl/tests/model/cxl_rig.h"
#include "testbench/fabrics/cxl/traffic/cxl_replay.h"
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"
#include "testbench/tests/traffic/traffic_rig.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::traffic {
namespace {

using cxl::Coherency;
using cxl::LinkEnd;
using cxl::MessageClass;
using testing::SimulationTest;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Counts messages at both ends of a link, by class and opcode.
struct Count final : public cxl::LinkObserver {
  void on_message(Picoseconds when, const cxl::Link& /*link*/, LinkEnd end, const cxl::Message& message) override {
    EXPECT_GE(when, last);
    last = when;
    ++counts[static_cast<unsigned>(end)][{cxl::group_of(message.message_class), message.opcode}];
  }
  [[nodiscard]] std::uint64_t of(unsigned group, std::initializer_list<unsigned> opcodes) const {
    std::uint64_t sum = 0;
    for (const unsigned opcode : opcodes) {
      const auto found = counts[1].find({group, opcode});
      if (found != counts[1].end()) sum += found->second;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t of(unsigned group) const {
    std::uint64_t sum = 0;
    for (const auto& [event, count] : counts[1]) sum += event.first == group ? count : 0;
    return sum;
  }
  std::array<std::map<std::pair<unsigned, unsigned>, std::uint64_t>, 2> counts;
  Picoseconds last = 0;
};

struct System {
  explicit System(const std::string& name, const cxl::MemoryDeviceParameters& device_parameters = {})
      : link(name, engine, {}) {
    map.set(0, {.base = 0, .size = kMiB});
    map.set(1, {.base = kMiB, .size = kMiB, .device_base = kMiB, .coherency = Coherency::hdm_db});
    map.set(2, {.base = 2 * kMiB, .size = kMiB, .device_base = 2 * kMiB, .coherency = Coherency::hdm_d});
    cxl::HostParameters host_parameters;
    host_parameters.host_lines = 64;
    host_parameters.cache.error_base = 65 * kMiB;
    host_parameters.cache.error_size = kMiB;
    host = std::make_unique<cxl::Host>(name + ".host", engine, link, map, host_parameters);
    device = std::make_unique<cxl::MemoryDevice>(name + ".device", engine, link, map, device_parameters);
    cache = std::make_unique<cxl::DeviceCache>(engine, link, *device, cxl::DeviceCacheParameters{64});
    link.set_observer(&count);
  }
  CxlTraffic& add(const CxlTrafficSpec& spec) {
    constexpr std::uint64_t kSeed = 16;  // with this seed some thousand operations cause the rarest messages too
    traffic.push_back(std::make_unique<CxlTraffic>(engine, CxlTargets{host.get(), device.get(), cache.get()},
                                                   link.parameters().period, spec, "traffic", kSeed));
    return *traffic.back();
  }
  /// All operations of an agent, on all memory.
  void add_everything(std::uint64_t operations) {
    for (const auto& [first, last, name] :
         {std::tuple{CxlOperation::read, CxlOperation::clean_evict, "memory"},
          std::tuple{CxlOperation::snoop_data, CxlOperation::snoop_current, "snoops"},
          std::tuple{CxlOperation::local_read, CxlOperation::local_store, "local"},
          std::tuple{CxlOperation::cache_rd_curr, CxlOperation::cache_cache_flushed, "cache"}}) {
      CxlTrafficSpec spec;
      spec.name = name;
      spec.mix.clear();
      for (auto operation = static_cast<unsigned>(first); operation <= static_cast<unsigned>(last); ++operation)
        spec.mix.push_back({static_cast<CxlOperation>(operation), 1});
      if (spec.name == "memory") {
        spec.ranges = {{0, kMiB, {}, 1}, {kMiB, 512 * 64, {}, 4}, {2 * kMiB, kMiB, {}, 1}, {8 * kMiB, 4096, {}, 1}};
        spec.ranges[0].pattern.kind = PatternKind::stream;
        spec.ranges[2].pattern.kind = PatternKind::zipf;
        spec.tee_share = 0.25;
      } else if (spec.name == "local") {
        spec.ranges = {{kMiB, 512 * 64, {}, 1}};
        spec.outstanding = 4;
        spec.tee_share = 0.25;
      } else {
        spec.ranges = {{64 * kMiB, 128 * 64, {}, 4}, {65 * kMiB, 4096, {}, 1}};
        if (spec.name == "cache") spec.ranges.push_back({2 * kMiB, kMiB, {}, 1});
      }
      spec.count = operations;
      add(spec).start(simulated_time());
    }
  }
  [[nodiscard]] std::uint64_t pending() const {
    return link.pending() + host->pending() + device->pending() + cache->pending();
  }

  cxl::Engine engine;
  cxl::Link link;
  cxl::HdmMap map;
  Count count;
  std::unique_ptr<cxl::Host> host;
  std::unique_ptr<cxl::MemoryDevice> device;
  std::unique_ptr<cxl::DeviceCache> cache;
  std::vector<std::unique_ptr<CxlTraffic>> traffic;
};

struct CxlTrafficTest : public SimulationTest {
  static cxl::MemoryDeviceParameters tight() {
    cxl::MemoryDeviceParameters parameters;
    parameters.back_invalidate.filter_lines = 48;
    parameters.back_invalidate.device_lines = 32;
    parameters.ddr.rfm_after = 32;
    return parameters;
  }
};

TEST_F(CxlTrafficTest, every_message_can_be_caused_and_all_is_answered) {
  System system("system", tight());
  System twin("twin", tight());
  run([&] {
    constexpr std::uint64_t kOperations = 6000;
    system.add_everything(kOperations);
    twin.add_everything(kOperations);
    testing::advance(2'000'000'000);
    for (const auto& traffic : system.traffic) {
      EXPECT_EQ(traffic->begun(), kOperations) << traffic->name();
      EXPECT_EQ(traffic->completed(), kOperations) << traffic->name();
      EXPECT_TRUE(traffic->ended());
    }
    EXPECT_EQ(system.pending(), 0U);
    // A line has one writer, or readers.
    unsigned held = 0;
    for (std::uint64_t line = kMiB; line < kMiB + 512 * 64; line += 64) {
      const cxl::LineState host = system.host->state(line);
      const cxl::LineState filter = system.device->coherence().filter_state(line);
      const cxl::LineState own = system.device->coherence().own_state(line);
      using cxl::LineState;
      held += host != LineState::invalid || own != LineState::invalid ? 1 : 0;
      if (host == LineState::invalid) continue;
      EXPECT_GE(filter, std::min(host, LineState::exclusive)) << line;
      if (own != LineState::invalid) {
        EXPECT_EQ(own, LineState::shared) << line;
        EXPECT_EQ(host, LineState::shared) << line;
      }
    }
    EXPECT_GT(held, 32U);
    const Count& count = system.count;
    EXPECT_EQ(count.counts[0], count.counts[1]);       // all messages arrive
    EXPECT_EQ(count.counts[0], twin.count.counts[0]);  // the same seeds, the same traffic
    // The events of the message groups that Linux 7.2 names, then those of 7.3 that docs/cxl-messages.md has.
    const std::vector<std::pair<unsigned, std::vector<unsigned>>> named = {
        {0x10, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16}},
        {0x11, {1, 4, 5, 6, 7, 15, 22}},
        {0x12, {1, 2, 3}},
        {0x13, {1, 4, 5, 6, 8, 13, 15}},
        {0x14, {0, 1}},
        {0x20, {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 7, 11, 12, 14}},
        {0x21, {1, 2, 4, 9, 10}},
        {0x22, {0, 1, 2, 4, 5, 6}},
        {0x23, {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}},
        {0x24, {0, 1, 2, 3, 4, 5, 6, 7}},
        {0x25, {0, 1, 2}}};
    for (const auto& [group, opcodes] : named) {
      for (const unsigned opcode : opcodes)
        EXPECT_GT(count.of(group, {opcode}), 0U) << std::hex << group << ":" << opcode;
    }
    // Identities.
    EXPECT_EQ(count.of(0x20, {1, 2, 5, 6}), count.of(0x25));
    EXPECT_EQ(count.of(0x21, {4}), count.of(0x24, {4}));
    EXPECT_EQ(count.of(0x12), count.of(0x11));
    EXPECT_EQ(count.of(0x13, {1, 5, 13, 15}) + count.of(0x11, {7, 15, 22}), count.of(0x14, {0}));
    EXPECT_EQ(count.of(0x13, {13}), count.of(0x13, {6}));
    EXPECT_EQ(count.of(0x10, {12, 13}), count.of(0x13, {13}) + count.of(0x20, {4}));
  });
}

// Software resets a port or commits decoders again while messages are under way. Then an address may lead to other
// memory than when the request was sent, or to none.
TEST_F(CxlTrafficTest, decoders_may_change_at_any_instant_while_messages_are_under_way) {
  System system("system", tight());
  run([&] {
    constexpr std::uint64_t kOperations = 4000;
    system.add_everything(kOperations);
    std::mt19937_64 random(7);
    const auto over = [&] {
      return std::all_of(system.traffic.begin(), system.traffic.end(),
                         [](const auto& traffic) { return traffic->completed() == kOperations; });
    };
    unsigned changes = 0;
    for (; changes < 4000 && !over(); ++changes) {
      testing::advance(1 + random() % 200'000);
      const auto decoder = static_cast<unsigned>(random() % 3);
      cxl::HdmRange range;
      if (random() % 3 != 0)
        range = {.base = random() % 3 * kMiB, .size = kMiB, .coherency = static_cast<Coherency>(random() % 3)};
      system.map.set(decoder, range);
    }
    EXPECT_GT(changes, 100U);
    testing::advance(100'000'000);
    for (const auto& traffic : system.traffic) EXPECT_EQ(traffic->completed(), kOperations) << traffic->name();
    EXPECT_EQ(system.pending(), 0U);
  });
}

TEST_F(CxlTrafficTest, operations_begin_when_the_pacing_says_so) {
  System system("system");
  struct Begins final : public cxl::LinkObserver {
    void on_message(Picoseconds when, const cxl::Link& /*link*/, LinkEnd end, const cxl::Message& message) override {
      if (end == LinkEnd::upper && message.message_class == MessageClass::m2s_req) begins.push_back(when);
    }
    std::vector<Picoseconds> begins;
  } observer;
  system.link.set_observer(&observer);
  run([&] {
    const auto begins_of = [&](CxlTrafficSpec spec) {
      spec.ranges = {{0, kMiB, {}, 1}};
      CxlTraffic& traffic = system.add(spec);
      observer.begins.clear();
      const Picoseconds zero = testing::now();
      traffic.start(zero);
      testing::advance(100'000'000);
      EXPECT_TRUE(traffic.ended());
      EXPECT_EQ(traffic.begun(), observer.begins.size());
      EXPECT_EQ(traffic.completed(), observer.begins.size());
      EXPECT_GT(traffic.latencies().sum(), 60'000 * traffic.completed());
      for (Picoseconds& begin : observer.begins) begin -= zero;
      return observer.begins;
    };
    CxlTrafficSpec spec;
    spec.name = "paced";
    spec.pacing = {PacingSpec::Kind::fixed, 100.0, 0, true};
    spec.start = 1'000;
    spec.count = 4;
    EXPECT_EQ(begins_of(spec), (std::vector<Picoseconds>{1'000, 11'000, 21'000, 31'000}));
    spec.burst = BurstSpec{20'000, 100'000};
    EXPECT_EQ(begins_of(spec), (std::vector<Picoseconds>{1'000, 11'000, 121'000, 131'000}));
    spec.burst.reset();
    spec.count.reset();
    spec.duration = 25'000;
    EXPECT_EQ(begins_of(spec), (std::vector<Picoseconds>{1'000, 11'000, 21'000}));
    // 300 per microsecond: every 3333.3 ps, at the next edge of 500 ps.
    spec.pacing.requests_per_us = 300;
    spec.start = 0;
    spec.duration = 12'000;
    EXPECT_EQ(begins_of(spec), (std::vector<Picoseconds>{0, 3'500, 7'000, 10'000}));
    // One at a time: each begins when the one before has ended.
    CxlTrafficSpec chain;
    chain.name = "chain";
    chain.outstanding = 1;
    chain.count = 3;
    const std::vector<Picoseconds> begins = begins_of(chain);
    ASSERT_EQ(begins.size(), 3U);
    EXPECT_EQ(begins[0], 0U);
    EXPECT_GE(begins[1], 65'000U);
    EXPECT_GE(begins[2], begins[1] + 65'000);
  });
}

TEST_F(CxlTrafficTest, a_trace_is_replayed_at_its_times) {
  System system("system");
  struct Begins final : public CxlOperationListener {
    void on_operation(Picoseconds now, unsigned /*device*/, CxlOperation operation, std::uint64_t address, bool tee,
                      bool joined) override {
      text += fmt::format("{} {} {:x}{}{}\n", now - zero, to_string(operation), address, tee ? " tee" : "",
                          joined ? " joined" : "");
    }
    Picoseconds zero = 0;
    std::string text;
  } begins;
  const TestFolder folder;
  const CxlTargets targets{system.host.get(), system.device.get(), system.cache.get()};
  const auto file = [&](const std::string& lines) {
    return folder.write("t.csv", "time,device,operation,address,flags\n" + lines + "end\n").string();
  };
  run([&] {
    CxlReplay replay(system.engine, {targets},
                     {.name = "trace",
                      .file = file("0,0,read,0x0,\n"
                                   "0,0,write,0x40,tee+joined\n"
                                   "1250,0,local_load,0x100000,\n"
                                   "1250,0,cache_rd_own,0x4000000,\n"
                                   "5000000,0,load,0x100040,\n"
                                   "5000000,0,load,0x100040,\n"  // waits for the previous one
                                   "5000000,0,read,0x0,\n"       // and this one waits behind it
                                   "9000000,0,read,0x3f,\n"
                                   "99000000,0,read,0x0,\n"),
                      .start = 2'000},
                     "t", 16384);
    replay.set_listener(&begins);
    begins.zero = testing::now();
    replay.start(begins.zero);
    testing::advance(20'000'000);
    replay.stop();
    testing::advance(100'000'000);
    const std::string late = begins.text.substr(0, begins.text.find("5002000"));
    EXPECT_EQ(late, "2000 read 0\n2000 write 40 tee joined\n3250 local_load 100000\n3250 cache_rd_own 4000000\n");
    EXPECT_NE(begins.text.find("5002000 load 100040\n"), std::string::npos) << begins.text;
    EXPECT_EQ(begins.text.find("5002000 read"), std::string::npos);
    EXPECT_TRUE(begins.text.ends_with("\n9002000 read 0\n")) << begins.text;
    EXPECT_EQ(replay.begun(), 8U);
    EXPECT_EQ(replay.completed(), 8U);
    EXPECT_EQ(replay.late(), 2U);
    EXPECT_GT(replay.latencies().sum(), 3 * 60'000U);
    // Two devices below one host: the limit is for the host's requests under way, not for each device.
    CxlReplay below_one(system.engine, {targets, targets},
                        {.name = "two", .file = file("0,0,read,0x0,\n0,1,read,0x40,\n0,1,read,0x80,\n")}, "t", 2);
    below_one.start(testing::now());
    testing::advance(1'000);
    EXPECT_EQ(below_one.begun(), 2U);
    testing::advance(10'000'000);
    EXPECT_EQ(below_one.completed(), 3U);
    EXPECT_EQ(below_one.late(), 1U);
    EXPECT_EQ(system.pending(), 0U);
  });
}

// This runs no simulation: after one, a sanitizer takes exceptions for ones on the stack of a SystemC process.
TEST_F(CxlTrafficTest, a_trace_that_cannot_be_replayed_is_refused) {
  System system("system");
  const TestFolder folder;
  const CxlTargets targets{system.host.get(), system.device.get(), system.cache.get()};
  const auto file = [&](const std::string& lines) {
    return folder.write("t.csv", "time,device,operation,address,flags\n" + lines + "end\n").string();
  };
  const auto error = [&](const std::string& lines) -> std::string {
    try {
      CxlReplay replay(system.engine, {targets, {system.host.get(), nullptr, nullptr}},
                       {.name = "trace", .file = file(lines)}, "t", 1);
    } catch (const std::exception& failure) {
      return failure.what();
    }
    return "fine";
  };
  EXPECT_EQ(error("0,0,read,0x0,\n"), "fine");
  EXPECT_NE(error("0,0,read,0x0,\n0,0,reed,0x0,\n").find("t.csv: line 3: there is no operation 'reed'"),
            std::string::npos);
  EXPECT_NE(error("0,2,read,0x0,\n").find("t.csv: line 2: there is no CXL device 2"), std::string::npos);
  EXPECT_NE(error("0,1,snoop_data,0x0,\n").find("t.csv: line 2: device 1 cannot do"), std::string::npos);
  EXPECT_NE(error("0,1,local_load,0x0,\n").find("t.csv: line 2: device 1 cannot do"), std::string::npos);
  EXPECT_NE(error("18446744073709551615,0,read,0x0,\n").find("t.csv: line 2:"), std::string::npos);
  EXPECT_EQ(error("0,0,local_load,0x100000,\n"), "fine");
  // A device itself accesses only its HDM-DB memory: not HDM-H, HDM-D or unclaimed memory. Later operations are checked
  // too.
  EXPECT_NE(error("0,0,local_load,0x0,\n").find("t.csv: line 2: 0x0 is not in HDM-DB memory"), std::string::npos);
  EXPECT_NE(error("0,0,local_read,0x100000,\n0,0,local_read,0x200000,\n").find("t.csv: line 3: 0x200000 is not in"),
            std::string::npos);
  EXPECT_NE(error("0,0,local_store,0x300000,\n").find("t.csv: line 2: 0x300000 is not in"), std::string::npos);
  system.map.set(3, {.base = 4 * kMiB, .size = kMiB, .interleave = {2, 256}, .coherency = cxl::Coherency::hdm_db});
  EXPECT_NE(error("0,0,local_store,0x400000,\n").find("t.csv: line 2: device 0 shares the memory at 0x400000"),
            std::string::npos);
  CxlTrafficSpec local;
  local.name = "local";
  local.mix = {{CxlOperation::local_load, 1}};
  local.ranges = {{kMiB, kMiB, {}, 1}};
  system.add(local);
  EXPECT_NE(error("0,0,local_load,0x100000,\n").find("t.trace: other traffic does device 0's"), std::string::npos);
}

TEST_F(CxlTrafficTest, what_can_not_be_is_refused_with_its_place) {
  System system("system");
  const auto field_of = [&](auto change) -> std::string {
    CxlTrafficSpec spec;
    spec.name = "wrong";
    spec.ranges = {{0, kMiB, {}, 1}};
    change(spec);
    try {
      CxlTraffic traffic(system.engine, CxlTargets{system.host.get(), nullptr, nullptr}, 500, spec, "t", 1);
    } catch (const SpecError& error) {
      return error.field();
    }
    return "fine";
  };
  using Spec = CxlTrafficSpec;
  EXPECT_EQ(field_of([](Spec&) {}), "fine");
  EXPECT_EQ(field_of([](Spec& spec) { spec.name.clear(); }), "t.name");
  EXPECT_EQ(field_of([](Spec& spec) { spec.outstanding = 0; }), "t.outstanding");
  EXPECT_EQ(field_of([](Spec& spec) { spec.tee_share = 2; }), "t.tee_share");
  EXPECT_EQ(field_of([](Spec& spec) { spec.count = 0; }), "t.count");
  EXPECT_EQ(field_of([](Spec& spec) { spec.pacing.gap = 0; }), "t.pacing.gap");
  EXPECT_EQ(field_of([](Spec& spec) { spec.burst = BurstSpec{}; }), "t.burst.on");
  EXPECT_EQ(field_of([](Spec& spec) { spec.mix = {{CxlOperation::local_load, 1}}; }), "t.device");
  EXPECT_EQ(field_of([](Spec& spec) { spec.mix = {{CxlOperation::read, 1}, {CxlOperation::local_load, 1}}; }), "t.mix");
  // Without a cache there is no answer.
  EXPECT_EQ(field_of([](Spec& spec) { spec.mix = {{CxlOperation::snoop_data, 1}}; }), "t.mix");
  EXPECT_EQ(field_of([](Spec& spec) { spec.ranges.clear(); }), "t.ranges");
  EXPECT_EQ(field_of([](Spec& spec) { spec.ranges[0].size = 32; }), "t.ranges[0]");
  EXPECT_EQ(field_of([](Spec& spec) { spec.ranges[0].pattern.kind = PatternKind::producer_consumer; }),
            "t.ranges[0].pattern");
  EXPECT_EQ(to_string(CxlOperation::cache_wo_wr_inv_f), "cache_wo_wr_inv_f");
  // A refused client leaves nothing in the engine.
  struct Nobody final : cxl::Actor {
    void act(Picoseconds /*now*/) override {}
  } nobody;
  const unsigned before = system.engine.add(nobody);
  EXPECT_EQ(field_of([](Spec& spec) { spec.outstanding = 0; }), "t.outstanding");
  cxl::LinkParameters impossible;
  impossible.period = 0;
  EXPECT_THROW(cxl::Link("impossible", system.engine, impossible), SpecError);
  EXPECT_EQ(system.engine.add(nobody), before + 1);
  // A device reports the end of its own operations to one client only.
  Spec local;
  local.name = "local";
  local.mix = {{CxlOperation::local_load, 1}};
  local.ranges = {{kMiB, kMiB, {}, 1}};
  system.add(local);
  EXPECT_THROW(system.add(local), SpecError);
}

}  // namespace
}  // namespace pmufab::traffic
