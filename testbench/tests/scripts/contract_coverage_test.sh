#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# contract_coverage_test.sh FOLDER: tools/contract-coverage on a small tree in FOLDER.
source "$(dirname "$0")/expect.sh"
tree=$1
rm -rf "$tree"
mkdir -p "$tree"/{tools,docs,scenarios,testbench/tests/part}
cp "$repository"/tools/{common.sh,contract-coverage} "$tree/tools"
cat >"$tree/docs/contract.md" <<'END'
| line | kind | behaviour | status |
|---|---|---|---|
| C1 | HW | first | applies |
| C2 | HW | second | applies |
| C3 | HW | third | not applicable: no such part |
| D10 | SW | fourth | applies (in part) |
END
# The word is split so that the script does not count this file as a test of those lines.
c=contract
cat >"$tree/testbench/tests/part/part_test.cpp" <<END
// $c C1
TEST_F(Part, shows_the_first) {
}

TEST(Part, shows_the_second) {
  check();  // $c C2: and more words
}
END
echo 'pmufab_test(part_test SOURCES part_test.cpp LINK pmufab::part)' >"$tree/testbench/tests/part/CMakeLists.txt"

expect 1 "$tree/tools/contract-coverage"
says 'D10 has no test: fourth'
says 'Contract: 4 lines, 2 shown by tests, 1 not applicable, 1 missing.'
says 'part_test.cpp: Part.shows_the_first'
says 'part_test.cpp: Part.shows_the_second'

echo "# $c C1 and D10" >"$tree/scenarios/fourth.yaml"
expect 0 "$tree/tools/contract-coverage" --quiet
says 'Contract: 4 lines, 3 shown by tests, 1 not applicable, 0 missing.'

echo "// $c C3, C99" >"$tree/testbench/tests/part/other_test.cpp"
echo 'TEST(Other, claims_too_much) {}' >>"$tree/testbench/tests/part/other_test.cpp"
expect 1 "$tree/tools/contract-coverage" --quiet
says 'Other.claims_too_much names C3, which docs/contract.md calls not applicable'
says 'Other.claims_too_much names C99, which docs/contract.md does not have'

# A test that is not built shows nothing.
rm "$tree/testbench/tests/part/other_test.cpp" "$tree/testbench/tests/part/CMakeLists.txt"
expect 1 "$tree/tools/contract-coverage" --quiet
says 'no CMakeLists.txt builds it'
says 'C2 has no test: second'
