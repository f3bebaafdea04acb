#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# documents_test.sh PMUFAB LINUX_SOURCES: runs every example perf command of the kernel's documents in a shell on a
# platform with traffic, and the Tegra410 document's script that maps PCI functions to root complexes. The documents are
# those of the newest kernel that was fetched. No part of them is kept here.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/documents.sh"
pmufab=$1
cd "$repository" || exit
documents=$(find_documents "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# type_examples PLATFORM-OPTIONS...: takes commands from standard input, and prints each with its counts and verdicts.
type_examples() {
  local command number=0 events
  local -a commands=()
  : >"$work/typed"
  while read -r command; do
    commands+=("$command")
    # The examples count until Ctrl-C, which comes here after a while of simulated time.
    printf '%s sleep 0.2 2>%q || echo "%d exited with $?"\n' "$command" "$work/perf.$number" "$number" >>"$work/typed"
    number=$((number + 1))
  done
  ((number > 0)) || return 0
  rm -f "$work/verdicts.json"
  # The checks below cover every exit code.
  "$pmufab" shell "$@" --json "$work/verdicts.json" -- bash "$work/typed" >"$work/out" 2>"$work/err" || true
  [[ -s $work/verdicts.json ]] || complain "$(cat "$work/err")"
  number=0
  local -a verdicts
  mapfile -t verdicts < <(verdicts_of "$work/verdicts.json")
  local next=0
  for command in "${commands[@]}"; do
    echo "$command"
    events=$(grep -oE '[a-z0-9_]+(\.[0-9]+)?/[^/]*/' <<<"$command" | wc -l)
    if grep -q "^$number exited" "$work/out" || grep -qs '<not ' "$work/perf.$number"; then
      complain "$(cat "$work/perf.$number" "$work/err")"
    fi
    for ((; events > 0; --events, ++next)); do
      echo "    ${verdicts[next]:-no verdict}"
      [[ ${verdicts[next]:-} == exact* ]] || complain "not compared, or not what the scoreboard says"
    done
    number=$((number + 1))
  done
  ((next == ${#verdicts[@]})) || complain "${#verdicts[@]} verdicts for $next events"
}

# verdicts_of FILE: prints "exact 123 expected 123 event" for each. FILE is written by pmufab, one key per line.
verdicts_of() {
  awk -F'": ' '
    /"check"/ { gsub(/[",]/, "", $2); check = $2 }
    /"driver": [0-9]/ { sub(/,/, "", $2); driver = $2 }
    /"event"/ { event = $2; sub(/,$/, "", event) }
    /"expected"/ { sub(/,/, "", $2); expected = $2 }
    /"note"/ { note = $2 }
    /"reads"/ { printf "%s: %d, scoreboard %s: %s %s\n", check, driver, expected, event, note; expected = "-" }
  ' "$1" 2>/dev/null
}

write_document_platforms "$work"

total=0
for document in arm-cmn cxl nvidia-tegra410-pmu; do
  [[ -e $documents/$document.rst ]] || { complain "there is no $documents/$document.rst"; continue; }
  count=$(examples "$documents/$document.rst" | wc -l)
  total=$((total + count))
  echo "== $document.rst: $count commands"
done
((total >= 15)) || complain "only $total commands were found: do the documents still look as they did?"

type_examples scenarios/platforms/cmn700-small.yaml < <(examples "$documents/arm-cmn.rst")
traffic='[{name: device, mix: {cache_rd_shared: 2, cache_rd_own: 1}, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]'
type_examples "$work/cxl.yaml" --set "cxl_traffic=$traffic" < <(examples "$documents/cxl.rst" | grep -v 'vid=')
# The document leaves the numbers to the device's vendor. These are the vendor's.
type_examples "$work/vendor.yaml" --set 'cxl_traffic=[{name: host, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]' \
  < <(vendor_examples "$documents/cxl.rst")
type_examples scenarios/platforms/tegra410-2s-small.yaml --traffic scenarios/traffic/everything.yaml \
  --traffic "$work/devices.yaml" < <(examples "$documents/nvidia-tegra410-pmu.rst")

# The script in the Tegra410's document and its example output: the literal blocks after two titles.
literal_block 'Example script for mapping' "$documents/nvidia-tegra410-pmu.rst" >"$work/map"
literal_block 'Example output::' "$documents/nvidia-tegra410-pmu.rst" | sed '/^ *$/d' >"$work/wanted"
if [[ ! -s $work/map || ! -s $work/wanted ]]; then
  complain "the document has no script, or no example of its output"
else
  "$pmufab" shell scenarios/platforms/tegra410-2s.yaml -- bash "$work/map" >"$work/mapped" 2>"$work/err" ||
    complain "the document's script: $(cat "$work/err")"
  diff "$work/wanted" "$work/mapped" || complain "root ports are not mapped as in the document's example"
  echo "the document's script maps $(wc -l <"$work/mapped") root ports as in its example"
fi
exit "$failed"
