// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/scenarios/served_pmus.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/host/driver_sets.h"
#include "testbench/perf/event_syntax.h"
#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/driver/further_drivers.h"
#include "tools/pmufab/places.h"

namespace pmufab::cli {
namespace {

namespace fs = std::filesystem;
using scenario::FabricKind;
using scenario::PmuDriver;

/// A driver of described PMUs. Its PMUs have any names, so its module stands for them.
const std::vector<PmuDriver>& described_drivers() {
  static const std::vector<PmuDriver> drivers = [] {
    std::vector<PmuDriver> all;
    for (const FurtherDriver& one : further_drivers()) all.push_back({.module = one.module, .pmus = {one.module}});
    return all;
  }();
  return drivers;
}

/// Call `use` with each driver of each kind of fabric, and of described PMUs.
template <typename Use>
void for_drivers(Use use) {
  for (const PmuDriver& driver : described_drivers()) use(driver);
  for (const FabricKind* kind : scenario::fabric_kinds()) {
    for (const PmuDriver& driver : kind->drivers()) use(driver);
  }
}

PmuKinds all_pmus() {
  PmuKinds all;
  for_drivers([&](const PmuDriver& driver) {
    for (const std::string_view pmu : driver.pmus) add_once(all, pmu);
  });
  return all;
}

/// @param name  of a PMU, its beginning, or with '*' and '?' behind that
bool is_of_kind(std::string_view name, std::string_view kind) {
  const std::string_view begin = name.substr(0, name.find_first_of("*?"));
  if (begin.empty()) return false;
  if (begin.size() <= kind.size()) return kind.starts_with(begin);
  return begin.starts_with(kind) && begin[kind.size()] == '_';
}

/// The kernel modules that are made of a C file, by the name of the file, and those that need them.
std::vector<std::string> modules_of_file(const std::string& file) {
  std::ifstream list(data_folder() / "testbench" / "host" / "linux-drivers.txt");
  std::vector<std::string> modules;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string module;
    words >> module;
    for (std::string word; words >> word && word != "needs";) {
      if (fs::path(word).filename() == file) modules.push_back(module);
    }
  }
  for (const FurtherDriver& one : further_drivers()) {
    const bool has_file = std::ranges::any_of(one.files, [&](const fs::path& its) { return its.filename() == file; });
    if (has_file || std::ranges::find_first_of(one.after, modules) != one.after.end()) modules.push_back(one.module);
  }
  return modules;
}

/// "arm_cmn" of "drivers/perf/arm-cmn.c", "arm-cmn.ko" and "arm-cmn"
std::string as_module(const std::string& given) {
  constexpr std::array<std::string_view, 4> kEndings = {".c", ".h", ".ko", ".so"};
  const fs::path path = given;
  const bool is_file = std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
  std::string name = (is_file ? path.stem() : path.filename()).string();
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Any name that a user may have meant.
std::vector<std::string> known_names() {
  std::vector<std::string> names = known_modules();
  for (const std::string_view pmu : all_pmus()) names.emplace_back(pmu);
  return names;
}

}  // namespace

void add_once(std::vector<std::string_view>& list, std::string_view item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

std::vector<std::string_view> modules_called(const std::string& driver) {
  std::vector<std::string> wanted;
  std::istringstream parts(driver);
  for (std::string part; std::getline(parts, part, '+');) {
    wanted.push_back(as_module(part));
    wanted.push_back(wanted.back() + "_module");  // arm_cspmu.c
    for (std::string& module : modules_of_file(fs::path(part).filename().string())) wanted.push_back(std::move(module));
  }
  std::vector<std::string_view> modules;
  for_drivers([&](const PmuDriver& one) {
    if (std::ranges::find(wanted, as_module(std::string(one.module))) != wanted.end()) add_once(modules, one.module);
  });
  return modules;
}

PmuKinds pmus_served_by(const std::string& given) {
  const std::vector<std::string_view> modules = modules_called(given);
  PmuKinds pmus;
  for_drivers([&](const PmuDriver& driver) {
    if (std::ranges::find(modules, driver.module) == modules.end()) return;
    for (const std::string_view pmu : driver.pmus) add_once(pmus, pmu);
  });
  if (!pmus.empty()) return pmus;
  std::ranges::copy_if(all_pmus(), std::back_inserter(pmus),
                       [&](std::string_view kind) { return is_of_kind(as_module(given), kind); });
  if (!pmus.empty()) return pmus;
  throw scenario::InputError(fmt::format("there is no driver and no PMU '{}'", given),
                             scenario::suggest(as_module(given), known_names()));
}

PmuKinds driven_pmus(const scenario::ScenarioSpec& spec) {
  PmuKinds pmus;
  if (spec.host.counted_by == scenario::HostSpec::CountedBy::reference) return pmus;
  const PmuKinds all = all_pmus();
  for (const scenario::MeasureSpec& measure : spec.measures) {
    for (const std::string& text : measure.events) {
      for (const perf::WrittenGroup& group : perf::parse_events(text)) {
        for (const perf::WrittenEvent& event : group.events) {
          for (const std::string_view kind : all) {
            if (is_of_kind(event.pmu, kind)) add_once(pmus, kind);
          }
        }
      }
    }
  }
  const std::vector<std::string_view> modules = scenario::driver_modules(spec.platform);
  for (const PmuDriver& driver : described_drivers()) {
    if (std::ranges::find(modules, driver.module) != modules.end()) add_once(pmus, driver.module);
  }
  if (!pmus.empty() && !spec.failing_calls && !spec.stray_interrupts) return pmus;
  for (const FabricKind* kind : scenario::fabric_kinds()) {
    if (!kind->is_in(spec.platform)) continue;
    for (const PmuDriver& driver : kind->drivers()) {
      for (const std::string_view pmu : driver.pmus) add_once(pmus, pmu);
    }
  }
  return pmus;
}

std::vector<std::string_view> modules_serving(const PmuKinds& pmus) {
  std::vector<std::string_view> modules;
  for_drivers([&](const PmuDriver& driver) {
    if (have_common(driver.pmus, pmus)) add_once(modules, driver.module);
  });
  return modules;
}

std::vector<const verify::FabricGenerator*> generators_serving(const std::vector<std::string_view>& modules) {
  const auto is_served = [&](const std::vector<std::string_view>& needed) {
    return std::ranges::find_first_of(needed, modules) != needed.end();
  };
  std::vector<const verify::FabricGenerator*> generators;
  for (const verify::FabricGenerator* fabric : verify::fabric_generators()) {
    if (is_served(fabric->driver_modules())) generators.push_back(fabric);
  }
  const bool is_described = std::ranges::any_of(described_drivers(), [&](const PmuDriver& one) {
    return std::ranges::find(modules, one.module) != modules.end();
  });
  if (!is_described) return generators;
  std::set<fs::path> files;
  std::error_code error;
  for (const auto& entry :
       fs::recursive_directory_iterator(data_folder() / "scenarios" / "platforms" / "linux", error)) {
    if (entry.path().extension() == ".yaml") files.insert(fs::absolute(entry.path()));
  }
  // They live as long as the process, as those of fabrics do.
  static std::vector<std::unique_ptr<const verify::FabricGenerator>> made;
  for (const fs::path& file : files) {
    const platform::PlatformSpec spec = scenario::load_platform(file, {}).spec;
    if (!is_served(scenario::driver_modules(spec))) continue;
    made.push_back(verify::generator_on(file.string(), spec));
    generators.push_back(made.back().get());
  }
  return generators;
}

bool have_common(const PmuKinds& one, const PmuKinds& other) {
  return std::ranges::find_first_of(one, other) != one.end();
}

std::vector<std::string> known_modules() {
  std::vector<std::string_view> modules;
  for_drivers([&](const PmuDriver& driver) { add_once(modules, driver.module); });
  return {modules.begin(), modules.end()};
}

}  // namespace pmufab::cli
