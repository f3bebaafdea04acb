// SPDX-License-Identifier: Apache-2.0
// Plug-ins on the platform of a guest, before a virtual machine is there.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/plugin/part/plugin_library.h"
#include "models/plugin/part/plugin_spec.h"
#include "testbench/doors/guest/guest_session.h"
#include "testbench/host/driver_sets.h"

namespace pmufab::guest {
namespace {

/// Drivers look at the plug-in's CoreSight PMU. What comes of that at the same instant is not the reason.
TEST(PluginBoot, an_error_of_the_plug_in_is_told_and_not_what_drivers_made_of_it) {
  std::string folder = (std::filesystem::temp_directory_path() / "pmufab-boot-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  auto plugin = std::make_shared<platform::PluginSpec>();
  plugin->file = "scripted.so";
  plugin->path = PMUFAB_PLUGINS_DIR "/scripted.so";
  plugin->parameters = {{"node", "0x3400_0000"}, {"fault", "throws at access"}};
  scenario::ScenarioSpec spec;
  spec.platform = platform::PlatformSpec{};
  spec.platform.sockets = 1;
  spec.platform.cpus_per_socket = 2;
  spec.platform.parts.push_back(std::move(plugin));
  spec.host.access_latency = 0;
  GuestOptions options;
  options.folder = folder;
  options.on_ready = [] { throw std::runtime_error("kernel panic"); };
  try {
    run_guest_session(spec, driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR).back(), options);
    ADD_FAILURE() << "the plug-in has thrown";
  } catch (const platform::PluginError& error) {
    EXPECT_STREQ(error.what(),
                 "the plug-in scripted.so threw at an access to its window window: no wish to be read\\x1b[2J");
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pmufab::guest
