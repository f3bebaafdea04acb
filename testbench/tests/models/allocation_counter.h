// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Counts allocations with operator new. Link allocation_counter.cpp into a test that needs it.
namespace pmufab::testing {

/// @return false if allocations are not counted: the sanitizers bring their own operator new, which is kept.
[[nodiscard]] bool counts_allocations() noexcept;
/// @return allocations since the program started.
[[nodiscard]] std::uint64_t allocations() noexcept;

/// @return bytes requested since the program started, freed or not.
[[nodiscard]] std::uint64_t allocated_bytes() noexcept;

}  // namespace pmufab::testing
