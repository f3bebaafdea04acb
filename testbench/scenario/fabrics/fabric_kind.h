// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/scenario/fabrics/fabric.h"
#include "testbench/scenario/fabrics/register_switch.h"
#include "testbench/scenario/fabrics/workload.h"
#include "testbench/scenario/report/derived.h"
#include "testbench/scenario/report/results.h"
#include "testbench/scenario/yaml/reader.h"

namespace pmufab::scenario {

/// Names of traffic. Reports and seeds use them, so each is given once, over all kinds.
class TrafficNames {
 public:
  void add(const std::string& name) { taken_.insert(name); }
  /// Take the name of one map of traffic. @throws InputError if it is empty or other traffic has it
  void take(Reader& reader, const std::string& name);

 private:
  std::set<std::string> taken_;
};

/// What a scenario gives to all kinds of traffic.
struct TrafficContext {
  std::filesystem::path base;                     ///< folder that files without a leading '/' are in
  std::string default_trace;                      ///< for replays that name no file
  std::vector<std::filesystem::path> part_bases;  ///< of each item of `traffic`: the folder of the file it came from
  const platform::PlatformSpec& platform;
  TrafficNames& names;
  std::vector<std::string>& files;  ///< that are replayed, as the program opens them: each is added
};

/// Whether traffic tells when a scenario without a duration ends.
struct TrafficEnd {
  enum class Kind : std::uint8_t {
    no_traffic,
    ends,
    not_told,  ///< it may end, but nothing says so
    never,
  };
  Kind kind = Kind::no_traffic;
  std::string reason;  ///< of the last two: why the scenario needs a duration
  std::string suggestion;
};

/// One kind of PMU fabric in scenarios. Everything about a kind is defined here. A new kind is a class in a folder of
/// its own and a line in fabric_kinds().
class FabricKind {
 public:
  virtual ~FabricKind() = default;

  /// The word for `kind` of a platform.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// @return a platform of this `kind` before its keys are read: one socket and nothing else.
  [[nodiscard]] virtual platform::PlatformSpec new_platform() const;
  /// Read the keys of a platform that describe the fabric. A platform may have several fabrics.
  /// @param is_kind  its `kind` is this one
  virtual void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const = 0;
  /// Read keys that connect what all fabrics' keys described.
  virtual void read_connections(Reader& /*reader*/, platform::PlatformSpec& /*platform*/) const {}
  /// @return whether the platform has this fabric.
  [[nodiscard]] virtual bool is_in(const platform::PlatformSpec& platform) const = 0;
  /// @return the kernel modules that drive its PMUs.
  [[nodiscard]] virtual std::vector<std::string_view> driver_modules() const = 0;
  /// @return what drivers must turn off in its registers. Of several that fit a field, the first counts.
  [[nodiscard]] virtual std::span<const RegisterSwitch> switches() const { return {}; }
  /// @return whether a bank of registers belongs to hardware that drivers must leave alone.
  [[nodiscard]] virtual bool is_left_alone(const platform::PlatformSpec& /*platform*/,
                                           std::string_view /*bank*/) const {
    return false;
  }

  /// Read the keys of a scenario that describe its traffic.
  virtual void read_traffic(Reader& reader, const TrafficContext& context, Workload& workload) const = 0;
  /// @return what holds names of its traffic, for messages: "mesh_traffic".
  [[nodiscard]] virtual std::vector<std::string_view> traffic_keys() const = 0;
  [[nodiscard]] virtual TrafficEnd traffic_end(const Workload& workload) const = 0;
  /// Refuse its traffic, if there is any, on a platform without the fabric. @throws InputError
  virtual void refuse_traffic(const Workload& workload) const = 0;

  /// @return the fabric of a machine whose platform has it. @throws InputError for traffic that is impossible on it
  [[nodiscard]] virtual std::unique_ptr<Fabric> make(const FabricContext& context) const = 0;
  /// @return figures computed from counts of its PMUs, in the order of the counts.
  [[nodiscard]] virtual std::vector<DerivedResult> derive(const std::vector<DerivedInput>& /*inputs*/) const {
    return {};
  }
};

/// The one table of kinds. The first is the default for a platform that names none. Order matters: fabrics are read,
/// made and reported in this order.
[[nodiscard]] const std::vector<const FabricKind*>& fabric_kinds();

/// Add a kind to the table, before any scenario is read: for programs that bring fabrics of their own.
/// @param kind  outlives the program's use of the table
void add_fabric_kind(const FabricKind& kind);

/// @return what drivers must turn off in the registers of a platform.
[[nodiscard]] std::vector<RegisterSwitch> register_switches(const platform::PlatformSpec& platform);

/// @return whether a bank of registers belongs to hardware that drivers must leave alone.
[[nodiscard]] bool is_left_alone(const platform::PlatformSpec& platform, std::string_view bank);

/// @return whether there is traffic of any kind.
[[nodiscard]] bool has_traffic(const Workload& workload);

/// @return the kernel modules that drive the PMUs of a platform.
[[nodiscard]] std::vector<std::string_view> driver_modules(const platform::PlatformSpec& platform);
/// @return the kernel modules for fabrics that the platform does not have
[[nodiscard]] std::vector<std::string_view> foreign_driver_modules(const platform::PlatformSpec& platform);

}  // namespace pmufab::scenario
