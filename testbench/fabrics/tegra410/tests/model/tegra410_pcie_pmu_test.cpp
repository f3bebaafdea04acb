// SPDX-License-Identifier: Apache-2.0
// The PCIE PMU of a root complex through its registers: mistakes of software, and the use of memory.
#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/models/allocation_counter.h"

namespace pmufab::testing {
namespace {

using Opcode = FabricOpcode;

constexpr std::uint32_t kRdReq = 2, kWrReq = 3;
constexpr std::uint32_t kAllDestinations = 0x1f;
constexpr std::uint32_t kBdfEnable = 1U << 24;

class Tegra410PciePmu : public SimulationTest {
 protected:
  static constexpr unsigned kComplex = 4;  // root ports 0, 1 and 2
  static constexpr std::uint64_t kPage0 = 0x1001'0000 + kComplex * 0x2000;
  static constexpr std::uint64_t kPage1 = kPage0 + 0x1000;

  static Ask from_device(unsigned port, std::uint16_t bdf, Opcode opcode, std::uint64_t address, unsigned length = 64) {
    Ask ask{.opcode = opcode, .address = address, .kind = RequesterKind::pcie, .length = length};
    ask.root_complex = kComplex;
    ask.root_port = port;
    ask.bdf = bdf;
    return ask;
  }
  void put(std::uint64_t address, std::uint32_t value) { rig.cpu.put32(address, value); }
  void program(unsigned counter, std::uint32_t event, std::uint32_t filter, std::uint32_t filter2 = kAllDestinations) {
    put(kPage0 + 0x400 + 4 * counter, event);
    put(kPage0 + 0xa00 + 4 * counter, filter);
    put(kPage0 + 0x800 + 4 * counter, filter2);
  }
  void start(std::uint32_t counters) {
    put(kPage0 + 0xc00, counters);
    put(kPage0 + 0xe04, 1);
  }
  std::uint64_t counter(unsigned number) {
    return rig.cpu.get32(kPage1 + 8 * number) | std::uint64_t{rig.cpu.get32(kPage1 + 8 * number + 4)} << 32;
  }

  static platform::PlatformSpec with_default_root_complexes() {
    platform::PlatformSpec spec = small_spec(2);
    spec.edit<platform::Tegra410Spec>().pcie.root_complexes.reset();
    return spec;
  }

  Rig rig{with_default_root_complexes()};
};

TEST_F(Tegra410PciePmu, two_counters_with_different_requester_ids_are_the_guests_mistake) {
  expect_guest_error("socket0.rc4_pcie_pmu", "0x0100", "0x0101");
  run([&] {
    program(0, kRdReq, 0x0100U << 8 | kBdfEnable);
    program(1, kWrReq, 0x0100U << 8 | kBdfEnable);  // the same: accepted
    start(0x3);
    EXPECT_EQ(guest_error_reports(), 0U);
    program(2, kRdReq, 0x0101U << 8 | kBdfEnable);  // not running yet
    EXPECT_EQ(guest_error_reports(), 0U);
    put(kPage0 + 0xc00, 0x4);
    EXPECT_EQ(guest_error_reports(), 1U);
    rig.request(from_device(0, 0x101, Opcode::read_once, gmem(0, 0)));
    EXPECT_EQ(counter(0), 0U);
    EXPECT_EQ(counter(2), 1U);  // each follows its own filter
    put(kPage0 + 0xc20, 0x3);
    put(kPage0 + 0xa08, 0x0102U << 8 | kBdfEnable);  // alone: accepted
    EXPECT_EQ(guest_error_reports(), 1U);
  });
}

TEST_F(Tegra410PciePmu, a_device_below_a_root_port_that_does_not_exist_is_refused) {
  run([&] {
    EXPECT_EQ(rig.send(from_device(3, 0x100, Opcode::read_once, gmem(0, 0))).status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    Ask ask = from_device(0, 0x100, Opcode::read_once, gmem(0, 0));
    ask.root_complex = 6;
    EXPECT_EQ(rig.send(ask).status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    ask.root_complex = 5;
    EXPECT_EQ(rig.send(ask).status, tlm::TLM_OK_RESPONSE);
  });
}

TEST_F(Tegra410PciePmu, requests_allocate_nothing) {
  run([&] {
    for (unsigned event = 0; event < 5; ++event) program(event, event, 0x0100U << 8 | kBdfEnable);
    start(0x1f);
    const auto send = [&](unsigned requests) {
      const std::uint64_t before = allocations();
      for (unsigned i = 0; i < requests; ++i) {
        rig.request(from_device(0, 0x100, Opcode::read_once, gmem(0, i)));
        if (i % 8 == 0) advance(100'000);
      }
      return allocations() - before;
    };
    send(1000);  // queues grow
    const std::uint64_t of_thousand = send(1000);
    const std::uint64_t of_two_thousand = send(2000);
    // The test's own allocations happen with the requests of a GPU too.
    const std::uint64_t before = allocations();
    for (unsigned i = 0; i < 1000; ++i) {
      rig.request({.opcode = Opcode::read_once, .address = gmem(0, i), .kind = RequesterKind::gpu});
      if (i % 8 == 0) advance(100'000);
    }
    EXPECT_EQ(of_thousand, allocations() - before);
    EXPECT_EQ(of_two_thousand, 2 * of_thousand);
  });
}

}  // namespace
}  // namespace pmufab::testing
