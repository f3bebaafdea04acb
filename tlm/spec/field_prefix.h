// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tlm/spec/spec_error.h"

namespace pmufab {

/// Call `check`, which complains about a member of a larger specification.
/// @param prefix  put before the field's name: "cxl[0].link."
/// @throws SpecError as `check` does, with the longer field
template <typename Check>
void with_field_prefix(std::string_view prefix, Check check) {
  try {
    check();
  } catch (const SpecError& error) {
    throw SpecError(std::string(prefix) + error.field(), error.reason(), error.suggestion());
  }
}

}  // namespace pmufab
