// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Counts what the program allocates with operator new. Link allocation_counter.cpp into a test that asks.
namespace pmufab::testing {

/// @return whether allocations are counted: the sanitizers bring an operator new of their own, which is left alone.
[[nodiscard]] bool counts_allocations() noexcept;
/// @return allocations since the program started.
[[nodiscard]] std::uint64_t allocations() noexcept;

/// @return bytes asked for since the program started, freed or not.
[[nodiscard]] std::uint64_t allocated_bytes() noexcept;

}  // namespace pmufab::testing
