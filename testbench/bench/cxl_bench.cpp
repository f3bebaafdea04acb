// SPDX-License-Identifier: Apache-2.0
// CXL.mem transactions of a host with one Type 3 device of four DDR channels: request, DDR commands, answer. Rates are
// completed operations per second of processor time.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>
#include <systemc>

#include "models/cxl/host/host.h"
#include "models/cxl/memory/memory_device.h"
#include "models/pmu/counter.h"
#include "testbench/bench/bench.h"
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"

namespace pmufab::cxl {
namespace {

constexpr std::uint64_t kSize = std::uint64_t{1} << 34;
constexpr std::int64_t kStream = 0;
constexpr std::int64_t kRandom = 1;
constexpr std::int64_t kCoherent = 2;

struct System {
  System() : link("bench", engine, {}) {
    map.set(0, {.base = 0, .size = kSize});
    map.set(1, {.base = kSize, .size = kSize, .device_base = kSize, .coherency = Coherency::hdm_db});
    MemoryDeviceParameters parameters;
    parameters.ddr.shape = {4, 1, 8, 4};
    host = std::make_unique<Host>("host", engine, link, map, HostParameters{});
    device = std::make_unique<MemoryDevice>("device", engine, link, map, parameters);
    for (const std::int64_t mix : {kStream, kRandom, kCoherent}) {
      traffic::CxlTrafficSpec spec;
      spec.name = "bench";
      traffic::CxlRange range;
      range.size = kSize;
      if (mix == kStream) range.pattern.kind = traffic::PatternKind::stream;
      if (mix == kCoherent) range.base = kSize;
      spec.ranges.push_back(range);
      using Operation = traffic::CxlOperation;
      spec.mix = mix == kCoherent
                     ? std::vector<traffic::CxlOperationShare>{{Operation::load, 2}, {Operation::store, 1}}
                     : std::vector<traffic::CxlOperationShare>{{Operation::read, 2}, {Operation::write, 1}};
      traffic.push_back(std::make_unique<traffic::CxlTraffic>(engine, traffic::CxlTargets{host.get(), nullptr, nullptr},
                                                              link.parameters().period, spec, "bench",
                                                              static_cast<std::uint64_t>(mix)));
    }
    for (const EventGroup& group : device->event_groups(false)) {
      for (const EventSource& source : group.sources) {
        if (counters.size() == 8) break;
        const bool wanted = group.group == 0x8000 ? source.bit < 4 && source.channel == 0
                                                  : (group.group == 0x20 && source.bit < 3) || group.group == 0x25;
        if (!wanted) continue;
        counters.push_back(std::make_unique<Counter>(48));
        counters.back()->select(*source.probe, ~std::uint64_t{0});
      }
    }
  }

  Engine engine;
  Link link;
  HdmMap map;
  std::unique_ptr<Host> host;
  std::unique_ptr<MemoryDevice> device;
  std::vector<std::unique_ptr<traffic::CxlTraffic>> traffic;
  std::vector<std::unique_ptr<Counter>> counters;
};

std::unique_ptr<System> the_system;
const bench::BeforeElaboration kBuildCxl([] { the_system = std::make_unique<System>(); });

/// Arguments: which traffic; whether eight counters count.
void cxl_mem(benchmark::State& state) {
  System& system = *the_system;
  constexpr std::array<const char*, 3> kLabels = {"stream in HDM-H", "random in HDM-H", "random in HDM-DB"};
  state.SetLabel(kLabels[static_cast<std::size_t>(state.range(0))]);
  for (const auto& counter : system.counters) counter->enable(state.range(1) != 0, simulated_time());
  traffic::CxlTraffic& traffic = *system.traffic[static_cast<std::size_t>(state.range(0))];
  traffic.start(simulated_time());
  sc_core::wait(100, sc_core::SC_US);
  const std::uint64_t before = traffic.completed();
  const std::uint64_t acts = system.engine.acts();
  const Picoseconds begin = simulated_time();
  for (auto _ : state) sc_core::wait(10, sc_core::SC_US);
  const auto done = static_cast<double>(traffic.completed() - before);
  state.counters["operations"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["acts_per_operation"] = static_cast<double>(system.engine.acts() - acts) / done;
  state.counters["simulated_ns_per_operation"] = static_cast<double>(simulated_time() - begin) / 1000 / done;
  traffic.stop();
  sc_core::wait(100, sc_core::SC_US);
  for (const auto& counter : system.counters) counter->enable(false, simulated_time());
  if (system.host->pending() != 0 || system.device->pending() != 0) state.SkipWithError("transactions never ended");
}
BENCHMARK(cxl_mem)
    ->ArgNames({"mix", "counters"})
    ->ArgsProduct({{kStream, kRandom, kCoherent}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pmufab::cxl
