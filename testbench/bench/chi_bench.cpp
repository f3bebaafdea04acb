// SPDX-License-Identifier: Apache-2.0
// CHI transactions through a whole mesh of nodes: the CMN-700 of scenarios/platforms/cmn700-8x8.yaml. Its 72 RN-Fs load
// lines that are never in their caches. Each load is a request to an HN-S, a read from an SN-F, the data, CompAck, and
// the copy-back of the replaced line. Rates are completed loads per second of processor time.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/cmn/nodes/nodes.h"
#include "models/cmn/standard_devices.h"
#include "testbench/bench/bench.h"
#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::cmn {
namespace {

constexpr Picoseconds kPeriod = 500;

Topology cmn700_8x8() {
  using Tile = std::vector<std::string_view>;
  const auto tile = [](char name) -> Tile {
    switch (name) {
      case 'R':
        return {"RN-Fx2", "HN-S"};
      case 'M':
        return {"SN-F", "RN-D"};
      case 'I':
        return {"SN-F", "HN-I"};
      case 'D':
        return {"SN-F", "HN-D"};
      case 'T':
        return {"SN-F", "HN-T"};
      case 'P':
        return {"RN-I", "HN-P", "RN-D", "HN-I"};
      case 'G':
        return {"RN-D", "CCG", "CCG"};
      default:
        return {"RN-D", "CCG", "CCG", "SBSX"};
    }
  };
  constexpr std::array<std::string_view, 8> kRows = {"PRRRRRRP", "DRRRRRRT", "MRRRRRRM", "IRRRRRRI",
                                                     "MRRRRRRM", "IRRRRRRI", "MRRRRRRM", "GRRRRRRH"};
  Topology topology;
  topology.product = Product::cmn700;
  topology.revision = 3;
  topology.columns = 8;
  topology.rows = 8;
  topology.multiple_dtm = true;
  topology.channels = {2, 2, 2, 2};
  topology.dtcs = 2;
  for (const std::string_view row : kRows) {
    for (unsigned x = 0; x < 8; ++x) {
      Crosspoint crosspoint;
      crosspoint.dtc_domain = x / 4;
      for (const std::string_view device : tile(row[x]))
        crosspoint.ports.push_back(*standard_port(topology.product, device));
      topology.crosspoints.push_back(std::move(crosspoint));
    }
  }
  return topology;
}

/// Loads of one requester: random lines, several at a time.
class Loads final : public OperationSource {
 public:
  Loads(RequesterModel& requester, std::uint64_t seed) : requester_(requester), state_(seed) {
    requester.set_source(this);
  }
  void run(bool on) {
    running_ = on;
    if (on) requester_.ask(0);
  }
  bool next(Cycle /*now*/, Operation& operation) override {
    if (!running_ || under_way_ == kAtATime) return false;
    ++under_way_;
    operation = {};
    operation.kind = kind;
    operation.address = traffic::mix_bits(++state_) % (std::uint64_t{1} << 34U) / 64 * 64;
    return true;
  }
  [[nodiscard]] Cycle ready(Cycle now) const override { return running_ && under_way_ < kAtATime ? now : kNoCycle; }
  void completed(const Operation& /*operation*/, Cycle /*began*/, Cycle /*now*/) override {
    --under_way_;
    ++done;
  }
  std::uint64_t done = 0;
  OperationKind kind = OperationKind::load;

 private:
  static constexpr unsigned kAtATime = 4;
  RequesterModel& requester_;
  std::uint64_t state_;
  unsigned under_way_ = 0;
  bool running_ = false;
};

struct System : public sc_core::sc_module {
  explicit System(const sc_core::sc_module_name& module_name)
      : sc_core::sc_module(module_name), mesh("chi_bench", cmn700_8x8(), {}), nodes(mesh, {}) {
    socket.bind(mesh.config_space().socket);
    std::uint64_t seed = 0;
    for (const Nodes::Requester& requester : nodes.requesters()) {
      if (requester.place->kind != DeviceKind::rn_f) continue;
      loads.push_back(std::make_unique<Loads>(*requester.model, seed));
      seed += std::uint64_t{1} << 40U;
    }
  }
  void run(bool on) {
    for (const auto& one : loads) one->run(on);
    if (!on) sc_core::wait(to_sc_time(100'000 * kPeriod));
  }
  [[nodiscard]] std::uint64_t done() const {
    std::uint64_t sum = 0;
    for (const auto& one : loads) sum += one->done;
    return sum;
  }
  void write(std::uint64_t offset, std::uint64_t value) {
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    payload.set_byte_enable_ptr(nullptr);
    socket->b_transport(payload, delay);
  }
  /// Four local counters of each XP's first DTM count REQ flits east, DAT flits north and REQ and DAT flits to port 1.
  void count(bool on) {
    const ProductFacts& facts = facts_of(mesh.topology().product, mesh.topology().revision);
    const auto id = [](unsigned interface, unsigned channel) -> std::uint64_t {
      return 1U | interface << 2U | channel << 5U;
    };
    // Interfaces by their codes: east 0, north 2, port 1 5. Slots are 16 bits wide.
    const std::uint64_t select = id(0, 0) | id(2, 3) << 16U | id(5, 0) << 32U | id(5, 3) << 48U;
    for (unsigned xp = 0; xp < mesh.layout().xps(); ++xp) {
      const std::uint64_t base = mesh.layout().xp(xp).offset + facts.dtm_base;
      write(base, select);
      // Inputs 4 ... 7 are the XP's event slots; all four counters are paired with global counter 0; enabled.
      write(base + 0x210, on ? 0x0706'0504'0000'00f1U : 0);
    }
    for (unsigned dtc = 0; dtc < 2; ++dtc) {
      const std::uint64_t node = mesh.layout().nodes()[mesh.layout().dtc_node(dtc)].offset;
      write(node + kDtcControl, 1);
      write(node + facts.dtc_base + 0x100, on ? 1 : 0);
    }
  }

  Mesh mesh;
  Nodes nodes;
  std::vector<std::unique_ptr<Loads>> loads;
  tlm_utils::simple_initiator_socket<System, 64> socket{"socket"};
};

std::unique_ptr<System> system;
const bench::BeforeElaboration kBuildChi([] { system = std::make_unique<System>("chi_bench_system"); });

constexpr std::int64_t kPlain = 0;
constexpr std::int64_t kCounters = 1;
constexpr std::int64_t kJudge = 2;

/// Arguments: what observes the mesh; whether reads are ReadOnce, which no cache keeps, instead of loads. After a while
/// each load replaces a line, which goes to the home (WriteEvictFull).
void chi_reads(benchmark::State& state) {
  scoreboard::Scoreboard scoreboard;
  std::unique_ptr<scoreboard::CmnJudge> judge;
  state.SetLabel(state.range(0) == kPlain      ? "nobody counts"
                 : state.range(0) == kCounters ? "four counters at every crosspoint"
                                               : "routes judged by the scoreboard");
  if (state.range(0) == kJudge) {
    scoreboard::CmnJudgeSpec spec;
    spec.pmu = "arm_cmn_0";
    spec.columns = 8;
    spec.rows = 8;
    spec.layout = scoreboard::WatchpointLayout::cmn700;
    for (const Crosspoint& crosspoint : system->mesh.topology().crosspoints)
      spec.ports_in_use.push_back(used_ports(crosspoint));
    judge = std::make_unique<scoreboard::CmnJudge>(spec, scoreboard.chronicle());
    system->mesh.set_observer(judge.get());
  }
  if (state.range(0) == kCounters) system->count(true);
  for (const auto& loads : system->loads)
    loads->kind = state.range(1) != 0 ? OperationKind::read_once : OperationKind::load;
  system->run(true);
  sc_core::wait(to_sc_time(20'000 * kPeriod));
  const std::uint64_t before = system->done();
  const Cycle begin = system->mesh.engine().now();
  const std::uint64_t flits = system->mesh.uploaded();
  for (auto _ : state) sc_core::wait(to_sc_time(1000 * kPeriod));
  using benchmark::Counter;
  state.counters["reads"] = Counter(static_cast<double>(system->done() - before), Counter::kIsRate);
  state.counters["cycles"] = Counter(static_cast<double>(system->mesh.engine().now() - begin), Counter::kIsRate);
  state.counters["flits"] = Counter(static_cast<double>(system->mesh.uploaded() - flits), Counter::kIsRate);
  system->run(false);
  if (state.range(0) == kCounters) system->count(false);
  if (judge) system->mesh.set_observer(nullptr);
  if (system->nodes.pending() != 0) state.SkipWithError("transactions never ended");
}
BENCHMARK(chi_reads)
    ->ArgNames({"watching", "read_once"})
    ->ArgsProduct({{kPlain, kCounters, kJudge}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pmufab::cmn
