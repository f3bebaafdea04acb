// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/fabrics/tegra410/judge/tegra410_judge_spec.h"
#include "testbench/tests/judge/scoreboard_fixture.h"

namespace pmufab::scoreboard::test {
namespace {

std::string complaint(const std::function<void(Tegra410JudgeSpec&)>& spoil) {
  Tegra410JudgeSpec spec = small_platform();
  spoil(spec);
  try {
    spec.validate();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Tegra410JudgeSpec, a_sound_platform_is_accepted) {
  EXPECT_EQ(complaint([](Tegra410JudgeSpec&) {}), "");
}

TEST(Tegra410JudgeSpec, what_cannot_be_judged_is_refused_by_name) {
  using ::testing::HasSubstr;
  EXPECT_THAT(complaint([](auto& s) { s.sockets = 0; }), HasSubstr("socket"));
  EXPECT_THAT(complaint([](auto& s) { s.memory[2].size = 0; }), HasSubstr("memory[2] is empty"));
  EXPECT_THAT(complaint([](auto& s) { s.memory[2].base = ~0ULL << 6; }), HasSubstr("memory[2] wraps"));
  EXPECT_THAT(complaint([](auto& s) { s.memory[2].base += 1; }), HasSubstr("memory[2]"));
  EXPECT_THAT(complaint([](auto& s) { s.memory[2].socket = 2; }), HasSubstr("memory[2]"));
  EXPECT_THAT(complaint([](auto& s) { s.memory[2].base = s.memory[1].base + 64; }),
              HasSubstr("memory[1] and memory[2]"));
  EXPECT_THAT(complaint([](auto& s) { s.slc.ways = 0; }), HasSubstr("ways"));
  EXPECT_THAT(complaint([](auto& s) { s.cmem_controllers = 0; }), HasSubstr("cmem_controllers"));
  EXPECT_THAT(complaint([](auto& s) { s.ucf_frequency_hz = 0; }), HasSubstr("ucf_frequency_hz"));
  EXPECT_THAT(complaint([](auto& s) {
                s.coresight_pmus.push_back({CoreSightPmuType::ucf, "a", 5, 0, 0, {}});
              }),
              HasSubstr("PMU a"));
  EXPECT_THAT(complaint([](auto& s) {
                s.coresight_pmus.push_back({CoreSightPmuType::ucf, "a", 0, 0, 0, {}});
                s.cmem_pmus.push_back({"a", 0, 0});
              }),
              HasSubstr("called a"));
  EXPECT_THAT(complaint([](auto& s) { s.soc_frequency_hz = 0; }), HasSubstr("soc_frequency_hz"));
  EXPECT_THAT(complaint([](auto& s) {
                s.coresight_pmus.push_back({CoreSightPmuType::pcie, "a", 1, 3, 0, {}});
                s.coresight_pmus.push_back({CoreSightPmuType::pcie_tgt, "b", 1, 3, 0, {}});
                s.coresight_pmus.push_back({CoreSightPmuType::pcie, "c", 1, 3, 0, {}});
              }),
              HasSubstr("root complex 3 of socket 1 has two PMUs"));
  const auto masks = [](unsigned instances, std::vector<std::uint32_t> all) {
    return complaint([&](auto& s) { s.c2c_pmus.push_back({"a", 0, C2cPeer::gpu, instances, all, true, 0}); });
  };
  EXPECT_EQ(masks(14, {0x7f, 0x3f80}), "");
  EXPECT_EQ(masks(14, {0, 0x3fff}), "");
  EXPECT_THAT(masks(14, {0x7f, 0x3fc0}), HasSubstr("an instance of PMU a leads to two GPUs"));
  EXPECT_THAT(masks(12, {0x1000}), HasSubstr("PMU a has no instances of mask 0x1000"));
  EXPECT_THAT(masks(17, {}), HasSubstr("PMU a has 17 instances"));
  EXPECT_THAT(complaint([](auto& s) { s.c2c_frequency_hz = 0; }), HasSubstr("c2c_frequency_hz"));
}

TEST(Tegra410JudgeSpec, an_address_has_one_home_or_none) {
  const Tegra410JudgeSpec spec = small_platform();
  EXPECT_EQ(spec.home_of(kSocketStride + kGmem), &spec.memory[4]);
  EXPECT_EQ(spec.home_of(kSocketStride + kGmem + 0xff'ffff), &spec.memory[4]);
  EXPECT_EQ(spec.home_of(kSocketStride + kGmem + 0x100'0000), nullptr);
}

}  // namespace
}  // namespace pmufab::scoreboard::test
