#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# boot_test.sh PMUFAB: boots a stock kernel on a platform with PMUs of all fabrics, and counts there.
# Needs what tools/guest/prepare makes; exit code 77 without it.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/documents.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One event of each PMU, the clock of one, and watchpoints with every term: a combined pair, and another at the port of
# the SN-F in the middle. Beside them a metric of perf's own. Then the script of the kernel's document.
pmus=(nvidia_{ucf,cmem_latency,nvlink_c2c,nvclink,nvdlink}_pmu_{0,1} nvidia_{pcie,pcie_tgt}_pmu_{0,1}_rc_{0..5}
  arm_cmn_0 cxl_pmu_mem0.0 cxl_pmu_mem0.1 cxl_pmu_mem1.0)
events=()
for pmu in "${pmus[@]}"; do
  case $pmu in
    *ucf*) events+=("$pmu/slc_access_rd/") ;;
    *cmem* | *pcie*) events+=("$pmu/rd_req/") ;;
    nvidia*) events+=("$pmu/in_rd_req/") ;;
    arm*)
      watch=$pmu/watchpoint_up,wp_dev_sel=0,wp_chn_sel=3
      events+=("$pmu/dtc_cycles/"
        "$watch,wp_grp=0,wp_combine=1,wp_val=0x80000000,wp_mask=0xfffffff01fffffff/"
        "$watch,wp_grp=1,wp_combine=1,wp_exclusive=1,wp_val=0x8,wp_mask=0xfffffffffffffff7/"
        "$pmu/watchpoint_down,bynodeid=1,nodeid=0x68,wp_dev_sel=1,wp_chn_sel=0,wp_grp=0,wp_val=0,wp_mask=0xffffffffffffffff/")
      ;;
    *mem0.0) events+=("$pmu/m2s_req_memrd/") ;;
    *mem0.1) events+=("$pmu/s2m_drs_memdata/") ;;
    *mem1.0) events+=("$pmu/d2h_req_rdcurr/") ;;
  esac
done
document=$(find_documents .cache/linux-sources)/nvidia-tegra410-pmu.rst
literal_block 'Example script for mapping' "$document" >"$work/map"
[[ -s $work/map ]] || complain "$document has no script"
cat >"$work/script" <<END
ls /sys/bus/event_source/devices >/tmp/pmus
for pmu in ${pmus[*]}; do grep -qxF "\$pmu" /tmp/pmus || echo "missing: \$pmu"; done
perf list -v pmu >/tmp/list 2>&1
for pmu in ${pmus[*]}; do grep -qF "\$pmu/" /tmp/list || echo "not listed: \$pmu"; done
perf stat -a -e $(IFS=,; echo "${events[*]}") -M slc_miss_rate sleep 1
command -v cxl >/dev/null || echo no cxl
echo memdevs:
cxl list -M 2>/dev/null
echo mapping:
$(cat "$work/map")
END
"$pmufab" boot scenarios/platforms/combined.yaml --json "$work/verdicts.json" --html "$work/page.html" \
  --traffic scenarios/traffic/fixed.yaml \
  --set 'chi_traffic=[{name: mesh, mix: {load: 60, store: 30, read_once: 10}, ranges: [{base: 0, size: 64 KiB, pattern: uniform}], outstanding: 4, count: 500}]' \
  --set 'cxl_traffic=[{name: host, device: 0, mix: {read: 3, write: 1}, ranges: [{base: 0x100_0000_0000, size: 1 MiB, pattern: {kind: uniform}}], count: 5000}, {name: device, device: 1, mix: {cache_rd_curr: 2, cache_rd_own: 1}, ranges: [{base: 0x80_0000_0000, size: 32 KiB, pattern: {kind: uniform}}], count: 3000}]' \
  -- bash -c "$(cat "$work/script")" >"$work/out" 2>"$work/err" || complain "the exit code is $?"
cat "$work/out" "$work/err"
! grep -E '^(missing|not listed):' "$work/out" || complain "PMUs are not there"
# The metric and its two events are counted with the others.
exact=$(grep -c '"check": "exact"' "$work/verdicts.json" || true)
((exact == ${#events[@]} - 1 + 3)) || complain "$exact of $((${#events[@]} + 3)) are exact; all but the clock's have to be"
# The page has the same rows, and what the guest's kernel printed.
rows=$(grep -c 'class="check good">✓ exact' "$work/page.html" || true)
((rows == exact)) || complain "the page of --html has $rows exact counts, not $exact"
grep -q 'Linux version' "$work/page.html" || complain "the page of --html lacks the kernel log"
grep -q '"check": "within"' "$work/verdicts.json" || complain "the clock's count is not between its bounds"
grep -q '"traffic_ended": true' "$work/verdicts.json" || complain "the traffic was not played to its end"
# Without traffic, all counts would be exact too. The traffic above causes these events: CPUs and GPUs of both sockets
# read all memories of both (UCF, CMEM, NVLink-C2C of the GPUs, NV-CLink between the sockets, NV-DLink to CXL memory).
# NICs below root complex 0 of each socket read memory (PCIE). Loads go to devices below root complexes 0, 1 and 4 of
# socket 0 (PCIE-TGT). The mesh's caches miss. CXL operations read device 0's memory, and device 1's cache reads.
reached=(nvidia_{ucf,cmem_latency,nvlink_c2c,nvclink,nvdlink}_pmu_{0,1} nvidia_pcie_pmu_{0,1}_rc_0
  nvidia_pcie_tgt_pmu_0_rc_{0,1,4} arm_cmn_0 cxl_pmu_mem0.0 cxl_pmu_mem0.1 cxl_pmu_mem1.0)
# The PMU of each event that is exact and not 0.
awk -F '[ ,]+' '
  $2 == "\"event\":" { pmu = $3; sub(/^"/, "", pmu); sub(/\/.*/, "", pmu); guest = 0 }
  $2 == "\"guest\":" { guest = $3 }
  $2 == "\"check\":" && $3 == "\"exact\"" && guest > 0 { print pmu }' "$work/verdicts.json" >"$work/nonzero"
for pmu in "${reached[@]}"; do
  grep -qxF "$pmu" "$work/nonzero" || complain "$pmu did not count the traffic that reaches it"
done
# Memory devices are those of the platform's file, and enabled. clients_boot_test.sh looks at what else cxl lists.
if grep -q '^no cxl' "$work/out"; then
  echo "NOT TESTED: this guest has no cxl; remove it, and tools/guest/prepare makes one that has."
else
  sed -n '/^cxl:/,$s/.*decoders:.* size: \([0-9]*\) GiB.*/\1/p' scenarios/platforms/combined.yaml |
    awk '{ printf "mem%d %d\n", NR - 1, $1 * 1024 * 1024 * 1024 }' >"$work/described"
  sed -n '/^memdevs:/,/^mapping:/{//d;p}' "$work/out" | tr -d '\r' |
    python3 -c 'import json, sys; [print(one["memdev"], one["ram_size"]) for one in json.load(sys.stdin)]' |
    sort >"$work/listed"
  [[ $(wc -l <"$work/described") == 2 ]] || complain "the platform's memory devices are not found"
  diff "$work/described" "$work/listed" || complain "cxl list shows other memory devices"
fi
literal_block 'Example output::' "$document" | sed -n 's/^[0-9a-f:.]*: \(Bus=.*\)/\1/p' >"$work/table"
sed -n '/^mapping:/,$s/^[0-9a-f:.]*: \(Bus=.*\)/\1/p' "$work/out" | tr -d '\r' >"$work/mapped"
[[ $(wc -l <"$work/table") == 21 ]] || complain "the document's table is not found"
diff "$work/table" "$work/mapped" || complain "the mapping is not the document's"
((failed == 0)) && echo "A stock kernel counts on ${#pmus[@]} PMUs what the scoreboard says."
exit "$failed"
