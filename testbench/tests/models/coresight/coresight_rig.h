// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/coresight/coresight_pmu.h"
#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::coresight {

// Offsets are repeated here on purpose: a test must not take them from the model.
inline constexpr std::uint64_t kPmevtyper = 0x400;
inline constexpr std::uint64_t kPmevfilt2r = 0x800;
inline constexpr std::uint64_t kPmevfiltr = 0xa00;
inline constexpr std::uint64_t kPmcntenset = 0xc00;
inline constexpr std::uint64_t kPmcnten = 0xc10;
inline constexpr std::uint64_t kPmcntenclr = 0xc20;
inline constexpr std::uint64_t kPmintenset = 0xc40;
inline constexpr std::uint64_t kPmintenclr = 0xc60;
inline constexpr std::uint64_t kPmovsclr = 0xc80;
inline constexpr std::uint64_t kPmovsset = 0xcc0;
inline constexpr std::uint64_t kPmcfgr = 0xe00;
inline constexpr std::uint64_t kPmcr = 0xe04;
inline constexpr std::uint64_t kPmiidr = 0xe08;
inline constexpr std::uint64_t kPmcr64 = 0xe10;
inline constexpr std::uint64_t kPmdevarch = 0xfbc;

inline constexpr std::uint64_t kPage0 = 0x1'0000;
inline constexpr std::uint64_t kPage1 = 0x2'0000;

inline constexpr std::uint64_t kClockEvent = 0x1d;  // on a regular counter
inline constexpr std::uint64_t kOutstandingEvent = 0x20;
inline constexpr std::uint64_t kOutstandingOfIdEvent = 0x21;

/// A CoreSight PMU behind a bus, three probes (events 0x10, 0x11, 0x12) and a bus master. Filter: PMEVFILTR is the set
/// of qualifiers 0 ... 31, PMEVFILT2R that of 32 ... 63; if both are 0, all pass. Two events count outstanding
/// requests: those of the same set of qualifiers, and those of all qualifiers whose id has the low four bits of
/// PMEVFILTR.
struct CoreSightRig {
  explicit CoreSightRig(const CoreSightPmuOptions& pmu_options, InterruptTrigger trigger = InterruptTrigger::level,
                        std::uint64_t frequency = 1'000'000'000)
      : options(pmu_options),
        clock("clk", frequency),
        requests(clock, 2),
        table(EventTable(&CoreSightRig::qualifiers)
                  .add(0x10, probes[0])
                  .add(0x11, probes[1])
                  .add(0x12, probes[2])
                  .add_clock(kClockEvent)),
        pmu("pmu", options, clock,
            [this](const CounterProgram& program) {
              if (program.event == kOutstandingEvent) return CounterInput::of(requests, {qualifiers(program), 0, 0});
              if (program.event == kOutstandingOfIdEvent) {
                return CounterInput::of(requests, {~std::uint64_t{0}, static_cast<std::uint32_t>(program.filter), 0xf});
              }
              return table(program);
            }),
        line("irq", trigger) {
    cpu.socket.bind(bus.socket);
    bus.map("page0", kPage0, 0x1000, pmu.socket);
    if (options.dual_page) bus.map("page1", kPage1, 0x1000, pmu.page1);
    pmu.connect_interrupt(line);
  }

  static std::uint64_t qualifiers(const CounterProgram& program) {
    const std::uint64_t set = program.filter | program.filter2 << 32;
    return set != 0 ? set : ~std::uint64_t{0};
  }
  [[nodiscard]] std::uint64_t upper() const { return options.dual_page ? kPage1 : kPage0; }
  [[nodiscard]] std::uint64_t counter_address(unsigned counter) const {
    return upper() + counter * (options.width > 32 ? 8 : 4);
  }
  [[nodiscard]] std::uint64_t maximum() const {
    return options.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << options.width) - 1;
  }

  // Accesses of a driver.
  std::uint64_t read_counter(unsigned counter) {
    const std::uint64_t address = counter_address(counter);
    if (options.width <= 32) return cpu.get32(address);
    if (options.atomic_64bit) return cpu.get64(address);
    for (;;) {
      const std::uint64_t high = cpu.get32(address + 4);
      const std::uint64_t low = cpu.get32(address);
      if (cpu.get32(address + 4) == high) return high << 32 | low;
    }
  }
  void write_counter(unsigned counter, std::uint64_t value) {
    const std::uint64_t address = counter_address(counter);
    if (options.width <= 32) {
      cpu.put32(address, static_cast<std::uint32_t>(value));
    } else if (options.atomic_64bit) {
      cpu.put64(address, value);
    } else {
      cpu.put32(address, static_cast<std::uint32_t>(value));
      cpu.put32(address + 4, static_cast<std::uint32_t>(value >> 32));
    }
  }
  void write_type(unsigned counter, std::uint64_t event) {
    if (options.ext64) {
      cpu.put64(kPage0 + kPmevtyper + 8 * counter, event);
    } else {
      cpu.put32(kPage0 + kPmevtyper + 4 * counter, static_cast<std::uint32_t>(event));
    }
  }
  /// One bit of a SET or CLR register.
  void put_bit(std::uint64_t reg, unsigned counter) {
    const std::uint64_t page = reg == kPmovsclr || reg == kPmovsset ? upper() : kPage0;
    cpu.put32(page + reg + 4 * (counter / 32), 1U << counter % 32);
  }
  std::uint32_t get_mask(std::uint64_t reg, unsigned word = 0) {
    const std::uint64_t page = reg == kPmovsclr || reg == kPmovsset ? upper() : kPage0;
    return cpu.get32(page + reg + 4 * word);
  }
  void control(std::uint32_t value) { cpu.put32(kPage0 + (options.ext64 ? kPmcr64 : kPmcr), value); }

  CoreSightPmuOptions options;
  ClockDomain clock;
  std::array<Probe, 3> probes{Probe("a"), Probe("b"), Probe("c")};
  OutstandingRequests requests;
  EventTable table;
  CoreSightPmu pmu;
  InterruptLine line;
  testing::Initiator cpu{"cpu"};
  MmioBus bus{"bus"};
};

}  // namespace pmufab::coresight
