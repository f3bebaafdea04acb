#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# overflow_boot_test.sh PMUFAB: counters overflow at least a hundred times, and the handlers of a stock kernel take the
# interrupts. Counts must be exact, and the kernel must have handled each raised interrupt once. Takes five minutes;
# exit code 77 without a guest.
#
# CMEM latency and chip-to-chip PMUs have no interrupt, and counters of 64 bits.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# For the guest: the end of counting must not depend on its speed.
cat >"$work/functions" <<'GUEST'
. /pmufab/aperture
# handled PMU: the number of interrupts in the kernel's table, under the name of the PMU's device or of the PMU.
handled() {
  local device sum=0 word words
  device=$(readlink -f "/sys/bus/event_source/devices/$1")
  device=${device%/*}
  while read -r -a words; do
    [[ ${words[-1]} == "${device##*/}" || ${words[-1]} == "$1_overflow" ]] || continue
    for word in "${words[@]:1}"; do
      [[ $word =~ ^[0-9]+$ ]] || break
      ((sum += word))
    done
  done </proc/interrupts
  echo "$sum"
}
# until_handled COUNT PMU...: waits until each had COUNT interrupts.
until_handled() {
  local pmu
  for pmu in "${@:2}"; do
    until (($(handled "$pmu") >= $1)); do sleep 0.05; done
  done
}
until_traffic_ends() {
  until [[ $(devmem $((APERTURE_BASE + 12)) 32) == 0x00000002 ]]; do sleep 0.2; done
}
export -f handled until_handled until_traffic_ends
export APERTURE_BASE
tell() {
  local pmu
  for pmu; do echo "handled $pmu $(handled "$pmu")"; done
  # Errors that the kernel reported.
  dmesg | grep -E 'WARNING:|BUG:|nobody cared|Call trace' | sed 's/^/kernel: /'
}
GUEST

# boot NAME OPTIONS... -- SCRIPT: boots, and runs SCRIPT.
boot() {
  local name=$1 begin=$SECONDS
  shift
  local -a options=()
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  "$pmufab" boot "${options[@]}" --timeout 500 --json "$work/verdicts.json" -- bash -c "$(cat "$work/functions")"$'\n'"$2" \
    >"$work/out" 2>"$work/err" || complain "$name: the exit code is $?"
  cat "$work/out" "$work/err"
  ! grep '^kernel: ' "$work/out" || complain "$name: the kernel warns"
  echo "$name: $((SECONDS - begin)) s"
}

# handled PMU, raised LINE: numbers of the last boot.
handled() { awk -v pmu="$1" '$1 == "handled" && $2 == pmu { print $3 }' "$work/out"; }
raised() { sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" "$work/verdicts.json"; }

# interrupts_of PMU LINE [TWICE]: all interrupts were handled once, and there were enough of them. TWICE of them may
# have been raised twice.
interrupts_of() {
  local kernel line
  kernel=$(handled "$1") line=$(raised "$2")
  echo "$1: $line interrupts raised, $kernel handled"
  [[ -n $kernel && -n $line ]] && ((line >= kernel && line <= kernel + ${3:-0})) ||
    complain "$1: the kernel handled $kernel of ${line:-no} interrupts of $2"
  ((kernel >= 100)) || complain "$1: $kernel interrupts are too few"
}

# verdicts HOW COUNT LEAST: COUNT counts are at least LEAST and, by HOW, `exact`, `within` their bounds, or the
# `highest` possible.
verdicts() {
  local found
  found=$(awk -v how="$1" -v least="$3" -F '[ ,]+' '
    $2 == "\"event\":" { guest = low = "" }  # an event that was not counted has no count of its own
    $2 == "\"guest\":" { guest = $3 }
    $2 == "\"low\":" { low = $3 }
    $2 == "\"high\":" && guest != "" && low != "" && guest >= least && guest <= $3 && guest >= low &&
      (how == "within" || guest == $3) && (how != "exact" || guest == low) { ++found }
    END { print found + 0 }' "$work/verdicts.json")
  ((found == $2)) || complain "$found counts, not $2, are $1 and at least $3"
}

# Counters of the CoreSight PMUs start half full, and the driver starts them there again after each overflow. So an
# overflow is half a turn.
tegra=(nvidia_ucf_pmu_0 nvidia_pcie_pmu_0_rc_4 nvidia_pcie_tgt_pmu_0_rc_4)
lines=(socket0.ucf_pmu socket0.rc4.pcie_pmu socket0.rc4.pcie_tgt_pmu)
widths() {
  local pmu
  for pmu in ucf_pmu pcie_pmu pcie_tgt_pmu; do
    printf -- "--set\nplatform.tegra410.$pmu.width=%d\n--set\nplatform.tegra410.$pmu.trigger=%s\n" "$1" "$2"
  done
}
cat >"$work/traffic.yaml" <<'TRAFFIC'
name: overflow
generators:
  - name: gpu
    requester: {kind: gpu, socket: 0}
    targets: [{socket: 0, memory: cmem, size: 16 MiB}]
    mix: {ReadShared: 1}
    pacing: {kind: exponential, requests_per_us: 60}
    phases: [{count: 70000}]
  - name: device
    requester: {kind: pcie, root_complex: 4, root_port: 0, bdf: "01:10.0"}
    targets: [{memory: gmem, size: 1 MiB}]
    mix: {read: 1}
    pacing: {kind: exponential, requests_per_us: 60}
    phases: [{count: 70000}]
  - name: loads of a device's memory
    requester: {kind: gpu, socket: 0}
    targets: [{memory: bar, socket: 0, root_complex: 4, root_port: 0}]
    mix: {read: 1}
    pacing: {kind: exponential, requests_per_us: 60}
    phases: [{count: 70000}]
TRAFFIC
mapfile -t options < <(widths 16 level)
boot "Tegra410, 16 bits" scenarios/platforms/tegra410-1s-small.yaml "${options[@]}" --traffic "$work/traffic.yaml" \
  --time-scale 0.0005 -- "
    perf stat -a -e ${tegra[0]}/slc_bytes_rd/,${tegra[1]}/rd_bytes/,${tegra[2]}/rd_bytes/ bash -c until_traffic_ends
    tell ${tegra[*]}"
verdicts exact 3 $((100 << 15))
for i in 0 1 2; do interrupts_of "${tegra[i]}" "${lines[i]}"; done

mapfile -t options < <(widths 32 edge)
boot "Tegra410, 32 bits" scenarios/platforms/tegra410-1s-small.yaml "${options[@]}" \
  --set 'platform.tegra410.soc_clock=2.4 GHz' --time-scale 200 -- "
    perf stat -a -e ${tegra[0]}/cycles/,${tegra[1]}/cycles/,${tegra[2]}/cycles/ bash -c 'until_handled 100 ${tegra[*]}'
    tell ${tegra[*]}"
# The driver stops the PMU in its handler, so cycles count in several spans. The highest count is that of all spans.
verdicts highest 3 $((100 << 31))
for i in 0 1 2; do interrupts_of "${tegra[i]}" "${lines[i]}"; done

# Local counters of 16 bits carry into global ones of 32, which start half full and would overflow after 2^47 flits. The
# driver assumes 32 bits and cannot count with narrower ones. Only the counter of cycles overflows.
cat >"$work/meshes.yaml" <<'MESHES'
kind: cmn
name: two-meshes
cpus_per_socket: 4
meshes:
  - product: CMN-600
    revision: r3p1
    firmware: device_tree
    tiles: {R: [RN-F, HN-F], S: [SN-F, RN-I], D: [HN-D, SBSX], N: [RN-D, SN-F]}
    rows: [R S R N, D R S R]
  - product: CMN-700
    revision: r2p0
    firmware: acpi
    multiple_dtm: true
    tiles: {R: [RN-Fx2, HN-Fx2], I: [RN-I, SN-F, HN-I], D: [HN-D, SN-F], J: [RN-D, SN-F, SBSX]}
    rows: [J R R J, D R R J, I R R I]
MESHES
boot "CMN, 16 bits into 32" "$work/meshes.yaml" --time-scale 0.001 \
  --set 'mesh_traffic=[{name: first, mesh: 0, channel: req, rate: 0.2, count: 1200000}, {name: second, mesh: 1, channel: req, rate: 0.1, count: 900000}]' -- "
    events=arm_cmn_0/mxp_p0_req_txflit_valid/,arm_cmn_1/mxp_p0_req_txflit_valid/
    perf stat -a -e \$events bash -c until_traffic_ends
    tell arm_cmn_0 arm_cmn_1"
# The last turn of each local counter, of which there are 8 and 12, is incomplete.
verdicts exact 2 $((112 << 16))
boot "CMN, cycles" "$work/meshes.yaml" --time-scale 1000 \
  --set 'platform.meshes[0].clock=20 GHz' --set 'platform.meshes[1].clock=20 GHz' -- "
    perf stat -a -e arm_cmn_0/dtc_cycles/,arm_cmn_1/dtc_cycles/ bash -c 'until_handled 100 arm_cmn_0 arm_cmn_1'
    tell arm_cmn_0 arm_cmn_1"
verdicts within 2 $((100 << 39))
for i in 0 1; do
  # The driver switches interrupts off and on again when perf closes an event. A line that is high then rises a second
  # time before the kernel has taken the first interrupt.
  interrupts_of "arm_cmn_$i" "cmn$i.dtc0.INTREQPMU" 1
  # The bounds are wide, because the driver never stops the PMU. But each overflow is half a turn, so a lost one would
  # show.
  count=$(awk -v event="arm_cmn_$i/dtc_cycles/" '$2 == event { print $1 }' "$work/out")
  ((${count:-0} >> 39 == $(handled "arm_cmn_$i"))) || complain "arm_cmn_$i: ${count:-no} cycles"
done

# A CPMU freezes at an overflow. Drivers up to Linux 7.3 do not let it continue before an event is opened or closed. So
# each perf stat counts one turn.
turns=100
# cxl_turns WIDTH SCALE CPMU/EVENT/ OPTIONS... [-- CPMU/EVENT/...]: counts turns of a CPMU.
cxl_turns() {
  local width=$1 scale=$2 event count
  shift 2
  local -a events=() pmus options=()
  while (($# > 0)) && [[ $1 != -- ]]; do events+=("$1"); shift; done
  (($# == 0)) || options=("${@:2}")
  pmus=("${events[@]%%/*}")
  cat >"$work/cxl.yaml" <<CXL
kind: cxl
name: cxl-overflow
cxl:
  - decoders: [{base: 0x100_0000_0000, size: 1 GiB}]
    cpmus:
      - {groups: [{group: clock_ticks}], counters: 2, width: $width}
      - {groups: [{group: m2s_req}], counters: 2, width: $width}
CXL
  boot "CXL, $width bits" "$work/cxl.yaml" --time-scale "$scale" "${options[@]}" -- "
    devmem \$((APERTURE_BASE + 12)) 32 1
    for ((turn = 1; turn <= $turns; ++turn)); do
      /usr/bin/perf stat -x, -a -e $(IFS=,; echo "${events[*]}") bash -c \"until_handled \$turn ${pmus[*]}\" 2>&1
    done | cut -d, -f 1,3 | sort | uniq -c
    tell ${pmus[*]}"
  for event in "${events[@]}"; do
    count=$(tr -d '\r' <"$work/out" | awk -v event="$event" -F '[ ,]+' '$4 == event { print $2 " times " $3 }')
    [[ $count == "$turns times $((1 << width))" ]] || complain "$event: '$count', not $turns times $((1 << width))"
    [[ $(handled "${event%%/*}") == "$turns" ]] || complain "$event: $(handled "${event%%/*}") interrupts handled"
  done
  count=$(sed -n 's/^ *".*\.messages": \([0-9]*\),\{0,1\}$/\1/p' "$work/verdicts.json")
  [[ $count == $((turns * ${#events[@]})) ]] || complain "$count interrupts raised"
}
# Two messages within a cycle of the CPMU would both count before it freezes.
cxl_turns 16 0.001 cxl_pmu_mem0.0/clock_ticks/ cxl_pmu_mem0.1/m2s_req_memrd/ -- \
  --set 'cxl_traffic=[{name: host, ranges: [{base: 0x100_0000_0000, size: 1 MiB}], pacing: {kind: fixed, requests_per_us: 250, catch_up: false}}]'
cxl_turns 32 100 cxl_pmu_mem0.0/clock_ticks/

((failed == 0)) && echo "After overflows all counts are what they have to be, and each interrupt was handled once."
exit "$failed"
