// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_COMPLETION_H
#define PMUFAB_LINUX_COMPLETION_H

#include <linux/wait.h>

struct completion {
  unsigned int done; /* UINT_MAX: for all */
};
#define COMPLETION_INITIALIZER(name) \
  { 0 }
#define DECLARE_COMPLETION(name) struct completion name = COMPLETION_INITIALIZER(name)
#define DECLARE_COMPLETION_ONSTACK(name) DECLARE_COMPLETION(name)
static inline void init_completion(struct completion* completion) { completion->done = 0; }
static inline void reinit_completion(struct completion* completion) { completion->done = 0; }
void complete(struct completion* completion);
void complete_all(struct completion* completion);
void wait_for_completion(struct completion* completion);
/* The rest of the time in ticks, at least 1; or 0 if it is not completed in time. */
unsigned long wait_for_completion_timeout(struct completion* completion, unsigned long timeout);
bool try_wait_for_completion(struct completion* completion);
static inline bool completion_done(const struct completion* completion) { return completion->done != 0; }
/* There are no signals. */
static inline int wait_for_completion_interruptible(struct completion* completion) {
  wait_for_completion(completion);
  return 0;
}
static inline int wait_for_completion_killable(struct completion* completion) {
  wait_for_completion(completion);
  return 0;
}
static inline long wait_for_completion_interruptible_timeout(struct completion* completion, unsigned long timeout) {
  return (long)wait_for_completion_timeout(completion, timeout);
}

#endif
