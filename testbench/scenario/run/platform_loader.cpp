// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "testbench/scenario/fabrics/loaders.h"
#include "testbench/scenario/run/scenario_spec.h"
#include "testbench/scenario/yaml/document.h"

namespace pmufab::scenario {
namespace {

using platform::PlatformSpec;

enum class PlatformKind : std::uint8_t { tegra410, cmn, cxl };

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
  reader.choice("trigger", parameters.trigger, {{"level", InterruptTrigger::level}, {"edge", InterruptTrigger::edge}});
}

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
  reader.object("ucf_pmu", [&](Reader& pmu) { read_coresight_pmu(pmu, parameters.ucf_pmu); });
  reader.object("pcie_pmu", [&](Reader& pmu) { read_coresight_pmu(pmu, parameters.pcie_pmu); });
  reader.object("pcie_tgt_pmu", [&](Reader& pmu) { read_coresight_pmu(pmu, parameters.pcie_tgt_pmu); });
  reader.object("cmem_latency_pmu", [&](Reader& pmu) { pmu.number("width", parameters.cmem_latency_pmu.width); });
  read_c2c(reader, parameters);
}

void read_memory(Reader& reader, PlatformSpec& spec) {
  if (!reader.has("memory")) {
    spec.memory = platform::default_memory(spec.sockets);
    Value list = Value::sequence();
    for (const tegra410::MemoryRange& range : spec.memory) {
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
  spec.memory.clear();
  reader.list("memory", [&](Reader& item, std::size_t) {
    tegra410::MemoryRange range{0, 0, 0, MemoryClass::cmem};
    item.number("base", range.base, Quantity::address, 0, ~std::uint64_t{0}, Presence::required);
    item.number("size", range.size, Quantity::bytes, 0, ~std::uint64_t{0}, Presence::required);
    item.number("socket", range.socket);
    item.choice("memory_class", range.memory_class, memory_classes());
    if (range.memory_class == MemoryClass::cxl) item.number("root_complex", range.root_complex);
    spec.memory.push_back(range);
  });
  if (spec.memory.empty()) reader.fail("memory", "holds no range", "leave the key out for the default map");
}

}  // namespace

Source locate(const Value& document, std::string_view field) {
  const Value* at = &document;
  Source source = document.source;
  while (!field.empty()) {
    if (field.front() == '.') field.remove_prefix(1);
    if (!field.empty() && field.front() == '[') {
      const std::size_t end = std::min(field.find(']'), field.size());
      std::size_t index = 0;
      for (const char digit : field.substr(1, end - 1)) index = index * 10 + static_cast<std::size_t>(digit - '0');
      if (index >= at->items.size()) return source;
      at = &at->items[index];
      field.remove_prefix(std::min(end + 1, field.size()));
    } else {
      const std::size_t end = std::min(field.find_first_of(".["), field.size());
      std::string_view key = field.substr(0, end);
      const Value* next = at->find(key);
      if (next == nullptr && key.ends_with("_hz")) next = at->find(key.substr(0, key.size() - 3));
      if (next == nullptr) return source;
      at = next;
      field.remove_prefix(end);
    }
    source = at->source;
  }
  return source;
}

namespace {

/// Files of other kinds are given for platforms; their unknown keys would say little.
void refuse_other_kinds(const Value& document, const std::string& path) {
  if (document.kind != Value::Kind::map) return;
  if (document.find("measure") != nullptr || document.find("platform") != nullptr)
    throw InputError(document.source, path, "this is a scenario, not a platform", "pmufab run takes scenarios");
  if (document.find("generators") != nullptr)
    throw InputError(document.source, path, "this is traffic, not a platform", "--traffic takes it");
}

}  // namespace

PlatformSpec read_platform(const Value& document, const std::string& path, Value& effective) {
  refuse_other_kinds(document, path);
  PlatformSpec spec;
  Reader reader(document, path, effective);
  PlatformKind kind = PlatformKind::tegra410;
  reader.choice("kind", kind,
                {{"tegra410", PlatformKind::tegra410}, {"cmn", PlatformKind::cmn}, {"cxl", PlatformKind::cxl}});
  if (kind != PlatformKind::tegra410) {
    spec.name = kind == PlatformKind::cmn ? "cmn" : "cxl";
    spec.sockets = 1;
    spec.cpus_per_socket = 8;
    spec.tegra410.reset();
  }
  reader.text("name", spec.name);
  std::string description;
  reader.text("description", description);
  reader.number("sockets", spec.sockets);
  reader.number("cpus_per_socket", spec.cpus_per_socket);
  // The default memory map needs a possible number of sockets; validate() has the words for an impossible one.
  if (kind == PlatformKind::tegra410) {
    if (spec.sockets >= 1 && spec.sockets <= tegra410::kMaximumSockets) read_memory(reader, spec);
    reader.object("tegra410", [&](Reader& part) { read_tegra410(part, spec.sockets, spec.tegra410.emplace()); });
  }
  reader.list(
      "meshes", [&](Reader& mesh, std::size_t index) { read_cmn(mesh, index, spec.cmn.emplace_back()); },
      kind == PlatformKind::cmn ? Presence::required : Presence::optional);
  reader.list(
      "cxl", [&](Reader& device, std::size_t index) { read_cxl(device, index, spec.cxl.emplace_back()); },
      kind == PlatformKind::cxl ? Presence::required : Presence::optional);
  reader.list("links", [&](Reader& link, std::size_t) { read_link(link, spec.cmn, spec.links.emplace_back()); });
  try {
    // Unknown keys first: a misspelt key is often why the rest is impossible.
    if (spec.sockets >= 1 && spec.sockets <= tegra410::kMaximumSockets) reader.finish();
    platform::validate(spec);
  } catch (const SpecError& error) {
    throw InputError(locate(document, error.field()), path.empty() ? error.field() : path + "." + error.field(),
                     error.reason(), error.suggestion());
  }
  return spec;
}

std::vector<traffic::MemoryRange> traffic_memory(const PlatformSpec& platform) {
  const auto same_class = [](MemoryClass memory) {
    switch (memory) {
      case MemoryClass::cmem:
        return MemoryClass::cmem;
      case MemoryClass::gmem:
        return MemoryClass::gmem;
      case MemoryClass::cxl:
        return MemoryClass::cxl;
      case MemoryClass::bar:
        return MemoryClass::bar;
    }
    return MemoryClass::cmem;
  };
  std::vector<traffic::MemoryRange> result;
  for (const tegra410::MemoryRange& range : platform::system_map(platform))
    result.push_back({range.base, range.size, static_cast<std::uint8_t>(range.socket), same_class(range.memory_class),
                      static_cast<std::uint8_t>(range.root_complex), static_cast<std::uint8_t>(range.root_port)});
  return result;
}

PlatformDocument load_platform(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Value document = load_file(file);
  for (const std::string& text : overrides) apply(parse_override(text), document);
  PlatformDocument result;
  result.effective = Value::map();
  result.spec = read_platform(document, "", result.effective);
  result.name = result.spec.name;
  return result;
}

}  // namespace pmufab::scenario
