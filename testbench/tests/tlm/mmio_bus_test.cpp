// SPDX-License-Identifier: Apache-2.0
#include "tlm/bus/mmio_bus.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/tlm/bank_target.h"

namespace pmufab::mmio_bus_test {
namespace {

constexpr FieldSpec kWhole32[] = {{"VALUE", 0, 32, Access::rw}};
constexpr FieldSpec kWhole64[] = {{"VALUE", 0, 64, Access::rw}};
constexpr RegisterSpec kRegisters[] = {
    {.name = "ID", .offset = 0x0, .width = 32, .fields = kWhole32},
    {.name = "WIDE", .offset = 0x8, .width = 64, .fields = kWhole64},
    {.name = "LAST", .offset = 0xffc, .width = 32, .fields = kWhole32},
};

struct Device : BankTarget {
  explicit Device(const char* device_name) : BankTarget(device_name, {device_name, 0x1000}, kRegisters) {}
};

class Bus : public testing::SimulationTest {
 protected:
  Bus() { cpu.socket.bind(bus.socket); }
  testing::Initiator cpu{"cpu"};
  MmioBus bus{"bus"};
};

TEST_F(Bus, forwards_to_the_window_with_relative_addresses) {
  Device a("a");
  Device b("b");
  Device c("c");
  bus.map("c", 0x3000'0000'0000, 0x1000, c.socket);
  bus.map("a", 0x1000, 0x1000, a.socket);
  bus.map("b", 0x2000, 0x1000, b.socket);  // adjoining
  run([&] {
    cpu.put32(0x1000, 0xa);
    cpu.put32(0x1ffc, 0xaf);
    cpu.put32(0x2000, 0xb);
    cpu.put32(0x2ffc, 0xbf);
    cpu.put64(0x3000'0000'0008, 0xcccc'cccc'cccc);
    for (int again = 0; again < 2; ++again) {  // in an order that changes the window each time
      EXPECT_EQ(cpu.get32(0x1000), 0xaU);
      EXPECT_EQ(cpu.get32(0x2ffc), 0xbfU);
      EXPECT_EQ(cpu.get64(0x3000'0000'0008), 0xcccc'cccc'ccccU);
      EXPECT_EQ(cpu.get32(0x2000), 0xbU);
      EXPECT_EQ(cpu.get32(0x1ffc), 0xafU);
    }
    EXPECT_EQ(a.bank.value(a.bank.find("ID")), 0xaU);
    EXPECT_EQ(b.bank.value(b.bank.find("LAST")), 0xbfU);
  });
}

TEST_F(Bus, lists_its_windows_by_address) {
  Device a("a");
  Device b("b");
  bus.map("second", 0x2000, 0x1000, a.socket);
  bus.map("first", 0x0, 0x800, b.socket);
  const auto windows = bus.windows();
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].name, "first");
  EXPECT_EQ(windows[0].base, 0U);
  EXPECT_EQ(windows[0].size, 0x800U);
  EXPECT_EQ(windows[1].name, "second");
  EXPECT_EQ(windows[1].base, 0x2000U);
}

TEST_F(Bus, refuses_overlapping_windows_and_names_both) {
  Device a("a");
  Device b("b");
  bus.map("ucf0", 0x1000, 0x1000, a.socket);
  struct Window {
    std::uint64_t base;
    std::uint64_t size;
  };
  for (const Window window : {Window{0x1000, 0x1000}, {0x1fff, 1}, {0x0, 0x1001}, {0x1400, 0x10}, {0x0, 0x10000}}) {
    try {
      bus.map("cmem1", window.base, window.size, b.socket);
      ADD_FAILURE() << "accepted " << window.base << " + " << window.size;
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("ucf0"), std::string::npos) << text;
      EXPECT_NE(text.find("cmem1"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(bus.windows().size(), 1U);
  EXPECT_NO_THROW(bus.map("cmem1", 0x2000, 0x1000, b.socket));
}

TEST_F(Bus, refuses_windows_that_are_empty_or_wrap) {
  Device a("a");
  EXPECT_THROW(bus.map("empty", 0x1000, 0, a.socket), std::invalid_argument);
  EXPECT_THROW(bus.map("wraps", ~std::uint64_t{0xfff}, 0x1001, a.socket), std::invalid_argument);
  EXPECT_NO_THROW(bus.map("top", ~std::uint64_t{0xfff}, 0x1000, a.socket));
}

TEST_F(Bus, reaches_the_top_of_the_address_space) {
  Device a("a");
  bus.map("top", 0xffff'ffff'ffff'f000, 0x1000, a.socket);
  expect_guest_error("bus", "8-byte", "0xfffffffffffffffc", "top");
  run([&] {
    cpu.put32(0xffff'ffff'ffff'fffc, 7);
    EXPECT_EQ(cpu.get32(0xffff'ffff'ffff'fffc), 7U);
    EXPECT_EQ(cpu.read64(0xffff'ffff'ffff'fffc).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_F(Bus, answers_an_unmapped_address_with_an_error_and_one_report_per_place) {
  Device a("a");
  bus.map("a", 0x1000, 0x1000, a.socket);
  expect_guest_error("bus", "4-byte", "0xffc", "no window");
  expect_guest_error("bus", "8-byte", "0x2000", "no window");
  expect_guest_error("bus", "4-byte", "0xffffffff00001000");
  run([&] {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(cpu.read32(0xffc).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(cpu.write32(0xffc, 1).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(cpu.read64(0x2000).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(cpu.read32(0xffff'ffff'0000'1000).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    EXPECT_EQ(a.bank.guest_errors(), 0U);  // it did not arrive there
  });
}

TEST_F(Bus, answers_everything_with_an_error_when_nothing_is_mapped) {
  expect_guest_error("0x0");
  run([&] { EXPECT_EQ(cpu.read32(0).status, tlm::TLM_ADDRESS_ERROR_RESPONSE); });
}

TEST_F(Bus, refuses_an_access_that_straddles_windows_and_names_one) {
  Device a("a");
  Device b("b");
  bus.map("lower", 0x1000, 0x1000, a.socket);
  bus.map("upper", 0x2000, 0x1000, b.socket);
  expect_guest_error("8-byte", "0x1ffc", "straddles", "lower");
  expect_guest_error("8-byte", "0xffc", "straddles", "lower");
  expect_guest_error("8-byte", "0x2ffc", "straddles", "upper");
  run([&] {
    for (int i = 0; i < 2; ++i) {
      for (const std::uint64_t address : {0x1ffc, 0xffc, 0x2ffc}) {
        EXPECT_EQ(cpu.read64(address).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(cpu.write64(address, ~std::uint64_t{0}).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
      }
    }
    EXPECT_EQ(a.bank.value(a.bank.find("LAST")), 0U);
    EXPECT_EQ(b.bank.value(b.bank.find("ID")), 0U);
  });
}

TEST_F(Bus, passes_the_answer_of_the_device_on) {
  Device a("a");
  bus.map("a", 0x1000, 0x1000, a.socket);
  expect_guest_error("a: 4-byte", "offset 0xc", "WIDE bits 63:32");
  run([&] { EXPECT_EQ(cpu.read32(0x100c).status, tlm::TLM_BURST_ERROR_RESPONSE); });
}

TEST_F(Bus, adds_no_time_of_its_own_and_keeps_the_delay) {
  BankTarget slow("slow", {.name = "slow", .size = 0x1000, .latency = 5'000}, kRegisters);
  bus.map("slow", 0, 0x1000, slow.socket);
  run([&] {
    cpu.wait_for_delay = false;
    testing::Initiator::Access access{.address = 0, .data = std::vector<std::uint8_t>(4), .delay = 700};
    EXPECT_EQ(cpu.transport(access).delay, 5'700U);
    EXPECT_EQ(testing::now(), 0U);
  });
}

TEST_F(Bus, restores_the_address_of_the_payload) {
  Device a("a");
  bus.map("a", 0x1000, 0x1000, a.socket);
  run([&] {
    std::uint32_t data = 0;
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(0x1ffc);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_dmi_allowed(true);
    sc_core::sc_time delay;
    cpu.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_address(), 0x1ffcU);
    EXPECT_FALSE(payload.is_dmi_allowed());
    EXPECT_EQ(cpu.socket->transport_dbg(payload), 4U);
    EXPECT_EQ(payload.get_address(), 0x1ffcU);
  });
}

TEST_F(Bus, decodes_debug_transport_alike_and_grants_no_direct_memory) {
  Device a("a");
  bus.map("a", 0x1000, 0x1000, a.socket);
  run([&] {
    std::uint64_t data = 0;
    EXPECT_EQ(cpu.debug_write(0x1008, 0x1'0000'0001, 8), 8U);
    EXPECT_EQ(cpu.debug_read(0x1008, data, 8), 8U);
    EXPECT_EQ(data, 0x1'0000'0001U);
    EXPECT_EQ(cpu.debug_read(0x0, data, 4), 0U);
    EXPECT_EQ(cpu.debug_read(0x1ffc, data, 8), 0U);
    EXPECT_FALSE(cpu.dmi(0x1000));
    EXPECT_FALSE(cpu.dmi(0x0));
  });
}

TEST_F(Bus, shows_each_completed_access_to_its_monitors_in_order) {
  Device a("a");
  bus.map("a", 0x1000, 0x1000, a.socket);
  expect_guest_error("0x5000");
  expect_guest_error("a: 16-byte", "offset 0x4");
  std::vector<std::string> log;
  std::vector<MmioBus::BusAccess> accesses;
  bus.monitor([&](const MmioBus::BusAccess& access) {
    log.emplace_back("first");
    accesses.push_back(access);
  });
  bus.monitor([&](const MmioBus::BusAccess&) { log.emplace_back("second"); });
  run([&] {
    testing::advance(100);
    cpu.put64(0x1008, 0x1122'3344'5566'7788);
    testing::Initiator::Access read{.address = 0x1008, .data = std::vector<std::uint8_t>(8), .delay = 11};
    cpu.transport(read);
    cpu.read32(0x5000);
    cpu.write(0x1004, 0x99, 16);
    std::uint64_t ignored = 0;
    cpu.debug_read(0x1008, ignored, 8);  // not shown
  });
  ASSERT_EQ(accesses.size(), 4U);
  EXPECT_EQ(log,
            (std::vector<std::string>{"first", "second", "first", "second", "first", "second", "first", "second"}));
  EXPECT_EQ(accesses[0].when, 100U);
  EXPECT_EQ(accesses[0].address, 0x1008U);
  EXPECT_EQ(accesses[0].data, 0x1122'3344'5566'7788U);
  EXPECT_EQ(accesses[0].length, 8U);
  EXPECT_TRUE(accesses[0].is_write);
  EXPECT_TRUE(accesses[0].ok);
  EXPECT_EQ(accesses[1].when, 111U);
  EXPECT_EQ(accesses[1].data, 0x1122'3344'5566'7788U);
  EXPECT_FALSE(accesses[1].is_write);
  EXPECT_FALSE(accesses[2].ok);
  EXPECT_EQ(accesses[2].address, 0x5000U);
  EXPECT_EQ(accesses[2].data, 0U);
  EXPECT_FALSE(accesses[3].ok);
  EXPECT_EQ(accesses[3].data, 0x99U);
  EXPECT_EQ(accesses[3].length, 16U);
}

}  // namespace
}  // namespace pmufab::mmio_bus_test
