// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/checks/checks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "testbench/run/checks/check_helpers.h"
#include "testbench/run/checks/published_tables.h"

namespace pmufab::scenario {
namespace {

constexpr const char* kCheckName = "published";

std::optional<std::string> file_of(const perf::PmuCatalog::Entry& pmu, const char* name) {
  const auto found = std::ranges::find_if(pmu.others, [&](const auto& file) { return file.first == name; });
  return found == pmu.others.end() ? std::nullopt : std::optional(found->second);
}

/// @return the CPUs of a PMU's socket; empty: the PMU is of no socket
std::set<unsigned> cpus_of(const Machine& machine, const std::string& pmu) {
  std::set<unsigned> cpus;
  for (const auto& fabric : machine.fabrics()) {
    const std::optional<unsigned> socket = fabric->socket_of(pmu);
    if (!socket) continue;
    const unsigned count = machine.platform().spec().cpus_per_socket;
    for (unsigned cpu = 0; cpu < count; ++cpu) cpus.insert(*socket * count + cpu);
  }
  return cpus;
}

/// "7.3.4" -> 703
scoreboard::LinuxVersion version_number(const std::string& version) {
  constexpr scoreboard::LinuxVersion kMajor = 100;
  char* end = nullptr;
  const auto major = static_cast<scoreboard::LinuxVersion>(std::strtoul(version.c_str(), &end, 10));
  const auto minor = *end == '.' ? static_cast<scoreboard::LinuxVersion>(std::strtoul(end + 1, nullptr, 10)) : 0U;
  return major * kMajor + minor;
}

bool may_stay_away(const Machine& machine, const std::string& pmu) {
  const auto& fabrics = machine.fabrics();
  return std::ranges::any_of(fabrics,
                             [&](const auto& fabric) { return fabric->socket_of(pmu) && fabric->may_stay_away(); });
}

}  // namespace

void PublicationCheck::add(const perf::PmuCatalog::Entry& pmu, const char* file, const std::string& when,
                           const std::string& problem) {
  if (told_.emplace(pmu.name, file).second)
    problems_.push_back({pmu.name, fmt::format("{}: {} {}", when, file, problem)});
}

void PublicationCheck::check_cpumask(const perf::PmuCatalog::Entry& pmu, const std::set<unsigned>& cpus,
                                     const std::string& when) {
  constexpr const char* kFile = "cpumask";
  const driver_host::DriverHost& host = machine_.host();
  const std::optional<std::string> text = file_of(pmu, kFile);
  if (!text) {
    // A PMU of the CPUs themselves has another file.
    if (!file_of(pmu, "cpus")) add(pmu, kFile, when, "is missing: perf would count on every CPU");
    return;
  }
  const bool some_online = cpus.empty() || std::ranges::any_of(cpus, [&](unsigned cpu) { return host.is_online(cpu); });
  if (pmu.cpus.empty() && text->empty()) {
    if (some_online) add(pmu, kFile, when, "is empty, but a CPU that could count is online");
    return;
  }
  if (pmu.cpus.size() != 1) {
    add(pmu, kFile, when, fmt::format("is '{}', not one CPU", *text));
    return;
  }
  const unsigned cpu = pmu.cpus.front();
  if (!host.is_online(cpu)) {
    add(pmu, kFile, when, fmt::format("names cpu {}, which is not online", cpu));
  } else if (cpus.empty() || cpus.contains(cpu)) {
    away_.erase(pmu.name);
  } else if (!some_online) {
    if (may_stay_away(machine_, pmu.name)) away_.insert_or_assign(pmu.name, cpu);
  } else if (const auto known = away_.find(pmu.name); known == away_.end() || known->second != cpu) {
    add(pmu, kFile, when,
        fmt::format("names cpu {}, but the PMU's socket has cpus {} to {}", cpu, *cpus.begin(), *cpus.rbegin()));
  }
}

void PublicationCheck::check_associated(const perf::PmuCatalog::Entry& pmu, const std::set<unsigned>& cpus,
                                        const std::string& when) {
  constexpr const char* kFile = "associated_cpus";
  const std::optional<std::string> text = file_of(pmu, kFile);
  if (!text || cpus.empty()) return;
  const std::vector<unsigned> list = perf::parse_cpu_list(*text);
  const std::set<unsigned> published(list.begin(), list.end());
  const auto may_lack = [&](unsigned cpu) {
    return publication_of(pmu.name).associates_online && !machine_.host().is_online(cpu);
  };
  const bool has_others = !std::ranges::includes(cpus, published);
  const bool lacks_some =
      std::ranges::any_of(cpus, [&](unsigned cpu) { return !published.contains(cpu) && !may_lack(cpu); });
  if (has_others || lacks_some)
    add(pmu, kFile, when,
        fmt::format("is '{}', but the PMU's socket has cpus {} to {}", *text, *cpus.begin(), *cpus.rbegin()));
}

const scoreboard::Publication& PublicationCheck::publication_of(const std::string& pmu) {
  auto known = expected_.find(pmu);
  if (known == expected_.end()) known = expected_.emplace(pmu, machine_.scoreboard().publication(pmu)).first;
  return known->second;
}

void PublicationCheck::check_tables(const perf::PmuCatalog::Entry& pmu, const std::string& when) {
  const scoreboard::LinuxVersion kernel = version_number(machine_.host().kernel_version());
  for (const auto& [file, problem] : compare_published(publication_of(pmu.name), pmu, kernel)) {
    if (told_.emplace(pmu.name, fmt::format("{} {}", file, problem)).second)
      problems_.push_back({pmu.name, fmt::format("{}: {} {}", when, file, problem)});
  }
}

/// A driver need not draw its hardware. One that does draws all of it.
void PublicationCheck::check_drawing(const perf::PmuCatalog::Entry& pmu, const Files& debugfs,
                                     const std::string& when) {
  const scoreboard::PublishedDrawing& drawing = expected_.at(pmu.name).drawing;
  if (!drawing.compare || debugfs.empty()) return;
  const auto shown = debugfs.find(drawing.file);
  if (shown == debugfs.end()) {
    add(pmu, "debugfs", when, fmt::format("lacks the file {}", drawing.file));
    return;
  }
  if (const std::optional<std::string> problem = drawing.compare(shown->second))
    add(pmu, "debugfs", when, fmt::format("file {} {}", drawing.file, *problem));
}

void PublicationCheck::look_at_drawings(const std::string& when) {
  const Picoseconds before = simulated_time();
  const auto files = machine_.host().debugfs();
  taken_ += simulated_time() - before;
  const Files debugfs = {files.begin(), files.end()};
  const perf::PmuCatalog catalog(machine_.host().pmus());
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    if (expected_.contains(pmu.name)) check_drawing(pmu, debugfs, when);
  }
}

void PublicationCheck::try_events_of(const perf::PmuCatalog::Entry& pmu, const std::string& when) {
  driver_host::DriverHost& host = machine_.host();
  const int cpu = static_cast<int>(pmu.cpus.front());
  std::vector<std::string> refused;
  const scoreboard::Publication& its = publication_of(pmu.name);
  for (perf::PmuCatalog::Event event : pmu.events) {
    if (!its.needs.empty()) event.definition += "," + its.needs;
    try {
      auto attributes = perf::PmuCatalog::define(pmu, event);
      if (!its.is_complete && !perf::PmuCatalog::open_terms(event).empty()) {
        // What its user must give is that of one that the description knows.
        const auto known = std::ranges::find(its.events, event.name, &scoreboard::PublishedEvent::name);
        if (known == its.events.end()) continue;
        const scoreboard::ConfigWords open = open_bits(pmu, event);
        attributes.config |= known->words[0] & open[0];
        attributes.config1 |= known->words[1] & open[1];
        attributes.config2 |= known->words[2] & open[2];
      }
      const int result = host.try_event(attributes, cpu);
      if (result < 0) refused.push_back(fmt::format("{} ({})", event.name, strerrorname_np(-result)));
    } catch (const perf::EventError&) {
      continue;  // check_tables() tells of definitions that nobody can use
    }
  }
  if (!refused.empty()) add(pmu, "events", when, fmt::format("has {}, which event_init refuses", some_of(refused)));
}

void PublicationCheck::try_events(const std::set<std::string>& left_out, const std::string& when) {
  const Unjudged unjudged(machine_);
  const Picoseconds before = simulated_time();
  const perf::PmuCatalog catalog(machine_.host().pmus());
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    if (pmu.cpus.empty() || left_out.contains(pmu.name) || !expected_.contains(pmu.name)) continue;
    try_events_of(pmu, when);
  }
  taken_ += simulated_time() - before;
}

void PublicationCheck::look(const std::string& when) {
  const perf::PmuCatalog catalog(machine_.host().pmus());
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    const std::set<unsigned> cpus = cpus_of(machine_, pmu.name);
    check_cpumask(pmu, cpus, when);
    check_associated(pmu, cpus, when);
    check_tables(pmu, when);
  }
}

CheckResult PublicationCheck::result() const {
  if (problems_.empty())
    return {kCheckName, true, "each PMU shows what it has, and names a CPU of its own that is online"};
  std::vector<std::string> sentences;
  std::set<std::string> told;
  for (const Problem& problem : problems_) {
    if (!told.insert(problem.text).second) continue;
    const auto others =
        std::ranges::count_if(problems_, [&](const Problem& other) { return other.text == problem.text; }) - 1;
    sentences.push_back(fmt::format(
        "{}{} {}", problem.pmu, others == 0 ? "" : " and " + counted(static_cast<std::uint64_t>(others), "other PMU"),
        problem.text));
  }
  return {kCheckName, false, fmt::format("{}", fmt::join(sentences, " | "))};
}

}  // namespace pmufab::scenario
