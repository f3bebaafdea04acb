// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_FWNODE_H
#define PMUFAB_LINUX_FWNODE_H

#include <linux/types.h>

struct pmufab_firmware_property {
  const char* name;
  u64 value;
  bool is_64bit; /* in a device tree: two cells, the upper half first. ACPI has 64-bit integers only. */
};
enum pmufab_fwnode_kind { PMUFAB_FWNODE_STATIC, PMUFAB_FWNODE_ACPI, PMUFAB_FWNODE_OF };

/* A node of the firmware's description: an ACPI device, a device tree node, or a placeholder. */
struct fwnode_handle {
  enum pmufab_fwnode_kind kind;
  const struct pmufab_firmware_property* properties;
  size_t property_count;
};

#endif
