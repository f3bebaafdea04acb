#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# zero_counts_test.sh FOLDER: tools/zero-counts on counters made for the test, in FOLDER.
source "$(dirname "$0")/expect.sh"
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
script=$repository/tools/zero-counts
heading=scenario,variant,drivers,measure,event,driver,scoreboard,check
cat >"$folder/first.csv" <<END
$heading
a,,7.3.4,m,ucf_pmu_0/read/,0,0,exact
a,,7.3.4,m,"ucf_pmu_0/write,src=1/",0,0,exact
a,,7.3.4,m,"ucf_pmu_0/event=0x1,src=1/",0,0,exact
a,,7.3.4,m,ucf_pmu_0/refused/,,,not_opened
END
cat >"$folder/second.csv" <<END
$heading
b,,6.12,m,"ucf_pmu_1/read,src=2/",7,7,exact
b,,6.12,m,ucf_pmu_1/never/,3,0,wrong
END

# What happens at another PMU, or under another filter, happens. A number is no name.
echo 'ucf_pmu_*/write/ | no traffic writes' >"$folder/list"
expect 1 "$script" --list "$folder/list" "$folder/first.csv" "$folder/second.csv"
says 'counts nothing in any run, and is not in list: ucf_pmu_*/never/'
says '3 events; 2 count nothing in any run, 1 of them for a known reason.'

printf '# why\nucf_pmu_*/[wn]* | a reason\n' >"$folder/list"
expect 0 "$script" --list "$folder/list" "$folder/first.csv" "$folder/second.csv"

echo 'ucf_pmu_*/read/ | it was so once' >>"$folder/list"
expect 1 "$script" --list "$folder/list" "$folder/first.csv" "$folder/second.csv"
says 'in list, but no such event counts nothing: ucf_pmu_*/read/'

echo 'ucf_pmu_*/never/' >"$folder/list"
expect 2 "$script" --list "$folder/list" "$folder/first.csv" "$folder/second.csv"
says 'list:1: there is no reason'
expect 2 "$script"
expect 2 "$script" "$folder/third.csv"
