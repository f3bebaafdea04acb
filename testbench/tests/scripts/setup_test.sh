#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup_test.sh FOLDER: failures of tools/setup. A fake dpkg-query reports that nothing is installed.
source "$(dirname "$0")/expect.sh"
folder=$1
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/none"

expect 2 "$repository/tools/setup" --no-such-option
says "unknown option '--no-such-option'"

ln -s /bin/false "$folder/bin/dpkg-query"
expect 2 env PATH="$folder/bin:$PATH" "$repository/tools/setup" --check
says 'packages are missing:'
says 'libsystemc-dev'
says 'libgtest-dev'
expect 2 env PATH="$folder/bin:$PATH" "$repository/tools/setup" --demo --check
says 'libsystemc-dev'
! grep -qF libgtest-dev <<<"$output" || { printf 'the demo needs no tests:\n%s\n' "$output"; exit 1; }

# Only the programs that the script calls before it looks for apt-get.
for command in bash dirname awk basename env; do ln -s "$(command -v "$command")" "$folder/none/$command"; done
expect 2 env PATH="$folder/none" "$repository/tools/setup"
says 'not a Debian system'
