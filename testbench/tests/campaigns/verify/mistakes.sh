# SPDX-License-Identifier: Apache-2.0
# For scripts that put mistakes into a driver and expect random cases to find them. Their arguments are PMUFAB
# LINUX_SOURCES WORK.
# shellcheck shell=bash
set -euo pipefail
pmufab=$1 sources=$2 work=$3

# driver FABRIC FILE CASES MOST: the kernel's own driver passes CASES cases. Each mistake must be found within MOST.
driver() {
  fabric=$1 file=$2 most=$4
  original=$(find "$sources" -path "*/drivers/perf/$file" | sort -V | tail -n 1)
  [[ -n $original ]] || { echo "no Linux sources in $sources"; exit 1; }
  rm -rf "$work"
  mkdir -p "$work/none"
  cp "$original" "$work/none/"
  verify none "$3" || { echo "the kernel's own driver fails:"; cat "$work/none/verify.txt"; exit 1; }
}

# verify NAME CASES: exit code of a campaign with the driver in WORK/NAME
verify() {
  local code=0
  (cd "$work/$1" && "$pmufab" driver build "$file" > build.txt 2>&1) || { cat "$work/$1/build.txt"; exit 1; }
  "$pmufab" verify --fabric "$fabric" --driver "$work/$1/${file%.c}.so" --runs "$2" --failures 1 --no-shrink \
    --out "$work/$1/out" > "$work/$1/verify.txt" 2>&1 || code=$?
  return "$code"
}

# mistake NAME SCRIPT: put it in by sed, and expect a failure
mistake() {
  mkdir "$work/$1"
  sed "$2" "$original" > "$work/$1/$file"
  ! cmp -s "$original" "$work/$1/$file" || { echo "$1: the script changes nothing"; exit 1; }
  local code=0
  verify "$1" "$most" || code=$?
  [[ $code == 1 ]] || { echo "$1: not found (exit code $code)"; tail -n 5 "$work/$1/verify.txt"; exit 1; }
}
