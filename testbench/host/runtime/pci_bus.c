// SPDX-License-Identifier: BSD-2-Clause
/* PCI: functions found by reading configuration space, their resources, and drivers that bind to them. */
#include <linux/ktime.h>
#include <linux/pci.h>

#include "runtime.h"

enum { kDevices = 32, kFunctions = 8, kCapabilityLimit = 48, kExtendedLimit = 480 };

static LIST_HEAD(bridges);
static LIST_HEAD(buses); /* elements are struct listed_bus */

struct listed_bus {
  struct list_head node;
  struct pci_bus bus;
};

/* The address of a register, or 0 if it is in no configuration space. */
static u64 config_address(const struct pci_bus* bus, unsigned int devfn, int where, unsigned int size) {
  const struct pci_host_bridge* host = bus->host;
  if (where < 0 || where + (int)size > PCI_CFG_SPACE_EXP_SIZE || where % (int)size != 0) return 0;
  if (bus->number < host->first_bus || bus->number > host->last_bus) return 0;
  return host->ecam + ((u64)bus->number << 20) + ((u64)devfn << 12) + (u64)where;
}

static int config_read(const struct pci_bus* bus, unsigned int devfn, int where, unsigned int size, u32* value) {
  const u64 address = config_address(bus, devfn, where, size);
  *value = ~0U >> (32 - 8 * size);
  if (!address) return -EINVAL;
  *value &= (u32)pmufab_host->mmio_read(pmufab_host->context, address, size);
  pmufab_interrupt_window();
  return 0;
}

static int config_write(const struct pci_dev* dev, int where, unsigned int size, u32 value) {
  const u64 address = config_address(dev->bus, dev->devfn, where, size);
  if (!address) return -EINVAL;
  pmufab_host->mmio_write(pmufab_host->context, address, size, value);
  pmufab_interrupt_window();
  return 0;
}

#define __PMUFAB_CONFIG_ACCESS(name, type)                                           \
  int pci_read_config_##name(const struct pci_dev* dev, int where, type* value) {    \
    u32 wide;                                                                        \
    const int error = config_read(dev->bus, dev->devfn, where, sizeof(type), &wide); \
    *value = (type)wide;                                                             \
    return error;                                                                    \
  }                                                                                  \
  int pci_write_config_##name(const struct pci_dev* dev, int where, type value) {    \
    return config_write(dev, where, sizeof(type), value);                            \
  }
__PMUFAB_CONFIG_ACCESS(byte, u8)
__PMUFAB_CONFIG_ACCESS(word, u16)
__PMUFAB_CONFIG_ACCESS(dword, u32)

void pci_clear_and_set_config_dword(const struct pci_dev* dev, int where, u32 clear, u32 set) {
  u32 value;
  pci_read_config_dword(dev, where, &value);
  pci_write_config_dword(dev, where, (value & ~clear) | set);
}

u8 pci_find_capability(struct pci_dev* dev, int id) {
  u16 status, header;
  u8 at;
  pci_read_config_word(dev, PCI_STATUS, &status);
  if (!(status & PCI_STATUS_CAP_LIST)) return 0;
  pci_read_config_byte(dev, PCI_CAPABILITY_LIST, &at);
  for (int limit = kCapabilityLimit; limit > 0 && at >= 0x40; limit--) {
    at &= 0xfc;
    pci_read_config_word(dev, at, &header);
    if ((header & 0xff) == 0xff) break;
    if ((header & 0xff) == id) return at;
    at = (u8)(header >> 8);
  }
  return 0;
}

u16 pci_find_next_ext_capability(struct pci_dev* dev, u16 start, int id) {
  u16 at = start ? start : PCI_CFG_SPACE_SIZE;
  u32 header;
  for (int limit = kExtendedLimit; limit > 0 && at >= PCI_CFG_SPACE_SIZE; limit--) {
    if (pci_read_config_dword(dev, at, &header) || header == 0 || header == ~0U) return 0;
    if ((int)PCI_EXT_CAP_ID(header) == id && at != start) return at;
    at = (u16)PCI_EXT_CAP_NEXT(header);
  }
  return 0;
}

u16 pci_find_ext_capability(struct pci_dev* dev, int id) { return pci_find_next_ext_capability(dev, 0, id); }

u16 pci_find_dvsec_capability(struct pci_dev* dev, u16 vendor, u16 id) {
  u16 at = 0;
  while ((at = pci_find_next_ext_capability(dev, at, PCI_EXT_CAP_ID_DVSEC)) != 0) {
    u16 own_vendor, own_id;
    pci_read_config_word(dev, at + PCI_DVSEC_HEADER1, &own_vendor);
    pci_read_config_word(dev, at + PCI_DVSEC_HEADER2, &own_id);
    if (own_vendor == vendor && own_id == id) return at;
  }
  return 0;
}

u64 pci_get_dsn(struct pci_dev* dev) {
  const u16 at = pci_find_ext_capability(dev, PCI_EXT_CAP_ID_DSN);
  u32 low, high;
  if (!at) return 0;
  pci_read_config_dword(dev, at + 4, &low);
  pci_read_config_dword(dev, at + 8, &high);
  return (u64)high << 32 | low;
}

int pcie_capability_read_word(struct pci_dev* dev, int where, u16* value) {
  *value = 0;
  return dev->pcie_cap ? pci_read_config_word(dev, dev->pcie_cap + where, value) : -EINVAL;
}

/* The bits that a base address register keeps of all ones show the size of its range. */
static u32 size_mask(struct pci_dev* dev, int where, u32* present) {
  u32 mask;
  pci_read_config_dword(dev, where, present);
  pci_write_config_dword(dev, where, ~0U);
  pci_read_config_dword(dev, where, &mask);
  pci_write_config_dword(dev, where, *present);
  return mask == ~0U ? 0 : mask;
}

static void read_bars(struct pci_dev* dev, int count) {
  u16 command;
  pci_read_config_word(dev, PCI_COMMAND, &command);
  /* While a register holds all ones, its range must not answer. */
  if (command & (PCI_COMMAND_MEMORY | PCI_COMMAND_IO))
    pci_write_config_word(dev, PCI_COMMAND, command & (u16) ~(PCI_COMMAND_MEMORY | PCI_COMMAND_IO));
  for (int bar = 0; bar < count; bar++) {
    struct resource* resource = &dev->resource[bar];
    const int where = PCI_BASE_ADDRESS_0 + 4 * bar;
    u32 low, high = 0;
    const u32 low_mask = size_mask(dev, where, &low);
    if (!low_mask) continue;
    resource->name = dev_name(&dev->dev);
    if (low & PCI_BASE_ADDRESS_SPACE_IO) {
      resource->flags = IORESOURCE_IO | IORESOURCE_UNSET; /* no device here uses ports */
      continue;
    }
    const bool wide = (low & PCI_BASE_ADDRESS_MEM_TYPE_MASK) == PCI_BASE_ADDRESS_MEM_TYPE_64;
    const u64 high_mask = wide ? size_mask(dev, where + 4, &high) : 0xffffffff;
    const u64 mask = high_mask << 32 | (low_mask & (u32)PCI_BASE_ADDRESS_MEM_MASK);
    const u64 size = mask & -mask;
    const u64 base = (u64)high << 32 | (low & (u32)PCI_BASE_ADDRESS_MEM_MASK);
    resource->flags = IORESOURCE_MEM | (wide ? IORESOURCE_MEM_64 : 0) |
                      (low & PCI_BASE_ADDRESS_MEM_PREFETCH ? IORESOURCE_PREFETCH : 0) | (base ? 0 : IORESOURCE_UNSET);
    resource->start = base;
    resource->end = base + size - 1;
    pci_info(dev, "BAR %d: %pR\n", bar, resource);
    if (wide) bar++;
  }
  pci_write_config_word(dev, PCI_COMMAND, command);
}

static void release_function(struct device* dev) { kfree(to_pci_dev(dev)); }

static struct pci_dev* read_function(struct pci_bus* bus, unsigned int devfn, u32 id) {
  struct pci_dev* dev = kzalloc(sizeof(*dev), GFP_KERNEL);
  u32 class_revision;
  if (!dev) return NULL;
  device_initialize(&dev->dev);
  dev->bus = bus;
  dev->devfn = devfn;
  dev->vendor = (unsigned short)id;
  dev->device = (unsigned short)(id >> 16);
  dev->error_state = pci_channel_io_normal;
  dev->dev.bus = &pci_bus_type;
  dev->dev.parent = bus->bridge;
  dev->dev.release = release_function;
  dev_set_name(&dev->dev, "%04x:%02x:%02x.%d", pci_domain_nr(bus), bus->number, PCI_SLOT(devfn), PCI_FUNC(devfn));
  set_dev_node(&dev->dev, dev_to_node(&bus->host->dev));
  pci_read_config_dword(dev, PCI_CLASS_REVISION, &class_revision);
  dev->revision = (u8)class_revision;
  dev->class = class_revision >> 8;
  pci_read_config_byte(dev, PCI_HEADER_TYPE, &dev->hdr_type);
  dev->pcie_cap = pci_find_capability(dev, PCI_CAP_ID_EXP);
  dev->msi_cap = pci_find_capability(dev, PCI_CAP_ID_MSI);
  dev->msix_cap = pci_find_capability(dev, PCI_CAP_ID_MSIX);
  pcie_capability_read_word(dev, PCI_EXP_FLAGS, &dev->pcie_flags_reg);
  pci_info(dev, "[%04x:%04x] class 0x%06x\n", dev->vendor, dev->device, dev->class);
  const bool is_bridge = (dev->hdr_type & PCI_HEADER_TYPE_MASK) == PCI_HEADER_TYPE_BRIDGE;
  read_bars(dev, is_bridge ? 2 : PCI_STD_NUM_BARS);
  if (!is_bridge) {
    pci_read_config_word(dev, PCI_SUBSYSTEM_VENDOR_ID, &dev->subsystem_vendor);
    pci_read_config_word(dev, PCI_SUBSYSTEM_ID, &dev->subsystem_device);
  }
  list_add_tail(&dev->bus_list, &bus->devices);
  return dev;
}

static struct pci_bus* add_bus(struct pci_host_bridge* host, struct pci_dev* bridge, unsigned char number) {
  struct listed_bus* listed = kzalloc(sizeof(*listed), GFP_KERNEL);
  listed->bus = (struct pci_bus){.parent = bridge ? bridge->bus : NULL,
                                 .self = bridge,
                                 .bridge = bridge ? &bridge->dev : &host->dev,
                                 .number = number,
                                 .host = host};
  INIT_LIST_HEAD(&listed->bus.devices);
  list_add_tail(&listed->node, &buses);
  return &listed->bus;
}

static void scan(struct pci_bus* bus);

/* Firmware has numbered the buses behind a bridge. */
static void scan_behind(struct pci_dev* bridge) {
  u8 secondary;
  pci_read_config_byte(bridge, PCI_SECONDARY_BUS, &secondary);
  if (secondary <= bridge->bus->number || secondary > bridge->bus->host->last_bus) {
    pci_warn(bridge, "bridge is not configured (secondary bus %02x), nothing behind it is found\n", secondary);
    return;
  }
  bridge->subordinate = add_bus(bridge->bus->host, bridge, secondary);
  scan(bridge->subordinate);
}

static void scan(struct pci_bus* bus) {
  /* A link has one device at its other end. */
  const int type = bus->self && pci_is_pcie(bus->self) ? pci_pcie_type(bus->self) : PCI_EXP_TYPE_UPSTREAM;
  const int devices = type == PCI_EXP_TYPE_ROOT_PORT || type == PCI_EXP_TYPE_DOWNSTREAM ? 1 : kDevices;
  for (int device = 0; device < devices; device++) {
    int functions = 1;
    for (int function = 0; function < functions; function++) {
      const unsigned int devfn = PCI_DEVFN(device, function);
      u32 id;
      config_read(bus, devfn, PCI_VENDOR_ID, 4, &id);
      if (id == ~0U || id == 0) continue;
      struct pci_dev* dev = read_function(bus, devfn, id);
      if (!dev) return;
      if (function == 0 && dev->hdr_type & PCI_HEADER_TYPE_MFD) functions = kFunctions;
      if ((dev->hdr_type & PCI_HEADER_TYPE_MASK) == PCI_HEADER_TYPE_BRIDGE) scan_behind(dev);
    }
  }
}

int pmufab_pci_enumerate(const struct pmufab_firmware* firmware) {
  if (firmware->pci_segment_count == 0) return 0;
  for (size_t i = 0; i < firmware->pci_segment_count; i++) {
    const struct pmufab_pci_segment* segment = &firmware->pci_segments[i];
    struct pci_host_bridge* host = kzalloc(sizeof(*host), GFP_KERNEL);
    if (!host) return -ENOMEM;
    device_initialize(&host->dev);
    host->ecam = segment->ecam;
    host->segment = segment->number;
    host->first_bus = segment->first_bus;
    host->last_bus = segment->last_bus;
    host->native_cxl_error = segment->native_cxl_error;
    dev_set_name(&host->dev, "pci%04x:%02x", host->segment, host->first_bus);
    set_dev_node(&host->dev, segment->node < 0 ? NUMA_NO_NODE : segment->node);
    list_add_tail(&host->node, &bridges);
    host->bus = add_bus(host, NULL, host->first_bus);
    scan(host->bus);
  }
  struct listed_bus* listed;
  list_for_each_entry(listed, &buses, node) {
    struct pci_dev* dev;
    list_for_each_entry(dev, &listed->bus.devices, bus_list) {
      const int error = device_add(&dev->dev);
      if (error) return error;
    }
  }
  return 0;
}

void pmufab_pci_remove_devices(void) {
  while (!list_empty(&buses)) {
    struct listed_bus* listed = list_last_entry(&buses, struct listed_bus, node);
    while (!list_empty(&listed->bus.devices)) {
      struct pci_dev* dev = list_last_entry(&listed->bus.devices, struct pci_dev, bus_list);
      list_del(&dev->bus_list);
      device_unregister(&dev->dev);
    }
    list_del(&listed->node);
    kfree(listed);
  }
  while (!list_empty(&bridges)) {
    struct pci_host_bridge* host = list_last_entry(&bridges, struct pci_host_bridge, node);
    list_del(&host->node);
    kfree(host->dev.allocated_name);
    kfree(host);
  }
}

struct pci_host_bridge* pci_find_host_bridge(struct pci_bus* bus) {
  return bus->host;
}

struct pci_dev* pci_get_domain_bus_and_slot(int domain, unsigned int number, unsigned int devfn) {
  struct listed_bus* listed;
  list_for_each_entry(listed, &buses, node) {
    struct pci_dev* dev;
    if (listed->bus.host->segment != domain || listed->bus.number != number) continue;
    list_for_each_entry(dev, &listed->bus.devices, bus_list) if (dev->devfn == devfn) {
      pmufab_get_device(&dev->dev, PLACE);
      return dev;
    }
  }
  return NULL;
}

static void set_command(struct pci_dev* dev, u16 bits, bool on) {
  u16 command;
  pci_read_config_word(dev, PCI_COMMAND, &command);
  const u16 wanted = on ? command | bits : command & (u16)~bits;
  if (wanted != command) pci_write_config_word(dev, PCI_COMMAND, wanted);
}

void pci_set_master(struct pci_dev* dev) {
  set_command(dev, PCI_COMMAND_MASTER, true);
  dev->is_busmaster = true;
}

void pci_clear_master(struct pci_dev* dev) {
  set_command(dev, PCI_COMMAND_MASTER, false);
  dev->is_busmaster = false;
}

int pci_enable_device(struct pci_dev* dev) {
  if (PMUFAB_CALL_FAILS()) return -EINVAL;
  if (dev->enable_count > 0) {
    dev->enable_count++;
    return 0;
  }
  for (int bar = 0; bar < PCI_STD_NUM_BARS; bar++) {
    const struct resource* resource = &dev->resource[bar];
    if (!(resource->flags & IORESOURCE_MEM) || !(resource->flags & IORESOURCE_UNSET)) continue;
    pci_err(dev, "BAR %d: not assigned; can't enable device\n", bar);
    return -EINVAL;
  }
  struct pci_dev* bridge = pci_upstream_bridge(dev);
  if (bridge && bridge->enable_count == 0) {
    if (pci_enable_device(bridge)) pci_err(bridge, "Error enabling bridge, continuing\n");
    pci_set_master(bridge);
  }
  dev->enable_count = 1;
  set_command(dev, PCI_COMMAND_MEMORY, true);
  return 0;
}

void pci_disable_device(struct pci_dev* dev) {
  if (WARN(dev->enable_count <= 0, "disabling a device that is not enabled\n")) return;
  if (--dev->enable_count == 0) pci_clear_master(dev);
}

static void disable_managed(void* data) {
  struct pci_dev* dev = data;
  dev->managed = false;
  pci_disable_device(dev);
}

int pcim_enable_device(struct pci_dev* dev) {
  if (PMUFAB_CALL_FAILS()) return -EINVAL;
  const int error = pci_enable_device(dev);
  if (error) return error;
  dev->managed = true;
  return devm_add_action_or_reset(&dev->dev, disable_managed, dev);
}

static const struct pci_device_id* match_id(const struct pci_driver* driver, const struct pci_dev* dev) {
  const struct pci_device_id* id = driver->id_table;
  for (; id && (id->vendor || id->subvendor || id->class_mask); id++)
    if ((id->vendor == PCI_ANY_ID || id->vendor == dev->vendor) &&
        (id->device == PCI_ANY_ID || id->device == dev->device) &&
        (id->subvendor == PCI_ANY_ID || id->subvendor == dev->subsystem_vendor) &&
        (id->subdevice == PCI_ANY_ID || id->subdevice == dev->subsystem_device) &&
        !((id->class ^ dev->class) & id->class_mask))
      return id;
  return NULL;
}

static int pci_match(struct device* dev, const struct device_driver* driver) {
  return match_id(to_pci_driver(driver), to_pci_dev(dev)) != NULL;
}

static int pci_probe(struct device* dev) {
  struct pci_dev* pdev = to_pci_dev(dev);
  struct pci_driver* driver = to_pci_driver(dev->driver);
  pdev->driver = driver;
  const int error = driver->probe ? driver->probe(pdev, match_id(driver, pdev)) : -ENODEV;
  if (error < 0) pdev->driver = NULL;
  return error < 0 ? error : 0;
}

static void pci_remove(struct device* dev) {
  struct pci_dev* pdev = to_pci_dev(dev);
  if (pdev->driver && pdev->driver->remove) pdev->driver->remove(pdev);
  pdev->driver = NULL;
}

struct bus_type pci_bus_type = {
    .name = "pci",
    .match = pci_match,
    .probe = pci_probe,
    .remove = pci_remove,
    .devices = LIST_HEAD_INIT(pci_bus_type.devices),
    .drivers = LIST_HEAD_INIT(pci_bus_type.drivers),
};

int __pci_register_driver(struct pci_driver* driver, struct module* owner, const char* mod_name) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  driver->driver.name = driver->name;
  driver->driver.bus = &pci_bus_type;
  driver->driver.owner = owner;
  driver->driver.mod_name = mod_name;
  return driver_register(&driver->driver);
}

void pci_unregister_driver(struct pci_driver* driver) { driver_unregister(&driver->driver); }

u16 pci_find_vsec_capability(struct pci_dev* dev, u16 vendor, int id) {
  u16 at = 0;
  if (dev->vendor != vendor) return 0;
  while ((at = pci_find_next_ext_capability(dev, at, PCI_EXT_CAP_ID_VNDR)) != 0) {
    u16 own;
    pci_read_config_word(dev, at + PCI_VNDR_HEADER, &own);
    if (own == id) return at;
  }
  return 0;
}

enum pcie_link_width pcie_get_width_cap(struct pci_dev* dev) {
  u32 capabilities = 0;
  if (dev->pcie_cap) pci_read_config_dword(dev, dev->pcie_cap + PCI_EXP_LNKCAP, &capabilities);
  return capabilities ? (enum pcie_link_width)((capabilities & PCI_EXP_LNKCAP_MLW) >> 4) : PCIE_LNK_WIDTH_UNKNOWN;
}

struct pci_dev* pcie_find_root_port(struct pci_dev* dev) {
  while (dev && pci_upstream_bridge(dev)) dev = pci_upstream_bridge(dev);
  return dev && pci_is_pcie(dev) && pci_pcie_type(dev) == PCI_EXP_TYPE_ROOT_PORT ? dev : NULL;
}

struct pci_dev* pci_get_device(unsigned int vendor, unsigned int device, struct pci_dev* from) {
  struct device* dev;
  bool passed = from == NULL;
  list_for_each_entry(dev, &pci_bus_type.devices, bus_node) {
    struct pci_dev* function = to_pci_dev(dev);
    if (passed && (vendor == PCI_ANY_ID || function->vendor == vendor) &&
        (device == PCI_ANY_ID || function->device == device)) {
      pmufab_get_device(&function->dev, PLACE);
      pci_dev_put(from);
      return function;
    }
    if (function == from) passed = true;
  }
  pci_dev_put(from);
  return NULL;
}

static bool has_memory(struct pci_dev* dev, int bar) {
  const unsigned long flags = bar >= 0 && bar < PCI_STD_NUM_BARS ? pci_resource_flags(dev, bar) : 0;
  return flags & IORESOURCE_MEM && !(flags & IORESOURCE_UNSET);
}

void __iomem* pci_ioremap_bar(struct pci_dev* dev, int bar) {
  if (PMUFAB_CALL_FAILS()) return NULL;
  if (WARN(!has_memory(dev, bar), "BAR %d of %s has no memory\n", bar, pci_name(dev))) return NULL;
  return ioremap(pci_resource_start(dev, bar), pci_resource_len(dev, bar));
}

struct iomap_table {
  void __iomem* mappings[PCI_STD_NUM_BARS];
};
static void forget_table(struct device* dev, void* table) { (void)dev, (void)table; /* each mapping is managed */ }

void __iomem* const* pcim_iomap_table(struct pci_dev* dev) {
  struct iomap_table* table = devres_find(&dev->dev, forget_table, NULL, NULL);
  if (table) return table->mappings;
  table = devres_alloc(forget_table, sizeof(*table), GFP_KERNEL);
  if (!table) return NULL;
  devres_add(&dev->dev, table);
  return table->mappings;
}

int pcim_iomap_regions(struct pci_dev* dev, int bars, const char* name) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  void __iomem** table = (void __iomem**)pcim_iomap_table(dev);
  if (!table) return -ENOMEM;
  for (int bar = 0; bar < PCI_STD_NUM_BARS; bar++) {
    if (!(bars & (1 << bar))) continue;
    if (!has_memory(dev, bar)) return -EINVAL;
    const resource_size_t start = pci_resource_start(dev, bar), size = pci_resource_len(dev, bar);
    if (!devm_request_mem_region(&dev->dev, start, size, name)) return -EBUSY;
    table[bar] = devm_ioremap(&dev->dev, start, size);
    if (!table[bar]) return -ENOMEM;
  }
  return 0;
}
