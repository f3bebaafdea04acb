// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "models/plugin/part/plugin_spec.h"
#include "testbench/run/process/shared_memory.h"

/// Plug-ins are looked at in processes of their own: what they do there ends with the process.
namespace pmufab::scenario {

/// Find out what a plug-in has. The answer is kept, as long as the file does not change.
/// @return PluginSpec::facts
/// @throws platform::PluginError if it cannot be used, throws, crashes, or does not come back
[[nodiscard]] platform::PluginFacts probe_plugin(const platform::PluginSpec& spec);

/// @return the keys of the platform that a plug-in is by itself, as YAML; empty: it has none
/// @param file  as the user named it @throws platform::PluginError as above
[[nodiscard]] std::string platform_text_of(const std::filesystem::path& file);

/// From now on, a process that looks at a plug-in has as much memory as a run. @param memory  bytes; 0: no limit
void limit_probes(std::uint64_t memory);

/// @return whether a file is called like a shared library: "my.so"
[[nodiscard]] bool is_plugin_file(const std::filesystem::path& file);

/// Where a child process has crashed in a library that is watched (process::report_crashes_in()). Make it before the child
/// is started.
class CrashPlace {
 public:
  /// In the child: tell the parent. A process follows one place.
  void follow() const;

  /// @return "the plug-in my.so", or "the drivers"; empty: it has not crashed in such a library
  [[nodiscard]] std::string culprit() const;
  /// @return the window or process of a plug-in, in words; empty: not known
  [[nodiscard]] std::string place() const;

 private:
  struct Told {
    process::SharedText culprit;
    process::SharedText place;
  };
  process::SharedMemory<Told> told_;
  static Told* followed_;
};

}  // namespace pmufab::scenario
