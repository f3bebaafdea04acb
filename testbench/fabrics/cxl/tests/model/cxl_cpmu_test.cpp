// SPDX-License-Identifier: Apache-2.0
// Reads and writes of the registers of a CPMU, and their effects.

#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/cxl/cpmu/cpmu_parameters.h"
#include "testbench/fabrics/cxl/tests/model/cxl_cpmu_rig.h"
#include "testbench/support/simulation_test.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {
namespace {

using enum CounterType;
using testing::advance;
using testing::now;

using CxlCpmu = testing::SimulationTest;

TEST_F(CxlCpmu, capabilities_tell_what_there_is_and_cannot_be_written) {  // contract B10
  testing::let_writes_be_lost();
  CpmuParameters parameters{.counters = std::vector<CpmuCounterParameters>(5), .width = 40, .message_number = 11};
  parameters.counters[3] = {.type = fixed, .group = kSpare, .events = 0x3, .threshold = 1};
  parameters.counters[4] = {.type = free_running, .group = kVendor, .events = 0x8000'0000};
  parameters.hdm_filter = true;
  CpmuRig rig(parameters);
  run([&] {
    const std::uint64_t capability = 4U | 40U << 8 | 4U << 20 | 1ULL << 32 | 11ULL << 44 | 7ULL << 48 | 1ULL << 60;
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> constants{
        {kCapability, capability},
        {event_capability(kClock), 0x1e98'0000'0000'0001},
        {event_capability(kM2sReq), 0x1e98'0020'0000'0407},
        {event_capability(kDdr), 0x1e98'8000'0000'0011},
        {event_capability(kVendor), 0x1234'0007'8000'0000},
        {event_capability(kSpare), 0x1e98'0020'0000'0407},
        {configuration(3), 1 | threshold(1) | events(0x3) | group(kSpare)},
        {configuration(4), 0 | kEnable | events(0x8000'0000) | group(kVendor)}};
    for (const auto& [offset, value] : constants) {
      EXPECT_EQ(rig.get(offset), value) << std::hex << offset;
      // All except the bits that software may change: enable (8), interrupt (9), global freeze (10).
      rig.put(offset, ~(kEnable | kInterrupt | kGlobalFreeze) ^ value);
      EXPECT_EQ(rig.get(offset) & ~(kEnable | kInterrupt | kGlobalFreeze),
                value & ~(kEnable | kInterrupt | kGlobalFreeze))
          << std::hex << offset;
    }
    EXPECT_EQ(rig.get(configuration(4)) & kEnable, kEnable);  // nothing stops a free-running counter
    EXPECT_EQ(rig.get(configuration(0)), 2 | threshold(1));
    rig.put(configuration(0), ~kEnable);
    EXPECT_EQ(rig.get(configuration(0)),
              2 | kInterrupt | kGlobalFreeze | kEdge | kInvert | threshold(0xff) | events(0xffff'ffff) | group(31));
  });
}

TEST_F(CxlCpmu, what_is_not_implemented_reads_zero_and_takes_no_value) {  // contract B19
  testing::let_writes_be_lost();
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(3), .hdm_filter = true, .ddr_filter = true});
  run([&] {
    EXPECT_EQ(rig.get_filter(2, 1), 0xffff'ffffU);
    for (const unsigned counter : {3U, 63U}) {
      for (unsigned id = 0; id < 8; ++id) {
        rig.put_filter(counter, id, ~0U);
        EXPECT_EQ(rig.get_filter(counter, id), 0U) << counter;
      }
    }
    for (const std::uint64_t offset :
         {event_capability(5), event_capability(31), configuration(3), configuration(63), data(3), data(63),
          std::uint64_t{0x008}, std::uint64_t{0x020}, std::uint64_t{0x0f8}, std::uint64_t{0xe00}}) {
      rig.put(offset, ~0ULL);
      EXPECT_EQ(rig.get(offset), 0U) << std::hex << offset;
    }
    rig.put(kFreeze, ~0ULL);
    EXPECT_EQ(rig.get(kFreeze), 7U);
    EXPECT_EQ(rig.cpmu.guest_errors(), 0U);
  });
}

TEST_F(CxlCpmu, counters_have_their_width_and_wrap_to_zero) {  // contract B15
  std::vector<std::unique_ptr<Cpmu>> cpmus;
  Probe probe("p");
  const std::vector<EventGroup> groups{{.group = 0x20, .supported = 1, .sources = {{.bit = 0, .probe = &probe}}}};
  testing::Initiator cpu("cpu");
  MmioBus bus("bus");
  cpu.socket.bind(bus.socket);
  for (unsigned width = 1; width <= 64; ++width) {
    const CpmuParameters parameters{.counters = std::vector<CpmuCounterParameters>(1), .width = width};
    const std::string name = "cpmu" + std::to_string(width);
    cpmus.push_back(std::make_unique<Cpmu>(name.c_str(), parameters, groups));
    bus.map(name, width * 0x1000ULL, 0x1000, cpmus.back()->socket);
  }
  run([&] {
    for (unsigned width = 1; width <= 64; ++width) {
      const std::uint64_t base = width * 0x1000ULL;
      const std::uint64_t maximum = width == 64 ? ~0ULL : (1ULL << width) - 1;
      cpu.put64(base + data(0), ~0ULL);
      EXPECT_EQ(cpu.get64(base + data(0)), maximum);
      cpu.put64(base + configuration(0), kEnable | events(1));
      cpu.put64(base + kFreeze, 1);
      cpu.put64(base + data(0), ~0ULL - 1);
      cpu.put64(base + kFreeze, 0);
      EXPECT_EQ(cpu.get64(base + data(0)), maximum - 1);
      probe.publish(1, 0, now());
      EXPECT_EQ(cpu.get64(base + data(0)), maximum);
      EXPECT_EQ(cpu.get64(base + kOverflowStatus), 0U);
      probe.publish(1, 0, now());
      EXPECT_EQ(cpu.get64(base + data(0)), 0U);
      EXPECT_EQ(cpu.get64(base + kOverflowStatus), 1U);
      EXPECT_EQ(cpu.get64(base + kCapability) >> 8 & 0xff, width);
      cpu.put64(base + configuration(0), 0);
    }
  });
}

TEST_F(CxlCpmu, filters_that_are_not_supported_read_zero_and_filter_nothing) {  // contract B17
  testing::let_writes_be_lost();
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(2)});
  run([&] {
    for (unsigned id = 0; id < 8; ++id) {
      EXPECT_EQ(rig.get_filter(0, id), 0U);
      rig.put_filter(0, id, 0x1);
      EXPECT_EQ(rig.get_filter(0, id), 0U);
    }
    rig.put(configuration(0), kEnable | events(1) | group(kM2sReq));
    rig.put(configuration(1), kEnable | events(1) | group(kDdr));
    rig.publish(0, 1, 5);
    rig.publish(4, 1, 9);
    EXPECT_EQ(rig.get(data(0)), 1U);
    EXPECT_EQ(rig.get(data(1)), 1U);
  });
}

TEST_F(CxlCpmu, registers_take_accesses_of_their_own_size_only) {  // contract B18
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(2), .hdm_filter = true});
  for (const char* name : {"Counter Data[1]", "Counter Data[1]", "Counter Data[0]", "Counter Data[0]",
                           "Counter Unit Configuration[0]", "CPMU Freeze", "Filter ID 0[0]"}) {
    expect_guest_error(name);
  }
  run([&] {
    rig.put(data(1), 0x1234'5678'9abc);
    for (const std::uint64_t offset : {data(1), data(1) + 4, configuration(0), kFreeze}) {
      EXPECT_EQ(rig.cpu.read32(kBase + offset).status, tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(rig.cpu.write32(kBase + offset, 1).status, tlm::TLM_BURST_ERROR_RESPONSE);
    }
    EXPECT_EQ(rig.cpu.read64(kBase + data(0) + 4).status, tlm::TLM_BURST_ERROR_RESPONSE);  // not aligned
    EXPECT_EQ(rig.cpu.read(kBase + data(0) + 1, 1).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write64(kBase + filter(0, 0), 0).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.get(data(1)), 0x1234'5678'9abcU);
    EXPECT_EQ(rig.get(kFreeze), 0U);
    EXPECT_EQ(rig.get_filter(0, 0), 0xffff'ffffU);
    EXPECT_EQ(rig.cpmu.guest_errors(), 11U);
  });
}

TEST_F(CxlCpmu, capabilities_that_are_absent_take_their_registers_along) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(2),
               .width = 8,
               .writable_while_frozen = false,
               .freeze = false,
               .interrupt = false});
  run([&] {
    EXPECT_EQ(rig.get(kCapability) >> 48 & 7, 0U);
    rig.put(kFreeze, 3);
    EXPECT_EQ(rig.get(kFreeze), 0U);
    rig.put(configuration(0), kEnable | kInterrupt | kGlobalFreeze | events(1) | group(kM2sReq));
    EXPECT_EQ(rig.get(configuration(0)), 2 | kEnable | events(1) | group(kM2sReq));
    rig.publish(0, 300);
    advance(10'000);
    rig.publish(0, 1);
    EXPECT_EQ(rig.get(kOverflowStatus), 1U);
    EXPECT_EQ(rig.get(data(0)), 45U);
    EXPECT_TRUE(rig.take_messages().empty());
  });
}

TEST_F(CxlCpmu, a_counter_not_writable_while_frozen_keeps_its_value) {
  CpmuRig rig({.counters = std::vector<CpmuCounterParameters>(1), .writable_while_frozen = false});
  expect_guest_error("counter 0", "written while frozen");
  run([&] {
    rig.put(data(0), 5);
    rig.put(kFreeze, 1);
    rig.put(data(0), 6);  // disabled: the freeze does not matter
    rig.put(configuration(0), kEnable | events(1) | group(kM2sReq));
    rig.put(data(0), 7);
    EXPECT_EQ(rig.get(data(0)), 6U);
  });
}

TEST_F(CxlCpmu, what_is_undefined_is_told_once_per_counter_and_goes_on) {
  CpmuRig rig({.counters = counters({configurable, configurable, configurable, fixed})});
  expect_guest_error("cpmu: counter 0", "group index of a fixed");
  expect_guest_error("cpmu: counter 1", "does not support");
  expect_guest_error("cpmu: counter 2", "does not exist");
  expect_guest_error("cpmu: counter 1", "changed while enabled");
  expect_guest_error("cpmu: counter 1", "written while it counts");
  run([&] {
    for (int turn = 0; turn < 2; ++turn) {
      rig.put(configuration(0), kEnable | events(1) | group(kSpare));
      rig.put(configuration(1), kEnable | events(0x8000'0001) | group(kM2sReq));
      rig.put(configuration(2), kEnable | events(1) | group(9));
      for (unsigned probe = 0; probe < 7; ++probe) rig.publish(probe);
      EXPECT_EQ(rig.get(data(0)), 1U + turn);
      EXPECT_EQ(rig.get(data(1)), 1U + 10U * turn);
      EXPECT_EQ(rig.get(data(2)), 0U);
      rig.put(configuration(1), kEnable | events(2) | group(kM2sReq));
      rig.put(data(1), 10);
      rig.publish(1);
      EXPECT_EQ(rig.get(data(1)), 11U);
      rig.put(data(1), 10);
      for (unsigned counter = 0; counter < 3; ++counter) rig.put(configuration(counter), 0);
    }
    // Reserved bits and a missing group are not reported.
    rig.put(configuration(0), kEnable | events(0x400) | group(kM2sReq));
    EXPECT_GT(rig.cpmu.guest_errors(), 5U);
  });
}

TEST_F(CxlCpmu, reset_puts_everything_back_and_drops_what_was_under_way) {
  CpmuRig rig({.counters = counters({configurable, configurable, free_running}), .width = 8, .hdm_filter = true});
  run([&] {
    rig.put_filter(0, 0, 1);
    rig.put(configuration(0), kEnable | kInterrupt | kGlobalFreeze | events(1) | group(kM2sReq));
    rig.put(configuration(1), kEnable | kInterrupt | threshold(0) | events(1) | group(kClock));
    rig.put(kFreeze, 2);
    rig.put(kFreeze, 0);
    rig.publish(0, 256);
    rig.cpmu.reset();
    EXPECT_EQ(rig.get(kOverflowStatus), 0U);
    EXPECT_EQ(rig.get(configuration(0)), 2 | threshold(1));
    EXPECT_EQ(rig.get_filter(0, 0), 0xffff'ffffU);
    advance(1'000'000);
    EXPECT_EQ(rig.get(kFreeze), 0U);
    EXPECT_TRUE(rig.take_messages().empty());
    for (unsigned counter = 0; counter < 3; ++counter) EXPECT_EQ(rig.get(data(counter)), 0U);
    rig.publish(0, 3);
    EXPECT_EQ(rig.get(data(0)), 0U);
    EXPECT_EQ(rig.get(data(2)), 3U);  // free-running counters run
    EXPECT_TRUE(rig.cpmu.is_running(2));
    EXPECT_FALSE(rig.cpmu.is_running(0));
  });
}

TEST_F(CxlCpmu, tools_see_registers_and_events_by_name) {
  CpmuParameters parameters{.counters = counters({configurable, fixed})};
  parameters.counters[1].events = 0x6;
  CpmuRig rig(parameters);
  run([&] {
    rig.put(data(0), 0x77);
    std::ostringstream text;
    rig.cpmu.bank().dump_text(text, now());
    EXPECT_NE(text.str().find("Counter Unit Configuration[1]"), std::string::npos);
    EXPECT_NE(rig.cpmu.bank().dump_json(now()).dump().find("Global Freeze on Overflow"), std::string::npos);
    std::ostringstream map;
    rig.cpmu.bank().dump_markdown(map);
    EXPECT_NE(map.str().find("CPMU Event Capabilities"), std::string::npos);
    std::uint64_t value = 0;
    EXPECT_EQ(rig.cpu.debug_read(kBase + data(0), value, 8), 8U);
    EXPECT_EQ(value, 0x77U);

    const std::vector<CpmuEvent> list = rig.cpmu.events();
    ASSERT_EQ(list.size(), 1U + 4U + 2U + 1U + 1U);
    EXPECT_EQ(list[0].name, "clock_ticks");
    EXPECT_EQ(list[2].name, "m2s_req_memrd");
    EXPECT_EQ(list[2].mask, 2U);
    EXPECT_EQ(list[2].group_index, kM2sReq);
    EXPECT_FALSE(list[2].counter.has_value());
    EXPECT_EQ(list[7].name, "vendor 0x1234 group 0x0007 event 31");
    EXPECT_EQ(list[8].name, "m2s_req_memrd+m2s_req_memrddata");
    EXPECT_EQ(list[8].counter, 1U);
    EXPECT_EQ(list[8].group, 0x20U);
  });
}

TEST_F(CxlCpmu, parameters_that_cannot_be_are_refused_with_their_place) {
  Probe probe("p");
  const std::vector<EventGroup> good{{.supported = 1, .sources = {}},
                                     {.group = 0x20, .supported = 3, .sources = {{.bit = 1, .probe = &probe}}}};
  const auto field_of = [&](const std::function<void(CpmuParameters&, std::vector<EventGroup>&)>& change) {
    CpmuParameters parameters;
    std::vector<EventGroup> groups = good;
    change(parameters, groups);
    try {
      check(parameters, groups);
    } catch (const SpecError& error) {
      return error.field();
    }
    return std::string("accepted");
  };
  using P = CpmuParameters;
  using G = std::vector<EventGroup>;
  EXPECT_EQ(field_of([](P&, G&) {}), "accepted");
  EXPECT_EQ(field_of([](P& p, G&) { p.counters.clear(); }), "counters");
  EXPECT_EQ(field_of([](P& p, G&) { p.counters.resize(65); }), "counters");
  EXPECT_EQ(field_of([](P& p, G&) { p.counters[2].events = 1; }), "counters[2]");
  EXPECT_EQ(field_of([](P& p, G&) { p.counters[1] = {.type = fixed, .group = 2, .events = 1}; }), "counters[1].group");
  EXPECT_EQ(field_of([](P& p, G&) { p.counters[1] = {.type = fixed, .group = 1, .events = 4}; }), "counters[1].events");
  EXPECT_EQ(field_of([](P& p, G&) { p.counters[1] = {.type = fixed, .group = 1}; }), "counters[1].events");
  EXPECT_EQ(field_of([](P& p, G&) { p.counters[1].type = static_cast<CounterType>(3); }), "counters[1].type");
  EXPECT_EQ(field_of([](P& p, G&) { p.width = 0; }), "width");
  EXPECT_EQ(field_of([](P& p, G&) { p.width = 65; }), "width");
  EXPECT_EQ(field_of([](P& p, G&) { p.frequency_hz = 0; }), "frequency_hz");
  EXPECT_EQ(field_of([](P& p, G&) { p.message_number = 16; }), "message_number");
  EXPECT_EQ(field_of([](P& p, G&) { p.freeze = false; }), "writable_while_frozen");
  EXPECT_EQ(field_of([](P&, G& g) { g.clear(); }), "groups");
  EXPECT_EQ(field_of([](P&, G& g) { g.resize(33, g[1]); }), "groups");
  EXPECT_EQ(field_of([](P&, G& g) { g[1].supported = 0; }), "groups[1].supported");
  EXPECT_EQ(field_of([](P&, G& g) { g[0].supported = 3; }), "groups[0]");
  EXPECT_EQ(field_of([](P&, G& g) { g[1].sources[0].bit = 2; }), "groups[1].sources[0].bit");
  EXPECT_EQ(field_of([](P&, G& g) { g[1].sources[0].bit = 32; }), "groups[1].sources[0].bit");
  EXPECT_EQ(field_of([](P&, G& g) { g[1].sources[0].probe = nullptr; }), "groups[1].sources[0].probe");
  EXPECT_EQ(field_of([&](P&, G& g) { g[1].sources.push_back({.bit = 0, .probe = &probe}); }),
            "groups[1].sources[1].probe");
  const auto ddr = [](const DdrShape& shape, std::uint8_t channel) {
    return [=](P&, G& g) {
      g[1].filter = EventFilter::ddr_location;
      g[1].shape = shape;
      g[1].sources[0].channel = channel;
    };
  };
  EXPECT_EQ(field_of(ddr({.channels = 2, .ranks = 4, .bank_groups = 4, .banks = 4}, 1)), "accepted");
  EXPECT_EQ(field_of(ddr({.channels = 2, .ranks = 4, .bank_groups = 4, .banks = 5}, 1)), "groups[1].shape");
  EXPECT_EQ(field_of(ddr({.channels = 0}, 0)), "groups[1].shape");
  EXPECT_EQ(field_of(ddr({.channels = 2}, 2)), "groups[1].sources[0].channel");
}

TEST_F(CxlCpmu, events_of_the_specification_have_names) {
  EXPECT_EQ(event_name(0x1e98, 0x0024, 4), "s2m_ndr_biconflictack");
  EXPECT_EQ(event_name(0x1e98, 0x8000, 6), "ddr_rfm");
  EXPECT_EQ(event_name(0x1e98, 0x8000, 13), "ddr_rd_wr_ddr_bus_switching");
  EXPECT_EQ(event_name(0x1e98, 0x0023, 13), "s2m_bisnp_datablktee");
  EXPECT_EQ(event_name(0x1e98, 0x0020, 31), "vendor 0x1e98 group 0x0020 event 31");
}

}  // namespace
}  // namespace pmufab::cxl
