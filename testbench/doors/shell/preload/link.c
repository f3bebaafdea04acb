// SPDX-License-Identifier: BSD-2-Clause
/* The connection to the simulator. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "testbench/doors/shell/preload/preload.h"

// NOLINTBEGIN(readability-identifier-naming): C, and names of the C library.

static _Atomic(struct descriptor) descriptors[kDescriptors];
static struct sockaddr_un simulator;
static bool perf;
static _Atomic(bool) begun;
static _Atomic(bool) complained;
static _Atomic(pid_t) self;

UNSANITIZED void* next(const char* function) {
  void* found = dlsym(RTLD_NEXT, function);
  if (!found) {
    fprintf(stderr, "pmufab: the C library has no %s\n", function);
    abort();
  }
  return found;
}

static void begin(void);

/* Constructors of other libraries come before this one's. */
bool is_connected(void) {
  if (!begun) begin();
  return simulator.sun_path[0] != '\0';
}
bool is_perf(void) {
  if (!begun) begin();
  return perf;
}

/* Prints only the first complaint, because every later call fails, too. @return false, with errno */
static bool complain(const char* what) {
  if (!atomic_exchange(&complained, true)) fprintf(stderr, "pmufab: %s\n", what);
  fflush(stderr);
  errno = ENODEV;
  return false;
}

static bool lost(void) { return complain("the simulator of this shell has ended (leave the shell to see why)"); }

static bool differs(uint64_t version) {
  char text[200];
  snprintf(text, sizeof(text),
           "the simulator of this shell speaks version %u of the protocol, and the library in this program version "
           "%u: pmufab was rebuilt meanwhile; leave the shell and start a new one",
           (unsigned)version, PMUFAB_SHELL_VERSION);
  return complain(text);
}

int connect_simulator(void) {
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    int result;
    do {
      result = connect(fd, (const struct sockaddr*)&simulator, sizeof(simulator));
    } while (result != 0 && errno == EINTR);
    if (result == 0) return fd;
    NEXT(close)(fd);
  }
  lost();
  return -1;
}

void hang_up(int fd) {
  shutdown(fd, SHUT_RDWR);
  NEXT(close)(fd);
}

bool send_request(int fd, struct pmufab_shell_request* request) {
  request->version = PMUFAB_SHELL_VERSION;
  const size_t size = offsetof(struct pmufab_shell_request, data) + request->length;
  ssize_t sent;
  do {
    sent = send(fd, request, size, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)size || lost();
}

bool receive_reply(int fd, struct pmufab_shell_reply* reply, int* descriptor) {
  struct iovec part = {reply, sizeof(*reply)};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof(control)};
  ssize_t received;
  do {
    received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received < (ssize_t)offsetof(struct pmufab_shell_reply, data)) return lost();
  if (reply->result == -EPROTONOSUPPORT) return differs(reply->value);
  if (descriptor) {
    *descriptor = -1;
    const struct cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS) memcpy(descriptor, CMSG_DATA(header), sizeof(int));
  }
  return true;
}

bool ask(struct pmufab_shell_request* request, struct pmufab_shell_reply* reply, int* descriptor) {
  const int fd = connect_simulator();
  if (fd < 0) return false;
  const bool good = send_request(fd, request) && receive_reply(fd, reply, descriptor);
  const int error = errno;
  hang_up(fd);
  errno = error;
  return good;
}

int result_of(const struct pmufab_shell_reply* reply) {
  if (reply->result >= 0) return reply->result;
  errno = -reply->result;
  return -1;
}

struct descriptor descriptor_of(int fd) {
  const struct descriptor none = {ORDINARY, 0};
  return fd >= 0 && fd < kDescriptors ? descriptors[fd] : none;
}

void set_descriptor(int fd, enum descriptor_kind kind, uint32_t number) {
  if (fd < 0 || fd >= kDescriptors || (kind == ORDINARY && descriptor_of(fd).kind == ORDINARY)) return;
  /* A child of vfork() shares its parent's memory, but has its own descriptors. */
  if (getpid() == self) descriptors[fd] = (struct descriptor){kind, number};
}

static void after_fork(void) {
  self = getpid();
  after_fork_of_cpus();
}

static void join(void) {
  struct pmufab_shell_request request = {.call = PMUFAB_SHELL_JOIN};
  struct pmufab_shell_reply reply;
  ask(&request, &reply, NULL);
}

__attribute__((constructor)) static void begin(void) {
  if (atomic_exchange(&begun, true)) return;
  const char* path = getenv(PMUFAB_SHELL_SOCKET);
  if (!path || !*path || strlen(path) >= sizeof(simulator.sun_path)) return;
  simulator.sun_family = AF_UNIX;
  strcpy(simulator.sun_path, path);
  self = getpid();
  pthread_atfork(before_fork_of_cpus, NULL, after_fork);
  inherit_cpus(getppid());
  /* perf, and perf_6.1, which Debian's wrapper of perf starts. */
  perf = strncmp(program_invocation_short_name, "perf", 4) == 0;
  if (perf || getenv(PMUFAB_SHELL_EPOCH)) join();
}

// NOLINTEND(readability-identifier-naming)
