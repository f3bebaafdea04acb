// SPDX-License-Identifier: BSD-2-Clause
/* Chains of functions that are told of what happens. */
#include <linux/notifier.h>

#include "../runtime.h"

int raw_notifier_chain_register(struct raw_notifier_head* chain, struct notifier_block* block) {
  struct notifier_block** at = &chain->head;
  for (; *at && (*at)->priority >= block->priority; at = &(*at)->next)
    if (WARN(*at == block, "a notifier is registered twice\n")) return -EEXIST;
  block->next = *at;
  *at = block;
  return 0;
}

int raw_notifier_chain_unregister(struct raw_notifier_head* chain, struct notifier_block* block) {
  for (struct notifier_block** at = &chain->head; *at; at = &(*at)->next) {
    if (*at != block) continue;
    *at = block->next;
    return 0;
  }
  return -ENOENT;
}

/* A negative errno ends the chain by chance, and notifier_to_errno() takes it for no error. */
static void check_result(const struct notifier_block* block, int result) {
  enum { kLargest = NOTIFY_STOP_MASK + NOTIFY_OK + 4095 }; /* of notifier_from_errno() */
  if (result < 0 || result > kLargest)
    pmufab_rule(PMUFAB_PLACE_OF(block->notifier_call),
                "a notifier answers %d, which is none of NOTIFY_...: it ends the chain, and the error is lost "
                "(notifier_from_errno() is missing)",
                result);
}

int raw_notifier_call_chain(struct raw_notifier_head* chain, unsigned long action, void* data) {
  int result = NOTIFY_DONE;
  for (struct notifier_block *at = chain->head, *next; at && !(result & NOTIFY_STOP_MASK); at = next) {
    next = at->next;
    PMUFAB_CALL(result = at->notifier_call(at, action, data));
    check_result(at, result);
  }
  return result;
}

int blocking_notifier_chain_register(struct raw_notifier_head* chain, struct notifier_block* block) {
  pmufab_might_sleep("registering a notifier");
  return raw_notifier_chain_register(chain, block);
}

int blocking_notifier_chain_unregister(struct raw_notifier_head* chain, struct notifier_block* block) {
  pmufab_might_sleep("unregistering a notifier");
  return raw_notifier_chain_unregister(chain, block);
}

int blocking_notifier_call_chain(struct raw_notifier_head* chain, unsigned long action, void* data) {
  pmufab_might_sleep("calling a chain of notifiers");
  return raw_notifier_call_chain(chain, action, data);
}

static RAW_NOTIFIER_HEAD(cpu_pm_chain);
int cpu_pm_register_notifier(struct notifier_block* block) { return raw_notifier_chain_register(&cpu_pm_chain, block); }
int cpu_pm_unregister_notifier(struct notifier_block* block) {
  return raw_notifier_chain_unregister(&cpu_pm_chain, block);
}
