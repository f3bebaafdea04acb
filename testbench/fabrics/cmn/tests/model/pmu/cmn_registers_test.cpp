// SPDX-License-Identifier: Apache-2.0
// The register windows of a mesh: what discovery reads, and how registers behave.

#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"
#include "testbench/support/simulation_test.h"

namespace pmufab {
namespace {

using testing::CmnDriver;
using testing::CmnRig;

using CmnRegisters = testing::CmnRigTest;

/// A register of a mesh that says what the mesh is.
struct Peek {
  int xp;  ///< kRoot: a register of the root
  unsigned offset;
  std::uint64_t mask;
  std::uint64_t value;
};
constexpr int kRoot = -1;
constexpr std::uint64_t kWord = 0xffff'ffff;
constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint64_t bits(unsigned msb, unsigned lsb) { return (kAll >> (63 - msb + lsb)) << lsb; }

struct Found {
  const char* name;
  cmn::Topology topology;
  unsigned part;
  unsigned revision;
  std::vector<Peek> peeks{};
};

/// Connect info is at 0x08 and above; info of ports, as Arm's discovery scripts read it, at 0x900 and above: its bits
/// 2:0 are the number of devices.
std::vector<Found> found() {  // NOLINT(readability-function-size): a table
  using namespace cmn::examples;
  return {
      {"cmn600",
       cmn600_two_dtcs(),
       0x434,
       5,
       // The register data of CMN-600 end at bit 49 of por_info_global, and have no por_info_global_1.
       {{kRoot, 0x900, kAll, 0x330'3008}, {kRoot, 0x908, kAll, 0}}},
      {"cmn600_small",
       cmn600_small(),
       0x434,
       5,
       {{0, 0x900, kAll, 1}, {0, 0x908, kAll, 1}, {7, 0x908, kAll, 0}}},  // port 1 of XP 7 is not connected
      {"cmn650",
       cmn650_two_dtcs(),
       0x436,
       3,
       {{kRoot, 0x900, bits(63, 63), 0},
        {kRoot, 0x900, bits(53, 50), bits(53, 53) | bits(51, 51)},  // two RSP and two DAT channels
        {kRoot, 0x900, bits(44, 44), 0},
        {kRoot, 0x908, 0xf, 5},
        {1, 0x900, kAll, 1},          // RN-F
        {1, 0x908, kAll, 2},          // HN-F behind a CAL
        {1, 0x910, bits(1, 0), 0}}},  // DTM unit info: domain 0
      {"cmn700", cmn700_server(), 0x43c, 3},
      {"ci700",
       ci700_small(),
       0x43a,
       2,
       // contract A16
       {{2, 0x08, kWord, 0x01},  // RN-I
        {2, 0x10, kWord, 0x10},  // SN-F
        {2, 0x18, kWord, 0},
        {2, 0x28, kWord, 0x0d},  // SBSX at port 2
        {2, 0x30, kWord, 0x1c},  // MTSX at port 3
        {2, 0x38, kWord, 0},
        {2, 0x40, kWord, 0},
        {0, 0, bits(63, 48), bits(49, 48)},  // numbers of ports: 3, 2, 4
        {1, 0, bits(63, 48), bits(49, 49)},
        {2, 0, bits(63, 48), bits(50, 50)}}},
      {"s3_r0",
       s3_small(1),
       0x43e,
       1,
       // contract A16
       {{0, 0x18, kWord, 0x0b},  // HN-P
        {0, 0x20, kWord, 0x02},  // RN-D
        {0, 0x28, kWord, 0},
        {1, 0x08, kWord, 0x19 | 1U << 7}}},  // behind a CAL
      {"s3_r1", s3_small(2), 0x43e, 2},
      {"s3_r2",
       s3_small(3),
       0x43e,
       3,
       {{kRoot, 0x900, bits(63, 63) | bits(59, 59), bits(59, 59)},
        {kRoot, 0x908, bits(11, 0), 2U | 2U << 3 | 2U << 6 | 2U << 9}}},
      {"largest", cmn700_largest(), 0x43c, 3},
      {"single_xp",
       cmn700_single_xp(),
       0x43c,
       3,
       {{0, 0x900, kAll, 2},  // RN-F behind a CAL
        {0, 0x908, kAll, 0},
        {0, 0x910, kAll, 1},
        {0, 0x920, kAll, 1},
        {0, 0x930, kAll, 1},
        {0, 0x940, kAll, 1},
        {0, 0x950, kAll, 1}}},
  };
}

class CmnDiscovery : public testing::SimulationTest, public ::testing::WithParamInterface<Found> {};
INSTANTIATE_TEST_SUITE_P(Meshes, CmnDiscovery, ::testing::ValuesIn(found()),
                         [](const auto& mesh) { return std::string(mesh.param.name); });

TEST_P(CmnDiscovery, finds_the_mesh_that_the_layout_describes) {
  const auto& [name, topology, part, revision, peeks] = GetParam();
  CmnRig rig(topology);
  run([&, part = part, revision = revision, &peeks = peeks] {
    ASSERT_TRUE(rig.probe());
    EXPECT_EQ(rig.driver.part(), part);
    EXPECT_EQ(rig.driver.revision(), revision);
    EXPECT_EQ(rig.driver.columns(), rig.topology.columns);
    EXPECT_EQ(rig.driver.multiple_dtm(), rig.topology.multiple_dtm);
    EXPECT_EQ(rig.driver.dtms().size(), rig.layout.dtms());
    ASSERT_EQ(rig.driver.dtcs().size(), rig.topology.dtcs);
    const bool knows_domains = part != 0x434;
    for (unsigned dtc = 0; dtc < rig.topology.dtcs; ++dtc) {
      EXPECT_EQ(rig.driver.dtcs()[dtc].logical_id, dtc);
      EXPECT_EQ(rig.driver.dtcs()[dtc].dtc, knows_domains ? dtc : 0);
    }
    // RN-SAM, APB and the like are no sources of events. The driver splits and merges those that are.
    const std::set<unsigned> silent{CmnDriver::kXp, 0x8, 0x9, 0xf, 0x102, 0x201, 0x202, 0x1000};
    std::size_t sources = 0;
    for (const CmnDriver::Node& node : rig.driver.nodes()) {
      EXPECT_EQ(node.dtc, knows_domains ? rig.topology.crosspoints[node.xp].dtc_domain : 0);
      sources += silent.contains(node.type) ? 0 : 1;
      if (node.type != CmnDriver::kXp) continue;
      EXPECT_EQ(node.logical_id, node.xp);
      EXPECT_EQ(node.dtm, rig.layout.first_dtm(node.xp));
    }
    EXPECT_EQ(sources, rig.layout.sources().size());
    EXPECT_EQ(rig.space.guest_errors(), 0U);
    for (const Peek& peek : peeks) {
      const std::uint64_t base =
          peek.xp == kRoot ? rig.layout.root_offset() : rig.layout.xp(static_cast<unsigned>(peek.xp)).offset;
      EXPECT_EQ(rig.cpu.get64(base + peek.offset) & peek.mask, peek.value) << peek.xp << " " << std::hex << peek.offset;
    }
  });
}

TEST_F(CmnRegisters, deviations_show_in_the_registers) {
  cmn::Topology topology = cmn::examples::cmn700_server();
  topology.deviations.part_number = 0x438;
  topology.deviations.revision = 9;
  topology.deviations.root_type = 7;
  topology.deviations.device_isolation = true;
  topology.deviations.unit_info = 0x910;
  topology.deviations.xp_logical_ids = {{8, 63}};
  topology.deviations.child_pointers = {{0, 0}};
  CmnRig rig(topology);
  run([&] {
    EXPECT_EQ(rig.cpu.get64(0) & 0xffff, 7U);
    EXPECT_EQ(rig.cpu.get64(8) & 0xff, 0x38U);
    EXPECT_EQ(rig.cpu.get32(0x10) >> 4, 9U);
    EXPECT_EQ(rig.cpu.get64(0x900) >> 44 & 1, 1U);
    const std::uint64_t xp = rig.layout.xp(8).offset;
    EXPECT_EQ(rig.cpu.get64(xp) >> 32 & 0xffff, 63U);
    const std::uint64_t east = rig.layout.xp(4).offset;
    EXPECT_EQ(rig.cpu.get32(east + 0x960), 0U);
    EXPECT_EQ(rig.cpu.get32(east + 0x910), 1U);
    const std::uint64_t first = rig.layout.xp(0).offset;
    const std::uint64_t children = rig.cpu.get64(first + 0x80) & 0xffff;
    EXPECT_EQ(rig.cpu.get64(first + 0x100 + 8 * (children - 1)), 0U);
  });
}

TEST_F(CmnRegisters, external_and_isolated_windows_refuse_and_report) {
  cmn::Topology topology = cmn::examples::cmn700_server();
  topology.crosspoints[0].ports[0].nodes[0].external = true;
  topology.crosspoints[0].ports[1].nodes[0].isolated = true;
  // the driver does not touch them
  expect_guest_error("external");
  expect_guest_error("isolated");
  expect_guest_error("no node");
  on(topology, [&](CmnRig& rig) {
    EXPECT_EQ(rig.space.guest_errors(), 0U);
    const std::uint64_t xp = rig.layout.xp(0).offset;
    const std::uint64_t external = rig.cpu.get64(xp + 0x100);
    EXPECT_EQ(external >> 30, 2U);
    const std::uint64_t isolated = rig.cpu.get64(xp + 0x110);
    EXPECT_EQ(isolated >> 30, 1U);
    EXPECT_EQ(rig.cpu.read64(external & 0x3fff'ffff).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.read64(isolated & 0x3fff'ffff).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write32(rig.layout.size() - 8, 1).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.space.guest_errors(), 3U);
  });
}

// contract A20
TEST_F(CmnRegisters, after_probe_everything_is_as_the_driver_leaves_it) {
  on(cmn::examples::s3_small(1), [&](CmnRig& rig) {
    for (const CmnDriver::Dtm& dtm : rig.driver.dtms()) {
      EXPECT_EQ(rig.cpu.get64(dtm.base + 0x210), 1U);
      for (unsigned n = 0; n < 4; ++n) {
        EXPECT_EQ(rig.cpu.get64(dtm.base + 0x1b0 + 0x18 * n), 0U);
        EXPECT_EQ(rig.cpu.get64(dtm.base + 0x1a8 + 0x18 * n), ~0ULL);
      }
    }
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmcr(0)), 0U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmcr(1)), 0x41U);
    for (unsigned dtc = 0; dtc < 2; ++dtc) {
      EXPECT_EQ(rig.cpu.get32(rig.driver.dtc_ctl(dtc)), 1U);
      EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(dtc)), 0U);
    }
  });
}

// contract A21
TEST_F(CmnRegisters, low_half_of_pmu_config_leaves_the_inputs) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    const std::uint64_t config = rig.driver.dtms()[5].base + 0x210;
    rig.cpu.put64(config, 0x4433'2211'7654'01f1);
    EXPECT_EQ(rig.cpu.get64(config), 0x4433'2211'7654'01f1U);
    rig.cpu.put32(config, 0x0000'0001);
    EXPECT_EQ(rig.cpu.get64(config), 0x4433'2211'0000'0001U);
    rig.cpu.put32(config + 4, 0x5566'7788);
    EXPECT_EQ(rig.cpu.get64(config), 0x5566'7788'0000'0001U);
  });
}

// contract A22
TEST_F(CmnRegisters, halves_of_an_event_select_are_independent) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    const std::uint64_t select = rig.driver.nodes()[rig.driver.find(0x200).front()].select;
    rig.cpu.put32(select + 4, 0x0000'1dbf);
    rig.cpu.put32(select, 0x3f2a'1501);
    EXPECT_EQ(rig.cpu.get64(select), 0x0000'1dbf'3f2a'1501U);
    rig.cpu.put32(select, 0);
    EXPECT_EQ(rig.cpu.get64(select), 0x0000'1dbf'0000'0000U);
    rig.cpu.put32(select, 0x0102'0304);
    rig.cpu.put32(select + 4, 0);
    EXPECT_EQ(rig.cpu.get64(select), 0x0102'0304U);
  });
}

TEST_F(CmnRegisters, an_event_id_wider_than_its_field_is_cut_and_reported) {
  expect_guest_error("cmn0.hns0", "pmu_event1_id_cut");
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    const std::uint64_t select = rig.driver.nodes()[rig.driver.find(0x200).front()].select;
    rig.cpu.put32(select, 0x0000'4501);
    EXPECT_EQ(rig.cpu.get64(select), 0x0501U);
    rig.cpu.put32(select, 0x0000'4501);  // reported once
  });
}

// contract A23
TEST_F(CmnRegisters, pmovsr_is_changed_by_its_clear_register_only) {
  testing::let_writes_be_lost();
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    // Overflows of two counters: one local wrap each on top of all ones.
    CmnDriver::Event event =
        rig.driver.open(rig.xp(9), testing::xp_event_id(1, cmn::Interface::east, cmn::Channel::req));
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0xffff'ffff);
    rig.pulse(9, cmn::Interface::east, cmn::Channel::req, 65'536);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    rig.cpu.put32(rig.driver.pmovsr(0), 0x1ff);
    rig.cpu.put32(rig.driver.pmovsr(0), 0);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr_clear(0)), 0U);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x1fe);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    testing::advance(1);  // not at the instant of the overflow, which has priority
    // While the PMU is off, the status stays.
    rig.driver.enable(false);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x1ff);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    rig.driver.enable(true);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    rig.cpu.put32(rig.driver.pmovsr_clear(0), 0x1ff);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0U);
    rig.driver.close(event);
  });
}

// contract A24, A25
TEST_F(CmnRegisters, counters_can_be_written_while_stopped_and_keep_the_status) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    ASSERT_EQ(rig.cpu.get32(rig.driver.pmcr(0)), 0U);
    for (unsigned n = 0; n < 8; ++n) rig.cpu.put32(rig.driver.pmevcnt(0, n), 0x8000'0000 + n);
    for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(rig.cpu.get32(rig.driver.pmevcnt(0, n)), 0x8000'0000 + n);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmevcnt(0, 2)), 0x8000'0003'8000'0002U);
    rig.cpu.put64(rig.driver.pmccntr(0), ~0ULL);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmccntr(0)), 0xff'ffff'ffffU);
    rig.cpu.put32(rig.driver.pmccntr(0) + 4, 0x55);
    EXPECT_EQ(rig.cpu.get64(rig.driver.pmccntr(0)), 0x55'ffff'ffffU);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 0U);

    // While status is set, writes do not clear it.
    CmnDriver::Event event =
        rig.driver.open(rig.xp(9), testing::xp_event_id(1, cmn::Interface::west, cmn::Channel::dat));
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0xffff'ffff);
    rig.pulse(9, cmn::Interface::west, cmn::Channel::dat, 65'536);
    rig.cpu.put32(rig.driver.pmevcnt(0, 0), 0);
    rig.cpu.put64(rig.driver.pmccntr(0), 0);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmovsr(0)), 1U);
    rig.driver.close(event);
  });
}

// contract A26
TEST_F(CmnRegisters, wrong_sizes_and_alignment_are_errors_without_effect) {
  expect_guest_error("4 or 8 bytes");
  expect_guest_error("4 or 8 bytes");
  expect_guest_error("aligned");
  expect_guest_error("aligned");
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    const std::uint64_t config = rig.driver.dtms()[0].base + 0x210;
    EXPECT_EQ(rig.cpu.write(config, 0xff, 1).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write(config, 0xffff, 2).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write(config + 2, 0xffff'ffff, 4).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.write(config + 4, ~0ULL, 8).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.cpu.get64(config), 1U);
  });
}

// contract A27
TEST_F(CmnRegisters, gaps_and_reserved_bits_read_zero) {
  testing::let_writes_be_lost();
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    const std::uint64_t base = rig.driver.dtms()[0].base;
    for (const std::uint64_t gap :
         {base + 0x218, base + 0x228, base + 0x4f0, std::uint64_t{0x1000}, std::uint64_t{0x40}}) {
      rig.cpu.put64(gap, ~0ULL);
      EXPECT_EQ(rig.cpu.get64(gap), 0U) << std::hex << gap;
    }
    rig.cpu.put64(base + 0x210, ~0ULL & ~0xfULL);
    EXPECT_EQ(rig.cpu.get64(base + 0x210), 0xffff'ffff'7777'01f0U);
    rig.cpu.put64(base + 0x1a0, ~0ULL);
    EXPECT_EQ(rig.cpu.get64(base + 0x1a0), 0x1f'ffffU);
    const std::pair<unsigned, std::uint64_t> kept[] = {{0x100, 0xf},   {0x118, 0},           {0x120, 0}, {0x1a8, ~0ULL},
                                                       {0x1b0, ~0ULL}, {0x200, 0xffff'ffff}, {0x240, 0}};
    for (const auto& [reg, bits] : kept) {
      rig.cpu.put64(base + reg, ~0ULL);
      EXPECT_EQ(rig.cpu.get64(base + reg), bits) << std::hex << reg;
    }
    rig.cpu.put64(base, ~0ULL);
    EXPECT_EQ(rig.cpu.get64(base), 0x01ff'01ff'01ff'01ffU);
    rig.cpu.put32(rig.driver.pmcr(0), 0xffff'ff80);
    EXPECT_EQ(rig.cpu.get32(rig.driver.pmcr(0)), 0U);
    rig.cpu.put64(rig.layout.xp(0).offset, ~0ULL);  // discovery registers are read-only
    EXPECT_EQ(rig.cpu.get64(rig.layout.xp(0).offset) & 0xffff, 6U);
    const std::uint64_t secure = rig.driver.dtcs()[0].offset + 0x980;
    rig.cpu.put64(secure, ~0ULL);
    EXPECT_EQ(rig.cpu.get64(secure), 0U);
  });
}

TEST(CmnPort, without_a_device_says_that_it_has_0) { EXPECT_EQ(cmn::device_count(cmn::Port{}), 0U); }

TEST_F(CmnRegisters, a_write_to_the_secure_register_is_ignored_and_not_reported) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    const std::uint64_t secure = rig.driver.dtcs()[0].offset + 0x980;
    for (const unsigned bit : {0U, 63U}) rig.cpu.put64(secure, 1ULL << bit);
    EXPECT_EQ(rig.cpu.get64(secure), 0U);
  });
}

TEST_F(CmnRegisters, older_products_have_narrower_fields) {
  testing::let_writes_be_lost();
  on(cmn::examples::cmn600_small(), [&](CmnRig& rig) {
    const std::uint64_t base = rig.driver.dtms()[0].base;
    rig.cpu.put64(base + 0x210, 0xffff'ffff'0000'0000);
    EXPECT_EQ(rig.cpu.get64(base + 0x210), 0x3f3f'3f3f'0000'0000U);
    rig.cpu.put64(base + 0x1a0, ~0ULL);
    EXPECT_EQ(rig.cpu.get64(base + 0x1a0), 0x7f7fU);
    rig.cpu.put64(base, ~0ULL);
    EXPECT_EQ(rig.cpu.get64(base), 0xffff'ffffU);
  });
}

TEST_F(CmnRegisters, cmn650_watchpoints_have_no_channel_number) {
  on(cmn::examples::cmn650_two_dtcs(), [&](CmnRig& rig) {
    const std::uint64_t config = rig.driver.dtms()[0].base + 0x1a0;
    rig.cpu.put64(config, ~0ULL);
    EXPECT_EQ(rig.cpu.get64(config), 0x7'ffffU);
  });
}

TEST_F(CmnRegisters, each_node_prints_itself_under_its_name) {
  on(cmn::examples::cmn700_server(), [&](CmnRig& rig) {
    for (const char* const name :
         {"cmn0.cfg", "cmn0.xp3", "cmn0.xp3.dtm0", "cmn0.xp0.dtm1", "cmn0.hns5", "cmn0.dtc1"}) {
      std::ostringstream text;
      EXPECT_TRUE(rig.space.dump_text(text, testing::now(), name)) << name;
      EXPECT_NE(text.str().find(name[5] == 'h' ? "cmn_hns_pmu_event_sel" : "por_"), std::string::npos) << name;
    }
    std::ostringstream text;
    EXPECT_FALSE(rig.space.dump_text(text, testing::now(), "cmn0.xp3.dtm1"));
    rig.space.dump_text(text, testing::now(), "cmn0.xp3.dtm0");
    EXPECT_NE(text.str().find("pmevcnt2_input_sel"), std::string::npos);
  });
}

}  // namespace
}  // namespace pmufab
