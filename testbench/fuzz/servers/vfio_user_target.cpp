// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/servers/vfio_user_player.h"

#include "testbench/fuzz/target.h"

namespace pmufab::fuzz {

const bool kFindsLeaks = true;

void play(std::span<const std::uint8_t> input) { play_on_vfio_user(input); }

}  // namespace pmufab::fuzz
