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

/// At the start of a program that simulates: let the heap grow in steps of 64 MiB and keep what it has, and ask the kernel
/// for large pages for the first 64 MiB. A simulation fills tens of megabytes, and the faults of small pages take a tenth
/// of its time. Does nothing for a heap that is not the C library's, or where memory is limited (RLIMIT_DATA, RLIMIT_AS).
void use_large_pages();

}  // namespace pmufab::process
