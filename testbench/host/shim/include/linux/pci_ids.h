// SPDX-License-Identifier: BSD-2-Clause
#pragma once
/* The kernel's own list, if it was fetched; a list of numbers that drivers cannot do without. */
#if __has_include_next(<linux/pci_ids.h>)
#include_next <linux/pci_ids.h>
#endif
#ifndef PCI_VENDOR_ID_HUAWEI
#define PCI_VENDOR_ID_HUAWEI 0x19e5
#endif
#ifndef PCI_CLASS_MEMORY_CXL
#define PCI_CLASS_MEMORY_CXL 0x0502
#endif
#ifndef PCI_CLASS_BRIDGE_PCI
#define PCI_CLASS_BRIDGE_PCI 0x0604
#endif
#ifndef PCI_VENDOR_ID_CXL
#define PCI_VENDOR_ID_CXL 0x1e98
#endif
