// SPDX-License-Identifier: Apache-2.0
// The entry points for libFuzzer. `--target=NAME` selects the machine, `--tell` prints each access; libFuzzer itself
// ignores options with two dashes.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <systemc>

#include "testbench/fuzz/harness.h"
#include "testbench/fuzz/targets.h"

namespace {

// These last until the process ends, as SystemC's own objects do.
pmufab::fuzz::Machine* machine = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
pmufab::fuzz::Harness* harness = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names are libFuzzer's and the sanitizers' own
const char* __asan_default_options();
const char* __asan_default_options() { return "detect_stack_use_after_return=0:detect_leaks=0"; }

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerInitialize(int* argc, char*** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  constexpr std::string_view kOption = "--target=";
  std::string_view name;
  bool tells = false;
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.substr(0, kOption.size()) == kOption) name = argument.substr(kOption.size());
    tells = tells || argument == "--tell";
  }
  machine = pmufab::fuzz::make_machine(name).release();
  if (machine == nullptr) {
    std::fprintf(stderr, "--target=NAME must name one of:%s\n", pmufab::fuzz::target_names().c_str());
    std::exit(2);
  }
  harness = new pmufab::fuzz::Harness("harness", *machine);
  harness->tell(tells);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    harness->run({data, size});
  } catch (const pmufab::fuzz::Violation& violation) {
    std::fprintf(stderr, "\nViolation: %s\n", violation.what());
    std::abort();
  }
  return 0;
}
// NOLINTEND(readability-identifier-naming)
}

// SystemC's library refers to it; the main() is libFuzzer's.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
