// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/tegra410/judge_spec.h"

#include <utility>

#include <fmt/format.h>

#include "models/platform/tegra410/pcie_spec.h"

namespace pmufab::scenario {
namespace {

/// What a socket's chip-to-chip interfaces lead to.
std::vector<scoreboard::C2cPmuSpec> c2c_pmus(const tegra410::Parameters& parameters, unsigned socket) {
  namespace map = platform::default_map;
  using tegra410::NvlinkPeer;
  const tegra410::NvlinkC2cParameters& nvlink = parameters.nvlink_c2c;
  const bool nvlink_is_link = nvlink.peer == NvlinkPeer::cpu;
  // The broadcast window follows the instances, each a page of 4 KiB.
  const auto broadcast = [&](std::uint64_t offset, unsigned instances) {
    return (std::uint64_t{socket} << map::kSocketShift) + offset + instances * std::uint64_t{0x1000};
  };
  std::vector<scoreboard::C2cPmuSpec> specs(3);
  specs[0] = {fmt::format("nvidia_nvlink_c2c_pmu_{}", socket),
              socket,
              nvlink_is_link ? scoreboard::C2cPeer::cpu : scoreboard::C2cPeer::gpu,
              tegra410::kNvlinkC2cInstances,
              {},
              true,
              broadcast(map::kNvlinkC2cPmu, tegra410::kNvlinkC2cInstances)};
  if (nvlink_is_link) specs[0].masks.push_back(nvlink.cpu_mask());
  if (nvlink.peer == NvlinkPeer::gpu) {
    for (unsigned gpu = 0; gpu < nvlink.gpus; ++gpu) specs[0].masks.push_back(nvlink.gpu_mask(gpu));
  }
  specs[1] = {fmt::format("nvidia_nvclink_pmu_{}", socket),
              socket,
              scoreboard::C2cPeer::cpu,
              tegra410::kNvclinkInstances,
              {},
              false,
              broadcast(map::kNvclinkPmu, tegra410::kNvclinkInstances)};
  if (!nvlink_is_link) specs[1].masks.push_back(parameters.nvclink.cpu_en_mask);
  specs[2] = {fmt::format("nvidia_nvdlink_pmu_{}", socket),
              socket,
              scoreboard::C2cPeer::cxl_memory,
              tegra410::kNvdlinkInstances,
              {tegra410::instance_mask(0, tegra410::kNvdlinkInstances)},
              false,
              broadcast(map::kNvdlinkPmu, tegra410::kNvdlinkInstances)};
  return specs;
}

}  // namespace

std::optional<scoreboard::Tegra410JudgeSpec> tegra410_judge_spec(const platform::PlatformSpec& platform) {
  namespace map = platform::default_map;
  if (!platform.tegra410) return std::nullopt;
  const tegra410::Parameters& parameters = *platform.tegra410;
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
    for (scoreboard::C2cPmuSpec& c2c : c2c_pmus(parameters, socket)) spec.c2c_pmus.push_back(std::move(c2c));
  }
  for (const tegra410::PcieRootComplex& complex : platform::root_complexes_of(platform)) {
    const std::uint64_t page0 =
        (std::uint64_t{complex.socket} << map::kSocketShift) + map::kPciePmu + complex.number * map::kPciePmusStride;
    scoreboard::PciePmuSpec pcie;
    pcie.name = fmt::format("nvidia_pcie_pmu_{}_rc_{}", complex.socket, complex.number);
    pcie.socket = complex.socket;
    pcie.root_complex = complex.number;
    pcie.page0 = page0;
    if (parameters.pcie_pmu.dual_page) pcie.page1 = page0 + map::kPciePmuPage1;
    spec.pcie_pmus.push_back(pcie);
  }
  for (const tegra410::PcieRootComplex& complex : platform::root_complexes_of(platform)) {
    scoreboard::PcieTgtPmuSpec pmu;
    pmu.name = fmt::format("nvidia_pcie_tgt_pmu_{}_rc_{}", complex.socket, complex.number);
    pmu.socket = complex.socket;
    pmu.root_complex = complex.number;
    pmu.page0 =
        (std::uint64_t{complex.socket} << map::kSocketShift) + map::kPcieTgtPmu + complex.number * map::kPciePmusStride;
    if (parameters.pcie_tgt_pmu.dual_page) pmu.page1 = pmu.page0 + map::kPcieTgtPmuPage1;
    spec.pcie_tgt_pmus.push_back(pmu);
  }
  return spec;
}

}  // namespace pmufab::scenario
