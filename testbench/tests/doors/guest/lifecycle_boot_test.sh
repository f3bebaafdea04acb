#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lifecycle_boot_test.sh PMUFAB: in a stock kernel, CPUs go offline and come back while perf counts on them, and driver
# modules are unloaded and loaded again under traffic. Counts must be exact. Takes two minutes; exit code 77 without a
# guest.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One event of one PMU of each kind, on both sockets if there are two. The drivers of the CoreSight, CMEM latency and
# chip-to-chip PMUs stop their PMU while its event moves from one CPU to another, and the scoreboard sees that. Those of
# meshes and CXL do not. Their traffic comes later, when the CPU has gone or the modules are back.
events=(nvidia_ucf_pmu_0/slc_access_rd/ nvidia_ucf_pmu_1/slc_access_rd/ nvidia_cmem_latency_pmu_1/rd_req/
  nvidia_pcie_pmu_0_rc_0/rd_req/ nvidia_pcie_tgt_pmu_0_rc_0/rd_req/ nvidia_nvlink_c2c_pmu_1/in_rd_req/
  arm_cmn_0/hnf_slc_sf_cache_access/ cxl_pmu_mem0.0/m2s_req_memrd/ cxl_pmu_mem1.0/d2h_req_rdcurr/)
pmus=("${events[@]%%/*}")
# A second of the guest is 20 us, so the 500 us of this file's requests last for 25 s. Late traffic comes after 16 s.
late='start: 320 us'
traffic=(--time-scale 0.00002 --traffic scenarios/traffic/fixed.yaml
  --set "chi_traffic=[{name: mesh, $late, mix: {load: 60, store: 30, read_once: 10}, ranges: [{base: 0, size: 64 KiB, pattern: uniform}], count: 500}]"
  --set "cxl_traffic=[{name: host, device: 0, $late, mix: {read: 3, write: 1}, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], count: 5000}, {name: device, device: 1, $late, mix: {cache_rd_curr: 2, cache_rd_own: 1}, ranges: [{base: 0x80_0000_0000, size: 32 KiB}], count: 3000}]")

cat >"$work/functions" <<GUEST
. /pmufab/aperture
pmus='${pmus[*]}'
until_traffic_ends() {
  until [[ \$(devmem \$((APERTURE_BASE + 12)) 32) == 0x00000002 ]]; do sleep 0.2; done
}
# masks WHEN: the CPU of each PMU.
masks() {
  local pmu
  for pmu in \$pmus; do echo "mask \$1 \$pmu \$(cat /sys/bus/event_source/devices/\$pmu/cpumask)"; done
}
turn() { echo "\$2" >/sys/devices/system/cpu/cpu\$1/online || echo "cpu\$1 cannot be turned \$2"; }
kernel_warnings() { dmesg | grep -E 'WARNING:|BUG:|nobody cared|Call trace' | sed 's/^/kernel: /'; }
export -f until_traffic_ends masks turn
export APERTURE_BASE pmus
GUEST

# boot NAME SCRIPT OPTIONS...: boots, and runs SCRIPT.
boot() {
  local name=$1 script=$2 begin=$SECONDS
  shift 2
  "$pmufab" boot scenarios/platforms/combined.yaml "${traffic[@]}" --timeout 300 --json "$work/verdicts.json" "$@" -- \
    bash -c "$(cat "$work/functions")"$'\n'"$script" >"$work/out" 2>"$work/err" || complain "$name: the exit code is $?"
  cat "$work/out" "$work/err"
  ! grep -E '^(kernel: |cpu.* cannot be turned)' "$work/out" || complain "$name: see above"
  echo "$name: $((SECONDS - begin)) s"
}
# exact COUNT: COUNT counts are exact and not 0.
exact() {
  local found
  found=$(grep -B 4 '"check": "exact"' "$work/verdicts.json" | grep -cE '"guest": [1-9]' || true)
  ((found == $1)) || complain "$found counts, not $1, are exact and not 0"
}
mask() {
  tr -d '\r' <"$work/out" | awk -v when="$1" -v pmu="$2" '$1 == "mask" && $2 == when && $3 == pmu { print $4 }'
}

# CPUs 0 and 1 are in socket 0, 2 and 3 in socket 1. Each PMU is on the first CPU of its socket.
boot "hotplug" "
move() {
  masks before
  turn 0 0; turn 2 0
  masks offline
  sleep 1
  turn 0 1; turn 2 1
  masks online
  turn 1 0; turn 3 0
  masks back
  turn 1 1; turn 3 1
  until_traffic_ends
  turn 0 0; turn 2 0
  masks end
}
export -f move
perf stat -a -e $(IFS=,; echo "${events[*]}") bash -c move
turn 0 1; turn 2 1
kernel_warnings"
exact "${#events[@]}"
for pmu in "${pmus[@]}"; do
  read -r before offline online back end < <(for when in before offline online back end; do mask "$when" "$pmu"; done | xargs)
  echo "$pmu: CPU $before, then $offline, $online, $back, $end"
  [[ $offline != "$before" && $online == "$offline" && $back != "$offline" && $end != "$back" ]] ||
    complain "$pmu did not move from CPU to CPU"
done

# Unload first the modules that use others. Linux 7.2 and 7.3 let the modules of the CMEM latency and chip-to-chip PMUs
# be unloaded while an event is open, because their struct pmu has no .module. Such an event counts until then.
guarded=(nvidia_cspmu arm_cspmu_module arm_cmn cxl_pmu)
unguarded=(nvidia_t410_cmem_latency_pmu nvidia_t410_c2c_pmu)
modules=(ampere_cspmu "${guarded[@]}" "${unguarded[@]}")
boot "modules" "
unload() {
  local module
  for module in \${@:2}; do rmmod \"\$module\" && echo \"\$1 unloaded \$module\"; done 2>&1
}
reload() {
  unload \"\$1\" ${modules[*]}
  ls /sys/bus/event_source/devices | grep -E '^(nvidia|arm_cmn|cxl)' | sed \"s/^/\$1 is still there: /\"
  for module in ${modules[*]}; do modprobe \"\$module\"; done
  masks \"\$1\"
}
export -f unload
reload first
devmem \$((APERTURE_BASE + 12)) 32 1
reload second
perf stat -a -e $(IFS=,; echo "${events[*]}") bash -c 'unload busy ${guarded[*]}; until_traffic_ends'
reload third
perf stat -a -e nvidia_ucf_pmu_0/cycles/,nvidia_pcie_pmu_0_rc_0/cycles/,nvidia_pcie_tgt_pmu_0_rc_0/cycles/,nvidia_cmem_latency_pmu_0/cycles/,nvidia_nvlink_c2c_pmu_0/cycles/ sleep 1
kernel_warnings"
exact $((${#events[@]} + 5))
for when in first second third; do
  for module in "${modules[@]}"; do
    grep -q "^$when unloaded $module" "$work/out" || complain "$module was not unloaded"
  done
  for pmu in "${pmus[@]}"; do
    [[ -n $(mask "$when" "$pmu") ]] || complain "$pmu is not there when its module is loaded again"
  done
done
! grep 'is still there' "$work/out" || complain "PMUs without drivers"
refused=$(grep -cE "^rmmod: .*temporarily unavailable" "$work/out" || true)
((refused == ${#guarded[@]})) || complain "$refused of ${#guarded[@]} modules are refused while perf counts"

((failed == 0)) && echo "CPUs and modules come and go, and all counts are exact."
exit "$failed"
