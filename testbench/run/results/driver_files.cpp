// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/results/driver_files.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "testbench/perf/software_events.h"

namespace pmufab::scenario {
namespace {

using driver_host::DriverFile;

constexpr auto kFields =
    std::tuple(NamedField{"file", &DriverFile::file}, NamedField{"sha256", &DriverFile::sha256},
               NamedField{"is_own", &DriverFile::is_own}, NamedField{"is_given", &DriverFile::is_given},
               NamedField{"is_used", &DriverFile::is_used}, NamedField{"pmus", &DriverFile::pmus});

/// "a", "a and b", "a, b and c"
std::string enumeration(const std::vector<std::string>& names) {
  if (names.size() <= 1) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

/// The first few names, and how many there are besides.
std::string shortened(std::vector<std::string> names) {
  constexpr std::size_t kShown = 3;
  if (names.size() > kShown + 1) {
    const std::size_t rest = names.size() - kShown;
    names.resize(kShown);
    names.push_back(fmt::format("{} other PMUs", rest));
  }
  return enumeration(names);
}

/// What serves the PMUs: "nvidia_ucf_pmu_0 and nvidia_ucf_pmu_1 were bound by arm_cspmu.c and nvidia_cspmu.c".
std::string describe_binding(const std::vector<DriverFile>& files) {
  std::vector<std::string> pmus;  // in the order in which files name them
  std::map<std::string, std::vector<std::string>> files_of;
  for (const DriverFile& file : files) {
    for (const std::string& pmu : file.pmus) {
      if (files_of[pmu].empty()) pmus.push_back(pmu);
      files_of[pmu].push_back(file.file);
    }
  }
  std::vector<std::string> parts;
  while (!pmus.empty()) {
    const std::vector<std::string> same = files_of.at(pmus.front());
    const auto others = std::stable_partition(pmus.begin(), pmus.end(),
                                              [&](const std::string& pmu) { return files_of.at(pmu) == same; });
    const std::vector<std::string> bound(pmus.begin(), others);
    parts.push_back(
        fmt::format("{} {} bound by {}", shortened(bound), bound.size() == 1 ? "was" : "were", enumeration(same)));
    pmus.erase(pmus.begin(), others);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

Json to_json(const std::vector<DriverFile>& files) {
  Json list = Json::array();
  for (const DriverFile& file : files) {
    if (file.pmus.empty() && !file.is_own) continue;
    Json json;
    write_fields(json, file, kFields);
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<DriverFile> driver_files_from_json(const Json& json) {
  std::vector<DriverFile> files;
  for (const Json& item : json) read_fields(item, files.emplace_back(), kFields);
  return files;
}

std::vector<std::string> describe(const std::vector<DriverFile>& files, const std::vector<std::string>& pmus) {
  std::vector<std::string> names;
  for (const std::string& pmu : pmus) {
    if (!pmu.empty() && std::ranges::find(names, pmu) == names.end()) names.push_back(pmu);
  }
  std::vector<std::string> lines;
  std::vector<std::string> unserved = names;
  std::erase(unserved, perf::kSoftwarePmu);  // nobody's
  for (const DriverFile& file : files) {
    const auto serves = [&](const std::string& pmu) { return std::ranges::find(file.pmus, pmu) != file.pmus.end(); };
    std::vector<std::string> served;
    std::ranges::copy_if(names, std::back_inserter(served), serves);
    std::erase_if(unserved, serves);
    constexpr std::size_t kDigits = 12;
    if (!served.empty())
      lines.push_back(fmt::format("{} (SHA-256 {}...{}) serves {}", file.file, file.sha256.substr(0, kDigits),
                                  file.is_own ? ", yours" : "", shortened(served)));
  }
  if (!unserved.empty() && !files.empty())
    lines.push_back(fmt::format("software of pmufab, no driver, serves {}", shortened(unserved)));
  return lines;
}

bool is_for(const DriverFile& file, const std::vector<std::string_view>& modules) {
  const std::string name = driver_host::module_of(file.file);
  return std::ranges::any_of(modules, [&](std::string_view module) {
    return module == name || module == name + "_module";  // arm_cspmu.c
  });
}

std::vector<DriverFile> expected_files(const std::vector<DriverFile>& files) {
  std::vector<DriverFile> expected;
  std::ranges::copy_if(files, std::back_inserter(expected), [](const DriverFile& file) { return file.is_given; });
  if (!expected.empty()) return expected;
  std::ranges::copy_if(files, std::back_inserter(expected), [](const DriverFile& file) { return file.is_own; });
  if (std::ranges::any_of(expected, [](const DriverFile& file) { return file.is_used; })) return {};
  return expected;
}

std::string describe_unused(const std::vector<DriverFile>& files, const std::vector<std::string_view>& foreign) {
  std::vector<std::string> unused;
  for (const DriverFile& file : expected_files(files)) {
    if (!file.is_used && is_for(file, foreign)) unused.push_back(file.file);
  }
  if (unused.empty()) return {};
  const bool is_one = unused.size() == 1;
  return fmt::format("{} (yours) {} not used: this platform has no PMU for {}", enumeration(unused),
                     is_one ? "was" : "were", is_one ? "it" : "them");
}

CheckResult check_own_drivers(const std::vector<DriverFile>& files, const std::vector<std::string_view>& foreign) {
  std::vector<std::string> idle;
  const bool any = std::ranges::any_of(files, [](const DriverFile& file) { return file.is_own; });
  for (const DriverFile& file : expected_files(files)) {
    if (!file.is_used && !is_for(file, foreign)) idle.push_back(file.file);
  }
  if (const std::string unused = describe_unused(files, foreign); idle.empty() && !unused.empty())
    return {"drivers", true, unused};
  if (idle.empty())
    return {"drivers", true, any ? "every driver of yours for this platform was used" : "no driver is yours"};
  const std::string binding = describe_binding(files);
  return {"drivers", false,
          fmt::format("{} bound no PMU{}{}", enumeration(idle), binding.empty() ? "" : "; ", binding)};
}

}  // namespace pmufab::scenario
