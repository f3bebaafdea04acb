// SPDX-License-Identifier: Apache-2.0
// Functions and ports as software sees them through configuration space and BARs. Offsets and values come from the PCI
// Express base specification, and are repeated here.

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/pcie/ecam.h"
#include "models/pcie/function.h"
#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::pcie {
namespace {

using ::testing::ElementsAre;
using testing::Initiator;
using ::testing::IsEmpty;
using testing::MessageProbe;

constexpr std::uint64_t kEcam = 0x30'0000'0000;
constexpr std::uint64_t kBar = 0x40'0000'0000;
constexpr std::uint64_t kBarSize = 0x1'0000;
constexpr std::uint64_t kMsiX = 0x4000;  // in the BAR
constexpr unsigned kPort = 0;            // device numbers on bus 8
constexpr unsigned kDevice = 3;

FunctionParameters device_parameters() {
  FunctionParameters parameters;
  parameters.vendor_id = 0x1af4;
  parameters.device_id = 0x1234;
  parameters.revision_id = 0x5a;
  parameters.class_code = 0x050210;
  parameters.subsystem_vendor_id = 0xaaaa;
  parameters.subsystem_id = 0xbbbb;
  parameters.bars[2] = {.size = kBarSize};
  parameters.bars[4] = {.size = 0x2000, .wide = false, .prefetchable = true};
  parameters.msi_x = {.vectors = 70, .bar = 2, .offset = kMsiX};
  parameters.msi = {.vectors = 8};
  parameters.serial_number = 0x0102030405060708;
  return parameters;
}

FunctionParameters port_parameters() {
  FunctionParameters parameters;
  parameters.vendor_id = 0x10de;
  parameters.class_code = 0x060400;
  parameters.type = PortType::root_port;
  return parameters;
}

constexpr FieldSpec kScratchFields[] = {{.name = "ALL", .lsb = 0, .width = 32, .access = Access::rw}};
constexpr RegisterSpec kScratch[] = {{.name = "SCRATCH", .offset = 8, .width = 32, .fields = kScratchFields}};

struct Scratch : sc_core::sc_module {
  explicit Scratch(const sc_core::sc_module_name& module_name) : sc_core::sc_module(module_name) {
    socket.register_b_transport(this, &Scratch::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank.b_transport(payload, delay); }
  tlm_utils::simple_target_socket<Scratch, 64> socket{"socket"};
  RegisterBank bank{{.name = "scratch", .size = 0x100}, kScratch};
};

/// Bus 8: a root port (device 0, below it one function) and a device (3). The device's BAR 2 holds a register at
/// 0x1008.
struct Rig {
  Rig() : port("port", port_parameters()), device("device", device_parameters()), leaf("leaf", FunctionParameters{}) {
    cpu.socket.bind(bus.socket);
    bus.map("ecam", kEcam, ecam.size(), ecam.socket);
    bus.map("bar", kBar, kBarSize, device.socket(2));
    device.map(2, "scratch", 0x1000, 0x100, scratch.socket);
    ecam.attach(kPort, 0, port);
    ecam.attach(kDevice, 0, device);
    port.attach(0, 0, leaf);
    firmware();
  }
  void firmware() {
    device.assign_bar(2, kBar);
    port.assign_buses(8, 9, 9);
  }
  static std::uint64_t at(unsigned device_number, unsigned offset, unsigned bus_number = 8) {
    return kEcam + (std::uint64_t{bus_number - 8} << 20 | std::uint64_t{device_number} << 15) + offset;
  }
  std::uint32_t config(unsigned offset, unsigned bytes = 4) {
    const auto result = cpu.read(at(kDevice, offset), bytes);
    EXPECT_TRUE(result.ok()) << offset;
    return static_cast<std::uint32_t>(result.data);
  }
  void config_write(unsigned offset, unsigned bytes, std::uint32_t value) {
    EXPECT_TRUE(cpu.write(at(kDevice, offset), value, bytes).ok()) << offset;
  }
  unsigned capability(unsigned id) {
    for (unsigned where = config(0x34, 1); where != 0; where = config(where + 1, 1)) {
      if (config(where, 1) == id) return where;
    }
    return 0;
  }

  Initiator cpu{"cpu"};
  MmioBus bus{"bus"};
  Ecam ecam{"ecam", 8, 11};
  Function port;
  Function device;
  Function leaf;
  Scratch scratch{"scratch"};
  MessageProbe messages{device.messages()};
};

class PcieFunction : public testing::SimulationTest {
 protected:
  Rig rig;
};

TEST_F(PcieFunction, header_and_capability_lists_show_what_was_asked_for) {
  const unsigned dvsec = rig.device.space().add_dvsec(0x1e98, 8, 2, 0x2c);
  const unsigned last = rig.device.space().add_dvsec(0x10de, 4, 0, 0x12);
  run([&] {
    EXPECT_EQ(rig.config(0x00), 0x1234'1af4U);
    EXPECT_EQ(rig.config(0x08), 0x0502'105aU);
    EXPECT_EQ(rig.config(0x0e, 1), 0U);
    EXPECT_EQ(rig.config(0x2c), 0xbbbb'aaaaU);
    EXPECT_EQ(rig.config(0x06, 2), 0x0010U);
    EXPECT_EQ(rig.cpu.get32(Rig::at(kPort, 0x0c)) >> 16 & 0xff, 1U);
    EXPECT_EQ(rig.cpu.get32(Rig::at(kPort, 0x08)) >> 8, 0x060400U);

    std::vector<unsigned> ids;
    for (unsigned at = rig.config(0x34, 1); at != 0; at = rig.config(at + 1, 1)) ids.push_back(rig.config(at, 1));
    EXPECT_THAT(ids, ElementsAre(0x10, 0x05, 0x11));
    const unsigned express = rig.capability(0x10);
    EXPECT_EQ(rig.config(express + 2, 2), 0x0002U);                   // version 2, endpoint
    EXPECT_EQ(rig.config(express + 0x12, 2) & 0x3ff, 5U | 16U << 4);  // speed and width
    EXPECT_EQ(rig.config(express + 4) >> 28 & 1, 1U);                 // function level reset
    EXPECT_EQ(rig.config(express + 0x2c), 0x3eU);                     // 2.5 ... 32 GT/s
    const unsigned port_express = rig.cpu.get32(Rig::at(kPort, 0x34)) & 0xff;
    EXPECT_EQ(rig.cpu.get32(Rig::at(kPort, port_express)) >> 16, 0x0142U);  // root port with slot

    ids.clear();
    for (unsigned at = 0x100; at != 0; at = rig.config(at) >> 20) ids.push_back(rig.config(at, 2));
    EXPECT_THAT(ids, ElementsAre(0x0003, 0x0023, 0x0023));
    EXPECT_EQ(rig.config(0x104), 0x05060708U);
    EXPECT_EQ(rig.config(0x108), 0x01020304U);
    EXPECT_EQ(rig.config(dvsec), 0x0023U | 1U << 16 | last << 20);
    EXPECT_EQ(rig.config(dvsec + 4), 0x1e98U | 2U << 16 | 0x2cU << 20);
    EXPECT_EQ(rig.config(dvsec + 8, 2), 8U);
    EXPECT_EQ(last, dvsec + 0x2c);
    EXPECT_EQ(rig.device.space().find_dvsec(0x10de, 4), last);
    EXPECT_EQ(rig.device.space().find_dvsec(0x10de, 8), 0U);
    EXPECT_EQ(rig.cpu.get32(Rig::at(kPort, 0x100)), 0U);  // an empty list
  });
}

TEST_F(PcieFunction, bits_keep_their_policy_whatever_the_width_of_the_access) {
  // 0x200: low half writable, bits 23:16 cleared by one and sticky, the rest read only.
  rig.device.space().define(
      0x200, 4, {.value = 0xa5ff'1234, .writable = 0xffff, .write_one_to_clear = 0xff'0000, .sticky = 0xff'ff00});
  run([&] {
    rig.config_write(0x200, 4, 0x0001'5678);
    EXPECT_EQ(rig.config(0x200), 0xa5fe'5678U);
    rig.config_write(0x202, 1, 0x30);
    EXPECT_EQ(rig.config(0x200), 0xa5ce'5678U);
    rig.config_write(0x202, 2, 0xff02);
    rig.config_write(0x201, 1, 0x99);
    EXPECT_EQ(rig.config(0x200), 0xa5cc'9978U);
    EXPECT_EQ(rig.config(0x201, 1), 0x99U);
    EXPECT_EQ(rig.config(0x202, 2), 0xa5ccU);
    rig.config_write(0x000, 4, 0xffff'ffff);
    rig.config_write(0x800, 4, 0xffff'ffff);
    EXPECT_EQ(rig.config(0x000), 0x1234'1af4U);
    EXPECT_EQ(rig.config(0x800), 0U);
    rig.device.reset(ResetKind::conventional);
    EXPECT_EQ(rig.config(0x200), 0xa5cc'9934U);
    rig.device.reset(ResetKind::cold);
    EXPECT_EQ(rig.config(0x200), 0xa5ff'1234U);
  });
}

TEST_F(PcieFunction, bars_tell_their_size_and_decode_only_where_and_while_they_are_enabled) {
  const std::string disabled = "Memory Space Enable";
  run([&] {
    // An operating system sizes BARs like this.
    EXPECT_EQ(rig.config(0x18), 0x0000'0004U);
    EXPECT_EQ(rig.config(0x1c), 0x40U);
    rig.config_write(0x18, 4, ~0U);
    rig.config_write(0x1c, 4, ~0U);
    EXPECT_EQ(rig.config(0x18), 0xffff'0004U);
    EXPECT_EQ(rig.config(0x1c), 0xffff'ffffU);
    rig.config_write(0x20, 4, ~0U);
    EXPECT_EQ(rig.config(0x20), 0xffff'e008U);
    rig.config_write(0x10, 4, ~0U);
    EXPECT_EQ(rig.config(0x10), 0U);  // no such BAR

    rig.config_write(0x04, 2, 0x2);
    expect_guest_error("device", "BAR 2", "does not hold the address");
    EXPECT_EQ(rig.cpu.get32(kBar + 0x1008), ~0U);
    rig.config_write(0x18, 4, 0);
    rig.config_write(0x1c, 4, 0x40);
    EXPECT_EQ(rig.device.bar_address(2), kBar);

    const unsigned status = rig.capability(0x10) + 0xa;
    EXPECT_EQ(rig.config(status, 2), 0x8U);
    rig.config_write(status, 2, 0x8);
    rig.cpu.put32(kBar + 0x1008, 0x1234'5678);
    EXPECT_EQ(rig.cpu.get32(kBar + 0x1008), 0x1234'5678U);
    EXPECT_EQ(rig.config(status, 2), 0U);

    rig.config_write(0x04, 2, 0);
    expect_guest_error("4-byte write at offset 0x1008", disabled);
    rig.cpu.put32(kBar + 0x1008, 1);
    rig.cpu.put32(kBar + 0x1008, 2);  // reported once
    expect_guest_error("8-byte read at offset 0x1008", disabled);
    EXPECT_EQ(rig.cpu.get64(kBar + 0x1008), ~std::uint64_t{0});
    EXPECT_EQ(rig.config(status, 2), 0x8U);
    EXPECT_EQ(rig.device.unsupported_requests(), 4U);
    rig.config_write(0x04, 2, 0x2);
    EXPECT_EQ(rig.cpu.get32(kBar + 0x1008), 0x1234'5678U);  // the writes had no effect

    expect_guest_error("0x2000");
    EXPECT_EQ(rig.cpu.read32(kBar + 0x2000).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);  // no register is there
    expect_guest_error("scratch", "aligned");
    EXPECT_EQ(rig.cpu.read32(kBar + 0x100a).status, tlm::TLM_BURST_ERROR_RESPONSE);
  });
}

// NOLINTNEXTLINE(readability-function-size): a test told from its beginning to its end
TEST_F(PcieFunction, msi_x_sends_what_the_table_says_and_remembers_what_is_masked) {
  testing::let_writes_be_lost();
  const auto entry = [](unsigned vector) { return kBar + kMsiX + 16 * vector; };
  run([&] {
    const unsigned capability = rig.capability(0x11);
    EXPECT_EQ(rig.config(capability + 2, 2), 69U);
    EXPECT_EQ(rig.config(capability + 4), kMsiX | 2U);
    const std::uint32_t pending_register = rig.config(capability + 8);
    EXPECT_EQ(pending_register & 7, 2U);
    const std::uint64_t pending = kBar + (pending_register & ~7U);
    rig.config_write(0x04, 2, 0x2);  // memory, not yet bus master

    EXPECT_EQ(rig.cpu.get32(entry(5) + 12), 1U);  // masked after reset
    rig.cpu.put32(entry(5), 0x2000'0043);         // the two low bits read zero
    rig.cpu.put32(entry(5) + 4, 0x12);
    rig.cpu.put32(entry(5) + 8, 0xcafe);
    rig.cpu.put64(entry(69), 0x13'0000'0000);
    rig.cpu.put64(entry(69) + 8, 0xbeef);  // data, and unmasked
    EXPECT_EQ(rig.cpu.get64(entry(5)), 0x12'2000'0040U);
    EXPECT_EQ(rig.cpu.get64(entry(5) + 8), 0x1'0000'cafeU);

    rig.device.signal(69);  // nothing is enabled: lost
    rig.config_write(capability + 2, 2, 0x8000);
    rig.device.signal(69);  // no bus master: lost
    rig.config_write(0x04, 2, 0x6);
    rig.device.signal(70);  // no such vector
    EXPECT_EQ(rig.device.lost_messages(), 3U);
    EXPECT_THAT(rig.messages.messages(), IsEmpty());

    rig.device.signal(69);
    EXPECT_THAT(rig.messages.messages(), ElementsAre(MessageProbe::Message{testing::now(), 0x13'0000'0000, 0xbeef}));
    rig.device.signal(5);
    rig.device.signal(5);
    EXPECT_EQ(rig.cpu.get64(pending), 1U << 5);
    rig.device.signal(63);  // never unmasked
    EXPECT_EQ(rig.cpu.get64(pending), std::uint64_t{1} << 63 | 1U << 5);
    rig.cpu.put64(pending, ~std::uint64_t{0});  // read only
    EXPECT_EQ(rig.cpu.get64(pending + 8), 0U);
    rig.config_write(capability + 2, 2, 0xc000);
    rig.device.signal(69);
    EXPECT_EQ(rig.cpu.get64(pending + 8), 1U << 5);
    EXPECT_EQ(rig.messages.messages().size(), 1U);

    // Unmasking sends a pending message once, at the time of the write.
    rig.config_write(capability + 2, 2, 0x8000);
    ASSERT_EQ(rig.messages.messages().size(), 2U);
    EXPECT_EQ(rig.messages.messages()[1].data, 0xbeefU);
    const Picoseconds start = testing::now();
    Initiator::Access unmask{
        .command = tlm::TLM_WRITE_COMMAND, .address = entry(5) + 12, .data = {0, 0, 0, 0}, .delay = 7000};
    EXPECT_TRUE(rig.cpu.transport(unmask).ok());
    testing::advance_to(start + 20'000);
    ASSERT_EQ(rig.messages.messages().size(), 3U);
    EXPECT_EQ(rig.messages.messages()[2], (MessageProbe::Message{start + 7000, 0x12'2000'0040, 0xcafe}));
    EXPECT_EQ(rig.cpu.get64(pending), std::uint64_t{1} << 63);

    // If two vectors are unmasked ahead of time, each waits for its own write. So do signals that come meanwhile.
    const auto vector_control = [&](unsigned vector, std::uint8_t mask, Picoseconds delay) {
      Initiator::Access write{
          .command = tlm::TLM_WRITE_COMMAND, .address = entry(vector) + 12, .data = {mask, 0, 0, 0}, .delay = delay};
      EXPECT_TRUE(rig.cpu.transport(write).ok());
    };
    vector_control(5, 1, 0);
    vector_control(69, 1, 0);
    rig.device.signal(69);
    const Picoseconds masked = testing::now();
    rig.cpu.wait_for_delay = false;
    vector_control(5, 0, 7000);
    vector_control(69, 0, 15'000);
    rig.cpu.wait_for_delay = true;
    testing::advance_to(masked + 3000);
    rig.device.signal(5);
    testing::advance_to(masked + 20'000);
    ASSERT_EQ(rig.messages.messages().size(), 5U);
    EXPECT_EQ(rig.messages.messages()[3], (MessageProbe::Message{masked + 7000, 0x12'2000'0040, 0xcafe}));
    EXPECT_EQ(rig.messages.messages()[4], (MessageProbe::Message{masked + 15'000, 0x13'0000'0000, 0xbeef}));

    rig.device.reset(ResetKind::function_level);
    rig.firmware();
    rig.config_write(0x04, 2, 0x2);
    EXPECT_EQ(rig.config(capability + 2, 2), 69U);
    EXPECT_EQ(rig.cpu.get64(entry(69) + 8), std::uint64_t{1} << 32);
    EXPECT_EQ(rig.cpu.get64(pending + 8), 0U);
    expect_guest_error("device.msi_x", "4 or 8 bytes");
    EXPECT_EQ(rig.cpu.read(entry(0), 2).status, tlm::TLM_BURST_ERROR_RESPONSE);
  });
}

TEST_F(PcieFunction, msi_replaces_the_low_bits_of_the_data_by_the_vector) {
  run([&] {
    const unsigned capability = rig.capability(0x05);
    EXPECT_EQ(rig.config(capability + 2, 2), 0x0186U);  // 64-bit address, masks, capable of 8
    rig.config_write(0x04, 2, 0x4);
    rig.config_write(capability + 4, 4, 0x8000'0003);
    rig.config_write(capability + 8, 4, 0x1);
    rig.config_write(capability + 12, 2, 0xabcf);
    rig.config_write(capability + 2, 2, 0x0021);  // enabled, four vectors granted
    rig.device.signal(2);
    rig.device.signal(5);
    rig.config_write(capability + 16, 4, 0x4);
    rig.device.signal(6);  // vector 2 of four, masked
    EXPECT_EQ(rig.config(capability + 20), 0x4U);
    EXPECT_EQ(rig.messages.messages().size(), 2U);
    rig.config_write(capability + 16, 4, 0);
    EXPECT_EQ(rig.config(capability + 20), 0U);
    EXPECT_THAT(rig.messages.messages(), ElementsAre(MessageProbe::Message{testing::now(), 0x1'8000'0000, 0xabce},
                                                     MessageProbe::Message{testing::now(), 0x1'8000'0000, 0xabcd},
                                                     MessageProbe::Message{testing::now(), 0x1'8000'0000, 0xabce}));
    rig.config_write(capability + 2, 2, 0x0071);  // more than the function has: all eight
    rig.device.signal(7);
    EXPECT_EQ(rig.messages.messages().back().data, 0xabcfU);
  });
}

TEST_F(PcieFunction, software_resets_a_function_and_what_is_below_a_port) {
  std::vector<ResetKind> device_resets;
  std::vector<ResetKind> leaf_resets;
  rig.device.on_reset([&](ResetKind kind) { device_resets.push_back(kind); });
  rig.leaf.on_reset([&](ResetKind kind) { leaf_resets.push_back(kind); });
  run([&] {
    const unsigned control = rig.capability(0x10) + 8;
    rig.config_write(0x04, 2, 0x6);
    rig.config_write(0x3c, 1, 0x42);
    rig.config_write(control, 2, 0x0000);
    EXPECT_THAT(device_resets, IsEmpty());
    rig.config_write(control, 2, 0x8000);
    EXPECT_THAT(device_resets, ElementsAre(ResetKind::function_level));
    EXPECT_EQ(rig.config(0x04, 2), 0U);
    EXPECT_EQ(rig.config(0x3c, 1), 0U);
    EXPECT_EQ(rig.config(0x1c), 0U);
    EXPECT_EQ(rig.config(control, 2), 0x2810U);

    EXPECT_TRUE(rig.cpu.write(Rig::at(kPort, 0x3e), 0x0040, 2).ok());
    EXPECT_THAT(leaf_resets, ElementsAre(ResetKind::conventional));
    EXPECT_EQ(rig.cpu.get32(Rig::at(kPort, 0x18)), 0x0009'0908U);  // the port's own registers do not change
    rig.ecam.reset(ResetKind::cold);
    EXPECT_THAT(leaf_resets, ElementsAre(ResetKind::conventional, ResetKind::cold));
    EXPECT_EQ(rig.cpu.get32(Rig::at(kPort, 0x18)), 0U);
  });
}

TEST_F(PcieFunction, configuration_accesses_follow_the_bus_numbers_of_ports) {
  run([&] {
    EXPECT_EQ(rig.cpu.get32(Rig::at(0, 0, 9)), 0U);    // the function below the port has ids of 0
    EXPECT_EQ(rig.cpu.get32(Rig::at(1, 0, 9)), ~0U);   // no such device
    EXPECT_EQ(rig.cpu.get32(Rig::at(0, 0, 10)), ~0U);  // no such bus
    EXPECT_EQ(rig.cpu.read(Rig::at(5, 2), 2).data, 0xffffU);
    rig.cpu.put32(Rig::at(5, 4), 0xffff'ffff);
    rig.cpu.put32(Rig::at(kPort, 0x18), 0x000b'0a08);  // now bus 10
    EXPECT_EQ(rig.cpu.get32(Rig::at(0, 0, 9)), ~0U);
    EXPECT_EQ(rig.cpu.get32(Rig::at(0, 0, 10)), 0U);
    EXPECT_EQ(rig.ecam.find(10, 0, 0), &rig.leaf);
    EXPECT_EQ(rig.ecam.size(), 4U << 20);

    expect_guest_error("ecam", "8-byte", "1, 2 or 4 bytes");
    EXPECT_EQ(rig.cpu.read64(Rig::at(kDevice, 0)).status, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_guest_error("2-byte write", "device 0x3", "register 0x5", "aligned");
    EXPECT_EQ(rig.cpu.write(Rig::at(kDevice, 5), 0xffff, 2).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write(Rig::at(kDevice, 5), 0xffff, 2).status, tlm::TLM_BURST_ERROR_RESPONSE);
    expect_guest_error("byte enables");
    Initiator::Access masked{
        .command = tlm::TLM_WRITE_COMMAND, .address = Rig::at(kDevice, 4), .data = {6, 0}, .byte_enables = {0xff, 0}};
    EXPECT_EQ(rig.cpu.transport(masked).status, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(rig.config(0x04, 2), 0U);
    EXPECT_EQ(rig.ecam.guest_errors(), 4U);
  });
}

TEST_F(PcieFunction, what_cannot_be_built_is_refused_by_name) {
  const auto refusal = [](const FunctionParameters& parameters) -> std::string {
    try {
      Function(sc_core::sc_gen_unique_name("wrong"), parameters);
    } catch (const SpecError& error) {
      return error.field();
    }
    return "";
  };
  FunctionParameters wrong;
  wrong.bars[0] = {.size = 0x3000};
  EXPECT_EQ(refusal(wrong), "bars[0].size");
  wrong.bars[0] = {.size = 0x1000};
  wrong.bars[1] = {.size = 0x1000};
  EXPECT_EQ(refusal(wrong), "bars[0]");
  wrong = {};
  wrong.bars[5] = {.size = 0x1000};
  EXPECT_EQ(refusal(wrong), "bars[5]");
  wrong = device_parameters();
  wrong.msi_x->offset = kBarSize;
  EXPECT_EQ(refusal(wrong), "msi_x.offset");
  wrong.msi_x->bar = 0;
  EXPECT_EQ(refusal(wrong), "msi_x.bar");
  wrong.msi_x->vectors = 2049;
  wrong.msi_x->bar = 2;
  EXPECT_EQ(refusal(wrong), "msi_x.vectors");
  wrong = device_parameters();
  wrong.msi->vectors = 3;
  EXPECT_EQ(refusal(wrong), "msi.vectors");
  wrong = {};
  wrong.link.width = 3;
  EXPECT_EQ(refusal(wrong), "link.width");

  EXPECT_THROW(rig.device.assign_bar(2, 0x1000), SpecError);
  EXPECT_THROW(rig.device.assign_bar(4, 0x1'0000'0000), SpecError);
  EXPECT_THROW(rig.device.attach(0, 0, rig.leaf), SpecError);
  EXPECT_THROW(rig.port.attach(0, 0, rig.leaf), SpecError);
  EXPECT_THROW(rig.ecam.attach(kDevice, 0, rig.leaf), SpecError);
  ConfigurationSpace& space = rig.device.space();
  EXPECT_THROW(space.define(0xffe, 4, {}), SpecError);
  EXPECT_THROW(space.define(0x200, 4, {.writable = 3, .write_one_to_clear = 2}), SpecError);
  EXPECT_THROW(space.add_capability(9, 0xc0), SpecError);
  EXPECT_THROW(space.add_dvsec(1, 1, 1, 9), SpecError);
  EXPECT_THROW(space.add_dvsec(1, 1, 1, 0xff0), SpecError);
}

}  // namespace
}  // namespace pmufab::pcie
