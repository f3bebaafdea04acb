// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/plugin/scenario/plugin_probe.h"

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/plugin/part/plugin_library.h"
#include "models/plugin/part/plugin_part.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/process/crash_report.h"
#include "testbench/run/process/resource_limits.h"
#include "testbench/run/results/results.h"
#include "tlm/spec/printable.h"

namespace pmufab::scenario {
namespace {

namespace fs = std::filesystem;
using platform::PluginError;
using platform::PluginFacts;
using platform::PluginSpec;

constexpr std::chrono::seconds kPatience{10};

/// Run in the child. @return what is told to the parent
Json answer(const std::function<Json()>& work) {
  try {
    return {{"is", work()}};
  } catch (const PluginError& error) {
    return {{"error", error.reason()}};
  } catch (const std::exception& error) {
    return {{"error", fmt::format("cannot be used: {}", error.what())}};
  } catch (...) {
    return {{"error", "cannot be used: it has thrown something that is no std::exception"}};
  }
}

/// As a run has it.
std::uint64_t memory_of_probes = process::kDefaultMemory;

/// Do work with a plug-in in a process of its own. @param path  of the library @return its result
Json in_own_process(const std::string& file, const std::string& path, const std::function<Json()>& work) {
  // What a plug-in prints here, it prints again when it runs.
  const CrashPlace crash;
  process::GuardedEnd end =
      process::run_guarded({.shows_output = false, .patience = kPatience}, [&](std::string& told) {
        process::limit_resources({.memory = memory_of_probes});
        process::report_crashes_in(path, "the plug-in " + file);
        crash.follow();
        told = answer(work).dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace);
        return 0;
      });
  if (end.process.timed_out)
    throw PluginError(
        file, fmt::format("does not come back: it was looked at for {} s, and then stopped", kPatience.count()));
  const Json told = end.finished ? Json::parse(end.told, nullptr, false) : Json();
  if (told.is_object() && told.contains("is")) return told["is"];
  if (told.is_object() && told.contains("error")) throw PluginError(file, told["error"].get<std::string>());
  end.process.place = crash.place();
  throw PluginError(file, fmt::format("ended the process that looked at it: {}", process::describe(end.process)));
}

Json json_of(const PluginFacts& facts) {
  Json json = {{"name", facts.name},
               {"interrupts", facts.interrupts},
               {"parameters", facts.parameters},
               {"has_traffic", facts.has_traffic},
               {"windows", Json::array()},
               {"described", Json::array()},
               {"devices", Json::array()},
               {"sources", Json::array()}};
  for (const PluginFacts::Window& window : facts.windows)
    json["windows"].push_back({window.name, window.base, window.size});
  for (const platform::MemoryResource& range : facts.described) json["described"].push_back({range.base, range.size});
  for (const PluginFacts::Device& device : facts.devices)
    json["devices"].push_back({device.hid, device.uid, device.what});
  for (const soc::SourceDescription& source : facts.sources)
    json["sources"].push_back({source.name, source.attributes});
  return json;
}

PluginFacts facts_of(const Json& json) {
  PluginFacts facts;
  json.at("name").get_to(facts.name);
  json.at("interrupts").get_to(facts.interrupts);
  json.at("parameters").get_to(facts.parameters);
  json.at("has_traffic").get_to(facts.has_traffic);
  for (const Json& item : json.at("windows")) facts.windows.push_back({item.at(0), item.at(1), item.at(2)});
  for (const Json& item : json.at("described")) facts.described.push_back({item.at(0), item.at(1)});
  for (const Json& item : json.at("devices")) facts.devices.push_back({item.at(0), item.at(1), item.at(2)});
  for (const Json& item : json.at("sources"))
    facts.sources.push_back({item.at(0), item.at(1).get<std::vector<std::string>>(), soc::Cause::plugin});
  return facts;
}

/// Which file this is, and what it was when it was looked at.
std::string state_of(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return path.string();
  return fmt::format("{}:{}:{}:{}:{}", path.string(), status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

}  // namespace

PluginFacts probe_plugin(const PluginSpec& spec) {
  using Key = std::tuple<std::string, std::map<std::string, std::string>, unsigned, unsigned>;
  static std::map<Key, PluginFacts> known;
  const Key key(state_of(spec.path), spec.parameters, spec.sockets, spec.cpus_per_socket);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const Json json = in_own_process(spec.file, spec.path, [&] { return json_of(platform::examine_plugin(spec)); });
  return known.emplace(key, facts_of(json)).first->second;
}

std::string platform_text_of(const fs::path& file) {
  static std::map<std::string, std::string> known;
  const std::string path = fs::absolute(file).lexically_normal().string();
  const std::string key = state_of(path);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const Json json = in_own_process(file.string(), path, [&]() -> Json {
    const std::string name = file.string();
    const plugin::Descriptor& descriptor = platform::load_plugin(name, path);
    const std::string keys = descriptor.platform == nullptr ? "" : descriptor.platform;
    return keys;
  });
  return known.emplace(key, json.get<std::string>()).first->second;
}

void limit_probes(std::uint64_t memory) { memory_of_probes = memory; }

bool is_plugin_file(const fs::path& file) { return file.extension() == ".so"; }

CrashPlace::Told* CrashPlace::followed_ = nullptr;

void CrashPlace::follow() const {
  followed_ = &*told_;
  process::tell_of_crashes([](const std::string& what, bool /*is_sound*/) {
    std::array<char, process::SharedText::kRoom> room;
    followed_->culprit.tell(what);
    followed_->place.tell(platform::plugin_place(what, room));
  });
}

std::string CrashPlace::culprit() const { return printable(told_->culprit.text()); }

std::string CrashPlace::place() const { return printable(told_->place.text()); }

}  // namespace pmufab::scenario
