// SPDX-License-Identifier: Apache-2.0
// Stall events under real contention, compared with the stalls in a simulator of the mesh that shares no code with the
// model. It gets only the uploads.
#include <array>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/tests/integration/cmn_test.h"
#include "testbench/fabrics/cmn/tests/model/mesh/cmn_mesh_reference.h"
#include "testbench/fabrics/cmn/traffic/flit_flow.h"

namespace pmufab::integration {
namespace {

using cmn::Channel;
using cmn::Cycle;
using cmn::Interface;
using cmn::NodeType;
using cmn::Product;
using ::testing::ValuesIn;

/// An upload and its time.
class Uploads final : public cmn::MeshObserver {
 public:
  struct Upload {
    Cycle cycle;
    unsigned xp;
    unsigned port;
    Channel channel;
    unsigned target;  ///< node id
  };
  explicit Uploads(const ClockDomain& clock) : clock_(clock) {}
  void on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t /*flit*/,
                 const cmn::FlitFields& fields) override {
    list.push_back({clock_.edges_before(when), xp, port, channel, static_cast<unsigned>(fields.tgtid)});
  }
  void on_cycle(Picoseconds /*when*/, std::span<const cmn::MeshPulse> /*pulses*/) override {}

  std::vector<Upload> list;

 private:
  const ClockDomain& clock_;
};

class CmnStalls : public CmnTest {
 protected:
  static constexpr unsigned kColumns = 4;
  static constexpr unsigned kRows = 3;
  static constexpr unsigned kFlits = 400;  // of each port

  /// Stalls of an interface of all crosspoints on REQ and DAT, by the reference.
  struct Stalls {
    std::array<std::uint64_t, cmn::kInterfaces> req{};
    std::array<std::uint64_t, cmn::kInterfaces> dat{};
  };
  Stalls replay(const std::vector<Uploads::Upload>& uploads) {
    cmn::MeshParameters parameters;
    parameters.columns = kColumns;
    parameters.rows = kRows;
    parameters.buffer_depth = spec.mesh.buffer_depth;
    parameters.download_credits = spec.mesh.download_credits;
    parameters.router_delay = spec.mesh.router_delay;
    parameters.link_delay = spec.mesh.link_delay;
    parameters.credit_delay = spec.mesh.credit_delay;
    cmn::ReferenceMesh reference(parameters);
    std::vector<cmn::ReferenceMesh::Arrived> untaken;
    std::size_t next = 0;
    for (Cycle cycle = uploads.front().cycle; next < uploads.size() || !reference.empty() || !untaken.empty();
         ++cycle) {
      // Devices take each flit in the cycle after its arrival.
      for (const auto& one : untaken) reference.take(static_cast<Channel>(one.channel), one.xp, one.port);
      for (; next < uploads.size() && uploads[next].cycle == cycle; ++next) {
        const Uploads::Upload& one = uploads[next];
        cmn::Flit flit{};
        // Ids of a mesh of 4x3, all crosspoints with two ports: x, y of two bits each, port, two bits of device.
        flit.target_xp = static_cast<std::uint8_t>((one.target >> 3 & 3U) * kColumns + (one.target >> 5 & 3U));
        flit.target_port = static_cast<std::uint8_t>(one.target >> 2 & 1U);
        flit.flags = cmn::Flit::kHead | cmn::Flit::kTail;
        EXPECT_TRUE(reference.ready(one.channel, one.xp, one.port)) << cycle;
        reference.upload(one.channel, one.xp, one.port, flit);
      }
      reference.step();
      untaken = reference.arrived;
    }
    Stalls stalls;
    for (const auto& [event, count] : reference.totals) {
      if (!event.stall) continue;
      auto& list = event.channel == static_cast<unsigned>(Channel::req) ? stalls.req : stalls.dat;
      list.at(event.interface) += count;
    }
    return stalls;
  }

  /// Half of all flits go to one crosspoint, from every port. A crosspoint has counters for four interfaces at a time.
  void count_stalls(Channel channel, const std::array<Interface, 4>& interfaces) {
    boot(mesh_of(Product::cmn600, kColumns, kRows), [&] {
      traffic::FlitFlow flow(mesh(),
                             {.name = "hotspot",
                              .channel = channel,
                              .pattern = traffic::MeshPattern::hotspot,
                              .rate = 0.5,
                              .hot_xp = 5,
                              .hot_share = 0.5,
                              .count = kFlits},
                             "flow", 1);
      Uploads uploads(mesh().clock());
      mesh().set_observer(&uploads);
      std::vector<EventHandle> events;
      for (const Interface interface : interfaces) {
        const std::uint64_t id = 2 | code_of(interface) << 2 | static_cast<std::uint64_t>(channel) << 5;
        events.push_back(start(event(NodeType::xp, id)));
      }
      flow.start(testing::now());
      testing::advance(200'000'000);
      ASSERT_EQ(flow.uploaded(), 24U * kFlits);
      ASSERT_EQ(mesh().delivered(), mesh().uploaded());
      mesh().set_observer(nullptr);
      const Stalls expected = replay(uploads.list);
      for (std::size_t i = 0; i < interfaces.size(); ++i) {
        const auto& list = channel == Channel::req ? expected.req : expected.dat;
        const std::uint64_t stalls = list[static_cast<unsigned>(interfaces[i])];
        EXPECT_GT(stalls, 1000U) << "no contention at interface " << i;
        EXPECT_EQ(finish(events[i]), stalls) << i;
      }
    });
  }
  /// Codes of interfaces in event ids: east, west, north, south, ports 0 and 1 (arm-cmn.c).
  static std::uint64_t code_of(Interface interface) { return static_cast<std::uint64_t>(interface); }
};
INSTANTIATE_TEST_SUITE_P(linux, CmnStalls, ValuesIn(cmn_driver_sets()), version_name);

// contract A45
TEST_P(CmnStalls, of_requests_are_the_cycles_in_which_a_flit_waits_for_a_credit) {
  count_stalls(Channel::req, {Interface::east, Interface::west, Interface::north, Interface::south});
}

// contract A45
TEST_P(CmnStalls, of_data_are_the_same_with_shallow_buffers_and_slow_credits) {
  spec.mesh.buffer_depth = 3;
  spec.mesh.download_credits = 2;
  spec.mesh.credit_delay = 4;
  count_stalls(Channel::dat, {Interface::east, Interface::north, Interface::port0, Interface::port1});
}

}  // namespace
}  // namespace pmufab::integration
