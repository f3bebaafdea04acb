#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# completion_test.sh COMPLETION: how bash completes a line when Tab is pressed. Uses a terminal of script(1) and an
# interactive bash, in which `pmufab` knows two scenarios and prints its arguments.
set -euo pipefail
completion=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir platforms && touch platforms/small.yaml platforms/notes.txt driver.c driver.so other.h first.yaml
cat >rc <<RC
PS1='\$ '
source '$completion'
pmufab() {
  if [[ \$1 == --scenario-names ]]; then printf '%s\n' shipped-one ship-two; return; fi
  printf '<%s>' "\$@"
  echo .
}
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind 'set show-all-if-ambiguous on'
bind 'set completion-query-items 1000'
bind 'set page-completions off'
RC

# typed KEYS: prints the screen after an interactive bash got KEYS, or why script has no terminal.
typed() {
  printf '%b\nexit\n' "$1" | TERM=dumb INPUTRC=/dev/null script --quiet --return --command \
    "bash --noprofile --rcfile '$folder/rc' -i" /dev/null 2>&1 | tr -d '\r\a' || true
}
failures=0
# becomes KEYS WORDS: the line must be completed to WORDS.
becomes() {
  local screen
  screen=$(typed "$1")
  if ! grep -qF -- "$2" <<<"$screen"; then echo "'$1' does not become $2:" "$screen"; failures=$((failures + 1)); fi
}
# offers KEYS WORD...: these words must be offered.
offers() {
  local screen word keys=$1
  shift
  screen=$(typed "$keys")
  for word; do
    if ! grep -qE -- "(^|[[:space:]])$word([[:space:]]|\$)" <<<"$screen"; then
      echo "'$keys' does not offer $word:" "$screen"
      failures=$((failures + 1))
    fi
  done
}

offers 'pmufab r\t' regs run
becomes 'pmufab ru\t' '<run>.'
becomes 'pmufab dr\tb\t' '<driver><build>.'
offers 'pmufab trace \t' import record info
offers 'pmufab explore \t' export merge report first.yaml
becomes 'pmufab explore exp\tx' '<explore><export><x>.'
becomes 'pmufab explore fi\t' '<explore><first.yaml>.'
offers 'pmufab explore first.yaml --sh\t' --shard
offers 'pmufab run --dri\t' --driver --driver-dir --drivers
becomes 'pmufab run --ju\tx' '<run><--junit><x>.'
becomes 'pmufab run --serving dwc\t' '<run><--serving><dwc_pcie_pmu>.'
becomes 'pmufab run fi\t' '<run><first.yaml>.'
becomes 'pmufab run shipp\t' '<run><shipped-one>.'
becomes 'pmufab run --verbose ship-\t' '<run><--verbose><ship-two>.'
offers 'pmufab run \t' shipped-one ship-two first.yaml platforms/
becomes 'pmufab list pl\tsm\t' '<list><platforms/small.yaml>.'
becomes 'pmufab list platforms/\t' '<list><platforms/small.yaml>.'
becomes 'pmufab list dr\t' '<list><driver.so>.'
becomes 'pmufab driver build dr\t-o x' '<driver><build><driver.c><-o><x>.'
becomes 'pmufab run --driver dr\t' '<run><--driver><driver.so>.'
becomes 'pmufab boot --clock in\t' '<boot><--clock><instructions>.'
becomes 'pmufab boot --clock=in\t' '<boot><--clock=instructions>.'
becomes 'pmufab run --out pl\t' '<run><--out><platforms/>.'
becomes 'pmufab shell -- perl\t' '<shell><--><perl'
[[ $failures == 0 ]]
