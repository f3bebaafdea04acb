// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

namespace pmufab::shell {

/// @return the children of a process that have not ended, as /proc shows them. The thread that started them and the
///         call it used (fork, vfork, posix_spawn) do not matter. None if the process itself is gone.
[[nodiscard]] std::vector<pid_t> living_children(pid_t process);

/// @return the parent of a process as /proc shows it; 0 if the process is gone.
[[nodiscard]] pid_t parent_of(pid_t process);

}  // namespace pmufab::shell
