// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/points.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "testbench/host/module_library.h"
#include "testbench/run/process/build_id.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/report/report.h"
#include "testbench/run/session/kernel_selection.h"

namespace pmufab::explore {
namespace {

using driver_host::DriverSet;
using scenario::InputError;

std::string sum_of(const std::string& text) {
  return to_string(boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(text));
}

std::string files_of(const DriverSet& set) {
  std::string text;
  try {
    for (const driver_host::DriverFile& file : driver_host::files_in(set.library))
      text += fmt::format(" {} {}", file.file, file.sha256);
  } catch (const driver_host::DriverSetError& error) {
    throw InputError(error.what());
  }
  return text;
}

/// Release and build of this program.
std::string program_text() { return fmt::format("{} {}", scenario::version(), process::build_id()); }

/// What is read from results, in words. Another study that reads the same can use the same runs.
std::string measured_values(const Study& study) {
  std::string text;
  for (const Response& response : study.responses) {
    if (response.measured) text += fmt::format("{}: {}\n", response.name, response.measured->identity());
  }
  return text;
}

}  // namespace

PointMaker::PointMaker(const Study& study, const std::filesystem::path& scenario,
                       std::shared_ptr<const DriverSets> sets)
    : study_(study), no_overrides_(std::make_shared<const std::vector<std::string>>()), sets_(std::move(sets)) {
  try {
    file_ = std::make_shared<const scenario::ScenarioFile>(scenario);
  } catch (const InputError& error) {
    if (error.source().line > 0) throw;
    throw InputError(study.scenario_source, "scenario", error.what());
  }
  const scenario::ScenarioSpec base = load(variant_of(study.grid.values_at(0)));
  seed_ = base.seed;
  choose_drivers(base);
  try_values(base);
}

scenario::ScenarioSpec PointMaker::load(const scenario::Variant& variant) const {
  scenario::ScenarioSpec spec = file_->load(variant, *no_overrides_);
  for (const Response& response : study_.responses) {
    if (!spec.is_judged && response.measured && response.measured->needs_judge())
      throw InputError(response.measured->source, response.measured->path,
                       "needs the judge, and the scenario has 'judge: off'", "remove one of the two");
  }
  return spec;
}

void PointMaker::choose_drivers(const scenario::ScenarioSpec& base) {
  const DriverSets able = scenario::select(scenario::sets_for(*sets_, base.platform), base.drivers);
  if (able.empty())
    throw InputError(study_.scenario_source, "scenario",
                     "no driver set supports the platform and matches the drivers of the scenario");
  const auto kept = [&](const auto& is_wanted) -> const DriverSet* {
    const auto found = std::ranges::find_if(*sets_, is_wanted);
    return found == sets_->end() ? nullptr : &*found;
  };
  usual_ = kept([&](const DriverSet& set) { return set.library == able.back().library; });
  driver_files_[usual_->kernel_version] = files_of(*usual_);
  for (const Axis& axis : study_.axes) {
    if (!axis.selects_drivers) continue;
    for (const AxisValue& value : axis.values) {
      const DriverSet* const set = kept([&](const DriverSet& one) { return one.kernel_version == value.label; });
      if (set == nullptr) throw InputError(axis.source, axis.path, fmt::format("no driver set is '{}'", value.label));
      driver_files_[value.label] = files_of(*set);
    }
  }
}

void PointMaker::try_values(const scenario::ScenarioSpec& base) {
  const auto add = [&](const scenario::ScenarioSpec& spec) { base_ = sum_of(base_ + configuration_of(spec, {})); };
  add(base);
  constexpr std::size_t kMost = 1000;  // values of one axis: each is quick, and most axes have a few
  const std::vector<std::size_t> first = study_.grid.values_at(0);
  for (std::size_t axis = 0; axis < study_.axes.size(); ++axis) {
    const std::size_t size = study_.axes[axis].values.size();
    for (std::size_t i = 1; i < size; i += std::max<std::size_t>(1, size / kMost)) {
      std::vector<std::size_t> values = first;
      values[axis] = i;
      add(load(variant_of(values)));
    }
  }
}

scenario::Variant PointMaker::variant_of(const std::vector<std::size_t>& values) const {
  scenario::Variant variant;
  const auto add = [&](const Setting& setting) {
    variant.overrides.push_back(setting.text);
    variant.sources.push_back(setting.source);
  };
  for (const Setting& setting : study_.settings) add(setting);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AxisValue& value = study_.axes[i].values[values[i]];
    for (const Setting& setting : value.settings) add(setting);
    variant.name += fmt::format("{}{}={}", i == 0 ? "" : ",", study_.axes[i].name, value.label);
  }
  return variant;
}

const DriverSet& PointMaker::drivers_of(const std::vector<std::size_t>& values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Axis& axis = study_.axes[i];
    if (!axis.selects_drivers) continue;
    const auto set = std::ranges::find_if(
        *sets_, [&](const DriverSet& one) { return one.kernel_version == axis.values[values[i]].label; });
    return *set;
  }
  return *usual_;
}

std::string PointMaker::configuration_of(const scenario::ScenarioSpec& spec, const std::string& drivers) const {
  std::string text = scenario::effective_yaml(spec, drivers);
  for (const std::string& file : spec.traffic_files) {
    const auto [known, is_new] = file_sums_.try_emplace(file);
    std::error_code error;
    // What cannot be read is the run's mistake. A pipe can be read once only: by the run.
    if (is_new && std::filesystem::is_regular_file(file, error)) {
      std::ifstream stream(file, std::ios::binary);
      known->second = sum_of(std::string(std::istreambuf_iterator<char>(stream), {}));
    }
    text += known->second;
  }
  return text;
}

PointMaker::Point PointMaker::make(std::uint64_t position) const {
  const std::vector<std::size_t> values = study_.grid.values_at(position / study_.grid.repeats());
  scenario::Variant variant = variant_of(values);
  if (study_.repeats > 1) {
    const std::uint64_t seed = seed_ + position % study_.grid.repeats();
    variant.overrides.push_back(fmt::format("seed={}", seed));
    variant.sources.emplace_back();
    variant.name += fmt::format(",seed={}", seed);
  }
  const scenario::ScenarioSpec spec = load(variant);
  const DriverSet& drivers = drivers_of(values);
  std::string text = fmt::format("pmufab {}\n{}\n", program_text(), driver_files_.at(drivers.kernel_version));
  text += measured_values(study_);
  text += configuration_of(spec, drivers.kernel_version);
  return {{plan_scenario(file_, std::move(variant), no_overrides_, spec), {sets_, &drivers}}, sum_of(text)};
}

std::string PointMaker::key_of_mistake(std::uint64_t position, const std::string& message) const {
  return sum_of(fmt::format("pmufab {}\n{}{}", program_text(), label_of(study_, position), message));
}

std::string PointMaker::made_with() const {
  std::string text = fmt::format("# pmufab {}\n# scenario {}\n", program_text(), base_);
  for (const auto& [version, files] : driver_files_) text += fmt::format("# Linux {}:{}\n", version, files);
  return text;
}

std::string label_of(const Study& study, std::uint64_t position) {
  const std::vector<std::size_t> values = study.grid.values_at(position / study.grid.repeats());
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", study.axes[i].name, study.axes[i].values[values[i]].label);
  return text;
}

std::string command_of(const Study& study, std::uint64_t position, const std::string& scenario,
                       const std::string& drivers, std::uint64_t seed) {
  std::string text = "pmufab run " + process::shell_word(scenario);
  const auto add = [&](const Setting& setting) { text += " --set " + process::shell_word(setting.text); };
  for (const Setting& setting : study.settings) add(setting);
  const std::vector<std::size_t> values = study.grid.values_at(position / study.grid.repeats());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const Setting& setting : study.axes[i].values[values[i]].settings) add(setting);
  }
  if (study.repeats > 1) text += fmt::format(" --set seed={}", seed);
  return text + " --set matrix=null --drivers " + process::shell_word(drivers);
}

}  // namespace pmufab::explore
