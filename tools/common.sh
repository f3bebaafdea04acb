# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts in this folder: `source "$(dirname "$0")/common.sh"`.
# shellcheck shell=bash

set -euo pipefail

# The repository, whatever the current directory is.
# shellcheck disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=tools/$(basename "$0")

# Plain words on what happens next, with a mark that is easy to find in a log.
say() { printf '\n==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }

# die MESSAGE...: the reason, one line per argument, and exit code 2 (the caller's mistake or the machine's).
die() {
  printf '%s: %s\n' "$program" "$1" >&2
  shift
  local line
  for line in "$@"; do printf '    %s\n' "$line" >&2; done
  exit 2
}

# The comment block at the top of the script is its --help text, but for the licence.
print_help() { awk 'NR > 1 && !/^# SPDX/ { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# run_logged LOG COMMAND...: output goes to LOG; on failure its last lines are shown.
run_logged() {
  local log=$1 status=0
  shift
  { mkdir -p "$(dirname "$log")" && : >"$log"; } 2>/dev/null ||
    die "cannot write $log" "If another user (root, say) has built here before, remove the folder build or change its owner."
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    printf '%s: "%s" failed with exit code %d. The end of %s:\n' "$program" "$*" "$status" "$log" >&2
    tail -n 40 "$log" >&2
    return "$status"
  fi
}

# Builds may use this many processes: PMUFAB_JOBS, or one per processor but no more than memory allows (a compiler that
# reads SystemC's headers with sanitizers on takes about 1 GiB).
job_count() {
  if [[ -n ${PMUFAB_JOBS:-} ]]; then
    echo "$PMUFAB_JOBS"
    return
  fi
  local cpus gibibytes
  cpus=$(nproc)
  gibibytes=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null || true)
  [[ -n $gibibytes ]] || gibibytes=$cpus
  ((gibibytes >= 1)) || gibibytes=1
  echo $((cpus < gibibytes ? cpus : gibibytes))
}

# The Linux drivers the driver host knows, a line each: kernel module and files, with one blank between.
linux_drivers() { awk '!/^#/ && NF >= 2 { $1 = $1; print }' "$root/testbench/driver_host/linux-drivers.txt"; }

# has_linux_drivers TREE: is there at least one driver of a PMU that the driver host knows?
has_linux_drivers() {
  local files file
  while read -r _ files; do
    for file in $files; do
      if [[ $file == drivers/perf/* && -f $1/$file ]]; then return 0; fi
    done
  done < <(linux_drivers)
  return 1
}
