// SPDX-License-Identifier: Apache-2.0
// Random traffic on whole platforms, compared with the scoreboard's reference. Different people wrote the two programs
// from one text (docs/tegra410.md). Compared are every event, source and destination of every socket, and every access
// to memory with its times.
#include <gtest/gtest.h>

#include "models/tegra410/part/tegra410_part.h"
#include "models/tegra410/part/tegra410_spec.h"
#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/fabrics/tegra410/judge/wires/memory_wires.h"
#include "testbench/fabrics/tegra410/tests/model/tegra410_rig.h"
#include "testbench/judge/finding.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {
namespace {

scoreboard::Tegra410JudgeSpec spec_for(const platform::PlatformSpec& built) {
  scoreboard::Tegra410JudgeSpec spec;
  spec.sockets = built.sockets;
  for (const tegra410::MemoryRange& range : platform::system_map(built)) {
    spec.memory.push_back({range.base, range.size, range.socket, range.memory_class});
  }
  spec.slc = {built.of<platform::Tegra410Spec>().slc.slices, built.of<platform::Tegra410Spec>().slc.sets,
              built.of<platform::Tegra410Spec>().slc.ways};
  spec.cached = built.of<platform::Tegra410Spec>().slc.cached;
  spec.ucf_frequency_hz = built.of<platform::Tegra410Spec>().ucf_clock_hz;
  spec.slc_latency = built.of<platform::Tegra410Spec>().latency.slc;
  spec.cmem_latency = built.of<platform::Tegra410Spec>().latency.cmem;
  spec.gmem_latency = built.of<platform::Tegra410Spec>().latency.gmem;
  spec.link_latency = built.of<platform::Tegra410Spec>().latency.link;
  spec.cmem_service = built.of<platform::Tegra410Spec>().latency.cmem_service;
  return spec;
}

/// Passes the requests at the boundary to the reference.
class Judge : public BoundaryObserver {
 public:
  explicit Judge(const scoreboard::Tegra410JudgeSpec& spec) : spec_(spec), reference_(spec_), wires_(spec_, findings) {}
  void on_request(const Request& request) override {
    const auto& outcome = reference_.accept(request);
    EXPECT_FALSE(outcome.refused.has_value()) << *outcome.refused;
    for (const auto& operation : outcome.memory) wires_.expect(operation, request.when);
    ++requests;
  }
  void on_memory_access(const MemoryAccess& access) override { wires_.see(access); }

  /// The reference's counts, named as in Rig::take().
  Rig::Counts counts() const {
    static constexpr const char* kSources[] = {"noncpu", "cpu", "rem"};
    static constexpr const char* kDestinations[] = {"cmem", "gmem", "cxl", "rem"};
    Rig::Counts counts;
    for (unsigned socket = 0; socket < spec_.sockets; ++socket) {
      for (unsigned event = 0; event < scoreboard::kUcfEvents; ++event) {
        const auto which = static_cast<scoreboard::UcfEvent>(event);
        for (unsigned s = 0; s < 3; ++s) {
          for (unsigned d = 0; d < 4; ++d) {
            const std::uint64_t amount = reference_.tally(socket)[which].at(static_cast<scoreboard::Source>(s),
                                                                            static_cast<scoreboard::Destination>(d));
            if (amount == 0) continue;
            counts[std::to_string(socket) + " " + std::string(to_string(which)) + " " + kSources[s] + ">" +
                   kDestinations[d]] = amount;
          }
        }
      }
    }
    return counts;
  }
  void finish() { wires_.finish(); }

  std::uint64_t requests = 0;
  scoreboard::Findings findings;

 private:
  scoreboard::Tegra410JudgeSpec spec_;
  scoreboard::ReferenceUcf reference_;
  scoreboard::MemoryWires wires_;
};

class PlatformCrossCheck : public SimulationTest {
 protected:
  /// @param lines  number of lines of each memory: few for much snooping, many for much replacement
  void check(const platform::PlatformSpec& spec, std::uint64_t lines, std::uint64_t seed) {
    Rig rig(spec);
    Judge judge(spec_for(rig.platform.spec()));
    rig.platform.get<platform::Tegra410Part>().set_observer(&judge);
    run(
        [&] {
          std::uint64_t state = seed;
          const auto random = [&](std::uint64_t limit) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            return (state >> 33) % limit;
          };
          for (int step = 0; step < 60'000; ++step) {
            const auto socket = static_cast<unsigned>(random(spec.sockets));
            const auto cluster = static_cast<unsigned>(random(spec.of<platform::Tegra410Spec>().clusters));
            const auto home = static_cast<unsigned>(random(spec.sockets));
            const std::uint64_t line = random(lines);
            const std::uint64_t kind = random(8);
            const std::uint64_t address = kind == 0 ? gmem(home, line) : kind == 1 ? cxl(home, line) : cmem(home, line);
            switch (random(4)) {
              case 0:
                rig.load(socket, cluster, address);
                break;
              case 1:
                rig.store(socket, cluster, address);
                break;
              default: {
                const auto opcode = static_cast<FabricOpcode>(random(kFabricOpcodeCount));
                const bool partial = opcode == FabricOpcode::read_once || opcode == FabricOpcode::write_unique_ptl ||
                                     opcode == FabricOpcode::atomic_store;
                const std::uint64_t offset = partial ? random(64) : 0;
                const auto length = static_cast<unsigned>(partial ? 1 + random(64 - offset) : 64);
                rig.request({.opcode = opcode,
                             .address = address + offset,
                             .kind = static_cast<RequesterKind>(random(3)),
                             .socket = socket,
                             .cluster = cluster,
                             .length = length,
                             .delay = random(3) == 0 ? random(2'000) : 0});
              }
            }
            if (random(3) == 0) advance(random(20'000));
          }
        },
        kDefaultLimit);
    judge.finish();
    EXPECT_GE(judge.requests, 40'000U);
    const Rig::Counts counted = rig.take();
    const Rig::Counts expected = judge.counts();
    EXPECT_GE(expected.size(), 18U * (spec.sockets > 1 ? 2 : 1)) << "the traffic is too tame";
    EXPECT_EQ(counted, expected);
    for (const scoreboard::Finding& finding : judge.findings.list())
      ADD_FAILURE() << finding.kind << ": " << finding.text;
  }
};

TEST_F(PlatformCrossCheck, one_socket_with_few_lines) { check(small_spec(1), 6, 1); }
TEST_F(PlatformCrossCheck, two_sockets_with_few_lines) { check(small_spec(2), 6, 2); }
TEST_F(PlatformCrossCheck, two_sockets_with_many_lines) { check(small_spec(2), 40, 3); }
TEST_F(PlatformCrossCheck, four_sockets_with_few_lines) { check(small_spec(4), 4, 4); }
TEST_F(PlatformCrossCheck, four_sockets_with_many_lines) { check(small_spec(4), 30, 5); }

TEST_F(PlatformCrossCheck, odd_geometry_with_gmem_cached_and_cxl_not) {
  platform::PlatformSpec spec = small_spec(2);
  spec.cpus_per_socket = spec.edit<platform::Tegra410Spec>().clusters = 64;
  spec.edit<platform::Tegra410Spec>().slc = {
      .slices = 3, .sets = 5, .ways = 3, .cached = {MemoryClass::cmem, MemoryClass::gmem}};
  spec.edit<platform::Tegra410Spec>().latency.cmem_service = 9'000;
  check(spec, 60, 6);
}

}  // namespace
}  // namespace pmufab::testing
