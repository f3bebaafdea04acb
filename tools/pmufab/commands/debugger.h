// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tools/pmufab/command.h"

namespace pmufab::cli {

/// Become gdb, which runs this program and stops before the drivers are loaded, with their symbols.
/// @param arguments  of this program there
/// @param commands   a file of gdb commands, carried out then; empty: none
/// @throws scenario::InputError if there is no gdb
[[noreturn]] void become_gdb(const Arguments& arguments, const std::filesystem::path& commands);

}  // namespace pmufab::cli
