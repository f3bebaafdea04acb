// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/script.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "tools/pmufab/places.h"

namespace pmufab::cli {

int run_script(const std::string& script, const Arguments& arguments) {
  std::string name = find_script(script).string();
  std::fflush(nullptr);
  Arguments kept = arguments;
  std::vector<char*> words = {name.data()};
  for (std::string& word : kept) words.push_back(word.data());
  words.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawn(&child, name.c_str(), nullptr, nullptr, words.data(), environ); error != 0)
    throw std::system_error(error, std::generic_category(), "cannot run " + name);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "cannot wait for " + name);
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace pmufab::cli
