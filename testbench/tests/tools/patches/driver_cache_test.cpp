// SPDX-License-Identifier: Apache-2.0
// What pmufab driver build keeps: few folders, those used last, and none that another build works in is removed.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbench/tests/tools/driver_fault_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DriverCache : public DriverFault {
 protected:
  static constexpr unsigned kMost = 40;

  void SetUp() override {
    DriverFault::SetUp();
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    cache = folder / "pmufab";
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    DriverFault::TearDown();
  }

  /// A folder as driver build leaves it, last used `hours` ago. @return its name
  std::string kept(unsigned number, unsigned hours) {
    std::string name = fmt::format("drivers-{:016x}", number);
    std::filesystem::create_directories(cache / name);
    write("pmufab/" + name + "/pmufab_drivers.so", std::string(1000, 'x'));
    write("pmufab/" + name + ".lock", "");
    std::filesystem::last_write_time(cache / (name + ".lock"),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    return name;
  }
  [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(cache / name); }

  std::filesystem::path cache;
};

TEST_F(DriverCache, each_build_removes_what_was_used_longest_ago_and_is_not_in_use) {
  for (unsigned number = 0; number < kMost; ++number) kept(number, number + 1);
  const std::string oldest = kept(kMost, 1000);
  const std::string before = kept(kMost + 1, 900);
  std::filesystem::create_directories(cache / "drivers-mine");
  write("pmufab/drivers-mine/own.c", "/* nobody's */");
  const int held = open((cache / (oldest + ".lock")).c_str(), O_RDWR);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  drivers_of("nvidia_t410_cmem_latency_pmu.c", read(std::string(PMUFAB_LINUX_SOURCES) + "/" + version() +
                                                    "/drivers/perf/nvidia_t410_cmem_latency_pmu.c"));
  EXPECT_TRUE(has(oldest)) << "another build works in it";
  EXPECT_FALSE(has(before)) << "it was used long ago";
  EXPECT_FALSE(has(before + ".lock"));
  EXPECT_FALSE(has(fmt::format("drivers-{:016x}", kMost - 1))) << "the new one takes its place";
  EXPECT_TRUE(has(fmt::format("drivers-{:016x}", kMost - 2)));
  EXPECT_TRUE(has("drivers-mine")) << "driver build has no such folder";

  EXPECT_THAT(ended(0, pmufab({"driver", "cache"})).out,
              AllOf(HasSubstr(oldest + "\n"), HasSubstr("/pmufab: 42 folders of built drivers, ")));
  EXPECT_THAT(ended(0, pmufab({"driver", "cache", "--clear"})).out,
              AllOf(HasSubstr(oldest + " stays: it is in use"), HasSubstr("/pmufab: 41 folders of built drivers, ")));
  EXPECT_TRUE(has(oldest));
  close(held);
  ended(0, pmufab({"driver", "cache", "--clear"}));
  EXPECT_FALSE(has(oldest));
  EXPECT_THAT(ended(0, pmufab({"driver", "cache"})).out, HasSubstr("/pmufab: 0 folders of built drivers, 0.0 MB\n"));
}

}  // namespace
}  // namespace pmufab::testing
