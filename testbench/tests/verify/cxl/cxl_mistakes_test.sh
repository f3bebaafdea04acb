#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: cxl_mistakes_test.sh PMUFAB LINUX_SOURCES WORK
# Random cases of CXL devices find mistakes that are put into cxl_pmu.c, each within a few hundred cases, and pass without
# them.
set -euo pipefail
pmufab=$1 sources=$2 work=$3
driver=$(find "$sources" -path '*/drivers/perf/cxl_pmu.c' | sort -V | tail -n 1)
[[ -n $driver ]] || { echo "no Linux sources in $sources"; exit 1; }
rm -rf "$work"
mkdir -p "$work"

# verify NAME CASES: exit code of a campaign with the driver in WORK/NAME
verify() {
  local code=0
  (cd "$work/$1" && "$pmufab" driver build cxl_pmu.c > build.txt 2>&1) || { cat "$work/$1/build.txt"; exit 1; }
  "$pmufab" verify --fabric cxl --driver "$work/$1/cxl_pmu.so" --runs "$2" --failures 1 --no-shrink --out "$work/$1/out" \
    > "$work/$1/verify.txt" 2>&1 || code=$?
  return "$code"
}

mkdir "$work/none"
cp "$driver" "$work/none/"
verify none 32 || { echo "the kernel's own driver fails:"; cat "$work/none/verify.txt"; exit 1; }

# mistake NAME SCRIPT: put it in by sed, and expect a failure
mistake() {
  mkdir "$work/$1"
  sed "$2" "$driver" > "$work/$1/cxl_pmu.c"
  ! cmp -s "$driver" "$work/$1/cxl_pmu.c" || { echo "$1: the script changes nothing"; exit 1; }
  local code=0
  verify "$1" 400 || code=$?
  [[ $code == 1 ]] || { echo "$1: not found (exit code $code)"; tail -n 5 "$work/$1/verify.txt"; exit 1; }
}
mistake fixed-counters '/static int cxl_pmu_parse_caps/,/^}/ s/CXL_PMU_EVENT_CAP_REG(group_idx)/CXL_PMU_EVENT_CAP_REG(i)/'
mistake several-overflows 's/^\t\t__cxl_pmu_read(event, true);/&\n\t\tbreak;/'
mistake shared-interrupt 's/IRQF_SHARED | IRQF_NO_THREAD/IRQF_NO_THREAD/'
mistake filter-stays 's/^\t\twritel(cfg, base + CXL_PMU_FILTER_CFG_REG(hwc->idx, 0));/\t\tif ((u32)~cfg)\n&/'
mistake new-cpu '/static int cxl_pmu_offline_cpu/,/^}/ s/cpumask_any_but(cpu_online_mask, cpu)/cpumask_any_but(cpu_possible_mask, cpu)/'
echo "all mistakes are found"
