#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cmn_drivers_test.sh: every CMN scenario that leaves out driver versions gives a reason, in its file or in
# docs/cmn-drivers.md. Every scenario that the document names exists.
source "$(dirname "$0")/expect.sh"
cd "$repository" || exit
failed=0
mapfile -t scenarios < <(find scenarios -name 'cmn-*.yaml' ! -path 'scenarios/platforms/*' | LC_ALL=C sort)
((${#scenarios[@]} > 0)) || { echo "there are no scenarios"; exit 1; }
for scenario in "${scenarios[@]}"; do
  name=$(basename "$scenario" .yaml)
  grep -qE '^drivers:' "$scenario" || continue
  grep -qE '^#.*Linux' "$scenario" || grep -qE "(^|[^a-z0-9-])$name([^a-z0-9-]|\$)" docs/cmn-drivers.md || {
    echo "$scenario leaves out driver versions and does not say why, nor does docs/cmn-drivers.md"
    failed=1
  }
done
mapfile -t names < <(grep -oE '(^|[^a-z0-9-])cmn-[a-z0-9-]+' docs/cmn-drivers.md | grep -oE 'cmn-[a-z0-9-]+' | sort -u)
for name in "${names[@]}"; do
  [[ -n $(find scenarios -name "$name.yaml") || -e docs/$name.md ]] || {
    echo "docs/cmn-drivers.md names $name, which is no scenario"
    failed=1
  }
done
mapfile -t tests < <(grep -oE '`(Cmn|Graviton5)[A-Za-z0-9]*(\.[a-z0-9_]+)?' docs/cmn-drivers.md | tr -d '`' | sort -u)
for test in "${tests[@]}"; do
  suite=${test%%.*} rest=${test#"$suite"} rest=${rest#.}
  grep -rqE "(TEST|TEST_F|TEST_P)\($suite, ${rest:-.}" testbench/tests testbench/fabrics || {
    echo "docs/cmn-drivers.md names the test $test, which does not exist"
    failed=1
  }
done
exit "$failed"
