// SPDX-License-Identifier: Apache-2.0
// Machines of hardware. `--target=NAME` selects one, `--tell` prints each access; libFuzzer itself ignores options with
// two dashes.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "testbench/fuzz/harness.h"
#include "testbench/fuzz/players.h"
#include "testbench/fuzz/targets.h"

namespace pmufab::fuzz {
namespace {

// These last until the process ends, as SystemC's own objects do.
Machine* machine = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
Harness* harness = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

const bool kFindsLeaks = false;

void play(std::span<const std::uint8_t> input) { harness->run(input); }

}  // namespace pmufab::fuzz

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the name is libFuzzer's own
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
  using namespace pmufab::fuzz;
  machine = make_machine(name).release();
  if (machine == nullptr) {
    std::fprintf(stderr, "--target=NAME must name one of:%s\n", target_names().c_str());
    std::exit(2);
  }
  harness = new Harness("harness", *machine);
  harness->tell(tells);
  return 0;
}
// NOLINTEND(readability-identifier-naming)
}
