// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/fabrics/fabric_kind.h"
#include "testbench/scenario/fabrics/loaders.h"
#include "testbench/scenario/run/scenario_spec.h"
#include "testbench/scenario/yaml/document.h"

namespace pmufab::scenario {
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
  Value document = load_file(file);
  for (const std::string& text : overrides) apply(parse_override(text), document);
  PlatformDocument result;
  result.effective = Value::map();
  result.spec = read_platform(document, "", result.effective);
  result.name = result.spec.name;
  return result;
}

}  // namespace pmufab::scenario
