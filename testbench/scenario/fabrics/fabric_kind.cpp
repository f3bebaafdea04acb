// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/fabric_kind.h"

#include <algorithm>

#include <fmt/format.h>

#include "testbench/scenario/fabrics/cmn/cmn_kind.h"
#include "testbench/scenario/fabrics/cxl/cxl_kind.h"
#include "testbench/scenario/fabrics/dwc/dwc_kind.h"
#include "testbench/scenario/fabrics/plugin/plugin_kind.h"
#include "testbench/scenario/fabrics/soc/soc_kind.h"
#include "testbench/scenario/fabrics/tegra410/tegra410_kind.h"

namespace pmufab::scenario {
namespace {

std::vector<const FabricKind*>& table() {
  static std::vector<const FabricKind*> kinds = {&tegra410_kind(), &cmn_kind(), &cxl_kind(),
                                                 &plugin_kind(),   &soc_kind(), &dwc_kind()};
  return kinds;
}

/// "generators, mesh_traffic and cxl_traffic"
std::string all_traffic_keys() {
  std::vector<std::string_view> keys;
  for (const FabricKind* kind : fabric_kinds()) {
    for (const std::string_view key : kind->traffic_keys()) keys.push_back(key);
  }
  const std::string_view last = keys.back();
  keys.pop_back();
  return fmt::format("{} and {}", fmt::join(keys, ", "), last);
}

}  // namespace

const std::vector<const FabricKind*>& fabric_kinds() { return table(); }

void add_fabric_kind(const FabricKind& kind) { table().push_back(&kind); }

platform::PlatformSpec FabricKind::new_platform() const {
  constexpr unsigned kCpus = 8;
  platform::PlatformSpec platform = platform::PlatformSpec::without_fabrics();
  platform.name = name();
  platform.sockets = 1;
  platform.cpus_per_socket = kCpus;
  return platform;
}

void TrafficNames::take(Reader& reader, const std::string& name) {
  if (!reader.has("name"))
    throw InputError(reader.source(), reader.path(), "the key 'name' is missing",
                     "is this traffic meant that is there? --set and axes that name one behind the last make another");
  if (name.empty()) reader.fail("name", "is empty", "give the traffic a name");
  if (taken_.insert(name).second) return;
  std::string other;
  for (unsigned number = 2; other.empty() || taken_.contains(other); ++number)
    other = fmt::format("{}-{}", name, number);
  reader.fail("name", fmt::format("other traffic is called '{}'", name),
              fmt::format("names must be unique among {}; '{}' is free", all_traffic_keys(), other));
}

bool has_traffic(const Workload& workload) {
  return std::any_of(fabric_kinds().begin(), fabric_kinds().end(), [&](const FabricKind* kind) {
    return kind->traffic_end(workload).kind != TrafficEnd::Kind::no_traffic;
  });
}

std::vector<RegisterSwitch> register_switches(const platform::PlatformSpec& platform) {
  std::vector<RegisterSwitch> switches;
  for (const FabricKind* kind : fabric_kinds()) {
    if (!kind->is_in(platform)) continue;
    const std::span<const RegisterSwitch> own = kind->switches();
    switches.insert(switches.end(), own.begin(), own.end());
  }
  return switches;
}

bool is_left_alone(const platform::PlatformSpec& platform, std::string_view bank) {
  const auto& kinds = fabric_kinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const FabricKind* kind) {
    return kind->is_in(platform) && kind->is_left_alone(platform, bank);
  });
}

std::vector<std::string_view> driver_modules(const platform::PlatformSpec& platform) {
  std::vector<std::string_view> modules;
  for (const FabricKind* kind : fabric_kinds()) {
    if (!kind->is_in(platform)) continue;
    for (const std::string_view module : kind->driver_modules()) modules.push_back(module);
  }
  return modules;
}

std::vector<std::string_view> foreign_driver_modules(const platform::PlatformSpec& platform) {
  // Kinds may have drivers in common.
  const std::vector<std::string_view> own = driver_modules(platform);
  std::vector<std::string_view> modules;
  for (const FabricKind* kind : fabric_kinds()) {
    if (kind->is_in(platform)) continue;
    for (const std::string_view module : kind->driver_modules()) {
      if (std::find(own.begin(), own.end(), module) == own.end() &&
          std::find(modules.begin(), modules.end(), module) == modules.end())
        modules.push_back(module);
    }
  }
  return modules;
}

}  // namespace pmufab::scenario
