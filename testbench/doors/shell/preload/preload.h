// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* Shared by the files of the preload library, which shows the virtual platform to the programs of a shell. It is
 * loaded into every one of them: it allocates nothing, starts nothing, and passes on what is not for the platform. */

// NOLINTBEGIN: this is C, with C naming.
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "testbench/doors/shell/protocol.h"

/* The C library's function, hidden by one here: NEXT(read)(fd, buffer, size). Each place of use looks it up once, or
 * twice if two threads come at once. */
#define NEXT(function)                                                        \
  ({                                                                          \
    static void* next_function;                                               \
    void* found_function = __atomic_load_n(&next_function, __ATOMIC_RELAXED); \
    if (!found_function) {                                                    \
      found_function = next(#function);                                       \
      __atomic_store_n(&next_function, found_function, __ATOMIC_RELAXED);     \
    }                                                                         \
    (__typeof__(&function))found_function;                                    \
  })

/* For functions that ThreadSanitizer calls before it can be used. With clang the other attribute leaves calls of it. */
#ifdef __clang__
#define UNSANITIZED __attribute__((disable_sanitizer_instrumentation))
#else
#define UNSANITIZED __attribute__((no_sanitize_thread))
#endif

void* next(const char* function);

/* Is there a simulator behind this process? */
bool is_connected(void);
/* Is this program perf? Its clock is simulated time. */
bool is_perf(void);

/* Opens a new connection to the simulator. @return -1 on failure, with errno ENODEV; the first failure is printed */
int connect_simulator(void);
/* Closes a connection, also if a child has a copy of it: one that was forked while another thread waited. */
void hang_up(int socket);
/* Sends a request, whose `length` is that of its data. @return false, with a message, if the simulator is gone */
bool send_request(int socket, struct pmufab_shell_request* request);
/* Receives a reply. @param descriptor  null, or the place for a file descriptor that comes along (-1: none came) */
bool receive_reply(int socket, struct pmufab_shell_reply* reply, int* descriptor);
/* Send a request on a new connection, and receive the reply. False: errno is ENODEV. */
bool ask(struct pmufab_shell_request* request, struct pmufab_shell_reply* reply, int* descriptor);
/* @return the reply as a system call's result, with errno set on failure */
int result_of(const struct pmufab_shell_reply* reply);

/* What a file descriptor of this process stands for. */
enum descriptor_kind { ORDINARY, EVENT, CONFIG };
struct descriptor {
  uint32_t kind;
  uint32_t number; /* of the event; address of the PCI function */
};
enum { kDescriptors = 65536 }; /* higher ones are ORDINARY */
struct descriptor descriptor_of(int fd);
/* Changes nothing in a child of vfork(): its descriptors are not those of the process whose memory it shares. */
void set_descriptor(int fd, enum descriptor_kind kind, uint32_t number);

/* The platform's file in place of `path`, as seen from an open folder, or AT_FDCWD.
 * @return `path` itself, or another path, written to `space` of PATH_MAX bytes */
const char* redirect(int folder, const char* path, char* space);
/* The reverse, in place. @return false, and nothing is changed, if `path` is not the platform's */
bool show(char* path);
/* Opens the status of a process in /proc with the platform's CPUs and nodes. @return -1: `path` is no such file */
int open_status(const char* path, int flags);

/* This thread may run on the CPUs of another one, unless it has its own already. */
void inherit_cpus(pid_t from);
/* Around fork(), in the parent and in the child. */
void before_fork_of_cpus(void);
void after_fork_of_cpus(void);
/* A system call about CPUs and memory. @return false: it is another, and for the host */
bool machine_call(long number, const long argument[6], long* result);

/* A system call that waits for a futex, with a time limit of simulated time. @return false: it is another, and for the
 * host */
bool futex_call(const long argument[6], long* result);

/* As read(2), of an event by its number. */
ssize_t read_event(uint32_t event, void* buffer, size_t size);
/* As pread(2) and pwrite(2), of a function's configuration space. */
ssize_t read_config(uint32_t function, void* buffer, size_t size, off_t offset);
ssize_t write_config(uint32_t function, const void* buffer, size_t size, off_t offset);

/* A wait of this process that the simulator knows about. */
struct wait {
  int socket;    /* -1: the simulator is not asked */
  uint64_t left; /* nanoseconds, set by end_wait() */
};
struct wait begin_wait(enum pmufab_shell_wait kind, uint64_t nanoseconds);
/* To be called before the program goes on. Keeps errno. */
void end_wait(struct wait* wait);
// NOLINTEND
