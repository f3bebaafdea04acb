// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace pmufab::fuzz {

/// A broken invariant. The text says which, for the person who replays the input.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pmufab::fuzz
