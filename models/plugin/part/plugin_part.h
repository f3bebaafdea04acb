// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform_part.h"
#include "models/plugin/part/plugin_spec.h"
#include "models/plugin/plugin.h"
#include "models/soc/source.h"

namespace pmufab::platform {

class PluginHost;

/// A plug-in, as a part of a platform. What it throws leaves as PluginError.
class PluginPart final : public PlatformPart {
 public:
  /// Load the library and let it make its modules, below the module "plugin". Of the specification, the facts are not
  /// used.
  /// @throws PluginError
  explicit PluginPart(const PluginSpec& spec);
  ~PluginPart() override;
  PluginPart& operator=(PluginPart&&) = delete;

  void map(MmioBus& bus) override;
  void describe(FirmwareDescription& firmware) override;
  void reset() override;
  void add_registers(std::vector<NamedRegisters>& banks) const override;

  void start_traffic(std::uint64_t seed);
  void stop_traffic();
  /// @return occurrences that it has witnessed, at all its sources
  [[nodiscard]] std::uint64_t witnessed() const noexcept;

  /// Let what happens at its source reach that of a description; null: nobody. @throws PluginError if it has none such
  void connect(const std::string& source, unsigned socket, soc::Source* to);

  [[nodiscard]] const PluginFacts& facts() const noexcept;
  /// Say why the simulation has ended, if the plug-in ended it. @throws PluginError
  /// @param is_stopped  it was stopped (sc_stop), and not by another part of the platform
  void rethrow(bool is_stopped) const;
  /// @return the error that says it was the plug-in, for what a process has thrown; null if the process is not its
  /// @param process  name of a SystemC process
  [[nodiscard]] std::exception_ptr error_of(std::string_view process, const std::string& what) const;

 private:
  class Shell;

  /// Call the plug-in's code. @param doing  for messages: "in start_traffic()"
  void call(const char* doing, const std::function<void()>& code) const;

  std::string file_;
  std::unique_ptr<PluginHost> host_;  // outlives what the plug-in has made, which holds references to it
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<plugin::Plugin> plugin_;
};

/// Make a plug-in, elaborate and begin a simulation of it alone: at most once per process, and best in one of its own,
/// because the plug-in's code runs.
/// @return what it has declared
/// @throws PluginError
[[nodiscard]] PluginFacts examine_plugin(const PluginSpec& spec);

/// @param library  whose code is the innermost on the stack: "the plug-in my.so"; empty: not known
/// @param room     receives the text
/// @return the plug-in, and the window or process, whose code this process is in, as far as the room allows; empty if it
///         is in none. May be called from a signal's handler: it allocates nothing, because the heap may be broken.
[[nodiscard]] std::string_view plugin_place(std::string_view library, std::span<char> room) noexcept;

}  // namespace pmufab::platform
