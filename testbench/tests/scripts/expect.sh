# SPDX-License-Identifier: Apache-2.0
# Functions for the tests in this folder.
# shellcheck shell=bash
set -euo pipefail
# shellcheck disable=SC2034
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

# expect STATUS COMMAND...: runs COMMAND, which must end with STATUS. Its output is in $output.
expect() {
  local wanted=$1 status=0
  shift
  output=$("$@" 2>&1) || status=$?
  if ((status != wanted)); then
    printf '"%s" exited with %d, not %d:\n%s\n' "$*" "$status" "$wanted" "$output"
    exit 1
  fi
}

# says TEXT: the last output has TEXT in one of its lines.
says() {
  grep -qF -- "$1" <<<"$output" || { printf 'not said: %s\n%s\n' "$1" "$output"; exit 1; }
}

# complain TEXT...: reports a failure. The test continues, and ends with $failed.
# shellcheck disable=SC2034
failed=0
complain() {
  echo "FAILED: $*"
  # shellcheck disable=SC2034
  failed=1
}
