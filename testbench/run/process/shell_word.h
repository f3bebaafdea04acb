// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pmufab::process {

/// @return a word of a command line, in quotes if a shell would take it for something else
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace pmufab::process
