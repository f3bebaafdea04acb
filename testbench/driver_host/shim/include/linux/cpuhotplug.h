// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CPUHOTPLUG_H
#define PMUFAB_LINUX_CPUHOTPLUG_H

#include <linux/types.h>

enum cpuhp_state { CPUHP_INVALID = -1, CPUHP_OFFLINE = 0, CPUHP_AP_ONLINE_DYN = 100, CPUHP_AP_ONLINE_DYN_END = 200 };

int cpuhp_setup_state(enum cpuhp_state state, const char* name, int (*startup)(unsigned int cpu),
                      int (*teardown)(unsigned int cpu));
int cpuhp_setup_state_multi(enum cpuhp_state state, const char* name,
                            int (*startup)(unsigned int cpu, struct hlist_node* node),
                            int (*teardown)(unsigned int cpu, struct hlist_node* node));
/* Runs startup for the instance on every online CPU. */
int cpuhp_state_add_instance(int state, struct hlist_node* node);
int cpuhp_state_add_instance_nocalls(int state, struct hlist_node* node);
/* Runs teardown for the instance on every online CPU; _nocalls does not. */
int cpuhp_state_remove_instance(int state, struct hlist_node* node);
int cpuhp_state_remove_instance_nocalls(int state, struct hlist_node* node);
void cpuhp_remove_multi_state(int state);
void cpuhp_remove_state(int state);
void cpuhp_remove_state_nocalls(int state);

#endif
