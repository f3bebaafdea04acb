// SPDX-License-Identifier: Apache-2.0
// The main program of every test. Both functions are in one file on purpose: the SystemC library has a main() of its
// own, and whichever symbol the linker misses first must bring in both of ours.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#ifdef PMUFAB_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif
#include <systemc>

#include "testbench/run/process/main_stack.h"
#include "testbench/run/process/resource_limits.h"

// How the sanitizers run in tests (the environment overrides this).
//
// - Leaks are errors. SystemC's own allocations stay reachable from its global context, so nothing is suppressed. A
//   thread process that never ends never unwinds its stack, which the leak checker cannot see: keep heap objects of
//   endless processes in members, not in local variables.
// - Detection of use after return is off, because it moves local variables to a separate stack, which clashes with
//   SystemC's coroutines.
// - Ten callers of each allocation are kept, not thirty: finding them takes a tenth of the tests' time.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names are the sanitizers' own
const char* __asan_default_options();
const char* __asan_default_options() {
  return "detect_leaks=1:detect_stack_use_after_return=0:strict_string_checks=1:malloc_context_size=10";
}
const char* __ubsan_default_options();
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
// NOLINTEND(readability-identifier-naming)
}

namespace {

/// "2/4": each test of the second quarter runs in a process of its own, forked from this one. Loading a program with
/// sanitizers and making its list of tests takes longer than most of the tests.
constexpr const char* kEachAlone = "PMUFAB_EACH_TEST_ALONE";
constexpr unsigned kPatience = 300;  // seconds for a test

std::vector<std::string> tests_of_part(const std::string& part) {
  const unsigned long number = std::strtoul(part.c_str(), nullptr, 10);
  const unsigned long parts = std::strtoul(part.c_str() + part.find('/') + 1, nullptr, 10);
  std::vector<std::string> tests;
  unsigned long index = 0;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
      if (name.find("DISABLED_") == std::string::npos && index++ % parts + 1 == number)
        tests.push_back(std::move(name));
    }
  }
  return tests;
}

/// End the child that ran a test. Destructors of what the program has from its beginning are left to the parent: each
/// would write to memory that both share, and copying that took a seventh of the time. Leaks are looked
/// for before them, so what such an object still holds is none.
[[noreturn]] void end_child(int code) {
  std::fflush(nullptr);
#ifdef PMUFAB_SANITIZED
  pmufab::process::return_to_main_stack();  // it holds what main() has
  __lsan_do_leak_check();
#endif
  _exit(code);
}

/// @return the exit code of the parent
int run_each_alone(const std::string& part) {
  unsigned long failed = 0;
  const std::vector<std::string> tests = tests_of_part(part);
  for (const std::string& test : tests) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      unsetenv(kEachAlone);
      GTEST_FLAG_SET(filter, test);
      alarm(kPatience);
      end_child(RUN_ALL_TESTS());
    }
    int status = -1;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) continue;
    ++failed;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      std::printf("[  FAILED  ] %s: it took longer than %u s\n", test.c_str(), kPatience);
    } else {
      std::printf("[  FAILED  ] %s: its process ended with status %#x\n", test.c_str(), static_cast<unsigned>(status));
    }
  }
  if (::testing::UnitTest::GetInstance()->total_test_count() == 0) failed = 1;  // the program has no tests
  std::printf("%zu tests of part %s, each in a process of its own: %lu failed\n", tests.size(), part.c_str(), failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  ::testing::InitGoogleTest(&argc, argv);
  const char* const part = std::getenv(kEachAlone);
  return part != nullptr ? run_each_alone(part) : RUN_ALL_TESTS();
}

[[gnu::section(".preinit_array"),
  gnu::used]] static void (*const kBeforeLibraries)() = pmufab::process::take_memory_early;

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
