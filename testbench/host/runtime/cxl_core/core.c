// SPDX-License-Identifier: BSD-2-Clause
/* Our part of the kernel module cxl_core: it replaces drivers/cxl/core/port.c as far as PMUs need it. The bus has
 * memory devices and PMUs, and no ports, decoders, regions or nvdimms. */
#include <linux/firmware.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/version.h>

#include <cxlmem.h>
#include <cxlpci.h>

#include <core/core.h> /* does not include everything it needs */

#include "../runtime.h"
#include "bus.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
struct rw_semaphore cxl_region_rwsem; /* of drivers/cxl/core/region.c */
#endif

static int kind_of(const struct device* dev) {
  if (is_cxl_memdev(dev)) return CXL_DEVICE_MEMORY_EXPANDER;
  return dev->type == &cxl_pmu_type ? CXL_DEVICE_PMU : 0;
}

static const struct cxl_driver* cxl_driver_of(const struct device_driver* driver) {
  return container_of(driver, struct cxl_driver, drv);
}

int pmufab_cxl_match(struct device* dev, const struct device_driver* driver) {
  return kind_of(dev) == cxl_driver_of(driver)->id;
}

int pmufab_cxl_probe(struct device* dev) {
  /* A part of this module that is the user's is told to serve what it helps to bind. */
  if (THIS_MODULE->own && try_module_get(THIS_MODULE)) module_put(THIS_MODULE);
  return cxl_driver_of(dev->driver)->probe(dev);
}

void pmufab_cxl_remove(struct device* dev) {
  const struct cxl_driver* driver = cxl_driver_of(dev->driver);
  if (driver->remove) driver->remove(dev);
}

int __cxl_driver_register(struct cxl_driver* driver, struct module* owner, const char* modname) {
  if (PMUFAB_CALL_FAILS()) return -ENOMEM;
  driver->drv.bus = &cxl_bus_type;
  driver->drv.owner = owner;
  driver->drv.mod_name = modname;
  driver->drv.name = driver->name;
  return driver_register(&driver->drv);
}

void cxl_driver_unregister(struct cxl_driver* driver) { driver_unregister(&driver->drv); }

/* Functions that the kernel's files refer to and PMUs never call: ports, decoders, error handling, new firmware. */
int cxl_num_decoders_committed(struct cxl_port* port) {
  (void)port;
  return 0;
}

struct cxl_port* cxl_mem_find_port(struct cxl_memdev* memdev, struct cxl_dport** dport) {
  (void)memdev, (void)dport;
  return NULL;
}

struct cxl_port* cxl_pci_find_port(struct pci_dev* dev, struct cxl_dport** dport) {
  (void)dev, (void)dport;
  return NULL;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
void cxl_cor_error_detected(struct pci_dev* dev) { (void)dev; }

pci_ers_result_t cxl_error_detected(struct pci_dev* dev, pci_channel_state_t state) {
  (void)dev, (void)state;
  return PCI_ERS_RESULT_NONE;
}
#else
/* In drivers/cxl/mem.c, whose driver needs a port to bind. */
struct cxl_memdev* devm_cxl_add_classdev(struct cxl_dev_state* state) {
  return __devm_cxl_add_memdev(state, NULL);
}
#endif

struct fw_upload* firmware_upload_register(struct module* module, struct device* parent, const char* name,
                                           const struct fw_upload_ops* operations, void* handle) {
  (void)module, (void)parent, (void)name, (void)operations;
  struct fw_upload* upload = kzalloc(sizeof(*upload), GFP_KERNEL);
  if (!upload) return ERR_PTR(-ENOMEM);
  upload->dd_handle = handle;
  return upload;
}

void firmware_upload_unregister(struct fw_upload* upload) { kfree(upload); }

static int __init cxl_core_init(void) { return cxl_memdev_init(); }

static void __exit cxl_core_exit(void) {
  cxl_memdev_exit();
  bus_unregister(&cxl_bus_type);
}

module_init(cxl_core_init);
module_exit(cxl_core_exit);
MODULE_LICENSE("Dual BSD/GPL");
/* The modules that find devices depend on this one. */
MODULE_DEVICE_TABLE(cxl, NULL);
