// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <time.h>

enum { kSecond = 1000000000 };  // NOLINT(readability-identifier-naming): C has no other constants

/* @return what a clock shows, in nanoseconds */
static inline int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * (int64_t)kSecond + time.tv_nsec;
}
