// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// A scenario of a generated mesh: a few measures of random events, groups, refused events and events in bulk.
[[nodiscard]] scenario::Value cmn_case(std::uint64_t seed, std::string_view kernel);

}  // namespace pmufab::verify
