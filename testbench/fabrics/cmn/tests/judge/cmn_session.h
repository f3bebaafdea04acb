// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/judge/scoreboard.h"
#include "testbench/tests/judge/refusal.h"

namespace pmufab::scoreboard::test {

/// A mesh, a perf core and a driver, all played by the test. Each step is one nanosecond after the one before.
///
/// Three columns, two rows: XP 5 is at (2, 1). Node ids have x in bits 6:5 and y in 4:3. XP 5 has four ports in use, so
/// its port is in bits 2:1; elsewhere it is in bit 2.
class CmnSession {
 public:
  using Call = perf::PerfCallObserver::Call;
  static constexpr const char* kPmu = "arm_cmn_0";
  static constexpr std::uint64_t kPmcr = 0x5000'2100;        // of the first DTC
  static constexpr std::uint64_t kSecondPmcr = 0x5010'2100;  // of the second
  static constexpr std::uint64_t kPmcrAboveControl = 0x1700;
  static constexpr std::uint64_t kPmcrAboveCycles = 0xc0;
  static constexpr std::uint16_t kXp0 = 0x00;
  static constexpr std::uint16_t kXp1 = 0x20;
  static constexpr std::uint16_t kXp5 = 0x48;
  static constexpr std::uint16_t kXp0Port1 = 0x04;
  static constexpr std::uint16_t kXp5Port3 = 0x4e;

  static CmnJudgeSpec mesh() {
    CmnJudgeSpec spec;
    spec.pmu = kPmu;
    spec.columns = 3;
    spec.rows = 2;
    spec.layout = WatchpointLayout::cmn700;
    spec.clock_hz = 2'000'000'000;
    spec.dtcs = {{kPmcr - kPmcrAboveControl, kPmcr}, {kSecondPmcr - kPmcrAboveControl, kSecondPmcr}};
    spec.ports_in_use = {2, 2, 2, 2, 2, 4};
    return spec;
  }

  explicit CmnSession(CmnJudgeSpec spec = mesh())
      : fabric(board.add(std::make_unique<CmnJudge>(std::move(spec), board.chronicle()))) {}

  Scoreboard board;
  CmnJudge& fabric;
  Picoseconds now = 0;

  // Wires.
  struct Hop {
    unsigned xp;
    cmn::Interface interface;
  };
  static cmn::FlitFields flit(std::uint16_t from, std::uint16_t to, std::uint8_t opcode = 4, std::uint64_t addr = 0) {
    return {.addr = addr, .srcid = from, .tgtid = to, .opcode = opcode};
  }
  void upload(unsigned xp, unsigned port, const cmn::FlitFields& fields, std::uint32_t number = 0,
              cmn::Channel channel = cmn::Channel::req) {
    fabric.on_upload(tick(), xp, port, channel, number, fields);
  }
  void transmit(std::initializer_list<Hop> hops, std::uint32_t number = 0, cmn::Channel channel = cmn::Channel::req) {
    for (const Hop& hop : hops) transmit(tick(), hop.xp, hop.interface, channel, number);
  }
  void transmit(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel, std::uint32_t number) {
    const cmn::MeshPulse pulse{number, static_cast<std::uint8_t>(xp), interface, channel, cmn::FlitEvent::valid};
    fabric.on_cycle(when, {&pulse, 1});
  }
  void stall(Picoseconds when, unsigned xp, cmn::Interface interface, cmn::Channel channel) {
    const cmn::MeshPulse pulse{0, static_cast<std::uint8_t>(xp), interface, channel, cmn::FlitEvent::stall};
    fabric.on_cycle(when, {&pulse, 1});
  }
  void stall(unsigned xp, cmn::Interface interface, cmn::Channel channel = cmn::Channel::req) {
    stall(tick(), xp, interface, channel);
  }
  /// Flits from XP 0 port 0 to XP 5 port 3 on the correct route: east, east, north, down.
  void cross(int flits, std::uint8_t opcode = 4, std::uint64_t addr = 0, cmn::Channel channel = cmn::Channel::req) {
    using enum cmn::Interface;
    for (int i = 0; i < flits; ++i) {
      upload(0, 0, flit(kXp0, kXp5Port3, opcode, addr), 0, channel);
      transmit({{0, east}, {1, east}, {2, north}, {5, port3}}, 0, channel);
    }
  }
  /// Flits from XP 0 port 0 to its neighbour port.
  void beside(int flits, std::uint8_t opcode = 4, std::uint64_t addr = 0) {
    for (int i = 0; i < flits; ++i) {
      upload(0, 0, flit(kXp0, kXp0Port1, opcode, addr));
      transmit({{0, cmn::Interface::port1}});
    }
  }

  // The perf core.
  void begin(Call call, int event = 0) { board.on_call(call, true, kPmu, event, 0, tick()); }
  void end(Call call, int event = 0, std::uint64_t value = 0) {
    board.on_call(call, false, kPmu, event, value, tick());
  }
  void write_pmcr(std::uint64_t value) { board.on_bus_access({tick(), kPmcr, value, 4, true, true}); }
  void write(std::uint64_t address, std::uint64_t value) {
    board.on_bus_access({tick(), address, value, 8, true, true});
  }
  void read(std::uint64_t address) { board.on_bus_access({tick(), address, 0, 8, false, true}); }
  /// A driver that refuses an event. @return what the hardware has left for it
  std::string refuse(int event, const EventTerms& terms) { return refuse_event(board, now, kPmu, event, terms); }
  void add(int event) {
    begin(Call::add, event);
    end(Call::add, event);
  }
  void del(int event, std::uint64_t value) {
    begin(Call::del, event);
    end(Call::del, event, value);
  }
  void enable() {
    begin(Call::pmu_enable);
    write_pmcr(0x41);
    end(Call::pmu_enable);
  }
  void disable() {
    begin(Call::pmu_disable);
    write_pmcr(0);
    end(Call::pmu_disable);
  }
  /// Announce an event and its meaning, and let the driver add it.
  void count(int event, const EventTerms& terms) {
    board.expect(event, kPmu, terms);
    add(event);
  }

  [[nodiscard]] EventResult result(int event) const { return board.result(event).value(); }
  [[nodiscard]] std::uint64_t expected(int event) const { return result(event).expected; }
  [[nodiscard]] std::uint64_t noted(const char* kind) const { return board.findings().count(kind); }

 private:
  Picoseconds tick() { return now += 1000; }
};

}  // namespace pmufab::scoreboard::test
