// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* The messages between the preload library and the simulator. Both run on one machine and come from one build; the
 * version guards against a library of another build. The simulator answers a request of another version with
 * -EPROTONOSUPPORT, and its own version as value. These fields lie at the same places in all versions.
 *
 * A message is a packet of a local socket (SOCK_SEQPACKET). Its data end after `length` bytes. A process opens a new
 * connection for each request, so that threads, and processes that share an event, get their own answers. The reply to
 * perf_event_open brings a socket that stands for the event, at whose end a reader is at once. This is the file descriptor
 * the program gets. When its last copy is closed, by whatever means, the event is closed. */

// NOLINTBEGIN: this is C, with C naming.
#include <stdint.h>

#define PMUFAB_SHELL_VERSION 6u
#define PMUFAB_SHELL_DATA 4096u
#define PMUFAB_SHELL_TIMER_FILE (UINT64_C(1) << 63) /* a timer with a descriptor: this, and the number of its inode */
#define PMUFAB_SHELL_SOCKET "PMUFAB_SHELL_SOCKET"   /* environment: path of the simulator's socket */
#define PMUFAB_SHELL_SYSFS "PMUFAB_SHELL_SYSFS"     /* environment: folder in place of /sys */
#define PMUFAB_SHELL_EPOCH \
  "PMUFAB_SHELL_EPOCH" /* environment: clocks of all programs show simulated time; what the clock
                                                     of the day showed at its begin, in nanoseconds */

enum pmufab_shell_call {
  /* Simulated time stands still from now on while the caller works, or its children do. The simulator finds the
   * children by itself. */
  PMUFAB_SHELL_JOIN,
  /* value: simulated time in nanoseconds */
  PMUFAB_SHELL_CLOCK,
  /* The reply comes when the time is over, or after PMUFAB_SHELL_AWAKE on the same connection.
   * argument: enum pmufab_shell_wait; nanoseconds of the program, not scaled. value: nanoseconds left over. A sleep
   * beyond the end of simulated time is refused at once with -EINVAL; value: the longest possible one */
  PMUFAB_SHELL_WAIT,
  PMUFAB_SHELL_AWAKE,
  /* perf_event_open. argument: pid, cpu, the leader's event number or 0, flags; data: struct perf_event_attr, as long as
   * the program's; nothing if it is longer than a page. value: number of the event, and the reply brings a socket; with
   * -E2BIG the size that the kernel knows */
  PMUFAB_SHELL_OPEN,
  /* argument: number of the event, size of the buffer; data: what read(2) returns */
  PMUFAB_SHELL_READ,
  /* argument: number of the event, request, argument (of PERF_EVENT_IOC_SET_OUTPUT: the other event's number, or -1);
   * value: what PERF_EVENT_IOC_ID stores */
  PMUFAB_SHELL_IOCTL,
  /* PCI configuration space. argument: segment << 16 | bus << 8 | device << 3 | function, offset, length; data */
  PMUFAB_SHELL_CONFIG_READ,
  PMUFAB_SHELL_CONFIG_WRITE,
  /* A timer in simulated time. argument: signal, its value, and the thread that gets it (0: the process); value: its
   * number, from 1. Or no signal, 0, 0, the flags of a descriptor and above 32 bits its clock. Then the end of a pipe comes
   * along, in which is at most one packet: how often the timer rang, in eight bytes. When its last copy is closed, by
   * whatever means, the timer is gone. */
  PMUFAB_SHELL_TIMER_MAKE,
  /* argument: number (0: the process's own, SIGALRM), nanoseconds left (0: it stops), interval, 0 to change nothing. value:
   * nanoseconds that were left; data: struct pmufab_shell_timer */
  PMUFAB_SHELL_TIMER_SET,
  PMUFAB_SHELL_TIMER_DROP /* argument: number */
};

/* What a process waits for. */
enum pmufab_shell_wait {
  PMUFAB_SHELL_CHILD, /* another process; the wait takes no time by itself */
  PMUFAB_SHELL_SLEEP, /* a span of time and nothing else: simulated as fast as possible */
  PMUFAB_SHELL_POLL   /* at most a span of time: at the speed of the wall clock, unless somebody sleeps */
};

struct pmufab_shell_timer {
  uint64_t interval; /* before, in nanoseconds */
  uint32_t clock;    /* of a timer with a descriptor */
  uint32_t overrun;  /* how often it rang, after the signal that was sent last, before the program took that */
};

struct pmufab_shell_request {
  uint32_t version;
  uint32_t call;
  uint64_t argument[4];
  uint32_t length;
  uint8_t data[PMUFAB_SHELL_DATA];
};

struct pmufab_shell_reply {
  int32_t result; /* 0 or positive, or a negative errno */
  uint32_t length;
  uint64_t value;
  uint8_t data[PMUFAB_SHELL_DATA];
};
// NOLINTEND
