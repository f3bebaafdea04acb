// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/types.h>

#define NOTIFY_DONE 0
#define NOTIFY_OK 1
#define NOTIFY_STOP_MASK 0x8000
#define NOTIFY_BAD (NOTIFY_STOP_MASK | 2)
#define NOTIFY_STOP (NOTIFY_OK | NOTIFY_STOP_MASK)
struct notifier_block {
  int (*notifier_call)(struct notifier_block* block, unsigned long action, void* data);
  struct notifier_block* next;
  int priority;
};
static inline int notifier_from_errno(int error) { return error ? NOTIFY_STOP_MASK | (NOTIFY_OK - error) : NOTIFY_OK; }
static inline int notifier_to_errno(int result) {
  result &= ~NOTIFY_STOP_MASK;
  return result > NOTIFY_OK ? NOTIFY_OK - result : 0;
}

/* Chains: the highest priority first. The kinds differ only in who may sleep. */
struct raw_notifier_head {
  struct notifier_block* head;
};
#define atomic_notifier_head raw_notifier_head
#define blocking_notifier_head raw_notifier_head
#define RAW_NOTIFIER_HEAD(name) struct raw_notifier_head name = {0}
#define ATOMIC_NOTIFIER_HEAD RAW_NOTIFIER_HEAD
#define BLOCKING_NOTIFIER_HEAD RAW_NOTIFIER_HEAD
#define RAW_INIT_NOTIFIER_HEAD(chain) ((chain)->head = 0)
#define ATOMIC_INIT_NOTIFIER_HEAD RAW_INIT_NOTIFIER_HEAD
#define BLOCKING_INIT_NOTIFIER_HEAD RAW_INIT_NOTIFIER_HEAD
int raw_notifier_chain_register(struct raw_notifier_head* chain, struct notifier_block* block);
int raw_notifier_chain_unregister(struct raw_notifier_head* chain, struct notifier_block* block);
int raw_notifier_call_chain(struct raw_notifier_head* chain, unsigned long action, void* data);
int blocking_notifier_chain_register(struct raw_notifier_head* chain, struct notifier_block* block);
int blocking_notifier_chain_unregister(struct raw_notifier_head* chain, struct notifier_block* block);
int blocking_notifier_call_chain(struct raw_notifier_head* chain, unsigned long action, void* data);
#define atomic_notifier_chain_register raw_notifier_chain_register
#define atomic_notifier_chain_unregister raw_notifier_chain_unregister
#define atomic_notifier_call_chain raw_notifier_call_chain

/* No CPU goes to a low power state, so the chain is never called. */
enum cpu_pm_event { CPU_PM_ENTER, CPU_PM_ENTER_FAILED, CPU_PM_EXIT, CPU_CLUSTER_PM_ENTER, CPU_CLUSTER_PM_EXIT };
int cpu_pm_register_notifier(struct notifier_block* block);
int cpu_pm_unregister_notifier(struct notifier_block* block);
