// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/fabric_generator.h"

namespace pmufab::verify {

/// Cases on one platform of the user's: random perf sessions on its described PMUs that arm_cspmu drives without a
/// back-end. What happens at their sources is the traffic of its plug-in, random streams at sources of its file, and
/// occurrences in bulk, which wrap counters. Narrow PMUs have an interrupt of their own and events that leave a driver
/// time between two wraps. Of a plug-in, that is an assumption: kOfPlugin in the source.
class PlatformGenerator final : public FabricGenerator {
 public:
  /// @param file  of the platform, absolute
  /// @param modules  the kernel modules that drive its PMUs
  PlatformGenerator(std::string file, platform::PlatformSpec platform, std::vector<std::string_view> modules);

  /// "platform-" and the platform's name
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view kernel, const Wishes& wishes) const override;
  [[nodiscard]] std::vector<std::string_view> driver_modules() const override { return modules_; }
  [[nodiscard]] bool has_pmus(std::string_view kernel) const override;

 private:
  std::string file_;
  platform::PlatformSpec platform_;
  std::vector<std::string_view> modules_;
  std::string name_;
};

}  // namespace pmufab::verify
