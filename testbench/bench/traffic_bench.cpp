// SPDX-License-Identifier: Apache-2.0
// Traffic: planning requests, and sending them to a target that does nothing.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "testbench/bench/bench.h"
#include "testbench/fabrics/tegra410/traffic/traffic_issuer.h"
#include "testbench/traffic/producers/producer.h"

namespace pmufab::traffic {
namespace {

const std::vector<MemoryRange> kMap = {{0x80'0000'0000, std::uint64_t{1} << 36, 0, MemoryClass::cmem}};

GeneratorSpec generator_of(PatternKind kind) {
  GeneratorSpec generator;
  generator.name = std::string(to_string(kind));
  generator.targets = {Target{}};
  generator.targets[0].size = std::uint64_t{1} << 30;
  generator.pattern.kind = kind;
  generator.pacing.requests_per_us = 1000;
  generator.outstanding = kind == PatternKind::pointer_chase ? 1 : 64;
  return generator;
}

void plan(benchmark::State& state) {
  TrafficSpec spec;
  spec.generators = {generator_of(static_cast<PatternKind>(state.range(0)))};
  state.SetLabel(spec.generators[0].name);
  const auto producers = make_producers(spec, kMap, 1);
  RequestSequence sequence(*producers[0]);
  Request request{};
  std::uint64_t sum = 0;
  for (auto _ : state) {
    sequence.next(request);
    sum += request.address;
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(plan)->DenseRange(static_cast<int>(PatternKind::uniform), static_cast<int>(PatternKind::pointer_chase));

/// One issuer with its target, for one benchmark.
struct Rig : sc_core::sc_module {
  Rig(const sc_core::sc_module_name& module_name, const TrafficSpec& spec)
      : sc_core::sc_module(module_name), socket("socket"), issuer("issuer", spec, kMap, 1) {
    socket.register_b_transport(this, &Rig::b_transport);
    issuer.requests[0].bind(socket);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += latency;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  sc_core::sc_time latency{30, sc_core::SC_NS};
  tlm_utils::simple_target_socket<Rig, 64> socket;
  TrafficIssuer issuer;
};

std::unique_ptr<Rig> stream_rig;
std::unique_ptr<Rig> uniform_rig;
std::unique_ptr<Rig> mixed_rig;
std::unique_ptr<Rig> dense_rig;
const bench::BeforeElaboration kBuildTraffic([] {
  TrafficSpec spec;
  spec.generators = {generator_of(PatternKind::stream)};
  stream_rig = std::make_unique<Rig>("traffic_stream", spec);
  dense_rig = std::make_unique<Rig>("traffic_dense", spec);
  spec.generators = {generator_of(PatternKind::uniform)};
  uniform_rig = std::make_unique<Rig>("traffic_uniform", spec);
  spec.generators.clear();
  for (unsigned i = 0; i < 8; ++i) {
    GeneratorSpec generator = generator_of(PatternKind::uniform);
    generator.name += std::to_string(i);
    generator.pacing.kind = PacingSpec::Kind::exponential;
    generator.pacing.requests_per_us = 125;
    generator.mix = {{Operation::read, 2}, {Operation::write, 1}};
    spec.generators.push_back(generator);
  }
  mixed_rig = std::make_unique<Rig>("traffic_mixed", spec);
});

/// Send 1000 requests per simulated microsecond while something else happens every `pause`.
void run(benchmark::State& state, Rig& rig, Picoseconds pause) {
  rig.issuer.start();
  sc_core::wait(to_sc_time(1000));
  const std::uint64_t before = rig.issuer.issued();
  for (auto _ : state) sc_core::wait(to_sc_time(pause));
  const std::uint64_t sent = rig.issuer.issued() - before;
  rig.issuer.stop();
  if (sent == 0) state.SkipWithError("nothing was sent");
  state.SetItemsProcessed(static_cast<std::int64_t>(sent));
}
void send_stream(benchmark::State& state) { run(state, *stream_rig, 10'000'000); }
void send_uniform(benchmark::State& state) { run(state, *uniform_rig, 10'000'000); }
void send_of_eight_generators(benchmark::State& state) { run(state, *mixed_rig, 10'000'000); }
void send_between_register_accesses(benchmark::State& state) { run(state, *dense_rig, 50'000); }
// An issuer starts once: the number of iterations is fixed, so that each function runs once.
BENCHMARK(send_stream)->Iterations(500);
BENCHMARK(send_uniform)->Iterations(500);
BENCHMARK(send_of_eight_generators)->Iterations(500);
BENCHMARK(send_between_register_accesses)->Iterations(50'000);

}  // namespace
}  // namespace pmufab::traffic
