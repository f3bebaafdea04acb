// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_RESOURCE_EXT_H
#define PMUFAB_LINUX_RESOURCE_EXT_H
#include <linux/ioport.h>
#include <linux/list.h>
struct resource_entry {
  struct list_head node;
  struct resource* res;
  resource_size_t offset;
  struct resource __res;
};
#define resource_list_for_each_entry(entry, list) list_for_each_entry((entry), (list), node)
#endif
