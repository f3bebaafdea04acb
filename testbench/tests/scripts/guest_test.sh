#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# guest_test.sh FOLDER: failures of tools/guest/prepare. After a success, prepare tries the guest itself.
source "$(dirname "$0")/expect.sh"
folder=$1
prepare=$repository/tools/guest/prepare
rm -rf "$folder"
mkdir -p "$folder/bin"

# One number in three places: init implements it, prepare writes it down, and pmufab checks it.
protocol=$(sed -n 's/^protocol=//p' "$repository/tools/guest/init")
expect 0 grep -F "kVersion = $protocol;" "$repository/testbench/guest/devices/aperture.h"

expect 0 "$prepare" --help
says 'Usage: tools/guest/prepare [options] [DEST]'

expect 2 "$prepare" --no-such-option
says "unknown option '--no-such-option'"

expect 2 "$prepare" "$folder/one" "$folder/two"
says 'more than one DEST folder is given'

expect 2 "$prepare" ''
says 'DEST is empty'

expect 2 "$prepare" --mirror
says '--mirror needs an address'

expect 2 "$prepare" "$folder/a b"
says 'has a blank or a colon in it'
[[ ! -e "$folder/a b" ]] || { echo "it made the folder '$folder/a b'"; exit 1; }

# A fake dpkg reports another architecture.
printf '#!/bin/sh\necho riscv64\n' >"$folder/bin/dpkg"
chmod +x "$folder/bin/dpkg"
expect 77 env PATH="$folder/bin:$PATH" "$prepare" "$folder/dest"
says 'this is not an amd64 Debian system'
[[ ! -e $folder/dest ]] || { echo "it made the folder $folder/dest"; exit 1; }

# The remains of an interrupted call are not a guest. The mirror is a missing folder.
mkdir -p "$folder/dest"
echo 'of another version' >"$folder/dest/.complete"
printf '#!/bin/sh\necho amd64\n' >"$folder/bin/dpkg"
expect 77 env PATH="$folder/bin:$PATH" "$prepare" --mirror "file:$folder/debian" "$folder/dest"
says "file:$folder/debian cannot be asked, or has no arm64 kernel"
