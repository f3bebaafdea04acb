// SPDX-License-Identifier: Apache-2.0
// What callbacks answer, and when they are called, as selftest_answers.c has it.
#include "testbench/tests/host/selftest/driver_sets.h"
#include "testbench/tests/host/selftest/services.h"

namespace pmufab::driver_host::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kEIO = -5, kENOMEM = -12, kEACCES = -13;

class Answers : public Services {
 protected:
  Answers() : Services("TEST0003", "answers") {}

  void boot(std::uint32_t mode, std::function<void()> story) {
    add_device(mode);
    DriverHostTest::boot(std::move(story));
  }

  /// The only broken rule, which names one of the driver's functions.
  void expect_rule(const std::string& text, const std::string& function) {
    EXPECT_THAT(host->warning_texts(),
                ElementsAre(AllOf(HasSubstr(text), HasSubstr(", in " + function + "() of selftest_answers.c"))));
  }
};

INSTANTIATE_TEST_SUITE_P(linux, Answers, ::testing::ValuesIn(selftest_driver_sets()), version_name);

TEST_P(Answers, what_is_written_to_a_file_is_taken_or_refused_as_in_sysfs) {
  boot(5, [&] {
    EXPECT_EQ(host->write_file("answers", "level", "23\n"), 3);
    EXPECT_EQ(content(pmu("answers"), "level"), "23\n");
    EXPECT_EQ(host->write_file("answers", "level", "many\n"), kEINVAL);
    EXPECT_EQ(host->write_file("answers", "type", "1\n"), kEACCES);  // 0444
    EXPECT_EQ(host->write_file("answers", "nothing", "1\n"), kEIO);  // no store()
    EXPECT_EQ(host->write_file("answers", "no_such", "1\n"), kENOENT);
    // A file without show() opens, and one whose mode has no reader does not, for root neither.
    EXPECT_EQ(pmu("answers").unreadable, (std::map<std::string, int>{{"nothing", kEIO}, {"secret", kEACCES}}));
    EXPECT_THAT(host->warning_texts(), ElementsAre(HasSubstr("answers/nothing: a missing show() returned -5")));
  });
}

TEST_P(Answers, a_store_that_takes_another_length_is_told) {
  boot(1, [&] {
    EXPECT_EQ(host->write_file("answers", "level", "5\n"), 0);
    EXPECT_TRUE(
        logged("answers/level: store() returned 0 for 2 bytes: a writer tries again for ever on Linux, in "
               "level_store() of selftest_answers.c"));
  });
}
TEST_P(Answers, a_store_that_takes_less_is_told) {
  boot(2, [&] {
    EXPECT_EQ(host->write_file("answers", "level", "5\n"), 1);
    EXPECT_TRUE(logged("answers/level: store() took 1 of 2 bytes: a writer sends the rest again on Linux, in"));
  });
}
TEST_P(Answers, a_store_that_takes_more_is_told) {
  boot(3, [&] {
    EXPECT_EQ(host->write_file("answers", "level", "5\n"), 3);
    EXPECT_TRUE(logged("answers/level: store() took 3 bytes, and 2 were written, in level_store() of"));
  });
}

TEST_P(Answers, parameters_are_read_and_set_when_their_module_is_loaded) {
  boot(10, [&] {
    expect_rule("selftest_answers/parameters/level: get() returned 0: the file is empty on Linux", "answers_get");
  });
}
TEST_P(Answers, a_parameter_that_cannot_be_read_is_told) {
  boot(11, [&] { expect_rule("parameters/level: get() returned -5: the file cannot be read", "answers_get"); });
}
TEST_P(Answers, a_parameter_that_answers_no_errno_is_told) {
  boot(12, [&] {
    expect_rule("parameters/level: set() returned 1 to the text that get() gave, which is no errno", "answers_set");
  });
}
TEST_P(Answers, a_parameter_that_refuses_its_own_text_is_told) {
  boot(13, [&] { expect_rule("parameters/level: set() returned -1 to the text that get() gave", "answers_set"); });
}

TEST_P(Answers, a_hotplug_callback_that_answers_no_errno_has_failed_and_the_cpus_before_go_back) {
  boot(20, [&] {
    expect_rule("a callback of CPU hotplug answers 5 for CPU 2, which is no errno", "answers_online");
    EXPECT_THAT(said("cpu "), ElementsAre("0 online", "1 online", "2 online", "0 offline", "1 offline"));
    EXPECT_TRUE(host->pmus().empty());
  });
}

TEST_P(Answers, a_cpu_stays_that_a_driver_does_not_let_go_and_a_state_cannot_be_kept_so) {
  boot(21, [&] {
    EXPECT_EQ(host->set_cpu_online(3, false), kEBUSY);
    EXPECT_TRUE(host->is_online(3));
    EXPECT_EQ(host->set_cpu_online(2, false), 0);
    EXPECT_EQ(host->warnings(), 0U);
    host->unload();
    expect_rule("a callback of CPU hotplug answers -16 when its state is left: a kernel dies of that",
                "answers_offline");
  });
}

TEST_P(Answers, a_cpu_that_a_driver_refuses_stays_offline) {
  boot(22, [&] {
    EXPECT_EQ(host->set_cpu_online(3, false), 0);
    EXPECT_EQ(host->set_cpu_online(3, true), kENOMEM);
    EXPECT_FALSE(host->is_online(3));
    EXPECT_THAT(said("cpu 3 "), ElementsAre("online", "offline", "online"));
    EXPECT_EQ(host->set_cpu_online(3, true), kENOMEM);  // the kernel asks again
    EXPECT_EQ(host->warnings(), 0U);
  });
}

TEST_P(Answers, a_notifier_must_not_answer_an_errno) {
  boot(30, [&] {
    expect_rule("a notifier answers -12, which is none of NOTIFY_...: it ends the chain, and the error is lost",
                "answers_told");
    EXPECT_THAT(said("told "), ElementsAre("0"));
  });
}
TEST_P(Answers, a_notifier_may_answer_an_errno_as_a_notifier_does) {
  boot(31, [&] {
    EXPECT_THAT(said("told "), ElementsAre("-12"));
    EXPECT_THAT(host->warning_texts(), IsEmpty());
  });
}

TEST_P(Answers, interrupts_between_the_steps_of_probe_and_remove_do_no_harm) {
  add_device(0);
  elaborate([&] {
    CallRecorder calls;
    host->observe(&calls);
    ASSERT_EQ(host->load_with_interrupts(), 0);
    const std::size_t loaded = calls.seen.size();
    EXPECT_GT(loaded, 2U);
    host->unload();
    EXPECT_GT(calls.seen.size(), loaded + 4);
    EXPECT_EQ(host->warnings(), 0U);
    host->observe(nullptr);
  });
}

TEST_P(Answers, an_interrupt_that_comes_before_the_registers_are_mapped_is_a_panic) {
  add_device(40);
  elaborate([&] {
    EXPECT_EQ(host->load(), 0);
    host->unload();
    EXPECT_EQ(host->warnings(), 0U) << "without interrupts";
    try {
      static_cast<void>(host->load_with_interrupts());
      FAIL() << "the kernel survived";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("NULL pointer dereference: device memory read at 0x20"),
                                      HasSubstr("in answers_irq() of selftest_answers.c")));
    }
  });
}

TEST_P(Answers, an_interrupt_that_comes_when_memory_is_freed_is_told) {
#ifdef PMUFAB_SANITIZED
  GTEST_SKIP() << "AddressSanitizer ends the program at the access";
#endif
  add_device(41);
  elaborate([&] {
    ASSERT_EQ(host->load_with_interrupts(), 0);
    EXPECT_EQ(host->warnings(), 0U);
    host->unload();
    expect_rule("an object of 8 bytes was written to after it had been freed; it was allocated", "answers_probe");
  });
}

/// Since 6.15, Linux detaches the events. Before, it would use freed memory.
TEST_P(Answers, an_event_that_is_open_when_its_driver_is_unbound_keeps_its_count) {
  boot(0, [&] {
    const EventHandle leader = open("answers", 1);
    const EventHandle member = open("answers", 2, leader, false);
    EXPECT_EQ(host->enable(leader), 0);
    pmufab::testing::advance(1'000'000);
    EXPECT_EQ(value(leader), 1U);
    EXPECT_EQ(host->unbind_driver("answers"), 1);
    EXPECT_THAT(host->pmus(), IsEmpty());
    const EventReading then = reading(leader);
    pmufab::testing::advance(1'000'000);
    EXPECT_EQ(reading(leader).value, 1U);
    EXPECT_EQ(reading(leader).time_enabled, then.time_enabled);
    EXPECT_EQ(value(member), 0U);
    EXPECT_EQ(host->enable(leader), kENODEV);
    if (kernel_is_at_least(6, 15)) {
      EXPECT_EQ(host->warnings(), 0U);
    } else {
      expect_rule("answers is unregistered with 2 events open: Linux before 6.15 uses its freed memory",
                  "answers_probe");
    }
    EXPECT_EQ(host->bind_driver("answers"), 1);
    EXPECT_EQ(open("answers", 1, leader), kENODEV);
    const EventHandle again = open("answers", 1, 0, false);
    EXPECT_EQ(value(again), 1U);
    host->close(again);
    host->close(leader);
    host->close(member);
    EXPECT_EQ(host->unbind_driver("no_such"), kENODEV);
    EXPECT_EQ(host->unbind_driver("answers"), 1);
    EXPECT_EQ(host->unbind_driver("answers"), 0);
  });
}

}  // namespace
}  // namespace pmufab::driver_host::testing
