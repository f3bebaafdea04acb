// SPDX-License-Identifier: Apache-2.0
// The Tegra410 fabric: transactions through the UCF with its SLC, what counting costs, and idle time.

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <vector>

#include <benchmark/benchmark.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/bench/bench.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab {
namespace {

constexpr Picoseconds kInterval = 1'000;
constexpr std::uint64_t kUcfMemory = 0x80'0000'0000;
constexpr std::uint64_t kUcfPmu = 0x1000'0000;
constexpr std::uint64_t kCmemPmuBroadcast = 0x1010'e000;

struct Shot {
  std::uint64_t address;
  FabricOpcode opcode;
  RequesterKind requester;
  std::uint16_t requester_id;
  unsigned length;
  tlm::tlm_command command;
};

/// Requests as the caches of eleven clusters (1 MiB each), a GPU and a PCIe device send them: nine lines of ten come
/// from 32 MiB, the others from 256 MiB. Making them is cheap, so that the fabric dominates the measurement.
class Traffic {
 public:
  Shot next() {
    if (pending_) {
      pending_ = false;
      return fetch_;
    }
    const std::uint64_t bits = random();
    const std::uint64_t line = bits % 10 != 0 ? (bits >> 8) % ((32 << 20) / 64) : (bits >> 8) % ((256 << 20) / 64);
    const std::uint64_t address = kUcfMemory + line * 64;
    const auto kind = static_cast<unsigned>(bits >> 56);  // 0 ... 255
    if (kind < 40) return {address, FabricOpcode::read_once, RequesterKind::gpu, 0, 64, tlm::TLM_READ_COMMAND};
    if (kind < 56) return {address, FabricOpcode::write_unique_full, RequesterKind::gpu, 0, 64, tlm::TLM_WRITE_COMMAND};
    if (kind < 64) return {address, FabricOpcode::write_unique_ptl, RequesterKind::pcie, 0, 16, tlm::TLM_WRITE_COMMAND};
    // A cluster writes its oldest line back and fetches another.
    const auto cluster = static_cast<std::uint16_t>(kind % kClusters);
    const bool unique = (kind & 3) == 0;
    fetch_ = {address,
              unique ? FabricOpcode::read_unique : FabricOpcode::read_shared,
              RequesterKind::cpu,
              cluster,
              64,
              tlm::TLM_READ_COMMAND};
    std::uint64_t& place = held_[cluster][oldest_[cluster]];
    oldest_[cluster] = (oldest_[cluster] + 1) % kLines;
    const std::uint64_t victim = place;
    place = address | (unique ? 1 : 0);
    if (victim == 0) return fetch_;
    pending_ = true;
    if ((victim & 1) == 0)
      return {victim, FabricOpcode::evict, RequesterKind::cpu, cluster, 0, tlm::TLM_IGNORE_COMMAND};
    return {victim - 1, FabricOpcode::write_back_full, RequesterKind::cpu, cluster, 64, tlm::TLM_WRITE_COMMAND};
  }

 private:
  static constexpr unsigned kClusters = 11;
  static constexpr unsigned kLines = (1 << 20) / 64;

  std::uint64_t random() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545'f491'4f6c'dd1dU;
  }

  std::uint64_t state_ = 410;
  bool pending_ = false;
  Shot fetch_{};
  std::array<std::array<std::uint64_t, kLines>, kClusters> held_{};  // address, bit 0: unique
  std::array<unsigned, kClusters> oldest_{};
};

struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& module_name, unsigned width, unsigned sockets)
      : sc_core::sc_module(module_name),
        bus("bus"),
        requests("requests"),
        platform("platform", spec_of(width, sockets)),
        traffic(std::make_unique<Traffic>()) {
    bus.bind(platform.bus().socket);
    requests.bind(platform.get<platform::Tegra410Part>().socket(0).requests);
    payload.set_extension(&extension);
  }
  ~Rig() override { payload.clear_extension(&extension); }

  static platform::PlatformSpec spec_of(unsigned width, unsigned sockets) {
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = sockets;
    spec.edit<platform::Tegra410Spec>().ucf_pmu.width = width;
    return spec;
  }

  void put(std::uint64_t address, std::uint64_t value, unsigned length) {
    tlm::tlm_generic_payload access;
    access.set_command(tlm::TLM_WRITE_COMMAND);
    access.set_address(address);
    access.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    access.set_data_length(length);
    access.set_streaming_width(length);
    sc_core::sc_time delay;
    bus->b_transport(access, delay);
    if (!access.is_response_ok()) throw std::runtime_error("a register access failed");
  }

  /// Six regular counters, the cycle counter, and the CMEM latency PMU.
  void program() {
    const std::uint32_t events[] = {0x111, 0x119, 0x113, 0x121, 0x124, 0x0f0};
    for (unsigned counter = 0; counter < 6; ++counter) {
      put(kUcfPmu + 0x400 + 4 * counter, events[counter], 4);
      put(kUcfPmu + 0xa00 + 4 * counter, 0xf07, 4);
    }
    put(kUcfPmu + 0xc00, 0x8000'003f, 4);
    put(kUcfPmu + 0xe04, 6, 4);
  }
  void count(bool on) {
    put(kUcfPmu + 0xe04, on ? 1 : 0, 4);
    put(kCmemPmuBroadcast + 0x800, 1, 8);
    put(kCmemPmuBroadcast + 0x808, on ? 1 : 0, 8);
  }

  /// Send the next request, kInterval after the one before.
  void send() {
    const Shot shot = traffic->next();
    extension.opcode = shot.opcode;
    extension.requester = shot.requester;
    extension.requester_id = shot.requester_id;
    payload.set_command(shot.command);
    payload.set_address(shot.address);
    payload.set_data_length(shot.length);
    payload.set_streaming_width(shot.length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    ahead += kInterval;
    sc_core::sc_time delay = to_sc_time(ahead);
    requests->b_transport(payload, delay);
    if (!payload.is_response_ok()) [[unlikely]]
      throw std::runtime_error("a request failed");
  }
  /// Let simulated time catch up.
  void settle() {
    sc_core::wait(to_sc_time(ahead));
    ahead = 0;
  }

  tlm_utils::simple_initiator_socket<Rig, 64> bus;
  tlm_utils::simple_initiator_socket<Rig, 64> requests;
  platform::Platform platform;
  std::unique_ptr<Traffic> traffic;
  Picoseconds ahead = 0;
  tlm::tlm_generic_payload payload;
  FabricExtension extension;
};

std::unique_ptr<Rig> ucf_rig;
std::unique_ptr<Rig> pair;
std::unique_ptr<Rig> narrow;
const bench::BeforeElaboration kBuildUcf([] {
  ucf_rig = std::make_unique<Rig>("ucf_bench", 64, 1);
  pair = std::make_unique<Rig>("ucf_bench_pair", 64, 2);
  narrow = std::make_unique<Rig>("ucf_bench_narrow", 32, 1);
});

void warm_up(Rig& which) {
  for (int i = 0; i < 2'000'000; ++i) which.send();
  which.settle();
}

void ucf_transactions(benchmark::State& state, Rig& which, bool counting) {
  warm_up(which);
  which.program();
  which.count(counting);
  for (auto _ : state) which.send();
  which.settle();
  which.count(false);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
void ucf_six_counters(benchmark::State& state) { ucf_transactions(state, *ucf_rig, true); }
void ucf_counters_off(benchmark::State& state) { ucf_transactions(state, *ucf_rig, false); }
void ucf_six_counters_two_sockets(benchmark::State& state) { ucf_transactions(state, *pair, true); }
BENCHMARK(ucf_six_counters);
BENCHMARK(ucf_counters_off);
BENCHMARK(ucf_six_counters_two_sockets);

/// Processor time with six counters divided by processor time without. The two are measured in turns, so that other
/// load on the machine affects both alike.
void ucf_cost_of_counting(benchmark::State& state) {
  constexpr int kBlock = 50'000;
  warm_up(*ucf_rig);
  ucf_rig->program();
  std::vector<double> ratios;
  for (auto _ : state) {
    double ticks[2] = {};
    for (const bool on : {false, true}) {
      ucf_rig->count(on);
      const std::clock_t start = std::clock();  // of this process alone
      for (int i = 0; i < kBlock; ++i) ucf_rig->send();
      ticks[on ? 1 : 0] = static_cast<double>(std::clock() - start);
      ucf_rig->settle();
    }
    ratios.push_back(ticks[1] / ticks[0]);
  }
  ucf_rig->count(false);
  std::sort(ratios.begin(), ratios.end());
  state.counters["on_over_off"] = ratios[ratios.size() / 2];
}
BENCHMARK(ucf_cost_of_counting)->Iterations(101)->Unit(benchmark::kMillisecond);

/// One simulated hour in which only the cycle counters run.
void idle_hour(benchmark::State& state, Rig& which) {
  which.program();
  which.put(kUcfPmu + 0x400, 0x1d, 4);
  which.count(true);
  for (auto _ : state) sc_core::wait(3600, sc_core::SC_SEC);
  which.count(false);
}
void idle_hour_64_bit(benchmark::State& state) { idle_hour(state, *ucf_rig); }
void idle_hour_32_bit(benchmark::State& state) { idle_hour(state, *narrow); }
BENCHMARK(idle_hour_64_bit)->Iterations(1000);
BENCHMARK(idle_hour_32_bit)->Iterations(1000);

}  // namespace
}  // namespace pmufab
