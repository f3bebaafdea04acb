// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pmufab::process {

/// @return what the linker has computed of this program's contents, in hexadecimal: another build has another one. "" if
///         the program was linked without
[[nodiscard]] const std::string& build_id();

}  // namespace pmufab::process
