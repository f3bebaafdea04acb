// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "testbench/tests/host/driver_host_test.h"
#include "testbench/tests/host/selftest/driver_sets.h"

/// A device for selftest_services.c, a driver that uses what the small kernel offers.
namespace pmufab::driver_host::testing {

/// Bit 0 of 0x10 is the interrupt line. 0x20 counts its readings. What is written to 0x30 can be read.
class ServicesDevice : public FakeDevice {
 public:
  explicit ServicesDevice(InterruptLine& line) : line_(line) {}
  std::uint64_t read(std::uint64_t offset, unsigned) override {
    if (offset == 0x20) return ++readings_;
    return offset == 0x30 ? kept_ : 0;
  }
  void write(std::uint64_t offset, unsigned, std::uint64_t value) override {
    if (offset == 0x10) line_.drive((value & 1U) != 0);
    if (offset == 0x30) kept_ = value;
  }

 private:
  InterruptLine& line_;
  std::uint64_t readings_ = 0;
  std::uint64_t kept_ = 0;
};

/// One device, whose driver's messages begin with its name.
class Services : public DriverHostTest {
 protected:
  static constexpr std::uint64_t kBase = 0x50000000;

  explicit Services(const char* hid = "TEST0002", const char* driver = "services") : hid_(hid), driver_(driver) {
    firmware.apmt.clear();
    firmware.devices.clear();
  }

  void add_device(std::uint32_t mode) {
    platform::AcpiDevice acpi;
    acpi.hid = hid_;
    acpi.memory.push_back({.base = kBase, .size = 0x1000});
    acpi.interrupts.push_back({.number = 200, .line = &line});
    acpi.properties["mode"] = mode;
    acpi.properties["clock-frequency"] = 48'000'000;
    firmware.devices.push_back(acpi);
    bus.map(kBase, 0x1000, device);
  }

  /// The driver's log lines that begin with its name and what they are about, without this.
  [[nodiscard]] std::vector<std::string> said(const std::string& about = "") const {
    const std::string prefix = "<6>" + driver_ + " " + about;
    std::vector<std::string> lines;
    for (const std::string& text : host->log()) {
      if (text.starts_with(prefix)) lines.push_back(text.substr(prefix.size()));
    }
    return lines;
  }

  /// What the driver says in a mode until the probe has ended.
  void expect_said(std::uint32_t mode, const ::testing::Matcher<std::vector<std::string>>& lines,
                   std::uint64_t warnings = 0) {
    add_device(mode);
    boot([&] {
      EXPECT_THAT(said(), lines);
      EXPECT_EQ(host->warnings(), warnings);
    });
  }

  InterruptLine line{"services"};
  ServicesDevice device{line};

 private:
  std::string hid_, driver_;
};

}  // namespace pmufab::driver_host::testing
