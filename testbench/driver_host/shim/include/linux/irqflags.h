// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_IRQFLAGS_H
#define PMUFAB_LINUX_IRQFLAGS_H

/* Interrupts are off while the depth is above zero; leaving depth one delivers what is pending. */
void pmufab_irq_off(void);
void pmufab_irq_on(void);
int pmufab_irqs_are_off(void);

#define local_irq_save(flags) \
  do {                        \
    (flags) = 0;              \
    (void)(flags);            \
    pmufab_irq_off();         \
  } while (0)
#define local_irq_restore(flags) \
  do {                           \
    (void)(flags);               \
    pmufab_irq_on();             \
  } while (0)
#define local_irq_disable() pmufab_irq_off()
#define local_irq_enable() pmufab_irq_on()
#define irqs_disabled() pmufab_irqs_are_off()
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)

#endif
