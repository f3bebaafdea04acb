// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace pmufab::scenario {

/// From now on, when this process crashes, say on standard error which functions of a library led there, with file and
/// line. The process dies of the signal all the same. Who has a handler already (a sanitizer) keeps it.
/// @param library  loaded, or about to be
void report_crashes_in(const std::filesystem::path& library);

}  // namespace pmufab::scenario
