// SPDX-License-Identifier: Apache-2.0
// The CMN mesh: raw single flits, uniformly random, by the engine alone and from one self-timed SystemC method.
//
// A flit-hop is a flit that leaves an XP, towards a neighbour or down to a device. Rates are per second of processor
// time and include making the traffic and taking it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <systemc>

#include "models/cmn/engine/mesh_engine.h"
#include "testbench/bench/bench.h"
#include "testbench/fabrics/cmn/traffic/mesh_traffic.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cmn {
namespace {

using traffic::MeshTraffic;

constexpr Cycle kWarmUp = 2000;
constexpr Picoseconds kPeriod = 500;

struct Watched {
  Interface interface;
  FlitEvent event;
};
constexpr std::array<Watched, 4> kWatched = {{{Interface::east, FlitEvent::valid},
                                              {Interface::north, FlitEvent::valid},
                                              {Interface::port0, FlitEvent::valid},
                                              {Interface::east, FlitEvent::stall}}};

/// Four counters of 16 bits in each XP, as a DTM has, and the carries that leave them.
class Counters {
 public:
  explicit Counters(MeshEngine& engine) : counts_(engine.parameters().xps()) {
    index_.fill(0);
    for (unsigned i = 0; i < kWatched.size(); ++i) {
      index_[place(kWatched[i].interface, kWatched[i].event)] = static_cast<std::uint8_t>(i);
      for (unsigned xp = 0; xp < counts_.size(); ++xp)
        engine.watch(xp, kWatched[i].interface, Channel::req, kWatched[i].event, true);
    }
  }
  void count(std::span<const MeshPulse> pulses) noexcept {
    for (const MeshPulse& pulse : pulses) {
      std::uint16_t& counter = counts_[pulse.xp][index_[place(pulse.interface, pulse.event)]];
      if (++counter == 0) ++carries_;
    }
  }
  [[nodiscard]] std::uint64_t sum() const noexcept {
    std::uint64_t sum = carries_ << 16;
    for (const auto& xp : counts_) {
      for (const std::uint16_t counter : xp) sum += counter;
    }
    return sum;
  }

 private:
  static unsigned place(Interface interface, FlitEvent event) noexcept {
    return static_cast<unsigned>(interface) * 2 + static_cast<unsigned>(event);
  }
  std::vector<std::array<std::uint16_t, 4>> counts_;
  std::array<std::uint8_t, std::size_t{kInterfaces} * 2> index_{};
  std::uint64_t carries_ = 0;
};

std::uint64_t flit_hops(const MeshEngine& engine) {
  std::uint64_t sum = 0;
  for (unsigned xp = 0; xp < engine.parameters().xps(); ++xp) {
    for (unsigned i = 0; i < kInterfaces; ++i)
      sum += engine.tally(xp, static_cast<Interface>(i), Channel::req, FlitEvent::valid);
  }
  return sum;
}

void report(benchmark::State& state, std::uint64_t hops, Cycle cycles) {
  state.counters["flit_hops"] = benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kIsRate);
  state.counters["cycles"] = benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}

/// Arguments: XPs of a side, thousandths of flits per node and cycle, whether counters run.
void mesh_engine_alone(benchmark::State& state) {
  const auto side = static_cast<unsigned>(state.range(0));
  MeshEngine engine(MeshParameters::booksim2(side, side));
  // A saturated mesh, such as 12 x 12 at 0.3, leaves packets waiting. Their number is not part of the measurement.
  MeshTraffic traffic(engine, {.rate = static_cast<double>(state.range(1)) / 1000, .most_waiting = 64});
  std::unique_ptr<Counters> counters;
  if (state.range(2) != 0) counters = std::make_unique<Counters>(engine);
  traffic.run(kWarmUp);
  const std::uint64_t before = flit_hops(engine);
  const Cycle begin = engine.now();
  for (auto _ : state) {
    for (unsigned i = 0; i < 1000; ++i) {
      traffic.send();
      engine.step();
      traffic.receive();
      if (counters) counters->count(engine.pulses());
    }
  }
  report(state, flit_hops(engine) - before, engine.now() - begin);
  if (counters && counters->sum() == 0) state.SkipWithError("nothing was counted");
}
BENCHMARK(mesh_engine_alone)
    ->ArgNames({"side", "load", "counters"})
    ->ArgsProduct({{8}, {20, 100, 300}, {0, 1}})
    ->ArgsProduct({{12}, {20, 100, 200, 300}, {0}});  // at 0.3 it is saturated: stalls cost, but are no flit-hops

/// A mesh and its traffic in one method that wakes itself. It computes cycles in advance, up to the next event of the
/// simulation and at most `run_ahead`.
class BenchedMesh : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(BenchedMesh);
  BenchedMesh(const sc_core::sc_module_name& module_name, unsigned side, double rate, Cycle run_ahead, bool counting)
      : sc_core::sc_module(module_name),
        engine(MeshParameters::booksim2(side, side)),
        traffic(engine, {.rate = rate}),
        run_ahead_(run_ahead) {
    if (counting) counters_ = std::make_unique<Counters>(engine);
    SC_METHOD(work);
    sensitive << wake_;
    dont_initialize();
  }

  void start() {
    origin_ = to_picoseconds(sc_core::sc_time_stamp()) - engine.now() * kPeriod;
    running_ = true;
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
  void pause() {
    running_ = false;
    wake_.cancel();
  }

  MeshEngine engine;
  MeshTraffic traffic;

 private:
  void work() {
    if (!running_) return;
    const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp()) - origin_;
    const Picoseconds free = time_to_activity();
    // Events at a cycle's time come before the cycle, so the cycle of the next event is not computed yet.
    const Cycle end = engine.now() + std::clamp<Cycle>((free + kPeriod - 1) / kPeriod, 1, run_ahead_);
    while (engine.now() < end) {
      traffic.send();
      engine.step();
      traffic.receive();
      if (counters_) counters_->count(engine.pulses());
      const Cycle next = std::min(engine.next_cycle(), traffic.next_cycle());
      if (next == engine.now()) continue;
      if (next == kNoCycle) return;
      engine.skip_to(next);
    }
    wake_.notify(to_sc_time(engine.now() * kPeriod - now));
  }

  Cycle run_ahead_;
  Picoseconds origin_ = 0;
  bool running_ = false;
  std::unique_ptr<Counters> counters_;
  sc_core::sc_event wake_;
};

/// Meshes by side, load, cycles in advance, counters.
struct Configuration {
  unsigned side;
  unsigned load;
  unsigned run_ahead;
  bool counting;
};
constexpr std::array<Configuration, 11> kConfigurations = {{{8, 20, 100, false},
                                                            {8, 100, 100, false},
                                                            {8, 300, 100, false},
                                                            {8, 20, 100, true},
                                                            {8, 100, 100, true},
                                                            {8, 300, 100, true},
                                                            {8, 20, 1, false},
                                                            {8, 100, 1, false},
                                                            {8, 300, 1, false},
                                                            {12, 100, 100, false},
                                                            {12, 300, 100, false}}};
std::vector<std::unique_ptr<BenchedMesh>> meshes;
const bench::BeforeElaboration kBuildMesh([] {
  for (const Configuration& configuration : kConfigurations) {
    const std::string name = "mesh_bench_" + std::to_string(meshes.size());
    meshes.push_back(std::make_unique<BenchedMesh>(name.c_str(), configuration.side, configuration.load / 1000.0,
                                                   configuration.run_ahead, configuration.counting));
  }
});

void mesh_in_one_method(benchmark::State& state) {
  const Configuration& configuration = kConfigurations[static_cast<std::size_t>(state.range(0))];
  state.SetLabel(std::to_string(configuration.side) + "x" + std::to_string(configuration.side) + ", load 0." +
                 std::to_string(1000 + configuration.load).substr(1) + ", up to " +
                 std::to_string(configuration.run_ahead) + " cycles at once" +
                 (configuration.counting ? ", counters" : ""));
  BenchedMesh& mesh = *meshes[static_cast<std::size_t>(state.range(0))];
  mesh.start();
  sc_core::wait(to_sc_time(kWarmUp * kPeriod));
  const std::uint64_t before = flit_hops(mesh.engine);
  const Cycle begin = mesh.engine.now();
  for (auto _ : state) sc_core::wait(to_sc_time(1000 * kPeriod));
  report(state, flit_hops(mesh.engine) - before, mesh.engine.now() - begin);
  mesh.pause();
}
BENCHMARK(mesh_in_one_method)->DenseRange(0, kConfigurations.size() - 1);

/// A simulated second of the last mesh, once everything has arrived.
void mesh_idle_second(benchmark::State& state) {
  BenchedMesh& mesh = *meshes.back();
  mesh.traffic.stop();
  mesh.start();
  for (auto _ : state) sc_core::wait(to_sc_time(1'000'000'000'000));
  if (mesh.engine.next_cycle() != kNoCycle) state.SkipWithError("something still moves");
  mesh.pause();
}
BENCHMARK(mesh_idle_second)->Iterations(1000);

}  // namespace
}  // namespace pmufab::cmn
