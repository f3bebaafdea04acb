// SPDX-License-Identifier: Apache-2.0
// Events of described PMUs against the same events of the built-in PMUs of a Tegra410 socket: what one occurrence costs.

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
#include "models/soc/part/soc_rows.h"
#include "models/soc/wire/fabric_sources.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/bench/bench.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab {
namespace {

constexpr std::uint64_t kTwin = 0x2000'0000;
constexpr std::uint64_t kCmem = 0x80'0000'0000;
constexpr Picoseconds kBetween = 1'000;

/// One counter of a PMU, and the event it counts.
struct Counted {
  std::uint64_t page;
  std::uint32_t event;
  std::uint32_t filter;
  std::uint32_t filter2;
};
/// The same event of a built-in PMU and of the description, and the requests that cause it.
struct Compared {
  Counted built_in;
  Counted described;
  RequesterKind requester;
  FabricOpcode opcode;
  bool to_bar;
};

/// A socket whose described PMU has an event of each source.
struct DescribedRig : sc_core::sc_module {
  explicit DescribedRig(const sc_core::sc_module_name& module_name)
      : sc_core::sc_module(module_name), bus("bus"), requests("requests"), platform("platform", spec()) {
    bus.bind(platform.bus().socket);
    requests.bind(platform.get<platform::Tegra410Part>().socket(0).requests);
    payload.set_extension(&extension);
    for (const tegra410::MemoryRange& range : platform.get<platform::Tegra410Part>().address_map().ranges()) {
      if (range.memory_class == MemoryClass::bar && range.root_complex == 0 && bar == 0) bar = range.base;
    }
  }
  ~DescribedRig() override { payload.clear_extension(&extension); }

  static soc::SourceDescription source(soc::Cause cause, std::string_view event = {}) {
    for (const soc::FabricSource& one : soc::fabric_sources()) {
      if (one.cause == cause) return soc::describe(one, event);
    }
    throw std::logic_error("there is no such source");
  }

  static platform::PlatformSpec spec() {
    using Counts = soc::EventDescription::Counts;
    platform::PlatformSpec spec = platform::tegra410_platform();
    spec.sockets = 1;
    spec.edit<platform::SocSpec>().sources = {source(soc::Cause::ucf, "slc_access_rd"), source(soc::Cause::pcie),
                                              source(soc::Cause::pcie_tgt)};
    soc::PmuDescription& pmu = spec.edit<platform::SocSpec>().pmus.emplace_back();
    pmu.name = "twin";
    pmu.base = kTwin;
    pmu.pmiidr = 0x7100'043b;
    pmu.hid = "ACME0001";
    pmu.events = {{"slc_access_rd", 1, Counts::occurrences, 0, 0, {}},
                  {"rd_req",
                   2,
                   Counts::occurrences,
                   1,
                   0,
                   {{soc::pcie_source::write, 0, 0}, {soc::pcie_source::root_complex, 0, 0}}},
                  {"rd_cum_outs",
                   3,
                   Counts::outstanding,
                   1,
                   0,
                   {{soc::pcie_source::write, 0, 0}, {soc::pcie_source::root_complex, 0, 0}}},
                  {"wr_bytes",
                   4,
                   Counts::sum,
                   2,
                   soc::pcie_tgt_source::bytes,
                   {{soc::pcie_tgt_source::write, 1, 1}, {soc::pcie_tgt_source::root_complex, 0, 0}}}};
    using Register = soc::FilterDescription::Register;
    const auto mask = [&](const char* attribute, Register where, unsigned first, unsigned width) {
      soc::FilterDescription& filter = pmu.filters.emplace_back();
      filter.name = filter.attribute = attribute;
      filter.where = where;
      filter.bits = {first, width};
    };
    mask("source", Register::filter, 0, 3);
    mask("root_port", Register::filter, 8, 8);
    mask("destination", Register::filter2, 0, 5);
    return spec;
  }

  void put(std::uint64_t address, std::uint32_t value) {
    tlm::tlm_generic_payload access;
    access.set_command(tlm::TLM_WRITE_COMMAND);
    access.set_address(address);
    access.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    access.set_data_length(4);
    access.set_streaming_width(4);
    sc_core::sc_time delay;
    bus->b_transport(access, delay);
    if (!access.is_response_ok()) throw std::runtime_error("a register access failed");
  }
  void program(const Counted& counted) {
    put(counted.page + 0x400, counted.event);
    put(counted.page + 0xa00, counted.filter);
    put(counted.page + 0x800, counted.filter2);
    put(counted.page + 0xc00, 1);
  }
  void count(const Counted& counted, bool on) { put(counted.page + 0xe04, on ? 1 : 0); }

  void send(const Compared& compared) {
    const bool is_read = compared.opcode == FabricOpcode::read_once;
    extension.opcode = compared.opcode;
    extension.requester = compared.requester;
    extension.bdf = 0x0100;
    line = (line + 1) % 0x10'0000;
    payload.set_command(is_read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    payload.set_address(compared.to_bar ? bar + line % 0x4000 * 64 : kCmem + line * 64);
    payload.set_data_length(64);
    payload.set_streaming_width(64);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    ahead += kBetween;
    sc_core::sc_time delay = to_sc_time(ahead);
    requests->b_transport(payload, delay);
    if (!payload.is_response_ok()) [[unlikely]]
      throw std::runtime_error("a request failed");
  }
  void settle() {
    sc_core::wait(to_sc_time(ahead));
    ahead = 0;
  }

  tlm_utils::simple_initiator_socket<DescribedRig, 64> bus;
  tlm_utils::simple_initiator_socket<DescribedRig, 64> requests;
  platform::Platform platform;
  std::uint64_t bar = 0;
  std::uint64_t line = 0;
  Picoseconds ahead = 0;
  tlm::tlm_generic_payload payload;
  FabricExtension extension;
};

std::unique_ptr<DescribedRig> rig;
const bench::BeforeElaboration kBuildDescribed([] { rig = std::make_unique<DescribedRig>("described_bench"); });

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Processor time of requests while the description counts them, divided by that while the built-in PMU does. The two are
/// measured in turns, so that other load on the machine affects both alike.
void compare(benchmark::State& state, const Compared& compared) {
  constexpr int kBlock = 50'000;
  rig->program(compared.built_in);
  rig->program(compared.described);
  std::vector<double> ratios;
  std::array<std::vector<double>, 3> times;  // nobody counts, built in, described
  for (auto _ : state) {
    std::array<double, 3> ticks{};
    for (unsigned who = 0; who < ticks.size(); ++who) {
      rig->count(compared.built_in, who == 1);
      rig->count(compared.described, who == 2);
      const std::clock_t start = std::clock();  // of this process alone
      for (int i = 0; i < kBlock; ++i) rig->send(compared);
      ticks.at(who) = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kBlock * 1e9;
      rig->settle();
      times.at(who).push_back(ticks.at(who));
    }
    ratios.push_back(ticks[2] / ticks[1]);
  }
  rig->count(compared.described, false);
  state.counters["described_over_built_in"] = median(ratios);
  state.counters["ns_nobody"] = median(times[0]);
  state.counters["ns_built_in"] = median(times[1]);
  state.counters["ns_described"] = median(times[2]);
}

void described_ucf_event(benchmark::State& state) {
  compare(state, {.built_in = {platform::default_map::kUcfPmuPage0, 0x111, 0xf01, 0},
                  .described = {kTwin, 1, 0x1, 0},
                  .requester = RequesterKind::gpu,
                  .opcode = FabricOpcode::read_once,
                  .to_bar = false});
}
void described_pcie_event(benchmark::State& state) {
  compare(state, {.built_in = {platform::default_map::kPciePmu, 2, 0x1, 0x1},
                  .described = {kTwin, 2, 0x100, 0x1},
                  .requester = RequesterKind::pcie,
                  .opcode = FabricOpcode::read_once,
                  .to_bar = false});
}
void described_pcie_outstanding(benchmark::State& state) {
  compare(state, {.built_in = {platform::default_map::kPciePmu, 4, 0x1, 0x1},
                  .described = {kTwin, 3, 0x100, 0x1},
                  .requester = RequesterKind::pcie,
                  .opcode = FabricOpcode::read_once,
                  .to_bar = false});
}
void described_pcie_tgt_event(benchmark::State& state) {
  compare(state, {.built_in = {platform::default_map::kPcieTgtPmu, 1, 0, 0x1},
                  .described = {kTwin, 4, 0x100, 0},
                  .requester = RequesterKind::gpu,
                  .opcode = FabricOpcode::write_unique_full,
                  .to_bar = true});
}
BENCHMARK(described_ucf_event)->Iterations(51)->Unit(benchmark::kMillisecond);
BENCHMARK(described_pcie_event)->Iterations(51)->Unit(benchmark::kMillisecond);
BENCHMARK(described_pcie_outstanding)->Iterations(51)->Unit(benchmark::kMillisecond);
BENCHMARK(described_pcie_tgt_event)->Iterations(51)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pmufab
