// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

namespace pmufab::process {

/// Tell AddressSanitizer, if present, that this thread runs on its own stack. Call it after sc_start(): SystemC reports
/// each change of stacks, but ends a simulation with the last thread process's stack set. Exceptions and leaks would
/// then be judged by the wrong stack, which may no longer exist. The sanitizer may be preloaded, for drivers alone.
inline void return_to_main_stack() {
  using Start = void (*)(void** fake_stack, const void* bottom, std::size_t size);
  using Finish = void (*)(void* fake_stack, const void** bottom, std::size_t* size);
  static const auto start = reinterpret_cast<Start>(dlsym(RTLD_DEFAULT, "__sanitizer_start_switch_fiber"));
  static const auto finish = reinterpret_cast<Finish>(dlsym(RTLD_DEFAULT, "__sanitizer_finish_switch_fiber"));
  if (start == nullptr || finish == nullptr) return;
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  start(nullptr, bottom, size);
  finish(nullptr, nullptr, nullptr);
}

}  // namespace pmufab::process
