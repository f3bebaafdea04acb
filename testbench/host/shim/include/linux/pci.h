// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/pci_ids.h>
#include <linux/pci_regs.h>
#include <linux/types.h>

#define PCI_DEVFN(slot, function) ((((slot)&0x1f) << 3) | ((function)&0x07))
#define PCI_SLOT(devfn) (((devfn) >> 3) & 0x1f)
#define PCI_FUNC(devfn) ((devfn)&0x07)
#define PCI_DEVID(bus, devfn) ((((u16)(bus)) << 8) | (devfn))
#define PCI_BUS_NUM(id) (((id) >> 8) & 0xff)
#define PCI_ANY_ID (~0U)
#define PCI_DEVICE_CLASS(_class, _mask)                                                                          \
  .class = (_class), .class_mask = (_mask), .vendor = PCI_ANY_ID, .device = PCI_ANY_ID, .subvendor = PCI_ANY_ID, \
  .subdevice = PCI_ANY_ID
#define PCI_DEVICE(_vendor, _device) \
  .vendor = (_vendor), .device = (_device), .subvendor = PCI_ANY_ID, .subdevice = PCI_ANY_ID

#define PCIBIOS_SUCCESSFUL 0
static inline int pcibios_err_to_errno(int error) { return error; } /* here they are errnos already */

struct pci_bus;
struct pci_driver;

typedef unsigned int pci_channel_state_t;
enum { pci_channel_io_normal = 1, pci_channel_io_frozen = 2, pci_channel_io_perm_failure = 3 };
typedef unsigned int pci_ers_result_t;
#define PCI_ERS_RESULT_NONE 1u
#define PCI_ERS_RESULT_CAN_RECOVER 2u
#define PCI_ERS_RESULT_NEED_RESET 3u
#define PCI_ERS_RESULT_DISCONNECT 4u
#define PCI_ERS_RESULT_RECOVERED 5u

struct pci_host_bridge {
  struct device dev;
  struct pci_bus* bus;
  bool native_cxl_error;
  /* Our members. */
  u64 ecam; /* of bus 0 */
  u16 segment;
  u8 first_bus, last_bus;
  struct list_head node;
};

struct pci_bus {
  struct pci_bus* parent;
  struct pci_dev* self; /* the bridge to it; null for a root bus */
  struct list_head devices;
  struct device* bridge;
  unsigned char number;
  struct pci_host_bridge* host; /* ours */
};

struct pci_dev {
  struct list_head bus_list;
  struct pci_bus* bus;
  struct pci_bus* subordinate;
  unsigned int devfn;
  unsigned short vendor, device, subsystem_vendor, subsystem_device;
  unsigned int class;
  u8 revision, hdr_type, pcie_cap, msi_cap, msix_cap;
  u16 pcie_flags_reg;
  struct pci_driver* driver;
  pci_channel_state_t error_state;
  struct device dev;
  unsigned int irq;
  struct resource resource[PCI_STD_NUM_BARS];
  bool is_busmaster;
  /* Our members. */
  int enable_count;
  bool managed;
  void __iomem* msix_table;
  unsigned int vector_base, vector_count; /* consecutive interrupt numbers */
};

struct pci_error_handlers {
  pci_ers_result_t (*error_detected)(struct pci_dev* dev, pci_channel_state_t error);
  pci_ers_result_t (*mmio_enabled)(struct pci_dev* dev);
  pci_ers_result_t (*slot_reset)(struct pci_dev* dev);
  void (*reset_prepare)(struct pci_dev* dev);
  void (*reset_done)(struct pci_dev* dev);
  void (*resume)(struct pci_dev* dev);
  void (*cor_error_detected)(struct pci_dev* dev);
};

struct pci_driver {
  const char* name;
  const struct pci_device_id* id_table;
  int (*probe)(struct pci_dev* dev, const struct pci_device_id* id);
  void (*remove)(struct pci_dev* dev);
  void (*shutdown)(struct pci_dev* dev);
  const struct pci_error_handlers* err_handler;
  const struct attribute_group** groups;
  const struct attribute_group** dev_groups;
  struct device_driver driver;
};
int __pci_register_driver(struct pci_driver* driver, struct module* owner, const char* mod_name);
#define pci_register_driver(driver) __pci_register_driver((driver), THIS_MODULE, KBUILD_MODNAME)
void pci_unregister_driver(struct pci_driver* driver);
#define module_pci_driver(driver) module_driver(driver, pci_register_driver, pci_unregister_driver)

extern struct bus_type pci_bus_type;
#define dev_is_pci(device) ((device)->bus == &pci_bus_type)
#define to_pci_dev(pointer) container_of((pointer), struct pci_dev, dev)
#define to_pci_driver(pointer) container_of((pointer), struct pci_driver, driver)
static inline const char* pci_name(const struct pci_dev* dev) { return dev_name(&dev->dev); }
static inline void* pci_get_drvdata(struct pci_dev* dev) { return dev_get_drvdata(&dev->dev); }
static inline void pci_set_drvdata(struct pci_dev* dev, void* data) { dev_set_drvdata(&dev->dev, data); }
#define pci_err(pdev, format, ...) dev_err(&(pdev)->dev, format, ##__VA_ARGS__)
#define pci_warn(pdev, format, ...) dev_warn(&(pdev)->dev, format, ##__VA_ARGS__)
#define pci_info(pdev, format, ...) dev_info(&(pdev)->dev, format, ##__VA_ARGS__)
#define pci_dbg(pdev, format, ...) dev_dbg(&(pdev)->dev, format, ##__VA_ARGS__)

/* Configuration space. An access beyond its end, or not aligned to its size, returns an errno. */
int pci_read_config_byte(const struct pci_dev* dev, int where, u8* value);
int pci_read_config_word(const struct pci_dev* dev, int where, u16* value);
int pci_read_config_dword(const struct pci_dev* dev, int where, u32* value);
int pci_write_config_byte(const struct pci_dev* dev, int where, u8 value);
int pci_write_config_word(const struct pci_dev* dev, int where, u16 value);
int pci_write_config_dword(const struct pci_dev* dev, int where, u32 value);
void pci_clear_and_set_config_dword(const struct pci_dev* dev, int where, u32 clear, u32 set);
u8 pci_find_capability(struct pci_dev* dev, int id);
u16 pci_find_ext_capability(struct pci_dev* dev, int id);
u16 pci_find_next_ext_capability(struct pci_dev* dev, u16 start, int id);
u16 pci_find_dvsec_capability(struct pci_dev* dev, u16 vendor, u16 id);
u64 pci_get_dsn(struct pci_dev* dev);
u16 pci_find_vsec_capability(struct pci_dev* dev, u16 vendor, int id);
int pcie_capability_read_word(struct pci_dev* dev, int where, u16* value);
static inline int pci_pcie_cap(struct pci_dev* dev) { return dev->pcie_cap; }
static inline bool pci_is_pcie(struct pci_dev* dev) { return dev->pcie_cap != 0; }
static inline int pci_pcie_type(const struct pci_dev* dev) { return (dev->pcie_flags_reg & PCI_EXP_FLAGS_TYPE) >> 4; }
static inline int pci_save_state(struct pci_dev* dev) { return dev ? 0 : -EINVAL; } /* devices are never reset */
static inline void pci_restore_state(struct pci_dev* dev) { (void)dev; }

int pci_enable_device(struct pci_dev* dev);
void pci_disable_device(struct pci_dev* dev);
/* Disabled again, with its vectors freed, when the driver is unbound from the device. */
int pcim_enable_device(struct pci_dev* dev);
void pci_set_master(struct pci_dev* dev);
void pci_clear_master(struct pci_dev* dev);
#define pci_resource_n(dev, bar) (&(dev)->resource[(bar)])
#define pci_resource_start(dev, bar) (pci_resource_n(dev, bar)->start)
#define pci_resource_end(dev, bar) (pci_resource_n(dev, bar)->end)
#define pci_resource_flags(dev, bar) (pci_resource_n(dev, bar)->flags)
#define pci_resource_len(dev, bar) (pci_resource_end(dev, bar) ? resource_size(pci_resource_n(dev, bar)) : 0)

void __iomem* pci_ioremap_bar(struct pci_dev* dev, int bar);
/* The regions of a set of BARs are claimed and mapped until the driver leaves; the table has the mappings by BAR. */
int pcim_iomap_regions(struct pci_dev* dev, int bars, const char* name);
void __iomem* const* pcim_iomap_table(struct pci_dev* dev);

#define PCI_IRQ_MSI 0x2
#define PCI_IRQ_MSIX 0x4
int pci_alloc_irq_vectors(struct pci_dev* dev, unsigned int least, unsigned int most, unsigned int flags);
void pci_free_irq_vectors(struct pci_dev* dev);
/* The interrupt number of a vector, or -EINVAL. */
int pci_irq_vector(struct pci_dev* dev, unsigned int vector);

struct pci_host_bridge* pci_find_host_bridge(struct pci_bus* bus);
static inline int pci_domain_nr(struct pci_bus* bus) { return bus->host->segment; }
static inline bool pci_is_root_bus(struct pci_bus* bus) { return !bus->parent; }
struct pci_dev* pci_get_domain_bus_and_slot(int domain, unsigned int bus, unsigned int devfn);
/* The function after `from`, which is put; the first one without it. */
struct pci_dev* pci_get_device(unsigned int vendor, unsigned int device, struct pci_dev* from);
#define for_each_pci_dev(dev) while (((dev) = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, (dev))) != 0)
static inline u16 pci_dev_id(const struct pci_dev* dev) { return (u16)PCI_DEVID(dev->bus->number, dev->devfn); }
struct pci_dev* pcie_find_root_port(struct pci_dev* dev);
static inline struct pci_dev* pci_dev_get(struct pci_dev* dev) {
  if (dev) get_device(&dev->dev);
  return dev;
}
static inline void pci_dev_put(struct pci_dev* dev) {
  if (dev) put_device(&dev->dev);
}
DEFINE_FREE(pci_dev_put, struct pci_dev*, if (_T) pci_dev_put(_T))
static inline struct pci_dev* pci_upstream_bridge(struct pci_dev* dev) { return dev->bus->self; }
/* Firmware does not give up control of error reporting. */
#define pcie_aer_is_native(dev) ((void)(dev), 0)
u32 pcie_bandwidth_available(struct pci_dev* dev, struct pci_dev** limiting, int* speed, int* width);
int pcie_link_bandwidth_mbps(struct pci_dev* dev);
int pcie_link_speed_mbps(struct pci_dev* dev);
enum pcie_link_width { PCIE_LNK_WIDTH_RESRV = 0, PCIE_LNK_WIDTH_UNKNOWN = 0xff };
/* The lanes that the port can have; unknown if it has no link. */
enum pcie_link_width pcie_get_width_cap(struct pci_dev* dev);
void pci_walk_bus(struct pci_bus* bus, int (*visit)(struct pci_dev* dev, void* data), void* data);

struct pci_dev;
struct pci_doe_mb;
int pci_doe(struct pci_doe_mb* mailbox, u16 vendor, u8 type, const void* request, size_t request_size, void* response,
            size_t response_size);
struct pci_doe_mb* pci_find_doe_mailbox(struct pci_dev* dev, u16 vendor, u8 type);

/* Of endpoint functions, only the numbers of BARs. */
enum pci_barno { NO_BAR = -1, BAR_0, BAR_1, BAR_2, BAR_3, BAR_4, BAR_5 };
