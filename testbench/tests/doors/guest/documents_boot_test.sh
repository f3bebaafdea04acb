#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# documents_boot_test.sh PMUFAB: runs every example perf command of the kernel's documents in a guest. Its counts must
# be those of the scoreboard. Takes a minute or two; exit code 77 without a guest.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/documents.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1
documents=$(find_documents .cache/linux-sources)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
write_document_platforms "$work"

# type_examples LEAST OPTIONS...: takes commands from standard input, with endless traffic. At least LEAST counts are
# not 0.
type_examples() {
  local -a commands
  local least=$1
  shift
  mapfile -t commands
  ((${#commands[@]} > 0)) || { complain "no examples are found: do the documents still look as they did?"; return; }
  # The examples count until Ctrl-C. Here they count for a second, a simulated millisecond.
  { echo 'devmem $((APERTURE_BASE + 12)) 32 1'; printf '%s sleep 1 2>&1\n' "${commands[@]}"; } >"$work/typed"
  local attempt code good nonzero events
  events=$(printf '%s\n' "${commands[@]}" | grep -oE '[a-z0-9_]+(\.[0-9]+)?/[^/]*/' | wc -l)
  # With endless traffic, a guest that had to wait for a processor while perf closed events is in doubt: not judged.
  for attempt in 1 2 3; do
    rm -f "$work/verdicts.json"
    code=0
    "$pmufab" boot --time-scale 0.001 --json "$work/verdicts.json" "$@" -- \
      bash -c ". /pmufab/aperture; $(cat "$work/typed")" >"$work/out" 2>"$work/err" || code=$?
    grep -E '[✓✗≈]|^ .* - ' "$work/err" || true
    good=$(grep -cE "\"check\": \"($wanted)\"" "$work/verdicts.json" || true)
    if ((good == events)) || grep -q '"check": "wrong"' "$work/verdicts.json"; then break; fi
    grep -q 'there was traffic while perf' "$work/verdicts.json" || break
    echo "attempt $attempt: perf's events were in doubt"
  done
  ((code == 0)) || { cat "$work/out" "$work/err"; failed=1; }
  echo "${#commands[@]} commands, $events events: $good $wanted"
  ((good == events)) || complain "$good of $events counts are $wanted"
  nonzero=$(grep -cE '"guest": [1-9]' "$work/verdicts.json" || true)
  ((nonzero >= least)) || complain "$nonzero of $events counts are not 0, fewer than $least"
}

# Drivers of CXL let the PMU run without events. With endless traffic, only bounds can be checked.
wanted='exact|within'
type_examples 2 "$work/cxl.yaml" \
  --set 'cxl_traffic=[{name: device, mix: {cache_rd_shared: 2, cache_rd_own: 1}, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]' \
  < <(examples "$documents/cxl.rst" | grep -v 'vid=')
type_examples 1 "$work/vendor.yaml" --set 'cxl_traffic=[{name: host, ranges: [{base: 0x100_0000_0000, size: 1 MiB}]}]' \
  < <(vendor_examples "$documents/cxl.rst")
wanted='exact'
type_examples 15 scenarios/platforms/tegra410-2s-small.yaml --traffic scenarios/traffic/everything.yaml \
  --traffic "$work/devices.yaml" < <(examples "$documents/nvidia-tegra410-pmu.rst")
exit "$failed"
