// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/players.h"

namespace pmufab::fuzz {

const bool kFindsLeaks = false;  // the shell's clients hide libFuzzer's own memory from the search

void play(std::span<const std::uint8_t> input) { play_on_shell(input); }

}  // namespace pmufab::fuzz
