// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* For the functions of the C library that wait until an instant, or tell one. */

// NOLINTBEGIN: this is C, with C naming.
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "testbench/doors/shell/preload/preload.h"

enum { kSecond = 1000000000, kTurn = 1000000 };

/* @return nanoseconds since 1970 at which simulated time began; 0: clocks are the host's, but for perf */
uint64_t epoch(void);

/* @return nanoseconds, at most UINT64_MAX */
static inline uint64_t from(const struct timespec* time) {
  if ((uint64_t)time->tv_sec >= UINT64_MAX / kSecond) return UINT64_MAX;
  return (uint64_t)time->tv_sec * kSecond + (uint64_t)time->tv_nsec;
}

static inline void to(uint64_t nanoseconds, struct timespec* time) {
  time->tv_sec = (time_t)(nanoseconds / kSecond);
  time->tv_nsec = (long)(nanoseconds % kSecond);
}

static inline bool is_valid(const struct timespec* time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < kSecond;
}

/* @return nanoseconds from now on; 0: the instant has passed */
static inline uint64_t span_until(clockid_t clock, const struct timespec* until) {
  struct timespec now;
  clock_gettime(clock, &now);
  return from(until) > from(&now) ? from(until) - from(&now) : 0;
}
// NOLINTEND
