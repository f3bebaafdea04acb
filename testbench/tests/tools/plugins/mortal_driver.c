// SPDX-License-Identifier: BSD-2-Clause
/* A driver that dies of a register in which all bits are set, as those are that nobody answers for. */
#include <linux/acpi.h>
#include <linux/bug.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static irqreturn_t mortal_irq(int irq, void* base) {
  if (readl((void __iomem*)base) == ~0U) panic("a handler has read nothing");
  return IRQ_HANDLED;
}

static int mortal_probe(struct platform_device* pdev) {
  void __iomem* base = devm_platform_ioremap_resource(pdev, 0);

  if (IS_ERR(base)) return PTR_ERR(base);
  if (readl(base) == ~0U) panic("a probe has read nothing");
  return devm_request_irq(&pdev->dev, platform_get_irq(pdev, 0), mortal_irq, 0, "mortal", (void __force*)base);
}

static const struct acpi_device_id mortal_match[] = {{"SCRP0002", 0}, {}};
MODULE_DEVICE_TABLE(acpi, mortal_match);

static struct platform_driver mortal_driver = {
    .driver = {.name = "mortal", .acpi_match_table = ACPI_PTR(mortal_match)},
    .probe = mortal_probe,
};
module_platform_driver(mortal_driver);
MODULE_LICENSE("GPL");
