// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/loaders.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {
namespace {

struct KindOfFile {
  FileKind kind;
  std::string_view words;
  std::string_view taken_by;
  std::vector<std::string_view> keys;  ///< each tells it from the others
};

/// A scenario may hold a platform and traffic in place, but below keys of its own.
const std::vector<KindOfFile>& kinds_of_files() {
  static const std::vector<KindOfFile> kinds = {
      {FileKind::results, "a file of results", "pmufab writes them with --json and --out", {"program"}},
      {FileKind::scenario, "a scenario", "pmufab run takes scenarios", {"measure", "platform", "expect"}},
      {FileKind::traffic, "traffic", "--traffic takes it, and a scenario's key 'traffic'", {"generators"}},
      {FileKind::platform,
       "a platform",
       "pmufab list, regs, map, shell and boot take platforms, and a scenario's key 'platform'",
       {"kind", "sockets", "cpus_per_socket", "meshes", "tegra410", "cxl", "coresight_pmus", "dwc_root_ports",
        "plugin"}},
  };
  return kinds;
}

}  // namespace

void check_kind(const Value& document, const std::string& path, FileKind wanted) {
  const std::vector<KindOfFile>& kinds = kinds_of_files();
  const auto right = std::ranges::find_if(kinds, [&](const auto& kind) { return kind.kind == wanted; });
  const auto found = std::ranges::find_if(kinds, [&](const KindOfFile& kind) {
    return std::ranges::any_of(kind.keys, [&](std::string_view key) { return document.find(key) != nullptr; });
  });
  if (found == kinds.end() || found == right) return;
  const bool has_own =
      std::ranges::any_of(right->keys, [&](std::string_view key) { return document.find(key) != nullptr; });
  if (wanted == FileKind::scenario && has_own) return;  // with a key that belongs further below
  throw InputError(document.source, path, fmt::format("this is {}, not {}", found->words, right->words),
                   std::string(found->taken_by));
}

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

void read_weights(Reader& reader, std::string_view key,
                  const std::function<void(const Value::Entry& entry, std::uint32_t weight)>& read) {
  const Value* value = reader.take(key);
  if (value == nullptr) return;
  if (value->kind != Value::Kind::map)
    reader.fail(key, fmt::format("must be a map of weights, not {}", describe(value->kind)),
                "for example {read: 3, write: 1}");
  if (value->entries.empty()) reader.fail(key, "must not be empty", "for example {read: 3, write: 1}");
  for (const Value::Entry& entry : value->entries) {
    std::uint64_t weight = 0;
    try {
      weight = parse_quantity(entry.value.kind == Value::Kind::scalar ? entry.value.scalar : "", Quantity::count);
    } catch (const std::invalid_argument&) {
      weight = std::numeric_limits<std::uint64_t>::max();
    }
    if (weight > std::numeric_limits<std::uint32_t>::max())
      throw InputError(entry.value.source, reader.path_of(key) + "." + entry.key, "the weight must be a whole number",
                       "for example {read: 3, write: 1}");
    read(entry, static_cast<std::uint32_t>(weight));
  }
}

unsigned number_of_word(const Reader& reader, std::string_view key, const Value::Entry& entry, std::string_view what,
                        const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, entry.key);
  if (found != names.end()) return static_cast<unsigned>(found - names.begin());
  std::string suggestion = did_you_mean(entry.key, names);
  if (suggestion.empty()) suggestion = "one of " + quoted_list(names);
  throw InputError(entry.source, reader.path_of(key), fmt::format("unknown {} '{}'", what, entry.key), suggestion);
}

std::string read_trace_file(Reader& reader, const TraceFiles& files) {
  std::string trace = files.default_trace;
  const bool named = reader.has("file");
  reader.text("file", trace);
  // A relative path given with --set is relative to where the user stands, one in a file to that file.
  const Value* file = reader.take("file");
  const bool from_option = file != nullptr && file->source.is_from_option();
  if (named && !from_option && !trace.empty()) trace = (files.base / trace).lexically_normal().string();
  if (!trace.empty()) files.used.push_back(trace);
  return trace;
}

using namespace traffic;

namespace {

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

}  // namespace

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

}  // namespace pmufab::scenario
