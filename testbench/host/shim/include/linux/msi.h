// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_MSI_H
#define PMUFAB_LINUX_MSI_H
#include <linux/device.h>
#include <linux/types.h>
/* Message interrupts of platform devices, whose driver writes the message into the device's registers. */
struct msi_msg {
  u32 address_lo, address_hi, data;
};
struct msi_desc {
  struct device* dev;
  unsigned int irq;
  struct msi_msg msg;
};
#define msi_desc_to_dev(desc) ((desc)->dev)
typedef void (*irq_write_msi_msg_t)(struct msi_desc* desc, struct msi_msg* msg);
int platform_device_msi_init_and_alloc_irqs(struct device* dev, unsigned int count, irq_write_msi_msg_t write);
void platform_device_msi_free_irqs_all(struct device* dev);
unsigned int msi_get_virq(struct device* dev, unsigned int index); /* 0: there is none */
#endif
