// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/measured_value.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace pmufab::explore {
namespace {

using scenario::InputError;
using scenario::Json;
using Of = MeasuredValue::Of;

constexpr const char* kFirstKeys[] = {"", "event", "derived", "check", "traffic"};
constexpr const char* kObjects[] = {"run", "event", "derived figure", "check", "generator"};

[[noreturn]] void refuse(const MeasuredValue& value, const std::string& what, const std::string& wanted,
                         const std::vector<std::string>& there) {
  throw InputError(value.source, value.path, fmt::format("{} '{}'", what, wanted), scenario::suggest(wanted, there));
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

/// Follow the keys. @return nothing for null
std::optional<double> number_at(const Json& object, const MeasuredValue& value) {
  const Json* at = &object;
  for (const std::string& key : value.value) {
    if (at->is_null()) return std::nullopt;
    if (!at->is_object())
      throw InputError(value.source, value.path, fmt::format("the results have nothing below this: '{}'", key));
    if (!at->contains(key))
      refuse(value, fmt::format("the {} has no value", kObjects[static_cast<std::size_t>(value.of)]), key,
             keys_of(*at));
    at = &at->at(key);
  }
  if (at->is_null()) return std::nullopt;
  if (at->is_boolean()) return at->get<bool>() ? 1 : 0;
  if (at->is_number()) return at->get<double>();
  if (at->is_array()) return static_cast<double>(at->size());
  throw InputError(value.source, value.path,
                   fmt::format("'{}' is {}, not a number", fmt::join(value.value, "."),
                               at->is_object() ? "several values" : "a text"),
                   at->is_object() ? "name one of them: " + scenario::quoted_list(keys_of(*at)) : "");
}

/// What has the name in all lists that may have it.
struct Found {
  std::vector<const Json*> objects;
  std::vector<std::string> measures;
  std::vector<std::string> others;  // names there are besides
};

void look_into(const Json& list, const char* key, const std::string& measure, const MeasuredValue& value,
               Found& found) {
  for (const Json& object : list) {
    if (!object.contains(key) || !object.at(key).is_string()) continue;
    const auto& name = object.at(key).get_ref<const std::string&>();
    if (name == value.name || fnmatch(value.name.c_str(), name.c_str(), 0) == 0) {
      found.objects.push_back(&object);
      found.measures.push_back(measure);
    } else {
      found.others.push_back(name);
    }
  }
}

Found find(const Json& run, const MeasuredValue& value) {
  Found found;
  if (value.of == Of::check) {
    look_into(run.at("checks"), "name", {}, value, found);
    return found;
  }
  if (value.of == Of::traffic) {
    look_into(run.at("traffic"), "name", {}, value, found);
    return found;
  }
  std::vector<std::string> measures;
  for (const Json& measure : run.at("measures")) {
    const auto name = measure.at("name").get<std::string>();
    measures.push_back(name);
    if (!value.measure.empty() && value.measure != name) continue;
    const bool is_event = value.of == Of::event;
    look_into(measure.at(is_event ? "counters" : "derived"), is_event ? "event" : "name", name, value, found);
  }
  if (!value.measure.empty() && std::ranges::find(measures, value.measure) == measures.end())
    refuse(value, "the scenario has no measure", value.measure, measures);
  return found;
}

/// The estimate of a counter from the intervals of its measure.
std::optional<double> estimate_in(const Json& run, const Json* counter, const MeasuredValue& value) {
  for (const Json& measure : run.at("measures")) {
    const Json& counters = measure.at("counters");
    const auto place = std::ranges::find_if(counters, [&](const Json& one) { return &one == counter; });
    if (place == counters.end()) continue;
    const auto index = static_cast<std::size_t>(place - counters.begin());
    std::vector<CountedSpan> spans;
    for (const Json& interval : measure.at("intervals")) {
      const Json& increase = interval.at("increase").at(index);
      if (increase.is_null()) return std::nullopt;
      spans.push_back({interval.at("time_enabled_ps").at(index).get<double>(),
                       interval.at("time_running_ps").at(index).get<double>(), increase.get<double>()});
    }
    if (spans.empty())
      throw InputError(value.source, value.path, "the measure has no intervals to estimate from",
                       "give the measure an interval as long as host.rotation");
    return estimated_count(spans, value.estimate);
  }
  return std::nullopt;
}

double combined(const std::vector<double>& numbers, MeasuredValue::Combine combine) {
  switch (combine) {
    case MeasuredValue::Combine::minimum:
      return *std::ranges::min_element(numbers);
    case MeasuredValue::Combine::maximum:
      return *std::ranges::max_element(numbers);
    default:
      break;
  }
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

}  // namespace

bool MeasuredValue::needs_judge() const {
  if (estimate != TurnsEstimate::none || value.empty()) return false;
  const std::string& first = value.front();
  switch (of) {
    case Of::event:
      return first != "driver" && first != "time_enabled_ps" && first != "time_running_ps" &&
             first != "reading_latency_ps";
    case Of::derived:
      return first != "value";
    case Of::check:
      return name == "scoreboard";
    case Of::run:
      return first == "counters_wrong" || first == "findings";
    default:
      return false;
  }
}

std::string MeasuredValue::identity() const {
  return fmt::format("{} {} of {} in {} ({}, {})", fmt::join(value, "."), kFirstKeys[static_cast<std::size_t>(of)],
                     name, measure, static_cast<int>(combine), static_cast<int>(estimate));
}

MeasuredValue read_measured_value(scenario::Reader& reader) {
  MeasuredValue value;
  value.source = reader.source();
  value.path = reader.path();
  for (std::size_t i = 1; i < std::size(kFirstKeys); ++i) {
    if (!reader.has(kFirstKeys[i])) continue;
    if (value.of != Of::run)
      reader.fail(kFirstKeys[i], fmt::format("'{}' is given, too", kFirstKeys[static_cast<std::size_t>(value.of)]),
                  "a value is that of one thing");
    value.of = static_cast<Of>(i);
    reader.text(kFirstKeys[i], value.name, scenario::Presence::required);
  }
  if (value.of == Of::event || value.of == Of::derived) reader.text("measure", value.measure);
  if (value.of == Of::event && reader.has("estimate")) {
    reader.choice("estimate", value.estimate,
                  {{"none", TurnsEstimate::none},
                   {"interpolated", TurnsEstimate::interpolated},
                   {"neighbours", TurnsEstimate::neighbours}});
    if (reader.has("value")) reader.fail("value", "'estimate' is given, too", "leave out one of them");
  }
  std::string keys = value.of == Of::check || value.estimate != TurnsEstimate::none ? "ok"
                     : value.of == Of::derived                                      ? "value"
                                                                                    : "";
  reader.text("value", keys, keys.empty() ? scenario::Presence::required : scenario::Presence::optional);
  for (std::size_t begin = 0; begin <= keys.size();) {
    const std::size_t end = std::min(keys.find('.', begin), keys.size());
    value.value.push_back(keys.substr(begin, end - begin));
    begin = end + 1;
  }
  using Combine = MeasuredValue::Combine;
  if (value.of != Of::run)
    reader.choice(
        "combine", value.combine,
        {{"none", Combine::none}, {"sum", Combine::sum}, {"min", Combine::minimum}, {"max", Combine::maximum}});
  return value;
}

std::optional<double> value_in(const Json& run, const MeasuredValue& value) {
  if (value.of == Of::run) return number_at(run, value);
  const Found found = find(run, value);
  const char* const object = kObjects[static_cast<std::size_t>(value.of)];
  if (found.objects.empty()) refuse(value, fmt::format("the results have no {}", object), value.name, found.others);
  if (found.objects.size() > 1 && value.combine == MeasuredValue::Combine::none)
    throw InputError(value.source, value.path,
                     fmt::format("{} results are of the {} '{}'", found.objects.size(), object, value.name),
                     found.measures.front() != found.measures.back()
                         ? "choose one by 'measure': " + scenario::quoted_list(found.measures)
                         : "combine them: 'combine: sum', 'min' or 'max'");
  std::vector<double> numbers;
  for (const Json* one : found.objects) {
    const std::optional<double> number =
        value.estimate == TurnsEstimate::none ? number_at(*one, value) : estimate_in(run, one, value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return combined(numbers, value.combine);
}

namespace {

/// A span that had a counter for most of its time: the middle of the span, and its rate.
struct Known {
  double time;
  double rate;
};

double interpolated(const std::vector<Known>& known, double time) {
  const auto after = std::ranges::find_if(known, [&](const Known& one) { return one.time >= time; });
  if (after == known.begin()) return known.front().rate;
  if (after == known.end()) return known.back().rate;
  const Known& before = *(after - 1);
  return before.rate + (after->rate - before.rate) * (time - before.time) / (after->time - before.time);
}

double mean_of_neighbours(std::vector<Known> known, double time) {
  constexpr std::size_t kNeighbours = 5;
  const std::size_t count = std::min(kNeighbours, known.size());
  std::partial_sort(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count), known.end(),
                    [&](const Known& a, const Known& b) { return std::abs(a.time - time) < std::abs(b.time - time); });
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += known[i].rate;
  return sum / static_cast<double>(count);
}

}  // namespace

std::optional<double> estimated_count(const std::vector<CountedSpan>& spans, TurnsEstimate how) {
  std::vector<Known> known;
  std::vector<double> middles;
  double time = 0;
  for (const CountedSpan& span : spans) {
    middles.push_back(time + span.enabled / 2);
    time += span.enabled;
    if (span.running > span.enabled / 2) known.push_back({middles.back(), span.counted / span.running});
  }
  if (known.empty()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const CountedSpan& span = spans[i];
    const double missing = std::max(0.0, span.enabled - span.running);
    const double rate = span.running > span.enabled / 2      ? span.counted / span.running
                        : how == TurnsEstimate::interpolated ? interpolated(known, middles[i])
                                                             : mean_of_neighbours(known, middles[i]);
    sum += span.counted + rate * missing;
  }
  return sum;
}

}  // namespace pmufab::explore
