// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/documents/documents.h"

#include <algorithm>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/output.h"

namespace pmufab::cli {

void write_documents(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  const fs::path pages = folder / "man1";
  const fs::path completions = folder / "bash-completion";
  std::error_code error;
  fs::remove_all(pages, error);  // removes pages of commands that no longer exist
  for (const fs::path& below : {pages, completions}) {
    fs::create_directories(below, error);
    if (error)
      throw scenario::InputError(fmt::format("cannot make the folder '{}': {}", below.string(), error.message()));
  }
  write_file(pages / "pmufab.1", man_page(program()));
  for (const Command& command : all_commands()) {
    std::string name = "pmufab-" + command.name;
    std::ranges::replace(name, ' ', '-');
    write_file(pages / (name + ".1"), man_page(command));
  }
  write_file(completions / "pmufab", bash_completion(all_commands()));
}

}  // namespace pmufab::cli
