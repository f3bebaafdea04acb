// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/pmufab/command.h"

namespace pmufab::cli {

/// pmufab regs SCENARIO --at TIME, and --diff TIME,TIME: run the scenario up to there, and show registers.
/// @return an exit code. @throws scenario::InputError
int show_registers_at(const Request& request);

}  // namespace pmufab::cli
