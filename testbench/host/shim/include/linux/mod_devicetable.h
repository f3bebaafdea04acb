// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/types.h>

typedef unsigned long kernel_ulong_t;
#define ACPI_ID_LEN 16
#define PLATFORM_NAME_SIZE 24

struct acpi_device_id {
  __u8 id[ACPI_ID_LEN];
  kernel_ulong_t driver_data;
  __u32 cls;
  __u32 cls_msk;
};
struct of_device_id {
  char name[32];
  char type[32];
  char compatible[128];
  const void* data;
};
struct platform_device_id {
  char name[PLATFORM_NAME_SIZE];
  kernel_ulong_t driver_data;
};
struct pci_device_id {
  __u32 vendor, device;
  __u32 subvendor, subdevice;
  __u32 class, class_mask;
  kernel_ulong_t driver_data;
  __u32 override_only;
};
