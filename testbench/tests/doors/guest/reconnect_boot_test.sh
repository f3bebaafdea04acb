#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# reconnect_boot_test.sh PMUFAB: QEMU is killed while its guest boots, and another QEMU is started on the same
# simulator. The PMUs are there again, and their counts are those of the scoreboard. Takes a minute; exit code 77
# without a guest.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/../../scripts/expect.sh"
source "$(dirname "$0")/../../scripts/guest.sh"
pmufab=$1
TMPDIR=$(mktemp -d)
export TMPDIR
boot=
# The simulator and QEMU end when pmufab ends.
trap '[[ -z $boot ]] || kill -KILL "$boot" 2>/dev/null; rm -rf "$TMPDIR"' EXIT
fail() {
  echo "FAILED: $*"
  cat "$TMPDIR"/*.out "$TMPDIR"/pmufab-*/console 2>/dev/null
  exit 1
}
# wait_for SECONDS COMMAND...: waits until COMMAND succeeds.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) && kill -0 "$boot" || return 1
    sleep 0.2
  done
}

event=nvidia_ucf_pmu_0/slc_access_rd/
"$pmufab" boot --traffic scenarios/traffic/fixed.yaml -- \
  bash -c "echo first; sleep 5; perf stat -a -e $event sleep 2" >"$TMPDIR/first.out" 2>&1 &
boot=$!
# The drivers have accessed the registers, perf has not.
wait_for 120 grep -q first "$TMPDIR/first.out" || fail "the guest does not boot"
# pmufab must not notice that QEMU was killed, because it would end the simulator.
kill -STOP "$boot"
qemu=
for child in $(pgrep -P "$boot"); do
  [[ $(tr '\0' ' ' <"/proc/$child/cmdline") != *qemu-system* ]] || qemu=$child
done
[[ -n $qemu ]] || fail "there is no QEMU"
mapfile -d '' -t command <"/proc/$qemu/cmdline"
variables=()
mapfile -d '' -t variables <"/proc/$qemu/environ"
kill -KILL "$qemu"
env -i "${variables[@]}" timeout 120 "${command[@]}" >"$TMPDIR/second.out" 2>"$TMPDIR/second.err" ||
  { cat "$TMPDIR/second.err"; fail "the second QEMU ended with $?"; }
cat "$TMPDIR/second.out"
counted=$(awk -v event="$event" '$2 == event { print $1 }' "$TMPDIR/second.out")
expected=$(sed -n 's/.*"high":\([0-9]*\),"low":\1,.*/\1/p' "$TMPDIR"/pmufab-*/journal)
[[ -n $counted && $counted -gt 0 && $counted == "$expected" ]] ||
  fail "the guest counts ${counted:-nothing}, the scoreboard ${expected:-nothing exactly}"
! grep -q "$event" "$TMPDIR/first.out" || fail "the first guest counted"
kill -CONT "$boot"
status=0
wait "$boot" || status=$?
boot=
# pmufab reads the second guest's output there.
((status == 0)) || fail "pmufab ended with $status"
echo "A second virtual machine on the same simulator counts what the scoreboard says: $counted."
