// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/plugin/scenario/plugin_kind.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/plugin/part/plugin_library.h"
#include "models/plugin/part/plugin_part.h"
#include "models/plugin/part/plugin_spec.h"
#include "models/soc/wire/fabric_sources.h"
#include "testbench/fabrics/plugin/scenario/plugin_probe.h"
#include "testbench/run/yaml/input_error.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;
using platform::PluginPart;
using platform::PluginSpec;

constexpr const char* kFile = "plugin";
constexpr const char* kParameters = "plugin_parameters";

/// Traffic of the plug-in's own: what is known before it is made.
struct PluginWorkload {
  std::string name;  // of the plug-in; empty: no traffic
};

/// The file, relative to that in which it is named, or to where the user stands if the name came with an option.
fs::path plugin_path(const Value& name) {
  const fs::path file = name.scalar;
  const bool has_no_file =
      !name.source.file || name.source.is_from_option() || name.source.file->starts_with("matrix ");
  if (file.is_absolute() || has_no_file) return fs::absolute(file).lexically_normal();
  return fs::absolute(fs::path(*name.source.file).parent_path() / file).lexically_normal();
}

std::map<std::string, std::string> read_parameters(Reader& reader, const Value* map) {
  std::map<std::string, std::string> parameters;
  if (map == nullptr) return parameters;
  if (map->kind != Value::Kind::map)
    reader.fail(kParameters, fmt::format("must be a map, not {}", describe(map->kind)), "for example {ports: 4}");
  for (const Value::Entry& entry : map->entries) {
    if (entry.value.kind != Value::Kind::scalar)
      throw InputError(entry.value.source, reader.path_of(kParameters) + "." + entry.key,
                       fmt::format("must be a text or a number, not {}", describe(entry.value.kind)));
    parameters.emplace(entry.key, entry.value.scalar);
  }
  return parameters;
}

/// Refuse parameters that the plug-in does not ask for.
void check_parameters(const Reader& reader, const Value& map, const PluginSpec& spec) {
  std::vector<std::string> known;
  for (const auto& [name, value] : spec.facts.parameters) known.push_back(name);
  for (const Value::Entry& entry : map.entries) {
    if (spec.facts.parameters.contains(entry.key)) continue;
    throw InputError(entry.source, reader.path_of(kParameters),
                     fmt::format("the plug-in {} has no parameter '{}'", spec.file, entry.key),
                     known.empty() ? "it has none" : suggest(entry.key, known));
  }
}

void check_sources(Reader& reader, const PluginSpec& spec) {
  for (const soc::SourceDescription& source : spec.facts.sources) {
    for (const soc::FabricSource& fabric : soc::fabric_sources()) {
      const bool is_taken =
          fabric.cause == soc::Cause::ucf ? source.name.starts_with(fabric.name) : source.name == fabric.name;
      if (is_taken)
        reader.fail(kFile, fmt::format("the plug-in {} calls a source '{}', as a fabric of pmufab is called", spec.file,
                                       source.name));
    }
  }
}

void read_plugin(Reader& reader, const Value& name, platform::PlatformSpec& platform) {
  if (name.kind != Value::Kind::scalar || name.scalar.empty())
    reader.fail(kFile, "must be the name of a shared library", "for example my_fabric.so");
  auto spec = std::make_shared<PluginSpec>();
  spec->file = name.scalar;
  spec->path = plugin_path(name).string();
  spec->sockets = platform.sockets;
  spec->cpus_per_socket = platform.cpus_per_socket;
  const Value* const parameters = reader.take(kParameters);
  spec->parameters = read_parameters(reader, parameters);
  try {
    spec->facts = probe_plugin(*spec);
  } catch (const platform::PluginError& error) {
    reader.fail(kFile, error.what());
  }
  if (parameters != nullptr) check_parameters(reader, *parameters, *spec);
  check_sources(reader, *spec);
  reader.put(kFile, name);
  if (!spec->facts.parameters.empty()) {
    Value effective = Value::map();
    for (const auto& [key, value] : spec->facts.parameters) effective.add(key, Value::of(value));
    reader.put(kParameters, std::move(effective));
  }
  platform.parts.push_back(std::move(spec));
}

/// The plug-in of a machine: its own traffic.
class PluginFabric final : public Fabric {
 public:
  explicit PluginFabric(const FabricContext& context)
      : part_(*context.platform.find<PluginPart>()), seed_(context.workload.seed) {}

  void start_traffic() override { part_.start_traffic(seed_); }
  void stop_traffic() override { part_.stop_traffic(); }
  [[nodiscard]] bool traffic_is_over() const override { return !part_.facts().has_traffic; }
  void report_traffic(Json& list) const override {
    if (part_.facts().has_traffic) list.push_back({{"name", part_.facts().name}, {"issued", part_.witnessed()}});
  }
  void add_gauges(std::vector<Gauge>& gauges) const override {
    if (part_.facts().has_traffic)
      gauges.push_back(
          {fmt::format("traffic.{}.occurrences", part_.facts().name), true, [this] { return part_.witnessed(); }});
  }

 private:
  PluginPart& part_;
  std::uint64_t seed_;
};

class PluginKind final : public FabricKind {
 public:
  [[nodiscard]] std::string_view name() const override { return "plugin"; }

  void read_platform(Reader& reader, bool is_kind, platform::PlatformSpec& platform) const override {
    if (const Value* const file = reader.take(kFile); file != nullptr) {
      read_plugin(reader, *file, platform);
      return;
    }
    if (is_kind) reader.fail(kFile, "is missing: such a platform has nothing else", "name a shared library");
    if (reader.has(kParameters)) reader.fail(kParameters, "are there, but no plugin");
  }
  [[nodiscard]] bool is_in(const platform::PlatformSpec& platform) const override {
    return platform.part<PluginSpec>() != nullptr;
  }
  /// Its PMUs are described ones, or have a driver that its user brings.
  [[nodiscard]] std::vector<PmuDriver> drivers() const override { return {}; }

  void read_traffic(Reader& /*reader*/, const TrafficContext& context, Workload& workload) const override {
    const PluginSpec* const spec = context.platform.part<PluginSpec>();
    if (spec == nullptr || !spec->facts.has_traffic) return;
    workload.of<PluginWorkload>().name = spec->facts.name;
    context.names.add(spec->facts.name);
  }
  [[nodiscard]] std::vector<std::string_view> traffic_keys() const override { return {}; }
  [[nodiscard]] TrafficEnd traffic_end(const Workload& workload) const override {
    const std::string& name = workload.of<PluginWorkload>().name;
    if (name.empty()) return {};
    return {TrafficEnd::Kind::never, fmt::format("the traffic of the plug-in '{}' never ends", name),
            "add duration: 100 us"};
  }
  void refuse_traffic(const Workload& /*workload*/) const override {}

  [[nodiscard]] std::unique_ptr<Fabric> make(const FabricContext& context) const override {
    return std::make_unique<PluginFabric>(context);
  }
};

}  // namespace

const FabricKind& plugin_kind() {
  static const PluginKind kind;
  return kind;
}

}  // namespace pmufab::scenario
