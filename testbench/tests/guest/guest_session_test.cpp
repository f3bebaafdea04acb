// SPDX-License-Identifier: Apache-2.0
// What ends a session before a virtual machine is there.
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/driver_host/driver_sets.h"
#include "testbench/guest/guest_session.h"
#include "testbench/scenario/yaml/input_error.h"

namespace pmufab::guest {
namespace {

using ::testing::HasSubstr;

class GuestSession : public ::testing::Test {
 protected:
  GuestSession() {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-session-XXXXXX").string();
    options.folder = mkdtemp(name.data());
    spec.platform.sockets = 1;
    spec.platform.cpus_per_socket = 4;
    spec.platform.tegra410->clusters = 4;
  }
  ~GuestSession() override { std::filesystem::remove_all(options.folder); }

  void run() { run_guest_session(spec, driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR).back(), options); }

  scenario::ScenarioSpec spec;
  GuestOptions options;
};

TEST_F(GuestSession, a_virtual_machine_that_cannot_be_is_bad_input) {
  options.topology.cpus_per_node = 100;
  options.on_ready = [] { FAIL() << "there is nothing to connect to"; };
  try {
    run();
    FAIL();
  } catch (const scenario::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no virtual machine can have this platform"));
    EXPECT_THAT(error.what(), HasSubstr("--cpus and --memory change the virtual machine"));
  }
}

TEST_F(GuestSession, a_mistake_of_pmufab_is_not_blamed_on_the_platform) {
  options.on_ready = [] { throw std::invalid_argument("a mistake"); };
  try {
    run();
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "a mistake");
  }
}

}  // namespace
}  // namespace pmufab::guest
