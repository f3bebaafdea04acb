// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_NOTIFIER_H
#define PMUFAB_LINUX_NOTIFIER_H
struct notifier_block {
  int (*notifier_call)(struct notifier_block* block, unsigned long action, void* data);
  struct notifier_block* next;
  int priority;
};
#endif
