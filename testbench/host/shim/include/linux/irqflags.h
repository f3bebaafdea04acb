// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* Interrupts are off while the depth is above zero; leaving depth one delivers what is pending. */
void pmufab_irq_off(void);
void pmufab_irq_on(void);
int pmufab_irqs_are_off(void);
/* The driver's own. Flags are the depth before. Disabling again changes nothing. Enabling turns interrupts on whatever the
 * caller had done: if that had turned them off, a rule is broken. */
unsigned long pmufab_irq_save(void);
void pmufab_irq_restore(unsigned long flags);
void pmufab_irq_disable(void);
void pmufab_irq_enable(void);
void pmufab_preempt_disable(void);
void pmufab_preempt_enable(void);
/* In a place where nobody may sleep, a rule is broken. */
void pmufab_might_sleep(const char* what);

#define local_irq_save(flags) ((flags) = pmufab_irq_save())
#define local_irq_restore(flags) pmufab_irq_restore(flags)
#define local_irq_disable() pmufab_irq_disable()
#define local_irq_enable() pmufab_irq_enable()
#define irqs_disabled() pmufab_irqs_are_off()
#define preempt_disable() pmufab_preempt_disable()
#define preempt_enable() pmufab_preempt_enable()
#define might_sleep() pmufab_might_sleep("might_sleep()")
