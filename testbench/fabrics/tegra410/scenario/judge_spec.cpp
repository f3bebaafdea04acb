// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_fabric.h"

#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_spec.h"

namespace pmufab::scenario {
namespace {

scoreboard::CoreSightPmuSpec coresight_pmu(scoreboard::CoreSightPmuType type, const platform::PmuRow& row,
                                           const tegra410::CoreSightPmuParameters& parameters) {
  return {type,
          row.perf_name,
          row.socket,
          row.root_complex,
          row.apmt->base0,
          row.apmt->base1,
          parameters.cycle_counter,
          parameters.width,
          parameters.counters};
}

/// Of a PMU with a window for each instance. The last window writes to all of them.
std::uint64_t broadcast_window(const platform::PmuRow& row) { return row.device->memory.back().base; }

/// What a chip-to-chip interface leads to.
scoreboard::C2cPmuSpec c2c_pmu(const platform::PmuRow& row, const tegra410::Parameters& parameters) {
  using tegra410::NvlinkPeer;
  const tegra410::NvlinkC2cParameters& nvlink = parameters.nvlink_c2c;
  const bool nvlink_is_link = nvlink.peer == NvlinkPeer::cpu;
  scoreboard::C2cPmuSpec spec;
  spec.name = row.perf_name;
  spec.socket = row.socket;
  spec.broadcast = broadcast_window(row);
  if (row.type == platform::PmuType::nvlink_c2c) {
    spec.peer = nvlink_is_link ? scoreboard::C2cPeer::cpu : scoreboard::C2cPeer::gpu;
    spec.instances = tegra410::kNvlinkC2cInstances;
    spec.counts_writes = true;
    spec.width = nvlink.width;
    if (nvlink_is_link) spec.masks.push_back(nvlink.cpu_mask());
    if (nvlink.peer == NvlinkPeer::gpu) {
      for (unsigned gpu = 0; gpu < nvlink.gpus; ++gpu) spec.masks.push_back(nvlink.gpu_mask(gpu));
    }
    return spec;
  }
  spec.counts_writes = false;
  if (row.type == platform::PmuType::nvclink) {
    spec.peer = scoreboard::C2cPeer::cpu;
    spec.instances = tegra410::kNvclinkInstances;
    spec.width = parameters.nvclink.width;
    if (!nvlink_is_link) spec.masks.push_back(parameters.nvclink.cpu_en_mask);
    return spec;
  }
  spec.peer = scoreboard::C2cPeer::cxl_memory;
  spec.instances = tegra410::kNvdlinkInstances;
  spec.width = parameters.nvdlink.width;
  spec.masks.push_back(tegra410::instance_mask(0, tegra410::kNvdlinkInstances));
  return spec;
}

/// Tell the judge of a PMU. It does not know those that are no part of a Tegra410.
void add_pmu(const platform::PmuRow& row, const tegra410::Parameters& parameters, scoreboard::Tegra410JudgeSpec& spec) {
  using platform::PmuType;
  using scoreboard::CoreSightPmuType;
  switch (row.type) {
    case PmuType::ucf:
      spec.coresight_pmus.push_back(coresight_pmu(CoreSightPmuType::ucf, row, parameters.ucf_pmu));
      break;
    case PmuType::pcie:
      spec.coresight_pmus.push_back(coresight_pmu(CoreSightPmuType::pcie, row, parameters.pcie_pmu));
      break;
    case PmuType::pcie_tgt:
      spec.coresight_pmus.push_back(coresight_pmu(CoreSightPmuType::pcie_tgt, row, parameters.pcie_tgt_pmu));
      break;
    case PmuType::cmem_latency:
      spec.cmem_pmus.push_back({row.perf_name, row.socket, broadcast_window(row), parameters.cmem_latency_pmu.width});
      break;
    case PmuType::nvlink_c2c:
    case PmuType::nvclink:
    case PmuType::nvdlink:
      spec.c2c_pmus.push_back(c2c_pmu(row, parameters));
      break;
    case PmuType::other:
      break;
  }
}

}  // namespace

std::optional<scoreboard::Tegra410JudgeSpec> tegra410_judge_spec(const platform::PlatformSpec& platform) {
  if (!platform.has<platform::Tegra410Spec>()) return std::nullopt;
  const tegra410::Parameters& parameters = platform.of<platform::Tegra410Spec>();
  scoreboard::Tegra410JudgeSpec spec;
  spec.sockets = platform.sockets;
  for (const tegra410::MemoryRange& range : platform::system_map(platform))
    spec.memory.push_back(
        {range.base, range.size, range.socket, range.memory_class, range.root_complex, range.root_port});
  spec.slc = {parameters.slc.slices, parameters.slc.sets, parameters.slc.ways};
  spec.cached = parameters.slc.cached;
  spec.ucf_frequency_hz = parameters.ucf_clock_hz;
  spec.soc_frequency_hz = parameters.soc_clock_hz;
  spec.slc_latency = parameters.latency.slc;
  spec.cmem_latency = parameters.latency.cmem;
  spec.cmem_service = parameters.latency.cmem_service;
  spec.gmem_latency = parameters.latency.gmem;
  spec.link_latency = parameters.latency.link;
  spec.c2c_frequency_hz = parameters.c2c_clock_hz;
  spec.cmem_instances = tegra410::kCmemInstances;
  spec.cmem_controllers = tegra410::kCmemControllersPerInstance;
  for (const platform::PmuRow& row : platform::tegra410_pmus(platform)) add_pmu(row, parameters, spec);
  return spec;
}

}  // namespace pmufab::scenario
