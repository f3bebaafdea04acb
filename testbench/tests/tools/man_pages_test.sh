#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# man_pages_test.sh PMUFAB DOCUMENTS: every command has a man page, mandoc has no complaints, and each page has every
# option of the command's --help.
set -euo pipefail
pmufab=$1 pages=$2/man1
fail() { echo "FAILED: $*"; exit 1; }

mandoc -T lint -W warning "$pages"/*.1 || fail "mandoc"

mapfile -t commands < <("$pmufab" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 }
  on { print $1 ($2 ~ /^[a-z]/ ? " " $2 : "") }')
((${#commands[@]} >= 13)) || fail "only ${#commands[@]} commands in --help"
for command in "${commands[@]}"; do
  page=$pages/pmufab-${command// /-}.1
  [[ -s $page ]] || fail "no page for $command"
  text=$(mandoc -T utf8 "$page" | sed 's/.\x08//g')
  grep -q '^EXAMPLES' <<<"$text" || fail "$page has no examples"
  read -ra words <<<"$command"
  options=$("$pmufab" "${words[@]}" --help | grep -oE '^  (-. \[ )?--[a-z-]+' | grep -oE -- '--[a-z-]+' || true)
  for option in $options; do
    [[ $option == --help ]] && continue
    grep -qE -- "^ +(-., )?$option( |\$)" <<<"$text" || fail "$page does not describe $option"
  done
done
mandoc -T utf8 "$pages/pmufab.1" | sed 's/.\x08//g' | grep 'pmufab-driver-build(1)' >/dev/null ||
  fail "pmufab.1 does not list the commands"
[[ $(ls "$pages") == "$(printf 'pmufab%s.1\n' '' "${commands[@]/#/-}" | tr ' ' - | sort)" ]] ||
  fail "pages of commands there are not: $(ls "$pages")"
echo "${#commands[@]} pages"
