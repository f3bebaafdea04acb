#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: cmn_mistakes_test.sh PMUFAB LINUX_SOURCES WORK
# Random cases of meshes find mistakes that are put into arm-cmn.c, each within a few dozen cases, and pass without them.
set -euo pipefail
pmufab=$1 sources=$2 work=$3
driver=$(find "$sources" -path '*/drivers/perf/arm-cmn.c' | sort -V | tail -n 1)
[[ -n $driver ]] || { echo "no Linux sources in $sources"; exit 1; }
rm -rf "$work"
mkdir -p "$work"

# verify NAME CASES: exit code of a campaign with the driver in WORK/NAME
verify() {
  local code=0
  (cd "$work/$1" && "$pmufab" driver build arm-cmn.c > build.txt 2>&1) || { cat "$work/$1/build.txt"; exit 1; }
  "$pmufab" verify --fabric cmn --driver "$work/$1/arm-cmn.so" --runs "$2" --failures 1 --no-shrink --out "$work/$1/out" \
    > "$work/$1/verify.txt" 2>&1 || code=$?
  return "$code"
}

mkdir "$work/none"
cp "$driver" "$work/none/"
verify none 16 || { echo "the kernel's own driver fails:"; cat "$work/none/verify.txt"; exit 1; }

# mistake NAME SCRIPT: put it in by sed, and expect a failure
mistake() {
  mkdir "$work/$1"
  sed "$2" "$driver" > "$work/$1/arm-cmn.c"
  ! cmp -s "$driver" "$work/$1/arm-cmn.c" || { echo "$1: the script changes nothing"; exit 1; }
  local code=0
  verify "$1" 64 || code=$?
  [[ $code == 1 ]] || { echo "$1: not found (exit code $code)"; tail -n 5 "$work/$1/verify.txt"; exit 1; }
}
mistake domains '/static unsigned int arm_cmn_dtc_domain/,/^}/ s/CMN650_DTM_UNIT_INFO/CMN_DTM_UNIT_INFO/'
mistake ports 's/nid.port %= 2/nid.port %= 4/'
mistake shared-interrupts 's/irq_friend = i - j;/irq_friend = 0;/'
mistake filters '/static void arm_cmn_event_clear/,/^}/ s/filter\[hw->filter_sel\].count--/filter[hw->filter_sel].count -= 0/'
echo "all mistakes are found"
