// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/fabrics/tegra410/scenario/tegra410_loader.h"

namespace pmufab::scenario {
namespace {

using namespace traffic;

void read_target(Reader& reader, Target& target) {
  std::uint64_t base = 0;
  if (reader.has("base")) {
    reader.number("base", base, Quantity::address);
    target.base = base;
  } else {
    reader.number("socket", target.socket);
    reader.choice("memory", target.memory, words_up_to(MemoryClass::bar));
    if (target.memory == MemoryClass::bar) {
      reader.number("root_complex", target.root_complex);
      reader.number("root_port", target.root_port);
    }
    reader.number("offset", target.offset, Quantity::bytes);
  }
  reader.number("size", target.size, Quantity::bytes);
  reader.number("weight", target.weight);
}

void read_targets(Reader& reader, std::string_view key, std::vector<Target>& targets,
                  Presence presence = Presence::optional) {
  if (presence == Presence::optional && !reader.has(key)) return;
  targets.clear();
  reader.list(
      key, [&](Reader& item, std::size_t) { read_target(item, targets.emplace_back()); }, presence);
}

void read_mix(Reader& reader, std::vector<OperationShare>& mix) {
  constexpr unsigned kOperations = static_cast<unsigned>(Operation::atomic_store) + 1;
  read_operation_mix(reader, kOperations, mix, &OperationShare::operation, traffic::to_string, operation_from);
}

void read_sizes(Reader& reader, std::vector<SizeShare>& sizes) {
  bool first = true;
  read_weights(reader, "sizes", [&](const Value::Entry& entry, std::uint32_t weight) {
    if (std::exchange(first, false)) sizes.clear();
    std::uint64_t bytes = 0;
    try {
      bytes = parse_quantity(entry.key, Quantity::bytes);
    } catch (const std::invalid_argument& error) {
      throw InputError(entry.source, reader.path_of("sizes"), fmt::format("'{}' {}", entry.key, error.what()),
                       "for example {64: 3, 32: 1}");
    }
    if (bytes == 0 || bytes > 64)
      throw InputError(entry.source, reader.path_of("sizes"), fmt::format("{} is outside 1 B ... 64 B", entry.key));
    sizes.push_back({static_cast<std::uint32_t>(bytes), weight});
  });
  if (sizes.empty()) return;
  Value map = Value::map();
  for (const SizeShare& share : sizes)
    map.add(fmt::format("{}", share.bytes), Value::of(fmt::format("{}", share.weight)));
  reader.put("sizes", std::move(map));
}

void read_phase(Reader& reader, PhaseSpec& phase) {
  reader.number("start", phase.start, Quantity::duration);
  Picoseconds duration = 0;
  std::uint64_t count = 0;
  if (reader.has("duration")) {
    reader.number("duration", duration, Quantity::duration, 1);
    phase.duration = duration;
  }
  if (reader.has("count")) {
    reader.number("count", count, Quantity::count, 1);
    phase.count = count;
  }
  reader.optional_object("pattern", [&](Reader& r) { read_pattern(r, phase.pattern.emplace()); });
  reader.optional_object("pacing", [&](Reader& r) { read_pacing(r, phase.pacing.emplace()); });
  reader.optional_object("burst", [&](Reader& r) { read_burst(r, phase.burst.emplace()); });
  read_targets(reader, "targets", phase.targets);
  read_mix(reader, phase.mix);
  read_sizes(reader, phase.sizes);
}

void read_trace(Reader& reader, TraceSpec& trace, const TraceFiles& files) {
  trace.file = read_trace_file(reader, files);
  read_targets(reader, "placement", trace.placement, Presence::required);
  reader.number("page_size", trace.page_size, Quantity::bytes);
  reader.number("gap", trace.gap, Quantity::duration, 1);
  reader.number("repeat", trace.repeat, Quantity::count, 1);
  reader.number("limit", trace.limit);
  reader.flag("keep_instructions", trace.keep_instructions);
  reader.number("placement_seed", trace.placement_seed);
  if (trace.file.empty()) {
    reader.finish();
    reader.fail("file", kNoTraceNamed, "give one with --set trace=FILE; pmufab trace import makes one");
  }
}

void read_generator(Reader& reader, GeneratorSpec& generator, const TraceFiles& files) {
  reader.text("name", generator.name, Presence::required);
  reader.object("requester", [&](Reader& r) { read_requester(r, generator.requester); });
  reader.choice("path", generator.path, {{"cached", Path::cached}, {"direct", Path::direct}});
  reader.number("outstanding", generator.outstanding, Quantity::count, 0, 65536);
  if (reader.has("seed")) {
    std::uint64_t seed = 0;
    reader.number("seed", seed);
    generator.seed = seed;
  }
  if (reader.optional_object("trace", [&](Reader& r) { read_trace(r, generator.trace.emplace(), files); })) {
    reader.number("start", generator.start, Quantity::duration);
    return;
  }
  read_targets(reader, "targets", generator.targets, Presence::required);
  reader.object("pattern", [&](Reader& r) { read_pattern(r, generator.pattern); });
  read_mix(reader, generator.mix);
  read_sizes(reader, generator.sizes);
  reader.object("pacing", [&](Reader& r) { read_pacing(r, generator.pacing); });
  reader.optional_object("burst", [&](Reader& r) { read_burst(r, generator.burst.emplace()); });
  if (reader.has("phases"))
    reader.list("phases", [&](Reader& r, std::size_t) { read_phase(r, generator.phases.emplace_back()); });
}

}  // namespace

std::vector<GeneratorSpec> read_traffic(const Value& document, const std::string& path, const TraceFiles& files,
                                        Value& effective) {
  check_kind(document, path, FileKind::traffic);
  std::vector<GeneratorSpec> generators;
  Reader reader(document, path, effective);
  std::string name;
  std::string description;
  reader.text("name", name);
  reader.prose("description", description);
  reader.list(
      "generators", [&](Reader& item, std::size_t) { read_generator(item, generators.emplace_back(), files); },
      Presence::required);
  reader.finish();
  return generators;
}

}  // namespace pmufab::scenario
