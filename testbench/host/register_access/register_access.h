// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace pmufab {

/// How reference software reaches registers: plain functions, for any bus. Addresses are those of the bus. Software that
/// needs accesses of one size only leaves the others empty.
struct RegisterAccess {
  std::function<std::uint32_t(std::uint64_t address)> read32;
  std::function<void(std::uint64_t address, std::uint32_t value)> write32;
  std::function<std::uint64_t(std::uint64_t address)> read64;
  std::function<void(std::uint64_t address, std::uint64_t value)> write64;
};

}  // namespace pmufab
