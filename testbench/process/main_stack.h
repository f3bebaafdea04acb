// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(PMUFAB_SANITIZED)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>
#endif

namespace pmufab::process {

/// Tell AddressSanitizer, if present, that this thread runs on its own stack. Call it after sc_start(): SystemC reports
/// each change of stacks, but ends a simulation with the last thread process's stack set. Exceptions and leaks would
/// then be judged by the wrong stack, which may no longer exist.
inline void return_to_main_stack() {
#if defined(PMUFAB_SANITIZED)
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  __sanitizer_start_switch_fiber(nullptr, bottom, size);
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

}  // namespace pmufab::process
