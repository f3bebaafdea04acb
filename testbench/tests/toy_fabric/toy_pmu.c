// SPDX-License-Identifier: BSD-2-Clause
/* The driver of the toy's PMU, "toy_belt": one event, one counter of 32 bits that cannot overflow unseen. */
#include <linux/acpi.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/version.h>

#define TOY_CONTROL 0x0
#define TOY_COUNT 0x4
#define TOY_PACKETS 1

struct toy {
  struct pmu pmu;
  void __iomem* base;
  struct perf_event* event; /* the event that has the counter */
};
#define to_toy(p) container_of(p, struct toy, pmu)

static void toy_enable(struct pmu* pmu) {
  struct toy* toy = to_toy(pmu);

  if (toy->event) writel(1, toy->base + TOY_CONTROL);
}

static void toy_disable(struct pmu* pmu) { writel(0, to_toy(pmu)->base + TOY_CONTROL); }

static int toy_event_init(struct perf_event* event) {
  if (event->attr.type != event->pmu->type) return -ENOENT;
  if (is_sampling_event(event) || event->cpu < 0) return -EOPNOTSUPP;
  if (event->attr.config != TOY_PACKETS) return -EINVAL;
  event->cpu = 0;
  return 0;
}

static void toy_read(struct perf_event* event) {
  u32 now = readl(to_toy(event->pmu)->base + TOY_COUNT);
  u32 before = (u32)local64_xchg(&event->hw.prev_count, now);

  local64_add(now - before, &event->count);
}

static void toy_start(struct perf_event* event, int flags) {
  local64_set(&event->hw.prev_count, readl(to_toy(event->pmu)->base + TOY_COUNT));
  event->hw.state = 0;
}

static void toy_stop(struct perf_event* event, int flags) {
  if (event->hw.state & PERF_HES_STOPPED) return;
  toy_read(event);
  event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int toy_add(struct perf_event* event, int flags) {
  struct toy* toy = to_toy(event->pmu);

  if (toy->event) return -EAGAIN;
  toy->event = event;
  event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
  if (flags & PERF_EF_START) toy_start(event, PERF_EF_RELOAD);
  return 0;
}

static void toy_del(struct perf_event* event, int flags) {
  toy_stop(event, PERF_EF_UPDATE);
  to_toy(event->pmu)->event = NULL;
}

static ssize_t cpumask_show(struct device* dev, struct device_attribute* attr, char* page) {
  return cpumap_print_to_pagebuf(true, page, cpumask_of(0));
}
static DEVICE_ATTR_RO(cpumask);
static struct attribute* toy_cpumask[] = {&dev_attr_cpumask.attr, NULL};
static const struct attribute_group toy_cpumask_group = {.attrs = toy_cpumask};

PMU_FORMAT_ATTR(event, "config:0-7");
static struct attribute* toy_formats[] = {&format_attr_event.attr, NULL};
static const struct attribute_group toy_format_group = {.name = "format", .attrs = toy_formats};

PMU_EVENT_ATTR_STRING(packets, toy_packets, "event=0x1");
static struct attribute* toy_events[] = {&toy_packets.attr.attr, NULL};
static const struct attribute_group toy_event_group = {.name = "events", .attrs = toy_events};

static const struct attribute_group* toy_groups[] = {&toy_cpumask_group, &toy_format_group, &toy_event_group, NULL};

static int toy_probe(struct platform_device* pdev) {
  struct toy* toy = devm_kzalloc(&pdev->dev, sizeof(*toy), GFP_KERNEL);

  if (!toy) return -ENOMEM;
  platform_set_drvdata(pdev, toy);
  toy->base = devm_platform_ioremap_resource(pdev, 0);
  if (IS_ERR(toy->base)) return PTR_ERR(toy->base);
  toy->pmu = (struct pmu){.module = THIS_MODULE,
                          .parent = &pdev->dev,
                          .task_ctx_nr = perf_invalid_context,
                          .capabilities = PERF_PMU_CAP_NO_EXCLUDE,
                          .attr_groups = toy_groups,
                          .pmu_enable = toy_enable,
                          .pmu_disable = toy_disable,
                          .event_init = toy_event_init,
                          .add = toy_add,
                          .del = toy_del,
                          .start = toy_start,
                          .stop = toy_stop,
                          .read = toy_read};
  return perf_pmu_register(&toy->pmu, "toy_belt", -1);
}

static void toy_remove(struct platform_device* pdev) {
  struct toy* toy = platform_get_drvdata(pdev);

  perf_pmu_unregister(&toy->pmu);
}

static const struct acpi_device_id toy_match[] = {{"TOYB0001", 0}, {}};
MODULE_DEVICE_TABLE(acpi, toy_match);

static struct platform_driver toy_driver = {
    .driver = {.name = "toy_pmu", .acpi_match_table = ACPI_PTR(toy_match)},
    .probe = toy_probe,
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
    .remove_new = toy_remove,
#else
    .remove = toy_remove,
#endif
};
module_platform_driver(toy_driver);

MODULE_LICENSE("Dual BSD/GPL");
