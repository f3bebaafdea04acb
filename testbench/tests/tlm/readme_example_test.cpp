// SPDX-License-Identifier: Apache-2.0
// The example of tlm/README.md does what its text says.

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "readme_example.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

using ReadmeExample = testing::SimulationTest;

TEST_F(ReadmeExample, counts_ticks_while_enabled) {
  testing::Initiator cpu("cpu");
  example::TickCounter device("device");
  cpu.socket.bind(device.socket);
  run([&] {
    cpu.put32(0x0, 1);
    testing::advance(1'000'000);  // 1 us of 100 MHz
    EXPECT_EQ(cpu.get64(0x8), 100U);
    cpu.put32(0x0, 0);
    testing::advance(1'000'000);
    EXPECT_EQ(cpu.get32(0x8), 100U);
    EXPECT_EQ(cpu.get32(0xc), 0U);
    cpu.put32(0x0, 3);
    EXPECT_EQ(cpu.get32(0x0), 1U);
    testing::advance(500'000);
    EXPECT_EQ(cpu.get64(0x8), 50U);
    std::ostringstream dump;
    device.bank.dump_text(dump, testing::now());
    EXPECT_NE(dump.str().find("EN                   rw            0x1"), std::string::npos) << dump.str();
    EXPECT_NE(dump.str().find("TICKS                ro            0x32"), std::string::npos) << dump.str();
  });
}

TEST_F(ReadmeExample, reports_the_prescaler_it_does_not_have) {
  testing::Initiator cpu("cpu");
  example::TickCounter device("device");
  cpu.socket.bind(device.socket);
  expect_guest_error("ticks", "CONTROL", "DIV", "does not implement");
  run([&] { cpu.put32(0x0, 0x301); });
}

}  // namespace
}  // namespace pmufab
