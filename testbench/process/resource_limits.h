// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pmufab::process {

/// What this process may use; 0: as much as before.
struct ResourceLimits {
  std::uint64_t memory = 0;             ///< bytes of its own memory (RLIMIT_DATA); not with AddressSanitizer
  std::uint64_t files = 0;              ///< open files
  std::uint64_t processor_seconds = 0;  ///< SIGXCPU, and SIGKILL five seconds later
};

/// In a new child: have the kernel enforce limits. No limit is raised. If the machine's memory runs out, the kernel
/// ends this process before others.
void limit_resources(const ResourceLimits& limits);

/// At the start of a program that simulates: let the heap grow in large steps, in large pages where the kernel has them,
/// and keep what it has. A simulation fills tens of megabytes, and the faults of small pages take a tenth of its time.
/// Does nothing for a heap that is not the C library's.
void use_large_pages();

}  // namespace pmufab::process
