// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* What the preload library says to the simulator, and what it hears. Both ends run on one machine and come from one
 * build; the version guards against a library of another one. A request of another version is answered by
 * -EPROTONOSUPPORT and, as value, the simulator's version: where these fields lie is the same in all versions.
 *
 * Messages are packets of a local socket (SOCK_SEQPACKET), the data cut off behind `length`. A process asks on a new
 * connection each time, except about an event: perf_event_open's reply brings a socket that stands for the event, and
 * is the file descriptor the program gets. When its last copy is closed, by whatever means, so is the event. */

// NOLINTBEGIN: this is C, in the C world's names.
#include <stdint.h>

#define PMUFAB_SHELL_VERSION 2u
#define PMUFAB_SHELL_DATA 4096u
#define PMUFAB_SHELL_SOCKET "PMUFAB_SHELL_SOCKET" /* environment: path of the simulator's socket */
#define PMUFAB_SHELL_SYSFS "PMUFAB_SHELL_SYSFS"   /* environment: folder that stands for /sys */

enum pmufab_shell_call {
  /* The caller's work takes no simulated time, so that time stands still while it does any. Nor does that of its
   * children, whom the simulator finds by itself. */
  PMUFAB_SHELL_JOIN,
  /* value: simulated time in nanoseconds */
  PMUFAB_SHELL_CLOCK,
  /* Answered when the time is over, or after PMUFAB_SHELL_AWAKE on the same connection.
   * argument: enum pmufab_shell_wait; nanoseconds as the program means them. value: those left over */
  PMUFAB_SHELL_WAIT,
  PMUFAB_SHELL_AWAKE,
  /* perf_event_open. argument: pid, cpu, the leader's event number or 0, flags; data: struct perf_event_attr.
   * value: number of the event; a socket comes along */
  PMUFAB_SHELL_OPEN,
  /* On an event's socket. argument: size of the buffer; data: what read(2) puts there */
  PMUFAB_SHELL_READ,
  /* On an event's socket. argument: request, argument; value: what PERF_EVENT_IOC_ID stores */
  PMUFAB_SHELL_IOCTL,
  /* PCI configuration space. argument: segment << 16 | bus << 8 | device << 3 | function, offset, length; data */
  PMUFAB_SHELL_CONFIG_READ,
  PMUFAB_SHELL_CONFIG_WRITE
};

/* What a process waits for. */
enum pmufab_shell_wait {
  PMUFAB_SHELL_CHILD, /* another process: no time by itself */
  PMUFAB_SHELL_SLEEP, /* a span of time, and nothing else: simulated as fast as it goes */
  PMUFAB_SHELL_POLL   /* at most this long: nobody is in a hurry */
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
