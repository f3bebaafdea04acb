// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "testbench/campaigns/explore/study/study.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::testing {

/// @param text  YAML of a study
inline explore::Study study_of(std::string_view text) {
  return explore::read_study(scenario::parse_text(text, "study.yaml"));
}

/// @return what is wrong with the study; "" if nothing is
inline std::string mistake_in(std::string_view text) {
  try {
    static_cast<void>(study_of(text));
  } catch (const scenario::InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace pmufab::testing
