// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// Case `index` of a campaign with this seed on one fabric: a whole scenario. The same numbers give the same scenario.
/// @param kernel  version of the drivers it is for
/// @param wishes  what is made more often
[[nodiscard]] scenario::Value make_case(const FabricGenerator& fabric, std::string_view kernel, std::uint64_t seed,
                                        std::uint64_t index, const Wishes& wishes = {});

/// Add a random perf session on a machine to a scenario: the keys `host`, `duration`, `measure`, `actions`, `inject`.
void add_session(Random& random, const GeneratedMachine& machine, scenario::Value& scenario);

}  // namespace pmufab::verify
