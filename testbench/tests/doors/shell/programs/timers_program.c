// SPDX-License-Identifier: Apache-2.0
/* Timers of 2 ms: who holds one, for how long, and what is told of it. Prints what is not as on Linux. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "testbench/tests/doors/shell/programs/nanoseconds.h"

// NOLINTBEGIN(readability-identifier-naming): C has no other constants
enum { kSpan = 2000000, kMilliseconds = kSpan / 1000000 };
// NOLINTEND(readability-identifier-naming)

static const struct itimerspec kOften = {{0, kSpan}, {0, kSpan}};

/* The host's, by a system call of this program's own. */
static int64_t real(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.tv_sec * (int64_t)kSecond + time.tv_nsec;
}

/* @return how often the timer rang that is read; 0: not within four spans */
static int rings(int file) {
  struct pollfd look = {.fd = file, .events = POLLIN};
  uint64_t count = 0;
  if (poll(&look, 1, 4 * kMilliseconds) != 1 || read(file, &count, sizeof(count)) != sizeof(count)) return 0;
  return (int)count;
}

/* Waits until all copies of a pipe's end that is written to are closed. */
static void wait_for_end(int pipe) {
  char byte;
  while (read(pipe, &byte, 1) > 0) {
  }
}

/* A child makes a timer, has a child of its own and ends: the timer rings for that one. */
static void inherit(void) {
  int alive[2], outcome[2];
  char result = 'n';
  pipe(outcome);
  pipe(alive);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int file = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(file, 0, &kOften, NULL);
    if (fork() == 0) {
      close(alive[1]);
      wait_for_end(alive[0]);
      rings(file); /* before its maker ended, maybe */
      write(outcome[1], rings(file) > 0 ? "y" : "n", 1);
    }
    _exit(0);
  }
  close(alive[1]);
  close(alive[0]);
  waitpid(child, NULL, 0);
  read(outcome[0], &result, 1);
  if (result != 'y') printf("an inherited timerfd does not ring\n");
}

static void send_file(int socket, int file) {
  char byte = 0;
  struct iovec part = {&byte, 1};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
  *CMSG_FIRSTHDR(&message) =
      (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
  memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &file, sizeof(file));
  sendmsg(socket, &message, 0);
}

static int receive_file(int socket) {
  char byte;
  int file = -1;
  struct iovec part = {&byte, 1};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
  if (recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message))
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(file));
  return file;
}

/* A child makes a timer, sends it here and ends: it can be set and asked here. */
static void receive(void) {
  int ends[2];
  struct itimerspec left;
  socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int file = timerfd_create(CLOCK_REALTIME, 0);
    timerfd_settime(file, 0, &kOften, NULL);
    send_file(ends[1], file);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  const int file = receive_file(ends[0]);
  if (rings(file) == 0) printf("a timerfd that was sent does not ring\n");
  const int64_t then = now(CLOCK_REALTIME) + kSpan;
  const struct itimerspec date = {.it_value = {then / kSecond, then % kSecond}};
  if (timerfd_settime(file, TFD_TIMER_ABSTIME, &date, NULL) != 0 || timerfd_gettime(file, &left) != 0 ||
      left.it_value.tv_nsec == 0 || left.it_value.tv_nsec > kSpan || rings(file) != 1)
    printf("a timerfd that was sent cannot be set\n");
  close(file);
  close(ends[0]);
  close(ends[1]);
}

/* Another program sets the timer that it inherits. */
static void hand_on(void) {
  char number[12];
  const int file = timerfd_create(CLOCK_MONOTONIC, 0);
  snprintf(number, sizeof(number), "%d", file);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "timers", number, (char*)NULL);
    _exit(1);
  }
  waitpid(child, NULL, 0);
  if (rings(file) == 0) printf("a timerfd that another program set does not ring\n");
  close(file);
}

/* A copy keeps a timer, and when the last one is closed there is room for others. */
static void copy_and_close(void) {
  const int first = timerfd_create(CLOCK_MONOTONIC, 0);
  const int copy = dup(first);
  timerfd_settime(first, 0, &kOften, NULL);
  close(first);
  if (rings(copy) == 0) printf("a copy of a timerfd does not ring\n");
  close(copy);
  for (int turn = 0; turn < 1500; ++turn) {
    const int file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (file < 0) {
      printf("after %d timerfds that were closed: %s\n", turn, strerror(errno));
      return;
    }
    close(file);
  }
}

/* What nobody has read is one sum. */
static void count_rings(void) {
  const int file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  char small[4];
  uint64_t counts[2];
  timerfd_settime(file, 0, &kOften, NULL);
  usleep(5 * kSpan / 1000 + 100);
  if (read(file, counts, sizeof(counts)) != sizeof(counts[0]) || counts[0] != 5)
    printf("rang %d times\n", (int)counts[0]);
  if (read(file, small, sizeof(small)) >= 0 || errno != EAGAIN) printf("there is more to read\n");
  usleep(kSpan / 1000);
  timerfd_settime(file, 0, &kOften, NULL);
  if (read(file, counts, sizeof(counts)) >= 0 || errno != EAGAIN) printf("a timerfd that is set rang before\n");
  close(file);
}

/* One signal of a timer is under way at most; the program can ask how often it rang meanwhile. */
static void overrun(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  const struct timespec none = {0, 0};
  siginfo_t info;
  timer_t timer;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &kOften, NULL);
  usleep(5 * kSpan / 1000 + 100);
  timer_settime(timer, 0, &(struct itimerspec){0}, NULL);
  if (sigtimedwait(&signals, &info, &none) != SIGRTMIN) printf("no signal\n");
  if (timer_getoverrun(timer) != 4) printf("overrun: %d\n", timer_getoverrun(timer));
  if (sigtimedwait(&signals, &info, &none) >= 0) printf("a second signal\n");
  timer_delete(timer);
}

static void wait_for_queue(void) {
  char name[30], text[8];
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = sizeof(text)};
  snprintf(name, sizeof(name), "/pmufab-%d", (int)getpid());
  const mqd_t queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &size);
  if (queue < 0) return; /* not every host has queues */
  mq_unlink(name);
  for (int way = 0; way < 2; ++way) {
    const int64_t begin = now(CLOCK_REALTIME), then = begin + kSpan;
    const struct timespec until = {then / kSecond, then % kSecond};
    const int error = (way == 0 ? mq_timedreceive(queue, text, sizeof(text), NULL, &until)
                                : mq_timedsend(queue, "later", 5, 0, &until)) < 0
                          ? errno
                          : 0;
    const int64_t took = now(CLOCK_REALTIME) - begin;
    if (error != ETIMEDOUT || took < kSpan || took > kSpan + kSpan / 5)
      printf("queue, way %d: %s, %lld ns\n", way, strerror(error), (long long)took);
    if (mq_timedsend(queue, "first", 5, 0, &until) != 0 && way == 0) printf("queue: %s\n", strerror(errno));
  }
  mq_close(queue);
}

static void* sleep_twice(void* unused) {
  usleep(kSpan / 1000);
  usleep(kSpan / 1000);
  return unused;
}

/* A child that another thread started during a wait has copies of what that uses, and does not hold time. */
static void fork_in_wait(void) {
  int alive[2];
  pthread_t thread;
  pipe(alive);
  pthread_create(&thread, NULL, sleep_twice, NULL);
  /* Time stands still while this one computes: the thread waits. */
  for (const int64_t begin = real(); real() < begin + 50 * INT64_C(1000000);) {
  }
  const pid_t child = fork();
  if (child == 0) {
    close(alive[1]);
    wait_for_end(alive[0]);
    _exit(0);
  }
  pthread_join(thread, NULL);
  const int64_t begin = real();
  for (int turn = 0; turn < 5; ++turn) usleep(kSpan / 1000);
  if (real() - begin > 5 * INT64_C(1000000000)) printf("time passes slowly after fork()\n");
  close(alive[0]);
  close(alive[1]);
  waitpid(child, NULL, 0);
}

int main(int count, char** arguments) {
  if (count > 1) return timerfd_settime(atoi(arguments[1]), 0, &kOften, NULL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  inherit();
  receive();
  hand_on();
  copy_and_close();
  count_rings();
  overrun();
  wait_for_queue();
  fork_in_wait();
  printf("rang\n");
  return 0;
}
