// SPDX-License-Identifier: Apache-2.0
/* A driver whose callbacks answer what the device's property "mode" says, and which sets its device up in a wrong order.
 * tools/build-drivers builds it beside the real ones. answers_test.cpp reads its log. */
#include <linux/acpi.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/version.h>

#define say(format, ...) pr_info("answers " format "\n", ##__VA_ARGS__)

struct answers {
  struct pmu pmu;
  struct hlist_node node;
  void __iomem* base;
  u64* calls; /* of the interrupt handler */
};
static u32 answers_mode;
static bool answers_refuse; /* CPUs that come */
static int answers_state;
static int answers_level = 7;

static ssize_t level_show(struct device* dev, struct device_attribute* attr, char* page) {
  return sysfs_emit(page, "%d\n", answers_level);
}

static ssize_t level_store(struct device* dev, struct device_attribute* attr, const char* text, size_t count) {
  switch (answers_mode) {
    case 1:
      return 0;
    case 2:
      return 1;
    case 3:
      return (ssize_t)count + 1;
    case 4:
      return -EINVAL;
  }
  return kstrtoint(text, 0, &answers_level) ? -EINVAL : (ssize_t)count;
}
static DEVICE_ATTR_RW(level);

static ssize_t secret_store(struct device* dev, struct device_attribute* attr, const char* text, size_t count) {
  return (ssize_t)count;
}
static DEVICE_ATTR_WO(secret);
static struct device_attribute dev_attr_nothing = __ATTR(nothing, 0644, NULL, NULL);
static struct attribute* answers_attributes[] = {&dev_attr_level.attr, &dev_attr_secret.attr, &dev_attr_nothing.attr,
                                                 NULL};
static umode_t answers_visible(struct kobject* kobj, struct attribute* attribute, int index) {
  return index == 0 || answers_mode == 5 ? attribute->mode : 0;
}
static const struct attribute_group answers_group = {.attrs = answers_attributes, .is_visible = answers_visible};
static const struct attribute_group* answers_groups[] = {&answers_group, NULL};

static int answers_get(char* page, const struct kernel_param* parameter) {
  if (answers_mode == 10) return 0;
  if (answers_mode == 11) return -EIO;
  return param_get_int(page, parameter);
}

static int answers_set(const char* text, const struct kernel_param* parameter) {
  if (answers_mode == 12) return 1;
  if (answers_mode == 13) return -EPERM;
  return param_set_int(text, parameter);
}
static const struct kernel_param_ops answers_ops = {.set = answers_set, .get = answers_get};
module_param_cb(level, &answers_ops, &answers_level, 0644);

static int answers_online(unsigned int cpu, struct hlist_node* node) {
  say("cpu %u online", cpu);
  if (answers_mode == 20 && cpu == 2) return 5;
  return answers_refuse ? -ENOMEM : 0;
}

static int answers_offline(unsigned int cpu, struct hlist_node* node) {
  say("cpu %u offline", cpu);
  return answers_mode == 21 && cpu == 3 ? -EBUSY : 0;
}

static int answers_told(struct notifier_block* block, unsigned long action, void* data) {
  if (answers_mode == 30) return -ENOMEM;
  return answers_mode == 31 ? notifier_from_errno(-ENOMEM) : NOTIFY_OK;
}
static struct notifier_block answers_block = {.notifier_call = answers_told};
static RAW_NOTIFIER_HEAD(answers_chain);

static void answers_tell(void) {
  raw_notifier_chain_register(&answers_chain, &answers_block);
  say("told %d", notifier_to_errno(raw_notifier_call_chain(&answers_chain, 1, NULL)));
  raw_notifier_chain_unregister(&answers_chain, &answers_block);
}

static irqreturn_t answers_irq(int irq, void* data) {
  struct answers* self = data;

  if (self->calls) ++*self->calls;
  readl(self->base + 0x20);
  return IRQ_NONE;
}

static int answers_event_init(struct perf_event* event) { return event->attr.type == event->pmu->type ? 0 : -ENOENT; }
static int answers_add(struct perf_event* event, int flags) { return 0; }
static void answers_del(struct perf_event* event, int flags) {}
static void answers_read(struct perf_event* event) { local64_inc(&event->count); }

static int answers_probe(struct platform_device* pdev) {
  struct device* dev = &pdev->dev;
  struct answers* self = devm_kzalloc(dev, sizeof(*self), GFP_KERNEL);
  int irq = platform_get_irq(pdev, 0), error;

  if (!self) return -ENOMEM;
  platform_set_drvdata(pdev, self);
  device_property_read_u32(dev, "mode", &answers_mode);
  if (answers_mode != 40) self->base = devm_platform_ioremap_resource(pdev, 0);
  if (answers_mode != 41) self->calls = devm_kzalloc(dev, sizeof(*self->calls), GFP_KERNEL);
  error = devm_request_irq(dev, irq, answers_irq, IRQF_SHARED, dev_name(dev), self);
  if (error) return error;
  if (answers_mode == 40) self->base = devm_platform_ioremap_resource(pdev, 0);
  if (answers_mode == 41) self->calls = devm_kzalloc(dev, sizeof(*self->calls), GFP_KERNEL);
  answers_tell();
  error = cpuhp_state_add_instance(answers_state, &self->node);
  if (error) return error;
  answers_refuse = answers_mode == 22;
  self->pmu = (struct pmu){.module = THIS_MODULE,
                           .parent = dev,
                           .task_ctx_nr = perf_invalid_context,
                           .capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
                           .attr_groups = answers_groups,
                           .event_init = answers_event_init,
                           .add = answers_add,
                           .del = answers_del,
                           .start = answers_del,
                           .stop = answers_del,
                           .read = answers_read};
  error = perf_pmu_register(&self->pmu, "answers", -1);
  if (error) cpuhp_state_remove_instance(answers_state, &self->node);
  return error;
}

static void answers_remove(struct platform_device* pdev) {
  struct answers* self = platform_get_drvdata(pdev);

  perf_pmu_unregister(&self->pmu);
  cpuhp_state_remove_instance(answers_state, &self->node);
}

static const struct acpi_device_id answers_match[] = {{"TEST0003", 0}, {}};
MODULE_DEVICE_TABLE(acpi, answers_match);

static struct platform_driver answers_driver = {
    .driver = {.name = "answers", .acpi_match_table = ACPI_PTR(answers_match)},
    .probe = answers_probe,
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
    .remove_new = answers_remove,
#else
    .remove = answers_remove,
#endif
};

static int __init answers_init(void) {
  int error;

  answers_state =
      cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "selftest/answers:online", answers_online, answers_offline);
  if (answers_state < 0) return answers_state;
  error = platform_driver_register(&answers_driver);
  if (error) cpuhp_remove_multi_state(answers_state);
  return error;
}

static void __exit answers_exit(void) {
  platform_driver_unregister(&answers_driver);
  cpuhp_remove_multi_state(answers_state);
}

module_init(answers_init);
module_exit(answers_exit);
MODULE_LICENSE("Dual MIT/GPL");
