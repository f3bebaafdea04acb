// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/cmn/part/cmn_spec.h"
#include "models/cxl/part/cxl_spec.h"
#include "models/plugin/part/plugin_spec.h"
#include "models/soc/part/soc_rows.h"
#include "models/soc/wire/fabric_sources.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "models/tegra410/ucf/ucf_events.h"
#include "testbench/fabrics/common/occurrence_values.h"
#include "testbench/fabrics/soc/scenario/map_loader.h"
#include "testbench/fabrics/soc/scenario/soc_loader.h"
#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "tlm/registers/register_spec.h"

namespace pmufab::scenario {
namespace {

using soc::Description;
using soc::EventDescription;
using soc::FilterDescription;
using soc::PmuDescription;
using soc::SourceDescription;
using Type = platform::ApmtNode::Type;

constexpr std::uint64_t kMostOfEach = 64;
constexpr std::uint64_t kWordMaximum = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kOwnRegister = "impdef";

const Words<Type>& types() {
  static const Words<Type> words = {{"mc", Type::memory_controller},
                                    {"smmu", Type::smmu},
                                    {"pcie", Type::pcie_root},
                                    {"acpi", Type::acpi_device},
                                    {"cache", Type::cache}};
  return words;
}

void read_source(Reader& reader, SourceDescription& source) {
  reader.text("name", source.name, Presence::required);
  reader.texts("attributes", source.attributes);
  if (source.attributes.size() > kMaximumAttributes)
    reader.fail("attributes",
                fmt::format("are {}; a source has {} at most", source.attributes.size(), kMaximumAttributes));
  const std::set<std::string> different(source.attributes.begin(), source.attributes.end());
  if (different.size() != source.attributes.size()) reader.fail("attributes", "name one twice");
}

std::vector<std::string> source_names(const std::vector<SourceDescription>& sources) {
  std::vector<std::string> names;
  for (const SourceDescription& source : sources) names.push_back(source.name);
  return names;
}

/// The sources that events may name.
struct Sources {
  Description& all;  ///< with those that the file describes, and those of fabrics once named
  const std::vector<SourceDescription>& fabrics;  ///< those that the platform's fabrics are
};

/// What an event adds for each occurrence.
void read_counts(Reader& reader, const SourceDescription& source, EventDescription& event) {
  std::string counts = "occurrences";
  reader.text("counts", counts);
  if (counts == "occurrences") return;
  if (source.cause == soc::Cause::ucf)
    reader.fail("counts", "is not for an event of the UCF, which counts what it counts there", "leave it out");
  if (counts == "outstanding") {
    if (!soc::lasts(source))
      reader.fail("counts",
                  fmt::format("nothing at {} is ever outstanding: what happens there takes no time", source.name),
                  "leave it out");
    event.counts = EventDescription::Counts::outstanding;
    return;
  }
  std::vector<std::string> words = {"occurrences", "cycles"};
  if (soc::lasts(source)) words.emplace_back("outstanding");
  const std::vector<std::string> none;
  const std::vector<std::string>& attributes = soc::can_be_summed(source) ? source.attributes : none;
  words.insert(words.end(), attributes.begin(), attributes.end());
  event.counts = EventDescription::Counts::sum;
  event.attribute = number_among(reader, "counts", counts, attributes, words, "it counts no");
}

/// @return the number of the source that an event names. One of a fabric is added when an event names it.
unsigned read_source_of(Reader& reader, const Sources& sources) {
  std::string name;
  reader.text("source", name);
  std::vector<std::string> names = source_names(sources.all.sources);
  if (const auto known = std::ranges::find(names, name); known != names.end())
    return static_cast<unsigned>(known - names.begin());
  for (const SourceDescription& source : sources.fabrics) {
    if (source.name == name) {
      sources.all.sources.push_back(source);
      return static_cast<unsigned>(sources.all.sources.size() - 1);
    }
    if (std::ranges::find(names, source.name) == names.end()) names.push_back(source.name);
  }
  if (name.empty())
    reader.fail("source", "is missing: nothing would cause the event",
                names.empty() ? "describe one under the platform's key sources" : "one of " + quoted_list(names));
  return number_among(reader, "source", name, {}, names, "there is no source");
}

/// The key `where` of an event or a PMU.
void read_where(Reader& reader, const std::vector<std::string>& attributes,
                const std::function<void(unsigned attribute, const traffic::ValueRange& range)>& add) {
  read_attributes(reader, "where", attributes, [&](unsigned attribute, const Value& value) {
    const std::string text = value.kind == Value::Kind::scalar ? value.scalar : std::string();
    add(attribute, read_range(text, value.source, reader.path_of("where"), Quantity::count));
  });
}

/// The key `for_each`: an event is that of one value of an attribute, and the next numbers and codes are those of the
/// next values.
void read_each(Reader& reader, const std::vector<std::string>& attributes, std::vector<EventDescription>& events) {
  if (!reader.has("for_each")) return;
  std::uint64_t step = 0;
  reader.number("step", step, Quantity::address, 1, std::numeric_limits<std::uint64_t>::max(), Presence::required);
  read_attributes(reader, "for_each", attributes, [&](unsigned attribute, const Value& value) {
    const std::string text = value.kind == Value::Kind::scalar ? value.scalar : std::string();
    const traffic::ValueRange range = read_range(text, value.source, reader.path_of("for_each"), Quantity::count);
    if (range.last - range.first >= kMostOfEach)
      reader.fail("for_each", fmt::format("makes more than {} events", kMostOfEach));
    const EventDescription first = events.back();
    events.pop_back();
    for (std::uint64_t one = range.first; one <= range.last; ++one) {
      EventDescription& event = events.emplace_back(first);
      event.number += (one - range.first) * step;
      if (event.code) *event.code += (one - range.first) * step;
      event.where.push_back({attribute, one, one});
    }
  });
}

void read_event(Reader& reader, const Sources& sources, bool is_mapped, std::vector<EventDescription>& events) {
  EventDescription& event = events.emplace_back();
  reader.text("name", event.name, Presence::required);
  reader.number("number", event.number, Quantity::address, 0, std::numeric_limits<std::uint64_t>::max(),
                Presence::required);
  if (is_mapped && reader.has("counters")) event.counters = read_bits(reader, "counters");
  if (is_mapped) reader.flag("unnamed", event.is_unnamed);
  if (is_mapped) reader.number("times", event.times, Quantity::count, 1, kWordMaximum);
  if (is_mapped && reader.has("code"))
    reader.number("code", event.code.emplace(), Quantity::address, 0, std::numeric_limits<std::uint64_t>::max());
  const Value* counts = reader.take("counts");
  if (counts != nullptr && counts->kind == Value::Kind::scalar && counts->scalar == "cycles") {
    event.counts = EventDescription::Counts::cycles;
    reader.put("counts", *counts);
    if (is_mapped && reader.has("clock")) reader.number("clock", event.clock_hz.emplace(), Quantity::frequency);
    if (reader.has("source")) reader.fail("source", "is not for cycles, which are those of the PMU's clock");
    return;
  }
  event.source = read_source_of(reader, sources);
  const SourceDescription& source = sources.all.sources[event.source];
  read_counts(reader, source, event);
  reader.number("unit", event.unit, Quantity::count, 1, std::numeric_limits<std::uint64_t>::max());
  read_where(reader, source.attributes, [&](unsigned attribute, const traffic::ValueRange& range) {
    event.where.push_back({attribute, range.first, range.last});
  });
  if (is_mapped) read_each(reader, source.attributes, events);
}

/// What all events of a PMU require whose source has the attribute.
void read_common_requirements(Reader& reader, const Description& all, PmuDescription& pmu) {
  std::vector<std::string> attributes;
  for (const EventDescription& event : pmu.events) {
    if (event.counts == EventDescription::Counts::cycles) continue;
    for (const std::string& attribute : all.sources[event.source].attributes) {
      if (std::ranges::find(attributes, attribute) == attributes.end()) attributes.push_back(attribute);
    }
  }
  read_where(reader, attributes, [&](unsigned number, const traffic::ValueRange& range) {
    for (EventDescription& event : pmu.events) {
      if (event.counts == EventDescription::Counts::cycles) continue;
      const std::vector<std::string>& own = all.sources[event.source].attributes;
      const auto attribute = std::ranges::find(own, attributes[number]);
      if (attribute != own.end())
        event.where.push_back({static_cast<unsigned>(attribute - own.begin()), range.first, range.last});
    }
  });
}

/// The register of a filter of a CoreSight PMU.
void read_register(Reader& reader, FilterDescription& filter) {
  std::string name = "filter";
  reader.text("register", name);
  if (name == "filter") return;
  if (name == "filter2") {
    filter.where = FilterDescription::Register::filter2;
    return;
  }
  try {
    if (name.starts_with(kOwnRegister)) {
      filter.where = FilterDescription::Register::implementation_defined;
      filter.word = static_cast<unsigned>(
          std::min<std::uint64_t>(parse_quantity(name.substr(kOwnRegister.size()), Quantity::count), kWordMaximum));
      return;
    }
  } catch (const std::invalid_argument&) {
    // the message is the same
  }
  std::string suggestion = did_you_mean(name, {"filter", "filter2", "impdef0"});
  if (suggestion.empty()) suggestion = "filter, filter2, or impdef0 ... impdef31";
  reader.fail("register", fmt::format("there is no register '{}' for filters", name), suggestion);
}

/// What a filter of a described register may have beyond that of a CoreSight PMU's.
void read_mapped_filter(Reader& reader, const soc::RegisterMap& map, FilterDescription& filter) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  reader.optional_object("when", [&](Reader& when) {
    soc::FilterSetting& its = filter.when.emplace();
    its.word = when.has("register") ? read_register_of(when, "register", map) : filter.word;
    its.bits = read_bits(when, "bits");
    when.number("value", its.value, Quantity::address, 0, kAny, Presence::required);
  });
  if (reader.has("any")) reader.number("any", filter.any.emplace(), Quantity::address, 0, kAny);
  reader.texts("unless", filter.unless);
  reader.text("with", filter.with);
  reader.number("greatest", filter.greatest, Quantity::address, 0, kAny);
  if (filter.greatest != kAny && filter.greatest > low_bits(filter.bits.width))
    reader.fail("greatest", fmt::format("{:#x} does not fit into {} bits", filter.greatest, filter.bits.width));
}

void read_attribute_of(Reader& reader, const Description& all, FilterDescription& filter) {
  filter.attribute = filter.name;
  reader.text("attribute", filter.attribute);
  std::vector<std::string> attributes;
  for (const SourceDescription& source : all.sources)
    attributes.insert(attributes.end(), source.attributes.begin(), source.attributes.end());
  static_cast<void>(
      number_among(reader, "attribute", filter.attribute, attributes, attributes, "no source has the attribute"));
}

/// @param map  the registers of a PMU that is no CoreSight PMU; null: it is one
void read_filter(Reader& reader, const Description& all, const soc::RegisterMap* map, FilterDescription& filter) {
  reader.text("name", filter.name, Presence::required);
  if (map != nullptr) {
    filter.where = FilterDescription::Register::described;
    filter.word = read_register_of(reader, "register", *map);
    if (reader.has("counters")) filter.counters = read_bits(reader, "counters");
  } else {
    read_register(reader, filter);
  }
  filter.bits = read_bits(reader, "bits");
  reader.choice("match", filter.match,
                {{"mask", FilterDescription::Match::mask},
                 {"value", FilterDescription::Match::value},
                 {"at_least", FilterDescription::Match::at_least},
                 {"between", FilterDescription::Match::between},
                 {"threshold", FilterDescription::Match::threshold},
                 {"edge", FilterDescription::Match::edge}});
  if (!filter.is_of_clocks()) read_attribute_of(reader, all, filter);
  if (reader.has("care")) filter.care = read_bits(reader, "care");
  if (map != nullptr && reader.has("care_register")) {
    filter.care_where = FilterDescription::Register::described;
    filter.care_word = read_register_of(reader, "care_register", *map);
  } else if (reader.has("care_register"))
    reader.choice("care_register", filter.care_where.emplace(),
                  {{"filter", FilterDescription::Register::filter}, {"filter2", FilterDescription::Register::filter2}});
  if (map != nullptr) {
    reader.number("default", filter.fallback, Quantity::address, 0, std::numeric_limits<std::uint64_t>::max());
    reader.number("repeat", filter.repeat, Quantity::count, 1, 64);
    filter.step = filter.bits.width;
    if (filter.repeat > 1) reader.number("step", filter.step, Quantity::count, 1, 64);
  }
  if (map != nullptr && filter.care) {
    reader.text("care_term", filter.care_term);
    if (!filter.care_term.empty()) reader.text("care_format", filter.care_format);
    if (!filter.care_term.empty()) reader.flag("care_inverted", filter.care_inverted);
  }
  if (map != nullptr && reader.has("invert")) {
    reader.number("invert", filter.invert.emplace(), Quantity::count, 0, 63);
    filter.invert_word = filter.word;
    if (reader.has("invert_register")) filter.invert_word = read_register_of(reader, "invert_register", *map);
    reader.text("invert_term", filter.invert_term);
    if (!filter.invert_term.empty()) reader.text("invert_format", filter.invert_format);
  }
  if (reader.has("enable")) reader.number("enable", filter.enable.emplace(), Quantity::count, 0, 63);
  if (reader.has("disable")) reader.number("disable", filter.disable.emplace(), Quantity::count, 0, 63);
  if (map != nullptr) read_mapped_filter(reader, *map, filter);
  // A driver that has a term turns the filter on where the term says something.
  if (filter.enable && map == nullptr) filter.zero = FilterDescription::Zero::literal;
  reader.choice("zero", filter.zero,
                {{"all", FilterDescription::Zero::all}, {"literal", FilterDescription::Zero::literal}});
  reader.text("format", filter.format);
  if (map == nullptr || filter.match != FilterDescription::Match::mask) return;
  for (auto& [term, bit] : read_numbers(reader, "terms")) {
    if (bit >= filter.bits.width)
      reader.fail("terms", fmt::format("'{}' is bit {}; the field has {}", term, bit, filter.bits.width));
    filter.terms.emplace_back(std::move(term), static_cast<unsigned>(bit));
  }
}

/// The terms by which a driver sets a filter.
void add_terms(Reader& reader, const FilterDescription& filter, TermFormats& formats) {
  for (const auto& [term, bit] : filter.terms)
    formats.add(
        reader,
        {.name_key = "terms", .name = term, .format = fmt::format("{}:{}", filter.format, bit), .may_repeat = true});
  if (filter.terms.empty())
    formats.add(reader, {.name = filter.name,
                         .format = filter.format,
                         .most = std::min(filter.greatest, low_bits(filter.bits.width)),
                         .has_zero = filter.zero == FilterDescription::Zero::literal,
                         .may_repeat = true});
  if (filter.care && !filter.care_term.empty())
    formats.add(reader, {.name_key = "care_term",
                         .name = filter.care_term,
                         .format_key = "care_format",
                         .format = filter.care_format,
                         .most = low_bits(filter.care->width),
                         .may_repeat = true});
  if (!filter.invert_term.empty())
    formats.add(reader, {.name_key = "invert_term",
                         .name = filter.invert_term,
                         .format_key = "invert_format",
                         .format = filter.invert_format,
                         .may_repeat = true});
}

void read_layout(Reader& reader, PmuDescription& pmu) {
  reader.choice("layout", pmu.is_64bit, {{"32-bit", false}, {"64-bit", true}});
  if (pmu.is_64bit) {
    reader.flag("pmcnten", pmu.pmcnten);
    pmu.event_bits = 64;
  }
  reader.number("pmdevarch", pmu.pmdevarch, Quantity::address, 0, kWordMaximum);
  reader.number("counters", pmu.counters);
  reader.number("width", pmu.width);
  reader.flag("atomic_64bit", pmu.atomic_64bit);
  reader.flag("cycle_counter", pmu.cycle_counter);
  reader.number("event_bits", pmu.event_bits);
  reader.number("implementation_defined", pmu.implementation_defined);
}

void read_identity(Reader& reader, PmuDescription& pmu) {
  reader.number("pmiidr", pmu.pmiidr, Quantity::address, 0, kWordMaximum);
  const Value* bytes = reader.take("pmpidr");
  if (bytes != nullptr) {
    if (bytes->kind != Value::Kind::sequence || bytes->items.size() != pmu.pmpidr.size())
      reader.fail("pmpidr", "must be a list of five bytes: PMPIDR0 to PMPIDR4");
    for (std::size_t index = 0; index < pmu.pmpidr.size(); ++index) {
      const std::uint64_t byte = read_whole(bytes->items[index], reader.path_of("pmpidr"));
      if (byte > 0xff) reader.fail("pmpidr", fmt::format("{:#x} is no byte", byte));
      pmu.pmpidr.at(index) = static_cast<std::uint8_t>(byte);
    }
    reader.put("pmpidr", *bytes);
  }
  reader.number("implementation_id", pmu.implementation_id, Quantity::address, 0, kWordMaximum);
}

void read_node(Reader& reader, PmuDescription& pmu) {
  reader.choice("type", pmu.type, types());
  reader.text("hid", pmu.hid);
  const auto read = [&](std::string_view key, std::optional<std::uint32_t>& number) {
    if (reader.has(key)) reader.number(key, number.emplace(), Quantity::count, 0, kWordMaximum / 2);
  };
  read("instance", pmu.instance);
  read("id", pmu.id);
  if (reader.has("cpu")) reader.number("cpu", pmu.cpu.emplace());
  reader.text("perf_name", pmu.perf_name);
}

void read_interrupt(Reader& reader, PmuDescription& pmu) {
  reader.optional_object("interrupt", [&](Reader& interrupt) {
    soc::InterruptDescription& its = pmu.interrupt.emplace();
    constexpr unsigned kLastMessage = 31;
    if (pmu.map && interrupt.has("message")) {
      its.trigger = InterruptTrigger::edge;
      return interrupt.number("message", its.message.emplace(), Quantity::count, 0, kLastMessage);
    }
    if (pmu.map && (interrupt.has("address") || interrupt.has("data"))) {
      its.trigger = InterruptTrigger::edge;
      its.written.emplace() = {read_register_of(interrupt, "address", *pmu.map),
                               read_register_of(interrupt, "data", *pmu.map)};
      return;
    }
    if (pmu.map && interrupt.has("lines")) {
      interrupt.list("lines", [&](Reader& line, std::size_t) {
        soc::LineDescription& one = its.lines.emplace_back();
        line.number("number", one.number, Quantity::count, 0, kWordMaximum, Presence::required);
        one.counters = read_bits(line, "counters");
      });
      if (its.lines.empty()) interrupt.fail("lines", "are missing", "for example {number: 64, counters: 0-7}");
    } else {
      interrupt.number("number", its.number, Quantity::count, 0, kWordMaximum, Presence::required);
      if (pmu.map) interrupt.number("count", its.count, Quantity::count, 1, soc::kMaximumCounters);
    }
    interrupt.choice("trigger", its.trigger, {{"level", InterruptTrigger::level}, {"edge", InterruptTrigger::edge}});
    interrupt.flag("shared", its.shared);
  });
}

void read_sockets(Reader& reader, PmuDescription& pmu) {
  if (const Value* sockets = reader.take("sockets"); sockets != nullptr) {
    if (sockets->kind != Value::Kind::sequence || sockets->items.empty())
      reader.fail("sockets", "must be a list of sockets", "for example [0]");
    for (const Value& item : sockets->items)
      pmu.sockets.push_back(static_cast<unsigned>(std::min(read_whole(item, reader.path_of("sockets")), kWordMaximum)));
    reader.put("sockets", *sockets);
  }
}

void read_events_and_filters(Reader& reader, const Sources& sources, TermFormats& formats, PmuDescription& pmu) {
  reader.list("events",
              [&](Reader& event, std::size_t) { read_event(event, sources, pmu.map.has_value(), pmu.events); });
  read_common_requirements(reader, sources.all, pmu);
  reader.list("filters", [&](Reader& filter, std::size_t) {
    read_filter(filter, sources.all, pmu.map ? &*pmu.map : nullptr, pmu.filters.emplace_back());
    add_terms(filter, pmu.filters.back(), formats);
  });
}

/// A PMU with a register map.
void read_mapped_pmu(Reader& reader, const Sources& sources, PmuDescription& pmu) {
  reader.text("name", pmu.name, Presence::required);
  read_sockets(reader, pmu);
  TermFormats formats;
  read_map(reader, formats, pmu);
  reader.number("clock", pmu.clock_hz, Quantity::frequency);
  read_interrupt(reader, pmu);
  read_events_and_filters(reader, sources, formats, pmu);
  reader.list("refused", [&](Reader& one, std::size_t) {
    soc::RefusedTerms& its = pmu.refused.emplace_back();
    its.terms = read_numbers(one, "terms");
    for (const auto& [term, value] : its.terms) formats.check_refused(one, term, value);
    one.choice("error", its.error,
               {{"EINVAL", "EINVAL"}, {"ENOENT", "ENOENT"}, {"EOPNOTSUPP", "EOPNOTSUPP"}, {"ERANGE", "ERANGE"}});
  });
  // A counter without a selector has an event of any number.
  for (const EventDescription& event : pmu.events) {
    if (event.counters && event.counters->width == 1)
      pmu.event_bits = std::max(pmu.event_bits, static_cast<unsigned>(std::bit_width(event.number)));
  }
}

void read_pmu(Reader& reader, const Sources& sources, PmuDescription& pmu) {
  reader.text("name", pmu.name, Presence::required);
  read_sockets(reader, pmu);
  read_identity(reader, pmu);
  reader.number("base", pmu.base, Quantity::address, 0, std::numeric_limits<std::uint64_t>::max(), Presence::required);
  if (reader.has("page1")) reader.number("page1", pmu.page1.emplace(), Quantity::address);
  read_layout(reader, pmu);
  reader.number("clock", pmu.clock_hz, Quantity::frequency);
  read_interrupt(reader, pmu);
  read_node(reader, pmu);
  TermFormats formats;
  read_events_and_filters(reader, sources, formats, pmu);
}

}  // namespace

std::vector<SourceDescription> fabric_sources_of(const platform::PlatformSpec& platform) {
  const auto& complexes =
      platform.has<platform::Tegra410Spec>() ? platform.of<platform::Tegra410Spec>().pcie.root_complexes : std::nullopt;
  std::vector<SourceDescription> sources;
  for (const soc::FabricSource& fabric : soc::fabric_sources()) {
    switch (fabric.cause) {
      case soc::Cause::ucf:
        if (!platform.has<platform::Tegra410Spec>()) break;
        for (const tegra410::UcfEventCode& event : tegra410::kUcfEvents)
          sources.push_back(soc::describe(fabric, event.name));
        break;
      case soc::Cause::pcie:
      case soc::Cause::pcie_tgt:
        if (platform.has<platform::Tegra410Spec>() && (!complexes || !complexes->empty()))
          sources.push_back(soc::describe(fabric));
        break;
      case soc::Cause::cxl_message:
      case soc::Cause::cxl_ddr:
        if (!platform.of<platform::CxlSpec>().devices.empty()) sources.push_back(soc::describe(fabric));
        break;
      case soc::Cause::cmn_flit:
      case soc::Cause::cmn_home:
        if (!platform.of<platform::CmnMeshesSpec>().meshes.empty()) sources.push_back(soc::describe(fabric));
        break;
      case soc::Cause::streams:
      case soc::Cause::plugin:
        break;
    }
  }
  if (const auto* const plugin = platform.part<platform::PluginSpec>(); plugin != nullptr)
    sources.insert(sources.end(), plugin->facts.sources.begin(), plugin->facts.sources.end());
  return sources;
}

void read_description(Reader& reader, platform::PlatformSpec& platform) {
  Description& description = platform.edit<platform::SocSpec>();
  const std::vector<SourceDescription> fabrics = fabric_sources_of(platform);
  std::set<std::string> names;
  reader.list("sources", [&](Reader& source, std::size_t) {
    read_source(source, description.sources.emplace_back());
    const std::string& name = description.sources.back().name;
    if (!names.insert(name).second) source.fail("name", fmt::format("'{}' is that of another source", name));
    if (std::ranges::any_of(fabrics, [&](const auto& one) { return one.name == name; }))
      source.fail("name", fmt::format("'{}' is that of a source that the platform's fabric is", name),
                  "give it another, or leave it out to count what happens in the fabric");
  });
  std::vector<PmuDescription> pmus;
  reader.list("coresight_pmus", [&](Reader& pmu, std::size_t) {
    read_pmu(pmu, {description, fabrics}, pmus.emplace_back());
  });
  reader.list("pmus", [&](Reader& pmu, std::size_t) {
    read_mapped_pmu(pmu, {description, fabrics}, pmus.emplace_back());
  });
  description.pmus = std::move(pmus);
  if (description.pmus.empty() && !description.sources.empty())
    reader.fail("sources", "are there, but no PMU that counts what they cause",
                "describe one under coresight_pmus or pmus");
}

}  // namespace pmufab::scenario
