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

# show_progress LOG: tells, until end_progress, how long something takes and the last line of its LOG: on a terminal in one
# line that moves, elsewhere in a line every half a minute.
show_progress() {
  local log=$1 every=30 width=110 began=$SECONDS seconds due text
  if [[ -t 1 ]]; then
    every=1
    width=$(stty size 2>/dev/null </dev/tty | awk '$2 > 10 { print $2 - 1 }' || true)
  fi
  due=$every
  # Whoever waits for the end of the output must not wait for a sleep. No script, no progress.
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    seconds=$((SECONDS - began))
    if ((seconds < due)); then continue; fi
    due=$((seconds + every))
    text="    $seconds s  $(tail -n 1 "$log" 2>/dev/null | tr -d '\r')"
    if [[ -t 1 ]]; then printf '\r\033[K%s' "${text:0:${width:-79}}"; else printf '%s\n' "${text:0:width}"; fi
  done &
  progress=$!
}

end_progress() {
  kill "$progress" 2>/dev/null || true
  wait "$progress" 2>/dev/null || true
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# open_log LOG: makes it an empty file.
open_log() {
  { mkdir -p "$(dirname "$1")" && : >"$1"; } 2>/dev/null ||
    die "cannot write $1" "If another user (root, say) has built here before, remove the folder build or change its owner."
}

# show_failure LOG STATUS COMMAND...: how COMMAND ended, and the last lines of its LOG.
show_failure() {
  printf '%s: "%s" failed with exit code %d. The end of %s:\n' "$program" "${*:3}" "$2" "$1" >&2
  tail -n 40 "$1" >&2
}

# run_logged LOG COMMAND...: output goes to LOG, and progress is shown; on failure the last lines of LOG are.
run_logged() {
  local log=$1 status=0
  shift
  open_log "$log"
  show_progress "$log"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  end_progress
  if ((status != 0)); then show_failure "$log" "$status" "$@"; fi
  return "$status"
}

# Builds may use this many processes: PMUFAB_JOBS, or one per processor but no more than memory allows (a compiler takes up
# to 1.5 GiB for a batch of units).
job_count() {
  if [[ -n ${PMUFAB_JOBS:-} ]]; then
    echo "$PMUFAB_JOBS"
    return
  fi
  local cpus allowed
  cpus=$(nproc)
  allowed=$(awk '/^MemAvailable/ { print int($2 / 1048576 / 1.5) }' /proc/meminfo 2>/dev/null || true)
  [[ -n $allowed ]] || allowed=$cpus
  ((allowed >= 1)) || allowed=1
  echo $((cpus < allowed ? cpus : allowed))
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
