// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/xarray.h>

struct acpi_device;
struct device;
struct device_driver;
struct device_node;
struct module;

/* The machine is never suspended. Of these, only the runtime callbacks are called. */
struct dev_pm_ops {
  int (*suspend)(struct device* dev);
  int (*resume)(struct device* dev);
  int (*suspend_noirq)(struct device* dev);
  int (*resume_noirq)(struct device* dev);
  int (*runtime_suspend)(struct device* dev);
  int (*runtime_resume)(struct device* dev);
};
#define SET_SYSTEM_SLEEP_PM_OPS(suspend_function, resume_function) \
  .suspend = (suspend_function), .resume = (resume_function),
#define SYSTEM_SLEEP_PM_OPS SET_SYSTEM_SLEEP_PM_OPS
#define DEFINE_SIMPLE_DEV_PM_OPS(name, suspend, resume) \
  static const struct dev_pm_ops name __attribute__((__unused__)) = {SET_SYSTEM_SLEEP_PM_OPS(suspend, resume)}
#define pm_ptr(pointer) (pointer)
#define pm_sleep_ptr(pointer) (pointer)

struct bus_type {
  const char* name;
  const struct attribute_group** dev_groups;
  int (*match)(struct device* dev, const struct device_driver* driver);
  int (*probe)(struct device* dev);
  void (*remove)(struct device* dev);
  /* Ours: all devices and drivers of this bus. */
  struct list_head devices, drivers, node;
  struct raw_notifier_head notifiers;
};

struct device_driver {
  const char* name;
  const struct bus_type* bus;
  struct module* owner;
  const char* mod_name;
  bool suppress_bind_attrs;
  int probe_type;
  const struct of_device_id* of_match_table;
  const struct acpi_device_id* acpi_match_table;
  int (*probe)(struct device* dev);
  int (*remove)(struct device* dev);
  const struct attribute_group** groups;
  const struct attribute_group** dev_groups;
  const struct dev_pm_ops* pm;
  struct list_head node; /* ours: on its bus */
};
#define PROBE_PREFER_ASYNCHRONOUS 1
#define PROBE_FORCE_SYNCHRONOUS 2

struct device_type {
  const char* name;
  const struct attribute_group** groups;
  void (*release)(struct device* dev);
  char* (*devnode)(const struct device* dev, umode_t* mode, kuid_t* uid, kgid_t* gid);
};

struct device {
  struct kobject kobj;
  struct device* parent;
  const char* init_name;
  const struct device_type* type;
  const struct bus_type* bus;
  struct device_driver* driver;
  void* platform_data;
  void* driver_data;
  struct device_node* of_node;
  struct fwnode_handle* fwnode;
  int numa_node;
  u32 id;
  dev_t devt;
  const struct attribute_group** groups;
  void (*release)(struct device* dev);
  /* Our members. */
  struct list_head bus_node; /* every device of the bus, in order of creation */
  struct list_head devres;   /* managed resources, newest first */
  char* allocated_name;
  u64 helpers; /* set of the other modules that its driver took during the probe, such as a vendor's */
  int references;
  bool added, deferred, dead;
  struct {
    int usage, enabled; /* counts */
    bool active;
  } power; /* runtime power management */
};

struct device_attribute {
  struct attribute attr;
  ssize_t (*show)(struct device* dev, struct device_attribute* attr, char* buffer);
  ssize_t (*store)(struct device* dev, struct device_attribute* attr, const char* buffer, size_t count);
};
struct dev_ext_attribute {
  struct device_attribute attr;
  void* var;
};
#define DEVICE_ATTR(_name, _mode, _show, _store) \
  struct device_attribute dev_attr_##_name = __ATTR(_name, _mode, _show, _store)
#define DEVICE_ATTR_RO(_name) struct device_attribute dev_attr_##_name = __ATTR_RO(_name)
#define DEVICE_ATTR_RW(_name) struct device_attribute dev_attr_##_name = __ATTR_RW(_name)
#define DEVICE_ATTR_WO(_name) struct device_attribute dev_attr_##_name = __ATTR_WO(_name)
#define DEVICE_ATTR_ADMIN_RO(_name) struct device_attribute dev_attr_##_name = __ATTR_RO_MODE(_name, 0400)
#define DEVICE_STRING_ATTR_RO(_name, _mode, _var) \
  struct dev_ext_attribute dev_attr_##_name = {__ATTR(_name, (_mode), device_show_string, 0), (char*)(_var)}
ssize_t device_show_string(struct device* dev, struct device_attribute* attr, char* buffer);
ssize_t device_show_ulong(struct device* dev, struct device_attribute* attr, char* buffer);
ssize_t device_show_int(struct device* dev, struct device_attribute* attr, char* buffer);

#define kobj_to_dev(pointer) container_of((pointer), struct device, kobj)
static inline const char* dev_name(const struct device* dev) {
  return dev->kobj.name ? dev->kobj.name : dev->init_name;
}
__printf(2, 3) int dev_set_name(struct device* dev, const char* format, ...);
const char* dev_driver_string(const struct device* dev);
static inline void* dev_get_drvdata(const struct device* dev) { return dev->driver_data; }
static inline void dev_set_drvdata(struct device* dev, void* data) { dev->driver_data = data; }
static inline void* dev_get_platdata(const struct device* dev) { return dev->platform_data; }
static inline int dev_to_node(struct device* dev) { return dev->numa_node; }
static inline void set_dev_node(struct device* dev, int node) { dev->numa_node = node; }
static inline bool device_is_bound(struct device* dev) { return dev->driver != 0; }

void device_initialize(struct device* dev);
int device_add(struct device* dev);
void device_del(struct device* dev);
int device_register(struct device* dev);
void device_unregister(struct device* dev);
struct device* get_device(struct device* dev);
void put_device(struct device* dev);
int driver_attach(const struct device_driver* driver);
int driver_register(struct device_driver* driver);
void driver_unregister(struct device_driver* driver);
int device_attach(struct device* dev);
void device_release_driver(struct device* dev);
/* Told of a bus's devices. */
enum {
  BUS_NOTIFY_ADD_DEVICE = 1,
  BUS_NOTIFY_DEL_DEVICE,
  BUS_NOTIFY_REMOVED_DEVICE,
  BUS_NOTIFY_BIND_DRIVER,
  BUS_NOTIFY_BOUND_DRIVER,
  BUS_NOTIFY_UNBIND_DRIVER,
  BUS_NOTIFY_UNBOUND_DRIVER,
  BUS_NOTIFY_DRIVER_NOT_BOUND
};
int bus_register_notifier(const struct bus_type* bus, struct notifier_block* block);
int bus_unregister_notifier(const struct bus_type* bus, struct notifier_block* block);
int bus_register(const struct bus_type* bus);
void bus_unregister(const struct bus_type* bus);
struct device* driver_find_device(const struct device_driver* driver, struct device* start, const void* data,
                                  int (*match)(struct device* dev, const void* data));
int device_match_name(struct device* dev, const void* name);
struct device* get_cpu_device(unsigned int cpu);

/* Managed resources: released, newest first, when the probe fails or the driver is unbound from the device. */
typedef void (*dr_release_t)(struct device* dev, void* resource);
typedef int (*dr_match_t)(struct device* dev, void* resource, void* match_data);
void* devres_alloc(dr_release_t release, size_t size, gfp_t flags);
void devres_free(void* resource);
void devres_add(struct device* dev, void* resource);
void* devres_find(struct device* dev, dr_release_t release, dr_match_t match, void* match_data);
int devres_destroy(struct device* dev, dr_release_t release, dr_match_t match, void* match_data);
int devres_release(struct device* dev, dr_release_t release, dr_match_t match, void* match_data);
void pmufab_devres_release_all(struct device* dev);

void* devm_kmalloc(struct device* dev, size_t size, gfp_t flags);
void* devm_krealloc(struct device* dev, void* old, size_t size, gfp_t flags);
void devm_kfree(struct device* dev, const void* object);
void* devm_kmemdup(struct device* dev, const void* from, size_t size, gfp_t flags);
char* devm_kstrdup(struct device* dev, const char* text, gfp_t flags);
__printf(3, 4) char* devm_kasprintf(struct device* dev, gfp_t flags, const char* format, ...);
static inline void* devm_kzalloc(struct device* dev, size_t size, gfp_t flags) {
  return devm_kmalloc(dev, size, flags | __GFP_ZERO);
}
static inline void* devm_kcalloc(struct device* dev, size_t count, size_t size, gfp_t flags) {
  return devm_kzalloc(dev, size_mul(count, size), flags);
}
static inline void* devm_kmalloc_array(struct device* dev, size_t count, size_t size, gfp_t flags) {
  return devm_kmalloc(dev, size_mul(count, size), flags);
}
int devm_add_action(struct device* dev, void (*action)(void*), void* data);
int devm_add_action_or_reset(struct device* dev, void (*action)(void*), void* data);
void devm_remove_action(struct device* dev, void (*action)(void*), void* data);

void __iomem* devm_ioremap(struct device* dev, resource_size_t start, resource_size_t size);
void __iomem* devm_ioremap_resource(struct device* dev, const struct resource* resource);
struct resource* devm_request_mem_region(struct device* dev, resource_size_t start, resource_size_t size,
                                         const char* name);

#define device_lock(dev) ((void)(dev))
#define device_unlock(dev) ((void)(dev))
#define device_lock_assert(dev) ((void)(dev))
typedef struct device* __pmufab_device_pointer;
DEFINE_GUARD(device, __pmufab_device_pointer, device_lock(_T), device_unlock(_T));
#define __pmufab_guard_of_device(dev) __PMUFAB_GUARD(device, dev)
static inline void device_set_pm_not_required(struct device* dev) { (void)dev; }
#define device_for_each_child(dev, data, visit) \
  ((void)(dev), (void)(data), (void)(visit), WARN(1, "device_for_each_child: nobody keeps children\n"))
#define lockdep_set_class(lock, key) ((void)(key))
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
struct device* device_find_child(struct device* parent, const void* data, int (*match)(struct device*, const void*));
int device_for_each_child_reverse_from(struct device* parent, struct device* from, void* data,
                                       int (*visit)(struct device*, void*));
#else
struct device* device_find_child(struct device* parent, void* data, int (*match)(struct device*, void*));
int device_for_each_child_reverse_from(struct device* parent, struct device* from, const void* data,
                                       int (*visit)(struct device*, const void*));
#endif
struct lock_class_key {
  int unused;
};
#define builtin_driver(driver, register_it)                                \
  static int __init driver##_init(void) { return register_it(&(driver)); } \
  device_initcall(driver##_init)
#define module_driver(driver, register_it, unregister_it...)               \
  static int __init driver##_init(void) { return register_it(&(driver)); } \
  module_init(driver##_init);                                              \
  static void __exit driver##_exit(void) { unregister_it(&(driver)); }     \
  module_exit(driver##_exit)

/* Counts of use, and the driver's callbacks when they go to and from 0. No device loses its power. */
void pm_runtime_enable(struct device* dev);
void pm_runtime_disable(struct device* dev);
int devm_pm_runtime_enable(struct device* dev);
void pm_runtime_set_active(struct device* dev);
void pm_runtime_set_suspended(struct device* dev);
void pm_runtime_get_noresume(struct device* dev);
void pm_runtime_put_noidle(struct device* dev);
/* 1: it was active; 0; or the error of the callback. get_sync keeps the count on an error, resume_and_get does not. */
int pm_runtime_get_sync(struct device* dev);
int pm_runtime_resume_and_get(struct device* dev);
int pm_runtime_put_sync(struct device* dev);
#define pm_runtime_get(dev) pm_runtime_get_sync(dev)
#define pm_runtime_put(dev) pm_runtime_put_sync(dev)
#define pm_runtime_put_autosuspend(dev) pm_runtime_put_sync(dev)
bool pm_runtime_suspended(struct device* dev);
#define pm_runtime_active(dev) (!pm_runtime_suspended(dev))
bool pm_runtime_enabled(struct device* dev);
int pm_runtime_get_if_active(struct device* dev);

#define SET_RUNTIME_PM_OPS(suspend, resume, idle) .runtime_suspend = (suspend), .runtime_resume = (resume),
#define RUNTIME_PM_OPS SET_RUNTIME_PM_OPS
