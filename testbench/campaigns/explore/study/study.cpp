// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/study/study.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/yaml/reader.h"

namespace pmufab::explore {
namespace {

using scenario::InputError;
using scenario::Presence;
using scenario::Reader;
using scenario::Value;

// SQLite takes 2000 columns.
constexpr std::size_t kMostNames = 500;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// A name of an axis or a response is also a column, and a name in expressions.
void check_name(const Value::Entry& entry, const std::string& path, const std::vector<std::string>& others) {
  const std::string& name = entry.key;
  const bool is_word = !name.empty() && std::islower(static_cast<unsigned char>(name.front())) != 0 &&
                       name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  if (!is_word)
    throw InputError(entry.source, path, fmt::format("'{}' is no name", name),
                     "small letters, digits and _, beginning with a letter: lost_percent");
  if (contains(others, name)) throw InputError(entry.source, path, fmt::format("'{}' is given twice", name));
  if (contains(reserved_names(), name) || contains(function_names(), name))
    throw InputError(entry.source, path, fmt::format("'{}' has a meaning of its own", name), "choose another name");
  if (others.size() >= kMostNames)
    throw InputError(entry.source, path, fmt::format("a study has at most {} axes and responses", kMostNames));
}

const Value& read_map(Reader& reader, const char* key, const char* example) {
  const Value* const map = reader.take(key);
  if (map == nullptr || map->kind != Value::Kind::map || map->entries.empty())
    reader.fail(key, map == nullptr ? "is missing" : "must be a map of names", example);
  return *map;
}

std::vector<Axis> read_axes(Reader& reader, std::vector<std::string>& names) {
  std::vector<Axis> axes;
  const Value& map = read_map(reader, "axes", "for example axes: {width: {set: PATH, range: {from: 8, to: 16}}}");
  for (const Value::Entry& entry : map.entries) {
    const std::string path = "axes." + entry.key;
    check_name(entry, path, names);
    names.push_back(entry.key);
    axes.push_back(read_axis(entry, path));
  }
  return axes;
}

/// Expressions may name numbers of axes, measured values, and the expressions before them.
std::vector<Response> read_responses(Reader& reader, const std::vector<Axis>& axes, std::vector<std::string>& names) {
  std::vector<Response> responses;
  const Value& map =
      read_map(reader, "responses", "for example responses: {reported: {event: pmu/event/, value: driver}}");
  std::vector<std::string> usable;
  for (const Axis& axis : axes) {
    if (axis.has_numbers()) usable.push_back(axis.name);
  }
  for (const Value::Entry& entry : map.entries) {
    if (entry.value.kind == Value::Kind::map) usable.push_back(entry.key);
  }
  for (const Value::Entry& entry : map.entries) {
    const std::string path = "responses." + entry.key;
    check_name(entry, path, names);
    names.push_back(entry.key);
    Response response{entry.key, {}, {}};
    if (entry.value.kind == Value::Kind::scalar) {
      response.computed.emplace(entry.value.scalar, usable, entry.value.source, path);
      usable.push_back(entry.key);
    } else if (entry.value.kind == Value::Kind::map) {
      Value effective = Value::map();
      Reader value(entry.value, path, effective);
      response.measured = read_measured_value(value);
      value.finish();
    } else {
      throw InputError(entry.value.source, path,
                       fmt::format("must be an expression or a map, not {}", describe(entry.value.kind)),
                       "for example {event: pmu/event/, value: driver}");
    }
    responses.push_back(std::move(response));
  }
  return responses;
}

Points read_points(Reader& reader, bool has_goals) {
  Points points;
  points.kind = has_goals ? Points::Kind::search : Points::Kind::grid;
  const Value* const written = reader.take("points");
  if (written == nullptr) return points;
  if (written->kind == Value::Kind::map) {
    Value effective = Value::map();
    Reader item(*written, "points", effective);
    for (const auto& [key, kind] :
         {std::pair{"latin_hypercube", Points::Kind::latin_hypercube}, {"sobol", Points::Kind::sobol}}) {
      if (!item.has(key)) continue;
      if (points.samples > 0) item.fail(key, "is given besides another choice of points");
      points.kind = kind;
      item.number(key, points.samples, scenario::Quantity::count, 1, kMostRuns);
    }
    if (item.has("seed") && points.kind == Points::Kind::sobol) item.fail("seed", "a Sobol sequence has no seed");
    item.number("seed", points.seed);
    item.finish();
    if (points.samples == 0) item.fail("sobol", "says not how many points", "for example {sobol: 200}");
    return points;
  }
  if (written->scalar == "grid") {
    points.kind = Points::Kind::grid;
  } else if (written->scalar != "search" || !has_goals) {
    reader.fail("points", fmt::format("'{}' is no choice of points", written->scalar),
                has_goals ? "write grid, search, {latin_hypercube: 200} or {sobol: 200}"
                          : "write grid, {latin_hypercube: 200} or {sobol: 200}; search needs find");
  }
  return points;
}

std::size_t read_axis_name(Reader& reader, const char* key, const std::string& name, const Study& study) {
  const std::optional<std::size_t> axis = study.axis_of(name);
  if (axis) return *axis;
  std::vector<std::string> names;
  for (const Axis& one : study.axes) names.push_back(one.name);
  reader.fail(key, fmt::format("there is no axis '{}'", name), scenario::suggest(name, names));
}

/// Names that conditions may have.
std::vector<std::string> numbers_of(const Study& study) {
  std::vector<std::string> names;
  for (const Axis& axis : study.axes) {
    if (axis.has_numbers()) names.push_back(axis.name);
  }
  for (const Response& response : study.responses) names.push_back(response.name);
  return names;
}

Expression read_expression(Reader& reader, const char* key, const std::vector<std::string>& names) {
  std::string text;
  reader.text(key, text, Presence::required);
  return {text, names, reader.take(key)->source, reader.path_of(key)};
}

/// A search takes the order of the values for the order of their sizes.
void check_ascends(Reader& reader, const char* key, const Axis& axis) {
  if (!axis.has_numbers()) return;
  for (std::size_t i = 1; i < axis.values.size(); ++i) {
    if (*axis.values[i - 1].number >= *axis.values[i].number)
      reader.fail(key,
                  fmt::format("the values of '{}' do not ascend: {} stands before {}", axis.name,
                              axis.values[i - 1].label, axis.values[i].label),
                  "write them from the smallest to the largest");
  }
}

void read_goal(Reader& reader, Study& study) {
  const bool is_largest = reader.has("largest");
  if (is_largest && reader.has("smallest")) reader.fail("largest", "a goal has 'smallest' or 'largest', not both");
  const char* const which = is_largest ? "largest" : "smallest";
  std::string name;
  reader.text(which, name, Presence::required);
  if (name.empty()) reader.fail(which, "no axis is named", "for example smallest: width");
  const std::size_t axis = read_axis_name(reader, which, name, study);
  check_ascends(reader, which, study.axes[axis]);
  if (!reader.has("such_that")) reader.fail("such_that", "the key 'such_that' is missing", "for example \"lost == 0\"");
  Goal goal{axis, is_largest, read_expression(reader, "such_that", numbers_of(study)), {}, {}, 0};
  std::vector<std::string> each;
  reader.texts("for_each", each);
  std::vector<std::string> numbers;
  for (const std::string& one : each) {
    const std::size_t other = read_axis_name(reader, "for_each", one, study);
    if (other == axis) reader.fail("for_each", fmt::format("'{}' is the axis that is looked for", one));
    if (std::ranges::find(goal.for_each, other) != goal.for_each.end())
      reader.fail("for_each", fmt::format("'{}' is named twice", one));
    goal.for_each.push_back(other);
    if (study.axes[other].has_numbers()) numbers.push_back(one);
  }
  if (reader.has("closed_form")) {
    if (!study.axes[axis].has_numbers()) reader.fail("closed_form", "the axis that is looked for has no numbers");
    goal.closed_form.emplace(read_expression(reader, "closed_form", numbers));
    reader.real("tolerance", goal.tolerance, 0, 1e18);
  }
  study.goals.push_back(std::move(goal));
}

void read_goals(Reader& reader, Study& study) {
  if (!reader.has("find")) return;
  const Value* const written = reader.take("find");
  const auto read = [&](const Value& value, const std::string& path) {
    if (value.kind != Value::Kind::map)
      throw InputError(value.source, path, fmt::format("must be a map, not {}", describe(value.kind)),
                       "for example {smallest: width, such_that: \"lost == 0\"}");
    Value effective = Value::map();
    Reader item(value, path, effective);
    read_goal(item, study);
    item.finish();
  };
  if (written->kind == Value::Kind::sequence) {
    for (std::size_t i = 0; i < written->items.size(); ++i) read(written->items[i], fmt::format("find[{}]", i));
  } else {
    read(*written, "find");
  }
}

void read_shown(Reader& reader, Study& study) {
  reader.texts("show", study.show);
  std::vector<std::string> names;
  std::vector<std::string> computed;
  for (const Response& response : study.responses) {
    names.push_back(response.name);
    if (response.computed) computed.push_back(response.name);
  }
  for (const std::string& name : study.show) {
    if (!contains(names, name))
      reader.fail("show", fmt::format("there is no response '{}'", name), scenario::suggest(name, names));
  }
  if (study.show.empty()) study.show = computed.empty() ? names : computed;
}

void read_baseline(Reader& reader, Study& study) {
  study.baseline.assign(study.axes.size(), 0);
  reader.optional_object("baseline", [&](Reader& baseline) {
    for (std::size_t i = 0; i < study.axes.size(); ++i) {
      const Axis& axis = study.axes[i];
      std::string label;
      baseline.text(axis.name.c_str(), label);
      if (label.empty()) continue;
      const auto found =
          std::ranges::find_if(axis.values, [&](const AxisValue& value) { return value.label == label; });
      std::vector<std::string> labels;
      for (const AxisValue& value : axis.values) labels.push_back(value.label);
      if (found == axis.values.end())
        baseline.fail(axis.name.c_str(), fmt::format("the axis has no value '{}'", label),
                      scenario::suggest(label, labels));
      study.baseline[i] = static_cast<std::size_t>(found - axis.values.begin());
    }
  });
}

void read_front(Reader& reader, Study& study) {
  reader.optional_object("front", [&](Reader& item) {
    Front front;
    const std::vector<std::string> numbers = numbers_of(study);
    for (const auto& [key, name] : {std::pair{"cost", &front.cost}, {"error", &front.error}}) {
      item.text(key, *name, Presence::required);
      if (!contains(numbers, *name))
        item.fail(key, fmt::format("there is no response and no axis with numbers '{}'", *name),
                  scenario::suggest(*name, numbers));
    }
    std::vector<std::string> over;
    item.texts("worst_over", over);
    for (const std::string& name : over) front.worst_over.push_back(read_axis_name(item, "worst_over", name, study));
    study.front = std::move(front);
  });
}

/// Of two settings of one path the second would win.
void check_paths(Reader& reader, const Study& study) {
  std::map<std::string, std::string> owners;  // by path
  const auto add = [&](const std::vector<Setting>& settings, const std::string& owner, const std::string& key) {
    for (const Setting& setting : settings) {
      const std::string path = setting.text.substr(0, setting.text.find('='));
      const auto [other, is_new] = owners.emplace(path, owner);
      if (!is_new && other->second != owner)
        reader.fail(key, fmt::format("{} sets '{}', as {} does", owner, path, other->second), "remove one of them");
    }
  };
  add(study.settings, "the study's 'set'", "set");
  for (const Axis& axis : study.axes) {
    for (const AxisValue& value : axis.values) add(value.settings, fmt::format("the axis '{}'", axis.name), "axes");
  }
}

/// Repetitions have seeds of their own.
void check_seeds(Reader& reader, const Study& study) {
  if (study.repeats == 1) return;
  const auto sets_seed = [](const std::vector<Setting>& settings) {
    return std::ranges::any_of(settings, [](const Setting& setting) { return setting.text.starts_with("seed="); });
  };
  for (const Axis& axis : study.axes) {
    if (std::ranges::any_of(axis.values, [&](const AxisValue& value) { return sets_seed(value.settings); }))
      reader.fail("repeat", fmt::format("the axis '{}' sets the seed, too", axis.name), "remove one of them");
  }
}

/// @throws InputError if the study has too many runs
void check_size(Reader& reader, const Study& study) {
  const bool is_grid = study.points.kind == Points::Kind::grid;
  const std::uint64_t runs = is_grid ? study.grid.positions() : study.points.samples * study.grid.repeats();
  if (runs <= kMostRuns) return;
  std::vector<std::string> sizes;
  for (const Axis& axis : study.axes) sizes.push_back(fmt::format("{} of {}", axis.values.size(), axis.name));
  const std::string repeats = study.repeats > 1 ? fmt::format(" x {} repetitions", study.repeats) : "";
  reader.fail(
      is_grid ? "axes" : "points",
      fmt::format("make {} runs ({}{}); a study has at most {}", runs, fmt::join(sizes, " x "), repeats, kMostRuns),
      "points: {sobol: 1000} takes a sample; find with points: search runs near a border alone");
}

}  // namespace

const std::vector<std::string>& reserved_names() {
  static const std::vector<std::string> names = {"point",   "key",     "run_drivers",       "run_seed",  "status",
                                                 "message", "seconds", "processor_seconds", "memory_kib"};
  return names;
}

std::optional<std::size_t> Study::axis_of(const std::string& wanted) const noexcept {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name == wanted) return i;
  }
  return std::nullopt;
}

std::optional<std::vector<std::uint64_t>> Study::sites(bool whole_grid) const {
  std::vector<std::uint64_t> sites;
  switch (whole_grid ? Points::Kind::grid : points.kind) {
    case Points::Kind::search:
      return std::nullopt;
    case Points::Kind::latin_hypercube:
      return latin_hypercube(grid, points.samples, points.seed);
    case Points::Kind::sobol:
      return sobol(grid, points.samples);
    case Points::Kind::grid:
      break;
  }
  if (grid.positions() > kMostRuns)
    throw InputError(fmt::format("the whole grid has {} runs; a study has at most {}", grid.positions(), kMostRuns),
                     "leave out --grid, or give the axes fewer values");
  sites.resize(grid.sites());
  std::iota(sites.begin(), sites.end(), std::uint64_t{0});
  return sites;
}

std::vector<std::size_t> Study::other_axes(const Goal& goal) const {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != goal.axis && std::ranges::find(goal.for_each, i) == goal.for_each.end()) others.push_back(i);
  }
  return others;
}

Study read_study(const Value& document) {
  constexpr std::uint64_t kMostRepeats = 10'000;
  Study study;
  Value effective = Value::map();
  Reader reader(document, "", effective);
  reader.text("name", study.name, Presence::required);
  if (study.name.find('/') != std::string::npos)
    reader.fail("name", "has a '/', and is the name of the database", "--db names a file in another folder");
  reader.prose("question", study.question);
  reader.text("scenario", study.scenario, Presence::required);
  if (const Value* const scenario = reader.take("scenario")) study.scenario_source = scenario->source;
  if (reader.has("set")) study.settings = read_settings(*reader.take("set"), "set");
  std::vector<std::string> names;
  study.axes = read_axes(reader, names);
  study.responses = read_responses(reader, study.axes, names);
  read_goals(reader, study);
  read_shown(reader, study);
  read_baseline(reader, study);
  read_front(reader, study);
  std::vector<std::string> expected;
  reader.texts("expect", expected);
  for (const std::string& text : expected)
    study.expectations.push_back({Expression(text, numbers_of(study), reader.take("expect")->source, "expect")});
  study.points = read_points(reader, !study.goals.empty());
  reader.number("repeat", study.repeats, scenario::Quantity::count, 1, kMostRepeats);
  reader.finish();
  std::vector<std::size_t> sizes;
  for (const Axis& axis : study.axes) sizes.push_back(axis.values.size());
  study.grid = Grid(sizes, study.repeats);
  check_paths(reader, study);
  check_seeds(reader, study);
  check_size(reader, study);
  return study;
}

void resolve_drivers(Value& document, const std::vector<std::string>& versions) {
  Value* const axes = document.find("axes");
  if (axes == nullptr || axes->kind != Value::Kind::map) return;  // refused later
  std::vector<driver_host::DriverSet> sets;
  for (const std::string& version : versions) sets.push_back({{}, version});
  for (Value::Entry& axis : axes->entries) {
    Value* const list = axis.value.find("drivers");
    if (list == nullptr || list->kind != Value::Kind::sequence) continue;
    std::vector<Value> resolved;
    for (const Value& selector : list->items) {
      const std::string path = "axes." + axis.key + ".drivers";
      if (selector.kind != Value::Kind::scalar || !scenario::is_selector(selector.scalar))
        throw InputError(selector.source, path, fmt::format("'{}' is not a driver selector", selector.scalar),
                         "write all, newest, 7.3, or '>=7.1 <7.3'");
      const std::vector<driver_host::DriverSet> chosen = scenario::select(sets, {selector.scalar});
      if (chosen.empty())
        throw InputError(selector.source, path, fmt::format("no driver set is '{}'", selector.scalar),
                         "the driver sets are " + scenario::quoted_list(versions));
      for (const driver_host::DriverSet& set : chosen) {
        Value version = Value::of(set.kernel_version, true);
        version.source = selector.source;
        const auto is_same = [&](const Value& other) { return other.scalar == version.scalar; };
        if (std::ranges::none_of(resolved, is_same)) resolved.push_back(std::move(version));
      }
    }
    list->items = std::move(resolved);
  }
}

}  // namespace pmufab::explore
