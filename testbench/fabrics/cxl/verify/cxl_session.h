// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "testbench/fabrics/common/fabric_generator.h"

namespace pmufab::verify {

/// @return a machine with a session that knows what each counter was programmed with, and when it wraps: counters of
///         every width wrap with their interrupts, several at once, and each counter has a program of its own. Sessions
///         that know less cannot do that, because the driver makes mistakes then (cxl_known_defects.h).
[[nodiscard]] GeneratedMachine cxl_session_machine(Random& random, std::string_view kernel);

}  // namespace pmufab::verify
