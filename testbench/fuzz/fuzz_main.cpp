// SPDX-License-Identifier: Apache-2.0
// The entry points for libFuzzer, the same for all programs.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "testbench/fuzz/players.h"

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names are libFuzzer's and the sanitizers' own
const char* __asan_default_options();
const char* __asan_default_options() {
  return pmufab::fuzz::kFindsLeaks ? "detect_stack_use_after_return=0"
                                   : "detect_stack_use_after_return=0:detect_leaks=0";
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    pmufab::fuzz::play({data, size});
  } catch (const pmufab::fuzz::Violation& violation) {
    std::fprintf(stderr, "\nViolation: %s\n", violation.what());
    std::abort();
  }
  return 0;
}
// NOLINTEND(readability-identifier-naming)

// SystemC's library refers to it; the main() is libFuzzer's.
int sc_main(int argc, char* argv[]);
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
}
