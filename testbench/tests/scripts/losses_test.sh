#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# losses_test.sh FOLDER: tools/losses on counters made for the test, in FOLDER.
source "$(dirname "$0")/expect.sh"
folder=$1
rm -rf "$folder"
mkdir -p "$folder"
script=$repository/tools/losses
causes=(handler reading not_scheduled disabled frozen carry_under_way carry_lost ambiguous_wrap unexplained)
heading=scenario,variant,drivers,event,driver,happened,counted,reported$(printf ',loss_%s' "${causes[@]}")
# 100 happened, 10 of them in handlers and 5 in others' turns; 85 were counted, 64 of them lost as a turn.
good=a,x,7.3.4,ucf/read/,21,100,85,21,10,0,5,0,0,0,0,64,0
# Of 700 cycles that reading cost, 100 were counted: the driver set the running counter anew.
reading=a,x,7.3.4,cmn/dtc_cycles/,300,1000,400,300,0,700,0,0,0,0,0,0,0
printf '%s\n' "$heading" "$good" "$reading" 'a,x,7.3.4,ucf/refused/,,,,,,,,,,,,,' >"$folder/good.csv"
expect 0 "$script" "$folder/good.csv"
says '2 counters, 2 with losses; 0 mistakes.'

printf '%s\n' "$heading" "${good/,10,0,5,/,10,0,4,}" "${good/,64,0/,63,0}" "${good/21,100/22,100}" \
  "${reading/,700,/,500,}" >"$folder/bad.csv"
expect 1 "$script" "$folder/good.csv" "$folder/bad.csv"
says 'a (x; Linux 7.3.4): ucf/read/: happened 100 - counted 85 is not 14'
says 'a (x; Linux 7.3.4): ucf/read/: counted 85 - reported 21 is not 63'
says 'a (x; Linux 7.3.4): ucf/read/: the driver gave 22, and reported is 21'
says 'a (x; Linux 7.3.4): cmn/dtc_cycles/: happened 1000 - counted 400 is not 0, and up to 500 for reading'
says '6 counters, 6 with losses; 4 mistakes.'

# Nothing to look at is no success.
echo "$heading" >"$folder/empty.csv"
expect 1 "$script" "$folder/empty.csv"
expect 2 "$script"
expect 2 "$script" "$folder/none.csv"
