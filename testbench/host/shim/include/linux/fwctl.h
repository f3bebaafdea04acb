// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_FWCTL_H
#define PMUFAB_LINUX_FWCTL_H
#endif
