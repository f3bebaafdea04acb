// SPDX-License-Identifier: BSD-2-Clause
/* Message-signalled interrupts: interrupt numbers, and the settings that make a PCI function or a platform device send
 * them. */
#include <linux/pci.h>
#include <linux/platform_device.h>

#include "runtime.h"

static u64 doorbell;
static unsigned int first_number, number_count;
static unsigned long* taken; /* numbers in use, from first_number on */

void pmufab_msi_init(u64 address, u32 first, u32 count) {
  doorbell = address;
  first_number = first;
  number_count = count;
  taken = bitmap_zalloc(max(count, 1U), GFP_KERNEL);
}

void pmufab_msi_exit(void) {
  bitmap_free(taken);
  taken = NULL;
}

/* The first of `count` consecutive free numbers, aligned as plain MSI requires; 0: there are none. */
static unsigned int take_numbers(unsigned int count, unsigned int alignment) {
  for (unsigned int first = ALIGN(first_number, alignment); first + count <= first_number + number_count;
       first += alignment) {
    const unsigned int at = first - first_number;
    if (find_next_bit(taken, at + count, at) < at + count) continue;
    bitmap_set(taken, at, count);
    for (unsigned int i = 0; i < count; i++) pmufab_irq_known(first + i);
    return first;
  }
  return 0;
}

static void update_config(struct pci_dev* dev, int where, u16 clear, u16 set) {
  u16 value;
  pci_read_config_word(dev, where, &value);
  pci_write_config_word(dev, where, (value & (u16)~clear) | set);
}

static void switch_msix(void* data, unsigned int number, bool on) {
  struct pci_dev* dev = data;
  writel(on ? 0 : PCI_MSIX_ENTRY_CTRL_MASKBIT,
         dev->msix_table + (number - dev->vector_base) * PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL);
}

static void switch_msi(void* data, unsigned int number, bool on) {
  struct pci_dev* dev = data;
  u16 flags;
  u32 mask;
  pci_read_config_word(dev, dev->msi_cap + PCI_MSI_FLAGS, &flags);
  if (!(flags & PCI_MSI_FLAGS_MASKBIT)) return;
  const int where = dev->msi_cap + (flags & PCI_MSI_FLAGS_64BIT ? PCI_MSI_MASK_64 : PCI_MSI_MASK_32);
  const u32 bit = 1U << (number - dev->vector_base);
  pci_read_config_dword(dev, where, &mask);
  pci_write_config_dword(dev, where, on ? mask & ~bit : mask | bit);
}

static void set_switch(struct pci_dev* dev, void (*set)(void* data, unsigned int number, bool on)) {
  for (unsigned int i = 0; i < dev->vector_count; i++) pmufab_irq_switch(dev->vector_base + i, set, dev);
}

static int enable_msix(struct pci_dev* dev, unsigned int least, unsigned int most) {
  u16 flags;
  u32 table;
  if (!dev->msix_cap) return -EINVAL;
  pci_read_config_word(dev, dev->msix_cap + PCI_MSIX_FLAGS, &flags);
  pci_read_config_dword(dev, dev->msix_cap + PCI_MSIX_TABLE, &table);
  const unsigned int entries = (flags & PCI_MSIX_FLAGS_QSIZE) + 1U;
  const unsigned int count = min(entries, most);
  const unsigned int bar = table & PCI_MSIX_TABLE_BIR;
  if (count < least) return -ENOSPC;
  if (bar >= PCI_STD_NUM_BARS || !pci_resource_flags(dev, bar) || pci_resource_flags(dev, bar) & IORESOURCE_UNSET)
    return -ENOMEM;
  const unsigned int base = take_numbers(count, 1);
  if (!base) return -ENOSPC;
  dev->vector_base = base;
  dev->vector_count = count;
  /* Enabled with everything masked, because some functions keep their table only while enabled. */
  update_config(dev, dev->msix_cap + PCI_MSIX_FLAGS, 0, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
  dev->msix_table =
      ioremap(pci_resource_start(dev, bar) + (table & PCI_MSIX_TABLE_OFFSET), entries * PCI_MSIX_ENTRY_SIZE);
  for (unsigned int i = 0; i < entries; i++) {
    void __iomem* entry = dev->msix_table + i * PCI_MSIX_ENTRY_SIZE;
    writel(PCI_MSIX_ENTRY_CTRL_MASKBIT, entry + PCI_MSIX_ENTRY_VECTOR_CTRL);
    if (i >= count) continue;
    writel(lower_32_bits(doorbell), entry + PCI_MSIX_ENTRY_LOWER_ADDR);
    writel(upper_32_bits(doorbell), entry + PCI_MSIX_ENTRY_UPPER_ADDR);
    writel(base + i, entry + PCI_MSIX_ENTRY_DATA);
  }
  set_switch(dev, switch_msix);
  update_config(dev, PCI_COMMAND, 0, PCI_COMMAND_INTX_DISABLE);
  update_config(dev, dev->msix_cap + PCI_MSIX_FLAGS, PCI_MSIX_FLAGS_MASKALL, 0);
  return (int)count;
}

static int enable_msi(struct pci_dev* dev, unsigned int least, unsigned int most) {
  u16 flags;
  if (!dev->msi_cap) return -EINVAL;
  pci_read_config_word(dev, dev->msi_cap + PCI_MSI_FLAGS, &flags);
  const unsigned int offered = 1U << ((flags & PCI_MSI_FLAGS_QMASK) >> 1);
  const unsigned int count = min(offered, most);
  const bool wide = flags & PCI_MSI_FLAGS_64BIT;
  if (count < least || (!wide && upper_32_bits(doorbell))) return -ENOSPC;
  /* The function replaces the low bits of the data with the number of the message. */
  const unsigned int order = order_base_2(count);
  const unsigned int base = take_numbers(count, 1U << order);
  if (!base) return -ENOSPC;
  dev->vector_base = base;
  dev->vector_count = count;
  if (flags & PCI_MSI_FLAGS_MASKBIT)
    pci_write_config_dword(dev, dev->msi_cap + (wide ? PCI_MSI_MASK_64 : PCI_MSI_MASK_32),
                           offered >= 32 ? ~0U : (1U << offered) - 1);
  pci_write_config_dword(dev, dev->msi_cap + PCI_MSI_ADDRESS_LO, lower_32_bits(doorbell));
  if (wide) pci_write_config_dword(dev, dev->msi_cap + PCI_MSI_ADDRESS_HI, upper_32_bits(doorbell));
  pci_write_config_word(dev, dev->msi_cap + (wide ? PCI_MSI_DATA_64 : PCI_MSI_DATA_32), (u16)base);
  set_switch(dev, switch_msi);
  update_config(dev, PCI_COMMAND, 0, PCI_COMMAND_INTX_DISABLE);
  update_config(dev, dev->msi_cap + PCI_MSI_FLAGS, PCI_MSI_FLAGS_QSIZE, (u16)(order << 4) | PCI_MSI_FLAGS_ENABLE);
  return (int)count;
}

static void free_vectors(void* dev) { pci_free_irq_vectors(dev); }

int pci_alloc_irq_vectors(struct pci_dev* dev, unsigned int least, unsigned int most, unsigned int flags) {
  if (PMUFAB_CALL_FAILS()) return -ENOSPC;
  int count = -ENOSPC;
  if (WARN(dev->vector_count, "vectors are allocated twice\n")) return -EINVAL;
  if (flags & PCI_IRQ_MSIX) count = enable_msix(dev, least, most);
  if (count < 0 && flags & PCI_IRQ_MSI) count = enable_msi(dev, least, most);
  if (count > 0 && dev->managed && devm_add_action_or_reset(&dev->dev, free_vectors, dev)) return -ENOMEM;
  return count;
}

void pci_free_irq_vectors(struct pci_dev* dev) {
  if (dev->vector_count == 0) return;
  set_switch(dev, NULL);
  if (dev->msix_table) {
    update_config(dev, dev->msix_cap + PCI_MSIX_FLAGS, PCI_MSIX_FLAGS_ENABLE, 0);
    iounmap(dev->msix_table);
    dev->msix_table = NULL;
  } else {
    update_config(dev, dev->msi_cap + PCI_MSI_FLAGS, PCI_MSI_FLAGS_ENABLE, 0);
  }
  bitmap_clear(taken, dev->vector_base - first_number, dev->vector_count);
  dev->vector_count = 0;
}

int pci_irq_vector(struct pci_dev* dev, unsigned int vector) {
  return vector < dev->vector_count ? (int)(dev->vector_base + vector) : -EINVAL;
}

/* The vectors of a platform device. */
struct platform_vectors {
  unsigned int count;
  bool freed; /* by the driver */
  const void* place;
  struct msi_desc descriptions[];
};

static void release_vectors(struct device* dev, void* resource) {
  const struct platform_vectors* vectors = resource;
  if (!vectors->freed)
    pmufab_rule(vectors->place,
                "message interrupts of %s are not freed: platform_device_msi_free_irqs_all() is missing",
                dev_name(dev));
  if (vectors->count) bitmap_clear(taken, vectors->descriptions[0].irq - first_number, vectors->count);
}

int platform_device_msi_init_and_alloc_irqs(struct device* dev, unsigned int count, irq_write_msi_msg_t write) {
  if (PMUFAB_CALL_FAILS()) return -ENOSPC;
  const unsigned int base = count ? take_numbers(count, 1) : 0;
  if (!base) return -ENOSPC;
  struct platform_vectors* vectors =
      devres_alloc(release_vectors, struct_size(vectors, descriptions, count), GFP_KERNEL);
  if (!vectors) {
    bitmap_clear(taken, base - first_number, count);
    return -ENOMEM;
  }
  vectors->count = count;
  vectors->place = PLACE;
  devres_add(dev, vectors);
  for (unsigned int i = 0; i < count; i++) {
    vectors->descriptions[i] = (struct msi_desc){
        .dev = dev, .irq = base + i, .msg = {lower_32_bits(doorbell), upper_32_bits(doorbell), base + i}};
    PMUFAB_CALL(write(&vectors->descriptions[i], &vectors->descriptions[i].msg));
  }
  return 0;
}

void platform_device_msi_free_irqs_all(struct device* dev) {
  struct platform_vectors* const vectors = devres_find(dev, release_vectors, NULL, NULL);
  if (!vectors) return;
  vectors->freed = true;
  devres_release(dev, release_vectors, NULL, NULL);
}

unsigned int msi_get_virq(struct device* dev, unsigned int index) {
  const struct platform_vectors* vectors = devres_find(dev, release_vectors, NULL, NULL);
  return vectors && index < vectors->count ? vectors->descriptions[index].irq : 0;
}
