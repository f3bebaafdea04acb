// SPDX-License-Identifier: BSD-2-Clause
/* A driver that exercises the small kernel itself. tools/build-drivers builds it beside the real ones. The test reads
 * its log; selftest_test.cpp has the expectations. */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/version.h>

struct selftest {
  struct pmu pmu;
  struct device* dev;
  void __iomem* base;
  spinlock_t lock;
  struct dentry* debug;
  int open_transactions;
};
#define to_selftest(p) container_of(p, struct selftest, pmu)

static DEFINE_MUTEX(selftest_mutex);

/* "text" is the whole buffer after snprintf said how long the text is. */
#define SHOW(format, ...)                                                 \
  do {                                                                    \
    char buffer[64];                                                      \
    int length = snprintf(buffer, sizeof(buffer), format, ##__VA_ARGS__); \
    pr_info("selftest printf %s -> '%s' %d\n", #format, buffer, length);  \
  } while (0)

static void selftest_printf(struct platform_device* pdev) {
  unsigned long bits[2] = {0x8000000000000f15UL, 0x3};
  phys_addr_t address = 0x12345678;
  const u8 bytes[3] = {0xde, 0xad, 0x01};

  SHOW("%5d|%-5d|%05d|%+d", 42, 42, -42, 42);
  SHOW("%x %#x %X %#06x %o", 255, 255, 255, 255, 8);
  /* cppcheck-suppress [invalidPrintfArgType_uint, invalidPrintfArgType_sint]: what does not fit is what is tested */
  SHOW("%llx %lu %hhu %hd", 0x123456789abcdefULL, 18446744073709551615UL, 300, 70000);
  SHOW("%s|%.2s|%6s|%-6s|", "abc", "abc", "abc", "abc");
  SHOW("%c%%%.3d", 'x', 7);
  SHOW("%*pbl", 66, bits);
  SHOW("%*pb", 66, bits);
  SHOW("%*pbl|", 3, bits + 1);
  SHOW("%pa", &address);
  SHOW("%*ph", 3, bytes);
  SHOW("%pe", ERR_PTR(-EINVAL));
  SHOW("%pR", platform_get_resource(pdev, IORESOURCE_MEM, 0));
  SHOW("%70s", "truncated");
  SHOW("%p", pdev);
}

static int selftest_compare(const void* left, const void* right) { return *(const int*)left - *(const int*)right; }

static void selftest_helpers(struct device* dev) {
  int numbers[] = {5, -3, 9, 0, 7, 2, 2};
  u32 value = 0;
  int small = 0, error;
  char* tail;

  sort(numbers, ARRAY_SIZE(numbers), sizeof(numbers[0]), selftest_compare, NULL);
  pr_info("selftest sort %d %d %d %d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
          numbers[5], numbers[6]);

  error = kstrtou32("0x1f\n", 0, &value);
  pr_info("selftest kstrtou32 %d %u\n", error, value);
  error = kstrtoint("-7", 10, &small);
  pr_info("selftest kstrtoint %d %d %d\n", kstrtoint("12x", 10, &numbers[0]), error, small);
  pr_info("selftest kstrtouint %d\n", kstrtouint("4294967296", 10, &value));

  /* After shrinking, the tail is readable and unchanged. */
  tail = devm_kzalloc(dev, 64, GFP_KERNEL);
  tail[63] = 'z';
  tail = devm_krealloc(dev, tail, 8, GFP_KERNEL);
  pr_info("selftest krealloc %c\n", tail[63]);
  tail = devm_krealloc(dev, tail, 4096, GFP_KERNEL);
  pr_info("selftest krealloc grown %c\n", tail[63]);

  pr_info("selftest field %#llx %#llx\n", (u64)FIELD_PREP(GENMASK_ULL(43, 40), 0x15),
          (u64)FIELD_GET(GENMASK(15, 8), 0xabcd));
  pr_info("selftest config %d %d\n", IS_ENABLED(CONFIG_ACPI), IS_ENABLED(CONFIG_NO_SUCH_THING));
  pr_info("selftest control \x1b[31m\n");
  pr_info("selftest missing kzalloc %d\n", kzalloc(SIZE_MAX, GFP_KERNEL | __GFP_NOWARN) == NULL);
  pr_cont(" continued\n");
}

static void selftest_action(void* name) { pr_info("selftest release %s\n", (const char*)name); }

static irqreturn_t selftest_irq(int irq, void* data) {
  struct selftest* self = data;

  pr_info("selftest irq %d on cpu %u, interrupts %s\n", irq, smp_processor_id(), irqs_disabled() ? "off" : "on");
  writel(0, self->base + 0x10); /* the device drops its line */
  return IRQ_HANDLED;
}

static void selftest_locks(struct selftest* self) {
  unsigned long flags;

  spin_lock_irqsave(&self->lock, flags);
  writel(1, self->base + 0x10); /* the device raises its line */
  pr_info("selftest lock held\n");
  spin_unlock_irqrestore(&self->lock, flags);
  pr_info("selftest lock free\n");
  writel(1, self->base + 0x10);
  pr_info("selftest after access\n");
  {
    guard(mutex)(&selftest_mutex);
    pr_info("selftest guard %d\n", mutex_is_locked(&selftest_mutex));
  }
  pr_info("selftest guard %d\n", mutex_is_locked(&selftest_mutex));
}

static irqreturn_t selftest_thread(int irq, void* data) {
  struct selftest* self = data;

  pr_info("selftest thread of irq %d, interrupts %s\n", irq, irqs_disabled() ? "off" : "on");
  writel(0, self->base + 0x10);
  return IRQ_HANDLED;
}

static irqreturn_t selftest_wake(int irq, void* data) {
  pr_info("selftest wake\n");
  return IRQ_WAKE_THREAD;
}

/* Passing time, threads of interrupts, data that crosses word boundaries, ranges inside ranges. */
static int selftest_waiting(struct selftest* self, int irq) {
  u8 bytes[16];
  struct resource whole = DEFINE_RES_MEM(0x1000, 0x1000), low = DEFINE_RES_MEM(0x1000, 0x800),
                  high = DEFINE_RES_MEM(0x1800, 0x800), across = DEFINE_RES_MEM(0x17ff, 2);
  int error = devm_request_threaded_irq(self->dev, irq, selftest_wake, selftest_thread, IRQF_ONESHOT, "thread", self);
  u64 start = ktime_get_ns();

  if (error) return error;
  pr_info("selftest sleep\n");
  msleep(100);
  pr_info("selftest slept %llu ms\n", (ktime_get_ns() - start) / NSEC_PER_MSEC);
  memcpy_fromio(bytes, self->base + 0x25, sizeof(bytes));
  memcpy_toio(self->base + 0x40, bytes, 12);
  pr_info("selftest ranges %d %d\n", request_resource(&whole, &high), request_resource(&whole, &low));
  pr_info("selftest overlap %d\n", request_resource(&whole, &across));
  pr_info("selftest released %d %d\n", release_resource(&low), request_resource(&whole, &across));
  return 0;
}

static void selftest_destroy(struct perf_event* event) {
  pr_info("selftest destroy config %llu\n", event->attr.config);
}

static int selftest_event_init(struct perf_event* event) {
  if (event->attr.type != event->pmu->type) return -ENOENT;
  event->destroy = selftest_destroy;
  return event->attr.config == 99 ? -EINVAL : 0;
}

static int selftest_add(struct perf_event* event, int flags) {
  pr_info("selftest add config %llu in %d\n", event->attr.config, to_selftest(event->pmu)->open_transactions);
  return event->attr.config == 13 ? -ENOSPC : 0;
}

static void selftest_del(struct perf_event* event, int flags) {
  pr_info("selftest del config %llu\n", event->attr.config);
}
static void selftest_start(struct perf_event* event, int flags) {}
static void selftest_read(struct perf_event* event) {
  pr_info("selftest read in %d\n", to_selftest(event->pmu)->open_transactions);
  local64_inc(&event->count);
}

static void selftest_start_txn(struct pmu* pmu, unsigned int flags) { to_selftest(pmu)->open_transactions += flags; }
static int selftest_commit_txn(struct pmu* pmu) {
  to_selftest(pmu)->open_transactions = 0;
  pr_info("selftest commit\n");
  return 0;
}
static void selftest_cancel_txn(struct pmu* pmu) {
  to_selftest(pmu)->open_transactions = 0;
  pr_info("selftest cancel\n");
}

static umode_t selftest_visible(struct kobject* kobj, struct attribute* attr, int index) {
  return index == 1 ? 0 : attr->mode;
}
PMU_FORMAT_ATTR(shown, "config:0-3");
PMU_FORMAT_ATTR(hidden, "config:4");
static struct attribute* selftest_formats[] = {&format_attr_shown.attr, &format_attr_hidden.attr, NULL};
static const struct attribute_group selftest_group = {
    .name = "format", .attrs = selftest_formats, .is_visible = selftest_visible};
static const struct attribute_group* selftest_groups[] = {&selftest_group, NULL};
static const struct attribute_group* selftest_twice[] = {&selftest_group, &selftest_group, NULL};

static void selftest_properties(struct device* dev) {
  u32 cells[2] = {1, 2}, small = 3;
  u64 wide = 4;
  int error;

  error = device_property_read_u32(dev, "no-such-thing", &small);
  pr_info("selftest property missing %d %u\n", error, small);
  error = device_property_read_u64(dev, "wide", &wide);
  pr_info("selftest property wide as u64 %d %#llx\n", error, wide);
  error = device_property_read_u32_array(dev, "wide", cells, 2);
  pr_info("selftest property wide as cells %d %#x %#x\n", error, cells[0], cells[1]);
  error = device_property_read_u32(dev, "wide", &small);
  pr_info("selftest property wide as u32 %d %#x\n", error, small);
  wide = 4;
  error = device_property_read_u64(dev, "mode", &wide);
  pr_info("selftest property mode as u64 %d %llu\n", error, wide);
  error = of_property_read_u32(dev_of_node(dev), "mode", &small);
  pr_info("selftest property of the device tree node %d\n", error);
  pr_info("selftest property match data %lu\n", (unsigned long)device_get_match_data(dev));
}

static void selftest_children(struct device* dev) {
  struct device_node* child;
  int children = 0;

  for_each_child_of_node(dev_of_node(dev), child) children++;
  pr_info("selftest children %d\n", children);
}

static int selftest_numbers_show(struct seq_file* file, void* data) {
  struct selftest* self = file->private;

  seq_puts(file, "numbers:");
  for (int i = 0; i < 2000; i++) seq_printf(file, " %d", i);
  seq_putc(file, '\n');
  seq_printf(file, "register %#x\n", readl(self->base));
  return 0;
}
DEFINE_SHOW_ATTRIBUTE(selftest_numbers);

static void selftest_debugfs(struct selftest* self) {
  struct dentry *folder, *again;

  self->debug = debugfs_create_dir("selftest", NULL);
  folder = debugfs_create_dir("inner", self->debug);
  debugfs_create_file("numbers", 0444, folder, self, &selftest_numbers_fops);
  again = debugfs_create_file("numbers", 0444, folder, self, &selftest_numbers_fops);
  pr_info("selftest debugfs %ld\n", PTR_ERR(again));
  debugfs_remove(again);
  debugfs_remove(debugfs_create_file("gone", 0444, folder, self, &selftest_numbers_fops));
  debugfs_create_file("empty", 0444, self->debug, self, NULL);
}

static int selftest_probe(struct platform_device* pdev) {
  struct device* dev = &pdev->dev;
  struct selftest* self = devm_kzalloc(dev, sizeof(*self), GFP_KERNEL);
  u32 mode = 0;
  int irq, error;

  self->dev = dev;
  spin_lock_init(&self->lock);
  platform_set_drvdata(pdev, self);
  pr_info("selftest version %d.%d.%d\n", LINUX_VERSION_CODE >> 16, LINUX_VERSION_CODE >> 8 & 255,
          LINUX_VERSION_CODE & 255);
  selftest_properties(dev);
  if (dev_of_node(dev)) selftest_children(dev);
  device_property_read_u32(dev, "mode", &mode);
  self->base = devm_platform_ioremap_resource(pdev, 0);
  if (IS_ERR(self->base)) return PTR_ERR(self->base);
  devm_add_action_or_reset(dev, selftest_action, "first");
  devm_add_action_or_reset(dev, selftest_action, "second");

  switch (mode) {
    case 1:
      return readl(NULL + 0xd38);
    case 2:
      mutex_lock(&selftest_mutex);
      mutex_lock(&selftest_mutex);
      break;
    case 3:
      for (int i = 0; i < 3; i++) WARN_ON_ONCE(i < 2);
      return dev_err_probe(dev, -ENOMEM, "told to fail\n");
    case 4:
      return readl(self->base + 0x2000); /* beyond the mapping */
    case 5:
      return dev_err_probe(dev, -EPROBE_DEFER, "for ever\n");
  }

  irq = platform_get_irq(pdev, 0);
  if (irq < 0) return irq;
  if (mode == 7) return selftest_waiting(self, irq);
  error = devm_request_irq(dev, irq, selftest_irq, 0, dev_name(dev), self);
  pr_info("selftest second request %d\n", request_irq(irq, selftest_irq, 0, "again", dev));
  if (error) return error;
  irq_set_affinity(irq, cpumask_of(1));

  selftest_printf(pdev);
  selftest_helpers(dev);
  selftest_locks(self);

  self->pmu = (struct pmu){.module = THIS_MODULE,
                           .parent = dev,
                           .task_ctx_nr = perf_invalid_context,
                           .attr_groups = mode == 6 ? selftest_twice : selftest_groups,
                           .event_init = selftest_event_init,
                           .add = selftest_add,
                           .del = selftest_del,
                           .start = selftest_start,
                           .stop = selftest_start,
                           .read = selftest_read,
                           .start_txn = selftest_start_txn,
                           .commit_txn = selftest_commit_txn,
                           .cancel_txn = selftest_cancel_txn};
  error = perf_pmu_register(&self->pmu, "selftest", -1);
  pr_info("selftest register %d\n", error);
  if (!error) selftest_debugfs(self);
  return error;
}

static void selftest_remove(struct platform_device* pdev) {
  struct selftest* self = platform_get_drvdata(pdev);

  if (!self->pmu.module) return; /* the probe did not get that far */
  debugfs_remove(self->debug);
  perf_pmu_unregister(&self->pmu);
  pr_info("selftest removed\n");
}

static const struct acpi_device_id selftest_match[] = {{"TEST0000", 10}, {"TEST0001", 11}, {}};
MODULE_DEVICE_TABLE(acpi, selftest_match);
static const struct of_device_id selftest_of_match[] = {{.compatible = "test,selftest", .data = (void*)22}, {}};
MODULE_DEVICE_TABLE(of, selftest_of_match);

static struct platform_driver selftest_driver = {
    .driver = {.name = "selftest",
               .acpi_match_table = ACPI_PTR(selftest_match),
               .of_match_table = of_match_ptr(selftest_of_match)},
    .probe = selftest_probe,
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
    .remove_new = selftest_remove,
#else
    .remove = selftest_remove,
#endif
};
module_platform_driver(selftest_driver);

MODULE_LICENSE("Dual MIT/GPL");
