// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/random.h"
#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

/// Add a random perf session on a machine to a scenario: the keys `host`, `duration`, `measure`, `actions`, `inject`.
void add_session(Random& random, const GeneratedMachine& machine, scenario::Value& scenario);

}  // namespace pmufab::verify
