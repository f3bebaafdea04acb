// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_ACPI_IORT_H
#define PMUFAB_LINUX_ACPI_IORT_H
#include <linux/acpi.h>
/* There is no IORT table. Models of the performance monitors of an SMMU, in a device's platform data. */
#define IORT_SMMU_V3_PMCG_GENERIC 0
#define IORT_SMMU_V3_PMCG_HISI_HIP08 1
#define IORT_SMMU_V3_PMCG_HISI_HIP09 2
#endif
