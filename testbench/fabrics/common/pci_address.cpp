// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/pci_address.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace pmufab::scenario {
namespace {

std::optional<PciAddress> parse_pci_address(std::string_view text) {
  constexpr std::array<std::pair<char, std::size_t>, 4> kParts{{{':', 4}, {':', 2}, {'.', 2}, {'\0', 1}}};
  constexpr unsigned kDevices = 32;
  constexpr unsigned kFunctions = 8;
  std::array<unsigned, 4> values{};
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    const auto [separator, digits] = kParts.at(part);
    const std::size_t end = separator == '\0' ? text.size() : text.find(separator);
    if (end != digits) return std::nullopt;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + end, values.at(part), 16);
    if (error != std::errc() || rest != text.data() + end) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (values[2] >= kDevices || values[3] >= kFunctions) return std::nullopt;
  return PciAddress{static_cast<std::uint16_t>(values[0]), static_cast<std::uint8_t>(values[1]),
                    static_cast<std::uint8_t>(values[2]), static_cast<std::uint8_t>(values[3])};
}

}  // namespace

PciAddress read_pci_address(Reader& reader, std::string_view key, std::string_view otherwise, std::string_view what) {
  std::string text(otherwise);
  reader.text(key, text, otherwise.empty() ? Presence::required : Presence::optional);
  const std::optional<PciAddress> address = parse_pci_address(text);
  if (!address)
    reader.fail(key, fmt::format("'{}' is no address of {}", text, what),
                "segment, bus, device and function in hexadecimal digits, for example 0001:30:03.0");
  return *address;
}

}  // namespace pmufab::scenario
