#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# review_test.sh PMUFAB SOURCES FOLDER: pmufab review, on changes that this makes of the drivers in SOURCES, in FOLDER.
source "$(dirname "$0")/../scripts/expect.sh"
pmufab=$1 sources=$2 folder=$3
kernel=$(find "$sources" -mindepth 1 -maxdepth 1 -type d | LC_ALL=C sort -V | tail -n 1)
rm -rf "$folder"
mkdir -p "$folder/tree/drivers/perf" "$folder/my"
cd "$folder"

review() { "$pmufab" review --for "${span:-1s}" "$@"; }
# The report is for a mail.
is_short() {
  (($(wc -l <<<"$output") <= 32)) || complain "more than thirty lines, and what building says: $output"
  ! grep -E '^.{73}' <<<"$output" || complain "a line of more than 72 columns"
}
# A change of a driver: SED SCRIPT, FILE.
changed() {
  sed -E "$1" "$kernel/drivers/perf/$2" >"my/$2"
  ! cmp -s "my/$2" "$kernel/drivers/perf/$2" || complain "nothing in $2 is changed by $1"
}

# What is no change makes nothing worse.
cp "$kernel/drivers/perf/dwc_pcie_pmu.c" my/
expect 0 review my/dwc_pcie_pmu.c
says 'SAME: same '
is_short

# A mistake is worse. The report names the function, and a scenario that shows it.
delta='s/(delta = \(now - prev)\) & DWC_PCIE_MAX_PERIOD/\1 - 1) \& DWC_PCIE_MAX_PERIOD/'
changed "$delta" dwc_pcie_pmu.c
expect 1 review my/dwc_pcie_pmu.c --out wrong --json wrong.json --markdown wrong.md --html wrong.html
says 'WORSE: same '
says 'changed: dwc_pcie_pmu_event_update() ran '
is_short
command=$(sed -n 's/^reproduce: //p' <<<"$output")
grep -q '"function": "dwc_pcie_pmu_event_update"' wrong.json || complain "the JSON does not name the function"
grep -q '^### pmufab review: WORSE$' wrong.md || complain "the Markdown does not say it"
grep -q '<h1>WORSE: ' wrong.html || complain "the page does not say it"
read -ra words <<<"$command"
expect 1 "$pmufab" "${words[@]:1}"

# Not every line of a change runs: an event without hardware.
changed 's/^(\s*)(delta = \(now - prev\).*)/\1if (now == 0x123456789)\n\1\thwc->state = 0;\n\1\2/' dwc_pcie_pmu.c
expect 0 review my/dwc_pcie_pmu.c
says 'not covered: dwc_pcie_pmu_event_update(): line '

# A correction is better.
changed 's/^(\s*)\*counter_idx = i;/&\n\1*event_idx = pmu_ev->event_idx;/' cxl_pmu.c
expect 0 review my/cxl_pmu.c
says 'BETTER: same '
says 'better: '
is_short

# A series, of which one patch breaks counting, and the next one mends it: from a mailbox, and as commits.
git=(git -C tree -c user.name=A -c user.email=a@example.org)
cp "$kernel/drivers/perf/dwc_pcie_pmu.c" tree/drivers/perf/
mkdir tree/Documentation
echo text >tree/Documentation/notes
"${git[@]}" init --quiet
"${git[@]}" add .
"${git[@]}" commit --quiet --message base
step() {
  sed -i -E "$1" tree/drivers/perf/dwc_pcie_pmu.c
  echo more >>tree/Documentation/notes
  "${git[@]}" commit --quiet --all --message "perf/dwc_pcie: $2"
}
step 's/u64 delta, prev, now;/u64 prev, now, delta;/' 'Order variables'
step "$delta" 'Compute the delta in another way'
step 's/\(now - prev - 1\)/(now - prev)/' 'Compute the delta as before'
"${git[@]}" format-patch --quiet --cover-letter --stdout HEAD~3 >series.mbox
span=2s expect 1 review - --each <series.mbox
says 'perf/dwc_pcie: Order variables (and 2 more patches)'
says 'after 1/3: same '
says 'after 2/3: WORSE, '
says 'after 3/3: same '
says 'left out, because no driver is made from it: Documentation/notes'
git -C tree reset --quiet --hard HEAD~2
cd tree
expect 0 review HEAD
says 'SAME: same '
cd ..

# An interrupted review goes on.
changed 's/u64 delta, prev, now;/u64 prev, now, delta;/' dwc_pcie_pmu.c
status=0
timeout --signal=INT 6 "$pmufab" review my/dwc_pcie_pmu.c --for 60s --out stopped >stopped.txt 2>&1 || status=$?
((status == 124)) || complain "the review ended before it was interrupted: $(cat stopped.txt)"
grep -q '^STOPPED: ' stopped.txt || complain "an interrupted review does not say so: $(cat stopped.txt)"
expect 2 review my/dwc_pcie_pmu.c --out stopped --resume --seed 2
says 'is of another review'

# What cannot be reviewed.
expect 2 review
says 'there is nothing to review'
expect 2 review my/none.c
expect 2 review none
expect 2 review tree
expect 2 review series.mbox my/dwc_pcie_pmu.c
sed 's/u64 delta/u32 delta/' series.mbox >other.mbox
expect 2 review other.mbox
says 'does not fit Linux'
cat >my/nothing_pmu.c <<'END'
#include <linux/module.h>
static int __init nothing_init(void)
{
	return 0;
}
module_init(nothing_init);
MODULE_DESCRIPTION("A driver for no hardware");
MODULE_LICENSE("GPL");
END
expect 2 review my/nothing_pmu.c
says 'no fabric has a PMU for nothing_pmu.c'
changed 's/^static void dwc_pcie_pmu_event_update\(/&int /' dwc_pcie_pmu.c
expect 1 review my/dwc_pcie_pmu.c
says 'do not compile'
exit "$failed"
