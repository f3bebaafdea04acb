// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/players.h"

namespace pmufab::fuzz {

const bool kFindsLeaks = true;

void play(std::span<const std::uint8_t> input) { play_on_register_server(input); }

}  // namespace pmufab::fuzz
