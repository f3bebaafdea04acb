// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_OF_IRQ_H
#define PMUFAB_LINUX_OF_IRQ_H
#include <linux/of.h>
/* -EINVAL: the node has no such interrupt. */
int of_irq_get(struct device_node* node, int index);
#endif
