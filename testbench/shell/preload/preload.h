// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* Shared by the files of the preload library, which puts the programs of a shell on the virtual platform. It is loaded
 * into every one of them: it allocates nothing, starts nothing, and leaves alone what is not meant for the platform. */

// NOLINTBEGIN: this is C, in the C world's names.
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "testbench/shell/protocol.h"

/* The function this library hides: NEXT(read)(fd, buffer, size). Looked up at each first use. */
#define NEXT(function)                                             \
  ({                                                               \
    static __typeof__(&function) next_function;                    \
    if (!next_function) *(void**)&next_function = next(#function); \
    next_function;                                                 \
  })

void* next(const char* function);

/* Is there a simulator behind this process? */
bool is_connected(void);
/* Is this perf itself, whose clock is simulated time? */
bool is_perf(void);

/* A new connection to the simulator, or -1. The first failure is told on standard error, and errno is ENODEV. */
int connect_simulator(void);
/* Send a request: its length is that of its data. False (and told) if the simulator is gone. */
bool send_request(int socket, struct pmufab_shell_request* request);
/* Receive a reply. @param descriptor  null, or where a file descriptor that comes along is put (-1: none did) */
bool receive_reply(int socket, struct pmufab_shell_reply* reply, int* descriptor);
/* Ask and hear on an open connection, or (ask) on one for this question. False: errno is ENODEV. */
bool ask_on(int socket, struct pmufab_shell_request* request, struct pmufab_shell_reply* reply);
bool ask(struct pmufab_shell_request* request, struct pmufab_shell_reply* reply, int* descriptor);
/* The result of a reply as a system call gives it: sets errno. */
int result_of(const struct pmufab_shell_reply* reply);

/* What a file descriptor of this process stands for. */
enum descriptor_kind { ORDINARY, EVENT, CONFIG };
struct descriptor {
  uint32_t kind;
  uint32_t number; /* of the event; address of the PCI function */
};
enum { kDescriptors = 65536 }; /* those above stand for nothing */
struct descriptor descriptor_of(int fd);
/* Not for one that is not open in this process: a child of vfork() changes nothing. */
void set_descriptor(int fd, enum descriptor_kind kind, uint32_t number);

/* read(2) of an event. */
ssize_t read_event(int fd, void* buffer, size_t size);
/* pread(2) and pwrite(2) of a function's configuration space. */
ssize_t read_config(uint32_t function, void* buffer, size_t size, off_t offset);
ssize_t write_config(uint32_t function, const void* buffer, size_t size, off_t offset);

/* A wait of this process that the simulator knows of. */
struct wait {
  int socket; /* -1: the simulator is not asked */
  uint64_t left;
};
struct wait begin_wait(enum pmufab_shell_wait kind, uint64_t nanoseconds);
/* Before anything else is done. errno stays as it is. */
void end_wait(struct wait* wait);
// NOLINTEND
