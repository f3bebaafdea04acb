// SPDX-License-Identifier: Apache-2.0
// The mesh as a SystemC module: flits of devices, an observer of the wires, and software at the registers.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/mesh.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitEvent;
using cmn::FlitFields;
using cmn::Interface;
using testing::advance;
using testing::advance_to;
using testing::CmnDriver;
using testing::now;

using CmnMesh = testing::SimulationTest;

constexpr Picoseconds kPeriod = 500;  // 2 GHz
constexpr std::uint8_t kReadNoSnp = 4;

// Node ids of cmn600_small(), four by two: x in bits 6:5, y in 4:3, port in bit 2.
constexpr std::uint16_t kXp0Port0 = 0x00;
constexpr std::uint16_t kXp0Port1 = 0x04;
constexpr std::uint16_t kXp6 = 0x48;
constexpr std::uint16_t kXp6Port0 = 0x48;
constexpr std::uint16_t kXp6Port1 = 0x4c;
constexpr std::uint16_t kXp1 = 0x20;

/// Sends the flits of a test in order, each in its cycle or later.
class Script final : public cmn::MeshDevice {
 public:
  struct Entry {
    Cycle cycle;
    Channel channel;
    unsigned xp;
    unsigned port;
    FlitFields fields;
  };

  void send(Cycle cycle, unsigned xp, unsigned port, std::uint16_t from, std::uint16_t to,
            Channel channel = Channel::req) {
    FlitFields fields{.srcid = from, .tgtid = to, .opcode = kReadNoSnp};
    entries.push_back({cycle, channel, xp, port, fields});
  }

  void attach(cmn::Mesh& mesh) {
    mesh_ = &mesh;
    number_ = mesh.attach(*this);
  }
  /// A new flit may be due now.
  void wake() { mesh_->call(number_, entries.front().cycle); }

  void run(Cycle cycle) override {
    ++runs;
    while (!entries.empty() && entries.front().cycle <= cycle) {
      const Entry& entry = entries.front();
      if (!mesh_->ready(entry.channel, entry.xp, entry.port)) break;
      mesh_->upload(entry.channel, entry.xp, entry.port, entry.fields);
      entries.pop_front();
    }
    if (!entries.empty()) mesh_->call(number_, std::max(cycle + 1, entries.front().cycle));
  }

  std::deque<Entry> entries;
  unsigned runs = 0;

 private:
  cmn::Mesh* mesh_ = nullptr;
  unsigned number_ = 0;
};

/// Records what it sees.
class Witness final : public cmn::MeshObserver {
 public:
  struct Seen {
    Picoseconds when;
    unsigned xp;
    Interface interface;
    bool operator==(const Seen&) const = default;
  };
  void on_upload(Picoseconds when, unsigned xp, unsigned port, Channel /*channel*/, std::uint32_t flit,
                 const FlitFields& /*fields*/) override {
    uploads.push_back({when, xp, static_cast<Interface>(static_cast<unsigned>(Interface::port0) + port)});
    number = flit;
  }
  void on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) override {
    for (const cmn::MeshPulse& pulse : pulses) {
      if (pulse.event == FlitEvent::stall) {
        ++stalls;
        continue;
      }
      EXPECT_EQ(pulse.handle, number);
      transmits.push_back({when, pulse.xp, pulse.interface});
    }
  }

  std::vector<Seen> uploads;
  std::vector<Seen> transmits;
  std::uint32_t number = 0;
  unsigned stalls = 0;
};

struct MeshRig {
  explicit MeshRig(const cmn::Topology& topology, const cmn::MeshOptions& options = {})
      : mesh("cmn0", topology, options) {
    cpu.socket.bind(mesh.config_space().socket);
    script.attach(mesh);
  }
  bool probe() { return driver.probe(mesh.layout().root_offset()); }
  [[nodiscard]] std::vector<unsigned> xp(std::uint16_t id) const { return driver.find(CmnDriver::kXp, id); }

  /// Flits from port 0 of XP 0, one after the other from now on, with time for all of them.
  void send(std::uint64_t flits, std::uint16_t to, Channel channel = Channel::req) {
    const Cycle first = mesh.clock().edges_before(now());
    for (std::uint64_t i = 0; i < flits; ++i) script.send(first, 0, 0, kXp0Port0, to, channel);
    script.wake();
    settle();
  }
  /// Let an event's counter have `left` events to go until it wraps. @return the event's count, which this changes
  std::uint64_t near_wrap(CmnDriver::Event& event, std::uint64_t left) {
    const std::uint64_t place = driver.dtms().at(event.dtms.at(0)).base + 0x220;
    const unsigned shift = 16 * event.counters.at(0);
    cpu.put64(place, (cpu.get64(place) & ~(std::uint64_t{0xffff} << shift)) | (0x10000 - left) << shift);
    return driver.read(event);
  }
  void settle() {
    while (!script.entries.empty() || mesh.delivered() != mesh.uploaded()) advance(100 * kPeriod);
  }

  cmn::Mesh mesh;
  Script script;
  testing::Initiator cpu{"cpu"};
  CmnDriver driver{cpu};
};

TEST_F(CmnMesh, an_observer_sees_a_flit_on_every_interface_of_its_way_and_nowhere_else) {
  MeshRig rig(cmn::examples::cmn600_small());
  Witness witness;
  rig.mesh.set_observer(&witness);
  run([&] {
    rig.script.send(100, 0, 0, kXp0Port0, kXp6Port1);
    rig.script.wake();
    advance_to(112 * kPeriod);
    EXPECT_EQ(rig.mesh.uploaded(), 1U);
    EXPECT_EQ(rig.mesh.delivered(), 0U);
    advance_to(114 * kPeriod);
    EXPECT_EQ(rig.mesh.delivered(), 1U) << "a link behind the last XP";
    using Seen = Witness::Seen;
    EXPECT_EQ(witness.uploads, (std::vector<Seen>{{100 * kPeriod, 0, Interface::port0}}));
    // A link and two cycles of router at each XP; first along x, then along y.
    EXPECT_EQ(witness.transmits, (std::vector<Seen>{{103 * kPeriod, 0, Interface::east},
                                                    {106 * kPeriod, 1, Interface::east},
                                                    {109 * kPeriod, 2, Interface::north},
                                                    {112 * kPeriod, 6, Interface::port1}}));
    witness.transmits.clear();
    rig.script.send(200, 6, 1, kXp6Port1, kXp0Port1, Channel::dat);
    rig.script.wake();
    advance_to(300 * kPeriod);
    EXPECT_EQ(rig.mesh.delivered(), 2U);
    EXPECT_EQ(witness.transmits, (std::vector<Seen>{{203 * kPeriod, 6, Interface::west},
                                                    {206 * kPeriod, 5, Interface::west},
                                                    {209 * kPeriod, 4, Interface::south},
                                                    {212 * kPeriod, 0, Interface::port1}}));
    EXPECT_EQ(witness.stalls, 0U);
    rig.mesh.set_observer(nullptr);
    rig.send(3, kXp6Port0);
    EXPECT_EQ(rig.mesh.delivered(), 5U);
    EXPECT_EQ(witness.uploads.size(), 2U);
    EXPECT_EQ(witness.transmits.size(), 4U);
  });
}

TEST_F(CmnMesh, a_target_that_is_no_device_is_the_senders_fault) {
  MeshRig rig(cmn::examples::cmn600_small());
  run([&] {
    FlitFields fields;
    for (const unsigned id : {0x6cU /* port 1 of XP 7 */, 0x80U /* no XP */, 0x7ffU}) {
      fields.tgtid = static_cast<std::uint16_t>(id);
      EXPECT_THROW(rig.mesh.upload(Channel::req, 0, 0, fields), std::invalid_argument) << id;
    }
    EXPECT_EQ(rig.mesh.uploaded(), 0U);
  });
}

TEST_F(CmnMesh, nothing_runs_while_nothing_moves) {
  constexpr Picoseconds kSecond = 1'000'000'000'000;
  MeshRig rig(cmn::examples::cmn600_small());
  run(
      [&] {
        rig.send(5, kXp6Port1);
        advance(1'000 * kPeriod);
        const unsigned runs = rig.script.runs;
        const sc_dt::uint64 deltas = sc_core::sc_delta_count();
        advance(kSecond);
        EXPECT_LE(sc_core::sc_delta_count() - deltas, 1U) << "the end of the test's own wait";
        EXPECT_EQ(rig.script.runs, runs);
        // Flits in the far future cost nothing until then.
        const Cycle later = rig.mesh.clock().edges_before(now() + kSecond);
        rig.script.send(later, 0, 0, kXp0Port0, kXp6Port1);
        rig.script.wake();
        advance(kSecond - 1);
        EXPECT_LE(sc_core::sc_delta_count() - deltas, 4U);
        EXPECT_EQ(rig.mesh.uploaded(), 5U);
        advance(100 * kPeriod);
        EXPECT_EQ(rig.mesh.delivered(), 6U);
        EXPECT_LE(rig.script.runs, runs + 20);
      },
      3 * kSecond);
}

TEST_F(CmnMesh, a_port_stays_watched_while_a_watchpoint_or_a_counter_wants_it) {
  MeshRig rig(cmn::examples::cmn700_server());
  run([&] {
    ASSERT_TRUE(rig.probe());
    // Eight by eight: x in bits 8:6, y in 5:3. From XP 0 to itself, port 0 to port 0.
    constexpr unsigned kPort0Valid = 1 | 4 << 2;
    const std::vector<unsigned> xp = rig.xp(0);
    const CmnDriver::Watch downloads{.down = true, .port = 0};
    CmnDriver::Event watch = rig.driver.open(xp, downloads);
    // A counter is told of each event only while it is near a wrap.
    CmnDriver::Event count = rig.driver.open(xp, kPort0Valid);
    std::uint64_t before = rig.near_wrap(count, 400);
    rig.send(1, 0);
    EXPECT_EQ(rig.driver.close(count), before + 1);
    rig.send(20, 0);
    EXPECT_EQ(rig.driver.read(watch), 21U) << "the counter's end is not the watchpoint's";
    count = rig.driver.open(xp, kPort0Valid);
    before = rig.near_wrap(count, 400);
    rig.send(300, 0);
    EXPECT_EQ(rig.driver.close(watch), 321U);
    rig.send(4'000, 0);
    EXPECT_EQ(rig.driver.close(count), before + 4'300) << "the watchpoint's end is not the counter's";
    rig.send(5, 0);
  });
}

TEST_F(CmnMesh, an_observer_that_comes_and_goes_changes_no_count) {
  MeshRig rig(cmn::examples::cmn600_small());
  Witness witness;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event watch = rig.driver.open(rig.xp(kXp6), CmnDriver::Watch{.down = true, .port = 1});
    CmnDriver::Event count = rig.driver.open(rig.xp(kXp1), 1);
    const std::uint64_t before = rig.near_wrap(count, 100);
    rig.send(1, kXp6Port1);
    rig.mesh.set_observer(&witness);
    for (int i = 0; i < 20; ++i) rig.send(1, kXp6Port1);
    rig.mesh.set_observer(nullptr);
    rig.send(300, kXp6Port1);
    EXPECT_EQ(rig.driver.close(watch), 321U);
    EXPECT_EQ(rig.driver.close(count), before + 321);
    EXPECT_EQ(witness.uploads.size(), 20U);
  });
}

TEST_F(CmnMesh, a_counter_wraps_with_and_without_an_observer) {
  MeshRig rig(cmn::examples::cmn600_small());
  struct : cmn::MeshObserver {
    void on_upload(Picoseconds, unsigned, unsigned, Channel, std::uint32_t, const cmn::FlitFields&) override {
      ++uploads;
    }
    void on_cycle(Picoseconds, std::span<const cmn::MeshPulse>) override {}
    unsigned uploads = 0;
  } observer;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event count = rig.driver.open(rig.xp(kXp1), 1);
    for (const bool observed : {false, true}) {
      if (observed) rig.mesh.set_observer(&observer);
      // It is tallied at first, then told of each event, and tallied again after the wrap.
      const std::uint64_t before = rig.near_wrap(count, 2'000);
      rig.send(5'000, kXp6Port1);
      EXPECT_EQ(rig.driver.read(count), before + 5'000);
    }
    EXPECT_EQ(observer.uploads, 5'000U);
    rig.mesh.set_observer(nullptr);
  });
}

TEST_F(CmnMesh, of_one_xp_counts_at_its_ports_through_a_wrap) {
  MeshRig rig(cmn::examples::cmn700_single_xp());
  run([&] {
    ASSERT_TRUE(rig.probe());
    // Code 0 of an interface is port 0 there.
    CmnDriver::Event count = rig.driver.open(rig.driver.find(CmnDriver::kXp), 1);
    const std::uint64_t before = rig.near_wrap(count, 2'000);
    rig.send(5'000, kXp0Port0);
    EXPECT_EQ(rig.driver.close(count), before + 5'000);
  });
}

}  // namespace
}  // namespace pmufab
