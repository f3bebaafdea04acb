#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clients_boot_test.sh PMUFAB [cxl | metrics | tests]: programs of Debian in a stock kernel, unmodified: `cxl list` shows the CXL hierarchy that a
# platform's file describes; perf's metrics of CMN are the scoreboard's ratios, on one mesh and on two; perf's own tests
# of PMUs and of what perf stat prints pass. Takes three minutes; exit code 77 without a guest.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1 part=${2:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# boot NAME PLATFORM SCRIPT OPTIONS...: boots, and runs SCRIPT. The exit code must be 0, or $unjudged if that is set.
unjudged=0
boot() {
  local name=$1 platform=$2 script=$3 begin=$SECONDS code=0
  shift 3
  "$pmufab" boot "$platform" --json "$work/verdicts.json" "$@" -- bash -c "$script" >"$work/out" 2>"$work/err" || code=$?
  ((code == 0 || code == unjudged)) || complain "$name: the exit code is $code"
  tr -d '\r' <"$work/out" >"$work/said"
  cat "$work/said" "$work/err"
  echo "$name: $((SECONDS - begin)) s"
}

# ---- cxl list

list_cxl() {

# Two devices share a range; the first has another one, with device coherence.
cat >"$work/shared.yaml" <<'YAML'
kind: cxl
name: shared
cxl:
  - decoders: &first
      - {base: 0x120_0000_0000, size: 2 GiB, coherency: HDM-H, ways: 2, granularity: 1 KiB}
      - {base: 0x140_0000_0000, size: 1 GiB, coherency: HDM-DB}
    cpmus: &cpmus
      - {groups: [{group: m2s_req}], counters: 4}
  - decoders:
      - {base: 0x120_0000_0000, size: 2 GiB, coherency: HDM-H, ways: 2, granularity: 1 KiB}
    cpmus: *cpmus
YAML
# What follows from that file. Windows lead to the one host bridge; its decoders lead to root ports; granularity means nothing
# where there is one way. Each device has half of the shared range.
cat >"$work/described" <<'LIST'
bus ACPI.CXL
endpoint mem0
endpoint mem0 decoder 0x12000000000 0x80000000 ways 2 granularity 1024
endpoint mem0 decoder 0x14000000000 0x40000000 ways 1
endpoint mem1
endpoint mem1 decoder 0x12000000000 0x80000000 ways 2 granularity 1024
memdev mem0 0x80000000
memdev mem1 0x40000000
port decoder 0x12000000000 0x80000000 ways 2 granularity 1024 ports 0 1
port decoder 0x14000000000 0x40000000 ways 1 ports 0
port pci0000:00
region 0x12000000000 0x80000000 ways 2 granularity 1024
region 0x14000000000 0x40000000 ways 1
window 0x12000000000 0x80000000 ways 1 bridges 0
window 0x14000000000 0x40000000 ways 1 bridges 0
LIST
cat >"$work/flatten.py" <<'PYTHON'
import json, sys

lines = []
hexadecimal = lambda value: hex(int(str(value), 0))


def decoder(one, targets):
    text = f"{hexadecimal(one['resource'])} {hexadecimal(one['size'])} ways {one.get('interleave_ways', 1)}"
    if one.get("interleave_ways", 1) > 1:
        text += f" granularity {one['interleave_granularity']}"
    ids = [str(target["id"]) for target in sorted(one.get("targets", []), key=lambda target: target["position"])]
    return text + (f" {targets} {' '.join(ids)}" if targets else "")


def walk(value, above):
    if isinstance(value, list):
        for one in value:
            walk(one, above)
    if not isinstance(value, dict):
        return
    if "bus" in value:
        lines.append(f"bus {value['provider']}")
        above = ("window", "bridges")
    elif "port" in value:
        lines.append(f"port {value['host']}")
        above = ("port decoder", "ports")
    elif "endpoint" in value:
        lines.append(f"endpoint {value['host']}")
        above = (f"endpoint {value['host']} decoder", "")
    elif "decoder" in value and value.get("size"):
        lines.append(f"{above[0]} {decoder(value, above[1])}")
    elif "region" in value:
        lines.append(f"region {decoder(value, '')}")
    elif "memdev" in value and "ram_size" in value:
        lines.append(f"memdev {value['memdev']} {hexadecimal(value['ram_size'])}")
    for one in value.values():
        walk(one, above)


walk(json.load(sys.stdin), ("", ""))
print("\n".join(sorted(set(lines))))
PYTHON
look='command -v cxl >/dev/null || echo no cxl
echo topology:; cxl list -B -P -E -D -M -T -R 2>/dev/null; echo end
dmesg | grep -iE "cxl.*(fail|invalid)"
perf stat -a -e cxl_pmu_mem0.0/m2s_req_memrd/,cxl_pmu_mem1.0/m2s_req_memrd/ sleep 1'
boot 'cxl list' "$work/shared.yaml" "$look" \
  --set 'cxl_traffic=[{name: host, mix: {read: 1}, ranges: [{base: 0x120_0000_0000, size: 1 MiB, pattern: {kind: uniform}}], count: 4000}]'
if grep -q '^no cxl' "$work/said"; then
  echo "NOT TESTED: this guest has no cxl; remove it, and tools/guest/prepare makes one that has."
else
  sed -n '/^topology:/,/^end/{//d;p}' "$work/said" | python3 "$work/flatten.py" >"$work/listed" ||
    complain "cxl list prints no JSON"
  diff "$work/described" "$work/listed" || complain "cxl list shows another hierarchy"
  # The two devices answer the reads of the shared range between them.
  exact=$(grep -B 4 '"check": "exact"' "$work/verdicts.json" | grep -cE '"guest": [1-9]' || true)
  ((exact == 2)) || complain "$exact of 2 counts are exact and not 0"
  # A guest has no switches, so decoders above them would name ports that it has not (docs/guest.md).
  # Devices have the platform's numbers all the same.
  # shellcheck disable=SC2016
  boot 'a switch' scenarios/platforms/cxl-switch.yaml 'echo topology:; cxl list -M -i 2>/dev/null; echo end
    echo "ACPI0017: $(ls /sys/bus/acpi/devices | grep -c ACPI0017)"
    perf stat -a -e cxl_pmu_mem0.0/m2s_req_memrd/,cxl_pmu_mem2.0/m2s_req_memrd/ sleep 1' \
    --set 'cxl_traffic=[{name: host, device: 0, mix: {read: 1}, ranges: [{base: 0x110_0000_0000, size: 1 MiB}], count: 3000}]'
  [[ $(grep -c '"guest": 3000,' "$work/verdicts.json") == 1 ]] || complain "the first device below the switch is not mem0"
  sed -n '/^topology:/,/^end/{//d;p}' "$work/said" | python3 "$work/flatten.py" >"$work/listed"
  printf 'memdev mem%d %#x\n' 0 $((3 << 29)) 1 $((1 << 29)) 2 $((1 << 30)) 3 $((1 << 30)) >"$work/described"
  diff "$work/described" "$work/listed" || complain "cxl list shows other memory devices below a switch"
  grep -qx 'ACPI0017: 0' "$work/said" || complain "there is an ACPI0017 on a platform with a switch"
fi

}

# ---- perf stat -M

count_metrics() {
# Four counters of a crosspoint count the events of its nodes, so not all metrics fit at once.
bandwidths=rni_actual_read_bandwidth.all,rni_actual_write_bandwidth.all
cpus='mix: {load: 50, store: 40, write_unique_full: 10}, outstanding: 16, count: 10000'
devices='requesters: rn_i, mix: {read_once: 2, write_unique_full: 2}, outstanding: 12, count: 10000'
near='{base: 0, size: 64 KiB, pattern: hot_set, hot_size: 2 KiB, weight: 2}'
behind='{base: 0x1000_0000_0000, size: 64 KiB}'  # the SBSX
one="chi_traffic=[{name: cpus, $cpus, ranges: [$near, $behind]}, {name: devices, $devices, ranges: [$near, $behind]}]"
two="chi_traffic=[{name: cpus, mesh: 0, $cpus, ranges: [$near, $behind]}, {name: devices, mesh: 0, $devices, ranges: [$near, $behind]},
  {name: other cpus, mesh: 1, $cpus, ranges: [$near, $behind]}, {name: other devices, mesh: 1, $devices, ranges: [$near, $behind]}]"
for meshes in 1 2; do
  metrics=('hnf_message_retry_rate,mc_message_retry_rate,sbsx_actual_write_bandwidth.all' 'sf_hit_rate,slc_miss_rate')
  if ((meshes == 1)); then
    name=cmn600-small traffic=$one
    metrics=("${metrics[0]},$bandwidths" "${metrics[1]},rni_retry_rate")
  else
    # Its RN-I is at the crosspoint of a home node.
    name=cmn600-linked traffic=$two
    metrics+=("$bandwidths,rni_retry_rate")
  fi
  # Short queues, so that requests must be sent again.
  platform=$work/$name.yaml
  sed 's/^    firmware: .*/&\n    nodes: {home: {pocq_entries: 8}, sn_f: {entries: 2}}/' scenarios/platforms/$name.yaml >"$platform"
  # perf opens each event on both meshes, so the second must have an SBSX, too.
  sed -i -e '/D: .CXRH, HN-D/s/$/\n      G: [SBSX]/' -e '/D: .CXRH, HN-D/,$ s/- A B C D$/- A B C D G/' "$platform"
  for some in "${metrics[@]}"; do
    boot "$some, meshes: $meshes" "$platform" "
      perf list --raw-dump metric | tr ' ' '\n' | grep -E '^(hnf|mc|rni|sbsx|sf|slc)_' | sort >/tmp/metrics
      echo metrics: \$(cat /tmp/metrics)
      . /pmufab/aperture; export APERTURE_BASE
      perf stat -a -M $some bash -c 'until [[ \$(devmem \$((APERTURE_BASE + 12)) 32) == 0x00000002 ]]; do sleep 0.3; done'" \
      --set "$traffic"
    python3 - "$work/verdicts.json" "$some" <<'PYTHON' || complain "$some, meshes: $meshes: see above"
import json, sys
verdicts = json.load(open(sys.argv[1]))
names = sys.argv[2].split(",")
metrics = {metric["metric"]: metric for metric in verdicts.get("metrics", [])}
# A bandwidth has the time in it, which perf prints rounded.
wrong = [name for name in names if metrics.get(name, {}).get("check") != ("within" if "bandwidth" in name else "exact")]
wrong += [name for name in names if not metrics.get(name, {}).get("high")]
for name in wrong:
    print(f"wrong, or 0: {name}: {metrics.get(name)}")
sys.exit(bool(wrong))
PYTHON
    # No metric of CMN is forgotten here.
    sed -n 's/^metrics: //p' "$work/said" | tr ' ' '\n' | sort >"$work/known"
    printf '%s\n' "${metrics[@]}" | tr , '\n' | sort | diff "$work/known" - || complain "perf has other metrics of CMN"
  done
done

}

# ---- perf's own tests

run_perfs_tests() {
# They open and close events as they like, with no traffic, so counts need not be judged.
unjudged=4
# Not stat.sh and stat+std_output.sh: docs/guest.md says why.
scripts=(stat_all_pmu.sh stat+csv_output.sh stat+csv_summary.sh stat_all_metrics.sh stat_all_metricgroups.sh)
# perf starts once for each event, so other platforms take ten minutes and more. BusyBox's mktemp wants six letters X.
platforms=(tegra410-1s-small)
if [[ -n ${PMUFAB_EVERY_PLATFORM-} ]]; then platforms+=(cmn600-small cxl-exact); fi
for platform in "${platforms[@]/#/scenarios/platforms/}"; do
  platform+=.yaml
  boot "perf's tests on $platform" "$platform" "
    mktemp() { command mktemp \"\${@/%XXXXX/XXXXXX}\"; }; export -f mktemp
    cd /usr/lib/perf-core/tests/shell 2>/dev/null || { echo no tests; exit 0; }
    for script in ${scripts[*]}; do
      output=\$(bash ./\$script 2>&1); code=\$?
      echo \"\$script: exit \$code\"
      [ \$code = 0 ] || echo \"\$output\"
    done"
  if grep -q '^no tests' "$work/said"; then
    echo "NOT TESTED: this guest has no tests of perf; remove it, and tools/guest/prepare makes one that has."
    break
  fi
  for script in "${scripts[@]}"; do
    grep -qE "^${script//+/\\+}: exit [02]$" "$work/said" || complain "$script on $platform"  # 2: it has nothing to test
  done
done
}

case $part in all | cxl) list_cxl ;; esac
case $part in all | metrics) count_metrics ;; esac
case $part in all | tests) run_perfs_tests ;; esac
((failed == 0)) && echo "Programs of Debian find in a guest what the platforms' files say."
exit "$failed"
