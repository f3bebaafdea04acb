#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: cxl_mistakes_test.sh PMUFAB LINUX_SOURCES WORK
# Random cases of CXL devices find mistakes that are put into cxl_pmu.c, each within a few hundred cases, and pass without
# them.
source "$(dirname "$0")/../../../../tests/campaigns/verify/mistakes.sh"
driver cxl cxl_pmu.c 32 400
mistake fixed-counters '/static int cxl_pmu_parse_caps/,/^}/ s/CXL_PMU_EVENT_CAP_REG(group_idx)/CXL_PMU_EVENT_CAP_REG(i)/'
mistake several-overflows 's/^\t\t__cxl_pmu_read(event, true);/&\n\t\tbreak;/'
mistake shared-interrupt 's/IRQF_SHARED | IRQF_NO_THREAD/IRQF_NO_THREAD/'
mistake filter-stays 's/^\t\twritel(cfg, base + CXL_PMU_FILTER_CFG_REG(hwc->idx, 0));/\t\tif ((u32)~cfg)\n&/'
mistake new-cpu '/static int cxl_pmu_offline_cpu/,/^}/ s/cpumask_any_but(cpu_online_mask, cpu)/cpumask_any_but(cpu_possible_mask, cpu)/'
echo "all mistakes are found"
