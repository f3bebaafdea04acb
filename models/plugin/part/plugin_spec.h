// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/platform/platform_spec.h"
#include "models/soc/wire/description.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::platform {

/// What a plug-in has declared: plain data.
struct PluginFacts {
  using Window = PartClaims::Window;
  using Device = PartClaims::Device;
  std::string name;  ///< its own
  std::vector<Window> windows;
  std::vector<std::uint32_t> interrupts;        ///< numbers
  std::vector<MemoryResource> described;        ///< what firmware tells of: devices and pages of CoreSight PMUs
  std::vector<Device> devices;                  ///< those, and those of CoreSight PMUs
  std::vector<soc::SourceDescription> sources;  ///< with Cause::plugin
  /// The parameters that it asks for, with their values as text.
  std::map<std::string, std::string> parameters;
  bool has_traffic = false;
};

/// A plug-in of a platform.
class PluginSpec final : public PartSpec {
 public:
  std::string file;  ///< as the user named it, for messages
  std::string path;  ///< absolute
  std::map<std::string, std::string> parameters;
  unsigned sockets = 1;
  unsigned cpus_per_socket = 1;
  PluginFacts facts;  ///< from examine_plugin()

  void check(const PlatformSpec& /*platform*/) const override {}
  [[nodiscard]] PartClaims claims(const PlatformSpec& platform) const override;
  /// Load and make it. @throws PluginError
  void make(const PlatformSpec& platform, PlatformParts& parts) const override;
};

}  // namespace pmufab::platform
