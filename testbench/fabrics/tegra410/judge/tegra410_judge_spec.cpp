// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace pmufab::scoreboard {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument("scoreboard: " + text); }

void validate_memory(const Tegra410JudgeSpec& spec) {
  for (std::size_t i = 0; i < spec.memory.size(); ++i) {
    const MemoryRange& range = spec.memory[i];
    if (range.size == 0) refuse(fmt::format("memory[{}] is empty", i));
    if (range.base + (range.size - 1) < range.base) refuse(fmt::format("memory[{}] wraps around", i));
    if (range.base % kLineBytes != 0 || range.size % kLineBytes != 0) {
      refuse(fmt::format("memory[{}] does not consist of whole lines of {} bytes", i, kLineBytes));
    }
    if (range.socket >= spec.sockets) refuse(fmt::format("memory[{}] is of socket {}", i, range.socket));
    for (std::size_t j = 0; j < i; ++j) {
      const MemoryRange& other = spec.memory[j];
      if (range.base <= other.base + (other.size - 1) && other.base <= range.base + (range.size - 1)) {
        refuse(fmt::format("memory[{}] and memory[{}] overlap", j, i));
      }
    }
  }
}

template <typename Pmu>
void validate_pmus(const std::vector<Pmu>& pmus, unsigned sockets, std::set<std::string>& names) {
  for (const Pmu& pmu : pmus) {
    if (pmu.socket >= sockets) refuse(fmt::format("PMU {} is of socket {}", pmu.name, pmu.socket));
    if (!names.insert(pmu.name).second) refuse(fmt::format("two PMUs are called {}", pmu.name));
  }
}

void validate_masks(const C2cPmuSpec& pmu) {
  if (pmu.instances == 0 || pmu.instances > 16) refuse(fmt::format("PMU {} has {} instances", pmu.name, pmu.instances));
  std::uint32_t used = 0;
  for (const std::uint32_t mask : pmu.masks) {
    if (mask >> pmu.instances != 0) refuse(fmt::format("PMU {} has no instances of mask {:#x}", pmu.name, mask));
    if ((mask & used) != 0) refuse(fmt::format("an instance of PMU {} leads to two GPUs", pmu.name));
    used |= mask;
  }
}

void validate_frequency(const char* field, std::uint64_t hertz) {
  if (hertz == 0 || hertz > 1'000'000'000'000) refuse(fmt::format("{} is not in 1 Hz ... 1 THz", field));
}

}  // namespace

void Tegra410JudgeSpec::validate() const {
  if (sockets == 0) refuse("no socket");
  if (slc.slices == 0 || slc.sets == 0 || slc.ways == 0) refuse("slices, sets and ways must not be 0");
  if (cmem_instances == 0 || cmem_controllers == 0) refuse("cmem_instances and cmem_controllers must not be 0");
  validate_frequency("ucf_frequency_hz", ucf_frequency_hz);
  validate_frequency("c2c_frequency_hz", c2c_frequency_hz);
  validate_frequency("soc_frequency_hz", soc_frequency_hz);
  validate_memory(*this);
  std::set<std::string> names;
  validate_pmus(coresight_pmus, sockets, names);
  std::set<std::tuple<CoreSightPmuType, unsigned, unsigned>> root_complexes;
  for (const CoreSightPmuSpec& pmu : coresight_pmus) {
    if (pmu.type == CoreSightPmuType::ucf) continue;
    if (!root_complexes.emplace(pmu.type, pmu.socket, pmu.root_complex).second)
      refuse(fmt::format("root complex {} of socket {} has two PMUs", pmu.root_complex, pmu.socket));
  }
  validate_pmus(cmem_pmus, sockets, names);
  validate_pmus(c2c_pmus, sockets, names);
  for (const C2cPmuSpec& pmu : c2c_pmus) validate_masks(pmu);
}

const MemoryRange* Tegra410JudgeSpec::home_of(std::uint64_t address) const noexcept {
  for (const MemoryRange& range : memory) {
    if (address >= range.base && address - range.base < range.size) return &range;
  }
  return nullptr;
}

bool Tegra410JudgeSpec::caches(MemoryClass memory_class) const noexcept {
  return std::find(cached.begin(), cached.end(), memory_class) != cached.end();
}

}  // namespace pmufab::scoreboard
