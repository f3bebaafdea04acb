// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_PCI_DOE_H
#define PMUFAB_LINUX_PCI_DOE_H
#include <linux/types.h>
struct pci_dev;
struct pci_doe_mb;
int pci_doe(struct pci_doe_mb* mailbox, u16 vendor, u8 type, const void* request, size_t request_size, void* response,
            size_t response_size);
struct pci_doe_mb* pci_find_doe_mailbox(struct pci_dev* dev, u16 vendor, u8 type);
#endif
