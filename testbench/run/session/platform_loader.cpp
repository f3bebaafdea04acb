// SPDX-License-Identifier: Apache-2.0
#include "models/plugin/part/plugin_library.h"
#include "testbench/fabrics/common/loaders.h"
#include "testbench/fabrics/fabric_kinds.h"
#include "testbench/fabrics/plugin/scenario/plugin_probe.h"
#include "testbench/run/session/scenario_spec.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::scenario {

Value load_platform_file(const std::filesystem::path& file) {
  if (!is_plugin_file(file)) return load_file(file);
  std::string text;
  try {
    text = platform_text_of(file);
  } catch (const platform::PluginError& error) {
    throw InputError({std::make_shared<const std::string>(file.string())}, {}, error.reason());
  }
  Value document = text.empty() ? Value::map() : parse_text(text, file.string());
  if (document.kind != Value::Kind::map)
    throw InputError(document.source, {}, "the keys of the plug-in's platform are no map");
  if (document.find("plugin") != nullptr)
    throw InputError(document.source, "plugin", "the keys of a plug-in's platform cannot name another plug-in");
  if (document.find("kind") == nullptr) document.add("kind", Value::of("plugin", true));
  if (document.find("name") == nullptr) document.add("name", Value::of(file.stem().string(), true));
  document.add("plugin", Value::of(file.string(), true));
  return document;
}

platform::PlatformSpec read_platform(const Value& document, const std::string& path, Value& effective) {
  check_kind(document, path, FileKind::platform);
  Reader reader(document, path, effective);
  const FabricKind* own = fabric_kinds().front();
  Words<const FabricKind*> words;
  for (const FabricKind* kind : fabric_kinds()) words.emplace_back(kind->name(), kind);
  reader.choice("kind", own, words);
  platform::PlatformSpec spec = own->new_platform();
  reader.text("name", spec.name);
  std::string description;
  reader.prose("description", description);
  reader.number("sockets", spec.sockets, Quantity::count, 1, platform::kMaximumSockets);
  reader.number("cpus_per_socket", spec.cpus_per_socket);
  for (const FabricKind* kind : fabric_kinds()) kind->read_platform(reader, kind == own, spec);
  for (const FabricKind* kind : fabric_kinds()) kind->read_connections(reader, spec);
  try {
    // Unknown keys first: a misspelt key is often why the rest is impossible.
    reader.finish();
    platform::validate(spec);
  } catch (const SpecError& error) {
    throw InputError(locate(document, error.field()), path.empty() ? error.field() : path + "." + error.field(),
                     error.reason(), error.suggestion());
  }
  return spec;
}

PlatformDocument load_platform(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  Value document = load_platform_file(file);
  for (const std::string& text : overrides) apply(parse_override(text), document);
  PlatformDocument result;
  result.effective = Value::map();
  result.spec = read_platform(document, "", result.effective);
  result.name = result.spec.name;
  return result;
}

}  // namespace pmufab::scenario
