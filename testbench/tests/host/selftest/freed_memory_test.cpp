// SPDX-License-Identifier: Apache-2.0
// What the driver host itself finds of memory that a driver has freed. Under AddressSanitizer the first touch would end the
// program.
#include "testbench/tests/host/selftest/services.h"

namespace pmufab::driver_host::testing {
namespace {

using ::testing::ElementsAre;

using FreedMemory = Services;
INSTANTIATE_TEST_SUITE_P(linux, FreedMemory, ::testing::ValuesIn(selftest_driver_sets()), version_name);

TEST_P(FreedMemory, a_timer_in_freed_memory_is_found) {
  add_device(11);
  boot([&] {
    EXPECT_TRUE(logged("memory is freed in which a timer is started; it was started, in services_probe() of"));
    pmufab::testing::advance(20'000'000'000);
    EXPECT_THAT(said(), ElementsAre()) << "it does not fire any more";
  });
}

TEST_P(FreedMemory, each_cpu_has_its_own_data_and_a_use_after_it_was_freed_is_found) {
  add_device(6);
  boot([&] {
    EXPECT_THAT(said(), ElementsAre("cpu 0: 110 and 1", "cpu 1: 11 and 1", "cpu 2: 12 and 1", "cpu 3: 13 and 1"));
    EXPECT_EQ(host->warnings(), 0U);
    host->unload();
    EXPECT_TRUE(logged("was written to after it had been freed; it was allocated, in services_"));
  });
}
}  // namespace
}  // namespace pmufab::driver_host::testing
