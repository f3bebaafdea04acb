// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/perf/pmu_catalog.h"
#include "testbench/run/report/kernel_errors.h"
#include "testbench/run/results/results.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/scenario_names.h"
#include "tools/pmufab/scenarios/scenario_list.h"

namespace pmufab::cli {
namespace {

using scenario::Json;

/// Events that a scenario cannot measure, and why.
using NotModelled = std::map<std::string, std::string>;

/// @return an event with values for the terms that it leaves to the user: "pmu/event,lane=0/".
std::string with_open_terms(const std::string& pmu, const perf::PmuCatalog::Event& event) {
  std::string text = fmt::format("{}/{}", pmu, event.name);
  for (const std::string_view term : perf::PmuCatalog::open_terms(event)) text += fmt::format(",{}=0", term);
  return text + "/";
}

NotModelled events_not_modelled(const perf::PmuCatalog& catalog, const scenario::Machine& machine) {
  NotModelled reasons;
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    for (const perf::PmuCatalog::Event& event : pmu.events) {
      const std::string text = fmt::format("{}/{}/", pmu.name, event.name);
      try {
        for (const perf::ResolvedGroup& group : catalog.resolve(with_open_terms(pmu.name, event))) {
          for (const auto& fabric : machine.fabrics()) fabric->check_event(group.events.front());
        }
      } catch (const perf::EventError& error) {
        reasons.emplace(text, error.reason());
      }
    }
  }
  return reasons;
}

/// PMUs by description that no driver has registered, and why.
using Missing = std::map<std::string, std::string>;

Missing find_missing(const scenario::Machine& machine, const driver_host::DriverSet& drivers,
                     const std::vector<perf::Pmu>& registered) {
  Missing missing;
  for (const std::string& pmu : machine.scoreboard().pmus()) {
    if (std::ranges::find(registered, pmu, &perf::Pmu::name) != registered.end()) continue;
    std::string module;
    for (const auto& fabric : machine.fabrics()) module += fabric->driver_of(pmu);
    if (module.empty()) continue;
    const bool is_bound = std::ranges::any_of(machine.host().driver_files(), [&](const auto& one) {
      return one.is_used && driver_host::module_of(one.file) == driver_host::module_of(module + ".c");
    });
    if (!drivers.modules.empty() && !drivers.holds(module)) {
      missing[pmu] = fmt::format("its driver {} is not in this driver set", module);
    } else if (is_bound) {
      missing[pmu] = fmt::format("its driver {} is bound to a device, and has not registered this PMU", module);
    } else {
      missing[pmu] = fmt::format("its driver {} is bound to no device: see --kernel-log", module);
    }
  }
  return missing;
}

Json as_json(const perf::PmuCatalog& catalog, const NotModelled& reasons, const Missing& missing,
             const std::string& version) {
  Json json;
  json["drivers"] = version;
  json["pmus"] = Json::array();
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    Json item;
    item["name"] = pmu.name;
    item["cpus"] = pmu.cpus;
    for (const perf::PmuCatalog::Event& event : pmu.events) {
      item["events"][event.name] = event.definition;
      const auto reason = reasons.find(fmt::format("{}/{}/", pmu.name, event.name));
      if (reason != reasons.end()) item["not_modelled"][event.name] = reason->second;
    }
    for (const perf::PmuCatalog::Format& format : pmu.formats) item["format"][format.name] = format.text;
    for (const auto& [name, content] : pmu.others) item["files"][name] = content;
    json["pmus"].push_back(std::move(item));
  }
  for (const auto& [pmu, reason] : missing) json["missing"][pmu] = reason;
  return json;
}

/// What is said of an event behind its definition.
std::string mark_of(const NotModelled& reasons, const std::string& event) {
  const auto reason = reasons.find(event);
  if (reason == reasons.end()) return {};
  if (reason->second.starts_with("the driver publishes")) return "  unusable: " + reason->second;
  constexpr std::string_view kNever = "no model makes this event happen: ";
  std::string_view text = reason->second;
  if (text.starts_with(kNever)) text.remove_prefix(kNever.size());
  return fmt::format("  not modelled: {}", text);
}

void print(const perf::PmuCatalog& catalog, const NotModelled& reasons) {
  for (const perf::PmuCatalog::Entry& pmu : catalog.entries()) {
    fmt::print("\n{}:\n", pmu.name);
    for (const perf::PmuCatalog::Event& event : pmu.events) {
      const std::string text = fmt::format("{}/{}/", pmu.name, event.name);
      fmt::print("  {:<56} [{}]{}\n", text, event.definition, mark_of(reasons, text));
    }
    std::string terms;
    for (const perf::PmuCatalog::Format& format : pmu.formats)
      terms += fmt::format("{}{}={}", terms.empty() ? "" : "  ", format.name, format.text);
    fmt::print("  terms: {}\n", terms);
    if (!pmu.cpus.empty()) fmt::print("  read on cpu {}\n", fmt::join(pmu.cpus, ","));
  }
}

/// Load the drivers and print what they publish.
int print_published(const platform::PlatformSpec& platform, const driver_host::DriverSet& drivers, bool json) {
  scenario::Machine machine(platform, {}, {}, drivers, {.echo_log = true});
  int loaded = 0;
  std::size_t driven = 0;
  std::vector<perf::Pmu> pmus;
  machine.run([&] {
    loaded = machine.host().load();
    driven = machine.host().pmus().size();
    if (driven > 0) pmus = machine.pmus().pmus();
  });
  scenario::print_kernel_errors(machine.host().log());
  const Missing missing = find_missing(machine, drivers, pmus);
  for (const auto& [pmu, reason] : missing)
    std::fputs(fmt::format("pmufab: {} is missing: {}\n", pmu, reason).c_str(), stderr);
  if (loaded < 0 || pmus.empty()) {
    scenario::print_failure(
        machine.host().log(),
        fmt::format("the drivers of Linux {} registered no PMU on platform {}", drivers.kernel_version, platform.name));
    return kCheckFailed;
  }
  const perf::PmuCatalog catalog(pmus);
  scenario::print_warnings(catalog);
  const NotModelled reasons = events_not_modelled(catalog, machine);
  if (json) {
    fmt::print("{}\n", as_json(catalog, reasons, missing, drivers.kernel_version).dump(2));
  } else {
    fmt::print("PMUs and events the drivers of Linux {} publish on platform {}{}:\n", drivers.kernel_version,
               platform.name, pmus.size() > driven ? ", and those that need no driver (cpmu_...)" : "");
    print(catalog, reasons);
  }
  return kPassed;
}

int print_sources(const platform::PlatformSpec& platform, bool json) {
  const Json found = scenario::countable_sources(platform);
  const Json& list = found["sources"];
  if (json) {
    Json all = {{"platform", platform.name}, {"sockets", platform.sockets}};
    all.update(found);
    fmt::print("{}\n", all.dump(2));
    return kPassed;
  }
  if (list.empty()) {
    fmt::print("platform {} has no sources that described PMUs could count\n", platform.name);
    return kPassed;
  }
  fmt::print("sources of platform {}, on each of {} socket{}:\n", platform.name, platform.sockets,
             platform.sockets == 1 ? "" : "s");
  for (const Json& item : list) {
    std::vector<std::string> counted;
    for (const auto& [pmu, events] : item["counted_by"].items())
      counted.push_back(fmt::format("{} ({} event{})", pmu, events.get<std::size_t>(), events == 1 ? "" : "s"));
    const auto attributes = item["attributes"].get<std::vector<std::string>>();
    fmt::print("  {:<24} {}; {}\n", item["name"].get<std::string>(),
               attributes.empty() ? "no attributes" : fmt::format("attributes {}", fmt::join(attributes, ", ")),
               counted.empty() ? "counted by none" : fmt::format("counted by {}", fmt::join(counted, ", ")));
  }
  if (!found.contains("cxl_components")) return kPassed;
  std::vector<std::string> numbered;
  for (const Json& component : found["cxl_components"])
    numbered.push_back(fmt::format("{} {}", numbered.size(), component.get<std::string>()));
  fmt::print("CXL components: {}\n", fmt::join(numbered, ", "));
  return kPassed;
}

/// Up to its first full stop.
std::string first_sentence(const std::string& text) {
  const std::size_t end = std::min(text.find(". "), text.find(".\n"));
  std::string sentence = text.substr(0, end);
  std::ranges::replace(sentence, '\n', ' ');
  while (sentence.ends_with(' ') || sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

int print_scenarios(const Request& request) {
  const std::vector<ListedScenario> list =
      list_scenarios(choose_scenarios(request.words), values_of(request.options, "serving"));
  if (request.options["json"].as<bool>()) {
    Json json = Json::array();
    for (const ListedScenario& one : list) {
      json.push_back({{"name", one.name},
                      {"file", one.file.generic_string()},
                      {"fabrics", one.fabrics},
                      {"pmus", one.pmus},
                      {"drivers", modules_serving(one.pmus)},
                      {"needs_trace", one.needs_trace},
                      {"description", one.description}});
    }
    fmt::print("{}\n", json.dump(2, ' ', true, Json::error_handler_t::replace));
    return kPassed;
  }
  std::size_t names = 0;
  std::size_t fabrics = 0;
  for (const ListedScenario& one : list) {
    names = std::max(names, one.name.size());
    fabrics = std::max(fabrics, fmt::format("{}", fmt::join(one.fabrics, ",")).size());
  }
  for (const ListedScenario& one : list) {
    fmt::print("{:<{}}  {:<{}}  {}\n", printable(one.name), names, fmt::format("{}", fmt::join(one.fabrics, ",")),
               fabrics, printable(first_sentence(one.description)));
  }
  return kPassed;
}

int run_list(const Request& request) {
  const std::vector<std::string>& files = request.words;
  if (request.options["scenarios"].as<bool>()) return print_scenarios(request);
  if (!values_of(request.options, "serving").empty())
    throw scenario::InputError("--serving chooses among scenarios", "add --scenarios");
  const std::vector<std::string> overrides = values_of(request.options, "set");
  if (files.size() > 1)
    throw scenario::InputError("there is more than one platform; give one at a time", "see pmufab list --help");
  if (files.empty() && !overrides.empty())
    throw scenario::InputError("--set changes the platform in a file, and none is given",
                               "pmufab list --set ... PLATFORM");
  scenario::PlatformDocument platform;
  platform.spec = scenario::default_platform();
  if (!files.empty()) platform = scenario::load_platform(find_platform(files.front()), overrides);
  const bool json = request.options["json"].as<bool>();
  if (request.options["sources"].as<bool>()) return print_sources(platform.spec, json);
  const driver_host::DriverSet drivers = find_newest_driver(request.options, platform.spec);

  return guarded(request.options["kernel-log"].as<bool>(),
                 [&] { return print_published(platform.spec, drivers, json); });
}

}  // namespace

Command list_command() {
  return {
      .name = "list",
      .arguments = "[options] [PLATFORM | --scenarios [SCENARIO...]]",
      .summary = "list the PMUs and events the drivers publish, as perf list does",
      .description =
          R"(Loads the drivers on the platform and lists what they publish in sysfs: events/, format/ and cpumask. PMUs that the
testbench's own software serves, such as those of CXL ports (cpmu_rp0.0), are listed as well. Without PLATFORM a
platform of two Tegra410 sockets is used. PLATFORM is a YAML file, or the library of a plug-in, which is a platform by
itself (docs/platforms/plug-ins.md).

Any event can be given to pmufab stat -e, with terms added:

  nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=1,dst_loc_cmem=1/

"not modelled" marks events that nothing on the platform causes, with the reason. pmufab refuses to measure such an
event.
A PMU by description that no driver has registered is named with the reason, on standard error.
"unusable" marks those that the driver publishes so that nobody can use them: with an empty file, say.

With --scenarios, it lists the scenarios below scenarios/ here and those that come with pmufab, or those that SCENARIO
names, as for pmufab run. Nothing is loaded for that.)",
      .options =
          Options{
              list("set", "PATH=VALUE", "change a value of the platform"), flag("json", "print JSON"),
              flag("sources",
                   "list the sources of described PMUs, also those that the fabrics are, and which PMUs count them"),
              flag("scenarios", "list scenarios in place of PMUs: name, fabrics, and what it shows"), serving_option(),
              flag("kernel-log", "show the kernel log while the drivers are loaded")} +
          driver_options("newest"),
      .words = Words::platforms,
      .examples = {{"pmufab list"},
                   {"pmufab list scenarios/platforms/tegra410-1s-small.yaml --drivers 7.2"},
                   {"pmufab list --sources scenarios/platforms/soc/soc-small.yaml"},
                   {"pmufab list --json | jq '.pmus[].name'"},
                   {"pmufab list --scenarios --serving dwc_pcie_pmu", "the scenarios that try a driver"}},
      .exit_codes = usual_exit_codes(),
      .run = run_list,
  };
}

}  // namespace pmufab::cli
