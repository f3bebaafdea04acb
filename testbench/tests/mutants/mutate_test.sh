#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mutate_test.sh PMUFAB SOURCES FOLDER: tools/mutate with the drivers in SOURCES. FOLDER is for results.
source "$(dirname "$0")/../scripts/expect.sh"
pmufab=$1 sources=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
mutate() { "$repository/tools/mutate" --pmufab "$pmufab" --sources "$sources" --quiet "$@"; }

# The same seed gives the same mutants in the same order, evenly from the drivers. Another seed gives others. Mutants
# known to be equivalent count, too.
expect 0 mutate --list --count 70 --equivalent /dev/null
sample=$output
expect 0 mutate --list --count 70 --equivalent /dev/null
[[ $output == "$sample" ]] || complain "the same seed gave other mutants"
expect 0 mutate --list --count 70 --seed 2 --equivalent /dev/null
[[ $output != "$sample" ]] || complain "another seed gave the same mutants"
counts=$(cut -d/ -f1 <<<"$sample" | sort | uniq -c | awk '{ print $1 }' | sort -nu)
((${counts##*$'\n'} - ${counts%%$'\n'*} <= 1)) || complain "not evenly from the drivers: $sample"

# A driver that does not write its counters before they count is noticed.
expect 0 mutate --list --only arm_cspmu_module --only nvidia_cspmu --count 5000
call=$(grep -m 1 '/arm_cspmu_set_event_period/call/' <<<"$output")
for run in first second; do
  expect 0 mutate --mutant "$call" --json "$folder/$run.json" --least 100
  says 'seed 1: 1 of 1 mutants noticed (100 %)'
  echo "$output" >"$folder/$run.txt"
done
cmp "$folder/first.txt" "$folder/second.txt" && cmp "$folder/first.json" "$folder/second.json" ||
  complain "a report is not the same each time"
grep -q '"by": "pcie-basic"' "$folder/first.json" || complain "JSON does not say what noticed the mutant"

# With too few scenarios it survives, and its change is shown. One that is known to be equivalent is not tried.
expect 0 mutate --list --only nvidia_t410_cmem_latency_pmu --count 1 --equivalent /dev/null
IFS=/ read -r driver function operator line <<<"$output"
echo "$driver | $function | $operator | $line | so says this test" >"$folder/equivalent.txt"
expect 0 mutate --only nvidia_t410_cmem_latency_pmu --count 1 --equivalent "$folder/equivalent.txt"
says "$driver/$function/$operator/$line: so says this test"
says '0 of 0 mutants noticed'
expect 2 mutate --only nvidia_t410_cmem_latency_pmu --count 1 --equivalent "$folder/equivalent.txt" --least 90
says 'there is no mutant to measure'
expect 2 mutate --mutant arm_cmn/none/call/0123456789
says 'there is no mutant arm_cmn/none/call/0123456789'

# A change that is not noticed by the scenario that is named, and one that changes nothing.
echo 'idle | perf/nvidia_t410_cmem_latency_pmu.c | s/$/ / | cmem-basic | more blanks' >"$folder/patterns.txt"
expect 1 mutate --patterns "$folder/patterns.txt"
says 'WRONG: cmem-basic was to notice it'
echo 'none | perf/nvidia_t410_cmem_latency_pmu.c | s/no such text// | cmem-basic | nothing' >"$folder/patterns.txt"
expect 2 mutate --patterns "$folder/patterns.txt"
says 'the sed script changes nothing'

# A driver that crashes is noticed.
echo 'crash | perf/nvidia_t410_cmem_latency_pmu.c | s/^\s+cmem_lat_pmu->name = name;$/&*(volatile int *)8 = 1;/ |' \
  'cmem-basic | it writes to nowhere' >"$folder/patterns.txt"
expect 0 mutate --patterns "$folder/patterns.txt"
says 'CRASHED: cmem-basic'
says '1 of 1'

# The document names each historic defect, and the scenario that notices it first.
while IFS=$'\t' read -r name scenario; do
  grep -q "^| \`$name\`: .*| $scenario |" "$repository/docs/historic-defects.md" ||
    complain "docs/historic-defects.md has no line for $name, which $scenario notices"
done < <(awk -F ' [|] ' '!/^#/ { split($4, names, " "); print $1 "\t" names[1] }' "$(dirname "$0")/historic-defects.txt")
exit "$failed"
