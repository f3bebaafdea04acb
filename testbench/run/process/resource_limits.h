// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pmufab::process {

/// Bytes that one run, or one look at a plug-in, may use unless an option says otherwise.
inline constexpr std::uint64_t kDefaultMemory = std::uint64_t{8} << 30U;

/// What this process may use; 0: as much as before.
struct ResourceLimits {
  std::uint64_t memory = 0;             ///< bytes of its own memory (RLIMIT_DATA); not with AddressSanitizer
  std::uint64_t files = 0;              ///< open files
  std::uint64_t processor_seconds = 0;  ///< SIGXCPU, and SIGKILL five seconds later
};

/// Bytes of a limit of memory so high that the heap's last step, or a thread's stack, hardly matters.
inline constexpr std::uint64_t kMuchMemory = std::uint64_t{1} << 30U;

/// In a new child: have the kernel enforce limits. No limit is raised. If the machine's memory runs out, the kernel
/// ends this process before others.
void limit_resources(const ResourceLimits& limits);

/// @return the processors that this process may use, at least one
[[nodiscard]] unsigned processors();

/// Take the memory that every run needs in a few large steps, because a fault for each page of 4 KiB takes long on a virtual
/// machine. A program names this function in its `.preinit_array`, so it runs before the constructors of shared libraries:
/// SystemC's fill 3 MiB.
///
/// The heap grows in steps of 64 MiB and keeps what it has, and the kernel is asked for large pages for its first
/// 64 MiB. The heap stays as it is where memory is limited (RLIMIT_DATA, RLIMIT_AS), or where it is not the C library's.
///
/// With AddressSanitizer, this takes the program's data and their shadow: the shadow is written at the start, and the search
/// for leaks reads the data at the end. From then on, each new block of 1 to 4 MiB is taken as a whole.
void take_memory_early();

/// In a new child: new blocks come from where the next large page begins, except those that fit between the parent's. The
/// heap's last large page is the parent's, too, and of such a page the kernel would copy each 4 KiB that the child writes,
/// also those that neither has used yet.
void leave_parents_page();

}  // namespace pmufab::process
