// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/part/tegra410_spec.h"

#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include "models/tegra410/part/pcie_part.h"
#include "models/tegra410/part/pcie_spec.h"
#include "models/tegra410/part/pmu_row.h"
#include "models/tegra410/part/tegra410_part.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::platform {
namespace {

using tegra410::MemoryRange;

static_assert(kMaximumSockets == tegra410::kMaximumSockets);
constexpr std::uint64_t kMaximumFrequency = 1'000'000'000'000;      // limit of ClockDomain
constexpr Picoseconds kMaximumLatency = 1'000'000'000;              // 1 ms: a larger value is a mistake of units
constexpr std::uint64_t kMaximumSlcLines = std::uint64_t{1} << 24;  // 1 GiB of cache: the model keeps every line's tag

std::vector<MemoryRange> memory_of(const PlatformSpec& spec) {
  const std::vector<MemoryRange>& given = spec.of<Tegra410Spec>().memory;
  return given.empty() ? default_memory(spec.sockets) : given;
}

void check_memory_range(const std::string& field, const MemoryRange& range, unsigned sockets) {
  if (range.size == 0) throw SpecError(field + ".size", "is 0; leave the range out instead");
  if (range.base % tegra410::kLineBytes != 0) {
    throw SpecError(field + ".base", fmt::format("{:#x} is not a multiple of a line (64 bytes); {:#x} is", range.base,
                                                 range.base / tegra410::kLineBytes * tegra410::kLineBytes));
  }
  if (range.size % tegra410::kLineBytes != 0) {
    throw SpecError(field + ".size", fmt::format("{:#x} is not a multiple of a line (64 bytes); {:#x} is", range.size,
                                                 (range.size / tegra410::kLineBytes + 1) * tegra410::kLineBytes));
  }
  constexpr std::uint64_t kLimit = tegra410::AddressMap::kLimit;
  if (range.base >= kLimit || range.size > kLimit - range.base) {
    throw SpecError(field + ".size", fmt::format("reaches beyond the last address {:#x}", kLimit - 1));
  }
  if (range.socket >= sockets) {
    throw SpecError(field + ".socket", fmt::format("is {}, but the platform has {} socket{} (0 ... {})", range.socket,
                                                   sockets, sockets == 1 ? "" : "s", sockets - 1));
  }
  if (range.memory_class == MemoryClass::bar)
    throw SpecError(field + ".memory_class", "is bar, which needs no range here: tegra410.pcie places the BARs");
  if (range.root_complex != 0 && range.memory_class != MemoryClass::cxl)
    throw SpecError(field + ".root_complex", "is for cxl only: no other memory is below a root complex");
  check_between(field + ".root_complex", range.root_complex, 0, tegra410::kRootComplexes - 1);
}

void check_overlaps(const std::vector<MemoryRange>& ranges) {
  for (std::size_t later = 1; later < ranges.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const MemoryRange& a = ranges[earlier];
      const MemoryRange& b = ranges[later];
      if (a.base < b.base + b.size && b.base < a.base + a.size) {
        throw SpecError(
            fmt::format("memory[{}].base", later),
            fmt::format("[{:#x}, {:#x}] overlaps memory[{}] [{:#x}, {:#x}]; it would fit from {:#x}", b.base,
                        b.base + b.size - 1, earlier, a.base, a.base + a.size - 1, a.base + a.size));
      }
    }
  }
}

void check_private_cache(const tegra410::PrivateCacheParameters& cache) {
  const std::string field = "tegra410.private_cache.";
  check_between(field + "ways", cache.ways, 1, 64);
  check_between(field + "size", cache.size, std::uint64_t{cache.ways} * tegra410::kLineBytes, std::uint64_t{1} << 32);
  const std::uint64_t sets = cache.size / tegra410::kLineBytes / cache.ways;
  if (!std::has_single_bit(sets) || sets * cache.ways * tegra410::kLineBytes != cache.size) {
    const std::uint64_t better = std::bit_floor(sets) * cache.ways * tegra410::kLineBytes;
    throw SpecError(field + "size",
                    fmt::format("{} bytes in {} ways are not a power of two of sets; {} bytes ({} sets) are",
                                cache.size, cache.ways, better, std::bit_floor(sets)));
  }
  check_between(field + "hit_latency", cache.hit_latency, 0, kMaximumLatency, "picoseconds");
}

void check_slc(const tegra410::SlcParameters& slc) {
  const std::string field = "tegra410.slc.";
  check_between(field + "slices", slc.slices, 1, 256);
  check_between(field + "sets", slc.sets, 1, 16384, "sets are counted per slice");
  check_between(field + "ways", slc.ways, 1, 64);
  const std::uint64_t lines = std::uint64_t{slc.slices} * slc.sets * slc.ways;
  if (lines > kMaximumSlcLines) {
    throw SpecError(field + "sets", fmt::format("{} slices of {} sets of {} ways are {} lines, must be at most {}",
                                                slc.slices, slc.sets, slc.ways, lines, kMaximumSlcLines));
  }
  for (std::size_t index = 0; index < slc.cached.size(); ++index) {
    if (std::count(slc.cached.begin(), slc.cached.end(), slc.cached[index]) > 1) {
      throw SpecError(field + fmt::format("cached[{}]", index), "names a class twice");
    }
    if (slc.cached[index] == MemoryClass::bar)
      throw SpecError(field + fmt::format("cached[{}]", index), "is bar, which is not memory");
  }
}

void check_latencies(const tegra410::LatencyParameters& latency) {
  const auto check = [](std::string_view name, Picoseconds value) {
    check_between(fmt::format("tegra410.latency.{}", name), value, 0, kMaximumLatency, "picoseconds");
  };
  check("slc", latency.slc);
  check("cmem", latency.cmem);
  check("cmem_service", latency.cmem_service);
  check("gmem", latency.gmem);
  check("cxl", latency.cxl);
  check("bar", latency.bar);
  check("link", latency.link);
}

void check_coresight_pmu(const std::string& field, const tegra410::CoreSightPmuParameters& pmu) {
  check_between(field + "counters", pmu.counters, 2, 64, "the cycle counter is one of them");
  check_between(field + "width", pmu.width, 8, 64, "bits");
}

void check_parameters(const tegra410::Parameters& part, const PlatformSpec& spec) {
  check_between("tegra410.clusters", part.clusters, 1, tegra410::kMaximumClusters);
  if (spec.cpus_per_socket % part.clusters != 0) {
    const unsigned cpus = std::max(1U, (spec.cpus_per_socket + part.clusters / 2) / part.clusters);
    throw SpecError("cpus_per_socket", fmt::format("{} CPUs cannot be shared evenly by {} clusters; {} can",
                                                   spec.cpus_per_socket, part.clusters, cpus * part.clusters));
  }
  check_between("tegra410.ucf_clock_hz", part.ucf_clock_hz, 1, kMaximumFrequency, "hertz");
  check_between("tegra410.soc_clock_hz", part.soc_clock_hz, 1, kMaximumFrequency, "hertz");
  check_private_cache(part.private_cache);
  check_slc(part.slc);
  check_latencies(part.latency);
  check_coresight_pmu("tegra410.ucf_pmu.", part.ucf_pmu);
  check_coresight_pmu("tegra410.pcie_pmu.", part.pcie_pmu);
  check_coresight_pmu("tegra410.pcie_tgt_pmu.", part.pcie_tgt_pmu);
  check_between("tegra410.cmem_latency_pmu.width", part.cmem_latency_pmu.width, 8, 64, "bits");
  check_between("tegra410.c2c_clock_hz", part.c2c_clock_hz, 1, kMaximumFrequency, "hertz");
  check_c2c(part);
}

}  // namespace

void Tegra410Spec::check(const PlatformSpec& platform) const {
  check_pcie(platform);
  for (std::size_t index = 0; index < memory.size(); ++index)
    check_memory_range(fmt::format("memory[{}]", index), memory[index], platform.sockets);
  check_overlaps(memory);
  check_parameters(*this, platform);
  check_own_pmus(platform);
}

PartClaims Tegra410Spec::claims(const PlatformSpec& platform) const {
  using Kind = PartClaims::Window::Kind;
  PartClaims claims;
  for (const tegra410::PcieRootComplex& complex : root_complexes_of(platform)) {
    const std::string name = fmt::format("root complex {} of socket {}", complex.number, complex.socket);
    claims.windows.push_back(
        {"configuration space of " + name, ecam_base_of(complex), default_map::kPcieEcamOfSegment});
    claims.segments.push_back(
        {tegra410::segment_of(complex.socket, complex.number), name, {}, "a segment from 0x100 on"});
  }
  for (const MemoryRange& range : bar_ranges_of(platform))
    claims.windows.push_back({fmt::format("BARs below root port {} of root complex {} of socket {}", range.root_port,
                                          range.root_complex, range.socket),
                              range.base, range.size});
  for (unsigned socket = 0; socket < platform.sockets; ++socket)
    claims.windows.push_back({.name = fmt::format("registers of socket {}", socket),
                              .base = address_in(socket, default_map::kRegistersBegin),
                              .size = default_map::kRegistersSize,
                              .kind = Kind::reserve});
  const std::vector<MemoryRange> ranges = memory_of(platform);
  for (std::size_t index = 0; index < ranges.size(); ++index)
    claims.windows.push_back({.name = fmt::format("memory of socket {}", ranges[index].socket),
                              .base = ranges[index].base,
                              .size = ranges[index].size,
                              .field = memory.empty() ? "" : fmt::format("memory[{}].base", index),
                              .kind = Kind::memory});
  const std::vector<PmuRow> rows = tegra410_pmus(platform);
  const std::size_t first_own = rows.size() - own_pmus.size();
  for (std::size_t number = 0; number < rows.size(); ++number) {
    const PmuRow& row = rows[number];
    const bool is_own = number >= first_own;
    for (std::size_t index = 0; index < row.windows.size(); ++index)
      claims.windows.push_back({"registers " + row.windows[index].name, row.windows[index].base,
                                row.windows[index].size,
                                is_own ? fmt::format("own_pmus[{}].windows[{}].base", number - first_own, index) : ""});
    const std::string field = is_own ? "own_pmus" : "tegra410";
    if (row.apmt && row.apmt->overflow_interrupt)
      claims.interrupts.push_back({row.apmt->overflow_interrupt->number, row.name, field});
    if (!row.device) continue;
    claims.devices.push_back({row.device->hid, row.device->uid, row.name, field});
    for (const InterruptResource& interrupt : row.device->interrupts)
      claims.interrupts.push_back({interrupt.number, row.name, field});
  }
  return claims;
}

void Tegra410Spec::make(const PlatformSpec& platform, PlatformParts& parts) const {
  parts.push_back(std::make_unique<Tegra410Part>(platform));
  if (!root_complexes_of(platform).empty()) parts.push_back(std::make_unique<PciePart>(platform));
}

PlatformSpec tegra410_platform() {
  PlatformSpec spec;
  spec.name = "tegra410";
  static_cast<void>(spec.edit<Tegra410Spec>());
  return spec;
}

std::vector<MemoryRange> default_memory(unsigned sockets) {
  std::vector<MemoryRange> ranges;
  for (unsigned socket = 0; socket < sockets; ++socket) {
    const std::uint64_t base = address_in(socket, 0);
    ranges.push_back({base + default_map::kCmem, default_map::kCmemSize, socket, MemoryClass::cmem});
    ranges.push_back({base + default_map::kGmem, default_map::kGmemSize, socket, MemoryClass::gmem});
    ranges.push_back({base + default_map::kCxl, default_map::kCxlSize, socket, MemoryClass::cxl});
  }
  return ranges;
}

std::vector<MemoryRange> system_map(const PlatformSpec& spec) {
  std::vector<MemoryRange> ranges = memory_of(spec);
  const std::vector<MemoryRange> bars = bar_ranges_of(spec);
  ranges.insert(ranges.end(), bars.begin(), bars.end());
  return ranges;
}

namespace {

void check_width(const std::string& field, unsigned width) {
  if (width < 8 || width > 64) throw SpecError(field, fmt::format("is {}, must be 8 ... 64; bits", width));
}

void check_mask(const std::string& field, std::uint32_t mask, unsigned instances) {
  if (mask >> instances != 0) {
    throw SpecError(field, fmt::format("{:#x} has a bit for instance {}, there are {} (0 ... {})", mask,
                                       std::bit_width(mask) - 1, instances, instances - 1));
  }
}

void check_nvlink_c2c(const tegra410::NvlinkC2cParameters& nvlink) {
  using tegra410::NvlinkPeer;
  const std::string field = "tegra410.nvlink_c2c.";
  if (nvlink.gpus < 1 || nvlink.gpus > tegra410::kMaximumGpus)
    throw SpecError(field + "gpus", fmt::format("is {}, must be 1 or 2; 'peer: none' has no GPU", nvlink.gpus));
  const auto check = [&](const char* name, const std::optional<std::uint32_t>& mask, bool has_peer, const char* why,
                         const char* suggestion) {
    if (!mask) return;
    if (!has_peer) throw SpecError(field + name, fmt::format("is for a peer that is not there: {}", why), suggestion);
    check_mask(field + name, *mask, tegra410::kNvlinkC2cInstances);
  };
  const bool gpu = nvlink.peer == NvlinkPeer::gpu;
  check("gpu0_en_mask", nvlink.gpu0_en_mask, gpu, "the peer is not a GPU", "choose 'peer: gpu'");
  check("gpu1_en_mask", nvlink.gpu1_en_mask, gpu && nvlink.gpus > 1, gpu ? "there is one GPU" : "the peer is not a GPU",
        gpu ? "choose 'gpus: 2', with a 'gpu0_en_mask' of 0 for GPU 1 alone" : "choose 'peer: gpu'");
  check("cpu_en_mask", nvlink.cpu_en_mask, nvlink.peer == NvlinkPeer::cpu, "the peer is not a CPU",
        "choose 'peer: cpu'");
  if (const std::uint32_t both = nvlink.gpu_mask(0) & nvlink.gpu_mask(1); both != 0) {
    tegra410::NvlinkC2cParameters usual;
    usual.peer = nvlink.peer;
    usual.gpus = nvlink.gpus;
    const bool second_is_unusual = nvlink.gpu_mask(1) != usual.gpu_mask(1);
    throw SpecError(field + (second_is_unusual ? "gpu1_en_mask" : "gpu0_en_mask"),
                    fmt::format("instance {} leads to GPU 0 ({:#x}) and to GPU 1 ({:#x})", std::countr_zero(both),
                                nvlink.gpu_mask(0), nvlink.gpu_mask(1)),
                    "give both masks, without a bit in common");
  }
}

}  // namespace

void check_c2c(const tegra410::Parameters& parameters) {
  check_nvlink_c2c(parameters.nvlink_c2c);
  check_mask("tegra410.nvclink.cpu_en_mask", parameters.nvclink.cpu_en_mask, tegra410::kNvclinkInstances);
  check_width("tegra410.nvlink_c2c.width", parameters.nvlink_c2c.width);
  check_width("tegra410.nvclink.width", parameters.nvclink.width);
  check_width("tegra410.nvdlink.width", parameters.nvdlink.width);
}

}  // namespace pmufab::platform
