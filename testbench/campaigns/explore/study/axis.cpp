// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/yaml/document.h"
#include "testbench/run/yaml/reader.h"

namespace pmufab::explore {
namespace {

using scenario::InputError;
using scenario::Presence;
using scenario::Quantity;
using scenario::Reader;
using scenario::Value;

constexpr std::size_t kMostValues = 1'000'000;

/// A number as written: "0.1", "5 us".
struct Amount {
  double number = 0;
  Quantity quantity = Quantity::count;
};

std::optional<Amount> amount_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(number)) return Amount{number};
  for (const Quantity quantity : {Quantity::count, Quantity::duration, Quantity::frequency, Quantity::bytes}) {
    try {
      return Amount{static_cast<double>(scenario::parse_quantity(text, quantity)), quantity};
    } catch (const std::invalid_argument&) {
      continue;  // another unit
    }
  }
  return std::nullopt;
}

std::string text_of(double number, Quantity quantity) {
  return quantity == Quantity::count
             ? fmt::format("{:.12g}", number)
             : scenario::format_quantity(static_cast<std::uint64_t>(std::llround(number)), quantity);
}

Amount read_amount(Reader& reader, const char* key) {
  std::string text;
  reader.text(key, text, Presence::required);
  const std::optional<Amount> amount = amount_of(text);
  if (!amount) reader.fail(key, fmt::format("'{}' is no number", text), "for example 8, 0.5, 5 us or 2 GHz");
  return *amount;
}

/// "from" and "to" of a range.
struct Ends {
  Amount from;
  Amount to;
  Quantity quantity = Quantity::count;
};

Ends read_ends(Reader& reader) {
  Ends ends{read_amount(reader, "from"), read_amount(reader, "to")};
  ends.quantity = ends.from.quantity == Quantity::count ? ends.to.quantity : ends.from.quantity;
  const auto fits = [&](const Amount& end) { return end.quantity == ends.quantity || end.number == 0; };
  if (!fits(ends.from) || !fits(ends.to)) reader.fail("to", "has another unit than 'from'");
  if (ends.from.number >= ends.to.number) reader.fail("to", "must be more than 'from'");
  return ends;
}

/// @param whole  numbers without a unit are rounded to whole ones
std::vector<std::string> texts_of(const std::vector<double>& numbers, Quantity quantity, bool whole) {
  std::vector<std::string> texts;
  for (const double number : numbers) {
    std::string text = text_of(whole ? std::round(number) : number, quantity);
    if (texts.empty() || texts.back() != text) texts.push_back(std::move(text));
  }
  return texts;
}

std::size_t read_points(Reader& reader) {
  std::size_t points = 0;
  reader.number("points", points, Quantity::count, 2, kMostValues, Presence::required);
  return points;
}

std::vector<std::string> read_range(Reader& reader) {
  const Ends ends = read_ends(reader);
  bool whole = false;
  reader.flag("whole", whole);
  std::vector<double> numbers;
  const double span = ends.to.number - ends.from.number;
  if (reader.has("points")) {
    if (reader.has("step")) reader.fail("step", "a range has a step or a number of points, not both");
    const std::size_t points = read_points(reader);
    for (std::size_t i = 0; i < points; ++i)
      numbers.push_back(ends.from.number + span * static_cast<double>(i) / static_cast<double>(points - 1));
    return texts_of(numbers, ends.quantity, whole);
  }
  double step = 1;
  if (reader.has("step")) {
    const Amount amount = read_amount(reader, "step");
    if (amount.quantity != ends.quantity) reader.fail("step", "has another unit than 'from' and 'to'");
    step = amount.number;
  } else if (ends.quantity != Quantity::count) {
    reader.fail("from", "a range with a unit needs a step or a number of points", "for example step: 1 us");
  }
  if (step <= 0) reader.fail("step", "must be more than 0");
  constexpr double kRounding = 1e-9;
  const double steps = std::floor(span / step + kRounding);
  if (steps >= static_cast<double>(kMostValues))
    reader.fail("step", fmt::format("makes more than {} values", kMostValues));
  for (std::size_t i = 0; i <= static_cast<std::size_t>(steps); ++i)
    numbers.push_back(ends.from.number + step * static_cast<double>(i));
  return texts_of(numbers, ends.quantity, whole);
}

std::vector<std::string> read_logarithmic(Reader& reader) {
  const Ends ends = read_ends(reader);
  bool whole = false;
  reader.flag("whole", whole);
  if (ends.from.number <= 0) reader.fail("from", "must be more than 0 in a logarithmic range");
  const std::size_t points = read_points(reader);
  std::vector<double> numbers;
  const double ratio = ends.to.number / ends.from.number;
  for (std::size_t i = 0; i < points; ++i)
    numbers.push_back(ends.from.number * std::pow(ratio, static_cast<double>(i) / static_cast<double>(points - 1)));
  return texts_of(numbers, ends.quantity, whole);
}

Setting setting_of(const std::string& path, const Value& value, const scenario::Source& source,
                   const std::string& place) {
  Setting setting{path + "=" + scenario::to_flow_yaml(value), source};
  try {
    static_cast<void>(scenario::parse_override(setting.text, "set"));
  } catch (const InputError& error) {
    throw InputError(source, place, fmt::format("'{}' {}", path, error.reason()), error.suggestion());
  }
  return setting;
}

std::string label_of(const Value& value) {
  return value.kind == Value::Kind::scalar ? value.scalar : scenario::to_flow_yaml(value);
}

/// @param paths  that get the value
AxisValue axis_value(const std::vector<std::string>& paths, const Value& value, const std::string& place) {
  AxisValue one;
  one.label = label_of(value);
  if (value.kind == Value::Kind::scalar && !value.quoted) one.number = number_of(value.scalar);
  for (const std::string& path : paths) one.settings.push_back(setting_of(path, value, value.source, place));
  return one;
}

const Value& read_list(Reader& reader, const char* key) {
  const Value* const list = reader.take(key);
  if (list->kind != Value::Kind::sequence || list->items.empty())
    reader.fail(key, fmt::format("must be a list of values, not {}",
                                 list->kind == Value::Kind::sequence ? "an empty one" : describe(list->kind)));
  return *list;
}

/// Values of a list, a range or a logarithmic range, which some paths get.
void read_values(Reader& reader, Axis& axis) {
  std::vector<std::string> paths;
  reader.texts("set", paths, Presence::required);
  const scenario::Source source = reader.source();
  const auto add = [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      Value value = Value::of(text);
      value.source = source;
      axis.values.push_back(axis_value(paths, value, reader.path()));
    }
  };
  if (reader.has("values")) {
    for (const Value& value : read_list(reader, "values").items)
      axis.values.push_back(axis_value(paths, value, reader.path_of("values")));
  }
  reader.optional_object("range", [&](Reader& range) { add(read_range(range)); });
  reader.optional_object("log", [&](Reader& range) { add(read_logarithmic(range)); });
}

void read_cases(Reader& reader, Axis& axis) {
  const Value& cases = *reader.take("cases");
  const std::string path = reader.path_of("cases");
  for (const Value::Entry& entry : cases.entries)
    axis.values.push_back({entry.key, read_settings(entry.value, path + "." + entry.key), {}});
  for (std::size_t i = 0; i < cases.items.size(); ++i) {
    AxisValue one;
    one.settings = read_settings(cases.items[i], fmt::format("{}[{}]", path, i));
    for (const Value::Entry& entry : cases.items[i].entries)
      one.label += (one.label.empty() ? "" : " ") + label_of(entry.value);
    axis.values.push_back(std::move(one));
  }
}

void check_labels(Reader& reader, const Axis& axis) {
  if (axis.values.empty()) reader.fail("set", "the axis has no values", "add values, range, log, cases or drivers");
  std::set<std::string> labels;
  for (const AxisValue& value : axis.values) {
    if (!labels.insert(value.label).second)
      throw InputError(axis.source, axis.path, fmt::format("has the value '{}' twice", value.label),
                       "give each value once, and each case a name of its own");
  }
}

}  // namespace

bool Axis::has_numbers() const noexcept {
  return std::ranges::all_of(values, [](const AxisValue& value) { return value.number.has_value(); });
}

std::optional<double> number_of(const std::string& text) {
  const std::optional<Amount> amount = amount_of(text);
  return amount ? std::optional(amount->number) : std::nullopt;
}

std::vector<Setting> read_settings(const Value& map, const std::string& path) {
  if (map.kind != Value::Kind::map)
    throw InputError(map.source, path, fmt::format("must be a map of paths to values, not {}", describe(map.kind)),
                     "for example {host.interrupt_delay: 5 us}");
  std::vector<Setting> settings;
  for (const Value::Entry& entry : map.entries)
    settings.push_back(setting_of(entry.key, entry.value, entry.source, path));
  return settings;
}

Axis read_axis(const Value::Entry& entry, const std::string& path) {
  Axis axis;
  axis.name = entry.key;
  axis.source = entry.source;
  axis.path = path;
  if (entry.value.kind != Value::Kind::map)
    throw InputError(entry.value.source, path, fmt::format("must be a map, not {}", describe(entry.value.kind)),
                     "for example {set: host.interrupt_delay, values: [0, 5 us]}");
  Value effective = Value::map();
  Reader reader(entry.value, path, effective);
  unsigned kinds = 0;
  for (const char* key : {"values", "range", "log", "cases", "drivers"}) kinds += reader.has(key) ? 1 : 0;
  if (kinds > 1) reader.fail("set", "has several kinds of values", "give one of values, range, log, cases, drivers");
  if (reader.has("drivers")) {
    axis.selects_drivers = true;
    for (const Value& version : read_list(reader, "drivers").items) axis.values.push_back({version.scalar, {}, {}});
  } else if (reader.has("cases")) {
    read_cases(reader, axis);
  } else {
    read_values(reader, axis);
  }
  reader.finish();
  check_labels(reader, axis);
  return axis;
}

}  // namespace pmufab::explore
