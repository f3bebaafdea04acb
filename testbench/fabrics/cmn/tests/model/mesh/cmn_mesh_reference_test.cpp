// SPDX-License-Identifier: Apache-2.0
// Compares the mesh engine with a slow, independent simulator: flit by flit, cycle by cycle.

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/engine/mesh_engine.h"
#include "testbench/fabrics/cmn/tests/model/mesh/cmn_mesh_reference.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::cmn {
namespace {

using traffic::RandomStream;

/// Engine and reference under the same random traffic.
class Pair {
 public:
  Pair(const MeshParameters& parameters, std::uint64_t seed)
      : parameters_(parameters), random_(seed), engine_(parameters), reference_(parameters) {
    engine_.watch_everything(true);
    for (unsigned xp = 0; xp < parameters.xps(); ++xp) {
      for (unsigned port = 0; port < parameters.ports_of(xp); ++port) ports_.push_back({xp, port});
    }
  }

  /// Traffic of `load` / 1000 packets per port and cycle, of up to `length` flits, `hot` / 1000 of them to one port. In
  /// a cycle, devices take a flit with a probability of `taking` / 1000.
  void run(Cycle cycles, unsigned load, unsigned length, unsigned hot, unsigned taking) {
    for (Cycle i = 0; i < cycles && !::testing::Test::HasFailure(); ++i) cycle(load, length, hot, taking);
  }
  void drain() {
    for (unsigned i = 0; i < 100'000 && !(reference_.empty() && waiting_ == 0); ++i) {
      cycle(0, 1, 0, 1000);
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_TRUE(reference_.empty()) << "the mesh does not drain";
    EXPECT_EQ(engine_.next_cycle(), kNoCycle);
  }
  void compare_totals() {
    for (const Channel channel : parameters_.channels) {
      for (unsigned xp = 0; xp < parameters_.xps(); ++xp) {
        for (unsigned side = 0; side < kInterfaces; ++side) {
          for (const bool stall : {false, true}) {
            const FlitEvent event = stall ? FlitEvent::stall : FlitEvent::valid;
            const auto found = reference_.totals.find({0, xp, side, static_cast<unsigned>(channel), stall});
            EXPECT_EQ(engine_.tally(xp, static_cast<Interface>(side), channel, event),
                      found == reference_.totals.end() ? 0 : found->second);
          }
        }
      }
    }
  }
  [[nodiscard]] std::uint64_t stalls() const { return stalls_; }
  [[nodiscard]] std::uint64_t deliveries() const { return deliveries_; }

 private:
  struct Port {
    unsigned xp;
    unsigned port;
  };
  struct Source {
    Flit flit{};
    unsigned left = 0;  ///< flits of the packet that are still to come
    unsigned length = 0;
  };

  void cycle(unsigned load, unsigned length, unsigned hot, unsigned taking) {
    for (const Channel channel : parameters_.channels) {
      for (const auto [xp, port] : ports_) {
        const auto key = std::tuple(channel, xp, port);
        unsigned& untaken = untaken_[key];
        if (untaken > 0 && random_.below(1000) < taking) {
          --untaken;
          engine_.take(channel, xp, port);
          reference_.take(channel, xp, port);
        }
        Source& source = sources_[key];
        if (source.left == 0 && random_.below(1000) < load) {
          const Port target = random_.below(1000) < hot ? ports_.front() : ports_[random_.below(ports_.size())];
          source.left = source.length = 1 + static_cast<unsigned>(random_.below(length));
          source.flit.target_xp = static_cast<std::uint8_t>(target.xp);
          source.flit.target_port = static_cast<std::uint8_t>(target.port);
          waiting_ += source.left;
        }
        const bool ready = engine_.ready(channel, xp, port);
        ASSERT_EQ(ready, reference_.ready(channel, xp, port));
        if (source.left == 0 || !ready) continue;
        source.flit.handle = next_handle_++;
        source.flit.flags = static_cast<std::uint8_t>((source.left == source.length ? Flit::kHead : 0) |
                                                      (source.left == 1 ? Flit::kTail : 0));
        --source.left;
        --waiting_;
        engine_.upload(channel, xp, port, source.flit);
        reference_.upload(channel, xp, port, source.flit);
        ASSERT_FALSE(engine_.ready(channel, xp, port)) << "a second flit in one cycle";
      }
    }
    // If the engine reports no work, a step must do nothing. Another test relies on that report.
    const bool idle = engine_.next_cycle() != engine_.now();
    engine_.step();
    reference_.step();
    if (idle) {
      ASSERT_TRUE(reference_.events.empty() && reference_.arrived.empty());
    }
    compare();
  }

  void compare() {
    std::vector<ReferenceMesh::Event> events;
    for (const MeshPulse& pulse : engine_.pulses()) {
      events.push_back({pulse.handle, pulse.xp, static_cast<unsigned>(pulse.interface),
                        static_cast<unsigned>(pulse.channel), pulse.event == FlitEvent::stall});
      stalls_ += pulse.event == FlitEvent::stall ? 1 : 0;
    }
    std::sort(events.begin(), events.end());
    std::sort(reference_.events.begin(), reference_.events.end());
    ASSERT_EQ(events, reference_.events) << "in cycle " << engine_.now() - 1;
    std::vector<ReferenceMesh::Arrived> arrived;
    for (const Delivery& delivery : engine_.delivered()) {
      arrived.push_back({delivery.flit.handle, delivery.xp, delivery.port, static_cast<unsigned>(delivery.channel)});
      ++untaken_[std::tuple(delivery.channel, unsigned{delivery.xp}, unsigned{delivery.port})];
      ++deliveries_;
    }
    std::sort(arrived.begin(), arrived.end());
    std::sort(reference_.arrived.begin(), reference_.arrived.end());
    ASSERT_EQ(arrived, reference_.arrived) << "in cycle " << engine_.now() - 1;
  }

  MeshParameters parameters_;
  RandomStream random_;
  MeshEngine engine_;
  ReferenceMesh reference_;
  std::vector<Port> ports_;
  std::map<std::tuple<Channel, unsigned, unsigned>, unsigned> untaken_;
  std::map<std::tuple<Channel, unsigned, unsigned>, Source> sources_;
  std::uint32_t next_handle_ = 1;
  unsigned waiting_ = 0;
  std::uint64_t stalls_ = 0;
  std::uint64_t deliveries_ = 0;
};

MeshParameters random_parameters(RandomStream& random) {
  MeshParameters parameters;
  parameters.columns = 1 + static_cast<unsigned>(random.below(5));
  parameters.rows = 1 + static_cast<unsigned>(random.below(4));
  parameters.channels = {Channel::dat};
  if (random.below(3) == 0) parameters.channels = {Channel::snp2, Channel::req, Channel::rsp2};
  for (unsigned xp = 0; xp < parameters.xps(); ++xp) {
    parameters.ports.push_back(static_cast<unsigned>(random.below(xp == 0 ? 6 : 7)) + (xp == 0 ? 1 : 0));
  }
  if (random.below(2) == 0) parameters.buffer_depth = 1 + static_cast<unsigned>(random.below(20));
  if (random.below(2) == 0) parameters.download_credits = 1 + static_cast<unsigned>(random.below(12));
  parameters.router_delay = static_cast<unsigned>(random.below(5));
  parameters.link_delay = 1 + static_cast<unsigned>(random.below(4));
  parameters.credit_delay = 1 + static_cast<unsigned>(random.below(9));
  return parameters;
}

class RandomMesh : public ::testing::TestWithParam<unsigned> {};

// contract A45
TEST_P(RandomMesh, engine_and_reference_agree_in_every_cycle) {
  RandomStream random(1000 + GetParam());
  const MeshParameters parameters = random_parameters(random);
  Pair pair(parameters, GetParam());
  pair.run(150, 40, 1, 0, 1000);    // light
  pair.run(250, 600, 1, 300, 500);  // single flits, congested
  pair.run(250, 300, 6, 200, 700);  // packets, congested
  pair.run(150, 100, 4, 800, 100);  // towards one slow device
  pair.drain();
  pair.compare_totals();
  EXPECT_GT(pair.deliveries(), 0U);
  EXPECT_GT(pair.stalls(), 0U);
}
INSTANTIATE_TEST_SUITE_P(seeds, RandomMesh, ::testing::Range(0U, 40U));

TEST(LargestMesh, engine_and_reference_agree_in_every_cycle) {
  Pair pair({.columns = kMaximumSide,
             .rows = kMaximumSide,
             .channels = {Channel::req, Channel::dat},
             .buffer_depth = MeshParameters::kMaximumBuffer,
             .download_credits = MeshParameters::kMaximumBuffer,
             .router_delay = MeshParameters::kMaximumDelay,
             .link_delay = MeshParameters::kMaximumDelay,
             .credit_delay = MeshParameters::kMaximumDelay},
            5);
  pair.run(400, 100, 3, 100, 900);
  EXPECT_GT(pair.deliveries(), 0U);
}

}  // namespace
}  // namespace pmufab::cmn
