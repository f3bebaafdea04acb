// SPDX-License-Identifier: Apache-2.0
// The TLM floor: register accesses, published events, cycle counts, interrupts.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "testbench/bench/bench.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/probe/probe.h"
#include "tlm/registers/register_bank.h"

namespace pmufab {
namespace {

constexpr FieldSpec kControl[] = {{"EN", 0, 1, Access::rw}, {"MODE", 8, 8, Access::rw}};
constexpr FieldSpec kCounter[] = {{"VALUE", 0, 64, Access::rw}};
constexpr FieldSpec kLive[] = {{"CYCLES", 0, 64, Access::ro}};
constexpr RegisterSpec kRegisters[] = {
    {.name = "CTRL", .offset = 0x0, .width = 32, .fields = kControl},
    {.name = "CNT", .offset = 0x100, .width = 64, .fields = kCounter, .count = 32, .stride = 8, .halves = true},
    {.name = "CYCLES", .offset = 0x800, .width = 64, .fields = kLive, .halves = true},
};
static_assert(layout_is_valid(kRegisters, 0x1000));

struct Device : sc_core::sc_module {
  explicit Device(const sc_core::sc_module_name& module_name) : sc_core::sc_module(module_name), socket("socket") {
    socket.register_b_transport(this, &Device::b_transport);
    bank.on_read(bank.find("CYCLES"), [this](unsigned, Picoseconds when) { return clock.edges_before(when); });
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank.b_transport(payload, delay); }

  tlm_utils::simple_target_socket<Device, 64> socket;
  ClockDomain clock{"clock", 2'400'000'000};
  RegisterBank bank{{.name = "bench", .size = 0x1000, .latency = 10'000}, kRegisters};
};

/// 32 devices behind one bus, about as many windows as two Tegra410 sockets have.
struct Platform : sc_core::sc_module {
  explicit Platform(const sc_core::sc_module_name& module_name) : sc_core::sc_module(module_name), socket("socket") {
    socket.bind(bus.socket);
    for (unsigned i = 0; i < 32; ++i) {
      devices.push_back(std::make_unique<Device>(sc_core::sc_gen_unique_name("device")));
      bus.map("window" + std::to_string(i), std::uint64_t{0x1000'0000} + i * std::uint64_t{0x10'0000}, 0x1000,
              devices.back()->socket);
    }
  }
  /// @return the time the access took
  sc_core::sc_time access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return delay;
  }

  tlm_utils::simple_initiator_socket<Platform, 64> socket;
  MmioBus bus{"bus"};
  std::vector<std::unique_ptr<Device>> devices;
  tlm::tlm_generic_payload payload;
};

std::unique_ptr<Platform> platform;
const bench::BeforeElaboration kBuildPlatform([] { platform = std::make_unique<Platform>("register_bench"); });

void check(benchmark::State& state) {
  if (!platform->payload.is_response_ok()) state.SkipWithError("the access failed");
}

void register_read(benchmark::State& state) {
  std::uint64_t data = 0;
  for (auto _ : state) {
    platform->access(tlm::TLM_READ_COMMAND, 0x1050'0108, &data, 8);
    benchmark::DoNotOptimize(data);
  }
  check(state);
}
BENCHMARK(register_read);

void register_read_from_changing_devices(benchmark::State& state) {
  std::uint64_t data = 0;
  std::uint64_t device = 0;
  for (auto _ : state) {
    device = (device + 7) % 32;
    platform->access(tlm::TLM_READ_COMMAND, 0x1000'0108 + device * 0x10'0000, &data, 8);
    benchmark::DoNotOptimize(data);
  }
  check(state);
}
BENCHMARK(register_read_from_changing_devices);

void register_read_of_a_live_half(benchmark::State& state) {
  std::uint32_t data = 0;
  for (auto _ : state) {
    platform->access(tlm::TLM_READ_COMMAND, 0x1050'0804, &data, 4);
    benchmark::DoNotOptimize(data);
  }
  check(state);
}
BENCHMARK(register_read_of_a_live_half);

void register_write(benchmark::State& state) {
  std::uint32_t data = 0;
  for (auto _ : state) {
    data ^= 1;
    platform->access(tlm::TLM_WRITE_COMMAND, 0x1050'0000, &data, 4);
  }
  check(state);
}
BENCHMARK(register_write);

/// As in a driver's access, the caller waits for the time it took.
void register_read_and_wait(benchmark::State& state) {
  std::uint64_t data = 0;
  for (auto _ : state) {
    sc_core::wait(platform->access(tlm::TLM_READ_COMMAND, 0x1050'0108, &data, 8));
    benchmark::DoNotOptimize(data);
  }
  check(state);
}
BENCHMARK(register_read_and_wait);

void probe_publish_watched_by(benchmark::State& state) {
  Probe probe("probe");
  std::vector<EventSink> sinks(static_cast<std::size_t>(state.range(0)), EventSink(40));
  for (EventSink& sink : sinks) probe.watch(sink, 0xff00);
  Picoseconds when = 0;
  for (auto _ : state) {
    probe.publish(1, 12, when);
    when += 417;
    benchmark::ClobberMemory();
  }
  for (const EventSink& sink : sinks) {
    if (sink.value() != probe.tally()) state.SkipWithError("events were lost");
  }
}
BENCHMARK(probe_publish_watched_by)->Arg(0)->Arg(1)->Arg(6);

void clock_edges_before(benchmark::State& state) {
  const ClockDomain clock("clock", static_cast<std::uint64_t>(state.range(0)));
  Picoseconds when = static_cast<Picoseconds>(state.range(1));
  for (auto _ : state) {
    benchmark::DoNotOptimize(clock.edges_before(when));
    when += 12'345;
  }
}
BENCHMARK(clock_edges_before)
    ->ArgNames({"hz", "start_ps"})
    ->Args({2'400'000'000, 0})
    ->Args({2'400'000'000, 3'600'000'000'000'000})
    ->Args({2'399'999'999, 3'600'000'000'000'000});

void interrupt_drive(benchmark::State& state) {
  InterruptLine line("line");
  std::uint64_t told = 0;
  line.listen([&told](bool high) { told += high ? 1 : 0; });
  bool level = false;
  for (auto _ : state) {
    level = !level;
    line.drive(level);
  }
  if (told != line.rising_edges()) state.SkipWithError("changes were lost");
}
BENCHMARK(interrupt_drive);

}  // namespace
}  // namespace pmufab
