// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/types.h>

#define ACPI_TYPE_ANY 0
#define ACPI_TYPE_INTEGER 1
union acpi_object { /* a property that ACPI firmware gives: an integer */
  u32 type;
  struct {
    u32 type;
    u64 value;
  } integer;
};
struct pmufab_firmware_property {
  const char* name;
  u64 value;
  union acpi_object object;
  bool is_64bit; /* in a device tree: two cells, the upper half first. ACPI has 64-bit integers only. */
};
enum pmufab_fwnode_kind { PMUFAB_FWNODE_STATIC, PMUFAB_FWNODE_ACPI, PMUFAB_FWNODE_OF };

/* A node of the firmware's description: an ACPI device, a device tree node, or a placeholder. */
struct fwnode_handle {
  enum pmufab_fwnode_kind kind;
  const struct pmufab_firmware_property* properties;
  size_t property_count;
};

struct device;

/* Properties are integers. With `values` null, the result is their number. -EINVAL: no such property, or of another
 * type; -EOVERFLOW: fewer than `count`, or a value that does not fit. A 64-bit property of a device tree is two 32-bit
 * ones, the upper half first. */
int fwnode_property_read_u32_array(const struct fwnode_handle* fwnode, const char* name, u32* values, size_t count);
int fwnode_property_read_u64_array(const struct fwnode_handle* fwnode, const char* name, u64* values, size_t count);
bool fwnode_property_present(const struct fwnode_handle* fwnode, const char* name);
struct fwnode_handle* dev_fwnode(const struct device* dev);
const void* device_get_match_data(const struct device* dev);

static inline int fwnode_property_read_u32(const struct fwnode_handle* fwnode, const char* name, u32* value) {
  return fwnode_property_read_u32_array(fwnode, name, value, 1);
}
static inline int fwnode_property_read_u64(const struct fwnode_handle* fwnode, const char* name, u64* value) {
  return fwnode_property_read_u64_array(fwnode, name, value, 1);
}
static inline int device_property_read_u64(const struct device* dev, const char* name, u64* value) {
  return fwnode_property_read_u64(dev_fwnode(dev), name, value);
}
static inline int device_property_read_u64_array(const struct device* dev, const char* name, u64* values,
                                                 size_t count) {
  return fwnode_property_read_u64_array(dev_fwnode(dev), name, values, count);
}
static inline int device_property_read_u32(const struct device* dev, const char* name, u32* value) {
  return fwnode_property_read_u32(dev_fwnode(dev), name, value);
}
static inline int device_property_read_u32_array(const struct device* dev, const char* name, u32* values,
                                                 size_t count) {
  return fwnode_property_read_u32_array(dev_fwnode(dev), name, values, count);
}
static inline bool device_property_present(const struct device* dev, const char* name) {
  return fwnode_property_present(dev_fwnode(dev), name);
}
static inline bool device_property_read_bool(const struct device* dev, const char* name) {
  return device_property_present(dev, name);
}
struct fwnode_handle* fwnode_handle_get(struct fwnode_handle* fwnode);
void fwnode_handle_put(struct fwnode_handle* fwnode);
