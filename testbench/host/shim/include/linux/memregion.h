// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_MEMREGION_H
#define PMUFAB_LINUX_MEMREGION_H
#endif
