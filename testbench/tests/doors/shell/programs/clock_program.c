// SPDX-License-Identifier: Apache-2.0
/* Waits 2 ms in each way that the C library has, and prints the clocks that disagree. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "testbench/tests/doors/shell/programs/nanoseconds.h"

// NOLINTBEGIN(readability-identifier-naming): C has no other constants
enum { kSpan = 2000000, kMost = kSpan + kSpan / 10 };
// NOLINTEND(readability-identifier-naming)

static int64_t of_day(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return (time.tv_sec * INT64_C(1000000) + time.tv_usec) * 1000;
}

static struct timespec in_a_while(clockid_t clock) {
  const int64_t then = now(clock) + kSpan;
  return (struct timespec){then / kSecond, then % kSecond};
}

static void wait_in(int way) {
  const struct timespec span = {0, kSpan};
  struct timeval short_span = {0, kSpan / 1000};
  struct timespec until = in_a_while(CLOCK_MONOTONIC);
  struct timespec date = in_a_while(CLOCK_REALTIME);
  struct epoll_event event;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  static sem_t semaphore;
  if (way == 0) nanosleep(&span, NULL);
  if (way == 1) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  if (way == 2) clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &date, NULL);
  if (way == 3) usleep(kSpan / 1000);
  if (way == 4) poll(NULL, 0, kSpan / 1000000);
  if (way == 5) ppoll(NULL, 0, &span, NULL);
  if (way == 6) select(0, NULL, NULL, NULL, &short_span);
  if (way == 7) pselect(0, NULL, NULL, NULL, &span, NULL);
  if (way == 8) {
    const int epoll = epoll_create1(0);
    epoll_wait(epoll, &event, 1, kSpan / 1000000);
    close(epoll);
  }
  pthread_mutex_lock(&mutex);
  if (way == 9 && pthread_cond_timedwait(&condition, &mutex, &date) != ETIMEDOUT) printf("condition\n");
  if (way == 10 && pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT) printf("clock\n");
  pthread_mutex_unlock(&mutex);
  if (way == 11 && (sem_timedwait(&semaphore, &date) == 0 || errno != ETIMEDOUT)) printf("semaphore\n");
}

static void on_alarm(int signal) { (void)signal; }

static void* hold(void* mutex) {
  pthread_mutex_lock(mutex);
  return NULL;
}

static void* linger(void* unused) {
  const struct timespec span = {0, 2 * kSpan};
  nanosleep(&span, NULL);
  return unused;
}

/* For other threads, which do not let go. */
static void wait_for_thread(int way) {
  struct timespec until = in_a_while(CLOCK_MONOTONIC);
  struct timespec date = in_a_while(CLOCK_REALTIME);
  const struct timespec span = {0, kSpan};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_t thread;
  int word = 1;
  if (way == 0 || way == 1) {
    pthread_create(&thread, NULL, hold, &mutex);
    pthread_join(thread, NULL);
    until = in_a_while(CLOCK_MONOTONIC);
    date = in_a_while(CLOCK_REALTIME);
  }
  if (way == 0 && pthread_mutex_timedlock(&mutex, &date) != ETIMEDOUT) printf("mutex\n");
  if (way == 1 && pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT) printf("clocklock\n");
  pthread_rwlock_rdlock(&lock);
  if (way == 2 && pthread_rwlock_timedwrlock(&lock, &date) != ETIMEDOUT) printf("rwlock\n");
  pthread_rwlock_unlock(&lock);
  if (way == 3 && (syscall(SYS_futex, &word, FUTEX_WAIT, 1, &span, NULL, 0) == 0 || errno != ETIMEDOUT))
    printf("futex\n");
  if (way == 4 && (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, &until, NULL, FUTEX_BITSET_MATCH_ANY) == 0 ||
                   errno != ETIMEDOUT))
    printf("bitset\n");
  if (way == 5) {
    pthread_create(&thread, NULL, linger, NULL);
    if (pthread_timedjoin_np(thread, NULL, &date) != ETIMEDOUT) printf("join\n");
    pthread_detach(thread);
  }
}

/* For a timer, or a signal that does not come. */
static void wait_for_timer(int way) {
  const struct itimerval once = {.it_value = {0, kSpan / 1000}};
  const struct itimerspec span = {.it_value = {0, kSpan}};
  const struct itimerspec twice = {.it_value = {0, kSpan / 2}, .it_interval = {0, kSpan / 2}};
  struct itimerspec date = {.it_value = in_a_while(CLOCK_REALTIME)};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 7};
  const struct timespec limit = {0, kSpan};
  siginfo_t info;
  uint64_t count = 0;
  timer_t timer;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGRTMIN);
  signal(SIGALRM, on_alarm);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  if (way == 0) {
    setitimer(ITIMER_REAL, &once, NULL);
    pause();
  }
  if (way == 1) {
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &span, NULL);
    sigwaitinfo(&signals, &info);
    if (info.si_code != SI_TIMER || info.si_value.sival_int != 7) printf("signal: %d\n", info.si_value.sival_int);
    timer_delete(timer);
  }
  if (way == 2 && (sigtimedwait(&signals, &info, &limit) >= 0 || errno != EAGAIN)) printf("sigtimedwait\n");
  if (way == 3 || way == 4) {
    const int file = timerfd_create(way == 3 ? CLOCK_MONOTONIC : CLOCK_REALTIME, TFD_CLOEXEC);
    timerfd_settime(file, way == 3 ? 0 : TFD_TIMER_ABSTIME, way == 3 ? &span : &date, NULL);
    if (read(file, &count, sizeof(count)) != sizeof(count) || count != 1) printf("timerfd: %d\n", (int)count);
    close(file);
  }
  if (way == 5) {
    const int file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct pollfd look = {.fd = file, .events = POLLIN};
    timerfd_settime(file, 0, &twice, NULL);
    if (read(file, &count, sizeof(count)) >= 0 || errno != EAGAIN) printf("timerfd is not empty\n");
    for (int turn = 0; turn < 2; ++turn)
      if (poll(&look, 1, -1) != 1 || read(file, &count, sizeof(count)) != sizeof(count)) printf("poll\n");
    timerfd_gettime(file, &date);
    if (date.it_interval.tv_nsec != kSpan / 2 || date.it_value.tv_nsec == 0) printf("timerfd_gettime\n");
    close(file);
  }
}

static void* compute(void* stop) {
  while (!*(volatile int*)stop) usleep(100);
  return NULL;
}

int main(void) {
  enum { k_ways = 12, k_more = 6, k_clocks = 5 };
  const clockid_t clocks[k_clocks] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME,
                                      CLOCK_MONOTONIC_COARSE};
  for (int way = 0; way < k_ways + 2 * k_more; ++way) {
    int64_t begin[k_clocks + 1];
    for (int i = 0; i < k_clocks; ++i) begin[i] = now(clocks[i]);
    begin[k_clocks] = of_day();
    if (way < k_ways) {
      wait_in(way);
    } else if (way < k_ways + k_more) {
      wait_for_thread(way - k_ways);
    } else {
      wait_for_timer(way - k_ways - k_more);
    }
    for (int i = 0; i <= k_clocks; ++i) {
      const int64_t took = (i < k_clocks ? now(clocks[i]) : of_day()) - begin[i];
      if (took < kSpan - 1000 || took > kMost) printf("way %d, clock %d: %lld ns\n", way, i, (long long)took);
    }
  }
  /* One who looks at the clock all the time gets there, too, and one thread does not hold another. */
  int stop = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, compute, &stop);
  const int64_t begin = now(CLOCK_MONOTONIC);
  while (now(CLOCK_MONOTONIC) < begin + kSpan / 10) {
  }
  usleep(kSpan / 1000);
  const int64_t took = now(CLOCK_MONOTONIC) - begin;
  stop = 1;
  pthread_join(thread, NULL);
  if (took < kSpan + kSpan / 10 || took > 2 * kSpan) printf("threads: %lld ns\n", (long long)took);
  /* The last second that is begun counts. */
  alarm(5);
  if (alarm(0) != 5 || alarm(0) != 0) printf("alarm\n");
  printf("waited\n");
  return 0;
}
