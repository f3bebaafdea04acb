// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/quantity.h"
#include "tlm/clock/clock_domain.h"

/// Values of a scenario's document, in few words.
namespace pmufab::verify {

inline constexpr Picoseconds kMicrosecond = 1'000'000;

[[nodiscard]] inline scenario::Value number(std::uint64_t value) {
  return scenario::Value::of(fmt::format("{}", value));
}
[[nodiscard]] inline scenario::Value hexadecimal(std::uint64_t value) {
  return scenario::Value::of(fmt::format("{:#x}", value));
}
[[nodiscard]] inline scenario::Value flag(bool value) { return scenario::Value::of(value ? "true" : "false"); }
[[nodiscard]] inline scenario::Value word(std::string text) { return scenario::Value::of(std::move(text)); }
[[nodiscard]] inline scenario::Value time(Picoseconds value) {
  return scenario::Value::of(scenario::format_quantity(value, scenario::Quantity::duration));
}

/// A map with these entries, in this order.
[[nodiscard]] inline scenario::Value map(std::vector<std::pair<std::string, scenario::Value>> entries) {
  scenario::Value value = scenario::Value::map();
  for (auto& entry : entries) value.add(std::move(entry.first), std::move(entry.second));
  return value;
}
/// An item of `firmware_writes`. @param size  bytes
[[nodiscard]] inline scenario::Value firmware_write(std::uint64_t address, unsigned size, std::uint64_t value) {
  return map({{"address", hexadecimal(address)}, {"size", number(size)}, {"value", hexadecimal(value)}});
}
[[nodiscard]] inline scenario::Value list(std::vector<scenario::Value> items) {
  scenario::Value value = scenario::Value::sequence();
  value.items = std::move(items);
  return value;
}

}  // namespace pmufab::verify
