// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/commands/debugger.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"

namespace pmufab::cli {

void become_gdb(const Arguments& arguments, const std::filesystem::path& commands) {
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  // The function of the drivers' library that loads the kernel modules (testbench/host/runtime/module.c).
  Arguments words = {"gdb",  "-q",
                     "-iex", "set debuginfod enabled off",
                     "-iex", "set breakpoint pending on",
                     "-ex",  "tbreak pmufab_modules_load_for_devices",
                     "-ex",  "run"};
  if (!commands.empty()) words.insert(words.end(), {"-x", commands.string()});
  words.insert(words.end(), {"--args", program});
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp("gdb", pointers.data());
  const int reason = errno;
  throw scenario::InputError(reason == ENOENT
                                 ? "there is no program 'gdb'"
                                 : fmt::format("gdb does not start: {}", std::generic_category().message(reason)),
                             "install it (package gdb), or give --in-process to another debugger");
}

}  // namespace pmufab::cli
