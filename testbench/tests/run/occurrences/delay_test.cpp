// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/delay.h"
#include "testbench/run/occurrences/host_times.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::delay_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Picoseconds kMicrosecond = 1'000'000;
constexpr unsigned kDraws = 100'000;

constexpr const char* kSmall = R"(name: small
platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
duration: 10 us
measure:
  - events: [nvidia_ucf_pmu_0/slc_access_rd/]
host: )";

ScenarioSpec load(const std::string& host, const std::filesystem::path& base = {}) {
  const ScenarioFile file(parse_text(kSmall + host + "\n", "s.yaml"), base);
  return file.load(file.variants().front(), {});
}

std::string load_error(const std::string& host, const std::filesystem::path& base = {}) {
  try {
    static_cast<void>(load(host, base));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<Picoseconds> draw(const std::string& text, std::uint64_t seed = 1) {
  Delay delay(load("{interrupt_delay: " + text + "}").host.interrupt_delay, seed);
  std::vector<Picoseconds> drawn(kDraws);
  for (Picoseconds& one : drawn) one = delay.draw();
  return drawn;
}

double mean(const std::vector<Picoseconds>& drawn) {
  double sum = 0;
  for (const Picoseconds one : drawn) sum += static_cast<double>(one);
  return sum / static_cast<double>(drawn.size());
}

double share_above(const std::vector<Picoseconds>& drawn, double limit) {
  const auto above =
      std::count_if(drawn.begin(), drawn.end(), [&](Picoseconds one) { return static_cast<double>(one) > limit; });
  return static_cast<double>(above) / static_cast<double>(drawn.size());
}

TEST(DelayByChance, uniform_ones_fill_their_span) {
  const std::vector<Picoseconds> drawn = draw("{kind: uniform, from: 1 us, to: 5 us}");
  EXPECT_GE(*std::min_element(drawn.begin(), drawn.end()), kMicrosecond);
  EXPECT_LE(*std::max_element(drawn.begin(), drawn.end()), 5 * kMicrosecond);
  for (const double quarter : {1.0, 2.0, 3.0})
    EXPECT_NEAR(share_above(drawn, 1e6 * (1 + quarter)), 1 - quarter / 4, 0.01);
  EXPECT_THAT(draw("{kind: uniform, from: 2 us, to: 2 us}"), ::testing::Each(2 * kMicrosecond));
}

TEST(DelayByChance, exponential_ones_have_the_exponential_distribution) {
  const std::vector<Picoseconds> drawn = draw("{kind: exponential, mean: 2 us}");
  EXPECT_NEAR(mean(drawn), 2e6, 0.03e6);
  for (const double means : {0.1, 0.5, 1.0, 2.0, 4.0})
    EXPECT_NEAR(share_above(drawn, means * 2e6), std::exp(-means), 0.006) << means;
}

TEST(DelayByChance, bursty_ones_come_in_bursts) {
  const std::vector<Picoseconds> drawn = draw("{kind: bursty, time: 1 us, burst: 50 us, share: 0.2, length: 20}");
  unsigned bursts = 0;
  unsigned in_bursts = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] == kMicrosecond) continue;
    ASSERT_EQ(drawn[i], 50 * kMicrosecond);
    ++in_bursts;
    if (i == 0 || drawn[i - 1] == kMicrosecond) ++bursts;
  }
  EXPECT_NEAR(static_cast<double>(in_bursts) / kDraws, 0.2, 0.02);
  EXPECT_NEAR(static_cast<double>(in_bursts) / bursts, 20, 2);
}

TEST(DelayByChance, empirical_ones_are_as_frequent_as_in_their_table) {
  std::map<Picoseconds, unsigned> often;
  for (const Picoseconds one : draw("{kind: empirical, times: {1 us: 70, 3 us: 0, 20 us: 25, 100 us: 5}}"))
    ++often[one];
  EXPECT_EQ(often.size(), 3U);
  EXPECT_NEAR(often[kMicrosecond], 0.7 * kDraws, 0.01 * kDraws);
  EXPECT_NEAR(often[20 * kMicrosecond], 0.25 * kDraws, 0.01 * kDraws);
  EXPECT_NEAR(often[100 * kMicrosecond], 0.05 * kDraws, 0.005 * kDraws);
}

TEST(DelayByChance, a_seed_gives_one_sequence) {
  for (const char* const text : {"{kind: uniform, to: 5 us}", "{kind: exponential, mean: 5 us}",
                                 "{kind: bursty, burst: 5 us}", "{kind: empirical, times: {1 us: 1, 2 us: 1}}"}) {
    EXPECT_EQ(draw(text, 7), draw(text, 7)) << text;
    EXPECT_NE(draw(text, 7), draw(text, 8)) << text;
  }
}

class DelayTable : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-delay-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string& text) const { std::ofstream(folder / "table.csv") << text; }
  static constexpr const char* kTable = "{interrupt_delay: {kind: empirical, file: table.csv}}";
  std::filesystem::path folder;
};

TEST_F(DelayTable, in_a_file_becomes_part_of_the_effective_configuration) {
  write("# time,weight\n20 us,25\r\n\n1us,30  # most\n1 us,40\n0\n");
  const ScenarioSpec spec = load(kTable, folder);
  ASSERT_EQ(spec.host.interrupt_delay.table.size(), 3U);
  EXPECT_EQ(spec.host.interrupt_delay.table[0].time, 0U);
  EXPECT_EQ(spec.host.interrupt_delay.table[0].weight, 1U);
  EXPECT_EQ(spec.host.interrupt_delay.table[1].time, kMicrosecond);
  EXPECT_EQ(spec.host.interrupt_delay.table[1].weight, 70U);
  std::filesystem::remove(folder / "table.csv");
  const ScenarioFile again(parse_text(effective_yaml(spec, "newest"), "e.yaml"), {});
  const DelaySpec read = again.load(again.variants().front(), {}).host.interrupt_delay;
  EXPECT_EQ(read.kind, DelaySpec::Kind::empirical);
  ASSERT_EQ(read.table.size(), 3U);
  EXPECT_EQ(read.table[2].time, 20 * kMicrosecond);
  EXPECT_EQ(read.table[2].weight, 25U);
}

TEST_F(DelayTable, mistakes_are_told_with_their_line) {
  EXPECT_THAT(load_error(kTable, folder),
              AllOf(HasSubstr("s.yaml:6:"), HasSubstr("host.interrupt_delay.file"), HasSubstr("table.csv")));
  write("1 us\n5 parsecs,3\n");
  EXPECT_THAT(load_error(kTable, folder), AllOf(HasSubstr("table.csv:2:1"), HasSubstr("parsecs")));
  write("1 us,many\n");
  EXPECT_THAT(load_error(kTable, folder), AllOf(HasSubstr("table.csv:1:1"), HasSubstr("'many' is not a number")));
  write("2 h,1\n");
  EXPECT_THAT(load_error(kTable, folder), AllOf(HasSubstr("table.csv:1:1"), HasSubstr("is above 3600 s")));
  write("# nothing\n");
  EXPECT_THAT(load_error(kTable, folder), HasSubstr("has no time with a weight"));
}

TEST(DelayInScenario, mistakes_are_told_with_their_place) {
  EXPECT_THAT(load_error("{interrupt_delay: {kind: unifrom}}"),
              AllOf(HasSubstr("s.yaml:6:32"), HasSubstr("did you mean 'uniform'?")));
  EXPECT_THAT(load_error("{interrupt_delay: {kind: exponential}}"), HasSubstr("the key 'mean' is missing"));
  EXPECT_THAT(load_error("{interrupt_delay: {kind: exponential, mean: 0}}"), HasSubstr("outside 1 ps"));
  EXPECT_THAT(load_error("{interrupt_delay: {kind: uniform, from: 2 us, to: 1 us}}"), HasSubstr("is above 'to'"));
  EXPECT_THAT(load_error("{interrupt_delay: {kind: empirical}}"), HasSubstr("the key 'file' is missing"));
  EXPECT_THAT(load_error("{interrupt_delay: {kind: empirical, file: a, times: {1 us: 1}}}"), HasSubstr("not in both"));
  EXPECT_THAT(load_error("{interrupt_delay: {kind: bursty, burst: 1 us, share: 0.9, length: 2}}"),
              HasSubstr("bursts of 2 cannot be 0.9 of all"));
  EXPECT_THAT(load_error("{interrupt_loss: 1.5}"),
              AllOf(HasSubstr("host.interrupt_loss"), HasSubstr("outside 0 ... 1")));
  EXPECT_THAT(load_error("{away: {every: 10 us}}"), HasSubstr("the key 'for' is missing"));
  EXPECT_THAT(load_error("{away: {every: 10 us, for: 10 us}}"), HasSubstr("host.away.for: is not below 'every'"));
  EXPECT_THAT(load_error("{away: {every: 10 ns, for: 1 ns}}"), HasSubstr("is below 100 ns"));
}

TEST(HostTimes, are_always_the_same_unless_the_scenario_says_so) {
  for (const char* const host : {"{}", "{interrupt_delay: 5 us, access_latency: 1 ns}"})
    EXPECT_EQ(make_host_times(load(host).host, 1), nullptr) << host;
  for (const char* const host : {"{interrupt_delay: {kind: uniform, to: 5 us}}", "{interrupt_loss: 0.1}",
                                 "{handler_time: 1 us}", "{away: {every: 10 us, for: 1 us}}"})
    EXPECT_NE(make_host_times(load(host).host, 1), nullptr) << host;
}

TEST(HostTimes, spans_of_absence_come_and_go) {
  const auto times = make_host_times(load("{away: {every: 100 us, for: 20 us}}").host, 1);
  EXPECT_EQ(times->goes_on_at(0), 0U);
  EXPECT_EQ(times->goes_on_at(100 * kMicrosecond - 1), 100 * kMicrosecond - 1);
  EXPECT_EQ(times->goes_on_at(100 * kMicrosecond), 120 * kMicrosecond);
  EXPECT_EQ(times->goes_on_at(120 * kMicrosecond - 1), 120 * kMicrosecond);
  EXPECT_EQ(times->goes_on_at(120 * kMicrosecond), 120 * kMicrosecond);
  EXPECT_EQ(times->goes_on_at(1'010 * kMicrosecond), 1'020 * kMicrosecond);
  EXPECT_EQ(times->goes_on_at(1'050 * kMicrosecond), 1'050 * kMicrosecond);
}

TEST(HostTimes, interrupts_are_lost_as_often_as_they_should_be_and_the_others_take_the_same_time) {
  const auto all = make_host_times(load("{interrupt_delay: {kind: exponential, mean: 1 us}}").host, 3);
  const auto some =
      make_host_times(load("{interrupt_delay: {kind: exponential, mean: 1 us}, interrupt_loss: 0.25}").host, 3);
  unsigned lost = 0;
  for (unsigned i = 0; i < kDraws; ++i) {
    const auto expected = all->interrupt_delay();
    const auto delay = some->interrupt_delay();
    if (!delay) ++lost;
    if (delay) {
      ASSERT_EQ(delay, expected);
    }
  }
  EXPECT_NEAR(lost, 0.25 * kDraws, 0.01 * kDraws);
}

}  // namespace
}  // namespace pmufab::scenario::delay_test
