// SPDX-License-Identifier: Apache-2.0
// PCI functions of a guest, on registers that are memory.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/doors/guest/devices/aperture.h"
#include "testbench/doors/guest/devices/pci_function.h"
#include "testbench/doors/guest/devices/soc_function.h"
#include "testbench/doors/guest/qemu_command.h"
#include "testbench/doors/vfio_user/protocol.h"

namespace pmufab::guest {
namespace {

class Memory final : public RegisterAccess {
 public:
  [[nodiscard]] std::uint64_t read(std::uint64_t address, unsigned bytes) override {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{bytes_[address + i]} << 8 * i;
    return value;
  }
  void write(std::uint64_t address, unsigned bytes, std::uint64_t value) override {
    for (unsigned i = 0; i < bytes; ++i) bytes_[address + i] = static_cast<std::uint8_t>(value >> 8 * i);
  }

 private:
  std::map<std::uint64_t, std::uint8_t> bytes_;
};

template <typename Function>
std::uint64_t read(Function& function, unsigned region, std::uint64_t offset, unsigned bytes) {
  std::array<std::uint8_t, 8> data{};
  EXPECT_TRUE(function.read(region, offset, std::span(data).first(bytes)));
  return to_number(std::span(data).first(bytes));
}

template <typename Function>
void write(Function& function, unsigned region, std::uint64_t offset, unsigned bytes, std::uint64_t value) {
  std::array<std::uint8_t, 8> data{};
  to_bytes(value, std::span(data).first(bytes));
  EXPECT_TRUE(function.write(region, offset, std::span(data).first(bytes)));
}

platform::FirmwareDescription two_devices() {
  platform::FirmwareDescription firmware;
  platform::AcpiDevice device;
  device.hid = "NVDA2021";
  device.memory = {{0x1000'0000'0000, 0x1000}, {0x1000'0010'0000, 0x3000}};
  firmware.devices.push_back(device);
  return firmware;
}

TEST(Aperture, packs_the_registers_of_devices_behind_a_page_of_its_own) {
  const Aperture aperture(two_devices());
  ASSERT_EQ(aperture.windows().size(), 2U);
  EXPECT_EQ(aperture.size() & (aperture.size() - 1), 0U);
  for (const Aperture::Window& window : aperture.windows()) {
    EXPECT_GE(window.offset, Aperture::kPage);
    EXPECT_LE(window.offset + window.size, aperture.size());
    EXPECT_EQ(aperture.offset_of(window.platform + 8), window.offset + 8);
    EXPECT_EQ(aperture.platform_address(window.offset + 8, 8), window.platform + 8);
    EXPECT_FALSE(aperture.platform_address(window.offset + window.size - 4, 8).has_value());
  }
  EXPECT_FALSE(aperture.offset_of(0x1000'0000'1000).has_value());
  EXPECT_FALSE(aperture.platform_address(0, 4).has_value());
}

TEST(SocFunction, leads_to_registers_and_tells_its_mark) {
  const Aperture aperture(two_devices());
  Memory memory;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> told;
  SocFunction soc(aperture, memory,
                  {[&](std::uint64_t offset, std::uint32_t value) { told.emplace_back(offset, value); },
                   [](std::uint64_t offset) { return offset == 0 ? Aperture::kMagic : 0U; }});
  memory.write(0x1000'0010'0008, 8, 0x1122'3344'5566'7788);
  const std::uint64_t at = *aperture.offset_of(0x1000'0010'0008);
  EXPECT_EQ(read(soc, 0, at, 8), 0x1122'3344'5566'7788U);
  write(soc, 0, at, 4, 0xaabb'ccdd);
  EXPECT_EQ(memory.read(0x1000'0010'0008, 4), 0xaabb'ccddU);
  EXPECT_EQ(read(soc, 0, 0, 4), Aperture::kMagic);
  write(soc, 0, control_page::kTraffic, 4, 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], (std::pair<std::uint64_t, std::uint32_t>{control_page::kTraffic, 1}));
  EXPECT_EQ(read(soc, 0, aperture.size() - 4, 4), 0xffff'ffffU) << "nothing is there";
  std::array<std::uint8_t, 8> odd{};
  EXPECT_FALSE(soc.read(0, at, std::span(odd).first(3)));
  EXPECT_FALSE(soc.read(0, at + 1, std::span(odd).first(4)));
}

TEST(SocFunction, is_bus_master_when_software_lets_it) {
  const Aperture aperture(two_devices());
  Memory memory;
  SocFunction soc(aperture, memory, {[](std::uint64_t, std::uint32_t) {}, [](std::uint64_t) { return 0U; }});
  struct Nobody final : vfio_user::Client {
    void interrupt(unsigned /*kind*/, unsigned /*vector*/) override {}
    void write_memory(std::uint64_t /*address*/, std::span<const std::uint8_t> /*data*/) override {}
  } client;
  soc.connected(&client);
  EXPECT_EQ(soc.bus_master(), nullptr);
  write(soc, vfio_user::kConfigRegion, 4, 2, 6);
  EXPECT_EQ(soc.bus_master(), &client);
  EXPECT_EQ(read(soc, vfio_user::kConfigRegion, 0, 4), 0x4d46'1d1dU);
  // As firmware reads the size.
  write(soc, vfio_user::kConfigRegion, 0x10, 4, 0xffff'ffff);
  EXPECT_EQ(read(soc, vfio_user::kConfigRegion, 0x10, 4), (~(aperture.size() - 1) & 0xffff'ffff) | 4U);
}

class PciFunctionTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSpace = 0x4000'0000;
  static constexpr std::uint64_t kBar = 0x20'0000'0000;
  static constexpr std::uint64_t kTable = kBar + 0x8000;

  PciFunctionTest() {
    memory.write(kSpace, 4, 0x1234'1e98);
    memory.write(kSpace + 0x10, 4, 0x4);
    memory.write(kSpace + 0x14, 4, kBar >> 32);
    memory.write(kSpace + 0x34, 1, 0x40);
    memory.write(kSpace + 0x40, 4, 0x0000'6010);  // PCI Express
    memory.write(kSpace + 0x44, 4, 1 << 28);      // with function level reset
    memory.write(kSpace + 0x60, 4, 0x0003'0011);  // MSI-X of four vectors
    memory.write(kSpace + 0x64, 4, 0x8000);       // in BAR 0
  }
  PciFunction make() { return {memory, {kSpace, 0x3000'0040, 8192, {0x1'0000, 0, 0, 0, 0, 0}}}; }

  Memory memory;
};

TEST_F(PciFunctionTest, lets_its_bars_be_moved_without_moving_them) {
  PciFunction function = make();
  EXPECT_EQ(function.region_size(0), 0x1'0000U);
  write(function, vfio_user::kConfigRegion, 0x10, 4, 0xffff'ffff);
  EXPECT_EQ(read(function, vfio_user::kConfigRegion, 0x10, 4), 0xffff'0004U);
  write(function, vfio_user::kConfigRegion, 0x10, 4, 0x1234'0000);
  write(function, vfio_user::kConfigRegion, 0x14, 4, 0x81);
  EXPECT_EQ(read(function, vfio_user::kConfigRegion, 0x14, 4), 0x81U);
  EXPECT_EQ(memory.read(kSpace + 0x14, 4), kBar >> 32);
  write(function, 0, 0x10, 4, 0x5555);
  EXPECT_EQ(memory.read(kBar + 0x10, 4), 0x5555U);
  write(function, vfio_user::kConfigRegion, 4, 2, 0);
  EXPECT_EQ(memory.read(kSpace + 4, 2) & 6U, 6U) << "the platform's side decodes all the time";
}

TEST_F(PciFunctionTest, takes_the_messages_of_its_vectors) {
  PciFunction function = make();
  EXPECT_EQ(function.interrupts(vfio_user::kMsiX), 4U);
  EXPECT_EQ(memory.read(kTable + 3 * 16, 4), 0x3000'0040U);
  EXPECT_EQ(memory.read(kTable + 3 * 16 + 8, 4), 8195U);
  EXPECT_EQ(memory.read(kTable + 3 * 16 + 12, 4), 0U);
  EXPECT_EQ(memory.read(kSpace + 0x62, 2) & 0x8000U, 0x8000U);
  EXPECT_EQ(read(function, vfio_user::kConfigRegion, 0x62, 2) & 0x8000U, 0U) << "the guest's own is off";
  struct Last final : vfio_user::Client {
    void interrupt(unsigned kind, unsigned vector) override { told.emplace_back(kind, vector); }
    void write_memory(std::uint64_t /*address*/, std::span<const std::uint8_t> /*data*/) override {}
    std::vector<std::pair<unsigned, unsigned>> told;
  } client;
  EXPECT_TRUE(function.message(8194)) << "nobody is there to be told";
  function.connected(&client);
  EXPECT_TRUE(function.message(8194));
  EXPECT_FALSE(function.message(8196));
  EXPECT_FALSE(function.message(8191));
  EXPECT_EQ(client.told, (std::vector<std::pair<unsigned, unsigned>>{{vfio_user::kMsiX, 2}}));
}

TEST_F(PciFunctionTest, is_put_back_after_a_function_level_reset) {
  PciFunction function = make();
  memory.write(kSpace + 0x10, 4, 0);  // as the device's reset does
  memory.write(kTable + 12, 4, 1);
  write(function, vfio_user::kConfigRegion, 0x48, 2, 0x8000);
  EXPECT_EQ(memory.read(kSpace + 0x10, 4), 0x4U);
  EXPECT_EQ(memory.read(kTable + 12, 4), 0U);
  memory.write(kTable + 12, 4, 1);
  function.reset();
  EXPECT_EQ(memory.read(kTable + 12, 4), 0U);
}

TEST_F(PciFunctionTest, of_a_port_is_no_bridge) {
  memory.write(kSpace + 0x08, 4, 0x0604'0001);
  memory.write(kSpace + 0x0e, 1, 1);
  memory.write(kSpace + 0x18, 4, 0x0002'0100);
  memory.write(kSpace + 0x42, 2, 0x0042);
  PciFunction function = make();
  EXPECT_EQ(read(function, vfio_user::kConfigRegion, 0x08, 4), 0x0880'0001U);
  EXPECT_EQ(read(function, vfio_user::kConfigRegion, 0x0e, 1), 0U);
  EXPECT_EQ(read(function, vfio_user::kConfigRegion, 0x18, 4), 0U);
  EXPECT_EQ(read(function, vfio_user::kConfigRegion, 0x42, 2), 0x0002U);
  EXPECT_EQ(function.interrupts(vfio_user::kMsiX), 0U);
  write(function, vfio_user::kConfigRegion, 0x18, 4, 0xffff'ffff);
  EXPECT_EQ(memory.read(kSpace + 0x18, 4), 0x0002'0100U);
}

TEST(Archive, is_what_a_kernel_unpacks) {
  Archive archive;
  archive.add_file("a", "hello");
  const std::string bytes = archive.finish();
  EXPECT_EQ(bytes.size() % 4, 0U);
  EXPECT_EQ(bytes.substr(0, 6), "070701");
  EXPECT_EQ(bytes.substr(14, 8), "000081a4") << "mode";
  EXPECT_EQ(bytes.substr(54, 8), "00000005") << "size";
  EXPECT_EQ(bytes.substr(94, 8), "00000002") << "name, with its zero";
  EXPECT_EQ(bytes.substr(112, 5), "hello");
  EXPECT_NE(bytes.find("TRAILER!!!"), std::string::npos);
}

}  // namespace
}  // namespace pmufab::guest
