// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/types.h>

enum irqreturn { IRQ_NONE = 0, IRQ_HANDLED = 1, IRQ_WAKE_THREAD = 2 };
typedef enum irqreturn irqreturn_t;
#define IRQ_RETVAL(handled) ((handled) ? IRQ_HANDLED : IRQ_NONE)

struct device;
typedef irqreturn_t (*irq_handler_t)(int irq, void* dev_id);

#define IRQF_TRIGGER_RISING 0x1
#define IRQF_TRIGGER_HIGH 0x4
#define IRQF_SHARED 0x80
#define IRQF_PERCPU 0x400
#define IRQF_NOBALANCING 0x800
#define IRQF_ONESHOT 0x2000
#define IRQF_NO_THREAD 0x10000
#define IRQF_NO_AUTOEN 0x80000
#define IRQF_COND_ONESHOT 0x100000

int request_irq(unsigned int irq, irq_handler_t handler, unsigned long flags, const char* name, void* dev_id);
const void* free_irq(unsigned int irq, void* dev_id);
int devm_request_irq(struct device* dev, unsigned int irq, irq_handler_t handler, unsigned long flags, const char* name,
                     void* dev_id);
/* The handler may be null. The thread runs, with interrupts on, when the interrupted call into the module has returned,
 * or at once if there is none. */
int devm_request_threaded_irq(struct device* dev, unsigned int irq, irq_handler_t handler, irq_handler_t thread,
                              unsigned long flags, const char* name, void* dev_id);
void devm_free_irq(struct device* dev, unsigned int irq, void* dev_id);
int irq_set_affinity(unsigned int irq, const struct cpumask* mask);
#define irq_set_affinity_hint(irq, mask) irq_set_affinity((irq), (mask) ? (mask) : cpu_online_mask)
#define irq_set_affinity_and_hint(irq, mask) irq_set_affinity((irq), (mask))
#define irq_force_affinity(irq, mask) irq_set_affinity((irq), (mask))
void disable_irq(unsigned int irq);
#define disable_irq_nosync(irq) disable_irq(irq)
void enable_irq(unsigned int irq);
void synchronize_irq(unsigned int irq);
