// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/platform/platform.h"
#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"
#include "testbench/tests/traffic/traffic_rig.h"

namespace pmufab::traffic {
namespace {

using PlatformTraffic = pmufab::testing::SimulationTest;

std::vector<MemoryRange> memory_of(const platform::Platform& platform) {
  std::vector<MemoryRange> map;
  for (const tegra410::MemoryRange& range : platform.get<platform::Tegra410Part>().address_map().ranges()) {
    map.push_back({range.base, range.size, static_cast<std::uint8_t>(range.socket),
                   static_cast<MemoryClass>(range.memory_class)});
  }
  return map;
}

TEST_F(PlatformTraffic, every_operation_of_every_requester_is_accepted_everywhere) {
  platform::Platform platform("platform", platform::tegra410_platform());
  pmufab::testing::Initiator cpu("cpu");
  cpu.socket.bind(platform.bus().socket);
  TrafficSpec spec;
  for (const RequesterKind kind : {RequesterKind::cpu, RequesterKind::gpu, RequesterKind::pcie}) {
    for (std::uint8_t socket = 0; socket < 2; ++socket) {
      for (const Path path : {Path::direct, Path::cached}) {
        if (path == Path::cached && kind != RequesterKind::cpu) continue;
        GeneratorSpec one = generator(PatternKind::zipf, 4000);
        one.name = std::string(to_string(kind)) + std::to_string(socket) + (path == Path::cached ? "cached" : "direct");
        one.requester.kind = kind;
        one.requester.socket = socket;
        one.path = path;
        one.targets.clear();
        for (std::uint8_t home = 0; home < 2; ++home) {
          for (const MemoryClass memory : {MemoryClass::cmem, MemoryClass::gmem, MemoryClass::cxl}) {
            Target target;
            target.socket = home;
            target.memory = memory;
            one.targets.push_back(target);
          }
        }
        one.mix = {{Operation::read, 1}, {Operation::write, 1}};
        if (path == Path::direct) {
          for (unsigned i = 0; i <= static_cast<unsigned>(Operation::atomic_store); ++i) {
            one.mix.push_back({static_cast<Operation>(i), 1});
          }
        }
        one.sizes = {{64, 2}, {32, 1}, {7, 1}, {1, 1}};
        one.pacing.kind = PacingSpec::Kind::exponential;
        one.pacing.requests_per_us = 300;
        one.outstanding = 16;
        spec.generators.push_back(one);
      }
    }
  }
  TrafficIssuer issuer("traffic", spec, memory_of(platform), 2);
  for (unsigned i = 0; i < 2; ++i) {
    issuer.requests[i].bind(platform.get<platform::Tegra410Part>().socket(i).requests);
    issuer.cpu_access[i].bind(platform.get<platform::Tegra410Part>().socket(i).cpu_access);
  }
  run([&] {
    issuer.start();
    sc_core::wait(issuer.done_event());
  });
  const auto all = issuer.statistics();
  ASSERT_EQ(all.size(), 8U);
  const Picoseconds shortest = tegra410::Parameters{}.latency.slc;
  for (const GeneratorStatistics& one : all) {
    EXPECT_EQ(one.issued, 4000U) << one.name;
    EXPECT_EQ(one.errors, 0U) << one.name;
    EXPECT_LE(one.peak_outstanding, 16U) << one.name;
    if (one.name.find("direct") == std::string::npos) continue;
    EXPECT_GE(one.mean_latency(), shortest) << one.name << ": nothing is faster than an SLC hit";
  }
}

}  // namespace
}  // namespace pmufab::traffic
