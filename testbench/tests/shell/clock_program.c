// SPDX-License-Identifier: Apache-2.0
/* Waits 2 ms in each way that the C library has, and prints the clocks that disagree. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// NOLINTBEGIN(readability-identifier-naming): C has no other constants
enum { kSpan = 2000000, kMost = kSpan + kSpan / 10, kSecond = 1000000000 };
// NOLINTEND(readability-identifier-naming)

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * (int64_t)kSecond + time.tv_nsec;
}

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

static void* compute(void* stop) {
  while (!*(volatile int*)stop) usleep(100);
  return NULL;
}

int main(void) {
  enum { k_ways = 12, k_clocks = 5 };
  const clockid_t clocks[k_clocks] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME, CLOCK_REALTIME,
                                      CLOCK_MONOTONIC_COARSE};
  for (int way = 0; way < k_ways; ++way) {
    int64_t begin[k_clocks + 1];
    for (int i = 0; i < k_clocks; ++i) begin[i] = now(clocks[i]);
    begin[k_clocks] = of_day();
    wait_in(way);
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
  printf("waited\n");
  return 0;
}
