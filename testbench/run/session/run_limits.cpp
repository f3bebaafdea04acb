// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/run_limits.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "testbench/run/yaml/quantity.h"
#include "testbench/run/yaml/reader.h"

namespace pmufab::scenario {
namespace {

struct Limit {
  std::string_view name;
  std::uint64_t RunLimits::*value;
  Quantity quantity;
  std::uint64_t minimum;  // 1: it cannot be switched off
  std::uint64_t maximum;
};

constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::array<Limit, 8> kLimits = {{
    {"log", &RunLimits::log, Quantity::bytes, 4096, 1ULL << 30},
    {"memory", &RunLimits::memory, Quantity::bytes, 0, kAny},
    {"files", &RunLimits::files, Quantity::count, 0, kAny},
    {"processes", &RunLimits::processes, Quantity::count, 0, kAny},
    {"readings", &RunLimits::readings, Quantity::count, 1, kAny},
    {"trace", &RunLimits::trace, Quantity::bytes, 4096, 1ULL << 40},
    {"processor-time", &RunLimits::processor_time, Quantity::duration, 0, kMaximumDuration},
    {"simulated-time", &RunLimits::simulated_time, Quantity::duration, 0, kMaximumDuration},
}};

}  // namespace

void set_limit(RunLimits& limits, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const auto* const limit = std::ranges::find_if(kLimits, [&](const Limit& one) { return one.name == name; });
  if (limit == kLimits.end()) {
    std::vector<std::string> names;
    for (const Limit& one : kLimits) names.emplace_back(one.name);
    throw InputError(fmt::format("--limit {}: there is no limit '{}'", text, name), "limits are " + quoted_list(names));
  }
  if (name.size() == text.size()) throw InputError(fmt::format("--limit {}: gives no value", text), "write KEY=VALUE");
  const std::string value = text.substr(name.size() + 1);
  std::uint64_t number = 0;
  try {
    number = parse_quantity(value, limit->quantity);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("--limit {}: '{}' {}", text, value, error.what()),
                     std::string(example_of(limit->quantity)));
  }
  if (number < limit->minimum || number > limit->maximum) {
    throw InputError(fmt::format("--limit {}: {} is outside {} ... {}", text, value,
                                 format_quantity(limit->minimum, limit->quantity),
                                 format_quantity(limit->maximum, limit->quantity)));
  }
  limits.*limit->value = number;
}

std::string in_words(const RunLimits& limits) {
  std::string text;
  for (const Limit& limit : kLimits)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", limit.name,
                        format_quantity(limits.*limit.value, limit.quantity));
  return text;
}

void check_limits(const ScenarioSpec& spec, const RunLimits& limits) {
  for (const MeasureSpec& measure : spec.measures) {
    if (measure.interval == 0) continue;
    Picoseconds span = measure.window;
    if (span == 0) {
      const std::optional<Picoseconds> end = measure.stop ? measure.stop : spec.duration;
      if (end && !measure.follows && *end > measure.start) span = *end - measure.start;
    }
    if (span / measure.interval > limits.readings) {
      throw InputError(
          measure.source, fmt::format("measure '{}'", measure.name),
          fmt::format("an interval of {} in {} makes {}", format_quantity(measure.interval, Quantity::duration),
                      format_quantity(span, Quantity::duration), too_many_readings(limits)));
    }
  }
}

std::string too_many_readings(const RunLimits& limits) {
  return fmt::format("more than {} interval readings of a measure (--limit readings=N allows more)", limits.readings);
}

}  // namespace pmufab::scenario
