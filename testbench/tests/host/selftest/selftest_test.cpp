// SPDX-License-Identifier: Apache-2.0
// The small kernel, used by a driver written for the test (selftest_driver.c).
#include "testbench/tests/host/driver_host_test.h"
#include "testbench/tests/host/selftest/driver_sets.h"

namespace pmufab::driver_host::testing {
namespace {

using ::testing::ElementsAre;

/// A register at 0x10 whose bit 0 is the interrupt line.
class LineDevice : public FakeDevice {
 public:
  explicit LineDevice(InterruptLine& line) : line_(line) {}
  std::uint64_t read(std::uint64_t, unsigned) override { return 0; }
  void write(std::uint64_t offset, unsigned, std::uint64_t value) override {
    if (offset == 0x10) line_.drive((value & 1U) != 0);
  }

 private:
  InterruptLine& line_;
};

class Selftest : public DriverHostTest {
 protected:
  static constexpr std::uint64_t kBase = 0x50000000;

  Selftest() {  // there is no other device
    firmware.apmt.clear();
    firmware.devices.clear();
  }

  platform::AcpiDevice& add_device(std::uint32_t mode = 0) {
    platform::AcpiDevice acpi;
    acpi.hid = "TEST0001";
    acpi.memory.push_back({.base = kBase, .size = 0x1000});
    acpi.interrupts.push_back({.number = 200, .line = &overflow});
    acpi.properties["mode"] = mode;
    firmware.devices.push_back(acpi);
    bus.map(kBase, 0x1000, device);
    return firmware.devices.back();
  }

  /// The driver's log lines, without "selftest ".
  [[nodiscard]] std::vector<std::string> said(const std::string& about = "") const {
    const std::string prefix = "<6>selftest " + about;
    std::vector<std::string> lines;
    for (const std::string& line : host->log()) {
      if (line.starts_with(prefix)) lines.push_back(line.substr(prefix.size()));
    }
    return lines;
  }

  InterruptLine overflow{"selftest"};
  LineDevice device{overflow};
};

INSTANTIATE_TEST_SUITE_P(linux, Selftest, ::testing::ValuesIn(selftest_driver_sets()), version_name);

TEST_P(Selftest, printf_follows_the_kernel) {
  add_device();
  boot([&] {
    // Expectations: C99 and the kernel's Documentation/core-api/printk-formats.rst.
    EXPECT_THAT(
        said("printf "),
        ElementsAre(R"("%5d|%-5d|%05d|%+d" -> '   42|42   |-0042|+42' 21)",
                    R"("%x %#x %X %#06x %o" -> 'ff 0xff FF 0x00ff 10' 20)",
                    R"("%llx %lu %hhu %hd" -> '123456789abcdef 18446744073709551615 44 4464' 44)",
                    R"("%s|%.2s|%6s|%-6s|" -> 'abc|ab|   abc|abc   |' 21)", R"("%c%%%.3d" -> 'x%007' 5)",
                    R"("%*pbl" -> '0,2,4,8-11,63-65' 16)", R"("%*pb" -> '3,80000000,00000f15' 19)",
                    R"("%*pbl|" -> '0-1|' 4)", R"("%pa" -> '0x0000000012345678' 18)", R"("%*ph" -> 'de ad 01' 8)",
                    R"("%pe" -> '-22' 3)", R"("%pR" -> '[mem 0x50000000-0x50000fff]' 27)",
                    R"("%70s" -> ')" + std::string(61, ' ') + R"(tr' 70)", R"("%p" -> '(____ptrval____)' 16)"));
  });
}

TEST_P(Selftest, helpers_do_what_drivers_rely_on) {
  add_device();
  boot([&] {
    EXPECT_THAT(said("sort "), ElementsAre("-3 0 2 2 5 7 9"));
    EXPECT_THAT(said("kstrtou32 "), ElementsAre("0 31"));
    EXPECT_THAT(said("kstrtoint "), ElementsAre("-22 0 -7"));
    EXPECT_THAT(said("kstrtouint "), ElementsAre("-34"));
    EXPECT_THAT(said("krealloc "), ElementsAre("z", "grown z"));
    EXPECT_THAT(said("field "), ElementsAre("0x50000000000 0xab"));
    EXPECT_THAT(said("config "), ElementsAre("1 0"));
    EXPECT_THAT(said("control "), ElementsAre("\\x1b[31m"));
    EXPECT_THAT(said("missing "), ElementsAre("kzalloc 1"));
  });
}

TEST_P(Selftest, the_drivers_are_told_which_kernel_they_are_in) {
  add_device();
  boot([&] { EXPECT_THAT(said("version "), ElementsAre(GetParam().kernel_version)); });
}

TEST_P(Selftest, acpi_integers_have_64_bits) {
  add_device().properties_u64["wide"] = 0x1234567890abcdef;
  boot([&] {
    // -75 is EOVERFLOW.
    EXPECT_THAT(said("property "),
                ElementsAre("missing -22 3", "wide as u64 0 0x1234567890abcdef", "wide as cells -75 0x1 0x2",
                            "wide as u32 -75 0x3", "mode as u64 0 0", "of the device tree node -22", "match data 11"));
  });
}

TEST_P(Selftest, device_tree_properties_are_cells_of_32_bits_the_upper_half_first) {
  platform::AcpiDevice& node = add_device();
  node.properties_u64["wide"] = 0x1234567890abcdef;
  node.hid.clear();
  node.compatible = "test,selftest";
  boot([&] {
    EXPECT_THAT(said("property "), ElementsAre("missing -22 3", "wide as u64 0 0x1234567890abcdef",
                                               "wide as cells 0 0x12345678 0x90abcdef", "wide as u32 0 0x12345678",
                                               "mode as u64 -75 4", "of the device tree node 0", "match data 22"));
  });
}

TEST_P(Selftest, a_device_tree_node_is_below_the_one_of_its_own_socket) {
  constexpr std::uint32_t kDeferred = 5;
  platform::AcpiDevice above = add_device(kDeferred);
  above.hid.clear();
  above.compatible = "test,selftest";
  platform::AcpiDevice child;
  child.compatible = "test,child";
  child.uid = "test,selftest/";
  firmware.devices.clear();
  for (const std::uint32_t socket : {0U, 1U}) {
    above.node = child.node = socket;
    above.memory[0].base = kBase + socket * 0x10000;
    firmware.devices.insert(firmware.devices.end(), {above, child});
  }
  boot([&] {
    EXPECT_THAT(said("children "), ::testing::AllOf(::testing::Each("1"), ::testing::SizeIs(::testing::Ge(2U))));
  });
}

TEST_P(Selftest, debugfs_files_can_be_listed_and_read_until_they_are_removed) {
  add_device();
  boot([&] {
    EXPECT_THAT(said("debugfs "), ElementsAre("-17"));  // the name is taken: EEXIST
    const auto files = host->debugfs();
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].first, "selftest/inner/numbers");
    std::string numbers = "numbers:";
    for (int i = 0; i < 2000; ++i) {
      numbers += ' ';
      numbers += std::to_string(i);
    }
    EXPECT_EQ(files[0].second, numbers + "\nregister 0x0\n");
    EXPECT_EQ(files[1], (std::pair<std::string, std::string>("selftest/empty", "")));
    host->unload();
    EXPECT_TRUE(host->debugfs().empty());
    EXPECT_THAT(said("removed"), ElementsAre(""));
    EXPECT_THAT(host->warning_texts(), ElementsAre());
  });
}

TEST_P(Selftest, an_event_that_cannot_be_made_is_destroyed_as_its_kernel_does_it) {
  add_device();
  boot([&] {
    EXPECT_EQ(open("selftest", 99), kEINVAL);
    // Before 6.15 the driver had to release its resources itself.
    EXPECT_EQ(said("destroy config 99").size(), kernel_is_at_least(6, 15) ? 1U : 0U);
    host->close(open("selftest", 1));
    EXPECT_EQ(said("destroy config ").back(), "1");
  });
}

TEST_P(Selftest, interrupts_wait_for_locks_and_come_between_accesses) {
  add_device();
  boot([&] {
    const std::string taken = "irq 200 on cpu 1, interrupts off";
    std::vector<std::string> story;
    for (const std::string& line : said()) {
      if (line.starts_with("irq") || line.starts_with("lock") || line.starts_with("after") || line.starts_with("guard"))
        story.push_back(line);
    }
    EXPECT_THAT(story, ElementsAre("lock held", taken, "lock free", taken, "after access", "guard 1", "guard 0"));
    EXPECT_THAT(said("second request "), ElementsAre("-16"));
    EXPECT_EQ(host->handled_interrupts(), 2U);
  });
}

TEST_P(Selftest, sleeping_takes_time_in_which_interrupts_come_and_their_threads_wait_for_the_caller) {
  add_device(7);
  elaborate([&] {
    sc_core::sc_spawn([&] {
      pmufab::testing::advance(40'000'000'000);
      overflow.drive(true);
    });
    ASSERT_EQ(host->load(), 0);
    // The line stays up until the thread has run. Meanwhile the handler is not called again.
    EXPECT_THAT(said("wake"), ElementsAre(""));
    EXPECT_THAT(said("slept "), ElementsAre("100 ms"));
    EXPECT_THAT(said("thread "), ElementsAre("of irq 200, interrupts on"));
    EXPECT_EQ(host->log().back(), "<6>selftest thread of irq 200, interrupts on");
    std::vector<unsigned> sizes;
    for (const FakeBus::Access& access : bus.accesses(kBase + 0x25, 0x30)) sizes.push_back(access.size);
    EXPECT_THAT(sizes, ElementsAre(1, 1, 1, 8, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1));
    EXPECT_THAT(said("ranges "), ElementsAre("0 0"));
    EXPECT_THAT(said("overlap "), ElementsAre("-16"));
    EXPECT_THAT(said("released "), ElementsAre("0 -16"));  // the upper range is still there
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Selftest, a_pmu_with_transactions_of_its_own_gets_them_for_adding_and_reading_groups) {
  add_device();
  boot([&] {
    EXPECT_THAT(files(pmu("selftest"), "format/"), ElementsAre("shown"));
    const EventHandle leader = open("selftest", 1);
    const EventHandle member = open("selftest", 2, leader, false);
    const std::size_t before = said().size();
    EXPECT_EQ(host->enable(leader), 0);
    static_cast<void>(value(member));
    std::vector<EventReading> readings;
    EXPECT_EQ(host->read_group(leader, readings), 0);
    std::vector<std::string> calls = said();
    calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_THAT(calls, ElementsAre("add config 1 in 1", "add config 2 in 1", "commit", "read in 0", "read in 2",
                                   "read in 2", "commit"));
    ASSERT_EQ(readings.size(), 2U);
    EXPECT_EQ(readings[1].value, 2U);
  });
}

TEST_P(Selftest, observers_see_the_transactions_of_such_a_pmu_and_their_kind) {
  using Call = PerfCallObserver::Call;
  add_device();
  CallRecorder calls;
  boot([&] {
    const EventHandle leader = open("selftest", 1);
    const EventHandle member = open("selftest", 2, leader, false);
    const EventHandle wrong = open("selftest", 13, leader, false);
    ASSERT_GT(member, 0);
    host->observe(&calls);
    const auto seen = [&] {
      std::vector<std::pair<Call, std::uint64_t>> transactions;
      for (const CallRecorder::Seen& one : calls.seen) {
        if (one.begin && one.call >= Call::start_txn) transactions.emplace_back(one.call, one.value);
      }
      calls.seen.clear();
      return transactions;
    };
    EXPECT_EQ(host->enable(leader), 0);
    EXPECT_THAT(seen(), ElementsAre(std::pair(Call::start_txn, PerfCallObserver::kAddTransaction),
                                    std::pair(Call::cancel_txn, PerfCallObserver::kAddTransaction)));
    host->close(wrong);
    EXPECT_EQ(host->disable(leader), 0);
    seen();
    EXPECT_EQ(host->enable(leader), 0);
    EXPECT_THAT(seen(), ElementsAre(std::pair(Call::start_txn, PerfCallObserver::kAddTransaction),
                                    std::pair(Call::commit_txn, PerfCallObserver::kAddTransaction)));
    std::vector<EventReading> readings;
    EXPECT_EQ(host->read_group(leader, readings), 0);
    EXPECT_THAT(seen(), ElementsAre(std::pair(Call::start_txn, PerfCallObserver::kReadTransaction),
                                    std::pair(Call::commit_txn, PerfCallObserver::kReadTransaction)));
    static_cast<void>(value(member));
    EXPECT_TRUE(seen().empty());
  });
}

TEST_P(Selftest, a_group_whose_member_fails_is_taken_back) {
  add_device();
  boot([&] {
    const EventHandle leader = open("selftest", 1);
    const EventHandle middle = open("selftest", 2, leader, false);
    const EventHandle wrong = open("selftest", 13, leader, false);
    ASSERT_GT(middle, 0);
    ASSERT_GT(wrong, 0);
    const std::size_t before = said().size();
    EXPECT_EQ(host->enable(leader), 0);
    std::vector<std::string> calls = said();
    calls.erase(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_THAT(calls, ElementsAre("add config 1 in 1", "add config 2 in 1", "add config 13 in 1", "del config 2",
                                   "del config 1", "cancel"));
    EXPECT_EQ(reading(middle).time_running, 0U);
  });
}

TEST_P(Selftest, managed_resources_go_newest_first) {
  add_device();
  boot([&] {
    host->unload();
    EXPECT_THAT(said("release "), ElementsAre("second", "first"));
    EXPECT_THAT(host->warning_texts(), ElementsAre());
  });
}

TEST_P(Selftest, a_failing_probe_releases_everything_and_warns_once) {
  add_device(3);
  boot([&] {
    EXPECT_THAT(said("release "), ElementsAre("second", "first"));
    EXPECT_EQ(host->warnings(), 1U);
    EXPECT_TRUE(logged("WARNING: CPU: 0 at selftest_driver.c:"));
    EXPECT_TRUE(logged("<3>selftest TEST0001:00: error -12: told to fail"));
    EXPECT_TRUE(logged("probe with driver selftest failed with error -12"));
    EXPECT_TRUE(host->pmus().empty());
  });
}

TEST_P(Selftest, a_probe_that_defers_for_ever_is_reported) {
  add_device(5);
  boot([&] {
    EXPECT_TRUE(logged("TEST0001:00: deferred probe pending"));
    EXPECT_TRUE(host->pmus().empty());
  });
}

TEST_P(Selftest, two_attributes_of_one_name_fail_the_registration) {
  add_device(6);
  boot([&] {
    EXPECT_THAT(said("register "), ElementsAre("-17"));
    EXPECT_TRUE(logged("cannot create duplicate filename 'format/shown'"));
  });
}

/// A panic leaves load() as an exception. Then the kernel is dead.
class SelftestPanic : public Selftest {
 protected:
  void expect_panic(std::uint32_t mode, const std::string& why) {
    add_device(mode);
    elaborate([&] {
      try {
        static_cast<void>(host->load());
        FAIL() << "the kernel survived";
      } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr(why));
        EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().kernel_version));
      }
      EXPECT_TRUE(logged("<0>Kernel panic - not syncing: " + why));
      EventReading ignored{};
      EXPECT_EQ(host->read(1, ignored), -5);
      EXPECT_EQ(host->load(), -5);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(linux, SelftestPanic, ::testing::ValuesIn(selftest_driver_sets()), version_name);

TEST_P(SelftestPanic, a_null_pointer) {
  expect_panic(1, "Unable to handle kernel NULL pointer dereference: device memory read at 0xd38");
}
TEST_P(SelftestPanic, a_deadlock) { expect_panic(2, "deadlock: this mutex is already held"); }
TEST_P(SelftestPanic, an_access_beyond_a_mapping) {
  expect_panic(4, "Unable to handle kernel paging request: device memory read outside every mapping");
}

}  // namespace
}  // namespace pmufab::driver_host::testing
