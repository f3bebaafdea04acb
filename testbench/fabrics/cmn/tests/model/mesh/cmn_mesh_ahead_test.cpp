// SPDX-License-Identifier: Apache-2.0
// A mesh that works on many cycles in one call, beside one that does each cycle at its own time: nobody can tell them
// apart.

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/example_topologies.h"
#include "models/cmn/mesh.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::cmn_mesh_ahead {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitEvent;
using cmn::Interface;
using testing::advance;
using testing::advance_to;
using testing::CmnDriver;
using testing::InterruptProbe;
using testing::now;

using CmnMeshAhead = pmufab::testing::SimulationTest;

constexpr Picoseconds kPeriod = 500;  // 2 GHz
constexpr Cycle kRound = 1'000'000;   // cycles between the begins of two rounds
// Node ids of cmn600_small().
constexpr std::uint16_t kXp0Port0 = 0x00;
constexpr std::uint16_t kXp1 = 0x20;
constexpr std::uint16_t kXp6Port1 = 0x4c;

/// Uploads at port 0 of XP 0, in random cycles in which that is ready.
class Source final : public cmn::MeshDevice {
 public:
  void attach(cmn::Mesh& mesh) {
    mesh_ = &mesh;
    number_ = mesh.attach(*this);
  }
  void start(Cycle first, std::uint64_t flits, unsigned one_in) {
    left_ = flits;
    below_ = one_in;
    random_ = traffic::RandomStream(1);
    mesh_->call(number_, first);
  }
  void run(Cycle cycle) override {
    // Nothing else may happen up to the time of this cycle.
    const Picoseconds ahead = mesh_->time_of(cycle) - now();
    if (ahead != 0) {
      EXPECT_LT(ahead, time_to_activity());
    }
    if (left_ != 0 && random_.below(below_) == 0 && mesh_->ready(Channel::req, 0, 0)) {
      cmn::FlitFields fields{.srcid = kXp0Port0, .tgtid = kXp6Port1, .opcode = 4};
      mesh_->upload(Channel::req, 0, 0, fields);
      --left_;
    }
    if (left_ != 0) mesh_->call(number_, cycle + 1);
  }

 private:
  cmn::Mesh* mesh_ = nullptr;
  unsigned number_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t below_ = 1;
  traffic::RandomStream random_{1};
};

struct AheadRig {
  explicit AheadRig(unsigned index)
      : mesh(("cmn" + std::to_string(index)).c_str(), cmn::examples::cmn600_small(), {}),
        cpu(("cpu" + std::to_string(index)).c_str()) {
    cpu.socket.bind(mesh.config_space().socket);
    source.attach(mesh);
  }
  /// Let its source send from the begin of a round on. @return the time of that
  Picoseconds start(unsigned round, std::uint64_t flits, unsigned one_in) {
    source.start(round * kRound, flits, one_in);
    return round * kRound * kPeriod;
  }

  cmn::Mesh mesh;
  Source source;
  pmufab::testing::Initiator cpu;
  CmnDriver driver{cpu};
};

TEST_F(CmnMeshAhead, is_seen_by_nobody) {
  AheadRig in_step(0);
  AheadRig ahead(1);
  in_step.mesh.stay_in_step();
  run([&] {
    using Seen = std::tuple<Picoseconds, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
    const auto watch = [](AheadRig& rig, unsigned round) {
      std::vector<Seen> seen;
      const Picoseconds begin = rig.start(round, 5'000, 3);
      traffic::RandomStream random(2);
      advance_to(begin);
      const auto steps = [&] { return sc_core::sc_delta_count() + rig.mesh.cycles_ahead(); };
      const std::uint64_t first = steps();
      for (unsigned i = 0; i < 2'000; ++i) {
        // From fractions of a cycle to more cycles than one call does, and often exactly at an edge.
        const Picoseconds span = random.below(random.below(4) == 0 ? 100 * kPeriod : 3 * kPeriod);
        advance(i % 2 == 0 ? span : span / kPeriod * kPeriod + (kPeriod - now() % kPeriod));
        seen.emplace_back(now() - begin, rig.mesh.uploaded(), rig.mesh.delivered(),
                          rig.mesh.engine().tally(1, Interface::east, Channel::req, FlitEvent::valid), steps() - first);
      }
      return seen;
    };
    const std::vector<Seen> expected = watch(in_step, 1);
    const std::vector<Seen> found = watch(ahead, 2);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(in_step.mesh.cycles_ahead(), 0U);
    EXPECT_GT(ahead.mesh.cycles_ahead(), 5'000U);
    EXPECT_EQ(std::get<2>(found.back()), 5'000U);
  });
}

TEST_F(CmnMeshAhead, rings_at_the_cycle_of_an_overflow) {
  AheadRig in_step(0);
  AheadRig ahead(1);
  in_step.mesh.stay_in_step();
  run([&] {
    const auto ring = [](AheadRig& rig, unsigned round) {
      EXPECT_TRUE(rig.driver.probe(rig.mesh.layout().root_offset()));
      CmnDriver::Event event = rig.driver.open(rig.driver.find(CmnDriver::kXp, kXp1), 1);
      rig.cpu.put32(rig.driver.pmevcnt(0, static_cast<unsigned>(event.globals[0])), 0xffff'ffff);
      const std::uint64_t local = rig.driver.dtms().at(event.dtms.at(0)).base + 0x220;
      rig.cpu.put64(local, std::uint64_t{0xffff - 700} << 16 * event.counters.at(0));
      InterruptProbe probe(rig.mesh.interrupt(0));
      const Picoseconds begin = rig.start(round, 1'000, 2);
      EXPECT_TRUE(probe.wait_for(true, 2 * kRound * kPeriod));
      EXPECT_EQ(probe.changes().size(), 1U);
      return now() - begin;
    };
    const Picoseconds expected = ring(in_step, 1);
    EXPECT_EQ(ring(ahead, 2), expected);
    EXPECT_EQ(expected % kPeriod, 0U);
    EXPECT_GT(ahead.mesh.cycles_ahead(), 1'000U);
  });
}

TEST_F(CmnMeshAhead, does_not_happen_while_somebody_listens) {
  AheadRig rig(0);
  run([&] {
    rig.mesh.listen([](void*, const cmn::Mesh::PortFlit& flit) { EXPECT_EQ(flit.when, now()); }, nullptr);
    advance_to(rig.start(1, 100, 2) + 1'000 * kPeriod);
    EXPECT_EQ(rig.mesh.delivered(), 100U);
    EXPECT_EQ(rig.mesh.cycles_ahead(), 0U);
    rig.mesh.listen(nullptr, nullptr);
    constexpr std::array kHomes = {cmn::NodeType::hn_f};
    rig.mesh.pmu().listen(
        kHomes, [](void*, const cmn::Pmu::NodeOccurrence&) {}, nullptr);
    advance_to(rig.start(2, 100, 2) + 1'000 * kPeriod);
    EXPECT_EQ(rig.mesh.cycles_ahead(), 0U);
    rig.mesh.pmu().listen({}, nullptr, nullptr);
    advance_to(rig.start(3, 100, 2) + 1'000 * kPeriod);
    EXPECT_EQ(rig.mesh.delivered(), 300U);
    EXPECT_GT(rig.mesh.cycles_ahead(), 100U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_mesh_ahead
