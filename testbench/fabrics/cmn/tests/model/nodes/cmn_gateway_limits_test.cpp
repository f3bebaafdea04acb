// SPDX-License-Identifier: Apache-2.0
// Gateways that lack something: trackers, protocol credits, link credits, room in the mesh. Expected costs come from
// docs/cmn-nodes.md, section 5, and from the flits at the gateways' ports.

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/nodes/cmn_gateway_rig.h"

namespace pmufab::cmn_gateway_limits_test {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::LinkParameters;
using cmn::Product;
using testing::advance;
using testing::CmnDriver;
using testing::LinkedMesh;
using testing::LinkRig;
using testing::PortLog;
namespace op = testing::op;

using CmnGatewayLimits = testing::SimulationTest;

constexpr Cycle kLatency = 12;
constexpr Picoseconds kLink = 20'000;

constexpr unsigned kCcra = 0x103;
constexpr unsigned kCcha = 0x104;
constexpr unsigned kCcla = 0x105;
constexpr unsigned kRni = 0xa;

CmnDriver::Event open(LinkedMesh& mesh, unsigned type, unsigned id) {
  return mesh.driver.open(mesh.driver.find(type, LinkedMesh::kGateway), id);
}
/// @return the cycle of mesh a in which a flit sent by mesh b arrives.
Cycle at_a(const LinkRig& rig, Cycle sent) { return rig.a.cycle_from(rig.b.time(sent) + kLink); }
Cycle at_b(const LinkRig& rig, Cycle sent) { return rig.b.cycle_from(rig.a.time(sent) + kLink); }

/// Consecutive requests from mesh a that arrive at its gateway.
void burst(LinkRig& rig, unsigned number, std::uint8_t opcode = op::kReadOnce, std::uint64_t stride = 128) {
  const Cycle when = rig.a.soon();
  for (unsigned i = 0; i < number; ++i) rig.a.request(when, opcode, i * stride);
  rig.settle();
}

TEST_F(CmnGatewayLimits, a_request_without_room_is_retried_and_gets_the_entry_that_becomes_free) {
  LinkRig rig({.rht_entries = 1});
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event allocations = open(rig.a, kCcra, 0x56);
    burst(rig, 3);
    EXPECT_EQ(rig.a.driver.close(allocations), 3U) << "once each, although two came twice";
    const std::vector<Cycle> requests = rig.a.log.cycles(false, Channel::req, op::kReadOnce);
    const std::vector<Cycle> retries = rig.a.log.cycles(true, Channel::rsp, op::kRetryAck);
    const std::vector<Cycle> grants = rig.a.log.cycles(true, Channel::rsp, op::kPCrdGrant);
    const std::vector<Cycle> data = rig.a.log.cycles(true, Channel::dat, op::kCompData);
    ASSERT_EQ(requests.size(), 5U);
    ASSERT_EQ(data.size(), 6U);
    EXPECT_EQ(retries, (std::vector<Cycle>{requests[1] + kLatency, requests[2] + kLatency}));
    EXPECT_EQ(grants, (std::vector<Cycle>{data[1] + kLatency, data[3] + kLatency}));
    EXPECT_EQ(rig.b.at_homes.size(), 3U);
    EXPECT_EQ(rig.b.at_homes[1].addr, 0x80U) << "the one retried first";
  });
}

TEST_F(CmnGatewayLimits, requests_wait_for_the_other_gateways_tracker) {
  LinkRig rig({.reqtrk_entries = 1});
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event req_stalls = open(rig.a, kCcra, 0x4b);
    CmnDriver::Event dat_stalls = open(rig.a, kCcra, 0x4e);
    CmnDriver::Event other_stalls = open(rig.b, kCcra, 0x4b);
    burst(rig, 3);
    const std::vector<Cycle> requests = rig.a.log.cycles(false, Channel::req, op::kReadOnce);
    const std::vector<Cycle> data = rig.a.log.cycles(true, Channel::dat, op::kCompData);
    ASSERT_EQ(data.size(), 6U);
    // The second waits for the first's answer. Then the third is first in line, until the second's answer.
    const Cycle second_answer = data[2] - kLatency;
    EXPECT_EQ(rig.a.driver.close(req_stalls), second_answer - requests[1]);
    EXPECT_EQ(rig.a.driver.close(dat_stalls), 0U);
    EXPECT_EQ(rig.b.driver.close(other_stalls), 0U);
    const std::vector<Cycle> at_home = rig.b.log.cycles(true, Channel::req, op::kReadOnce);
    EXPECT_EQ(at_home[1], at_b(rig, data[0]) + kLatency) << "handed over when the answer came";
  });
}

TEST_F(CmnGatewayLimits, writes_wait_for_the_other_gateways_write_buffer) {
  LinkRig rig({.write_buffers = 1});
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event req_stalls = open(rig.a, kCcra, 0x4b);
    CmnDriver::Event dat_stalls = open(rig.a, kCcra, 0x4e);
    burst(rig, 2, op::kWriteUniqueFull);
    const std::vector<Cycle> data = rig.a.log.cycles(false, Channel::dat, op::kNonCopyBackWrData);
    const std::vector<Cycle> written = rig.b.log.cycles(true, Channel::dat, op::kNonCopyBackWrData);
    ASSERT_EQ(data.size(), 4U);
    ASSERT_EQ(written.size(), 4U);
    const Cycle first_answer = at_a(rig, written[1] + kLatency);
    EXPECT_EQ(rig.a.driver.close(dat_stalls), first_answer - data[3]);
    EXPECT_EQ(rig.a.driver.close(req_stalls), 0U);
  });
}

TEST_F(CmnGatewayLimits, the_link_waits_for_its_credits) {
  LinkRig rig({.link_credits = 1});
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event there = open(rig.b, kCcla, 0x25);
    CmnDriver::Event here = open(rig.a, kCcla, 0x25);
    burst(rig, 1);
    const Cycle last_data = rig.b.log.cycles(false, Channel::dat, op::kCompData).at(1);
    const auto credit_back = [&](Cycle sent) { return rig.b.cycle_from(rig.a.time(at_a(rig, sent)) + kLink); };
    const Cycle first = last_data + kLatency;
    const Cycle second = credit_back(first);
    const Cycle third = credit_back(second);
    EXPECT_EQ(rig.b.driver.close(there), (second - first - 1) + (third - second - 1));
    EXPECT_EQ(rig.a.driver.close(here), 0U);
    EXPECT_EQ(rig.a.log.cycles(true, Channel::dat, op::kCompData).at(0), at_a(rig, third) + kLatency);
  });
}

TEST_F(CmnGatewayLimits, a_slow_link_sends_every_so_many_cycles_only_and_that_is_no_back_pressure) {
  LinkRig rig({.cycles_per_flit = 7, .flit_bytes = 16});
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event waits = open(rig.b, kCcla, 0x25);
    CmnDriver::Event flits = open(rig.b, kCcla, 0x22);
    burst(rig, 1);
    const Cycle last_data = rig.b.log.cycles(false, Channel::dat, op::kCompData).at(1);
    EXPECT_EQ(rig.b.driver.close(flits), 5U) << "80 bytes";
    EXPECT_EQ(rig.b.driver.close(waits), 0U);
    EXPECT_EQ(rig.a.log.cycles(true, Channel::dat, op::kCompData).at(0),
              at_a(rig, last_data + kLatency + 4 * 7) + kLatency);
  });
}

TEST_F(CmnGatewayLimits, data_bypass_the_buffer_only_while_nothing_waits_for_the_link) {
  LinkRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event bypass = open(rig.b, kCcha, 0x61);
    CmnDriver::Event bypass_entries = open(rig.b, kCcha, 0x70);
    CmnDriver::Event buffer_entries = open(rig.b, kCcha, 0x6f);
    CmnDriver::Event messages = open(rig.b, kCcla, 0x27);
    burst(rig, 3);
    EXPECT_EQ(rig.b.driver.close(bypass), 1U);
    EXPECT_EQ(rig.b.driver.close(bypass_entries), 1U);
    EXPECT_EQ(rig.b.driver.close(buffer_entries), 2U);
    EXPECT_EQ(rig.b.driver.close(messages), 3U);
    // Their nine flits go without gaps.
    const Cycle first = rig.b.log.cycles(false, Channel::dat, op::kCompData).at(1) + kLatency;
    const std::vector<Cycle> data = rig.a.log.cycles(true, Channel::dat, op::kCompData);
    EXPECT_EQ(data.at(2), at_a(rig, first + 5) + kLatency);
    EXPECT_EQ(data.at(4), at_a(rig, first + 8) + kLatency);
  });
}

TEST_F(CmnGatewayLimits, lines_that_follow_each_other_make_chains) {
  LinkRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event chains = open(rig.a, kCcra, 0x47);
    CmnDriver::Event lengths = open(rig.a, kCcra, 0x48);
    burst(rig, 3, op::kReadOnce, 64);                  // one chain of three
    burst(rig, 2, op::kReadOnce, 128);                 // none
    burst(rig, 2, op::kWriteUniqueFull, 64);           // one of two
    rig.a.request(rig.a.soon(), op::kReadOnce, 0x80);  // none: another opcode
    rig.settle();
    EXPECT_EQ(rig.a.driver.read(chains), 2U);
    EXPECT_EQ(rig.a.driver.read(lengths), 0U);
    for (int i = 0; i < 125; ++i) burst(rig, 2, op::kReadOnce, 64);  // 5 + 250
    EXPECT_EQ(rig.a.driver.read(chains), 127U);
    EXPECT_EQ(rig.a.driver.read(lengths), 0U);
    burst(rig, 2, op::kReadOnce, 64);
    EXPECT_EQ(rig.a.driver.close(chains), 128U);
    EXPECT_EQ(rig.a.driver.close(lengths), 1U);
  });
}

TEST_F(CmnGatewayLimits, a_home_may_retry_what_a_gateway_sends) {
  LinkRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event all = open(rig.b, kRni, 0x06);
    CmnDriver::Event again = open(rig.b, kRni, 0x07);
    CmnDriver::Event entries = open(rig.b, kCcha, 0x6e);
    rig.b.retries_to_do = 2;
    burst(rig, 2);
    burst(rig, 1, op::kWriteUniqueFull);
    EXPECT_EQ(rig.b.driver.close(all), 5U);
    EXPECT_EQ(rig.b.driver.close(again), 2U);
    EXPECT_EQ(rig.b.driver.close(entries), 3U);
    const std::vector<Cycle> grants = rig.b.log.cycles(false, Channel::rsp, op::kPCrdGrant);
    const std::vector<Cycle> requests = rig.b.log.cycles(true, Channel::req, op::kReadOnce);
    ASSERT_EQ(requests.size(), 4U);
    EXPECT_EQ(requests[2], grants.at(0) + kLatency);
    EXPECT_EQ(rig.b.at_homes[2].allowretry, 0);
    EXPECT_EQ(rig.b.at_homes[2].addr, rig.b.at_homes[0].addr) << "the one retried first";
  });
}

TEST_F(CmnGatewayLimits, cycles_in_which_the_port_is_held_count_for_both_agents) {
  LinkRig rig({}, Product::cmn700, true, {.buffer_depth = 2, .download_credits = 1});
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event dat = open(rig.a, kCcra, 0x52);
    CmnDriver::Event dat_up = open(rig.a, kCcha, 0x63);
    CmnDriver::Event rsp = open(rig.a, kCcra, 0x51);
    CmnDriver::Event rsp_up = open(rig.a, kCcha, 0x62);
    // The requester takes nothing for a while.
    rig.a.requester.deaf_until = rig.a.soon() + 2'000;
    burst(rig, 16);
    rig.a.requester.deaf_until = rig.a.soon() + 2'000;
    burst(rig, 16, op::kWriteUniqueFull);
    EXPECT_GT(rig.a.log.holds[Channel::dat], 1'000U);
    EXPECT_GT(rig.a.log.holds[Channel::rsp], 1'000U);
    EXPECT_EQ(rig.a.driver.close(dat), rig.a.log.holds[Channel::dat]);
    EXPECT_EQ(rig.a.driver.close(dat_up), rig.a.log.holds[Channel::dat]);
    EXPECT_EQ(rig.a.driver.close(rsp), rig.a.log.holds[Channel::rsp]);
    EXPECT_EQ(rig.a.driver.close(rsp_up), rig.a.log.holds[Channel::rsp]);
  });
}

TEST_F(CmnGatewayLimits, a_cmn600_has_the_events_under_other_numbers_and_no_allocations) {
  constexpr unsigned kCxra = 0x100;
  constexpr unsigned kCxha = 0x101;
  LinkRig rig({.reqtrk_entries = 1}, Product::cmn600);
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event stalls = open(rig.a, kCxra, 0x0b);
    CmnDriver::Event chains = open(rig.a, kCxra, 0x07);
    CmnDriver::Event occupancy = open(rig.a, kCxra, 0x01);
    CmnDriver::Event allocations = open(rig.a, kCxra, 0x16);
    CmnDriver::Event bypass = open(rig.b, kCxha, 0x21);
    CmnDriver::Event tracker = open(rig.b, kCxha, 0x27);
    burst(rig, 3, op::kReadOnce, 64);
    const std::vector<Cycle> requests = rig.a.log.cycles(false, Channel::req, op::kReadOnce);
    const std::vector<Cycle> data = rig.a.log.cycles(true, Channel::dat, op::kCompData);
    EXPECT_EQ(rig.a.driver.close(stalls), data.at(2) - kLatency - requests.at(1));
    EXPECT_EQ(rig.a.driver.close(chains), 1U);
    std::uint64_t held = 0;
    for (unsigned i = 0; i < 3; ++i) held += data.at(2 * i + 1) - requests.at(i);
    EXPECT_EQ(rig.a.driver.close(occupancy), held / 256);
    EXPECT_GT(held, 256U);
    EXPECT_EQ(rig.a.driver.close(allocations), 0U);
    EXPECT_EQ(rig.b.driver.close(bypass), 3U);
    std::uint64_t tracked = 0;
    for (unsigned i = 0; i < 3; ++i) {
      tracked += rig.b.log.cycles(false, Channel::dat, op::kCompData).at(2 * i + 1) + kLatency + 2 -
                 (rig.b.log.cycles(true, Channel::req, op::kReadOnce).at(i) - kLatency);
    }
    EXPECT_EQ(rig.b.driver.close(tracker), tracked / 256);
  });
}

TEST_F(CmnGatewayLimits, both_select_registers_of_a_ccla_rni_count_at_once_and_apart) {
  LinkRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    CmnDriver::Event first = open(rig.b, kRni, 0x06);
    burst(rig, 5);
    CmnDriver::Event second = open(rig.b, kCcla, 0x22);
    burst(rig, 7);
    EXPECT_EQ(rig.b.driver.close(second), 3U * 7);
    burst(rig, 2);
    EXPECT_EQ(rig.b.driver.close(first), 14U);
  });
}

TEST_F(CmnGatewayLimits, nothing_depends_on_whose_process_runs_first) {
  // Two pairs. In the second, the answering mesh is made before the asking one, and the link is the other way round.
  // With these clocks, edges of both meshes and arrivals fall into the same instants.
  const LinkParameters parameters{.latency = 5'000, .link_credits = 3, .reqtrk_entries = 2};
  LinkedMesh asks("asks", Product::cmn700, 2'000'000'000, parameters);
  LinkedMesh answers("answers", Product::cmn700, 1'000'000'000, parameters);
  cmn::Gateway::connect(asks.gateway, answers.gateway);
  LinkedMesh answers_too("answers_too", Product::cmn700, 1'000'000'000, parameters);
  LinkedMesh asks_too("asks_too", Product::cmn700, 2'000'000'000, parameters);
  cmn::Gateway::connect(answers_too.gateway, asks_too.gateway);
  run([&] {
    for (LinkedMesh* const mesh : {&asks, &asks_too, &answers, &answers_too}) {
      const Cycle when = mesh->soon();
      for (unsigned i = 0; i < 20; ++i) {
        mesh->request(when + 3 * i, i % 3 == 0 ? op::kWriteUniqueFull : op::kReadOnce, i * 192U);
      }
    }
    advance(20'000'000);
    EXPECT_EQ(asks.outstanding, 0U);
    EXPECT_EQ(asks.gateway.pending(), 0U);
    const auto lines = [](const LinkedMesh& mesh) {
      std::vector<std::tuple<Cycle, bool, Channel, unsigned, unsigned>> all;
      for (const PortLog::Seen& seen : mesh.log.seen)
        all.emplace_back(seen.cycle, seen.up, seen.channel, seen.fields.opcode, seen.fields.txnid);
      return all;
    };
    EXPECT_EQ(lines(asks), lines(asks_too));
    EXPECT_EQ(lines(answers), lines(answers_too));
    EXPECT_GT(asks.log.seen.size(), 100U);
    // What crosses a link must find the other mesh at the same time.
    for (const LinkedMesh* const mesh : {&asks, &asks_too, &answers, &answers_too})
      EXPECT_EQ(mesh->mesh.cycles_ahead(), 0U);
  });
}

TEST(CmnGatewayParameters, that_cannot_be_are_refused_by_name) {
  const auto refused = [](const LinkParameters& parameters) {
    const auto fault = cmn::fault_of(parameters);
    return fault ? fault->field : std::string();
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({.latency = 0}), "latency");
  EXPECT_EQ(refused({.cycles_per_flit = 0}), "cycles_per_flit");
  EXPECT_EQ(refused({.flit_bytes = 48}), "flit_bytes");
  EXPECT_EQ(refused({.link_credits = 0}), "link_credits");
  EXPECT_EQ(refused({.rht_entries = 257}), "rht_entries");
  EXPECT_EQ(refused({.reqtrk_entries = 0}), "reqtrk_entries");
  EXPECT_EQ(refused({.node_latency = 0}), "node_latency");
  EXPECT_EQ(refused({.write_buffers = 0}), "write_buffers");
}

}  // namespace
}  // namespace pmufab::cmn_gateway_limits_test
