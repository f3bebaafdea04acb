// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/mod_devicetable.h>
#include <linux/property.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0) /* until then, linux/of_device.h had it */
#include <linux/platform_device.h>
#endif

struct device_node {
  const char* name;
  const char* compatible;
  struct device_node* parent;
  struct fwnode_handle fwnode;
};
struct of_phandle_iterator {
  struct device_node* node;
};

#define of_match_ptr(table) (table)
#define of_fwnode_handle(node) ((node) ? &(node)->fwnode : (struct fwnode_handle*)0)
#define to_of_node(handle)                                                                             \
  ((handle) && (handle)->kind == PMUFAB_FWNODE_OF ? container_of((handle), struct device_node, fwnode) \
                                                  : (struct device_node*)0)

static inline struct device_node* dev_of_node(struct device* dev) {
  return dev ? dev->of_node : (struct device_node*)0;
}
static inline int of_property_read_u32(const struct device_node* node, const char* name, u32* value) {
  return fwnode_property_read_u32(node ? &node->fwnode : 0, name, value);
}
static inline int of_property_read_u32_array(const struct device_node* node, const char* name, u32* values,
                                             size_t count) {
  return fwnode_property_read_u32_array(node ? &node->fwnode : 0, name, values, count);
}
static inline int of_property_read_u64(const struct device_node* node, const char* name, u64* value) {
  return fwnode_property_read_u64(node ? &node->fwnode : 0, name, value);
}
static inline bool of_property_read_bool(const struct device_node* node, const char* name) {
  return fwnode_property_present(node ? &node->fwnode : 0, name);
}
#define of_property_present of_property_read_bool
int of_device_is_compatible(const struct device_node* node, const char* compatible);
static inline bool of_device_is_available(const struct device_node* node) { return node != 0; }
void of_node_put(struct device_node* node);
/* Takes a reference to the node, and puts that to the one before it. */
struct device_node* of_get_next_child(const struct device_node* parent, struct device_node* previous);
#define for_each_child_of_node(parent, child) \
  for ((child) = of_get_next_child((parent), 0); (child); (child) = of_get_next_child((parent), (child)))
int of_address_to_resource(struct device_node* node, int index, struct resource* resource);
struct device_node* of_node_get(struct device_node* node);
/* References between nodes are not described: every list of references is absent. */
static inline int of_cpu_node_to_id(struct device_node* node) {
  (void)node;
  return -ENODEV;
}
static inline struct device_node* of_parse_phandle(const struct device_node* node, const char* name, int index) {
  (void)node, (void)name, (void)index;
  return 0;
}
#define of_for_each_phandle(iterator, error, np, list, cells_name, cells) \
  for ((iterator)->node = 0, (void)(np), (error) = -ENOENT; (error) == 0;)
const void* of_device_get_match_data(const struct device* dev);
const struct of_device_id* of_match_device(const struct of_device_id* table, const struct device* dev);

/* -EINVAL: the node has no such interrupt. */
int of_irq_get(struct device_node* node, int index);
