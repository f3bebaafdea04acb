// SPDX-License-Identifier: BSD-2-Clause
// A plugin of QEMU that makes the number of executed instructions the clock of the devices' simulator. Every so often
// it sends the time to the simulator and halts the machine. The simulator answers with the time of the next halt.
//
// Usage: -plugin file=instruction_clock.so,socket=PATH,shift=N, with the N of -icount. Both directions of the socket
// carry nanoseconds as 64-bit numbers.

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// The part of QEMU's plugin interface that is used here (version 7, of QEMU 11.1), from "QEMU TCG Plugins" in QEMU's
// documentation. No Debian package has the header.
#define EXPORT __attribute__((visibility("default")))
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;
static const int kNoRegisters = 0;
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
extern struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t plugin,
                                                  void (*translated)(struct qemu_plugin_tb* block, void* data),
                                                  void* data);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* instruction,
                                                   void (*begins)(unsigned cpu, void* data), int flags, void* data);
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_install(qemu_plugin_id_t plugin, const struct qemu_info_t* machine, int count, char** arguments);

int qemu_plugin_version = 7;

static int simulator = -1;
static unsigned long shift;
// Instructions of all CPUs: a single thread executes one CPU after the other.
static uint64_t executed;
static uint64_t next_halt;

static void halt(void) {
  uint64_t time = executed << shift;
  const ssize_t told = send(simulator, &time, sizeof(time), MSG_NOSIGNAL);
  ssize_t heard = -1;
  do {
    heard = recv(simulator, &time, sizeof(time), MSG_WAITALL);
  } while (heard < 0 && errno == EINTR);
  if (told != sizeof(time) || heard != sizeof(time)) {
    // Without the simulator the machine has no clock, so it must not go on.
    fputs("instruction_clock: the simulator has ended\n", stderr);
    _exit(1);
  }
  next_halt = time >> shift;
}

static void begin_instruction(unsigned cpu, void* data) {
  (void)cpu;
  (void)data;
  if (executed >= next_halt) halt();
  ++executed;
}

// Counts each instruction by itself: exceptions leave a block in its middle, and runs cut code into blocks differently.
// Inline counters cannot be used: with them QEMU 11.1 fails an assertion when the second CPU comes up.
static void translated(struct qemu_plugin_tb* block, void* data) {
  (void)data;
  const size_t size = qemu_plugin_tb_n_insns(block);
  for (size_t i = 0; i < size; ++i)
    qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(block, i), begin_instruction, kNoRegisters, NULL);
}

static bool find_simulator(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  strcpy(address.sun_path, path);
  simulator = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return simulator >= 0 && connect(simulator, (const struct sockaddr*)&address, sizeof(address)) == 0;
}

int qemu_plugin_install(qemu_plugin_id_t plugin, const struct qemu_info_t* machine, int count, char** arguments) {
  (void)machine;
  const char* path = "";
  for (int i = 0; i < count; ++i) {
    if (strncmp(arguments[i], "socket=", 7) == 0) path = arguments[i] + 7;
    if (strncmp(arguments[i], "shift=", 6) == 0) shift = strtoul(arguments[i] + 6, NULL, 10);
  }
  if (!find_simulator(path)) {
    fprintf(stderr, "instruction_clock: %s: %s\n", path, strerror(errno));
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated, NULL);
  return 0;
}
