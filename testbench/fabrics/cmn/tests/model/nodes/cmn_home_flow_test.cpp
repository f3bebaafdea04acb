// SPDX-License-Identifier: Apache-2.0
// A home whose senders, memory and clock matter: kept places, refusals, numbers, time. docs/cmn-nodes.md, rules 1.6,
// 1.10 and 3.1 to 3.9.

#include <map>

#include <gtest/gtest.h>

#include "models/cmn/wire/mesh_observer.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_home_rig.h"

namespace pmufab::cmn_home_flow_test {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using testing::HomeBench;
using testing::kLine;
using testing::release;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;

using CmnHomeFlow = testing::SimulationTest;

constexpr Cycle kLong = 400;  // time for a message and its answer

TEST_F(CmnHomeFlow, a_reserved_place_is_kept_for_its_sender) {
  const cmn::HomeParameters setup{.pocq_entries = 1};
  HomeBench bench("cmn0", setup);
  run([&] {
    bench.memory->silent = true;
    bench.rnf(0).request(req::kReadNoSnp, kLine);
    bench.pass(kLong);
    // A sender that gets a credit and does not use it immediately.
    FlitFields request{.tgtid = bench.home_id(), .txnid = 0, .opcode = req::kReadNoSnp, .size = 6, .allowretry = 1};
    bench.gateway->transactions.emplace_back();
    bench.gateway->transactions[0].request = request;
    bench.gateway->transactions[0].request.tgtid = bench.memory->node_id;  // where a second try is harmless
    bench.gateway->send(Channel::req, request);
    bench.pass(kLong);
    release(bench);
    bench.pass(kLong);
    EXPECT_TRUE(bench.rnf(0).idle());
    bench.memory->requests.clear();
    bench.rnf(1).request(req::kReadNoSnp, kLine);
    bench.pass(kLong);
    EXPECT_EQ(bench.rnf(1).retries, 1U) << "the only place is reserved for the gateway";
    EXPECT_FALSE(bench.rnf(1).idle());
    request.allowretry = 0;
    bench.gateway->send(Channel::req, request);
    bench.settle();
    EXPECT_TRUE(bench.rnf(1).idle());
  });
}

TEST_F(CmnHomeFlow, writes_beyond_the_numbers_there_are_wait_for_one) {
  HomeBench bench("cmn0");
  run([&] {
    bench.memory->silent = true;
    for (unsigned i = 0; i < 1'030; ++i) {
      bench.rnf(0).request(req::kWriteNoSnpFull, kLine + std::uint64_t{64} * i);
      if (i % 16 == 15) bench.pass(kLong);
    }
    bench.pass(kLong);
    EXPECT_TRUE(bench.rnf(0).idle()) << "nobody waits for memory to take writes";
    ASSERT_EQ(bench.memory->requests.size(), 0x400U);
    EXPECT_EQ(bench.memory->requests.back().txnid, 0x7ffU);
    release(bench);
    bench.settle();
    ASSERT_EQ(bench.memory->requests.size(), 1'030U);
    EXPECT_EQ(bench.memory->requests.back().addr, kLine + std::uint64_t{64} * 1'029);
    EXPECT_EQ(bench.memory->data_flits, 2'060U);
  });
}

TEST_F(CmnHomeFlow, every_message_of_the_home_takes_its_latency) {
  const cmn::HomeParameters slow{.latency = 112};
  HomeBench first("cmn0");
  HomeBench second("cmn1", slow);
  run([&] {
    const auto time_of = [](HomeBench& bench) {
      bench.pass(10);  // cycle 0 is over before a story begins
      const Cycle began = bench.cycle();
      return bench.perform(bench.rnf(0), req::kReadShared, kLine).done_at - began;
    };
    const Cycle fast = time_of(first);
    EXPECT_EQ(time_of(second), fast + 2 * 100) << "a request for memory, and the data";
  });
}

/// Records when requests and acknowledgements reach the home (rule 1.1).
class Watcher final : public cmn::MeshObserver {
 public:
  explicit Watcher(HomeBench& bench) : mesh_(bench.mesh), home_(bench.home_id()) { mesh_.set_observer(this); }
  void on_upload(Picoseconds /*when*/, unsigned /*xp*/, unsigned /*port*/, Channel channel, std::uint32_t flit,
                 const FlitFields& fields) override {
    flits_[flit] = {channel, fields};
  }
  void on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) override {
    for (const cmn::MeshPulse& pulse : pulses) {
      if (pulse.event != cmn::FlitEvent::valid || pulse.interface < cmn::Interface::port0) continue;
      const auto& [channel, fields] = flits_.at(pulse.handle);
      if (fields.tgtid != home_) continue;
      const Cycle arrival = mesh_.clock().edges_before(when) + 1 + 1;  // link_delay 1
      if (channel == Channel::req) starts += arrival;
      if (channel == Channel::rsp && fields.opcode == rsp::kCompAck) ends += arrival;
    }
  }
  std::uint64_t starts = 0;
  std::uint64_t ends = 0;

 private:
  cmn::Mesh& mesh_;
  std::uint16_t home_;
  std::map<std::uint32_t, std::pair<Channel, FlitFields>> flits_;
};

TEST_F(CmnHomeFlow, occupancies_count_entries_from_the_arrival_of_the_request_to_that_of_the_last_message) {
  // no request is refused
  const cmn::HomeParameters setup{.pocq_entries = 128};
  HomeBench bench("cmn0", setup);
  Watcher watcher(bench);
  run([&] {
    ASSERT_TRUE(bench.driver.probe(bench.mesh.layout().root_offset()));
    const auto homes = bench.driver.find(static_cast<unsigned>(cmn::NodeType::hn_f));
    auto all = bench.driver.open(homes, 0x0f);
    auto of_class_0 = bench.driver.open(homes, 0x26);
    for (unsigned i = 0; i < 40; ++i) {
      bench.rnf(0).request(req::kReadUnique, kLine + std::uint64_t{64} * i, {.qos = 15});
      bench.rnf(1).request(req::kReadShared, kLine + std::uint64_t{64} * (i + 100), {.qos = 15});
      bench.pass(3);
    }
    bench.settle();
    const std::uint64_t sum = watcher.ends - watcher.starts;
    EXPECT_EQ(bench.home->pocq_occupancy().sum(0, bench.cycle()), sum);
    EXPECT_EQ(bench.home->pocq_occupancy().sum(1, bench.cycle()), sum) << "all are reads";
    EXPECT_EQ(bench.home->pocq_occupancy().sum(2, bench.cycle()), 0U);
    EXPECT_GT(sum, 80U * 40);
    EXPECT_EQ(bench.driver.close(all), sum / 256);
    EXPECT_EQ(bench.driver.close(of_class_0), sum / 256);
  });
}

}  // namespace
}  // namespace pmufab::cmn_home_flow_test
