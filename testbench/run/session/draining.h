// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "testbench/fabrics/common/fabric.h"

namespace pmufab::scenario {

/// Wait until everything under way has ended, as long as any of it still moves. In a SystemC thread process, after
/// traffic has stopped.
/// @param look         how far it has come now
/// @param patience     give up after so long without any change
/// @param interrupted  the user wants an end: give up after `patience` in all
/// @return transactions given up
std::uint64_t drain(const std::function<DrainProgress()>& look, Picoseconds patience,
                    const std::function<bool()>& interrupted);

}  // namespace pmufab::scenario
