// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "testbench/run/yaml/document.h"

namespace pmufab::verify {

struct ShrinkResult {
  scenario::Value smallest;
  std::size_t tries = 0;  ///< documents that were run
};

struct ShrinkOptions {
  std::size_t most_tries = 10'000;
  std::size_t at_once =
      4;  ///< documents that are tried at the same time; a number that no result depends on a machine's
};

/// Make a failing scenario smaller by delta debugging, as far as it fails in the same way.
/// @param fails  tells of each of some documents whether it does; asked for at most `at_once` at a time
[[nodiscard]] ShrinkResult shrink(scenario::Value document,
                                  const std::function<std::vector<bool>(const std::vector<scenario::Value>&)>& fails,
                                  const ShrinkOptions& options = {});

}  // namespace pmufab::verify
