// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/pmufab/command.h"

namespace pmufab::cli {

/// @return the man page of a command, or of the whole program (whose name is empty), in man(7)'s language
[[nodiscard]] std::string man_page(const Command& command);

/// @return bash completion for all of these commands
[[nodiscard]] std::string bash_completion(const std::vector<Command>& commands);

/// Write man1/*.1 and bash-completion/pmufab below a folder. The build does this for the installation.
/// @throws scenario::InputError for files that cannot be written
void write_documents(const std::filesystem::path& folder);

}  // namespace pmufab::cli
