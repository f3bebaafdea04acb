// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/pattern_loader.h"

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace pmufab::scenario {

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
