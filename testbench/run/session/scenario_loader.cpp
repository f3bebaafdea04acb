// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/common/loaders.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/run/session/kernel_selection.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;

// Lists multiply: a short file may mean more than a machine can hold.
constexpr std::size_t kMaximumSweptEvents = 100'000;
constexpr std::size_t kMaximumOpenEvents = 1024;           // each makes opening and closing the others slower
constexpr Picoseconds kMaximumAccess = 1'000'000'000'000;  // of one register access
// Of the way to a handler: longer than counters of 40 bits take to overflow twice, to see what that does.
constexpr Picoseconds kMaximumInterruptDelay = 3600 * kMaximumAccess;
constexpr Picoseconds kShortestRotation = 100'000;

/// A file a key names: relative to the file the name stands in, or to where the user stands if it came with --set.
fs::path resolve_file(const Value& name, const fs::path& base) {
  const fs::path file = name.scalar;
  return file.is_absolute() || name.source.is_from_option() ? file : (base / file).lexically_normal();
}

using Files = std::map<fs::path, Value>;

/// A map given in place, or the file that holds it.
/// @param base  in: folder of this document; out: of the map's
/// @param load  reads the file
Value load_part(const Value& value, const std::string& path, fs::path& base, Files& files,
                Value (*load)(const fs::path& file)) {
  if (value.kind == Value::Kind::map) return value;
  if (value.kind != Value::Kind::scalar || value.scalar.empty())
    throw InputError(value.source, path, fmt::format("must be a file name or a map, not {}", describe(value.kind)));
  const fs::path file = resolve_file(value, base);
  base = file.parent_path();
  try {
    const auto known = files.find(file);
    return known != files.end() ? known->second : files.emplace(file, load(file)).first->second;
  } catch (const InputError& error) {
    if (error.source().line > 0) throw;
    // The file cannot be read: the place to mend is where it is named.
    throw InputError(value.source, path, fmt::format("'{}' {}", file.generic_string(), error.reason()),
                     error.suggestion());
  }
}

struct TrafficPart {
  Value document;
  fs::path base;
  std::string path;
};

/// A setting of a variant, with its place in the file.
Override override_of(const Variant& variant, std::size_t index) {
  if (index >= variant.sources.size()) return parse_override(variant.overrides[index], "matrix");
  const Source& source = variant.sources[index];
  try {
    Override override = parse_override(variant.overrides[index], "matrix");
    override.value.source = source;  // single values only
    return override;
  } catch (const InputError& error) {
    throw InputError(source, {}, error.what());
  }
}

/// Replace file names by what the files hold, then apply the overrides. Overrides that name a whole part come first:
/// they may choose the file.
struct FileParts {
  Value document;
  fs::path base;
  std::vector<fs::path> traffic_bases;

  FileParts(Value given, const fs::path& folder, const Variant& variant, const std::vector<std::string>& texts,
            Files& files)
      : document(std::move(given)), base(folder) {
    std::vector<Override> all;
    for (std::size_t i = 0; i < variant.overrides.size(); ++i) all.push_back(override_of(variant, i));
    for (const std::string& text : texts) {
      if (!is_for_matrix(text)) all.push_back(parse_override(text));
    }
    std::vector<Override> later;
    for (Override& override : all) {
      const std::string& path = override.path;
      const bool whole = path == "platform" || path == "traffic" ||
                         (path.starts_with("traffic[") && path.find(']') + 1 == path.size());
      if (whole) {
        apply(override, document);
      } else {
        later.push_back(std::move(override));
      }
    }
    if (Value* platform = document.find("platform"); platform != nullptr && platform->kind != Value::Kind::null) {
      fs::path platform_folder = base;
      *platform = load_part(*platform, "platform", platform_folder, files, load_platform_file);
    }
    if (Value* traffic = document.find("traffic"); traffic != nullptr) {
      if (traffic->kind == Value::Kind::scalar || traffic->kind == Value::Kind::map) {
        Value list = Value::sequence();
        list.source = traffic->source;
        list.items.push_back(std::move(*traffic));
        *traffic = std::move(list);
      }
      for (std::size_t i = 0; i < traffic->items.size(); ++i) {
        traffic_bases.push_back(base);
        traffic->items[i] =
            load_part(traffic->items[i], fmt::format("traffic[{}]", i), traffic_bases.back(), files, load_file);
      }
    }
    for (const Override& override : later) apply(override, document);
  }
};

/// The trace of replays that name none; empty if there is none.
std::string read_default_trace(Reader& reader, const FileParts& parts) {
  std::string trace;
  if (!reader.has("trace")) return trace;
  reader.text("trace", trace);
  return resolve_file(*reader.take("trace"), parts.base).string();
}

/// The values of a sweep, and the events to write for each combination: "<event>" in an event string stands for the
/// value.
struct Sweep {
  std::vector<std::pair<std::string, std::vector<std::string>>> variables;

  /// @return nothing if there are too many
  std::optional<std::vector<std::string>> expand(const std::vector<std::string>& templates) const {
    std::vector<std::string> texts = templates;
    for (const auto& [name, values] : variables) {
      std::vector<std::string> next;
      for (const std::string& text : texts) {
        const std::string mark = "<" + name + ">";
        if (text.find(mark) == std::string::npos) {
          next.push_back(text);
          continue;
        }
        for (const std::string& value : values) {
          std::string filled = text;
          for (std::size_t at = filled.find(mark); at != std::string::npos; at = filled.find(mark, at + value.size()))
            filled.replace(at, mark.size(), value);
          next.push_back(std::move(filled));
          if (next.size() > kMaximumSweptEvents) return std::nullopt;
        }
      }
      texts = std::move(next);
    }
    return texts;
  }
};

void read_sweep(Reader& reader, const MeasureSpec& measure, std::vector<MeasureSpec>& out) {
  Sweep sweep;
  std::size_t at_once = 6;
  bool grouped = false;
  Picoseconds window = 0;
  reader.number("events_at_once", at_once, Quantity::count, 1, 1024);
  reader.flag("grouped", grouped);
  reader.number("window", window, Quantity::duration, 1, ~std::uint64_t{0}, Presence::required);
  const Value* values = reader.take("values");
  if (values == nullptr || values->kind != Value::Kind::map || values->entries.empty()) {
    reader.finish();
    reader.fail("values", "must be a map of lists", "for example values: {event: [slc_access_rd, slc_access_wr]}");
  }
  Value effective = Value::map();
  Reader lists(*values, reader.path_of("values"), effective);
  for (const Value::Entry& entry : values->entries) {
    auto& [name, words] = sweep.variables.emplace_back(entry.key, std::vector<std::string>{});
    lists.texts(name, words, Presence::required);
    const bool used = std::ranges::any_of(measure.events, [&name = name](const std::string& text) {
      return text.find("<" + name + ">") != std::string::npos;
    });
    if (!used)
      throw InputError(entry.source, lists.path_of(name),
                       fmt::format("no event of this measure has '<{}>' in it", name));
  }
  reader.put("values", std::move(effective));

  const std::optional<std::vector<std::string>> expanded = sweep.expand(measure.events);
  if (!expanded) reader.fail("values", fmt::format("make more than {} events", kMaximumSweptEvents));
  const std::vector<std::string>& events = *expanded;
  for (std::size_t first = 0, round = 0; first < events.size(); first += at_once, ++round) {
    MeasureSpec part = measure;
    const auto begin = events.begin() + static_cast<std::ptrdiff_t>(first);
    part.events.assign(begin, begin + static_cast<std::ptrdiff_t>(std::min(at_once, events.size() - first)));
    if (grouped) part.events = {fmt::format("{{{}}}", fmt::join(part.events, ","))};
    part.follows = round > 0 || measure.follows;
    part.window = window;
    part.name = fmt::format("{} {}", measure.name, round + 1);
    out.push_back(std::move(part));
  }
}

constexpr const char* kJudge = "judge";

/// @param key  of what the judge must know or say
[[noreturn]] void refuse_unjudged(Reader& reader, std::string_view key) {
  reader.fail(key, "needs the judge, and the scenario has 'judge: off'", "remove one of the two");
}

bool is_error_name(const std::string& name) {
  constexpr int kLast = 133;  // EHWPOISON
  for (int number = 1; number <= kLast; ++number) {
    const char* const known = strerrorname_np(number);
    if (known != nullptr && name == known) return true;
  }
  return false;
}

/// Read when a measure begins and ends.
void read_span(Reader& reader, std::size_t index, const std::optional<Picoseconds>& duration, MeasureSpec& measure) {
  reader.flag("follows", measure.follows);
  if (measure.follows && reader.has("start"))
    reader.fail("start", "a measure that follows another cannot have a start", "remove start or follows");
  if (measure.follows && index == 0) reader.fail("follows", "there is no measure before this one");
  if (!measure.follows) reader.number("start", measure.start, Quantity::duration);
  if (duration && !measure.follows && measure.start >= *duration) {
    reader.fail("start",
                fmt::format("is {}, but the scenario ends at {}", format_quantity(measure.start, Quantity::duration),
                            format_quantity(*duration, Quantity::duration)),
                "this measure would never begin");
  }
  if (reader.has("window")) {
    reader.number("window", measure.window, Quantity::duration, 1);
    if (reader.has("stop")) reader.fail("stop", "a measure has a window or a stop, not both");
  }
  if (reader.has("stop")) {
    Picoseconds stop = 0;
    reader.number("stop", stop, Quantity::duration, 1);
    if (stop <= measure.start) reader.fail("stop", "must be after start");
    measure.stop = stop;
  }
}

/// Check the measures from `first` on, which one entry of a scenario has become: their names, and the form of their
/// events. Names of events wait for the drivers.
/// @param names  of all measures before; in and out
void check_measures(Reader& reader, const std::vector<MeasureSpec>& measures, std::size_t first,
                    std::unordered_set<std::string>& names) {
  if (names.contains(measures[first].name))
    reader.fail("name", fmt::format("another measure is called '{}'", measures[first].name),
                "give each measure another name");
  for (std::size_t i = first; i < measures.size(); ++i) {
    names.insert(measures[i].name);
    std::size_t events = 0;
    for (const std::string& text : measures[i].events) {
      try {
        for (const perf::WrittenGroup& group : perf::parse_events(text)) events += group.events.size();
      } catch (const perf::EventError& error) {
        reader.fail("events", fmt::format("'{}': {}", text, error.reason()),
                    error.suggestion().empty() ? R"(in a list, quote an event that has commas: ["pmu/event,term=1/"])"
                                               : error.suggestion());
      }
    }
    if (events > kMaximumOpenEvents)
      reader.fail("events", fmt::format("has {} events; a measure can open {}", events, kMaximumOpenEvents),
                  "a sweep measures them one after another");
  }
}

/// Read how counts are compared.
void read_comparison(Reader& reader, bool is_judged, MeasureSpec& measure) {
  using Compare = MeasureSpec::Compare;
  measure.compare = is_judged ? Compare::exact : Compare::none;
  reader.choice("compare", measure.compare, {{"exact", Compare::exact}, {"none", Compare::none}});
  reader.flag("nonzero", measure.nonzero);
  if (is_judged) return;
  if (measure.compare != Compare::none) refuse_unjudged(reader, "compare");
  if (measure.nonzero) refuse_unjudged(reader, "nonzero");
  measure.compare = Compare::unjudged;
}

/// @param spec  what stands before the measures
void read_measure(Reader& reader, std::size_t index, const ScenarioSpec& spec, std::unordered_set<std::string>& names,
                  std::vector<MeasureSpec>& out) {
  MeasureSpec measure;
  measure.name = fmt::format("measure {}", index);
  reader.text("name", measure.name);
  reader.texts("events", measure.events, Presence::required);
  if (const Value* events = reader.take("events")) measure.source = events->source;
  read_span(reader, index, spec.duration, measure);
  if (reader.has("tolerance")) {
    Picoseconds tolerance = 0;
    reader.number("tolerance", tolerance, Quantity::duration);
    measure.tolerance = tolerance;
    if (measure.window == 0 && (!measure.stop || measure.follows) && !reader.has("sweep"))
      reader.fail("tolerance", "the measure does not say how long it counts", "add a window");
  }
  reader.number("interval", measure.interval, Quantity::duration);
  read_comparison(reader, spec.is_judged, measure);
  if (reader.has("cpu")) {
    unsigned cpu = 0;
    reader.number("cpu", cpu, Quantity::count, 0, spec.platform.sockets * spec.platform.cpus_per_socket - 1);
    measure.cpu = cpu;
  }
  if (reader.has("open_error")) {
    reader.text("open_error", measure.open_error);
    if (!is_error_name(measure.open_error))
      reader.fail("open_error", fmt::format("there is no error '{}'", measure.open_error),
                  "give the name of a Linux error, such as EINVAL or ENOSPC");
  }
  const std::size_t before = out.size();
  const bool swept = reader.optional_object("sweep", [&](Reader& sweep) {
    if (measure.stop || measure.window > 0)
      sweep.fail("window", "a sweep has its own windows", "remove the measure's window or stop");
    read_sweep(sweep, measure, out);
  });
  if (!swept) out.push_back(measure);
  check_measures(reader, out, before, names);
}

std::vector<std::string> measure_names_of(const std::vector<MeasureSpec>& measures) {
  std::vector<std::string> names;
  for (const MeasureSpec& measure : measures) names.push_back(measure.name);
  return names;
}

/// Refuse to switch the events of a measure when it certainly is not open. At one instant actions come after the end
/// of a measure, and before the beginning.
void check_is_open(Reader& reader, const ActionSpec& action, const MeasureSpec& measure) {
  if (action.at.is_access() || measure.follows) return;
  if (action.at.time <= measure.start)
    reader.fail("at",
                fmt::format("measure '{}' is not open before {}", measure.name,
                            format_quantity(measure.start, Quantity::duration)),
                "nothing would be done");
  if (measure.stop && action.at.time >= *measure.stop)
    reader.fail(
        "at", fmt::format("measure '{}' ends at {}", measure.name, format_quantity(*measure.stop, Quantity::duration)),
        "nothing would be done");
}

/// What an action says that writes to files of sysfs.
void read_files_of_sysfs(Reader& reader, ActionSpec& action) {
  using Kind = ActionSpec::Kind;
  if (action.kind == Kind::unbind_driver || action.kind == Kind::bind_driver)
    reader.text("driver", action.driver, Presence::required);
  if (action.kind != Kind::write_file) return;
  reader.text("file", action.file, Presence::required);
  if (const std::size_t slash = action.file.find('/');
      slash == std::string::npos || slash == 0 || slash + 1 == action.file.size())
    reader.fail("file", fmt::format("'{}' is no file of a PMU", action.file), "write PMU/FILE");
  reader.text("text", action.text, Presence::required);
}

/// @param measures  of the scenario
/// @param writes    the scenario has firmware_writes
void read_action(Reader& reader, const platform::PlatformSpec& platform, const std::vector<MeasureSpec>& measures,
                 bool writes, std::vector<ActionSpec>& out) {
  ActionSpec action;
  using Kind = ActionSpec::Kind;
  read_trigger(reader, "at", action.at, Presence::required);
  if (!reader.has("do")) reader.fail("do", "the key 'do' is missing", "for example do: reload_drivers");
  reader.choice("do", action.kind,
                {{"cpu_offline", Kind::cpu_offline},
                 {"cpu_online", Kind::cpu_online},
                 {"unload_drivers", Kind::unload_drivers},
                 {"load_drivers", Kind::load_drivers},
                 {"reload_drivers", Kind::reload_drivers},
                 {"firmware_writes", Kind::firmware_writes},
                 {"read_events", Kind::read_events},
                 {"reset", Kind::reset},
                 {"disable_events", Kind::disable_events},
                 {"enable_events", Kind::enable_events},
                 {"unbind_driver", Kind::unbind_driver},
                 {"bind_driver", Kind::bind_driver},
                 {"write_file", Kind::write_file}});
  if (action.kind == Kind::cpu_offline || action.kind == Kind::cpu_online)
    reader.number("cpu", action.cpu, Quantity::count, 0, platform.sockets * platform.cpus_per_socket - 1,
                  Presence::required);
  if (action.kind == Kind::firmware_writes && !writes)
    reader.fail("do", "there is nothing to write",
                "list the registers under the key 'firmware_writes' of the scenario");
  if (action.kind == Kind::disable_events || action.kind == Kind::enable_events) {
    reader.text("measure", action.measure, Presence::required);
    const auto measure =
        std::ranges::find_if(measures, [&](const MeasureSpec& one) { return one.name == action.measure; });
    if (measure == measures.end())
      reader.fail("measure", fmt::format("there is no measure '{}'", action.measure),
                  suggest(action.measure, measure_names_of(measures)));
    check_is_open(reader, action, *measure);
  }
  read_files_of_sysfs(reader, action);
  out.push_back(action);
}

void read_firmware_write(Reader& reader, std::vector<FirmwareWriteSpec>& out) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  constexpr unsigned kWidest = 8;
  FirmwareWriteSpec write;
  reader.number("address", write.address, Quantity::address, 0, kMost, Presence::required);
  reader.number("size", write.size, Quantity::count, 1, kWidest);
  if ((write.size & (write.size - 1)) != 0) reader.fail("size", "no register access has this size", "use 1, 2, 4 or 8");
  if (write.address % write.size != 0)
    reader.fail("address", fmt::format("is not a multiple of the size, {}", write.size));
  reader.number("value", write.value, Quantity::address, 0,
                write.size == kWidest ? kMost : (1ULL << 8 * write.size) - 1, Presence::required);
  write.place = reader.source();
  write.path = reader.path();
  out.push_back(std::move(write));
}

/// Refuse what is not one event of one PMU. Names wait for the drivers.
void check_injected_event(Reader& reader, const std::string& text) {
  try {
    const std::vector<perf::WrittenGroup> groups = perf::parse_events(text);
    if (groups.size() == 1 && !groups[0].braces && groups[0].events[0].pmu.find_first_of("*?[") == std::string::npos)
      return;
  } catch (const perf::EventError& error) {
    reader.fail("source", fmt::format("'{}': {}", text, error.reason()), error.suggestion());
  }
  reader.fail("source", fmt::format("'{}' is not one event of one PMU", text), "write several events as a list");
}

void read_repetition(Reader& reader, InjectionSpec& injection) {
  constexpr std::uint64_t kMostTimes = 1'000'000;
  reader.number("times", injection.times, Quantity::count, 1, kMostTimes);
  if (reader.has("every"))
    reader.number("every", injection.every, Quantity::duration, 1, kMaximumDuration / kMostTimes);
  if (injection.times == 1) return;
  if (injection.every == 0) reader.fail("times", "needs 'every'", "for example every: 1 us");
  if (injection.at.is_access()) reader.fail("times", "an injection that waits for a register access happens once");
}

void read_injection(Reader& reader, std::vector<InjectionSpec>& out) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  InjectionSpec injection;
  std::vector<std::string> sources;
  read_trigger(reader, "at", injection.at, Presence::required);
  reader.texts("source", sources, Presence::required);
  reader.number("count", injection.count, Quantity::count, 1, kMost, Presence::required);
  reader.number("unit", injection.unit);
  read_repetition(reader, injection);
  const Value* const written = reader.take("source");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_injected_event(reader, sources[i]);
    const bool is_list = written->kind == Value::Kind::sequence;
    injection.source = sources[i];
    injection.place = is_list ? written->items[i].source : written->source;
    injection.path = reader.path_of("source") + (is_list ? fmt::format("[{}]", i) : "");
    InjectionSpec one = injection;
    for (std::uint64_t n = 0; n < injection.times; ++n) {
      one.at.time = injection.at.time + n * injection.every;
      one.is_repetition = n > 0;
      out.push_back(one);
    }
  }
}

/// Which measure has which events. Texts that do not parse are refused elsewhere.
class MeasuredEvents {
 public:
  explicit MeasuredEvents(const std::vector<MeasureSpec>& measures) {
    for (const MeasureSpec& measure : measures) {
      names_.push_back(measure.name);
      std::vector<std::string>& own = of_measure_[measure.name];
      for (const std::string& text : measure.events) {
        for (const perf::WrittenGroup& group : perf::parse_events(text)) {
          for (const perf::WrittenEvent& event : group.events) {
            own.push_back(event.text);
            all_.push_back(event.text);
            plain_.insert(event.text);
          }
        }
      }
    }
  }
  [[nodiscard]] const std::vector<std::string>& measures() const noexcept { return names_; }
  [[nodiscard]] bool has_measure(const std::string& name) const { return of_measure_.contains(name); }
  /// @param measure  empty: all
  [[nodiscard]] const std::vector<std::string>& of(const std::string& measure) const {
    return measure.empty() ? all_ : of_measure_.at(measure);
  }
  /// @return true if that measure counts the event. A measure's event may stand for that of several PMUs.
  [[nodiscard]] bool has(const std::string& measure, const std::string& event) const {
    const bool is_plain = event.find_first_of("*?[\\") == std::string::npos;
    if (measure.empty() && is_plain && plain_.contains(event)) return true;
    const std::vector<std::string>& events = of(measure);
    return std::ranges::any_of(events,
                               [&](const std::string& own) { return fnmatch(own.c_str(), event.c_str(), 0) == 0; });
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> all_;
  std::unordered_set<std::string> plain_;
  std::unordered_map<std::string, std::vector<std::string>> of_measure_;
};

void read_expectation(Reader& reader, const MeasuredEvents& measured, std::vector<ExpectationSpec>& out) {
  ExpectationSpec expectation;
  expectation.source = reader.source();
  reader.text("event", expectation.event, Presence::required);
  reader.text("measure", expectation.measure);
  const bool is_refused = measured.measures().empty();  // without measures the scenario is refused elsewhere
  if (!is_refused && !expectation.measure.empty() && !measured.has_measure(expectation.measure))
    reader.fail("measure", fmt::format("there is no measure '{}'", expectation.measure),
                suggest(expectation.measure, measured.measures()));
  const auto bound = [&](std::string_view key, std::optional<std::uint64_t>& value) {
    if (!reader.has(key)) return;
    std::uint64_t number = 0;
    reader.number(key, number);
    value = number;
  };
  bound("equals", expectation.equals);
  bound("minimum", expectation.minimum);
  bound("maximum", expectation.maximum);
  if (expectation.minimum && expectation.maximum && *expectation.minimum > *expectation.maximum)
    reader.fail("minimum", fmt::format("{} is above the maximum {}", *expectation.minimum, *expectation.maximum));
  if (!expectation.equals && !expectation.minimum && !expectation.maximum) {
    reader.finish();
    reader.fail("event", "no count is expected", "add equals, minimum or maximum");
  }
  if (!is_refused && !measured.has(expectation.measure, expectation.event))
    reader.fail("event", fmt::format("no measure counts '{}'", expectation.event),
                suggest(expectation.event, measured.of(expectation.measure)));
  out.push_back(std::move(expectation));
}

/// Without a duration the scenario ends with its traffic, so the traffic must end.
void check_end(Reader& reader, const ScenarioSpec& spec) {
  if (spec.duration) return;
  const bool all_stop = !spec.measures.empty() && std::ranges::all_of(spec.measures, [](const MeasureSpec& measure) {
    return measure.stop || measure.window > 0;
  });
  if (all_stop) return;
  std::vector<TrafficEnd> ends;
  for (const FabricKind* kind : fabric_kinds()) ends.push_back(kind->traffic_end(spec.workload));
  const auto refuse = [&](TrafficEnd::Kind kind) {
    for (TrafficEnd& end : ends) {
      if (end.kind == kind) reader.fail("duration", std::move(end.reason), std::move(end.suggestion));
    }
  };
  refuse(TrafficEnd::Kind::not_told);
  if (!has_traffic(spec.workload))
    reader.fail("duration", "without traffic and duration the scenario never ends", "add duration: 100 us");
  refuse(TrafficEnd::Kind::never);
}

void check_selectors(Reader& reader, std::string_view key, const std::vector<std::string>& selectors) {
  for (const std::string& selector : selectors) {
    if (!is_selector(selector))
      reader.fail(key, fmt::format("'{}' is not a driver selector", selector),
                  "write all, newest, 7.3, or '>=7.1 <7.3'");
  }
}

/// Read texts that something is looked for by.
/// @param reason, suggestion  if one of them is empty or blank
void read_sought(Reader& item, std::string_view key, std::vector<std::string>& texts, const char* reason,
                 const char* suggestion) {
  item.texts(key, texts);
  const auto is_blank = [](const std::string& text) { return text.find_first_not_of(" \t") == std::string::npos; };
  if (std::ranges::any_of(texts, is_blank)) item.fail(key, reason, suggestion);
}

void read_log_expectation(Reader& item, LogExpectationSpec& out) {
  for (const auto& [key, texts] : {std::pair{"has", &out.has}, std::pair{"lacks", &out.lacks}})
    read_sought(item, key, *texts, "is empty, and every line has that", "write a part of a line");
  if (out.has.empty() && out.lacks.empty()) {
    item.finish();
    item.fail("has", "nothing is expected", "add has or lacks");
  }
}

FailingCallsSpec read_failing_calls(Reader& item) {
  FailingCallsSpec calls;
  std::vector<std::string> texts;
  item.texts("calls", texts, Presence::required);
  read_sought(item, "known", calls.known, "is empty, and every complaint has that", "write a part of a complaint");
  if (texts == std::vector<std::string>{"each"}) {
    calls.each = true;
    return calls;
  }
  for (const std::string& text : texts) {
    constexpr std::uint64_t kMost = 1'000'000;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > kMost)
      item.fail("calls", fmt::format("'{}' is no number of a call", text),
                "write each, or a list of numbers from 1 to 1000000");
    calls.numbers.push_back(number);
  }
  return calls;
}

ExpectedFailureSpec read_expected_failure(Reader& item) {
  ExpectedFailureSpec failure;
  item.prose("reason", failure.reason, Presence::required);
  for (const auto& [key, names] : {std::pair{"event", &failure.events}, std::pair{"not_opened", &failure.not_opened},
                                   std::pair{"check", &failure.checks}})
    read_sought(item, key, *names, "is empty, and nothing is called so", "write a name, or a pattern with *");
  if (failure.events.empty() && failure.not_opened.empty() && failure.checks.empty()) {
    item.finish();
    item.fail("reason", "does not say what fails", "add event (counted wrong), not_opened or check");
  }
  item.texts("drivers", failure.drivers);
  item.flag("rule", failure.is_rule);
  check_selectors(item, "drivers", failure.drivers);
  // A run knows its own version only, not whether there is a newer one.
  if (std::ranges::find(failure.drivers, "newest") != failure.drivers.end())
    item.fail("drivers", "'newest' does not say which versions fail", "write 7.3, or '>=7.1 <7.3'");
  return failure;
}

AwaySpec read_away(Reader& reader, const DelayLimits& limits) {
  constexpr double kShortest = 100'000;
  AwaySpec away;
  read_delay(reader, "every", away.every, limits, Presence::required);
  read_delay(reader, "for", away.lasting, limits, Presence::required);
  if (reader.has("every") && away.every.mean() < kShortest)
    reader.fail("every", "is below 100 ns on average", "the CPUs must have time to do something");
  if (reader.has("every") && reader.has("for") && away.lasting.mean() >= away.every.mean())
    reader.fail("for", "is not below 'every', on average", "the CPUs would never be there");
  return away;
}

void read_reader(Reader& host, HostSpec& spec, const platform::PlatformSpec& platform) {
  using CountedBy = HostSpec::CountedBy;
  host.choice("reader", spec.counted_by, {{"drivers", CountedBy::drivers}, {"reference", CountedBy::reference}});
  if (spec.counted_by != CountedBy::reference) return;
  if (const std::string words = missing_reference_software(platform); !words.empty())
    host.fail("reader", "there is no reference software for the PMUs of this platform",
              fmt::format("there is for {}", words));
}

void read_offline_cpus(Reader& host, const platform::PlatformSpec& platform, std::vector<unsigned>& out) {
  constexpr std::string_view kKey = "offline_cpus";
  const unsigned cpus = platform.sockets * platform.cpus_per_socket;
  std::vector<std::string> texts;
  host.texts(kKey, texts);
  for (const std::string& text : texts) {
    unsigned cpu = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
    if (error != std::errc{} || end != text.data() + text.size() || cpu >= cpus)
      host.fail(kKey, fmt::format("'{}' is no CPU", text), fmt::format("the platform has 0 to {}", cpus - 1));
    if (std::ranges::find(out, cpu) != out.end()) host.fail(kKey, fmt::format("has CPU {} twice", cpu));
    out.push_back(cpu);
  }
  if (out.size() == cpus) host.fail(kKey, "leaves no CPU online");
}

void read_cpu_complex(Reader& host, const fs::path& base, HostSpec& spec) {
  const DelayLimits limits{kMaximumInterruptDelay, base};
  host.number("access_latency", spec.access_latency, Quantity::duration, 0, kMaximumAccess);
  read_delay(host, "interrupt_delay", spec.interrupt_delay, limits);
  host.real("interrupt_loss", spec.interrupt_loss, 0, 1);
  read_delay(host, "handler_time", spec.handler_time, limits);
  host.optional_object("away", [&](Reader& reader) { spec.away = read_away(reader, limits); });
  host.number("rotation", spec.rotation, Quantity::duration, kShortestRotation);
}

void read_duration(Reader& reader, std::optional<Picoseconds>& out) {
  if (!reader.has("duration")) return;
  Picoseconds duration = 0;
  reader.number("duration", duration, Quantity::duration, 1);
  out = duration;
}

/// Without a judge nothing may ask what it would say, or need what it knows.
void check_judge(Reader& reader, const ScenarioSpec& spec) {
  if (spec.is_judged) return;
  if (!spec.expectations.empty()) refuse_unjudged(reader, "expect");
  if (spec.expected_failure) refuse_unjudged(reader, "expected_failure");
  if (!spec.injections.empty()) refuse_unjudged(reader, "inject");
}

/// What else must happen, and what must fail.
void read_outcome(Reader& reader, ScenarioSpec& spec) {
  reader.optional_object("kernel_log", [&](Reader& item) { read_log_expectation(item, spec.kernel_log); });
  reader.optional_object(kFailingCallsCheck, [&](Reader& item) { spec.failing_calls = read_failing_calls(item); });
  reader.flag(kStrayInterruptsCheck, spec.stray_interrupts);
  reader.optional_object("expected_failure",
                         [&](Reader& item) { spec.expected_failure = read_expected_failure(item); });
}

/// The platform, and the CPUs that drivers run on.
void read_machine(Reader& reader, const FileParts& parts, ScenarioSpec& spec) {
  Value nothing;
  nothing.source = parts.document.source;
  const Value* platform = reader.take("platform");
  Value effective_platform = Value::map();
  spec.platform = read_platform(platform != nullptr ? *platform : nothing, "platform", effective_platform);
  spec.platform_name = spec.platform.name;
  reader.put("platform", std::move(effective_platform));
  reader.object("host", [&](Reader& host) {
    read_cpu_complex(host, parts.base, spec.host);
    read_offline_cpus(host, spec.platform, spec.host.offline_cpus);
    read_reader(host, spec.host, spec.platform);
  });
}

ScenarioSpec read_scenario(const FileParts& parts) {
  ScenarioSpec spec;
  spec.effective = Value::map();
  Reader reader(parts.document, "", spec.effective);
  reader.text("name", spec.name, Presence::required);
  reader.prose("description", spec.description);
  reader.number("seed", spec.seed);
  reader.texts("drivers", spec.drivers);
  if (spec.drivers.empty()) reader.fail("drivers", "must not be empty", "write all, newest, 7.3, or '>=7.1 <7.3'");
  check_selectors(reader, "drivers", spec.drivers);
  if (reader.has(kJudge)) reader.choice(kJudge, spec.is_judged, {{"on", true}, {"off", false}});

  read_machine(reader, parts, spec);
  TrafficNames names(all_traffic_keys());
  const TrafficContext context{
      parts.base, read_default_trace(reader, parts), parts.traffic_bases, spec.platform, names, spec.traffic_files};
  spec.workload.seed = spec.seed;
  for (const FabricKind* kind : fabric_kinds()) kind->read_traffic(reader, context, spec.workload);
  read_duration(reader, spec.duration);
  std::unordered_set<std::string> measure_names;
  reader.list(
      "measure",
      [&](Reader& item, std::size_t index) { read_measure(item, index, spec, measure_names, spec.measures); },
      Presence::required);
  reader.list("firmware_writes", [&](Reader& item, std::size_t) { read_firmware_write(item, spec.firmware_writes); });
  reader.list("actions", [&](Reader& item, std::size_t) {
    read_action(item, spec.platform, spec.measures,  // parts of a sweep have their own names
                !spec.firmware_writes.empty(), spec.actions);
  });
  reader.list("inject", [&](Reader& item, std::size_t) { read_injection(item, spec.injections); });
  std::ranges::stable_sort(spec.actions,
                           [](const ActionSpec& a, const ActionSpec& b) { return a.at.time < b.at.time; });
  std::optional<MeasuredEvents> events;
  reader.list("faults", [&](Reader& item, std::size_t) {
    if (!events) events.emplace(spec.measures);
    read_fault(
        item, parts.base, [&](const std::string& event) { return events->has("", event); }, spec.faults);
  });
  reader.list("expect", [&](Reader& item, std::size_t) {
    if (!events) events.emplace(spec.measures);
    read_expectation(item, *events, spec.expectations);
  });
  read_outcome(reader, spec);
  check_judge(reader, spec);
  static_cast<void>(
      reader.take("matrix"));  // ScenarioFile::variants() has it; the effective configuration is one variant
  reader.finish();
  if (spec.measures.empty()) reader.fail("measure", "measures nothing");
  check_end(reader, spec);
  return spec;
}

}  // namespace

ScenarioFile::ScenarioFile(const fs::path& file) : document_(load_file(file)), base_(file.parent_path()) {
  check_kind(document_, {}, FileKind::scenario);
}

ScenarioFile::ScenarioFile(Value document, fs::path base) : document_(std::move(document)), base_(std::move(base)) {}

ScenarioSpec ScenarioFile::load(const Variant& variant, const std::vector<std::string>& overrides) const {
  FileParts parts(document_, base_, variant, overrides, parts_);
  ScenarioSpec spec = read_scenario(parts);
  spec.variant = variant.name;
  spec.written = std::make_shared<const Value>(std::move(parts.document));
  return spec;
}

std::string effective_yaml(const ScenarioSpec& spec, const std::string& drivers) {
  Value effective = spec.effective;
  if (Value* const sets = effective.find("drivers")) {
    *sets = Value::sequence();  // the set of this run
    sets->items.push_back(Value::of(drivers, true));
  }
  return to_yaml(effective);
}

void require_judge(const ScenarioSpec& spec, std::string_view who) {
  if (spec.is_judged) return;
  throw with_place(InputError({}, kJudge, fmt::format("is off, and {} needs the judge", who), "remove it"),
                   spec.written);
}

InputError with_place(const InputError& error, const std::shared_ptr<const Value>& written) {
  const std::string& path = error.path();
  if (error.source().file || !written || written->find(path.substr(0, path.find_first_of(".["))) == nullptr)
    return error;
  return {locate(*written, path), path, error.reason(), error.suggestion()};
}

}  // namespace pmufab::scenario
