// SPDX-License-Identifier: Apache-2.0
// CoreSight PMU registers through the bus, and what counting costs.

#include <array>
#include <cstdint>
#include <memory>

#include <benchmark/benchmark.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/coresight/coresight_pmu.h"
#include "models/pmu/occupancy_accumulator.h"
#include "testbench/bench/bench.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab {
namespace {

constexpr std::uint64_t kBase = 0x1000'0000;

struct CoreSightBench : sc_core::sc_module {
  explicit CoreSightBench(const sc_core::sc_module_name& module_name)
      : sc_core::sc_module(module_name),
        socket("socket"),
        pmu("pmu", {.counters = 8, .width = 64}, clock, coresight::EventTable().add(0x10, probe)) {
    socket.bind(bus.socket);
    bus.map("pmu", kBase, coresight::CoreSightPmu::kPageSize, pmu.socket);
  }
  void access(tlm::tlm_command command, std::uint64_t offset, std::uint64_t& data, unsigned length) {
    payload.set_command(command);
    payload.set_address(kBase + offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
  }
  void write(std::uint64_t offset, std::uint64_t data, unsigned length = 4) {
    access(tlm::TLM_WRITE_COMMAND, offset, data, length);
  }
  /// Let the first `count` regular counters count the probe, and the cycle counter run.
  void enable(std::uint32_t count) {
    write(0xe04, 0);
    write(0xc20, 0xffff'ffff);
    for (std::uint32_t counter = 0; counter < count; ++counter) write(0x400 + 4 * counter, 0x10);
    write(0xc00, ((1U << count) - 1) | 1U << 31);
    write(0xe04, 7);
  }

  tlm_utils::simple_initiator_socket<CoreSightBench, 64> socket;
  ClockDomain clock{"clock", 2'400'000'000};
  Probe probe{"probe"};
  coresight::CoreSightPmu pmu;
  MmioBus bus{"bus"};
  tlm::tlm_generic_payload payload;
};

std::unique_ptr<CoreSightBench> rig;
const bench::BeforeElaboration kBuildCoresight([] { rig = std::make_unique<CoreSightBench>("coresight_bench"); });

void read_repeatedly(benchmark::State& state, std::uint64_t offset, unsigned length) {
  rig->enable(6);
  std::uint64_t data = 0;
  for (auto _ : state) {
    rig->access(tlm::TLM_READ_COMMAND, offset, data, length);
    benchmark::DoNotOptimize(data);
  }
  if (!rig->payload.is_response_ok()) state.SkipWithError("the access failed");
}

void coresight_read_event_counter(benchmark::State& state) { read_repeatedly(state, 0x000, 8); }
BENCHMARK(coresight_read_event_counter);

void coresight_read_cycle_counter(benchmark::State& state) { read_repeatedly(state, 0x0f8, 8); }
BENCHMARK(coresight_read_cycle_counter);

void coresight_read_overflow_status(benchmark::State& state) { read_repeatedly(state, 0xc80, 4); }
BENCHMARK(coresight_read_overflow_status);

void coresight_write_event_counter(benchmark::State& state) {
  rig->enable(6);
  for (auto _ : state) rig->write(0x000, 5, 8);
}
BENCHMARK(coresight_write_event_counter);

/// Stop and start six counters and the cycle counter, as a driver does around each change.
void coresight_stop_and_start(benchmark::State& state) {
  rig->enable(6);
  for (auto _ : state) {
    rig->write(0xe04, 0);
    rig->write(0xe04, 1);
  }
}
BENCHMARK(coresight_stop_and_start);

/// One event, counted by as many counters.
void coresight_event_counted_by(benchmark::State& state) {
  rig->enable(static_cast<std::uint32_t>(state.range(0)));
  Picoseconds when = to_picoseconds(sc_core::sc_time_stamp());
  for (auto _ : state) {
    rig->probe.publish(1, 12, when);
    benchmark::ClobberMemory();
  }
  rig->enable(0);
}
BENCHMARK(coresight_event_counted_by)->Arg(0)->Arg(1)->Arg(6);

void occupancy_add(benchmark::State& state) {
  OccupancyAccumulator accumulator(rig->clock);
  Picoseconds when = to_picoseconds(sc_core::sc_time_stamp());
  if (state.range(0) != 0) accumulator.start(when);
  for (auto _ : state) {
    when += 200'000;
    accumulator.add(when, when + 10'000, when + 100'000, 2);
  }
}
BENCHMARK(occupancy_add)->ArgName("counting")->Arg(0)->Arg(1);

}  // namespace
}  // namespace pmufab
