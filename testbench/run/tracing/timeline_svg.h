// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "testbench/run/tracing/timeline_writer.h"

namespace pmufab::scenario {

/// A picture of a time line: a row for each signal that changes, each kind of call, each register that is written. Its size
/// does not grow with the number of changes, and it has at most so many rows; it says how many are left out.
[[nodiscard]] std::unique_ptr<TimelineWriter> make_svg_writer();

}  // namespace pmufab::scenario
