// SPDX-License-Identifier: Apache-2.0
// The entry point for libFuzzer, for the vfio-user server.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "testbench/fuzz/vfio_user_player.h"
#include "testbench/fuzz/violation.h"

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the name is libFuzzer's own
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    pmufab::fuzz::play_on_vfio_user({data, size});
  } catch (const pmufab::fuzz::Violation& violation) {
    std::fprintf(stderr, "\nViolation: %s\n", violation.what());
    std::abort();
  }
  return 0;
}
// NOLINTEND(readability-identifier-naming)

// SystemC's library, which the servers' time slices use, refers to it; the main() is libFuzzer's.
int sc_main(int argc, char* argv[]);
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }
}
