// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/bitmap.h>

#define NUMA_NO_NODE (-1)

#define NR_CPUS CONFIG_NR_CPUS

typedef struct cpumask {
  DECLARE_BITMAP(bits, NR_CPUS);
} cpumask_t;
typedef struct cpumask cpumask_var_t[1];

extern unsigned int nr_cpu_ids;
extern struct cpumask __cpu_possible_mask, __cpu_present_mask, __cpu_online_mask;
#define cpu_possible_mask ((const struct cpumask*)&__cpu_possible_mask)
#define cpu_present_mask ((const struct cpumask*)&__cpu_present_mask)
#define cpu_online_mask ((const struct cpumask*)&__cpu_online_mask)
#define cpu_active_mask cpu_online_mask
#define cpumask_bits(mask) ((mask)->bits)
#define nr_cpumask_bits nr_cpu_ids
#define cpumask_pr_args(mask) (int)nr_cpu_ids, cpumask_bits(mask)
#define CPU_MASK_NONE ((struct cpumask){{0}})

static inline bool zalloc_cpumask_var(cpumask_var_t* mask, gfp_t flags) {
  (void)flags;
  memset(mask, 0, sizeof(*mask));
  return true;
}
static inline bool alloc_cpumask_var(cpumask_var_t* mask, gfp_t flags) { return zalloc_cpumask_var(mask, flags); }
static inline void free_cpumask_var(cpumask_var_t mask) { (void)mask; }

/* Of a CPU that there is not, a mask has no bit. @return the bit of another one */
unsigned long pmufab_wrong_cpu(unsigned int cpu);
static inline unsigned long __pmufab_bit_of_cpu(unsigned int cpu) {
  return cpu < nr_cpu_ids ? cpu : pmufab_wrong_cpu(cpu);
}

static inline void cpumask_set_cpu(unsigned int cpu, struct cpumask* mask) {
  set_bit(__pmufab_bit_of_cpu(cpu), mask->bits);
}
static inline void cpumask_clear_cpu(int cpu, struct cpumask* mask) {
  clear_bit(__pmufab_bit_of_cpu((unsigned int)cpu), mask->bits);
}
static inline bool cpumask_test_cpu(int cpu, const struct cpumask* mask) {
  return test_bit(__pmufab_bit_of_cpu((unsigned int)cpu), mask->bits);
}
static inline bool cpumask_test_and_set_cpu(int cpu, struct cpumask* mask) {
  return test_and_set_bit(__pmufab_bit_of_cpu((unsigned int)cpu), mask->bits);
}
static inline bool cpumask_test_and_clear_cpu(int cpu, struct cpumask* mask) {
  return test_and_clear_bit(__pmufab_bit_of_cpu((unsigned int)cpu), mask->bits);
}
static inline void cpumask_clear(struct cpumask* mask) { bitmap_zero(mask->bits, NR_CPUS); }
static inline void cpumask_setall(struct cpumask* mask) {
  cpumask_clear(mask);
  bitmap_set(mask->bits, 0, nr_cpu_ids);
}
static inline bool cpumask_empty(const struct cpumask* mask) { return bitmap_empty(mask->bits, NR_CPUS); }
static inline unsigned int cpumask_weight(const struct cpumask* mask) { return bitmap_weight(mask->bits, NR_CPUS); }
static inline void cpumask_copy(struct cpumask* to, const struct cpumask* from) { *to = *from; }
static inline bool cpumask_equal(const struct cpumask* left, const struct cpumask* right) {
  return bitmap_equal(left->bits, right->bits, NR_CPUS);
}
static inline bool cpumask_and(struct cpumask* to, const struct cpumask* left, const struct cpumask* right) {
  return bitmap_and(to->bits, left->bits, right->bits, NR_CPUS);
}
static inline void cpumask_or(struct cpumask* to, const struct cpumask* left, const struct cpumask* right) {
  bitmap_or(to->bits, left->bits, right->bits, NR_CPUS);
}
static inline bool cpumask_andnot(struct cpumask* to, const struct cpumask* left, const struct cpumask* right) {
  return bitmap_andnot(to->bits, left->bits, right->bits, NR_CPUS);
}
static inline bool cpumask_intersects(const struct cpumask* left, const struct cpumask* right) {
  return bitmap_intersects(left->bits, right->bits, NR_CPUS);
}
static inline bool cpumask_subset(const struct cpumask* left, const struct cpumask* right) {
  return bitmap_subset(left->bits, right->bits, NR_CPUS);
}

/* A CPU number of nr_cpu_ids or more means: none. */
static inline unsigned int __pmufab_cpu_or_none(unsigned long bit) {
  return bit < nr_cpu_ids ? (unsigned int)bit : nr_cpu_ids;
}
static inline unsigned int cpumask_first(const struct cpumask* mask) {
  return __pmufab_cpu_or_none(find_first_bit(mask->bits, NR_CPUS));
}
static inline unsigned int cpumask_next(int cpu, const struct cpumask* mask) {
  return __pmufab_cpu_or_none(find_next_bit(mask->bits, NR_CPUS, (unsigned long)(cpu + 1)));
}
static inline unsigned int cpumask_first_and(const struct cpumask* left, const struct cpumask* right) {
  return __pmufab_cpu_or_none(find_first_and_bit(left->bits, right->bits, NR_CPUS));
}
static inline unsigned int cpumask_next_and(int cpu, const struct cpumask* left, const struct cpumask* right) {
  return __pmufab_cpu_or_none(find_next_and_bit(left->bits, right->bits, NR_CPUS, (unsigned long)(cpu + 1)));
}
unsigned int cpumask_any_but(const struct cpumask* mask, unsigned int cpu);
unsigned int cpumask_any_and_but(const struct cpumask* left, const struct cpumask* right, unsigned int cpu);
#define cpumask_any(mask) cpumask_first(mask)
#define cpumask_any_and(left, right) cpumask_first_and((left), (right))
unsigned int cpumask_local_spread(unsigned int index, int node);
const struct cpumask* cpumask_of(unsigned int cpu);

#define for_each_cpu(cpu, mask) \
  for ((cpu) = 0; (cpu) = find_next_bit((mask)->bits, NR_CPUS, (unsigned long)(cpu)), (cpu) < nr_cpu_ids; (cpu)++)
#define for_each_cpu_and(cpu, left, right)                                                                        \
  for ((cpu) = 0;                                                                                                 \
       (cpu) = find_next_and_bit((left)->bits, (right)->bits, NR_CPUS, (unsigned long)(cpu)), (cpu) < nr_cpu_ids; \
       (cpu)++)
#define for_each_possible_cpu(cpu) for_each_cpu(cpu, cpu_possible_mask)
#define for_each_online_cpu(cpu) for_each_cpu(cpu, cpu_online_mask)
#define for_each_present_cpu(cpu) for_each_cpu(cpu, cpu_present_mask)
#define num_online_cpus() cpumask_weight(cpu_online_mask)
#define num_possible_cpus() cpumask_weight(cpu_possible_mask)
#define cpu_online(cpu) cpumask_test_cpu((int)(cpu), cpu_online_mask)
#define cpu_possible(cpu) cpumask_test_cpu((int)(cpu), cpu_possible_mask)

static inline ssize_t cpumap_print_to_pagebuf(bool list, char* buffer, const struct cpumask* mask) {
  return bitmap_print_to_pagebuf(list, buffer, mask->bits, (int)nr_cpu_ids);
}

/* NUMA_NO_NODE for a CPU that does not exist. */
int cpu_to_node(int cpu);
const struct cpumask* cpumask_of_node(int node);
#define topology_physical_package_id(cpu) cpu_to_node(cpu)
#define topology_die_id(cpu) 0
extern int pmufab_node_count;
#define nr_node_ids ((unsigned int)pmufab_node_count)
#define num_possible_nodes() pmufab_node_count
