// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/platform/platform_spec.h"
#include "testbench/fabrics/common/fabric.h"
#include "testbench/fabrics/common/workload.h"
#include "testbench/run/results/results.h"
#include "testbench/run/yaml/reader.h"

namespace pmufab::coverage {
struct FactsRoom;
}  // namespace pmufab::coverage
namespace pmufab::verify {
class FabricGenerator;
}

namespace pmufab::scenario {

/// Fields of registers that turn something on. When the last event was closed, they must be as they are after loading;
/// or, if they say so, off when the drivers have been unloaded.
struct RegisterSwitch {
  enum class Name : std::uint8_t { whole, part };
  Name name = Name::part;        ///< whether `registers` is a register's name, or a part of it
  std::string_view registers;    ///< "PMCNTENSET"
  std::string_view field;        ///< its name begins with this
  std::string_view ending = {};  ///< and ends with this
  std::string_view what;         ///< "a counter is enabled"
  bool is_comparison = false;    ///< any other value, and not only another bit, means that it is on
  bool is_for_unloaded = false;  ///< looked at when the drivers have been unloaded, and only then
  bool is_inverted = false;      ///< a bit is on while it is 0
  std::string_view banks = {};   ///< the name of the bank ends with this
};

/// A kernel module, and the PMUs that it serves.
struct PmuDriver {
  std::string_view module;             ///< "arm_cmn"
  std::vector<std::string_view> pmus;  ///< how their names begin, without numbers and places: "arm_cmn" of arm_cmn_0
  bool is_needed = true;               ///< a driver set without it cannot count on the fabric
};

/// Names of traffic. Reports and seeds use them, so each is given once, over all kinds.
class TrafficNames {
 public:
  /// @param keys  of all traffic, for messages: "generators, mesh_traffic and cxl_traffic"
  explicit TrafficNames(std::string keys) : keys_(std::move(keys)) {}
  void add(const std::string& name) { taken_.insert(name); }
  /// Take the name of one map of traffic. @throws InputError if it is empty or other traffic has it
  void take(Reader& reader, const std::string& name);

 private:
  std::string keys_;
  std::set<std::string> taken_;
};

/// Why traffic that replays a trace is refused if neither it nor its scenario names one (InputError::reason): nothing is
/// wrong with the file, which is for a trace of the user's.
inline constexpr const char* kNoTraceNamed = "no trace is named";

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

/// One kind of PMU fabric: everything that it tells the rest of itself. A new kind is a class in a folder of its own and
/// a line in testbench/fabrics/fabric_kinds.cpp.
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
  /// @return the kernel modules that drive its PMUs. Several may serve one PMU.
  [[nodiscard]] virtual std::vector<PmuDriver> drivers() const = 0;
  /// @return those that it needs.
  [[nodiscard]] std::vector<std::string_view> driver_modules() const;
  /// @return those that a platform needs
  [[nodiscard]] virtual std::vector<std::string_view> driver_modules_of(
      const platform::PlatformSpec& /*platform*/) const {
    return driver_modules();
  }
  /// @return the PMUs that reference software can count in place of drivers, for messages: "CMN meshes"; "": none
  [[nodiscard]] virtual std::string_view reference_software() const { return {}; }
  /// @return what drivers must turn off in its registers. Of several that fit a field, the first counts.
  [[nodiscard]] virtual std::vector<RegisterSwitch> switches(const platform::PlatformSpec& /*platform*/) const {
    return {};
  }
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

  /// @return what PMUs by description can count: `sources`, each with `name`, `attributes` and `counted_by`, and whatever
  ///         explains them; null: such PMUs are not its own
  [[nodiscard]] virtual Json countable_sources(const platform::PlatformSpec& /*platform*/) const { return {}; }
  /// @return what coverage may know of its PMUs; null: what their drivers publish, and no more
  [[nodiscard]] virtual const coverage::FactsRoom* facts() const { return nullptr; }
  /// @return what makes random cases for its drivers; null: there are none
  [[nodiscard]] virtual const verify::FabricGenerator* generator() const { return nullptr; }
  /// @param file     of a platform of the user's, absolute
  /// @param modules  the kernel modules that drive its PMUs
  /// @return what makes random cases on that platform alone; null: nothing does
  [[nodiscard]] virtual std::unique_ptr<const verify::FabricGenerator> generator_on(
      const std::string& file, const platform::PlatformSpec& platform,
      const std::vector<std::string_view>& modules) const;
};

}  // namespace pmufab::scenario
