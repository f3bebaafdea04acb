// SPDX-License-Identifier: Apache-2.0
// The main program of every test. Both functions are in one file on purpose: the SystemC library has a main() of its
// own, and whichever symbol the linker misses first must bring in both of ours.

#include <cstdlib>

#include <gtest/gtest.h>
#include <systemc>

// How the sanitizers run in tests (the environment overrides this).
//
// - Leaks are errors. SystemC's own allocations stay reachable from its global context, so nothing is suppressed. A
//   thread process that never ends never unwinds its stack, which the leak checker cannot see: keep heap objects of
//   endless processes in members, not in local variables.
// - Detection of use after return is off, because it moves local variables to a separate stack, which clashes with
//   SystemC's coroutines.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names are the sanitizers' own
const char* __asan_default_options();
const char* __asan_default_options() { return "detect_leaks=1:detect_stack_use_after_return=0:strict_string_checks=1"; }
const char* __ubsan_default_options();
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
// NOLINTEND(readability-identifier-naming)
}

int sc_main(int argc, char* argv[]) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
