// SPDX-License-Identifier: BSD-2-Clause
/*
 * Linux driver for the PMU that bridge.yaml describes: four counters of 32 bits, an event and a filter for each, one
 * interrupt. A start for a driver of your own: what a PMU outside of CPUs needs is here, once.
 */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/platform_device.h>

#define CONTROL 0x00
#define CONTROL_RUN BIT(0)
#define ENABLE 0x04
#define STATUS 0x08 /* write one to clear */
#define INTERRUPTS 0x0c
#define SELECT(n) (0x10 + 4 * (n))
#define SELECT_EVENT GENMASK(7, 0)
#define SELECT_PORTS GENMASK(19, 16)
#define COUNTER(n) (0x20 + 4 * (n))
#define COUNTERS 4
#define HALF BIT(31) /* a counter starts here: its interrupt has half a turn to be served */

struct bridge {
	struct pmu pmu;
	void __iomem *base;
	struct hlist_node node;
	unsigned int cpu;
	int irq;
	struct perf_event *events[COUNTERS];
};
#define to_bridge(p) container_of(p, struct bridge, pmu)

static enum cpuhp_state hotplug_state;

/* What sysfs shows. */
PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(port, "config1:0-3");
PMU_EVENT_ATTR_STRING(requests, event_requests, "event=0x1");
PMU_EVENT_ATTR_STRING(writes, event_writes, "event=0x2");
PMU_EVENT_ATTR_STRING(cycles, event_cycles, "event=0x3");

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return cpumap_print_to_pagebuf(true, buf, cpumask_of(to_bridge(dev_get_drvdata(dev))->cpu));
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *format_attrs[] = { &format_attr_event.attr, &format_attr_port.attr, NULL };
static struct attribute *event_attrs[] = { &event_requests.attr.attr, &event_writes.attr.attr, &event_cycles.attr.attr,
					   NULL };
static struct attribute *cpumask_attrs[] = { &dev_attr_cpumask.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };
static const struct attribute_group event_group = { .name = "events", .attrs = event_attrs };
static const struct attribute_group cpumask_group = { .attrs = cpumask_attrs };
static const struct attribute_group *bridge_groups[] = { &format_group, &event_group, &cpumask_group, NULL };

static void bridge_update(struct perf_event *event)
{
	struct bridge *bridge = to_bridge(event->pmu);
	u64 now, prev;

	do {
		prev = local64_read(&event->hw.prev_count);
		now = readl(bridge->base + COUNTER(event->hw.idx));
	} while (local64_cmpxchg(&event->hw.prev_count, prev, now) != prev);
	local64_add((now - prev) & U32_MAX, &event->count);
}

static void bridge_set_period(struct perf_event *event)
{
	local64_set(&event->hw.prev_count, HALF);
	writel(HALF, to_bridge(event->pmu)->base + COUNTER(event->hw.idx));
}

static void bridge_pmu_enable(struct pmu *pmu)
{
	writel(CONTROL_RUN, to_bridge(pmu)->base + CONTROL);
}

static void bridge_pmu_disable(struct pmu *pmu)
{
	writel(0, to_bridge(pmu)->base + CONTROL);
}

/* A group counts at once, so it must fit. */
static bool bridge_group_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	int counters = leader->pmu == event->pmu ? 1 : 0;

	if (event == leader)
		return true;
	if (leader->pmu != event->pmu && !is_software_event(leader))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu == event->pmu)
			counters++;
		else if (!is_software_event(sibling))
			return false;
	}
	return counters + 1 <= COUNTERS;
}

static int bridge_event_init(struct perf_event *event)
{
	struct bridge *bridge = to_bridge(event->pmu);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	if (event->attr.config < 1 || event->attr.config > 3 || !bridge_group_fits(event))
		return -EINVAL;
	event->cpu = bridge->cpu;
	return 0;
}

static void bridge_start(struct perf_event *event, int flags)
{
	struct bridge *bridge = to_bridge(event->pmu);

	event->hw.state = 0;
	bridge_set_period(event);
	writel(readl(bridge->base + ENABLE) | BIT(event->hw.idx), bridge->base + ENABLE);
}

static void bridge_stop(struct perf_event *event, int flags)
{
	struct bridge *bridge = to_bridge(event->pmu);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	writel(readl(bridge->base + ENABLE) & ~BIT(event->hw.idx), bridge->base + ENABLE);
	bridge_update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int bridge_add(struct perf_event *event, int flags)
{
	struct bridge *bridge = to_bridge(event->pmu);
	int idx;

	for (idx = 0; idx < COUNTERS && bridge->events[idx]; idx++)
		;
	if (idx == COUNTERS)
		return -EAGAIN;
	bridge->events[idx] = event;
	event->hw.idx = idx;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	writel(FIELD_PREP(SELECT_EVENT, event->attr.config) | FIELD_PREP(SELECT_PORTS, event->attr.config1 & 0xf),
	       bridge->base + SELECT(idx));
	if (flags & PERF_EF_START)
		bridge_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void bridge_del(struct perf_event *event, int flags)
{
	bridge_stop(event, PERF_EF_UPDATE);
	to_bridge(event->pmu)->events[event->hw.idx] = NULL;
	perf_event_update_userpage(event);
}

/* Counters stand meanwhile: what they counted between the reading and the new start would be lost. */
static irqreturn_t bridge_interrupt(int irq, void *data)
{
	struct bridge *bridge = data;
	unsigned long status = readl(bridge->base + STATUS);
	int idx;

	if (!status)
		return IRQ_NONE;
	bridge_pmu_disable(&bridge->pmu);
	status = readl(bridge->base + STATUS);
	writel(status, bridge->base + STATUS);
	for_each_set_bit(idx, &status, COUNTERS) {
		if (!bridge->events[idx])
			continue;
		bridge_update(bridge->events[idx]);
		bridge_set_period(bridge->events[idx]);
	}
	bridge_pmu_enable(&bridge->pmu);
	return IRQ_HANDLED;
}

static int bridge_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct bridge *bridge = hlist_entry_safe(node, struct bridge, node);

	if (bridge->cpu >= nr_cpu_ids) {
		bridge->cpu = cpu;
		WARN_ON(irq_set_affinity(bridge->irq, cpumask_of(cpu)));
	}
	return 0;
}

static int bridge_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct bridge *bridge = hlist_entry_safe(node, struct bridge, node);
	unsigned int target;

	if (cpu != bridge->cpu)
		return 0;
	target = cpumask_any_but(cpu_online_mask, cpu);
	if (target >= nr_cpu_ids)
		return 0;
	perf_pmu_migrate_context(&bridge->pmu, cpu, target);
	bridge->cpu = target;
	WARN_ON(irq_set_affinity(bridge->irq, cpumask_of(target)));
	return 0;
}

static void bridge_unregister(void *pmu)
{
	perf_pmu_unregister(pmu);
}

static void bridge_remove_instance(void *node)
{
	cpuhp_state_remove_instance_nocalls(hotplug_state, node);
}

static int bridge_probe(struct platform_device *pdev)
{
	struct bridge *bridge = devm_kzalloc(&pdev->dev, sizeof(*bridge), GFP_KERNEL);
	int ret;

	if (!bridge)
		return -ENOMEM;
	bridge->base = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(bridge->base))
		return PTR_ERR(bridge->base);
	bridge->irq = platform_get_irq(pdev, 0);
	if (bridge->irq < 0)
		return bridge->irq;

	/* Firmware may have left anything. */
	writel(0, bridge->base + CONTROL);
	writel(0, bridge->base + ENABLE);
	writel(U32_MAX, bridge->base + STATUS);
	writel(GENMASK(COUNTERS - 1, 0), bridge->base + INTERRUPTS);
	ret = devm_request_irq(&pdev->dev, bridge->irq, bridge_interrupt, IRQF_NOBALANCING | IRQF_NO_THREAD,
			       dev_name(&pdev->dev), bridge);
	if (ret)
		return ret;

	bridge->cpu = nr_cpu_ids;
	ret = cpuhp_state_add_instance(hotplug_state, &bridge->node);
	if (ret)
		return ret;
	ret = devm_add_action_or_reset(&pdev->dev, bridge_remove_instance, &bridge->node);
	if (ret)
		return ret;

	bridge->pmu = (struct pmu){
		.module = THIS_MODULE,
		.parent = &pdev->dev,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
		.attr_groups = bridge_groups,
		.event_init = bridge_event_init,
		.pmu_enable = bridge_pmu_enable,
		.pmu_disable = bridge_pmu_disable,
		.add = bridge_add,
		.del = bridge_del,
		.start = bridge_start,
		.stop = bridge_stop,
		.read = bridge_update,
	};
	ret = perf_pmu_register(&bridge->pmu, "acme_bridge0", -1);
	if (ret)
		return ret;
	return devm_add_action_or_reset(&pdev->dev, bridge_unregister, &bridge->pmu);
}

static const struct acpi_device_id bridge_ids[] = { { "ACME0042", 0 }, {} };
MODULE_DEVICE_TABLE(acpi, bridge_ids);

static struct platform_driver bridge_driver = {
	.driver = { .name = "acme_bridge_pmu", .acpi_match_table = bridge_ids, .suppress_bind_attrs = true },
	.probe = bridge_probe,
};

static int __init bridge_module_init(void)
{
	int ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/acme_bridge:online", bridge_cpu_online,
					  bridge_cpu_offline);

	if (ret < 0)
		return ret;
	hotplug_state = ret;
	ret = platform_driver_register(&bridge_driver);
	if (ret)
		cpuhp_remove_multi_state(hotplug_state);
	return ret;
}
module_init(bridge_module_init);

static void __exit bridge_module_exit(void)
{
	platform_driver_unregister(&bridge_driver);
	cpuhp_remove_multi_state(hotplug_state);
}
module_exit(bridge_module_exit);

MODULE_DESCRIPTION("PMU of the Acme bridge, an example");
MODULE_LICENSE("Dual BSD/GPL");
