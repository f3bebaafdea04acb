// SPDX-License-Identifier: Apache-2.0
// Compares sysfs files of drivers with the documentation that comes with their source
// (Documentation/admin-guide/perf/nvidia-tegra410-pmu.rst), and with the tables in their source.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "testbench/tests/host/driver_host_test.h"

namespace pmufab::driver_host::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

class Sysfs : public DriverHostTest {
 protected:
  /// The folder with the sources of this kernel.
  [[nodiscard]] static fs::path tree() {
    for (const fs::directory_entry& entry : fs::directory_iterator(PMUFAB_LINUX_SOURCES)) {
      std::string version;
      std::ifstream(entry.path() / "VERSION") >> version;
      if (version == GetParam().kernel_version || entry.path().filename() == GetParam().kernel_version) {
        return entry.path();
      }
    }
    throw std::runtime_error("no sources of Linux " + GetParam().kernel_version + " in " PMUFAB_LINUX_SOURCES);
  }

  [[nodiscard]] static std::string text_of(const fs::path& file) {
    std::ifstream in(tree() / file);
    EXPECT_TRUE(in) << file;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// The part of the documentation between two section titles.
  [[nodiscard]] static std::string section(const std::string& title, const std::string& next) {
    const std::string text = text_of("Documentation/admin-guide/perf/nvidia-tegra410-pmu.rst");
    const std::size_t start = text.find("\n" + title + "\n---");
    const std::size_t end = text.find("\n" + next + "\n---");
    EXPECT_LT(start, end) << title;
    return text.substr(start, end - start);
  }

  /// Every word of [a-z_0-9] between `before` and `after`.
  [[nodiscard]] static std::vector<std::string> words_between(const std::string& text, const std::string& before,
                                                              const std::string& after) {
    std::vector<std::string> words;
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
      const std::size_t start = at + before.size();
      const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", start);
      if (end == std::string::npos || end == start || text.compare(end, after.size(), after) != 0) continue;
      words.push_back(text.substr(start, end - start));
    }
    return words;
  }

  /// Names before a colon in an indented bullet list: "  * name: what it is".
  [[nodiscard]] static std::vector<std::string> listed(const std::string& text) {
    return words_between(text, "\n  * ", ":");
  }

  /// First arguments of a macro inside a table of the driver's source: MACRO(name, ...).
  [[nodiscard]] static std::vector<std::string> table(const fs::path& file, const std::string& name,
                                                      const std::string& macro) {
    const std::string text = text_of(file);
    const std::size_t start = text.find(name + "[] = {");
    EXPECT_NE(start, std::string::npos) << name;
    const std::string body = text.substr(start, text.find("};", start) - start);
    return words_between(body, macro + "(", ",");
  }

  static constexpr const char* kNvidia = "drivers/perf/arm_cspmu/nvidia_cspmu.c";
};
PMUFAB_FOR_EVERY_TEGRA410_KERNEL(Sysfs);

TEST_P(Sysfs, every_documented_ucf_event_and_filter_is_there) {
  boot([&] {
    const Pmu ucf = pmu("nvidia_ucf_pmu_0");
    std::vector<std::string> events;
    std::vector<std::string> filters;
    for (const std::string& name : listed(section("UCF PMU", "PCIE PMU"))) {
      (name.starts_with("src_") || name.starts_with("dst_") ? filters : events).push_back(name);
    }
    EXPECT_EQ(events.size(), 9U);  // as many as the page lists today, so that the test cannot pass by finding none
    EXPECT_EQ(filters.size(), 7U);
    EXPECT_THAT(files(ucf, "events/"), IsSupersetOf(events));
    filters.emplace_back("event");
    EXPECT_THAT(files(ucf, "format/"), UnorderedElementsAreArray(filters));
  });
}

TEST_P(Sysfs, every_pmu_has_the_documented_cpu_attributes) {
  const std::string text = section("PMU Driver", "UCF PMU");
  ASSERT_NE(text.find("\"cpumask\""), std::string::npos);
  ASSERT_NE(text.find("\"associated_cpus\""), std::string::npos);
  boot([&] {
    for (const Pmu& one : host->pmus()) {
      EXPECT_THAT(files(one, ""), Contains("cpumask")) << one.name;
      EXPECT_THAT(files(one, ""), Contains("associated_cpus")) << one.name;
      EXPECT_THAT(files(one, ""), Contains("identifier")) << one.name;
      for (const auto& [path, content] : one.files) {
        EXPECT_EQ(content.back(), '\n') << one.name << "/" << path;
        EXPECT_EQ(std::count(content.begin(), content.end(), '\n'), 1) << one.name << "/" << path;
      }
    }
  });
}

TEST_P(Sysfs, the_documented_examples_of_the_cmem_pmu_name_existing_events) {
  boot([&] {
    const std::string text = section("CPU Memory (CMEM) Latency PMU", "NVLink-C2C PMU");
    const Pmu cmem = pmu("nvidia_cmem_latency_pmu_0");
    const std::vector<std::string> used = words_between(text, "nvidia_cmem_latency_pmu_0/", "/");
    EXPECT_EQ(used.size(), 3U);
    EXPECT_THAT(files(cmem, "events/"), IsSupersetOf(used));
  });
}

TEST_P(Sysfs, the_listing_of_the_ucf_pmu_is_complete) {
  boot([&] {
    const Pmu ucf = pmu("nvidia_ucf_pmu_0");
    const std::vector<std::string> events = table(kNvidia, "ucf_pmu_event_attrs", "ARM_CSPMU_EVENT_ATTR");
    EXPECT_GE(events.size(), 19U);
    EXPECT_THAT(files(ucf, "events/"), UnorderedElementsAreArray(events));
  });
}

// contract C6
TEST_P(Sysfs, without_a_cycle_counter_the_cycles_event_is_hidden) {
  class WithoutCycles : public FakeCoresightPmu {
   public:
    using FakeCoresightPmu::FakeCoresightPmu;
    std::uint64_t read(std::uint64_t offset, unsigned size) override {
      const std::uint64_t value = FakeCoresightPmu::read(offset, size);
      return offset == 0xe00 ? value & ~(std::uint64_t{1} << 14) : value;
    }
  };
  WithoutCycles device(0x1230036B, nullptr);  // by NVIDIA, but not a product the driver knows
  add_coresight(7, 0x30000000, device, nullptr, 0, 0);
  boot([&] {
    // contract C4
    const std::vector<std::string> events = files(pmu("nvidia_uncore_pmu_0"), "events/");
    EXPECT_EQ(std::count(events.begin(), events.end(), "cycles"), 0);
    const std::vector<std::string> other = files(pmu("nvidia_ucf_pmu_0"), "events/");
    EXPECT_EQ(std::count(other.begin(), other.end(), "cycles"), 1);
  });
}

}  // namespace
}  // namespace pmufab::driver_host::testing
