// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_IRQRETURN_H
#define PMUFAB_LINUX_IRQRETURN_H
enum irqreturn { IRQ_NONE = 0, IRQ_HANDLED = 1, IRQ_WAKE_THREAD = 2 };
typedef enum irqreturn irqreturn_t;
#define IRQ_RETVAL(handled) ((handled) ? IRQ_HANDLED : IRQ_NONE)
#endif
