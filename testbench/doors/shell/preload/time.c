// SPDX-License-Identifier: BSD-2-Clause
/* Sleeping takes simulated time, and perf's clock shows it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"
#include "testbench/doors/shell/preload/timespec.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

/* Where clocks begin, if they show simulated time. */
uint64_t epoch(void) {
  const char* text = is_connected() ? getenv(PMUFAB_SHELL_EPOCH) : NULL;
  return text ? strtoull(text, NULL, 10) : 0;
}

struct wait begin_wait(enum pmufab_shell_wait kind, uint64_t nanoseconds) {
  struct wait wait = {-1, 0};
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_WAIT, .argument = {kind, nanoseconds}};
  if (!is_connected()) return wait;
  wait.socket = connect_simulator();
  if (wait.socket >= 0 && !send_request(wait.socket, &request)) {
    hang_up(wait.socket);
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
    hang_up(wait->socket);
  }
  errno = error;
}

/* Tells the simulator of a wait, and polls until a file is ready, the simulator answers, or a signal comes. From when the
 * simulator knows of it, time may pass, and a child may end. A signal that came before poll() would be lost, so signals are
 * held back until then.
 * @param mask   signals that are held back meanwhile; null: those of before
 * @param files  with room for one more, which becomes the simulator's
 * @return as poll(2); -1 with wait->socket < 0 if there is no simulator */
static int poll_in_wait(struct wait* wait, enum pmufab_shell_wait kind, uint64_t nanoseconds, struct pollfd* files,
                        nfds_t count, const sigset_t* mask) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  *wait = begin_wait(kind, nanoseconds);
  files[count] = (struct pollfd){.fd = wait->socket, .events = POLLIN};
  const int result = wait->socket < 0 ? -1 : NEXT(ppoll)(files, count + 1, NULL, mask ? mask : &before);
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
  const int ready = poll_in_wait(&wait, PMUFAB_SHELL_SLEEP, nanoseconds, &look, 0, NULL);
  if (wait.socket < 0) return -1;
  if (ready < 0) {
    end_wait(&wait);
    *left = wait.left;
    return -1;
  }
  const bool good = receive_reply(wait.socket, &reply, NULL);
  const int error = errno;
  hang_up(wait.socket);
  errno = error;
  if (!good) return -1;
  if (reply.result == -EINVAL)
    fprintf(stderr, "pmufab: this sleep is too long: simulated time ends %llu seconds of this program from now\n",
            (unsigned long long)(reply.value / kSecond));
  return result_of(&reply);
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

/* @return false: the clock is the host's. @param begin  what it showed when simulated time began */
static bool is_simulated(clockid_t clock, uint64_t* begin) {
  *begin = 0;
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return is_perf() || epoch();
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      *begin = epoch();
      return *begin > 0;
    default:
      return false;
  }
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static _Atomic(uint64_t) seen; /* the last reply plus one; 0: there was none */
  uint64_t begin;
  if (is_simulated(clock, &begin)) {
    struct pmufab_shell_request request = {.call = PMUFAB_SHELL_CLOCK};
    struct pmufab_shell_reply reply;
    uint64_t known = seen;
    if (ask(&request, &reply, NULL)) seen = known = reply.value + 1;
    /* Once the simulator is gone, time stands still. */
    if (known > 0) {
      to(begin + known - 1, time);
      return 0;
    }
  }
  return NEXT(clock_gettime)(clock, time);
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  struct timespec now;
  if (!epoch()) return NEXT(gettimeofday)(time, zone);
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* seconds) {
  struct timespec now;
  if (!epoch()) return NEXT(time)(seconds);
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}

/* Waits for files, at most for a span of simulated time. @param files  with room for one more
 * @return -1 with errno: a signal came; 0: the time is over, or a file is ready: look again without waiting */
static int wait_for_files(struct pollfd* files, nfds_t count, uint64_t nanoseconds, const sigset_t* mask) {
  struct wait wait;
  const int result = poll_in_wait(&wait, PMUFAB_SHELL_POLL, nanoseconds, files, count, mask);
  if (wait.socket < 0) return -1;
  if (result > 0 && files[count].revents) {
    struct pmufab_shell_reply reply;
    const bool good = receive_reply(wait.socket, &reply, NULL);
    hang_up(wait.socket);
    return good ? 0 : -1;
  }
  end_wait(&wait);
  return result < 0 ? -1 : 0;
}

/* poll(2) and the like take simulated time in perf, and in all programs if the clock is simulated. Who waits without end
 * waits for no time; perf's children may let it pass. */
enum { kMostFiles = 1024 };

static bool polls_in_simulated_time(void) { return is_perf() || epoch(); }

static int poll_for(struct pollfd* files, nfds_t count, uint64_t nanoseconds, const sigset_t* mask) {
  const int ready = NEXT(poll)(files, count, 0);
  if (ready != 0) return ready;
  struct pollfd all[kMostFiles + 1];
  for (nfds_t i = 0; i < count; ++i) all[i] = files[i];
  return wait_for_files(all, count, nanoseconds, mask) < 0 ? -1 : NEXT(poll)(files, count, 0);
}

int poll(struct pollfd* files, nfds_t count, int timeout) {
  if (!polls_in_simulated_time() || timeout == 0 || count > kMostFiles) return NEXT(poll)(files, count, timeout);
  if (timeout > 0) return poll_for(files, count, (uint64_t)timeout * 1000000, NULL);
  struct wait wait = begin_wait(PMUFAB_SHELL_CHILD, 0);
  const int result = NEXT(poll)(files, count, timeout);
  end_wait(&wait);
  return result;
}

int __poll_chk(struct pollfd* files, nfds_t count, int timeout, size_t room) {
  if (room / sizeof(*files) < count) abort();
  return poll(files, count, timeout);
}

int ppoll(struct pollfd* files, nfds_t count, const struct timespec* timeout, const sigset_t* mask) {
  if (!epoch() || !timeout || !is_valid(timeout) || from(timeout) == 0 || count > kMostFiles)
    return NEXT(ppoll)(files, count, timeout, mask);
  return poll_for(files, count, from(timeout), mask);
}

/* As pselect(2), with a timeout that is in simulated time and longer than nothing. */
static int select_for(int count, fd_set* in, fd_set* out, fd_set* other, uint64_t nanoseconds, const sigset_t* mask) {
  const struct timespec none = {0, 0};
  struct pollfd files[FD_SETSIZE + 1];
  nfds_t used = 0;
  for (int fd = 0; fd < count && fd < FD_SETSIZE; ++fd) {
    const short events = (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) | (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
                                 (other && FD_ISSET(fd, other) ? POLLPRI : 0));
    if (events) files[used++] = (struct pollfd){.fd = fd, .events = events};
  }
  /* A ready file ends the wait at once. */
  if (wait_for_files(files, used, nanoseconds, mask) < 0) return -1;
  return NEXT(pselect)(count, in, out, other, &none, mask);
}

int pselect(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict other,
            const struct timespec* restrict timeout, const sigset_t* restrict mask) {
  if (!epoch() || !timeout || !is_valid(timeout) || from(timeout) == 0)
    return NEXT(pselect)(count, in, out, other, timeout, mask);
  return select_for(count, in, out, other, from(timeout), mask);
}

int select(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict other,
           struct timeval* restrict timeout) {
  if (!epoch() || !timeout || timeout->tv_sec < 0 || timeout->tv_usec < 0 || (!timeout->tv_sec && !timeout->tv_usec))
    return NEXT(select)(count, in, out, other, timeout);
  const uint64_t span = (uint64_t)timeout->tv_sec * kSecond + (uint64_t)timeout->tv_usec * 1000;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const int result = select_for(count, in, out, other, span, NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  const uint64_t passed = from(&end) - from(&begin);
  const uint64_t left = passed < span ? span - passed : 0;
  *timeout = (struct timeval){(time_t)(left / kSecond), (suseconds_t)(left % kSecond / 1000)}; /* as Linux does */
  return result;
}

/* @param nanoseconds  UINT64_MAX: without end */
static int epoll_for(int epoll, struct epoll_event* events, int most, uint64_t nanoseconds, const sigset_t* mask) {
  const int ready = NEXT(epoll_wait)(epoll, events, most, 0);
  if (ready != 0) return ready;
  struct pollfd files[2] = {{.fd = epoll, .events = POLLIN}};
  if (wait_for_files(files, 1, nanoseconds, mask) < 0) return -1;
  return NEXT(epoll_wait)(epoll, events, most, 0);
}

int epoll_pwait(int epoll, struct epoll_event* events, int most, int timeout, const sigset_t* mask) {
  if (!epoch() || timeout <= 0) return NEXT(epoll_pwait)(epoll, events, most, timeout, mask);
  return epoll_for(epoll, events, most, (uint64_t)timeout * 1000000, mask);
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  return epoll_pwait(epoll, events, most, timeout, NULL);
}

int epoll_pwait2(int epoll, struct epoll_event* events, int most, const struct timespec* timeout,
                 const sigset_t* mask) {
  if (!epoch() || !timeout || !is_valid(timeout) || from(timeout) == 0)
    return NEXT(epoll_pwait2)(epoll, events, most, timeout, mask);
  return epoll_for(epoll, events, most, from(timeout), mask);
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

int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) {
  if (options & WNOHANG || !is_connected()) return NEXT(waitid)(kind, id, info, options);
  return WAIT_FOR_CHILD(int, NEXT(waitid)(kind, id, info, options));
}

pid_t waitpid(pid_t pid, int* status, int options) { return wait4(pid, status, options, NULL); }
pid_t wait3(int* status, int options, struct rusage* usage) { return wait4(-1, status, options, usage); }
pid_t wait(int* status) { return wait4(-1, status, 0, NULL); }

// NOLINTEND(readability-identifier-naming)
