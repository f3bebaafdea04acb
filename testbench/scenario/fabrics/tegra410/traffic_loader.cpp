// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "testbench/scenario/fabrics/mix_loader.h"
#include "testbench/scenario/fabrics/tegra410/tegra410_loader.h"

namespace pmufab::scenario {
namespace {

using namespace traffic;

template <typename Enum>
Words<Enum> words_up_to(Enum last) {
  Words<Enum> words;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
    words.emplace_back(to_string(static_cast<Enum>(i)), static_cast<Enum>(i));
  return words;
}

const Words<RequesterKind>& requester_kinds() {
  static const Words<RequesterKind> words = {
      {"cpu", RequesterKind::cpu}, {"gpu", RequesterKind::gpu}, {"pcie", RequesterKind::pcie}};
  return words;
}

/// Bus, device and function as lspci writes them ("01:02.0"), or the 16-bit number.
void read_bdf(Reader& reader, std::uint16_t& bdf) {
  const Value* value = reader.take("bdf");
  if (value != nullptr) {
    const std::string& text = value->kind == Value::Kind::scalar ? value->scalar : std::string();
    unsigned bus = 0;
    unsigned device = 0;
    unsigned function = 0;
    const auto part = [](std::string_view digits, unsigned& out) {
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
      return error == std::errc{} && end == digits.data() + digits.size();
    };
    const std::size_t colon = text.find(':');
    const std::size_t dot = text.find('.');
    if (colon != std::string::npos && dot != std::string::npos && dot > colon) {
      const std::string_view view = text;
      if (!part(view.substr(0, colon), bus) || !part(view.substr(colon + 1, dot - colon - 1), device) ||
          !part(view.substr(dot + 1), function) || bus > 0xff || device > 0x1f || function > 7)
        reader.fail("bdf", fmt::format("'{}' is not bus:device.function", text), "for example 01:02.0");
      bdf = static_cast<std::uint16_t>(bus << 8 | device << 3 | function);
    } else {
      std::uint64_t number = 0;
      try {
        number = parse_quantity(text, Quantity::count);
      } catch (const std::invalid_argument&) {
        number = ~std::uint64_t{0};
      }
      if (number > 0xffff)
        reader.fail("bdf", fmt::format("'{}' is not bus:device.function", text), "for example 01:02.0");
      bdf = static_cast<std::uint16_t>(number);
    }
  }
  reader.put("bdf", Value::of(fmt::format("{:02x}:{:02x}.{}", bdf >> 8, bdf >> 3 & 0x1f, bdf & 7), true));
}

void read_requester(Reader& reader, RequesterSpec& requester) {
  reader.choice("kind", requester.kind, requester_kinds());
  reader.number("socket", requester.socket);
  reader.number("id", requester.id);
  if (requester.kind == RequesterKind::pcie) {
    read_bdf(reader, requester.bdf);
    reader.number("root_complex", requester.root_complex);
    reader.number("root_port", requester.root_port);
  }
  reader.number("qos", requester.qos);
}

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

}  // namespace

void read_pattern(Reader& reader, PatternSpec& pattern) {
  reader.choice("kind", pattern.kind, words_up_to(PatternKind::producer_consumer));
  // Only the keys of the chosen kind are known: a parameter that does nothing is a mistake.
  switch (pattern.kind) {
    case PatternKind::stride:
      reader.number("stride", pattern.stride, Quantity::bytes);
      break;
    case PatternKind::hotspot:
      reader.real("hot_fraction", pattern.hot_fraction, 0, 1);
      reader.number("hot_size", pattern.hot_size, Quantity::bytes);
      break;
    case PatternKind::zipf:
      reader.real("exponent", pattern.exponent, 0, 8);
      reader.number("ranks", pattern.ranks);
      break;
    case PatternKind::producer_consumer:
      reader.number("block_size", pattern.block_size, Quantity::bytes);
      reader.optional_object("consumer",
                             [&](Reader& consumer) { read_requester(consumer, pattern.consumer.emplace()); });
      break;
    case PatternKind::uniform:
    case PatternKind::stream:
    case PatternKind::pointer_chase:
      break;
  }
}

void read_pacing(Reader& reader, PacingSpec& pacing) {
  using PacingKind = PacingSpec::Kind;
  reader.choice("kind", pacing.kind,
                {{"fixed", PacingKind::fixed},
                 {"exponential", PacingKind::exponential},
                 {"back_to_back", PacingKind::back_to_back}});
  if (pacing.kind == PacingKind::back_to_back) {
    reader.number("gap", pacing.gap, Quantity::duration, 1);
  } else {
    reader.real("requests_per_us", pacing.requests_per_us, 1e-6, 1e6);
    reader.flag("catch_up", pacing.catch_up);
  }
}

void read_burst(Reader& reader, BurstSpec& burst) {
  reader.number("on", burst.on, Quantity::duration, 1, ~std::uint64_t{0}, Presence::required);
  reader.number("off", burst.off, Quantity::duration, 1, ~std::uint64_t{0}, Presence::required);
}

namespace {

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
    reader.fail("file", "no trace is named",
                "give one with --set trace=FILE; tools/demo makes build/demo/sort-6000.trace");
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
  std::vector<GeneratorSpec> generators;
  Reader reader(document, path, effective);
  std::string name;
  std::string description;
  reader.text("name", name);
  reader.text("description", description);
  reader.list(
      "generators", [&](Reader& item, std::size_t) { read_generator(item, generators.emplace_back(), files); },
      Presence::required);
  reader.finish();
  return generators;
}

}  // namespace pmufab::scenario
