// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/types.h>

/* States of one driver each have a number of their own. DYN: the next free one. */
enum cpuhp_state {
  CPUHP_INVALID = -1,
  CPUHP_OFFLINE = 0,
  CPUHP_AP_PERF_ARM_CCI_ONLINE,
  CPUHP_AP_PERF_ARM_CCN_ONLINE,
  CPUHP_AP_PERF_ARM_HISI_CPA_ONLINE,
  CPUHP_AP_PERF_ARM_HISI_DDRC_ONLINE,
  CPUHP_AP_PERF_ARM_HISI_HHA_ONLINE,
  CPUHP_AP_PERF_ARM_HISI_L3_ONLINE,
  CPUHP_AP_PERF_ARM_HISI_PA_ONLINE,
  CPUHP_AP_PERF_ARM_HISI_PCIE_PMU_ONLINE,
  CPUHP_AP_PERF_ARM_HISI_SLLC_ONLINE,
  CPUHP_AP_PERF_ARM_HNS3_PMU_ONLINE,
  CPUHP_AP_PERF_ARM_QCOM_L3_ONLINE,
  CPUHP_AP_PERF_ARM_APM_XGENE_ONLINE,
  CPUHP_AP_PERF_ARM_CAVIUM_TX2_UNCORE_ONLINE,
  CPUHP_AP_PERF_ARM_MARVELL_CN10K_DDR_ONLINE,
  CPUHP_AP_PERF_ARM_MRVL_PEM_ONLINE,
  CPUHP_AP_ONLINE_DYN = 100,
  CPUHP_AP_ONLINE_DYN_END = 200
};

/* The number of a state without one of its own, or 0, or an errno. */
int cpuhp_setup_state(enum cpuhp_state state, const char* name, int (*startup)(unsigned int cpu),
                      int (*teardown)(unsigned int cpu));
int cpuhp_setup_state_multi(enum cpuhp_state state, const char* name,
                            int (*startup)(unsigned int cpu, struct hlist_node* node),
                            int (*teardown)(unsigned int cpu, struct hlist_node* node));
/* Does not run startup on the CPUs that are online. */
int cpuhp_setup_state_nocalls(enum cpuhp_state state, const char* name, int (*startup)(unsigned int cpu),
                              int (*teardown)(unsigned int cpu));
/* Runs startup for the instance on every online CPU. */
int cpuhp_state_add_instance(int state, struct hlist_node* node);
int cpuhp_state_add_instance_nocalls(int state, struct hlist_node* node);
/* Runs teardown for the instance on every online CPU; _nocalls does not. */
int cpuhp_state_remove_instance(int state, struct hlist_node* node);
int cpuhp_state_remove_instance_nocalls(int state, struct hlist_node* node);
void cpuhp_remove_multi_state(int state);
void cpuhp_remove_state(int state);
void cpuhp_remove_state_nocalls(int state);

void cpus_read_lock(void);
void cpus_read_unlock(void);
