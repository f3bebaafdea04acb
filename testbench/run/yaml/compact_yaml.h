// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "testbench/run/yaml/document.h"

namespace pmufab::scenario {

/// @return the document as to_yaml() writes it, in few lines: what fits into one line is written in one, with braces
///         and brackets
[[nodiscard]] std::string to_compact_yaml(const Value& document);

/// @return the value in one line, however long: "[1, 2]", "{rate: 1}"
[[nodiscard]] std::string to_flow_yaml(const Value& value);

}  // namespace pmufab::scenario
