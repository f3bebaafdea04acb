#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# deterministic_boot_test.sh PMUFAB [BOOTS]: with --clock instructions, the verdicts and the command's output are the
# same to the byte in each of BOOTS (2) boots, however busy the machine is. This includes clock cycles, and overflow
# interrupts by lines and by MSI-X messages. Exit code 77 without a guest.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1 boots=${2:-2}
work=$(mktemp -d)
busy=()
finish() {
  if ((${#busy[@]} > 0)); then kill "${busy[@]}" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

cat >"$work/cxl.yaml" <<'YAML'
kind: cxl
name: cxl-overflow
cxl:
  - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
    cpmus:
      - {groups: [{group: clock_ticks}], counters: 2, width: 16}
      - {groups: [{group: m2s_req}], counters: 2, width: 16}
YAML
events=(nvidia_ucf_pmu_{0,1}/cycles/ nvidia_ucf_pmu_0/slc_access_rd/ nvidia_cmem_latency_pmu_0/{cycles,rd_req}/
  arm_cmn_0/{dtc_cycles,hnf_slc_sf_cache_access}/ cxl_pmu_mem0.0/m2s_req_memrd/)

# boot_combined: 30 bits, so that the cycle counters overflow twice a second. The program under perf starts the traffic.
# boot_cxl: each perf stat sees one overflow of either PMU. The time at which perf reports enabling is the guest's.
# Arguments are further options.
boot_combined() {
  # shellcheck disable=SC2016
  "$pmufab" boot scenarios/platforms/combined.yaml "$@" \
    --set platform.tegra410.ucf_pmu.width=30 --traffic scenarios/traffic/fixed.yaml \
    --set 'chi_traffic=[{name: mesh, mix: {load: 60, store: 30, read_once: 10}, ranges: [{base: 0, size: 64 KiB, pattern: uniform}], outstanding: 4, count: 500}]' \
    --set 'cxl_traffic=[{name: host, device: 0, mix: {read: 3, write: 1}, ranges: [{base: 0x100_0000_0000, size: 1 MiB, pattern: {kind: uniform}}], count: 5000}]' \
    -- perf stat -a -e "$(IFS=,; echo "${events[*]}")" bash -c \
    '. /pmufab/aperture; devmem $((APERTURE_BASE + 12)) 32 1; sleep 0.3'
}
boot_cxl() {
  # shellcheck disable=SC2016
  "$pmufab" boot "$work/cxl.yaml" "$@" --time-scale 0.001 \
    --set 'cxl_traffic=[{name: host, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], pacing: {kind: fixed, requests_per_us: 250, catch_up: false}}]' \
    -- bash -c '. /pmufab/aperture; devmem $((APERTURE_BASE + 12)) 32 1
      for turn in 1 2 3 4; do
        perf stat -x, -a -e cxl_pmu_mem0.0/clock_ticks/,cxl_pmu_mem0.1/m2s_req_memrd/ sleep 0.4 2>&1
      done
      grep cxl_pmu /proc/interrupts'
}

# boot WHAT NUMBER: boots WHAT; the files of its results are named NUMBER.
boot() {
  "boot_$1" --clock instructions --json "$work/$2.json" >"$work/$2.out" 2>"$work/$2.err" ||
    { echo "FAILED: boot $2 of $1 exited with $?"; cat "$work/$2.out" "$work/$2.err"; exit 1; }
}

# same WHAT COUNTS: boots again and again, and compares. In the first boot COUNTS counts are right and not 0.
same() {
  local what=$1 wanted=$2 checked nonzero i kind
  boot "$what" 1
  cat "$work/1.out" "$work/1.err"
  checked=$(grep -cE '"check": "(exact|within)"' "$work/1.json" || true)
  nonzero=$(grep -cE '"guest": [1-9]' "$work/1.json" || true)
  ((checked == wanted && nonzero == wanted)) ||
    { echo "FAILED: of $wanted counts $checked are right and $nonzero not 0"; exit 1; }
  grep -qE '"interrupts": [1-9]' "$work/1.json" || { echo "FAILED: there were no overflows"; exit 1; }
  for ((i = 2; i <= boots; ++i)); do
    # All boots but the first share the machine with other work, which comes and goes.
    bash -c 'while :; do for ((i = 0; i < 10000; ++i)); do :; done; sleep 0.1; done' &
    busy+=($!)
    boot "$what" "$i"
    kill "${busy[@]}" && busy=()
    for kind in json out; do
      cmp "$work/1.$kind" "$work/$i.$kind" ||
        { diff "$work/1.json" "$work/$i.json"; echo "FAILED: boot $i of $what differs"; exit 1; }
    done
  done
}
same combined "${#events[@]}"
same cxl 8
echo "$boots boots of either platform counted the same."
