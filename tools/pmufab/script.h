// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/pmufab/command.h"

namespace pmufab::cli {

/// Run a script that comes with pmufab (tools/ in the source tree), with this program's standard streams.
/// @return its exit code; 128 + the number of the signal that ended it
/// @throws scenario::InputError if it is not there
int run_script(const std::string& name, const Arguments& arguments);

}  // namespace pmufab::cli
