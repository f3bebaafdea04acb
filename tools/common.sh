# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts in this folder: `source "$(dirname "$0")/common.sh"`.
# shellcheck shell=bash

set -euo pipefail

# The repository, independent of the current directory.
# shellcheck disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=tools/$(basename "$0")

# say: announces the next step, with a mark that is easy to find in a log. note: a detail of it.
say() { printf '\n==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }

# die MESSAGE...: prints the reason, one line per argument, and exits with 2 (a wrong call, or a fault of the machine).
die() {
  printf '%s: %s\n' "$program" "$1" >&2
  shift
  local line
  for line in "$@"; do printf '    %s\n' "$line" >&2; done
  exit 2
}

# The comment block at the top of the script, without the licence, is its --help text.
print_help() { awk 'NR > 1 && !/^# SPDX/ { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# show_progress LOG: shows the time passed and the last line of LOG until end_progress is called. A terminal gets one
# line that changes; anything else gets a line every half a minute.
show_progress() {
  local log=$1 every=30 width=110 began=$SECONDS seconds due text
  if [[ -t 1 ]]; then
    every=1
    width=$(stty size 2>/dev/null </dev/tty | awk '$2 > 10 { print $2 - 1 }' || true)
  fi
  due=$every
  # The sleep must not hold the output open. The loop ends when the script has ended.
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

# open_log LOG: makes LOG an empty file.
open_log() {
  { mkdir -p "$(dirname "$1")" && : >"$1"; } 2>/dev/null || die "cannot write $1" \
    "If another user (root, say) has built here before, remove the folder build or change its owner."
}

# show_failure LOG STATUS COMMAND...: prints how COMMAND ended, and the last lines of LOG.
show_failure() {
  printf '%s: "%s" failed with exit code %d. The end of %s:\n' "$program" "${*:3}" "$2" "$1" >&2
  tail -n 40 "$1" >&2
}

# run_logged LOG COMMAND...: runs COMMAND with its output in LOG, and shows progress. If it fails, shows the end of LOG.
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

# The number of processes a build may use: PMUFAB_JOBS, or one per processor as far as memory allows. A compiler takes
# up to 1.5 GiB for a batch of units.
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

# with_large_pages COMMAND...: runs COMMAND with a heap that grows in large steps and keeps what it has, in large pages where
# the kernel has them. clang takes a fifth less time, cppcheck too; GCC has a heap of its own (tools/large_pages.c).
with_large_pages() {
  local heap=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=4294967296
  GLIBC_TUNABLES=${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}$heap:glibc.malloc.mmap_threshold=33554432 "$@"
}

# The Linux drivers the driver host knows, one per line: kernel module and files, separated by blanks.
linux_drivers() { awk '!/^#/ && NF >= 2 { $1 = $1; print }' "$root/testbench/host/linux-drivers.txt"; }

# further_driver MODULE: the lines, as linux_drivers() has them, that make a module of further-drivers.txt, its helpers first.
# Fails if it is not listed.
further_driver() {
  local line module file after
  line=$(awk -v module="$1" '!/^#/ && $1 == module' "$root/testbench/host/further-drivers.txt")
  [[ -n $line ]] || return 1
  read -r module file after <<<"$line"
  for after in ${after#after}; do further_driver "$after"; done
  echo "$module $file"
}

# has_linux_drivers TREE: succeeds if TREE has at least one PMU driver that the driver host knows.
has_linux_drivers() {
  local files file
  while read -r _ files; do
    for file in $files; do
      if [[ $file == drivers/perf/* && -f $1/$file ]]; then return 0; fi
    done
  done < <(linux_drivers)
  return 1
}
