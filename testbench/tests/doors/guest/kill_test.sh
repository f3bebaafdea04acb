#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kill_test.sh PMUFAB [TIMES]: kills QEMU, the simulator or pmufab itself at random points of TIMES (50) boots. Each
# time all of them must end soon and leave nothing behind, and the next boot must work. Takes minutes; not part of
# continuous integration.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1 times=${2:-50}
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# The same seed gives the same victims. The machine's speed decides what the kill interrupts.
RANDOM=1
longest=12  # seconds until a boot has ended, or a little more
for ((i = 1; i <= times; ++i)); do
  "$pmufab" boot --traffic scenarios/traffic/fixed.yaml -- perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 1 \
    >"$TMPDIR/out" 2>"$TMPDIR/err" &
  boot=$!
  sleep "$((RANDOM % longest)).$((RANDOM % 10))"
  # The simulator and QEMU are pmufab's children.
  mapfile -t children < <(pgrep -P "$boot")
  victims=("$boot" "${children[@]}")
  victim=${victims[RANDOM % ${#victims[@]}]}
  what=$({ tr '\0' ' ' <"/proc/$victim/cmdline"; } 2>/dev/null | cut -c 1-40) || true
  [[ $victim == "$boot" ]] && what="pmufab itself"
  status=0
  if ! kill -KILL "$victim" 2>/dev/null; then
    # The boot was over before. Try again, and sooner.
    wait "$boot" || { echo "$i: pmufab ended with $?, and nobody had killed anything"; cat "$TMPDIR/err"; exit 1; }
    ((longest > 2 && longest--, i--))
    continue
  fi
  timeout 20 tail --pid="$boot" -f /dev/null || { echo "$i: pmufab still runs 20 s after $what was killed"; exit 1; }
  wait "$boot" || status=$?
  for ((wait = 0; wait < 50; ++wait)); do
    left=0
    for process in "${children[@]}"; do kill -0 "$process" 2>/dev/null && left=1; done
    ((left == 0)) && break
    sleep 0.1
  done
  ((left == 0)) || { echo "$i: ${children[*]} still run after $what was killed"; exit 1; }
  [[ -n $(find "$TMPDIR" -maxdepth 1 -name 'pmufab-*' -print -quit) && $victim != "$boot" ]] &&
    { echo "$i: a folder is left after $what was killed"; exit 1; }
  rm -rf "$TMPDIR"/pmufab-*
  echo "$i: $what killed; pmufab ended with $status: $(grep -m 1 pmufab: "$TMPDIR/err" | cut -c 1-90)"
done
expect 0 "$pmufab" boot --traffic scenarios/traffic/fixed.yaml -- \
  perf stat -a -e nvidia_ucf_pmu_0/slc_access_rd/ sleep 1
echo "After $times kills a boot works."
