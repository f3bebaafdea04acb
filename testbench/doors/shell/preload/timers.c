// SPDX-License-Identifier: BSD-2-Clause
/* Timers, which with a simulated clock are the simulator's: it sends the signal, or writes into the descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"
#include "testbench/doors/shell/preload/timespec.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

/* A timer_t of the simulator. Those of the C library are small numbers, or have the highest bit set. */
static const uintptr_t kOurs = UINT64_C(0x504d) << 40;

static bool is_simulated(clockid_t clock) {
  return epoch() && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME);
}

/* @param sets  false: only tell. @param before  may be null. @param state  may be null. @return 0, or -1 with errno */
static int set_timer(uint64_t number, uint64_t left, uint64_t interval, bool sets, struct itimerspec* before,
                     struct pmufab_shell_timer* state) {
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_TIMER_SET, .argument = {number, left, interval, sets}};
  struct pmufab_shell_reply reply;
  if (!ask(&request, &reply, NULL)) return -1;
  if (reply.result < 0) return result_of(&reply);
  struct pmufab_shell_timer told;
  memcpy(&told, reply.data, sizeof(told));
  if (before) {
    to(reply.value, &before->it_value);
    to(told.interval, &before->it_interval);
  }
  if (state) *state = told;
  return 0;
}

/* @param until  the value is an instant of this clock; negative: a span */
static int set_spec(uint64_t number, const struct itimerspec* spec, clockid_t until, struct itimerspec* before) {
  if (!is_valid(&spec->it_value) || !is_valid(&spec->it_interval)) {
    errno = EINVAL;
    return -1;
  }
  uint64_t left = from(&spec->it_value);
  if (left && until >= 0) {
    left = span_until(until, &spec->it_value);
    if (left == 0) left = 1; /* it has passed: at once */
  }
  return set_timer(number, left, from(&spec->it_interval), true, before, NULL);
}

/* @param descriptor  null: a signal is sent. @return the timer's number; 0: failed, with errno */
static uint64_t make_timer(int signal, uint64_t value, pid_t thread, uint64_t flags, int* descriptor) {
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_TIMER_MAKE,
                                         .argument = {(uint64_t)signal, value, (uint64_t)thread, flags}};
  struct pmufab_shell_reply reply;
  if (!ask(&request, &reply, descriptor)) return 0;
  if (reply.result >= 0 && (!descriptor || *descriptor >= 0)) return reply.value;
  errno = reply.result < 0 ? -reply.result : EMFILE;
  return 0;
}

/* The process's own timer has the number 0. */
static struct itimerspec of_microseconds(const struct itimerval* value) {
  return (struct itimerspec){{value->it_interval.tv_sec, value->it_interval.tv_usec * 1000},
                             {value->it_value.tv_sec, value->it_value.tv_usec * 1000}};
}

static void to_microseconds(const struct itimerspec* spec, struct itimerval* value) {
  *value = (struct itimerval){{spec->it_interval.tv_sec, spec->it_interval.tv_nsec / 1000},
                              {spec->it_value.tv_sec, spec->it_value.tv_nsec / 1000}};
}

int setitimer(__itimer_which_t which, const struct itimerval* restrict value, struct itimerval* restrict old_value) {
  if (!epoch() || which != ITIMER_REAL || !value) return NEXT(setitimer)(which, value, old_value);
  const struct itimerspec spec = of_microseconds(value);
  struct itimerspec before;
  if (set_spec(0, &spec, -1, &before) != 0) return -1;
  if (old_value) to_microseconds(&before, old_value);
  return 0;
}

int getitimer(__itimer_which_t which, struct itimerval* value) {
  if (!epoch() || which != ITIMER_REAL) return NEXT(getitimer)(which, value);
  struct itimerspec now;
  if (set_timer(0, 0, 0, false, &now, NULL) != 0) return -1;
  to_microseconds(&now, value);
  return 0;
}

unsigned int alarm(unsigned int seconds) {
  if (!epoch()) return NEXT(alarm)(seconds);
  struct itimerspec before;
  if (set_timer(0, (uint64_t)seconds * kSecond, 0, true, &before, NULL) != 0) return 0;
  const unsigned int left = (unsigned int)before.it_value.tv_sec + (before.it_value.tv_nsec >= kSecond / 2);
  return left == 0 && before.it_value.tv_nsec > 0 ? 1 : left; /* something is left */
}

useconds_t ualarm(useconds_t microseconds, useconds_t interval) {
  if (!epoch()) return NEXT(ualarm)(microseconds, interval);
  struct itimerspec before;
  if (set_timer(0, (uint64_t)microseconds * 1000, (uint64_t)interval * 1000, true, &before, NULL) != 0) return 0;
  return (useconds_t)(before.it_value.tv_sec * 1000000 + before.it_value.tv_nsec / 1000);
}

/* Those that call a function in a thread of their own are the host's: this library starts no thread. */
int timer_create(clockid_t clock, struct sigevent* restrict event, timer_t* restrict timer) {
  if (!is_simulated(clock) || (event && event->sigev_notify != SIGEV_SIGNAL && event->sigev_notify != SIGEV_THREAD_ID))
    return NEXT(timer_create)(clock, event, timer);
  const pid_t thread = event && event->sigev_notify == SIGEV_THREAD_ID ? event->_sigev_un._tid : 0;
  const uint64_t number = make_timer(event ? event->sigev_signo : SIGALRM,
                                     event ? (uint64_t)(uintptr_t)event->sigev_value.sival_ptr : 0, thread, 0, NULL);
  if (number == 0) return -1;
  *timer = (timer_t)(kOurs | (uintptr_t)clock << 32 | (uintptr_t)number); /* its clock, for instants */
  return 0;
}

static bool is_ours(timer_t timer) { return (uintptr_t)timer >> 40 == kOurs >> 40; }
static uint64_t number_of(timer_t timer) { return (uint32_t)(uintptr_t)timer; }

int timer_settime(timer_t timer, int flags, const struct itimerspec* restrict spec,
                  struct itimerspec* restrict before) {
  if (!is_ours(timer)) return NEXT(timer_settime)(timer, flags, spec, before);
  const clockid_t clock = (clockid_t)((uintptr_t)timer >> 32 & 0xff);
  return set_spec(number_of(timer), spec, flags & TIMER_ABSTIME ? clock : -1, before);
}

int timer_gettime(timer_t timer, struct itimerspec* now) {
  return is_ours(timer) ? set_timer(number_of(timer), 0, 0, false, now, NULL) : NEXT(timer_gettime)(timer, now);
}

int timer_getoverrun(timer_t timer) {
  struct pmufab_shell_timer state;
  if (!is_ours(timer)) return NEXT(timer_getoverrun)(timer);
  return set_timer(number_of(timer), 0, 0, false, NULL, &state) == 0 ? (int)state.overrun : -1;
}

int timer_delete(timer_t timer) {
  if (!is_ours(timer)) return NEXT(timer_delete)(timer);
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_TIMER_DROP, .argument = {number_of(timer)}};
  struct pmufab_shell_reply reply;
  return ask(&request, &reply, NULL) ? result_of(&reply) : -1;
}

/* The descriptor is the end of a pipe: it is read and polled as one of a timer, in any process that has a copy. */
int timerfd_create(clockid_t clock, int flags) {
  if (!is_simulated(clock) || flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) return NEXT(timerfd_create)(clock, flags);
  int fd = -1;
  if (make_timer(0, 0, 0, (uint64_t)clock << 32 | (uint64_t)flags, &fd) == 0) return -1;
  if (!(flags & TFD_CLOEXEC)) NEXT(fcntl)(fd, F_SETFD, 0);
  set_descriptor(fd, ORDINARY, 0); /* one of this number may have been closed unseen */
  return fd;
}

/* @return the number of the timer, if the pipe is one's; 0: it is no pipe */
static uint64_t timer_of(int fd) {
  struct stat status;
  if (!epoch() || fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return 0;
  return PMUFAB_SHELL_TIMER_FILE | status.st_ino;
}

int timerfd_settime(int fd, int flags, const struct itimerspec* spec, struct itimerspec* before) {
  const uint64_t number = timer_of(fd);
  struct pmufab_shell_timer state;
  if (number == 0) return NEXT(timerfd_settime)(fd, flags, spec, before);
  if (set_timer(number, 0, 0, false, NULL, &state) != 0) return -1;
  return set_spec(number, spec, flags & TFD_TIMER_ABSTIME ? (clockid_t)state.clock : -1, before);
}

int timerfd_gettime(int fd, struct itimerspec* now) {
  const uint64_t number = timer_of(fd);
  return number == 0 ? NEXT(timerfd_gettime)(fd, now) : set_timer(number, 0, 0, false, now, NULL);
}

// NOLINTEND(readability-identifier-naming)
