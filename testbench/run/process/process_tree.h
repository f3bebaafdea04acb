// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace pmufab::process {

/// @return the children of a process that have not ended, as /proc shows them. The thread that started them and the
///         call it used (fork, vfork, posix_spawn) do not matter. None if the process itself is gone.
[[nodiscard]] std::vector<pid_t> living_children(pid_t process);

/// @return how many descendants of a process have not ended, counted up to `most` + 1.
[[nodiscard]] std::size_t count_descendants(pid_t process, std::size_t most);

/// @return the descendants of a process that have not ended, parents before their children.
/// @param without  a child that is left out, with its descendants; 0: none
[[nodiscard]] std::vector<pid_t> living_descendants(pid_t process, pid_t without = 0);

/// Descendants of this process whose own parent ends become its children, and not those of init. They can be found
/// then. Children do not inherit this.
void adopt_orphans(bool adopt);

/// Kill the children of this process that are not in `wanted`, with all their descendants, and collect them. For a
/// process that adopts orphans.
void end_other_children(const std::vector<pid_t>& wanted);

/// @return the children of a process, including those that have ended and were not collected.
[[nodiscard]] std::vector<pid_t> all_children(pid_t process);

/// @return true if a thread of the process runs, is ready to, or waits for a disk; false if all wait for something else,
///         or the process has ended
[[nodiscard]] bool is_running(pid_t process);

/// @return true if a signal waits until a thread, or the process (thread 0), takes it
[[nodiscard]] bool has_pending(pid_t process, pid_t thread, int signal);

/// @return the parent of a process as /proc shows it; 0 if the process is gone.
[[nodiscard]] pid_t parent_of(pid_t process);

}  // namespace pmufab::process
