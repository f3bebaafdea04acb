#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mutate_models_test.sh PMUFAB FOLDER: tools/mutate with models and judges. FOLDER is for results.
source "$(dirname "$0")/../scripts/expect.sh"
pmufab=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
mutate() { "$repository/tools/mutate" --pmufab "$pmufab" --scratch "$folder/scratch" --quiet "$@"; }

# The same seed gives the same mutants, evenly from the fabrics.
expect 0 mutate --of models --of judges --list --count 120 --equivalent /dev/null
sample=$output
expect 0 mutate --of models --of judges --list --count 120 --equivalent /dev/null
[[ $output == "$sample" ]] || complain "the same seed gave other mutants"
counts=$(cut -d/ -f1 <<<"$sample" | sort | uniq -c | awk '{ print $1 }' | sort -u)
[[ $counts == 10 ]] || complain "not evenly from the fabrics: $sample"

# A model that knows no data of a packet is noticed, and so is a judge that computes a count wrongly.
noticed() {  # KIND FILE MUTANT SCENARIO
  expect 0 mutate --of "$1" --only "$2" --list --count 1000
  local mutant
  mutant=$(grep -m 1 "$3" <<<"$output")
  expect 0 mutate --of "$1" --mutant "$mutant" --json "$folder/$1.json" --least 100
  says "$1, seed 1: 1 of 1 mutants noticed (100 %)"
  grep -q "\"by\": \"$4\"" "$folder/$1.json" || complain "$4 does not notice $mutant"
}
noticed models models/dwc/link_events.cpp /payload_of/condition/ dwc-basic
noticed judges testbench/fabrics/dwc/judge/dwc_judge.cpp /DwcTruth::count/arithmetic/ dwc-basic

# The same machine code is not counted: parentheses make none.
cat >"$folder/same.py" <<'END'
import pathlib, sys, types
sys.path.insert(0, sys.argv[1] + "/tools")
from mutation import mutants, operators, units
options = types.SimpleNamespace(pmufab=sys.argv[2], jobs=1, scenarios=1, timeout=60)
part = next(one for one in units.find_parts(pathlib.Path(sys.argv[2]).parents[1], {"model"}) if one.fabric == "dwc")
file = next(file for file in part.files if file.name == "link_events.cpp")
source = file.read_text(encoding="utf-8")
edit = operators.Edit("pattern", source.index("id >= "), source.index("id >= ") + 2, "(id)")
mutant = mutants.Mutant(part, file, "payload_of", "pattern", "1", source, edit)
print(units.UnitBench(options, [part], pathlib.Path(sys.argv[3])).try_mutant(mutant, 0).state)
END
expect 0 python3 -B "$folder/same.py" "$repository" "$pmufab" "$folder/scratch"
says 'same code'

# What is wrong in calls.
expect 2 mutate --of models --of drivers --list
says 'drivers are tried without models and judges'
expect 2 mutate --of judges --only models/dwc --list
says 'no unit of a model or a judge that is changed is at models/dwc'
exit "$failed"
