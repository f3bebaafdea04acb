// SPDX-License-Identifier: BSD-2-Clause
/* Sleeping takes simulated time, and perf's clock shows it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "testbench/shell/preload/preload.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

enum { kSecond = 1000000000 };

struct wait begin_wait(enum pmufab_shell_wait kind, uint64_t nanoseconds) {
  struct wait wait = {-1, 0};
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_WAIT, .argument = {kind, nanoseconds}};
  if (!is_connected()) return wait;
  wait.socket = connect_simulator();
  if (wait.socket >= 0 && !send_request(wait.socket, &request)) {
    NEXT(close)(wait.socket);
    wait.socket = -1;
  }
  return wait;
}

void end_wait(struct wait* wait) {
  const int error = errno;
  if (wait->socket >= 0) {
    struct pmufab_shell_request request = {.call = PMUFAB_SHELL_AWAKE};
    struct pmufab_shell_reply reply;
    if (send_request(wait->socket, &request) && receive_reply(wait->socket, &reply, NULL)) wait->left = reply.value;
    NEXT(close)(wait->socket);
  }
  errno = error;
}

/* Tells the simulator of a wait, and polls until a file is ready, the simulator answers, or a signal comes. From when the
 * simulator knows of it, time may pass, and a child may end. A signal that came before poll() would be lost, so signals are
 * held back until then.
 * @param files  with room for one more, which becomes the simulator's
 * @return as poll(2); -1 with wait->socket < 0 if there is no simulator */
static int poll_in_wait(struct wait* wait, enum pmufab_shell_wait kind, uint64_t nanoseconds, struct pollfd* files,
                        nfds_t count) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  *wait = begin_wait(kind, nanoseconds);
  files[count] = (struct pollfd){.fd = wait->socket, .events = POLLIN};
  const int result = wait->socket < 0 ? -1 : ppoll(files, count + 1, NULL, &before);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return result;
}

/* Sleeps in simulated time. @param left  set on EINTR: the time not slept. @return 0, or -1 with errno */
static int sleep_for(uint64_t nanoseconds, uint64_t* left) {
  struct wait wait;
  struct pmufab_shell_reply reply;
  struct pollfd look;
  const int ready = poll_in_wait(&wait, PMUFAB_SHELL_SLEEP, nanoseconds, &look, 0);
  if (wait.socket < 0) return -1;
  if (ready < 0) {
    end_wait(&wait);
    *left = wait.left;
    return -1;
  }
  const bool good = receive_reply(wait.socket, &reply, NULL);
  const int error = errno;
  NEXT(close)(wait.socket);
  errno = error;
  if (!good) return -1;
  if (reply.result == -EINVAL)
    fprintf(stderr, "pmufab: this sleep is too long: simulated time ends %llu seconds of this program from now\n",
            (unsigned long long)(reply.value / kSecond));
  return result_of(&reply);
}

/* @return nanoseconds, at most UINT64_MAX */
static uint64_t from(const struct timespec* time) {
  if ((uint64_t)time->tv_sec >= UINT64_MAX / kSecond) return UINT64_MAX;
  return (uint64_t)time->tv_sec * kSecond + (uint64_t)time->tv_nsec;
}

static void to(uint64_t nanoseconds, struct timespec* time) {
  time->tv_sec = (time_t)(nanoseconds / kSecond);
  time->tv_nsec = (long)(nanoseconds % kSecond);
}

static bool is_valid(const struct timespec* time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < kSecond;
}

int nanosleep(const struct timespec* requested, struct timespec* remaining) {
  if (!is_connected() || !is_valid(requested)) return NEXT(nanosleep)(requested, remaining);
  uint64_t left = 0;
  const int result = sleep_for(from(requested), &left);
  if (result < 0 && errno == EINTR && remaining) to(left, remaining);
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec* requested, struct timespec* remaining) {
  if (!is_connected() || !is_valid(requested)) return NEXT(clock_nanosleep)(clock, flags, requested, remaining);
  uint64_t span = from(requested), left = 0;
  if (flags & TIMER_ABSTIME) {
    struct timespec now;
    clock_gettime(clock, &now);
    span = span > from(&now) ? span - from(&now) : 0;
  }
  const int error = errno;
  const int result = sleep_for(span, &left) < 0 ? errno : 0;
  errno = error;
  if (result == EINTR && remaining && !(flags & TIMER_ABSTIME)) to(left, remaining);
  return result;
}

int usleep(useconds_t microseconds) {
  const struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
  return nanosleep(&time, NULL);
}

unsigned int sleep(unsigned int seconds) {
  const struct timespec time = {(time_t)seconds, 0};
  struct timespec left = {0, 0};
  return nanosleep(&time, &left) == 0 ? 0 : (unsigned int)left.tv_sec + (left.tv_nsec >= kSecond / 2);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const bool simulated = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
                         clock == CLOCK_BOOTTIME;
  static _Atomic(uint64_t) seen; /* the last reply plus one; 0: there was none */
  if (is_perf() && simulated) {
    struct pmufab_shell_request request = {.call = PMUFAB_SHELL_CLOCK};
    struct pmufab_shell_reply reply;
    uint64_t known = seen;
    if (ask(&request, &reply, NULL)) seen = known = reply.value + 1;
    /* Once the simulator is gone, time stands still. */
    if (known > 0) {
      to(known - 1, time);
      return 0;
    }
  }
  return NEXT(clock_gettime)(clock, time);
}

/* poll(2) takes simulated time in perf, and the host's in other programs. */
int poll(struct pollfd* files, nfds_t count, int timeout) {
  enum { kMost = 1024 };
  if (!is_perf() || timeout == 0 || count >= kMost) return NEXT(poll)(files, count, timeout);
  const int ready = NEXT(poll)(files, count, 0);
  if (ready != 0) return ready;
  struct pollfd all[kMost];
  for (nfds_t i = 0; i < count; ++i) all[i] = files[i];
  struct wait wait;
  const int result = timeout < 0 ? poll_in_wait(&wait, PMUFAB_SHELL_CHILD, 0, all, count)
                                 : poll_in_wait(&wait, PMUFAB_SHELL_POLL, (uint64_t)timeout * 1000000, all, count);
  if (wait.socket < 0) return -1;
  if (result > 0 && all[count].revents) {
    struct pmufab_shell_reply reply;
    const bool good = receive_reply(wait.socket, &reply, NULL);
    NEXT(close)(wait.socket);
    return good ? NEXT(poll)(files, count, 0) : -1;
  }
  for (nfds_t i = 0; i < count; ++i) files[i].revents = all[i].revents;
  end_wait(&wait);
  return result;
}

/* Simulated time may pass while a program waits for its child. */
#define WAIT_FOR_CHILD(type, call)                        \
  ({                                                      \
    struct wait wait = begin_wait(PMUFAB_SHELL_CHILD, 0); \
    const type result = call;                             \
    end_wait(&wait);                                      \
    result;                                               \
  })

pid_t wait4(pid_t pid, int* status, int options, struct rusage* usage) {
  if (options & WNOHANG || !is_connected()) return NEXT(wait4)(pid, status, options, usage);
  const pid_t ended = NEXT(wait4)(pid, status, options | WNOHANG, usage);
  return ended != 0 ? ended : WAIT_FOR_CHILD(pid_t, NEXT(wait4)(pid, status, options, usage));
}

pid_t waitpid(pid_t pid, int* status, int options) { return wait4(pid, status, options, NULL); }
pid_t wait3(int* status, int options, struct rusage* usage) { return wait4(-1, status, options, usage); }
pid_t wait(int* status) { return wait4(-1, status, 0, NULL); }

// NOLINTEND(readability-identifier-naming)
