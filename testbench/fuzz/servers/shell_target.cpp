// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/servers/shell_player.h"

#include "testbench/fuzz/target.h"

namespace pmufab::fuzz {

const bool kFindsLeaks = false;  // the shell's clients hide libFuzzer's own memory from the search

void play(std::span<const std::uint8_t> input) { play_on_shell(input); }

}  // namespace pmufab::fuzz
