#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cxl_events_test.sh PMUFAB: the shipped scenarios count every event that the CXL drivers publish in sysfs, and the
# counts must not be 0. Each event is counted by its name, in a scenario that runs with that version, and by its
# numbers. Also a vendor's event, and the sum of the five reads of a device's cache in one counter, as in the kernel's
# document.
source "$(dirname "$0")/expect.sh"
cd "$repository" || exit
pmufab=$1
failed=0
complain() {
  echo "$*"
  failed=1
}

mapfile -t scenarios < <(find scenarios -name 'cxl-*.yaml' ! -path 'scenarios/platforms/*' | LC_ALL=C sort)
# Events of measurements whose counts must not be 0: "drivers pmu event".
wanted=$(awk '
  FNR == 1 { drivers = ">=0"; nonzero = 0 }
  /^drivers:/ { drivers = $2; gsub(/"/, "", drivers) }
  /^  - name:/ { nonzero = 0 }
  /^    nonzero: true/ { nonzero = 1 }
  nonzero && match($0, /cxl_pmu_mem[0-9.]+\/[^\/]*\//) { print drivers, substr($0, RSTART, RLENGTH) }
' "${scenarios[@]}")

# The drivers' own tables of events.
declare -A known=([6.12]=71 [7.2]=74 [7.3]=115)
for version in 6.12 7.2 7.3; do
  events=$(for platform in cxl-exact cxl-controller; do
    "$pmufab" list "scenarios/platforms/$platform.yaml" --drivers "$version" || exit
  done | sed -nE 's|^ *cxl_pmu_mem[0-9.]+/([a-z0-9_]+)/ +\[config=(0x[0-9a-f]+)\].*|\1 \2|p' | sort -u)
  count=$(wc -l <<<"$events")
  ((count == ${known[$version]})) || complain "Linux $version publishes $count events, and knows ${known[$version]}"
  while read -r name config; do
    found=
    while read -r drivers event; do
      [[ $event == */"$name"[/,]* ]] || continue
      [[ $(printf '%s\n' "${drivers#>=}" "$version" | sort -V | head -1) == "${drivers#>=}" ]] && found=1 && break
    done < <(grep "/${name}[/,]" <<<"$wanted")
    [[ $found ]] || complain "no scenario for Linux $version counts $name"
    numbers=$(printf 'vid=%#x,gid=%#x,mask=%#x' \
      $((config >> 48 & 0xffff)) $((config >> 32 & 0xffff)) $((config & 0xffffffff)))
    [[ $name == clock_ticks ]] || grep -q "^>=0 .*/${numbers/gid=0,/gid=0x0,}[/,]" <<<"$wanted" ||
      complain "no scenario for all drivers counts $name by $numbers"
  done <<<"$events"
done
[[ $(grep 'vid=' <<<"$wanted" | grep -cv 'vid=0x1e98') -gt 0 ]] || complain "no scenario counts a vendor's event"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for version in 6.12 7.2 7.3; do
  "$pmufab" run scenarios/cxl/cxl-sum.yaml --drivers "$version" --csv "$work/counts.csv" >/dev/null ||
    complain "cxl-sum fails"
  # The driver's counts: five counted separately, and one of all.
  mapfile -t counts < <(sed -nE 's#.*,"?cxl_pmu_mem1\.0/[^"]*/"?,([0-9]+),.*#\1#p' "$work/counts.csv")
  ((${#counts[@]} == 6)) || complain "cxl-sum counts ${#counts[@]} events"
  ((counts[0] + counts[1] + counts[2] + counts[3] + counts[4] == counts[5])) ||
    complain "Linux $version: the five reads ${counts[*]:0:5} are ${counts[5]} in one counter"
done
exit "$failed"
