#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# licence_test.sh FOLDER: every file has its licence at the top, the one that LICENSE lists. Test files in FOLDER show
# that a missing and a wrong licence are found.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$1

# Files that cannot hold a comment, or that are a licence.
is_exception() {
  case $1 in
    LICENSE | LICENSES/* | *.json | *.csv) return 0 ;;
  esac
  return 1
}

# The BSD-2-Clause files in LICENSE.
bsd=$(sed -nE 's#^    ((testbench|docs)/[^ ]+) .*#\1#p' LICENSE)
[[ -n $bsd ]] || { echo "LICENSE lists nothing"; exit 1; }

# complaints FOLDER: reads names of files, relative to FOLDER, and prints those without the licence of LICENSE in their
# first two lines (the first may be "#!").
complaints() {
  # shellcheck disable=SC2016
  (cd "$1" && xargs -d '\n' awk -v bsd="$bsd" '
    function right(file, place, i) {
      for (i = 1; i <= places; i++) if (index(file "/", list[i] "/") == 1) return "BSD-2-Clause"
      return "Apache-2.0"
    }
    BEGIN {
      places = split(bsd, list, "\n")
      for (i = 1; i < ARGC; i++) wrong[ARGV[i]] = "no SPDX-License-Identifier in the first two lines"
    }
    FNR > 2 { nextfile }
    match($0, /SPDX-License-Identifier: [A-Za-z0-9.-]+/) {
      licence = substr($0, RSTART + 25, RLENGTH - 25)
      if (licence == right(FILENAME)) delete wrong[FILENAME]
      else wrong[FILENAME] = "says " licence ", but LICENSE gives it " right(FILENAME)
    }
    END { for (file in wrong) print file ": " wrong[file] }')
}

# Without git, as in an unpacked archive: all files except those of a build.
files() {
  git -c safe.directory='*' ls-files 2>/dev/null ||
    find . -type f ! -path './build*' ! -path './.cache/*' ! -path './.git/*' -printf '%P\n'
}
all=$(files | while read -r file; do if [[ -f $file ]] && ! is_exception "$file"; then echo "$file"; fi; done)
found=$(complaints . <<<"$all")
if [[ -n $found ]]; then echo "$found"; exit 1; fi

# The test finds wrong files.
rm -rf "$work"
mkdir -p "$work"/{tlm,tools,testbench/doors/shell/preload}
echo 'int x;' >"$work/tlm/none.c"
printf '#!/bin/sh\n# SPDX-License-Identifier: BSD-2-Clause\n' |
  tee "$work/tools/other" >"$work/testbench/doors/shell/preload/right"
found=$(printf '%s\n' tlm/none.c tools/other testbench/doors/shell/preload/right | complaints "$work" | LC_ALL=C sort)
[[ $found == "tlm/none.c: no SPDX"*$'\n'"tools/other: says BSD-2-Clause, but LICENSE gives it Apache-2.0" ]] ||
  { echo "the test does not find what is wrong: $found"; exit 1; }
count=$(wc -l <<<"$all")
echo "$count files"
((count > 500))
