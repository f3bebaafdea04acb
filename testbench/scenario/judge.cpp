#include "testbench/scenario/judge.h"

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

scoreboard::MemoryClass same_class(tegra410::MemoryClass memory) {
  switch (memory) {
    case tegra410::MemoryClass::cmem:
      return scoreboard::MemoryClass::cmem;
    case tegra410::MemoryClass::gmem:
      return scoreboard::MemoryClass::gmem;
    case tegra410::MemoryClass::cxl:
      return scoreboard::MemoryClass::cxl;
  }
  return scoreboard::MemoryClass::cmem;
}

}  // namespace

std::optional<scoreboard::Tegra410JudgeSpec> tegra410_judge_spec(const platform::PlatformSpec& platform) {
  namespace map = platform::default_map;
  if (!platform.tegra410) return std::nullopt;
  const tegra410::Parameters& parameters = *platform.tegra410;
  scoreboard::Tegra410JudgeSpec spec;
  spec.sockets = platform.sockets;
  for (const tegra410::MemoryRange& range :
       platform.memory.empty() ? platform::default_memory(platform.sockets) : platform.memory)
    spec.memory.push_back({range.base, range.size, range.socket, same_class(range.memory_class)});
  spec.slc = {parameters.slc.slices, parameters.slc.sets, parameters.slc.ways};
  spec.cached.clear();
  for (const tegra410::MemoryClass memory : parameters.slc.cached) spec.cached.push_back(same_class(memory));
  spec.ucf_frequency_hz = parameters.ucf_clock_hz;
  spec.slc_latency = parameters.latency.slc;
  spec.cmem_latency = parameters.latency.cmem;
  spec.cmem_service = parameters.latency.cmem_service;
  spec.cmem_instances = tegra410::kCmemInstances;
  spec.cmem_controllers = tegra410::kCmemControllersPerInstance;
  for (unsigned socket = 0; socket < platform.sockets; ++socket) {
    const std::uint64_t base = std::uint64_t{socket} << map::kSocketShift;
    scoreboard::UcfPmuSpec ucf;
    ucf.name = fmt::format("nvidia_ucf_pmu_{}", socket);
    ucf.socket = socket;
    ucf.page0 = base + map::kUcfPmuPage0;
    if (parameters.ucf_pmu.dual_page) ucf.page1 = base + map::kUcfPmuPage1;
    spec.ucf_pmus.push_back(ucf);
    // The broadcast window follows the instances, each a page of 4 KiB.
    spec.cmem_pmus.push_back({fmt::format("nvidia_cmem_latency_pmu_{}", socket), socket,
                              base + map::kCmemLatencyPmu + tegra410::kCmemInstances * std::uint64_t{0x1000}});
  }
  return spec;
}

}  // namespace pmufab::scenario
