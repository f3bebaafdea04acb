// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grp.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace pmufab::testing {

/// Do something in a process of another user. Only root can.
/// @return what it returns, at most 255; 255 if there is no such process, 254 if a signal ended it
inline int as_another_user(const std::function<int()>& work) {
  constexpr uid_t kOther = 65534;
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(kOther) != 0 || setuid(kOther) != 0) _exit(255);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

}  // namespace pmufab::testing
