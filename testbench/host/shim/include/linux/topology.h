// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_TOPOLOGY_H
#define PMUFAB_LINUX_TOPOLOGY_H
#include <linux/cpumask.h>
#include <linux/numa.h>
/* NUMA_NO_NODE for a CPU that does not exist. */
int cpu_to_node(int cpu);
const struct cpumask* cpumask_of_node(int node);
#define topology_physical_package_id(cpu) cpu_to_node(cpu)
#define topology_die_id(cpu) 0
extern int pmufab_node_count;
#define nr_node_ids ((unsigned int)pmufab_node_count)
#define num_possible_nodes() pmufab_node_count
#endif
