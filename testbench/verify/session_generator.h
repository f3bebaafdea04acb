// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/scenario/yaml/document.h"
#include "testbench/verify/fabric_generator.h"
#include "testbench/verify/random.h"

namespace pmufab::verify {

/// Add a random perf session on a machine to a scenario: the keys `host`, `duration`, `measure`, `actions`, `inject`.
void add_session(Random& random, const GeneratedMachine& machine, scenario::Value& scenario);

}  // namespace pmufab::verify
