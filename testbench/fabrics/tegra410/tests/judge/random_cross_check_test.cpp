// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "testbench/fabrics/tegra410/judge/reference_ucf.h"
#include "testbench/fabrics/tegra410/tests/judge/brute_force_ucf.h"
#include "testbench/fabrics/tegra410/tests/judge/identities.h"
#include "testbench/tests/judge/scoreboard_fixture.h"

namespace pmufab::scoreboard::test {
namespace {

/// Requests of every kind from every requester to a few lines of every class and socket, so that they conflict.
class RandomRequests {
 public:
  explicit RandomRequests(std::uint32_t seed) : random_(seed) {}

  BoundaryObserver::Request next(unsigned sockets) {
    const auto socket = static_cast<unsigned>(pick(sockets));
    const std::uint64_t kind = pick(5);
    const Requester from = kind < 3    ? cpu(socket, static_cast<std::uint16_t>(kind))
                           : kind == 3 ? gpu(socket)
                                       : pcie(socket);
    const auto opcode = static_cast<FabricOpcode>(pick(kFabricOpcodeCount));
    constexpr std::uint64_t kClassBase[] = {kCmem, kCmem, kGmem, kCxl};
    std::uint64_t address = pick(sockets) * kSocketStride + kClassBase[pick(4)] + 64 * pick(12);
    std::uint32_t length = 64;
    if (opcode == FabricOpcode::read_once || opcode == FabricOpcode::write_unique_ptl ||
        opcode == FabricOpcode::atomic_store) {
      const std::uint64_t offset = pick(64);
      address += offset;
      length = static_cast<std::uint32_t>(1 + pick(64 - offset));
    } else if (opcode == FabricOpcode::evict || opcode == FabricOpcode::clean_unique ||
               opcode == FabricOpcode::clean_invalid) {
      length = 0;
    }
    return request(from, opcode, address, length);
  }

 private:
  std::uint64_t pick(std::uint64_t choices) {
    return boost::random::uniform_int_distribution<std::uint64_t>(0, choices - 1)(random_);
  }
  boost::random::mt19937 random_;
};

class RandomCrossCheck : public ::testing::TestWithParam<std::tuple<unsigned, std::uint32_t>> {};

TEST_P(RandomCrossCheck, two_models_of_the_text_agree_after_every_request) {
  const auto [sockets, seed] = GetParam();
  const Tegra410JudgeSpec spec = small_platform(sockets);
  ReferenceUcf reference(spec);
  BruteForceUcf brute_force(spec);
  RandomRequests requests(seed);
  for (int i = 0; i < 20'000; ++i) {
    const BoundaryObserver::Request r = requests.next(sockets);
    ASSERT_EQ(reference.accept(r).refused, std::nullopt);
    brute_force.accept(r);
    for (unsigned socket = 0; socket < sockets; ++socket) {
      ASSERT_EQ(reference.tally(socket), brute_force.tally(socket))
          << "request " << i << ": " << to_string(r.opcode) << " from socket " << unsigned{r.requester_socket} << " to "
          << std::hex << r.address;
    }
  }
  // The traffic must have caused every event. Otherwise the comparison proves little.
  for (std::size_t e = 0; e < kUcfEvents; ++e) {
    const auto event = static_cast<UcfEvent>(e);
    if (sockets == 1 && (event == UcfEvent::ext_snp_access || event == UcfEvent::ext_snp_evict)) continue;
    EXPECT_GT(reference.tally(0)[event].sum(), 100) << to_string(event);
  }
}

TEST_P(RandomCrossCheck, the_identities_hold_for_any_traffic) {
  const auto [sockets, seed] = GetParam();
  ReferenceUcf reference(small_platform(sockets));
  RandomRequests requests(seed + 1000);
  for (int i = 0; i < 20'000; ++i) {
    reference.accept(requests.next(sockets));
    if (i % 1000 != 0) continue;
    std::vector<UcfCounts> ucfs;
    for (unsigned socket = 0; socket < sockets; ++socket) ucfs.push_back(counts_of(reference.tally(socket)));
    ASSERT_EQ(violated_identities(ucfs), std::vector<std::string>{});
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, RandomCrossCheck,
                         ::testing::Combine(::testing::Values(1U, 2U, 3U), ::testing::Values(1U, 2U, 3U)));

}  // namespace
}  // namespace pmufab::scoreboard::test
