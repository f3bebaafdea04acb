#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# rows_boot_test.sh PMUFAB: perf in a stock kernel prints rows that are sums over PMUs, of several commands, to files and
# under names of the user's; each count is judged. Takes a minute; exit code 77 without a guest.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# boot SCRIPT OPTIONS...: boots, and runs SCRIPT.
boot() {
  local script=$1
  shift
  "$pmufab" boot --json "$work/verdicts.json" "$@" -- sh -c "$script" >"$work/out" 2>"$work/err" ||
    complain "the exit code is $?"
  cat "$work/out" "$work/err"
}
# has COUNT CHECK: so many counts have this check.
has() {
  local found
  found=$(grep -c "\"check\": \"$2\"" "$work/verdicts.json" || true)
  ((found == $1)) || complain "$found counts are $2, not $1"
}

# A bare name stands for PMUs of nine kinds, and for an event of the CPUs, which nobody judges. Then one of them alone.
boot 'perf stat -a -e cycles sleep 0.2; perf stat -a -e nvidia_ucf_pmu_0/cycles/ sleep 0.2'
has 0 wrong
has 0 unchecked
grep -q 'nvidia_ucf_pmu_0/cycles/' "$work/err" || complain "the second command's event is not judged"

boot 'perf stat -a -e "nvidia_ucf_pmu_*/slc_access_rd/" -e nvidia_ucf_pmu/slc_access_rd/ -e slc_access_rd \
    -e nvidia_ucf_pmu/slc_access_rd,name=mine/ sleep 1
  perf stat -o /tmp/counts -a -e nvidia_ucf_pmu_0/slc_access_rd,name=filed/ sleep 0.2
  perf stat -A -a -e nvidia_ucf_pmu/slc_access_rd/ sleep 0.2
  perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/u,nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.2
  perf stat -a -e "{nvidia_ucf_pmu_0/slc_access_rd/G,nvidia_ucf_pmu_0/slc_access_wr/}",nvidia_ucf_pmu_0/slc_access_rd/ukh sleep 0.2' \
  --traffic scenarios/traffic/fixed.yaml
has 9 exact
has 3 refused
has 0 wrong
grep -qE '^ +[1-9][0-9,]+ .*nvidia_ucf_pmu_\*/slc_access_rd/$' "$work/err" || complain "the sum is 0"

boot 'perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 0.1'
grep -q 'every count is 0' "$work/err" || complain "nobody says that every count is 0"
((failed == 0)) && echo "Rows of perf are judged by command."
exit "$failed"
