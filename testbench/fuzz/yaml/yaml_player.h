// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace pmufab::fuzz {

/// Read an input as a scenario file, with the files it names, as `pmufab run` does before the first run.
///
/// Checks: it is a scenario, or it is refused by an InputError with the place and without control characters. The
/// effective configuration of a scenario is YAML again.
/// @param folder  that file names in the input are relative to
/// @throws Violation
void play_on_yaml(std::span<const std::uint8_t> input, const std::filesystem::path& folder);

}  // namespace pmufab::fuzz
