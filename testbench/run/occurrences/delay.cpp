// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/delay.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/yaml/input_file.h"

namespace pmufab::scenario {
namespace {

using Kind = DelaySpec::Kind;

constexpr std::size_t kMostTimes = 10'000;
constexpr std::uint64_t kMostWeight = 1'000'000'000'000;
constexpr std::size_t kLargestFile = 1U << 20;

/// Add a row of a table. @param place, path  for messages
void add_row(std::string_view time, std::string_view weight, const Source& place, const std::string& path,
             const DelayLimits& limits, DelaySpec& out) {
  DelaySpec::Weighted row;
  const auto parse = [&](std::string_view text, Quantity quantity, std::uint64_t most) {
    try {
      const std::uint64_t number = parse_quantity(text, quantity);
      if (number <= most) return number;
      throw InputError(place, path, fmt::format("{} is above {}", text, format_quantity(most, quantity)));
    } catch (const std::invalid_argument& error) {
      throw InputError(place, path, fmt::format("'{}' {}", text, error.what()), std::string(example_of(quantity)));
    }
  };
  row.time = parse(time, Quantity::duration, limits.most);
  row.weight = parse(weight, Quantity::count, kMostWeight);
  if (out.table.size() == kMostTimes)
    throw InputError(place, path, fmt::format("has more than {} rows", kMostTimes), "put near times together");
  out.table.push_back(row);
}

/// Lines of `TIME` or `TIME,WEIGHT`; `#` begins a comment.
void read_rows(const std::filesystem::path& file, const DelayLimits& limits, DelaySpec& out) {
  const std::string text = read_input(file, kLargestFile);
  const auto name = std::make_shared<const std::string>(file.generic_string());
  if (text.size() > kLargestFile) throw InputError(Source{name}, {}, "is larger than 1 MiB", "put near times together");
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t comma = line.find(',');
    add_row(line.substr(0, comma), comma == std::string_view::npos ? "1" : line.substr(comma + 1),
            Source{name, number, 1}, {}, limits, out);
  }
}

void read_table(Reader& reader, const DelayLimits& limits, DelaySpec& out) {
  const bool has_file = reader.has("file");
  if (has_file == reader.has("times"))
    reader.fail(
        has_file ? "times" : "file",
        has_file ? "a table is in 'file' or in 'times', not in both" : "the key 'file' is missing, and so is 'times'",
        "for example file: latencies.csv, with lines such as 2.5 us,130");
  if (has_file) {
    const Value& file = *reader.take("file");
    if (file.kind != Value::Kind::scalar || file.scalar.empty()) reader.fail("file", "must be the name of a file");
    const std::filesystem::path name = file.scalar;
    try {
      read_rows(name.is_absolute() || file.source.is_from_option() ? name : (limits.base / name).lexically_normal(),
                limits, out);
    } catch (const InputError& error) {
      if (error.source().line > 0) throw;
      reader.fail("file", error.what());
    }
  } else {
    const Value& times = *reader.take("times");
    if (times.kind != Value::Kind::map)
      reader.fail("times", "must be a map of times to weights", "for example {1 us: 90, 20 us: 10}");
    for (const Value::Entry& entry : times.entries)
      add_row(entry.key, entry.value.scalar, entry.source, reader.path_of("times"), limits, out);
  }
  std::ranges::sort(out.table, [](const DelaySpec::Weighted& one, const DelaySpec::Weighted& other) {
    return one.time < other.time;
  });
  std::vector<DelaySpec::Weighted> merged;
  for (const DelaySpec::Weighted& row : out.table) {
    if (!merged.empty() && merged.back().time == row.time) {
      merged.back().weight += row.weight;
    } else {
      merged.push_back(row);
    }
  }
  out.table = std::move(merged);
  Value table = Value::map();
  std::uint64_t sum = 0;
  for (const DelaySpec::Weighted& row : out.table) {
    sum += row.weight;
    table.add(format_quantity(row.time, Quantity::duration), Value::of(fmt::format("{}", row.weight)));
  }
  if (sum == 0) reader.fail(has_file ? "file" : "times", "has no time with a weight");
  reader.put("times", std::move(table));
}

void read_parameters(Reader& reader, const DelayLimits& limits, DelaySpec& out) {
  const auto time = [&](std::string_view key, Picoseconds& value, Presence presence, Picoseconds least = 0) {
    reader.number(key, value, Quantity::duration, least, limits.most, presence);
  };
  switch (out.kind) {
    case Kind::constant:
      time("time", out.time, Presence::required);
      break;
    case Kind::exponential:
      time("mean", out.time, Presence::required, 1);
      break;
    case Kind::uniform:
      time("from", out.from, Presence::optional);
      time("to", out.to, Presence::required);
      if (out.from > out.to) reader.fail("from", "is above 'to'");
      break;
    case Kind::bursty:
      time("time", out.time, Presence::optional);
      time("burst", out.burst, Presence::required);
      reader.real("share", out.share, 0.000001, 0.999999);
      reader.real("length", out.length, 1, 1e9);
      if (out.share / (1 - out.share) > out.length)
        reader.fail("length", fmt::format("bursts of {} cannot be {} of all", out.length, out.share),
                    "make the bursts longer, or their share smaller");
      break;
    case Kind::empirical:
      read_table(reader, limits, out);
      break;
  }
}

}  // namespace

double DelaySpec::mean() const noexcept {
  switch (kind) {
    case Kind::uniform:
      return (static_cast<double>(from) + static_cast<double>(to)) / 2;
    case Kind::bursty:
      return static_cast<double>(burst) * share + static_cast<double>(time) * (1 - share);
    case Kind::empirical: {
      double sum = 0;
      double weights = 0;
      for (const Weighted& row : table) {
        sum += static_cast<double>(row.time) * static_cast<double>(row.weight);
        weights += static_cast<double>(row.weight);
      }
      return weights > 0 ? sum / weights : 0;
    }
    case Kind::constant:
    case Kind::exponential:
      break;
  }
  return static_cast<double>(time);
}

void read_delay(Reader& reader, std::string_view key, DelaySpec& out, const DelayLimits& limits, Presence presence) {
  const Value* const value = reader.take(key);
  if (value == nullptr || value->kind != Value::Kind::map) {
    reader.number(key, out.time, Quantity::duration, 0, limits.most, presence);
    return;
  }
  reader.object(key, [&](Reader& delay) {
    delay.choice("kind", out.kind,
                 {{"constant", Kind::constant},
                  {"uniform", Kind::uniform},
                  {"exponential", Kind::exponential},
                  {"bursty", Kind::bursty},
                  {"empirical", Kind::empirical}});
    read_parameters(delay, limits, out);
  });
}

Delay::Delay(DelaySpec spec, std::uint64_t seed) : spec_(std::move(spec)), random_(seed) {
  std::uint64_t sum = 0;
  for (const DelaySpec::Weighted& row : spec_.table) ends_.push_back(sum += row.weight);
}

Picoseconds Delay::draw() {
  switch (spec_.kind) {
    case Kind::constant:
      break;
    case Kind::uniform:
      return spec_.from + random_.below(spec_.to - spec_.from + 1);
    case Kind::exponential:
      return random_.exponential(spec_.time);
    case Kind::bursty:
      // Two states with these chances to change have the share and the mean length that are wanted (E. N. Gilbert).
      if (random_.happens(is_in_burst_ ? 1 / spec_.length : spec_.share / ((1 - spec_.share) * spec_.length)))
        is_in_burst_ = !is_in_burst_;
      return is_in_burst_ ? spec_.burst : spec_.time;
    case Kind::empirical: {
      const std::uint64_t point = random_.below(ends_.back());
      const auto row = std::upper_bound(ends_.begin(), ends_.end(), point) - ends_.begin();
      return spec_.table[static_cast<std::size_t>(row)].time;
    }
  }
  return spec_.time;
}

}  // namespace pmufab::scenario
