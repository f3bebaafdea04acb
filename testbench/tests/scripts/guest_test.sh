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
expect 0 grep -F "kVersion = $protocol;" "$repository/testbench/doors/guest/devices/aperture.h"

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

expect 2 "$prepare" --sources
says '--sources needs a folder'

# Sources that were fetched are not fetched again. This is one function of the script, with its variables.
# linux_point is of debian.sh.
mkdir -p "$folder/sources/7.3.4"
printf '7.3.4\nlinux-source-7.3 7.3.4-1~bpo13+1\n' >"$folder/sources/7.3.4/VERSION"
{
  cat "$repository/tools/debian.sh"
  sed -n '/^driver_sources() {$/,/^}$/p' "$prepare"
  echo "release=7.3.4+deb13-arm64 version=7.3.4-1~bpo13+1 sources=$folder/sources root=/none; driver_sources"
} >"$folder/driver_sources"
expect 0 bash -eu "$folder/driver_sources"
says "$folder/sources/7.3.4"

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
