// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/cxl/cpmu/cpmu.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::cxl {

// Offsets and bits are repeated here on purpose: a test must not take them from the model.
inline constexpr std::uint64_t kCapability = 0x000;
inline constexpr std::uint64_t kOverflowStatus = 0x010;
inline constexpr std::uint64_t kFreeze = 0x018;
constexpr std::uint64_t event_capability(unsigned index) { return 0x100 + 8 * index; }
constexpr std::uint64_t configuration(unsigned counter) { return 0x200 + 8 * counter; }
constexpr std::uint64_t filter(unsigned counter, unsigned id) { return 0x400 + 4 * (id + 8 * counter); }
constexpr std::uint64_t data(unsigned counter) { return 0xc00 + 8 * counter; }
inline constexpr std::uint64_t kEnable = 1U << 8;
inline constexpr std::uint64_t kInterrupt = 1U << 9;
inline constexpr std::uint64_t kGlobalFreeze = 1U << 10;
inline constexpr std::uint64_t kEdge = 1U << 11;
inline constexpr std::uint64_t kInvert = 1U << 12;
constexpr std::uint64_t threshold(std::uint64_t value) { return value << 16; }
constexpr std::uint64_t events(std::uint64_t mask) { return mask << 24; }
constexpr std::uint64_t group(std::uint64_t index) { return index << 59; }

inline constexpr std::uint64_t kBase = 0x4000'0000;

// The rig's event capabilities.
inline constexpr unsigned kClock = 0;   // clock_ticks
inline constexpr unsigned kM2sReq = 1;  // 0x20: bits 0, 1, 2 are probes 0, 1, 2; 10 never happens
inline constexpr unsigned kDdr = 2;     // 0x8000: bit 0 is probes 3 and 4 (channels 0 and 1), bit 4 probe 5 (any bank)
inline constexpr unsigned kVendor = 3;  // of another vendor: bit 31 is probe 6
inline constexpr unsigned kSpare = 4;   // 0x20 once more, for fixed counters

/// Of the rig's DDR group.
inline constexpr DdrShape kShape{.channels = 2, .ranks = 2, .bank_groups = 2, .banks = 4};

/// A CPMU behind a bus, its probes, a bus master, and the messages it sent.
struct CpmuRig {
  explicit CpmuRig(const CpmuParameters& parameters) : cpmu("cpmu", parameters, groups()) {
    cpu.socket.bind(bus.socket);
    bus.map("cpmu", kBase, 0x1000, cpmu.socket);
    cpmu.on_interrupt([this] { messages.push_back(testing::now()); });
  }

  [[nodiscard]] std::vector<EventGroup> groups() {
    return {{.supported = 1, .sources = {}},
            m2s_req(),
            {.group = 0x8000,
             .filter = EventFilter::ddr_location,
             .supported = 0x11,
             .sources = {{.bit = 0, .probe = &probes[3], .channel = 0},
                         {.bit = 0, .probe = &probes[4], .channel = 1},
                         {.bit = 4, .probe = &probes[5], .channel = 1, .any_bank = true}},
             .shape = kShape,
             .timed = true},
            {.vendor = 0x1234, .group = 7, .supported = 0x8000'0000, .sources = {{.bit = 31, .probe = &probes[6]}}},
            m2s_req()};
  }
  [[nodiscard]] EventGroup m2s_req() {
    return {
        .group = 0x20,
        .filter = EventFilter::hdm_decoder,
        .supported = 0x407,
        .sources = {{.bit = 0, .probe = &probes[0]}, {.bit = 1, .probe = &probes[1]}, {.bit = 2, .probe = &probes[2]}}};
  }

  std::uint64_t get(std::uint64_t offset) { return cpu.get64(kBase + offset); }
  void put(std::uint64_t offset, std::uint64_t value) { cpu.put64(kBase + offset, value); }
  std::uint32_t get_filter(unsigned counter, unsigned id) { return cpu.get32(kBase + filter(counter, id)); }
  void put_filter(unsigned counter, unsigned id, std::uint32_t value) { cpu.put32(kBase + filter(counter, id), value); }
  void publish(unsigned probe, std::uint64_t amount = 1, unsigned qualifier = 0) {
    probes.at(probe).publish(amount, qualifier, testing::now());
  }
  /// Messages since the last call.
  std::vector<Picoseconds> take_messages() { return std::exchange(messages, {}); }

  std::array<Probe, 7> probes{Probe("meminv"), Probe("memrd"),   Probe("memrddata"), Probe("act0"),
                              Probe("act1"),   Probe("refresh"), Probe("vendor")};
  Cpmu cpmu;
  testing::Initiator cpu{"cpu"};
  MmioBus bus{"bus"};
  std::vector<Picoseconds> messages;
};

/// Counters of these types. Fixed and free-running ones count probe 0 through kSpare.
inline std::vector<CpmuCounterParameters> counters(const std::vector<CounterType>& types) {
  std::vector<CpmuCounterParameters> list;
  for (const CounterType type : types) {
    list.push_back(type == CounterType::configurable
                       ? CpmuCounterParameters{}
                       : CpmuCounterParameters{.type = type, .group = kSpare, .events = 1});
  }
  return list;
}

}  // namespace pmufab::cxl
