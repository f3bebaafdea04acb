// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"

#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {
namespace {

using platform::PlatformSpec;

const Words<MemoryClass>& memory_classes() {
  static const Words<MemoryClass> words = {
      {"cmem", MemoryClass::cmem}, {"gmem", MemoryClass::gmem}, {"cxl", MemoryClass::cxl}};
  return words;
}

void read_coresight_pmu(Reader& reader, tegra410::CoreSightPmuParameters& parameters) {
  reader.number("counters", parameters.counters);
  reader.number("width", parameters.width);
  reader.flag("atomic_64bit", parameters.atomic_64bit);
  reader.flag("dual_page", parameters.dual_page);
  reader.flag("interrupt", parameters.interrupt);
  constexpr std::uint64_t kHighest = std::numeric_limits<std::uint32_t>::max();
  reader.number("devarch", parameters.devarch, Quantity::count, 0, kHighest);
  reader.choice("trigger", parameters.trigger, {{"level", InterruptTrigger::level}, {"edge", InterruptTrigger::edge}});
}

}  // namespace

void read_tegra410(Reader& reader, unsigned sockets, tegra410::Parameters& parameters) {
  reader.number("clusters", parameters.clusters);
  reader.number("ucf_clock", parameters.ucf_clock_hz, Quantity::frequency);
  reader.number("soc_clock", parameters.soc_clock_hz, Quantity::frequency);
  reader.object("private_cache", [&](Reader& cache) {
    cache.number("size", parameters.private_cache.size, Quantity::bytes);
    cache.number("ways", parameters.private_cache.ways);
    cache.number("hit_latency", parameters.private_cache.hit_latency, Quantity::duration);
  });
  reader.object("slc", [&](Reader& slc) {
    slc.number("slices", parameters.slc.slices);
    slc.number("sets", parameters.slc.sets);
    slc.number("ways", parameters.slc.ways);
    slc.choices("cached", parameters.slc.cached, memory_classes());
  });
  reader.object("latency", [&](Reader& latency) {
    latency.number("slc", parameters.latency.slc, Quantity::duration);
    latency.number("cmem", parameters.latency.cmem, Quantity::duration);
    latency.number("cmem_service", parameters.latency.cmem_service, Quantity::duration);
    latency.number("gmem", parameters.latency.gmem, Quantity::duration);
    latency.number("cxl", parameters.latency.cxl, Quantity::duration);
    latency.number("bar", parameters.latency.bar, Quantity::duration);
    latency.number("link", parameters.latency.link, Quantity::duration);
  });
  reader.object("pcie", [&](Reader& pcie) { read_pcie(pcie, sockets, parameters.pcie); });
  const auto read_with_cycles = [](Reader& pmu, tegra410::CoreSightPmuParameters& its) {
    read_coresight_pmu(pmu, its);
    pmu.flag("cycle_counter", its.cycle_counter);  // of pcie_tgt_pmu, drivers offer its event in any case
  };
  reader.object("ucf_pmu", [&](Reader& pmu) { read_with_cycles(pmu, parameters.ucf_pmu); });
  reader.object("pcie_pmu", [&](Reader& pmu) { read_with_cycles(pmu, parameters.pcie_pmu); });
  reader.object("pcie_tgt_pmu", [&](Reader& pmu) { read_coresight_pmu(pmu, parameters.pcie_tgt_pmu); });
  reader.object("cmem_latency_pmu", [&](Reader& pmu) { pmu.number("width", parameters.cmem_latency_pmu.width); });
  read_c2c(reader, parameters);
}

void read_memory(Reader& reader, PlatformSpec& spec) {
  std::vector<tegra410::MemoryRange>& memory = spec.edit<platform::Tegra410Spec>().memory;
  if (!reader.has("memory")) {
    memory = platform::default_memory(spec.sockets);
    Value list = Value::sequence();
    for (const tegra410::MemoryRange& range : memory) {
      Value item = Value::map();
      item.add("base", Value::of(format_quantity(range.base, Quantity::address)));
      item.add("size", Value::of(format_quantity(range.size, Quantity::bytes)));
      item.add("socket", Value::of(fmt::format("{}", range.socket)));
      for (const auto& [word, meaning] : memory_classes()) {
        if (meaning == range.memory_class) item.add("memory_class", Value::of(std::string(word)));
      }
      if (range.memory_class == MemoryClass::cxl)
        item.add("root_complex", Value::of(fmt::format("{}", range.root_complex)));
      list.items.push_back(std::move(item));
    }
    reader.put("memory", std::move(list));
    return;
  }
  memory.clear();
  reader.list("memory", [&](Reader& item, std::size_t) {
    tegra410::MemoryRange range{0, 0, 0, MemoryClass::cmem};
    item.number("base", range.base, Quantity::address, 0, ~std::uint64_t{0}, Presence::required);
    item.number("size", range.size, Quantity::bytes, 0, ~std::uint64_t{0}, Presence::required);
    item.number("socket", range.socket);
    item.choice("memory_class", range.memory_class, memory_classes());
    if (range.memory_class == MemoryClass::cxl) item.number("root_complex", range.root_complex);
    memory.push_back(range);
  });
  if (memory.empty()) reader.fail("memory", "holds no range", "leave the key out for the default map");
}

std::vector<traffic::MemoryRange> traffic_memory(const PlatformSpec& platform) {
  std::vector<traffic::MemoryRange> result;
  for (const tegra410::MemoryRange& range : platform::system_map(platform))
    result.push_back({range.base, range.size, static_cast<std::uint8_t>(range.socket), range.memory_class,
                      static_cast<std::uint8_t>(range.root_complex), static_cast<std::uint8_t>(range.root_port)});
  return result;
}

}  // namespace pmufab::scenario
