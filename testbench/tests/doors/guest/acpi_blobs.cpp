// SPDX-License-Identifier: Apache-2.0
// acpi_blobs PLATFORM FOLDER [CPUS_PER_NODE [MEMORY_PER_NODE_IN_MIB]]: writes the ACPI tables for a guest on PLATFORM,
// and prints the QEMU options that belong to them. Register windows are packed, starting at kPlatformBegin + 64 KiB.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include <fmt/format.h>
#include <systemc>

#include "models/platform/platform.h"
#include "testbench/doors/guest/acpi/acpi_tables.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/input_error.h"

namespace {

using namespace pmufab;
using guest::kPlatformBegin;
using platform::MemoryResource;

struct Window {
  MemoryResource range;
  std::uint64_t in_guest;
};

/// All ranges that firmware names, one after the other. A range inside another one moves with it.
std::vector<Window> pack(const platform::FirmwareDescription& firmware) {
  std::vector<MemoryResource> ranges;
  for (const platform::ApmtNode& node : firmware.apmt) {
    ranges.push_back({node.base0, 0x1000});
    if (node.base1) ranges.push_back({*node.base1, 0x1000});
  }
  for (const platform::AcpiDevice& device : firmware.devices)
    ranges.insert(ranges.end(), device.memory.begin(), device.memory.end());
  std::sort(ranges.begin(), ranges.end(), [](const MemoryResource& left, const MemoryResource& right) {
    return left.base != right.base ? left.base < right.base : left.size > right.size;
  });
  constexpr std::uint64_t kStep = 0x1'0000;
  std::vector<Window> windows;
  std::uint64_t next = kPlatformBegin + kStep;
  for (const MemoryResource& range : ranges) {
    if (!windows.empty() && range.base < windows.back().range.base + windows.back().range.size) continue;
    windows.push_back({range, next});
    next += (range.size + kStep - 1) / kStep * kStep;
  }
  return windows;
}

void write(const std::filesystem::path& folder, const char* name, const std::string& bytes) {
  const std::filesystem::path file = folder / std::filesystem::path(name).filename();
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  fmt::print(" -fw_cfg name={},file={}", name, file.string());
}

void run(const std::vector<std::string>& words) {
  const platform::Platform built("platform", scenario::load_platform(words.at(1), {}).spec);
  const platform::FirmwareDescription& firmware = built.firmware();
  guest::GuestTopology topology;
  if (words.size() > 3) topology.cpus_per_node = static_cast<unsigned>(std::stoul(words[3]));
  if (words.size() > 4) topology.memory_per_node = std::stoull(words[4]) << 20;
  const std::vector<Window> windows = pack(firmware);
  const auto address = [&windows](const MemoryResource& range) {
    for (const Window& window : windows) {
      if (range.base - window.range.base < window.range.size) return window.in_guest + range.base - window.range.base;
    }
    throw std::out_of_range(fmt::format("nothing is at {:#x}", range.base));
  };
  const guest::AcpiBlobs blobs =
      guest::make_acpi_tables(firmware, topology, {address, guest::assign_interrupts(firmware)});
  const std::vector<platform::Cpu> cpus = guest::guest_cpus(firmware, topology);
  const std::uint32_t nodes = cpus.back().node + 1;
  fmt::print("-smp {},sockets={} -m {}M", cpus.size(), nodes, nodes * (topology.memory_per_node >> 20));
  for (std::uint32_t node = 0; nodes > 1 && node < nodes; ++node) {
    fmt::print(" -object memory-backend-ram,id=m{0},size={1}M -numa node,nodeid={0},memdev=m{0},cpus={2}-{3}", node,
               topology.memory_per_node >> 20, node * topology.cpus_per_node, (node + 1) * topology.cpus_per_node - 1);
  }
  const std::filesystem::path folder = words.at(2);
  std::filesystem::create_directories(folder);
  write(folder, guest::AcpiBlobs::kTablesFile, blobs.tables);
  write(folder, guest::AcpiBlobs::kRsdpFile, blobs.rsdp);
  write(folder, guest::AcpiBlobs::kLoaderFile, blobs.loader);
  fmt::print("\n");
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  if (argc < 3) {
    std::cerr << "acpi_blobs PLATFORM FOLDER [CPUS_PER_NODE [MEMORY_PER_NODE_IN_MIB]]\n";
    return 2;
  }
  try {
    run({argv, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "acpi_blobs: " << error.what() << '\n';
    return 2;
  }
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
