// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_ARM_CCI_H
#define PMUFAB_LINUX_ARM_CCI_H
/* The PMU's driver includes it for nothing: the interconnect is not controlled. */
#endif
