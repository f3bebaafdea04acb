// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/players.h"

namespace pmufab::fuzz {

const bool kFindsLeaks = false;

void play(std::span<const std::uint8_t> input) { play_on_yaml(input, PMUFAB_SCENARIOS "/cmn"); }

}  // namespace pmufab::fuzz
