// SPDX-License-Identifier: Apache-2.0
/* Waits for a second, with nanosleep() or poll(), and gets a signal after it has told the simulator of its wait and before
 * it waits. Says what became of the wait. Usage: signal_program sleep|poll */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static volatile sig_atomic_t armed;

static void on_signal(int number) { (void)number; }

/* The preload library sends its messages with this one. */
ssize_t send(int fd, const void* data, size_t size, int flags) {
  ssize_t (*next)(int, const void*, size_t, int) = dlsym(RTLD_NEXT, "send");
  const ssize_t sent = next(fd, data, size, flags);
  if (armed) {
    armed = 0;
    raise(SIGUSR1);
  }
  return sent;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  armed = 1;
  const struct timespec second = {1, 0};
  const int result = strcmp(argv[1], "poll") == 0 ? poll(NULL, 0, 1000) : nanosleep(&second, NULL);
  const int error = errno;
  printf("%s: %s\n", argv[1], result < 0 && error == EINTR ? "interrupted" : "waited");
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  if (sigismember(&blocked, SIGUSR1)) puts("the signal is still blocked");
  return 0;
}
