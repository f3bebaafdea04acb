// SPDX-License-Identifier: Apache-2.0
// The judge and the models: two CPMUs count random traffic with random programs, and the judge must agree.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/cxl/cpmu/cpmu.h"
#include "models/cxl/link/switch.h"
#include "testbench/fabrics/cxl/judge/cxl_meaning.h"
#include "testbench/fabrics/cxl/scenario/cxl_listener.h"
#include "testbench/fabrics/cxl/tests/model/cxl_rig.h"
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::scoreboard::test {
namespace {

using Call = perf::PerfCallObserver::Call;
using traffic::CxlOperation;

constexpr std::uint64_t kBlockOfPmu = 0x1'0000;
constexpr unsigned kConfigurable = 52;
constexpr unsigned kFixed = 4;  // behind them, with thresholds 0 to 3
constexpr unsigned kCounters = kConfigurable + kFixed;
constexpr unsigned kFixedGroup = 1;  // M2S Req again, for the fixed counters only
constexpr std::uint32_t kFixedEvents = 0x6;
constexpr std::array<const char*, 2> kPmus{"cxl_pmu_mem0.0", "cxl_pmu_mem0.1"};  // of the host, of the device

/// Parameters of a run.
struct Variant {
  std::uint64_t seed;
  cxl::DdrParameters ddr;
  std::uint64_t clock_hz;
};

CxlDdrSpec ddr_spec(const cxl::DdrParameters& from) {
  CxlDdrSpec to;
  to.channels = from.shape.channels;
  to.ranks = from.shape.ranks;
  to.bank_groups = from.shape.bank_groups;
  to.banks = from.shape.banks;
  to.row_bytes = from.row_bytes;
  to.closed_pages = from.page_policy == cxl::PagePolicy::closed;
  to.refresh = static_cast<CxlDdrSpec::Refresh>(from.refresh_mode);
  to.rfm_after = from.rfm_after;
  to.power_down_after = from.power_down_after;
  to.self_refresh_after = from.self_refresh_after;
  to.errors.read_crc = from.retries.read_crc_every;
  to.errors.write_crc = from.retries.write_crc_every;
  to.errors.parity = from.retries.parity_every;
  to.errors.ecc = from.retries.ecc_every;
  to.errors.delay = from.retries.delay;
  to.throttles[0] = {from.thermal.accesses, from.thermal.window, from.thermal.pause};
  to.throttles[1] = {from.power.accesses, from.power.window, from.power.pause};
  to.clock_period = from.clock_period;
  to.separate_queues = from.separate_queues;
  to.optimal_load = 2;
  to.moderate_overload = 5;
  to.severe_overload = 9;
  return to;  // times: both have the same defaults
}

class CxlCross : public testing::SimulationTest, public ::testing::WithParamInterface<int> {
 protected:
  static Variant variant(int number) {
    Variant v{static_cast<std::uint64_t>(number) + 1, {}, 1'300'000'000};
    v.ddr.shape = {.channels = 2, .ranks = 2, .bank_groups = 2, .banks = 4};
    v.ddr.row_bytes = 512;
    v.ddr.clock_period = 2'500;
    v.ddr.retries = {.read_crc_every = 7, .write_crc_every = 5, .parity_every = 6, .ecc_every = 11};
    if (number == 1) {
      v.ddr.refresh_mode = cxl::RefreshMode::same_bank;
      v.ddr.rfm_after = 3;
      v.ddr.power_down_after = 40'000;
      v.ddr.thermal = {.accesses = 90, .window = 1'500'000, .pause = 300'000};
      v.ddr.power = {.accesses = 40, .window = 500'000, .pause = 70'000};
      v.ddr.clock_period = 1'000;
      v.clock_hz = 1'000'000'000;
    } else if (number == 2) {
      v.ddr.page_policy = cxl::PagePolicy::closed;
      v.ddr.self_refresh_after = 300'000;
      v.ddr.power_down_after = 100'000;
      v.ddr.separate_queues = false;
      v.ddr.retries.delay = 1'000;
      v.clock_hz = 333'333'333;
    }
    return v;
  }
};

using CxlSwitchCross = testing::SimulationTest;

traffic::CxlTrafficSpec operations(const char* name, const std::vector<CxlOperation>& mix,
                                   const std::vector<std::uint64_t>& bases, std::uint64_t size, double per_us) {
  traffic::CxlTrafficSpec spec;
  spec.name = name;
  spec.mix.clear();
  for (const CxlOperation operation : mix) spec.mix.push_back({operation, 1});
  for (const std::uint64_t base : bases) spec.ranges.push_back({base, size});
  spec.pacing = {traffic::PacingSpec::Kind::exponential, per_us, 1'000, true};
  spec.burst = traffic::BurstSpec{2'000'000, 1'000'000};
  spec.outstanding = 16;
  spec.tee_share = 0.2;
  return spec;
}

/// A random program whose result the specification defines.
CxlProgram draw(std::mt19937_64& random, const cxl::EventGroup& group) {
  CxlProgram program;
  program.vendor = group.vendor;
  program.group = group.group;
  while (program.mask == 0) {
    program.mask = group.supported & static_cast<std::uint32_t>(random());
    if (random() % 2 == 0) program.mask &= 1U << random() % 17;
  }
  if (random() % 3 == 0) {
    program.threshold = 1 + static_cast<unsigned>(random() % 3);
    program.invert = random() % 2 == 0;
  }
  program.edge = random() % 4 == 0;
  if ((program.mask & (program.mask - 1)) != 0) return program;
  if (group.filter == cxl::EventFilter::hdm_decoder && random() % 2 == 0)
    program.hdm = static_cast<std::uint32_t>(random() % 8);
  if (group.filter == cxl::EventFilter::ddr_location && random() % 2 == 0) {
    const auto field = [&](unsigned below) {
      return random() % 2 == 0 ? 0xffU : static_cast<std::uint32_t>(random() % below);
    };
    program.location = field(2) << 24 | field(2) << 16 | field(2) << 8 | field(4);
  }
  return program;
}

EventTerms terms_of(const CxlProgram& program) {
  EventTerms terms = {{"vid", program.vendor}, {"gid", program.group}, {"mask", program.mask}};
  terms.push_back({"threshold", program.threshold});
  terms.push_back({"invert", program.invert ? 1 : 0});
  terms.push_back({"edge", program.edge ? 1 : 0});
  terms.push_back({"hdm_filter_en", program.hdm ? 1 : 0});
  terms.push_back({"hdm", program.hdm.value_or(0)});
  terms.push_back({"crb_filter_en", program.location ? 1 : 0});
  terms.push_back({"crb", program.location.value_or(0)});
  return terms;
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_P(CxlCross, random_programs_of_random_traffic_count_alike) {
  using enum CxlOperation;
  const Variant v = variant(GetParam());
  std::mt19937_64 random(v.seed);
  cxl::MemoryDeviceParameters device;
  device.ddr = v.ddr;
  device.back_invalidate.filter_lines = 24;
  device.back_invalidate.device_lines = 8;
  device.dev_load = {2, 5, 9};
  cxl::HostParameters host;
  host.host_lines = 16;
  cxl::LinkParameters link;
  link.lanes.fill({1, 6});
  cxl::Rig rig(device, host, link);

  CxlJudgeSpec spec;
  CxlComponentSpec upper;
  upper.name = "host";
  upper.decoders = {{cxl::Rig::kH, cxl::Rig::kGiB, 1, 256, CxlMemoryKind::hdm_h},
                    {cxl::Rig::kDb, cxl::Rig::kGiB, 1, 256, CxlMemoryKind::hdm_db},
                    {cxl::Rig::kD, cxl::Rig::kGiB, 1, 256, CxlMemoryKind::hdm_d}};
  CxlComponentSpec lower = upper;
  lower.name = "device";
  lower.ddr = ddr_spec(v.ddr);
  spec.components = {upper, lower};
  CxlLinkSpec wires;
  wires.name = "link";
  wires.lower = 1;
  wires.lanes.fill({1, 6});
  spec.links = {wires};
  const std::vector<std::vector<cxl::EventGroup>> groups = [&] {
    std::vector<std::vector<cxl::EventGroup>> both{rig.host->probes().event_groups(true),
                                                   rig.device->event_groups(true)};
    for (auto& list : both) {
      const auto m2s_req =
          std::find_if(list.begin(), list.end(), [](const cxl::EventGroup& one) { return one.group == 0x20; });
      list.insert(list.begin(), cxl::EventGroup(*m2s_req));
      list.insert(list.begin(), cxl::EventGroup{.supported = 1});
    }
    return both;
  }();
  for (unsigned number = 0; number < 2; ++number) {
    CxlPmuSpec pmu;
    pmu.name = kPmus[number];
    pmu.component = number;
    pmu.address = (number + 1) * kBlockOfPmu;
    pmu.clock_hz = v.clock_hz;
    pmu.ddr_filter = true;
    pmu.separate_queues = v.ddr.separate_queues;
    for (const cxl::EventGroup& group : groups[number]) pmu.groups.push_back({group.vendor, group.group});
    for (unsigned fixed = 0; fixed < kFixed; ++fixed)
      pmu.fixed.push_back({kConfigurable + fixed, kFixedGroup, kFixedEvents, fixed});
    spec.pmus.push_back(pmu);
  }

  Scoreboard board;
  CxlJudge& judge = board.add(std::make_unique<CxlJudge>(spec, board.chronicle()));
  scenario::CxlListener listener(judge);
  listener.listen(rig.link);
  listener.listen(rig.device->ddr(), 1);

  cxl::CpmuParameters parameters;
  parameters.counters.assign(kConfigurable, {});
  for (std::uint8_t fixed = 0; fixed < kFixed; ++fixed)
    parameters.counters.push_back({cxl::CounterType::fixed, kFixedGroup, kFixedEvents, fixed});
  parameters.frequency_hz = v.clock_hz;
  parameters.hdm_filter = parameters.ddr_filter = true;
  cxl::Cpmu host_pmu("host_pmu", parameters, groups[0]);
  cxl::Cpmu device_pmu("device_pmu", parameters, groups[1]);
  testing::Initiator cpu("cpu");
  MmioBus bus("bus");
  cpu.socket.bind(bus.socket);
  bus.map("host", kBlockOfPmu, 0x1000, host_pmu.socket);
  bus.map("device", 2 * kBlockOfPmu, 0x1000, device_pmu.socket);
  bus.monitor([&](const MmioBus::BusAccess& access) { board.on_bus_access(access); });

  rig.device->set_local_client(nullptr);  // the traffic performs the device's own operations
  std::vector<std::unique_ptr<traffic::CxlTraffic>> traffics;
  const auto go = [&](const traffic::CxlTrafficSpec& one) {
    traffics.push_back(std::make_unique<traffic::CxlTraffic>(
        rig.engine, traffic::CxlTargets{rig.host.get(), rig.device.get(), rig.cache.get()}, 500, one, "cxl_traffic",
        v.seed));
    traffics.back()->start(0);
  };
  go(operations("host",
                {read, load, load_shared, store, write, write_partial, invalidate, invalidate_shared, invalidate_none,
                 invalidate_nt, speculative_read, clean_evict, clean_evict_unknown, te_update, read_fill},
                {cxl::Rig::kH, cxl::Rig::kDb, cxl::Rig::kD, 3 * cxl::Rig::kGiB}, 4096, 60));
  go(operations("scattered", {read, write}, {cxl::Rig::kH}, 1 << 20, 20));
  go(operations("local", {local_read, local_load, local_store}, {cxl::Rig::kDb}, 2048, 20));
  go(operations("cache",
                {cache_rd_curr, cache_rd_own, cache_rd_shared, cache_rd_any, cache_rd_own_no_data, cache_i_to_m_wr,
                 cache_wr_cur, cache_cl_flush, cache_clean_evict, cache_dirty_evict, cache_clean_evict_no_data,
                 cache_wo_wr_inv, cache_wo_wr_inv_f, cache_wr_inv, cache_cache_flushed},
                {cxl::Rig::kHostMemory, cxl::Rig::kD}, 1024, 40));
  go(operations("snoops", {snoop_data, snoop_invalidate, snoop_current}, {cxl::Rig::kHostMemory}, 1024, 20));

  // The answers to the driver's first questions must be what the judge has derived itself.
  const auto probe = [&] {
    for (unsigned pmu = 0; pmu < 2; ++pmu) {
      const std::uint64_t block = (pmu + 1) * kBlockOfPmu;
      for (unsigned index = 0; index < 32; ++index) (void)cpu.get64(block + 0x100 + 8 * index);
      for (unsigned counter = 0; counter < kCounters; ++counter) (void)cpu.get64(block + 0x200 + 8 * counter);
    }
    EXPECT_EQ(board.findings().failures(), 0U);
  };
  const auto call = [&](Call which, unsigned pmu, const auto& inside, int event = 0) {
    board.on_call(which, true, kPmus[pmu], event, 0, testing::now());
    inside();
    board.on_call(which, false, kPmus[pmu], event, 0, testing::now());
  };
  run([&] {
    probe();
    std::vector<CxlProgram> programs;
    for (unsigned pmu = 0; pmu < 2; ++pmu) {
      const std::uint64_t block = (pmu + 1) * kBlockOfPmu;
      call(Call::pmu_disable, pmu, [&] { cpu.put64(block + 0x18, ~std::uint64_t{0}); });
      for (unsigned counter = 0; counter < kCounters; ++counter) {
        auto index = counter < groups[pmu].size() ? counter : static_cast<unsigned>(random() % groups[pmu].size());
        if (index == kFixedGroup) index = 0;
        CxlProgram program = draw(random, groups[pmu][index]);
        if (counter >= kConfigurable)
          program = {kCxlVendor, groups[pmu][kFixedGroup].group, kFixedEvents, counter - kConfigurable};
        programs.push_back(program);
        const int event = static_cast<int>(pmu * kCounters + counter) + 1;
        board.expect(event, kPmus[pmu], terms_of(program));
        call(
            Call::add, pmu,
            [&] {
              cpu.put32(block + 0x400 + 32 * counter, program.hdm.value_or(~0U));
              cpu.put32(block + 0x404 + 32 * counter, program.location.value_or(~0U));
              cpu.put64(block + 0x200 + 8 * counter, std::uint64_t{index} << 59 | std::uint64_t{program.mask} << 24 |
                                                         std::uint64_t{program.threshold} << 16 |
                                                         (program.invert ? 1U << 12 : 0U) |
                                                         (program.edge ? 1U << 11 : 0U) | 1U << 8);
            },
            event);
      }
    }
    for (int window = 0; window < 5; ++window) {
      for (unsigned pmu = 0; pmu < 2; ++pmu)
        call(Call::pmu_enable, pmu, [&] { cpu.put64((pmu + 1) * kBlockOfPmu + 0x18, 0); });
      testing::advance(20'000'000 + random() % 3'000'000);
      for (unsigned pmu = 0; pmu < 2; ++pmu)
        call(Call::pmu_disable, pmu, [&] { cpu.put64((pmu + 1) * kBlockOfPmu + 0x18, ~std::uint64_t{0}); });
      testing::advance(random() % 1'000'000);
      std::uint64_t nonzero = 0;
      for (unsigned number = 0; number < 2 * kCounters; ++number) {
        const std::uint64_t counted =
            cpu.get64((number / kCounters + 1) * kBlockOfPmu + 0xc00 + 8 * (number % kCounters));
        nonzero += counted != 0 ? 1 : 0;
        EXPECT_EQ(counted, board.expected(static_cast<int>(number) + 1, testing::now()))
            << kPmus[number / kCounters] << " " << to_string(programs[number]) << ", window " << window;
      }
      EXPECT_GT(nonzero, kCounters) << "little happens";
    }
    for (const auto& one : traffics) one->stop();
    rig.settle();
    board.finish();
    EXPECT_EQ(board.findings().failures(), 0U);
  });
}

// A host, a switch, two devices: 0 host, 1 and 2 devices, 3 upstream port, 4 and 5 downstream ports.
// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(CxlSwitchCross, all_ports_of_a_switch_count_alike) {
  using enum CxlOperation;
  constexpr std::uint64_t kGiB = cxl::Rig::kGiB;
  cxl::Engine engine;
  cxl::LinkParameters parameters;
  parameters.lanes.fill({1, 4});
  cxl::Link upstream("upstream", engine, parameters);
  cxl::Link first("first", engine, parameters);
  cxl::Link second("second", engine, parameters);
  cxl::HdmMap map;
  cxl::HdmMap of_first;
  cxl::HdmMap of_second;
  map.set(0, {.base = 0, .size = kGiB, .coherency = cxl::Coherency::hdm_db, .targets = {0}});
  map.set(1, {.base = kGiB, .size = kGiB, .coherency = cxl::Coherency::hdm_h, .targets = {1}});
  of_first.set(0, {.base = 0, .size = kGiB, .coherency = cxl::Coherency::hdm_db});
  of_second.set(0, {.base = kGiB, .size = kGiB, .coherency = cxl::Coherency::hdm_h});
  cxl::HostParameters host_parameters;
  host_parameters.host_lines = 16;
  cxl::Host host("host", engine, upstream, map, host_parameters);
  cxl::Switch middle("switch", engine, upstream, map, 7'000);
  middle.add_downstream(first);
  middle.add_downstream(second);
  cxl::MemoryDeviceParameters device;
  device.back_invalidate.filter_lines = 24;
  device.back_invalidate.device_lines = 8;
  cxl::MemoryDevice device_a("a", engine, first, of_first, device);
  cxl::MemoryDevice device_b("b", engine, second, of_second, device);
  cxl::DeviceCache cache(engine, first, device_a, {});

  const CxlDecoder db{0, kGiB, 1, 256, CxlMemoryKind::hdm_db};
  const CxlDecoder h{kGiB, kGiB, 1, 256, CxlMemoryKind::hdm_h};
  CxlJudgeSpec spec;
  spec.components.resize(6);
  for (const unsigned of_all : {0U, 3U, 4U, 5U}) spec.components[of_all].decoders = {db, h};
  spec.components[1].decoders = {db};
  spec.components[2].decoders = {h};
  spec.components[1].ddr = spec.components[2].ddr = ddr_spec(device.ddr);
  for (const unsigned port : {3U, 4U, 5U}) spec.components[port].of_switch = true;
  spec.links.resize(3);
  constexpr std::array<std::array<unsigned, 2>, 3> kEnds{{{0, 3}, {4, 1}, {5, 2}}};
  for (unsigned link = 0; link < 3; ++link) {
    spec.links[link].name = std::array{"upstream", "first", "second"}[link];
    spec.links[link].upper = kEnds[link][0];
    spec.links[link].lower = kEnds[link][1];
    spec.links[link].lanes.fill({1, 4});
  }
  Scoreboard board;
  CxlJudge& judge = board.add(std::make_unique<CxlJudge>(spec, board.chronicle()));
  scenario::CxlListener listener(judge);
  for (cxl::Link* const link : {&upstream, &first, &second}) listener.listen(*link);
  listener.listen(device_a.ddr(), 1);
  listener.listen(device_b.ddr(), 2);

  std::vector<std::unique_ptr<traffic::CxlTraffic>> traffics;
  const auto go = [&](const traffic::CxlTrafficSpec& one) {
    traffics.push_back(std::make_unique<traffic::CxlTraffic>(engine, traffic::CxlTargets{&host, &device_a, &cache}, 500,
                                                             one, "cxl_traffic", 5));
    traffics.back()->start(0);
  };
  go(operations("host",
                {read, load, load_shared, store, write, write_partial, invalidate, invalidate_shared, invalidate_none,
                 invalidate_nt, speculative_read, clean_evict},
                {0, kGiB, 3 * kGiB}, 4096, 60));
  go(operations("local", {local_read, local_load, local_store}, {0}, 2048, 20));
  go(operations("cache",
                {cache_rd_curr, cache_rd_own, cache_rd_any, cache_i_to_m_wr, cache_clean_evict, cache_dirty_evict,
                 cache_wo_wr_inv, cache_wr_inv},
                {cxl::Rig::kHostMemory}, 1024, 40));
  go(operations("snoops", {snoop_data, snoop_invalidate, snoop_current}, {cxl::Rig::kHostMemory}, 1024, 20));
  run([&] {
    testing::advance(40'000'000);
    for (const auto& one : traffics) one->stop();
    testing::advance(5'000'000);
    board.finish();
    EXPECT_EQ(board.findings().failures(), 0U);
    const std::array<cxl::MessageProbes*, 6> probes{&host.probes(),
                                                    &device_a.probes(),
                                                    &device_b.probes(),
                                                    &middle.upstream_probes(),
                                                    &middle.downstream_probes(0),
                                                    &middle.downstream_probes(1)};
    for (unsigned component = 0; component < probes.size(); ++component) {
      std::uint64_t sum = 0;
      for (const cxl::EventGroup& group : probes[component]->event_groups(true)) {
        for (const cxl::EventSource& source : group.sources) {
          sum += source.probe->tally();
          EXPECT_EQ(judge.count(component, group.group, source.bit), source.probe->tally())
              << component << " " << source.probe->name();
        }
      }
      EXPECT_GT(sum, 1'000U) << component;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Variants, CxlCross, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace pmufab::scoreboard::test
