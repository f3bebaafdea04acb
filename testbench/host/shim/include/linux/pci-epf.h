// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_PCI_EPF_H
#define PMUFAB_LINUX_PCI_EPF_H
/* Of endpoint functions, only the numbers of BARs. */
enum pci_barno { NO_BAR = -1, BAR_0, BAR_1, BAR_2, BAR_3, BAR_4, BAR_5 };
#endif
