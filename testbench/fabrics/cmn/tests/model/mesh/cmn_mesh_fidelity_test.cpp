// SPDX-License-Identifier: Apache-2.0
// Compares the mesh's mean packet latency with BookSim2's, for uniform random traffic in square meshes.

#include <cmath>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "models/cmn/engine/mesh_engine.h"
#include "testbench/fabrics/cmn/traffic/mesh_traffic.h"

namespace pmufab::cmn {
namespace {

/// A figure of BookSim2 with topology mesh, routing dor, router iq, num_vcs 1, vc_buf_size 8, speculative 1, delays 1,
/// uniform traffic (a node's own included) and Bernoulli injection from sources with an infinite queue.
struct Figure {
  const char* name;
  unsigned side;           ///< XPs in x and y
  unsigned packet_length;  ///< flits
  double rate;             ///< flits per node and cycle
  double latency;          ///< cycles from the creation of a packet to its ejection
  double tolerance;        ///< as a share of it
};

class BookSim2 : public ::testing::TestWithParam<Figure> {};

TEST_P(BookSim2, mean_packet_latency_agrees) {
  const Figure& figure = GetParam();
  for (const std::uint64_t seed : {3, 4}) {
    MeshEngine engine(MeshParameters::booksim2(figure.side, figure.side));
    traffic::MeshTraffic traffic(engine, {.rate = figure.rate, .packet_length = figure.packet_length, .seed = seed});
    traffic.run(10'000);
    traffic.measure();
    traffic.run(120'000);
    const double latency = traffic.statistics().mean_latency();
    EXPECT_NEAR(latency, figure.latency, figure.latency * figure.tolerance) << "seed " << seed;
    RecordProperty("latency_" + std::to_string(seed), std::to_string(latency));
    // The requested rate is reached: below saturation everything arrives.
    const double rate = static_cast<double>(traffic.statistics().flits_delivered) / 120'000 / figure.side / figure.side;
    EXPECT_NEAR(rate, figure.rate, figure.rate * 0.01);
  }
}
INSTANTIATE_TEST_SUITE_P(figures, BookSim2,
                         ::testing::Values(Figure{"single_flits_at_005", 8, 1, 0.05, 20.84, 0.01},
                                           Figure{"single_flits_at_010", 8, 1, 0.10, 21.04, 0.01},
                                           Figure{"single_flits_at_020", 8, 1, 0.20, 21.55, 0.01},
                                           Figure{"single_flits_at_030", 8, 1, 0.30, 23.07, 0.01},
                                           Figure{"single_flits_at_035", 8, 1, 0.35, 26.70, 0.03},
                                           Figure{"five_flits_at_010", 8, 5, 0.10, 26.33, 0.02},
                                           Figure{"five_flits_at_010_in_12x12", 12, 5, 0.10, 35.9, 0.02}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace pmufab::cmn
