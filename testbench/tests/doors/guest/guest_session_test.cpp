// SPDX-License-Identifier: Apache-2.0
// What ends a session before a virtual machine is there, and what is judged at the end of each.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <systemc>
#include <tlm>

#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/doors/guest/guest_session.h"
#include "testbench/host/driver_host.h"
#include "testbench/host/driver_sets.h"
#include "testbench/run/yaml/input_error.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::guest {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class GuestSession : public ::testing::Test {
 protected:
  GuestSession() {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-session-XXXXXX").string();
    options.folder = mkdtemp(name.data());
    spec.platform.sockets = 1;
    spec.platform.cpus_per_socket = 4;
    spec.platform.edit<platform::Tegra410Spec>().clusters = 4;
  }
  ~GuestSession() override { std::filesystem::remove_all(options.folder); }

  /// A whole session, without a virtual machine. @param work  done while one could be served
  GuestResult run_to_the_end(const std::function<void()>& work) {
    options.stop = open("/dev/null", O_RDONLY | O_CLOEXEC);  // at its end already
    options.on_ready = work;
    run();
    close(options.stop);
    return read_guest_journal(options.folder);
  }

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

TEST_F(GuestSession, without_a_mistake_nothing_fails) {
  const GuestResult result = run_to_the_end([] {});
  EXPECT_TRUE(result.ended);
  EXPECT_THAT(result.failures, IsEmpty());
}

/// As in pmufab run, in the same words.
TEST_F(GuestSession, a_refused_register_access_of_the_guest_fails_it) {
  const GuestResult result =
      run_to_the_end([] { SC_REPORT_WARNING(kGuestErrorReport, "ucf_pmu: 4-byte read at offset 0x2: no register"); });
  EXPECT_THAT(result.failures,
              ElementsAre(StartsWith(
                  "register_accesses: /pmufab/guest-error: ucf_pmu: 4-byte read at offset 0x2: no register")));
}

/// The look-up of PMUs outside of the guest and the guest's drivers read the same address, where no device is.
TEST_F(GuestSession, an_access_that_the_look_up_made_too_fails_it) {
  const auto read_nothing = [] {
    std::array<unsigned char, 4> data{};
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(0x8);
    payload.set_data_ptr(data.data());
    payload.set_data_length(data.size());
    payload.set_streaming_width(data.size());
    sc_core::sc_time delay;
    dynamic_cast<driver_host::DriverHost&>(*sc_core::sc_find_object("host")).bus->b_transport(payload, delay);
  };
  bool looked_up = false;
  sc_core::sc_spawn([&] {
    read_nothing();
    looked_up = true;
  });
  const GuestResult result = run_to_the_end([&] {
    EXPECT_TRUE(looked_up);
    read_nothing();
  });
  EXPECT_THAT(result.failures, ElementsAre(AllOf(HasSubstr("register_accesses: "), HasSubstr("4-byte read at 0x8"))));
}

}  // namespace
}  // namespace pmufab::guest
