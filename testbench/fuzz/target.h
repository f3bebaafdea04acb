// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::fuzz {

// What each fuzzing program gives to fuzz_main.cpp.

/// Play one input. @throws Violation
void play(std::span<const std::uint8_t> input);

/// False if the sanitizer's search for leaks finds what is none, such as what lasts until the process ends. The tests
/// with the seeds look for leaks all the same.
extern const bool kFindsLeaks;

}  // namespace pmufab::fuzz
