// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/property.h>
#include <linux/string.h>
#include <linux/types.h>

typedef u32 acpi_status;
#define TRUE (1 == 1)
#define AE_OK ((acpi_status)0)
#define AE_ERROR ((acpi_status)1)
#define AE_NOT_FOUND ((acpi_status)5)
#define ACPI_FAILURE(status) ((status) != AE_OK)
#define ACPI_SUCCESS(status) ((status) == AE_OK)
#define return_ACPI_STATUS(status) return (status)
#define ACPI_SIG_APMT "APMT"
#define ACPI_LEVEL_SENSITIVE 0
#define ACPI_EDGE_SENSITIVE 1
#define ACPI_ACTIVE_HIGH 0
#define ACPI_PTR(pointer) (pointer)
#define ACPI_ADD_PTR(type, base, offset) ((type*)((char*)(base) + (offset)))

struct acpi_table_header {
  char signature[4];
  u32 length;
  u8 revision;
  u8 checksum;
  char oem_id[6];
  char oem_table_id[8];
  u32 oem_revision;
  char asl_compiler_id[4];
  u32 asl_compiler_revision;
} __packed;

/* Arm Performance Monitoring Unit table (DEN0117). */
struct acpi_table_apmt {
  struct acpi_table_header header;
} __packed;
struct acpi_apmt_node {
  u16 length;
  u8 flags;
  u8 type;
  u32 id;
  u64 inst_primary;
  u32 inst_secondary;
  u64 base_address0;
  u64 base_address1;
  u32 ovflw_irq;
  u32 reserved;
  u32 ovflw_irq_flags;
  u32 proc_affinity;
  u32 impl_id;
} __packed;
#define ACPI_APMT_FLAGS_DUAL_PAGE (1 << 0)
#define ACPI_APMT_FLAGS_AFFINITY (1 << 1)
#define ACPI_APMT_FLAGS_ATOMIC (1 << 2)
#define ACPI_APMT_FLAGS_AFFINITY_PROC (0 << 1)
#define ACPI_APMT_FLAGS_AFFINITY_PROC_CONTAINER (1 << 1)
#define ACPI_APMT_OVFLW_IRQ_FLAGS_MODE (1 << 0)
#define ACPI_APMT_OVFLW_IRQ_FLAGS_MODE_LEVEL 0
#define ACPI_APMT_OVFLW_IRQ_FLAGS_MODE_EDGE 1
enum acpi_apmt_node_type {
  ACPI_APMT_NODE_TYPE_MC = 0,
  ACPI_APMT_NODE_TYPE_SMMU = 1,
  ACPI_APMT_NODE_TYPE_PCIE_ROOT = 2,
  ACPI_APMT_NODE_TYPE_ACPI = 3,
  ACPI_APMT_NODE_TYPE_CACHE = 4,
  ACPI_APMT_NODE_TYPE_COUNT = 5
};

struct acpi_device {
  struct device dev;
  struct fwnode_handle fwnode;
  struct acpi_device* parent;
  struct {
    u32 present : 1;
  } status;
  /* Our members. */
  const char *hid, *uid;
  struct resource* resources;
  size_t resource_count;
  struct list_head node;
};

#define ACPI_PROCESSOR_CONTAINER_HID "ACPI0010"
#define ACPI_PROCESSOR_DEVICE_HID "ACPI0007"
#define acpi_fwnode_handle(device) (&(device)->fwnode)
#define is_acpi_device_node(handle) ((handle) && (handle)->kind == PMUFAB_FWNODE_ACPI)
static inline struct acpi_device* to_acpi_device_node(const struct fwnode_handle* handle) {
  return is_acpi_device_node(handle) ? container_of(handle, struct acpi_device, fwnode) : 0;
}
#define ACPI_COMPANION(pointer) to_acpi_device_node((pointer)->fwnode)
#define has_acpi_companion(pointer) is_acpi_device_node((pointer)->fwnode)
char* acpi_device_uid(struct acpi_device* device); /* NULL: firmware has none */
static inline const char* acpi_device_hid(struct acpi_device* device) { return device->hid; }
/* -ENODATA: it has none; -EINVAL: it is not a number. */
int acpi_dev_uid_to_integer(struct acpi_device* device, u64* number);
typedef struct acpi_device* acpi_handle;
#define ACPI_HANDLE(pointer) ACPI_COMPANION(pointer)
/* Integers of the namespace are the device's properties. */
acpi_status acpi_evaluate_integer(acpi_handle handle, const char* name, void* arguments, unsigned long long* value);
static inline struct acpi_device* acpi_fetch_acpi_dev(acpi_handle handle) { return handle; }
static inline int acpi_get_node(acpi_handle handle) { return handle ? handle->dev.numa_node : NUMA_NO_NODE; }
static inline int acpi_bus_get_status(struct acpi_device* device) { /* a device does not come or go */
  (void)device;
  return 0;
}
/* Calls back for devices below `start`, `depth` levels deep; of other types, there are no objects. A failure ends it. */
#define ACPI_TYPE_DEVICE 6
typedef acpi_status (*acpi_walk_callback)(acpi_handle handle, u32 level, void* context, void** value);
acpi_status acpi_walk_namespace(u32 type, acpi_handle start, u32 depth, acpi_walk_callback before,
                                acpi_walk_callback after, void* context, void** value);
/* -EINVAL: there is none of that name; -EPROTO: it is no integer. */
int acpi_dev_get_property(const struct acpi_device* device, const char* name, int type,
                          const union acpi_object** object);
static inline struct acpi_device* acpi_dev_parent(struct acpi_device* device) { return device->parent; }
void acpi_dev_put(struct acpi_device* device);

bool pmufab_acpi_hid_uid_match(struct acpi_device* device, const char* hid, const char* uid, u64 number,
                               bool is_number);
/* The UID is a text or a number. */
#define acpi_dev_hid_uid_match(device, hid, uid)                                     \
  pmufab_acpi_hid_uid_match(                                                         \
      (device), (hid), (const char*)(unsigned long)(uid), (u64)(unsigned long)(uid), \
      !(__same_type((uid), char*) || __same_type((uid), const char*) || __same_type((uid), void*)))
#define acpi_dev_uid_match(device, uid) acpi_dev_hid_uid_match((device), 0, (uid))
struct acpi_device* acpi_dev_get_first_match_dev(const char* hid, const char* uid, s64 revision);
int acpi_dev_get_memory_resources(struct acpi_device* device, struct list_head* list);
struct acpi_resource;
int acpi_dev_get_resources(struct acpi_device* device, struct list_head* list,
                           int (*convert)(struct acpi_resource* resource, void* data), void* data);
void acpi_dev_free_resource_list(struct list_head* list);
const struct acpi_device_id* acpi_match_device(const struct acpi_device_id* ids, const struct device* dev);
const struct acpi_device_id* acpi_match_acpi_device(const struct acpi_device_id* ids, const struct acpi_device* device);
int acpi_match_device_ids(struct acpi_device* device, const struct acpi_device_id* ids); /* 0, or -ENOENT */
#define acpi_device_get_match_data device_get_match_data

acpi_status acpi_get_table(const char* signature, u32 instance, struct acpi_table_header** table);
void acpi_put_table(struct acpi_table_header* table);
const char* acpi_format_exception(acpi_status status);
int acpi_register_gsi(struct device* dev, u32 gsi, int triggering, int polarity);
void acpi_unregister_gsi(u32 gsi);
struct fwnode_handle* acpi_alloc_fwnode_static(void);
void acpi_free_fwnode_static(struct fwnode_handle* handle);
int acpi_get_cpu_uid(unsigned int cpu, u32* uid);
u32 get_acpi_id_for_cpu(unsigned int cpu);
#define acpi_disabled 0

/* There is no IORT table. Models of the performance monitors of an SMMU, in a device's platform data. */
#define IORT_SMMU_V3_PMCG_GENERIC 0
#define IORT_SMMU_V3_PMCG_HISI_HIP08 1
#define IORT_SMMU_V3_PMCG_HISI_HIP09 2
