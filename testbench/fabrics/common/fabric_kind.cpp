// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/common/fabric_kind.h"

#include <fmt/format.h>

#include "testbench/fabrics/common/fabric_generator.h"

namespace pmufab::scenario {

platform::PlatformSpec FabricKind::new_platform() const {
  constexpr unsigned kCpus = 8;
  platform::PlatformSpec platform;
  platform.name = name();
  platform.sockets = 1;
  platform.cpus_per_socket = kCpus;
  return platform;
}

std::vector<std::string_view> FabricKind::driver_modules() const {
  std::vector<std::string_view> modules;
  for (const PmuDriver& driver : drivers()) {
    if (driver.is_needed) modules.push_back(driver.module);
  }
  return modules;
}

std::unique_ptr<const verify::FabricGenerator> FabricKind::generator_on(
    const std::string& /*file*/, const platform::PlatformSpec& /*platform*/,
    const std::vector<std::string_view>& /*modules*/) const {
  return nullptr;
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
              fmt::format("names must be unique among {}; '{}' is free", keys_, other));
}

}  // namespace pmufab::scenario
