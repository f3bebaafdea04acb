// SPDX-License-Identifier: BSD-2-Clause
/* Waits for other threads, at most until an instant of simulated time. The C library knows no such time, so the thread
 * waits in short turns of the host's time. Between them it looks whether the simulator has answered. */
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"
#include "testbench/doors/shell/preload/timespec.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

static bool is_answered(const struct wait* wait) {
  struct pollfd file = {.fd = wait->socket, .events = POLLIN};
  return NEXT(poll)(&file, 1, 0) != 0;
}

static void begin_turn(struct timespec* turn) {
  NEXT(clock_gettime)(CLOCK_MONOTONIC, turn);
  to(from(turn) + kTurn, turn);
}

/* @param call  one turn until `turn`, an instant of CLOCK_MONOTONIC of the host. @param over  the error with which it ends
 * then. @return what `call` does: an error, or 0 */
#define WAIT_IN_TURNS(span, over, call)                                       \
  ({                                                                          \
    struct timespec turn;                                                     \
    struct wait wait_ = begin_wait(PMUFAB_SHELL_POLL, span);                  \
    int result_;                                                              \
    do {                                                                      \
      begin_turn(&turn);                                                      \
      result_ = call;                                                         \
    } while (result_ == (over) && wait_.socket >= 0 && !is_answered(&wait_)); \
    end_wait(&wait_);                                                         \
    result_;                                                                  \
  })

/* The clock of a condition is in its attributes, which nobody can ask for. Both are simulated, and far apart. */
static clockid_t clock_of(const struct timespec* until) {
  return from(until) >= epoch() ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  if (!epoch() || !is_valid(until)) return NEXT(pthread_cond_clockwait)(condition, mutex, clock, until);
  return WAIT_IN_TURNS(span_until(clock, until), ETIMEDOUT,
                       NEXT(pthread_cond_clockwait)(condition, mutex, CLOCK_MONOTONIC, &turn));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const struct timespec* until) {
  if (!epoch() || !is_valid(until)) return NEXT(pthread_cond_timedwait)(condition, mutex, until);
  return pthread_cond_clockwait(condition, mutex, clock_of(until), until);
}

/* Locks: who gets it at once asks nobody. */
// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define DEFINE_LOCK(lock_type, clocklock, timedlock, trylock)                                                 \
  int clocklock(lock_type* lock, clockid_t clock, const struct timespec* until) {                             \
    if (!epoch() || !is_valid(until)) return NEXT(clocklock)(lock, clock, until);                             \
    const int error = trylock(lock);                                                                          \
    if (error != EBUSY) return error;                                                                         \
    return WAIT_IN_TURNS(span_until(clock, until), ETIMEDOUT, NEXT(clocklock)(lock, CLOCK_MONOTONIC, &turn)); \
  }                                                                                                           \
  int timedlock(lock_type* restrict lock, const struct timespec* restrict until) {                            \
    return epoch() ? clocklock(lock, CLOCK_REALTIME, until) : NEXT(timedlock)(lock, until);                   \
  }
// NOLINTEND(bugprone-macro-parentheses)
DEFINE_LOCK(pthread_mutex_t, pthread_mutex_clocklock, pthread_mutex_timedlock, pthread_mutex_trylock)
DEFINE_LOCK(pthread_rwlock_t, pthread_rwlock_clockrdlock, pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock)
DEFINE_LOCK(pthread_rwlock_t, pthread_rwlock_clockwrlock, pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock)

int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* until) {
  if (!epoch() || !is_valid(until)) return NEXT(sem_clockwait)(semaphore, clock, until);
  if (sem_trywait(semaphore) == 0) return 0;
  const int error = WAIT_IN_TURNS(span_until(clock, until), ETIMEDOUT,
                                  NEXT(sem_clockwait)(semaphore, CLOCK_MONOTONIC, &turn) == 0 ? 0 : errno);
  errno = error;
  return error ? -1 : 0;
}

int sem_timedwait(sem_t* semaphore, const struct timespec* until) {
  return epoch() ? sem_clockwait(semaphore, CLOCK_REALTIME, until) : NEXT(sem_timedwait)(semaphore, until);
}

int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const struct timespec* until) {
  if (!epoch() || !is_valid(until)) return NEXT(pthread_clockjoin_np)(thread, result, clock, until);
  return WAIT_IN_TURNS(span_until(clock, until), ETIMEDOUT,
                       NEXT(pthread_clockjoin_np)(thread, result, CLOCK_MONOTONIC, &turn));
}

int pthread_timedjoin_np(pthread_t thread, void** result, const struct timespec* until) {
  return epoch() ? pthread_clockjoin_np(thread, result, CLOCK_REALTIME, until)
                 : NEXT(pthread_timedjoin_np)(thread, result, until);
}

int sigtimedwait(const sigset_t* signals, siginfo_t* info, const struct timespec* timeout) {
  const struct timespec short_time = {0, kTurn};
  int signal = -1;
  if (!epoch() || !timeout || !is_valid(timeout) || from(timeout) == 0)
    return NEXT(sigtimedwait)(signals, info, timeout);
  const int error = WAIT_IN_TURNS(
      from(timeout), EAGAIN, ((void)turn, signal = NEXT(sigtimedwait)(signals, info, &short_time)) < 0 ? errno : 0);
  errno = error;
  return signal;
}

/* The limit of a queue is an instant of the clock of the day. */
static const struct timespec* turn_of_day(struct timespec* turn) {
  NEXT(clock_gettime)(CLOCK_REALTIME, turn);
  to(from(turn) + kTurn, turn);
  return turn;
}

/* Who need not wait asks nobody: a limit that has passed matters to others alone. */
#define DEFINE_QUEUE(result_type, name, text_type, priority_type)                                                    \
  result_type name(mqd_t queue, text_type text, size_t size, priority_type priority, const struct timespec* until) { \
    const struct timespec past = {0, 0};                                                                             \
    if (!epoch() || !is_valid(until)) return NEXT(name)(queue, text, size, priority, until);                         \
    result_type done = NEXT(name)(queue, text, size, priority, &past);                                               \
    if (done >= 0 || errno != ETIMEDOUT) return done;                                                                \
    const int error =                                                                                                \
        WAIT_IN_TURNS(span_until(CLOCK_REALTIME, until), ETIMEDOUT,                                                  \
                      (done = NEXT(name)(queue, text, size, priority, turn_of_day(&turn))) < 0 ? errno : 0);         \
    errno = error;                                                                                                   \
    return done;                                                                                                     \
  }
DEFINE_QUEUE(ssize_t, mq_timedreceive, char*, unsigned int*)
DEFINE_QUEUE(int, mq_timedsend, const char*, unsigned int)

/* Of a futex, the thread waits for a span, or until an instant of a clock that the call names. */
bool futex_call(const long argument[6], long* result) {
  const int what = (int)argument[1] & FUTEX_CMD_MASK;
  const struct timespec* const timeout = (const struct timespec*)argument[3];
  const long number = argument[1] & ~FUTEX_CLOCK_REALTIME;
  const struct timespec short_time = {0, kTurn};
  if (!epoch() || !timeout || (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) || !is_valid(timeout)) return false;
  const uint64_t span =
      what == FUTEX_WAIT ? from(timeout)
                         : span_until(argument[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
  const int error =
      WAIT_IN_TURNS(span, ETIMEDOUT,
                    (*result = NEXT(syscall)(SYS_futex, argument[0], number, argument[2],
                                             what == FUTEX_WAIT ? &short_time : &turn, argument[4], argument[5])) < 0
                        ? errno
                        : 0);
  errno = error;
  return true;
}

// NOLINTEND(readability-identifier-naming)
