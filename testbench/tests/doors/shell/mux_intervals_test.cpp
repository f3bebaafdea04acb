// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/perf_events.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace pmufab::shell {
namespace {

class MuxIntervalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pmufab-mux-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    std::filesystem::create_directory(folder / "pmu");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const std::string& text) const { std::ofstream(file(), std::ios::binary) << text; }
  [[nodiscard]] std::string read() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] std::filesystem::path file() const { return folder / "pmu/perf_event_mux_interval_ms"; }

  std::filesystem::path folder;
};

TEST_F(MuxIntervalsTest, are_milliseconds_of_the_programs_time) {
  write("4\n");
  EXPECT_EQ(MuxIntervals(folder, 1).of("pmu"), 4'000'000'000);
  EXPECT_EQ(MuxIntervals(folder, 0.001).of("pmu"), 4'000'000);
  EXPECT_EQ(MuxIntervals(folder, 1e-9).of("pmu"), 4);
  MuxIntervals intervals(folder, 0.001);
  EXPECT_EQ(intervals.of("other"), 4'000'000) << "the kernel's default";
  write("25");
  EXPECT_EQ(intervals.of("pmu"), 25'000'000);
  write("2147483647\n");
  EXPECT_GT(MuxIntervals(folder, 1e3).of("pmu"), 0);
}

TEST_F(MuxIntervalsTest, are_read_and_shown_as_the_kernel_does) {
  MuxIntervals intervals(folder, 1);
  for (const auto& [written, shown] : {std::pair{"0x10\n", 16}, {"010\n", 8}, {"+12\n", 12}, {"0XfF", 255}, {"9", 9}}) {
    write(written);
    EXPECT_EQ(intervals.of("pmu"), shown * Picoseconds{1'000'000'000}) << written;
    EXPECT_EQ(read(), std::to_string(shown) + "\n") << written;
  }
}

TEST_F(MuxIntervalsTest, are_what_they_were_if_the_kernel_refuses_what_is_written) {
  write("7\n");
  MuxIntervals intervals(folder, 1);
  EXPECT_EQ(intervals.of("pmu"), 7'000'000'000);
  for (const char* bad : {"0\n", "-1\n", "many\n", "3 ms\n", "2147483648\n", "\n", "0x\n", "0x-4\n", "08\n"}) {
    write(bad);
    EXPECT_EQ(intervals.of("pmu"), 7'000'000'000) << bad;
    EXPECT_EQ(read(), "7\n") << bad;
  }
  write("");
  EXPECT_EQ(intervals.of("pmu"), 7'000'000'000);
  EXPECT_EQ(read(), "") << "somebody is writing it";
}

}  // namespace
}  // namespace pmufab::shell
