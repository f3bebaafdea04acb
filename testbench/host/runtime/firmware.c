// SPDX-License-Identifier: BSD-2-Clause
/* The firmware description: ACPI devices and tables, device tree nodes, CPUs in the ACPI namespace. */
#include <linux/cpumask.h>
#include <linux/of.h>

#include "runtime.h"

/* From the kernel's drivers/acpi/arm64/apmt.c, which is compiled unmodified: makes devices from the APMT table. Kernels
 * without it (before 6.3) ignore the table. */
void acpi_apmt_init(void) __attribute__((__weak__));

struct described_device {
  struct list_head node;
  struct acpi_device acpi, parent;
  struct device_node device_tree;
  struct pmufab_firmware_property* properties;
  struct resource* resources;
  size_t resource_count;
  int numa_node;
  struct described_device* above; /* that it is below; null: none */
  struct platform_device* pdev;
};
struct described_cpu {
  struct device dev;
  struct acpi_device acpi, container;
  char uid[12], container_uid[12];
  u32 number;
};

static LIST_HEAD(devices);
static struct described_cpu* cpus;
static struct acpi_table_header* apmt;

static struct resource* copy_resources(const struct pmufab_device* from, size_t* count) {
  *count = from->memory_count + from->interrupt_count;
  struct resource* resources = kcalloc(*count, sizeof(*resources), GFP_KERNEL);
  struct resource* to = resources;
  for (size_t i = 0; i < from->memory_count; i++)
    *to++ = (struct resource){
        .start = from->memory[i].base, .end = from->memory[i].base + from->memory[i].size - 1, .flags = IORESOURCE_MEM};
  for (size_t i = 0; i < from->interrupt_count; i++) {
    *to++ = (struct resource){.start = from->interrupts[i], .end = from->interrupts[i], .flags = IORESOURCE_IRQ};
    pmufab_irq_known(from->interrupts[i]);
  }
  return resources;
}

/* `words`: names, separated by spaces, as nodes have that are compatible with several. */
static bool has_word(const char* words, const char* word) {
  for (size_t length; *words; words += length + (words[length] == ' ')) {
    length = strcspn(words, " ");
    if (length == strlen(word) && strncmp(words, word, length) == 0) return true;
  }
  return false;
}

/* The device that another is in, of the same socket: "HID:UID" of the ACPI namespace, or the node's compatible string; null:
 * there is none. */
static struct described_device* find_above(const char* path, bool is_acpi, int numa_node) {
  struct described_device* device;
  list_for_each_entry(device, &devices, node) {
    const size_t length = strlen(device->acpi.hid);
    if (device->numa_node != numa_node) continue;
    if (!is_acpi && !length && has_word(device->device_tree.compatible, path)) return device;
    if (is_acpi && length && strncmp(path, device->acpi.hid, length) == 0 && path[length] == ':' && device->acpi.uid &&
        strcmp(path + length + 1, device->acpi.uid) == 0)
      return device;
  }
  return NULL;
}

static void describe_device(const struct pmufab_device* from) {
  struct described_device* device = kzalloc(sizeof(*device), GFP_KERNEL);
  const bool is_acpi = from->hid[0] != 0;
  device->resources = copy_resources(from, &device->resource_count);
  device->properties = kcalloc(from->property_count, sizeof(*device->properties), GFP_KERNEL);
  for (size_t i = 0; i < from->property_count; i++)
    device->properties[i] = (struct pmufab_firmware_property){
        .name = kstrdup(from->properties[i].name, GFP_KERNEL),
        .value = from->properties[i].value,
        .object = {.integer = {.type = ACPI_TYPE_INTEGER, .value = from->properties[i].value}},
        .is_64bit = from->properties[i].is_64bit};
  const struct fwnode_handle fwnode = {.kind = is_acpi ? PMUFAB_FWNODE_ACPI : PMUFAB_FWNODE_OF,
                                       .properties = device->properties,
                                       .property_count = from->property_count};
  device->acpi.fwnode = device->device_tree.fwnode = fwnode;
  device->acpi.hid = kstrdup(from->hid, GFP_KERNEL);
  device->acpi.dev.numa_node = device->numa_node = from->node < 0 ? NUMA_NO_NODE : from->node;
  device->acpi.uid = from->uid[0] ? kstrdup(from->uid, GFP_KERNEL) : NULL;
  char* const inner = device->acpi.uid ? strchr(device->acpi.uid, '/') : NULL;
  if (inner) { /* what it is in comes first */
    *inner = '\0';
    device->above = find_above(device->acpi.uid, is_acpi, device->numa_node);
    device->parent = (struct acpi_device){.fwnode = {.kind = PMUFAB_FWNODE_ACPI},
                                          .hid = "ACPI0004", /* a container of modules */
                                          .uid = device->above ? NULL : device->acpi.uid};
    device->acpi.parent = device->above ? &device->above->acpi : &device->parent;
    device->device_tree.parent = device->above ? &device->above->device_tree : NULL;
    char* const own = kstrdup(inner + 1, GFP_KERNEL);
    if (device->above) kfree(device->acpi.uid);
    device->acpi.uid = own;
  }
  device->acpi.resources = device->resources;
  device->acpi.resource_count = device->resource_count;
  device->device_tree.compatible = kstrdup(from->compatible, GFP_KERNEL);
  device->device_tree.name = device->device_tree.compatible;
  device->acpi.status.present = 1;
  list_add_tail(&device->node, &devices);
}

static void describe_cpus(const struct pmufab_cpu* from, size_t count) {
  cpus = kcalloc(count, sizeof(*cpus), GFP_KERNEL);
  for (size_t i = 0; i < count; i++) {
    struct described_cpu* cpu = &cpus[i];
    device_initialize(&cpu->dev);
    cpu->number = from[i].uid;
    snprintf(cpu->uid, sizeof(cpu->uid), "%u", from[i].uid);
    snprintf(cpu->container_uid, sizeof(cpu->container_uid), "%u", from[i].container_uid);
    cpu->container = (struct acpi_device){
        .fwnode = {.kind = PMUFAB_FWNODE_ACPI}, .hid = ACPI_PROCESSOR_CONTAINER_HID, .uid = cpu->container_uid};
    cpu->acpi = (struct acpi_device){.fwnode = {.kind = PMUFAB_FWNODE_ACPI},
                                     .hid = ACPI_PROCESSOR_DEVICE_HID,
                                     .uid = cpu->uid,
                                     .parent = &cpu->container};
    cpu->dev.fwnode = &cpu->acpi.fwnode;
    cpu->dev.numa_node = (int)from[i].node;
    cpu->dev.id = (u32)i;
  }
}

static void describe_apmt(const struct pmufab_apmt_node* from, size_t count) {
  if (count == 0) return;
  const size_t size = sizeof(struct acpi_table_apmt) + count * sizeof(struct acpi_apmt_node);
  apmt = kzalloc(size, GFP_KERNEL);
  memcpy(apmt->signature, ACPI_SIG_APMT, sizeof(apmt->signature));
  apmt->length = (u32)size;
  struct acpi_apmt_node* node = (struct acpi_apmt_node*)((char*)apmt + sizeof(struct acpi_table_apmt));
  for (size_t i = 0; i < count; i++, node++, from++) {
    *node = (struct acpi_apmt_node){
        .length = sizeof(*node),
        .flags = (u8)((from->dual_page ? ACPI_APMT_FLAGS_DUAL_PAGE : 0) |
                      (from->affinity_is_container ? ACPI_APMT_FLAGS_AFFINITY_PROC_CONTAINER : 0) |
                      (from->atomic_64bit ? ACPI_APMT_FLAGS_ATOMIC : 0)),
        .type = from->type,
        .id = from->id,
        .inst_primary = from->instance_primary,
        .inst_secondary = from->instance_secondary,
        .base_address0 = from->base0,
        .base_address1 = from->base1,
        .ovflw_irq = from->interrupt,
        .ovflw_irq_flags =
            from->interrupt_is_edge ? ACPI_APMT_OVFLW_IRQ_FLAGS_MODE_EDGE : ACPI_APMT_OVFLW_IRQ_FLAGS_MODE_LEVEL,
        .proc_affinity = from->processor_affinity,
        .impl_id = from->implementation_id};
  }
}

void pmufab_firmware_init(const struct pmufab_firmware* firmware) {
  describe_cpus(firmware->cpus, firmware->cpu_count);
  describe_apmt(firmware->apmt, firmware->apmt_count);
  for (size_t i = 0; i < firmware->device_count; i++) describe_device(&firmware->devices[i]);
}

/* The bus driver of a CCI (drivers/bus/arm-cci.c) makes devices of the nodes below its own, and hands its registers to
 * their drivers. */
static void __iomem* cci_control;

/* Whether Linux makes a device of a node: it does of those at the top, and of those below a bus. */
static bool is_populated(const struct described_device* device) {
  if (!device->above || device->acpi.hid[0]) return true;
  return strncmp(device->above->device_tree.compatible, "arm,cci-", strlen("arm,cci-")) == 0;
}

static void hand_over(struct described_device* device) {
  if (!device->above || device->acpi.hid[0] || device->above->resource_count == 0) return;
  if (!cci_control)
    cci_control = ioremap(device->above->resources[0].start, resource_size(&device->above->resources[0]));
  device->pdev->dev.platform_data = &cci_control;
}

/* "HID:00", "HID:01", ... in the order of description; "address.compatible" for a device tree node. */
static char* name_of(const struct described_device* device) {
  const struct described_device* earlier;
  int instance = 0;
  if (!device->acpi.hid[0])
    return kasprintf(GFP_KERNEL, "%llx.%.*s", device->resource_count ? device->resources[0].start : 0ULL,
                     (int)strcspn(device->device_tree.compatible, " "), device->device_tree.compatible);
  list_for_each_entry(earlier, &devices, node) {
    if (earlier == device) break;
    if (strcmp(earlier->acpi.hid, device->acpi.hid) == 0) instance++;
  }
  return kasprintf(GFP_KERNEL, "%s:%02x", device->acpi.hid, instance);
}

int pmufab_firmware_create_devices(void) {
  struct described_device* device;
  list_for_each_entry(device, &devices, node) {
    if (!is_populated(device)) continue;
    char* name = name_of(device);
    device->pdev = platform_device_alloc(name, PLATFORM_DEVID_NONE);
    dev_set_name(&device->acpi.dev, "%s", name);
    kfree(name);
    if (!device->pdev) return -ENOMEM;
    platform_device_set_fwnode(device->pdev, device->acpi.hid[0] ? &device->acpi.fwnode : &device->device_tree.fwnode);
    set_dev_node(&device->pdev->dev, device->numa_node);
    platform_device_add_resources(device->pdev, device->resources, (unsigned int)device->resource_count);
    hand_over(device);
    const int error = platform_device_add(device->pdev);
    if (error) return error;
  }
  if (acpi_apmt_init) acpi_apmt_init();
  return 0;
}

void pmufab_firmware_remove_devices(void) {
  while (!list_empty(&platform_bus_type.devices)) {
    struct device* dev = list_last_entry(&platform_bus_type.devices, struct device, bus_node);
    if (dev->fwnode && dev->fwnode->kind == PMUFAB_FWNODE_STATIC) acpi_free_fwnode_static(dev->fwnode);
    platform_device_unregister(to_platform_device(dev));
  }
  struct described_device *device, *next;
  list_for_each_entry_safe(device, next, &devices, node) {
    for (size_t i = 0; i < device->acpi.fwnode.property_count; i++) kfree(device->properties[i].name);
    kfree(device->properties);
    kfree(device->resources);
    kfree(device->acpi.hid);
    kfree(device->acpi.uid);
    kfree(device->acpi.dev.allocated_name);
    kfree(device->device_tree.compatible);
    list_del(&device->node);
    kfree(device);
  }
  if (cci_control) iounmap(cci_control);
  cci_control = NULL;
  kfree(apmt);
  kfree(cpus);
}

struct device* get_cpu_device(unsigned int cpu) {
  return cpu < nr_cpu_ids ? &cpus[cpu].dev : NULL;
}

int acpi_get_cpu_uid(unsigned int cpu, u32* uid) {
  if (cpu >= nr_cpu_ids) return -EINVAL;
  *uid = cpus[cpu].number;
  return 0;
}

u32 get_acpi_id_for_cpu(unsigned int cpu) { return cpus[cpu].number; }

acpi_status acpi_get_table(const char* signature, u32 instance, struct acpi_table_header** table) {
  if (instance != 0 || !apmt || strncmp(signature, ACPI_SIG_APMT, 4) != 0) return AE_NOT_FOUND;
  *table = apmt;
  return AE_OK;
}

void acpi_put_table(struct acpi_table_header* table) { (void)table; }

const char* acpi_format_exception(acpi_status status) { return status == AE_NOT_FOUND ? "AE_NOT_FOUND" : "AE_ERROR"; }

int acpi_register_gsi(struct device* dev, u32 gsi, int triggering, int polarity) {
  (void)dev, (void)triggering, (void)polarity; /* the host knows the trigger of each line */
  pmufab_irq_known(gsi);
  return (int)gsi;
}

void acpi_unregister_gsi(u32 gsi) { (void)gsi; }

struct fwnode_handle* acpi_alloc_fwnode_static(void) {
  return kzalloc(sizeof(struct fwnode_handle), GFP_KERNEL);
}

void acpi_free_fwnode_static(struct fwnode_handle* handle) { kfree(handle); }

bool pmufab_acpi_hid_uid_match(struct acpi_device* device, const char* hid, const char* uid, u64 number,
                               bool is_number) {
  unsigned long long own;
  if (!device || (hid && strcmp(device->hid, hid) != 0)) return false;
  if (!is_number) return !uid || (device->uid && strcmp(device->uid, uid) == 0);
  return device->uid && kstrtoull(device->uid, 0, &own) == 0 && own == number;
}

/* A kernel reads a field: that does not fail once. */
char* acpi_device_uid(struct acpi_device* device) { return (char*)device->uid; }

struct acpi_device* acpi_dev_get_first_match_dev(const char* hid, const char* uid, s64 revision) {
  if (PMUFAB_CALL_FAILS()) return NULL;
  struct described_device* device;
  (void)revision;
  list_for_each_entry(device, &devices, node) if (pmufab_acpi_hid_uid_match(&device->acpi, hid, uid, 0, false)) {
    pmufab_reference_taken(&device->acpi.fwnode, "ACPI device", device->acpi.hid, PLACE);
    return &device->acpi;
  }
  return NULL;
}

void acpi_dev_put(struct acpi_device* device) {
  if (device) pmufab_reference_put(&device->fwnode);
}

struct fwnode_handle* fwnode_handle_get(struct fwnode_handle* fwnode) {
  if (fwnode) pmufab_reference_taken(fwnode, "node of", "firmware", PLACE);
  return fwnode;
}

void fwnode_handle_put(struct fwnode_handle* fwnode) {
  if (fwnode) pmufab_reference_put(fwnode);
}

struct device_node* of_node_get(struct device_node* node) {
  if (node) pmufab_reference_taken(&node->fwnode, "device tree node", node->name, PLACE);
  return node;
}

void of_node_put(struct device_node* node) {
  if (node) pmufab_reference_put(&node->fwnode);
}

static const struct pmufab_firmware_property* find_property(const struct fwnode_handle* fwnode, const char* name) {
  for (size_t i = 0; fwnode && i < fwnode->property_count; i++)
    if (strcmp(fwnode->properties[i].name, name) == 0) return &fwnode->properties[i];
  return NULL;
}

/* @param type  of the resources; 0: all */
static int get_resources(const struct acpi_device* device, struct list_head* list, unsigned long type) {
  int count = 0;
  for (size_t i = 0; i < device->resource_count; i++) {
    if (type && resource_type(&device->resources[i]) != type) continue;
    struct resource_entry* entry = kzalloc(sizeof(*entry), GFP_KERNEL);
    if (!entry) return -ENOMEM;
    entry->__res = device->resources[i];
    entry->res = &entry->__res;
    list_add_tail(&entry->node, list);
    count++;
  }
  return count;
}

int acpi_dev_get_memory_resources(struct acpi_device* device, struct list_head* list) {
  return PMUFAB_CALL_FAILS() ? -ENOMEM : get_resources(device, list, IORESOURCE_MEM);
}

int acpi_dev_get_resources(struct acpi_device* device, struct list_head* list,
                           int (*convert)(struct acpi_resource* resource, void* data), void* data) {
  (void)data;
  if (WARN(convert, "acpi_dev_get_resources: resources are described, and not converted\n")) return -EINVAL;
  return PMUFAB_CALL_FAILS() ? -ENOMEM : get_resources(device, list, 0);
}

void acpi_dev_free_resource_list(struct list_head* list) {
  struct resource_entry *entry, *next;
  list_for_each_entry_safe(entry, next, list, node) {
    list_del(&entry->node);
    kfree(entry);
  }
}

const struct acpi_device_id* acpi_match_acpi_device(const struct acpi_device_id* ids,
                                                    const struct acpi_device* device) {
  for (; device && ids && ids->id[0]; ids++)
    if (strcmp((const char*)ids->id, device->hid) == 0) return ids;
  return NULL;
}

const struct acpi_device_id* acpi_match_device(const struct acpi_device_id* ids, const struct device* dev) {
  return acpi_match_acpi_device(ids, ACPI_COMPANION(dev));
}

int acpi_match_device_ids(struct acpi_device* device, const struct acpi_device_id* ids) {
  return acpi_match_acpi_device(ids, device) ? 0 : -ENOENT;
}

acpi_status acpi_walk_namespace(u32 type, acpi_handle start, u32 depth, acpi_walk_callback before,
                                acpi_walk_callback after, void* context, void** value) {
  if (type != ACPI_TYPE_DEVICE) return AE_OK; /* nothing else is described */
  const struct described_device* device;
  list_for_each_entry(device, &devices, node) {
    struct acpi_device* const acpi = (struct acpi_device*)&device->acpi;
    if (!acpi->hid[0] || acpi->parent != start || depth == 0) continue;
    const u32 level = 1; /* of drivers' walks, which go no deeper */
    acpi_status status = before ? before(acpi, level, context, value) : AE_OK;
    if (ACPI_SUCCESS(status)) status = acpi_walk_namespace(type, acpi, depth - 1, before, after, context, value);
    if (ACPI_SUCCESS(status) && after) status = after(acpi, level, context, value);
    if (ACPI_FAILURE(status)) return status;
  }
  return AE_OK;
}

int acpi_dev_get_property(const struct acpi_device* device, const char* name, int type,
                          const union acpi_object** object) {
  if (PMUFAB_CALL_FAILS()) return -EINVAL;
  const struct pmufab_firmware_property* property = find_property(&device->fwnode, name);
  if (!property) return -EINVAL;
  if (type != ACPI_TYPE_ANY && type != ACPI_TYPE_INTEGER) return -EPROTO;
  *object = &property->object;
  return 0;
}

const struct of_device_id* of_match_device(const struct of_device_id* table, const struct device* dev) {
  for (; dev->of_node && table && table->compatible[0]; table++)
    if (has_word(dev->of_node->compatible, table->compatible)) return table;
  return NULL;
}

const void* device_get_match_data(const struct device* dev) {
  if (!dev->driver) return NULL;
  const struct of_device_id* match = of_match_device(dev->driver->of_match_table, dev);
  if (match) return match->data;
  const struct acpi_device_id* acpi = acpi_match_device(dev->driver->acpi_match_table, dev);
  return acpi ? (const void*)acpi->driver_data : NULL;
}

const void* of_device_get_match_data(const struct device* dev) { return device_get_match_data(dev); }

struct fwnode_handle* dev_fwnode(const struct device* dev) {
  return dev->of_node ? &dev->of_node->fwnode : dev->fwnode;
}

int fwnode_property_read_u32_array(const struct fwnode_handle* fwnode, const char* name, u32* values, size_t count) {
  if (PMUFAB_CALL_FAILS()) return -EINVAL;
  const struct pmufab_firmware_property* property = find_property(fwnode, name);
  if (!property) return -EINVAL;
  const bool two_cells = fwnode->kind == PMUFAB_FWNODE_OF && property->is_64bit;
  const u32 upper = (u32)(property->value >> 32), lower = (u32)property->value;
  if (!values) return two_cells ? 2 : 1;
  if (count > (two_cells ? 2 : 1) || (!two_cells && upper)) return -EOVERFLOW;
  if (count > 0) values[0] = two_cells ? upper : lower;
  if (count > 1) values[1] = lower;
  return 0;
}

int fwnode_property_read_u64_array(const struct fwnode_handle* fwnode, const char* name, u64* values, size_t count) {
  const struct pmufab_firmware_property* property = find_property(fwnode, name);
  if (!property) return -EINVAL;
  if (fwnode->kind == PMUFAB_FWNODE_OF && !property->is_64bit) return values ? -EOVERFLOW : -EINVAL;
  if (!values) return 1;
  if (count > 1) return -EOVERFLOW;
  if (count == 1) *values = property->value;
  return 0;
}

bool fwnode_property_present(const struct fwnode_handle* fwnode, const char* name) {
  return find_property(fwnode, name) != NULL;
}

int acpi_dev_uid_to_integer(struct acpi_device* device, u64* number) {
  if (!device) return -ENODEV;
  if (!device->uid) return -ENODATA;
  return kstrtoull(device->uid, 0, number) ? -EINVAL : 0;
}

acpi_status acpi_evaluate_integer(acpi_handle handle, const char* name, void* arguments, unsigned long long* value) {
  (void)arguments;
  if (!handle) return AE_NOT_FOUND;
  if (strcmp(name, "_UID") == 0) return acpi_dev_uid_to_integer(handle, value) ? AE_NOT_FOUND : AE_OK;
  if (fwnode_property_read_u64(&handle->fwnode, name, value) == 0) return AE_OK;
  u32 small = 0;
  if (fwnode_property_read_u32(&handle->fwnode, name, &small)) return AE_NOT_FOUND;
  *value = small;
  return AE_OK;
}

int of_irq_get(struct device_node* node, int index) {
  struct described_device* device;
  list_for_each_entry(device, &devices, node) {
    if (&device->device_tree != node) continue;
    for (size_t i = 0; i < device->resource_count; i++)
      if (resource_type(&device->resources[i]) == IORESOURCE_IRQ && index-- == 0)
        return (int)device->resources[i].start;
  }
  return -EINVAL;
}

/* The affinities that this platform's CPUs have: the number in the container, the container, the node. */
u64 pmufab_mpidr(unsigned int cpu) {
  u64 within = 0;
  for (unsigned int other = 0; other < cpu; other++)
    if (strcmp(cpus[other].container_uid, cpus[cpu].container_uid) == 0) within++;
  unsigned long long container = 0;
  kstrtoull(cpus[cpu].container_uid, 10, &container);
  return within | (container & 0xff) << 8 | ((u64)cpus[cpu].dev.numa_node & 0xff) << 16;
}

int of_device_is_compatible(const struct device_node* node, const char* compatible) {
  return node && has_word(node->compatible, compatible);
}

struct device_node* of_get_next_child(const struct device_node* parent, struct device_node* previous) {
  struct described_device* device;
  bool is_after = !previous;
  struct device_node* next = NULL;
  list_for_each_entry(device, &devices, node) {
    if (!next && is_after && device->device_tree.parent == parent) next = &device->device_tree;
    is_after |= &device->device_tree == previous;
  }
  of_node_put(previous);
  return of_node_get(next);
}

int of_address_to_resource(struct device_node* node, int index, struct resource* resource) {
  struct described_device* device;
  list_for_each_entry(device, &devices, node) {
    for (size_t i = 0; &device->device_tree == node && i < device->resource_count; i++) {
      if (resource_type(&device->resources[i]) != IORESOURCE_MEM || index-- != 0) continue;
      *resource = device->resources[i];
      return 0;
    }
  }
  return -EINVAL;
}
