#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# review_test.sh PMUFAB SOURCES FOLDER: pmufab review, on changes that this makes of the drivers in SOURCES, in FOLDER.
source "$(dirname "$0")/../../scripts/expect.sh"
pmufab=$1 sources=$2 folder=$3
kernel=$(find "$sources" -mindepth 1 -maxdepth 1 -type d | LC_ALL=C sort -V | tail -n 1)
rm -rf "$folder"
mkdir -p "$folder/tree/drivers/perf" "$folder/my/hisilicon"
cd "$folder"

# The report of the last review is in report.
review() {
  local status=0
  "$pmufab" review --for "${span:-1s}" "$@" >report || status=$?
  cat report
  return "$status"
}
# The report is for a mail.
is_short() {
  (($(wc -l <report) <= 30)) || complain "more than thirty lines: $(cat report)"
  ! grep -E '^.{73}' report || complain "a line of more than 72 columns"
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
expect 1 review my/dwc_pcie_pmu.c --out 'what is wrong' --json wrong.json --markdown wrong.md --html wrong.html
says 'WORSE: same '
says 'changed: dwc_pcie_pmu_event_update() ran '
is_short
command=$(sed -n '/^reproduce: /,$ { s/^reproduce: //; p }' report | sed '/[^\\]$/q')
grep -q '"function": "dwc_pcie_pmu_event_update"' wrong.json || complain "the JSON does not name the function"
grep -q '^### pmufab review: WORSE$' wrong.md || complain "the Markdown does not say it"
grep -q '<h1>WORSE: ' wrong.html || complain "the page does not say it"
PATH=$(dirname "$pmufab"):$PATH expect 1 bash -c "$command"
# The review can be made again.
command=$(sed -n '/^again: /,$ { s/^again: //; p }' report | sed '/[^\\]$/q')
PATH=$(dirname "$pmufab"):$PATH expect 1 bash -c "$command --out again"
says 'WORSE: same '
# Who has the change alone builds the drivers first.
command=$(sed -n '/^build: /,$ { s/^build: //; p }' report | sed '/[^\\]$/q')
mv 'what is wrong' 'what was wrong'
PATH=$(dirname "$pmufab"):$PATH expect 0 bash -c "$command"
[[ -s 'what is wrong/changed.so' ]] || complain "the command of the report builds nothing"
rm -r 'what was wrong'

# Not every line of a change runs: an event without hardware.
changed 's/^(\s*)(delta = \(now - prev\).*)/\1if (now == 0x123456789)\n\1\thwc->state = 0;\n\1\2/' dwc_pcie_pmu.c
expect 0 review my/dwc_pcie_pmu.c
says 'not covered: dwc_pcie_pmu_event_update(): line '
# A jump without code of its own.
changed 's/^(\s*)return;/\1return ;/' dwc_pcie_pmu.c
expect 0 review my/dwc_pcie_pmu.c
says 'not covered: dwc_pcie_pmu_event_stop(): 1 of 2 ways out of changed'

# A correction is better.
changed 's/^(\s*)\*counter_idx = i;/&\n\1*event_idx = pmu_ev->event_idx;/' cxl_pmu.c
expect 0 review my/cxl_pmu.c
says 'BETTER: same '
says 'better: '
is_short

# So is that of an older kernel, though it alone is of a later version.
older=$(find "$sources" -mindepth 1 -maxdepth 1 -type d -name '6.12.*')
if [[ -n $older ]]; then
  kernel=$older changed 's/(TX_RX_L0S, )0x08/\10x09/; s/(L1_AUX, )0x09/\10x08/' dwc_pcie_pmu.c
  expect 0 review my/dwc_pcie_pmu.c --base 6.12
  says 'BETTER: same '
  ! grep 'not covered: changes' report || complain "scenarios measure the changed events"
  # What an event with a new name counts wrong, it did by the old one.
  kernel=$older changed 's/nulified_tlp/nullified_tlp/; s/rx_duplicate_tl,/rx_duplicate_tlp,/' dwc_pcie_pmu.c
  expect 0 review my/dwc_pcie_pmu.c --base 6.12
  says 'renames dwc_rootport_'
fi

# A device that no platform has: nothing can be said of it.
changed 's/\{ "HISI0243", \},?/&\n\t{ "HISI0249", },/' hisilicon/hisi_uncore_hha_pmu.c
expect 0 review my/hisilicon/hisi_uncore_hha_pmu.c
says 'not covered: adds the device HISI0249: no run shows that'

# A driver of PMUs that a platform file describes.
mkdir -p a/drivers/perf/hisilicon b/drivers/perf/hisilicon
cp "$kernel/drivers/perf/hisilicon/hisi_uncore_hha_pmu.c" a/drivers/perf/hisilicon/
sed 's/\(HHA_PERF_CTRL_EN\s\+\)0x1/\10x2/' a/drivers/perf/hisilicon/hisi_uncore_hha_pmu.c >b/drivers/perf/hisilicon/hisi_uncore_hha_pmu.c
diff -u {a,b}/drivers/perf/hisilicon/hisi_uncore_hha_pmu.c >hha.patch && complain "nothing in hisi_uncore_hha_pmu.c is changed"
expect 1 review hha.patch
says 'on platform-hisi-uncore-hha: '
says 'worse: hisi-hha-every-event (and'
# One that many platforms need: the report says what ran, and not all of their names.
sed 's/ret < 0/0 > ret/' "$kernel/drivers/perf/hisilicon/hisi_uncore_pmu.c" >my/hisi_uncore_pmu.c
expect 0 review my/hisi_uncore_pmu.c
tr '\n' ' ' <report | grep -q 'platform-hisi-uncore-[a-z0-9]* and [0-9]* more: [0-9]* scenarios' || complain "it does not say what ran: $(cat report)"

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
echo another >>tree/Documentation/notes
"${git[@]}" commit --quiet --all --message 'Documentation: Tell A | B & C'
step 's/u64 delta, prev, now;/u64 prev, now, delta;/' 'Order | variables'
step "$delta" 'Compute the delta in another way'
step 's/\(now - prev - 1\)/(now - prev)/' 'Compute the delta as before'
"${git[@]}" format-patch --quiet --cover-letter --stdout HEAD~4 | sed 's/\*\*\* SUBJECT HERE \*\*\*/perf: In turns/' >series.mbox
span=2s expect 1 review - --each <series.mbox
says 'perf: In turns (4 patches)'
says 'after 1/4: same 0, better 0, worse 0: no driver is changed yet'
says 'after 2/4: same '
says 'after 3/4: WORSE, '
says 'after 4/4: same '
says 'WORSE after 3/4; after all: same '
says 'reproduce: pmufab run '
says 'after-3/changed.so'
says 'left out, because no driver is made from it: Documentation/notes'
git -C tree reset --quiet --hard HEAD~2
cd tree/drivers
expect 0 review HEAD
says 'SAME: same '
expect 2 review HEAD~1
says "no commit of 'HEAD~1' changes a PMU driver"
expect 2 review HEAD~1...HEAD
says 'give HEAD~1..HEAD'
cd ../..

# An interrupted review goes on where it was; before its first part has ended, there is something to resume, too.
changed 's/u64 delta, prev, now;/u64 prev, now, delta;/' dwc_pcie_pmu.c
"$pmufab" review my/dwc_pcie_pmu.c --for 1s --out early >early.txt 2>&1 &
process=$!
while kill -0 "$process" && ! [[ -e early/review-state.json ]]; do sleep 0.1; done
kill -INT "$process"
wait "$process" || true
expect 0 review my/dwc_pcie_pmu.c --out early --resume
! grep -q 'has no review' <<<"$output" || complain "nothing was left to resume: $output"
changed 's/u64 delta, prev, now;/u64 prev, now, delta;/' dwc_pcie_pmu.c
"$pmufab" review my/dwc_pcie_pmu.c --for 8s --out stopped >stopped.txt 2>&1 &
process=$!
while kill -0 "$process" && ! grep -qs '"what"' stopped/review-state.json; do sleep 0.1; done
kill -INT "$process"
status=0
wait "$process" || status=$?
((status == 1)) || complain "an interrupted review ended with $status"
grep -q '^STOPPED: ' stopped.txt || complain "an interrupted review does not say so: $(cat stopped.txt)"
sed -i 's/"same": [0-9]*/"same": 123456/' stopped/review-state.json
span=8s expect 0 review my/dwc_pcie_pmu.c --out stopped --resume
says '123,456 scenarios'
span=8s expect 2 review my/dwc_pcie_pmu.c --out stopped --resume --seed 2
says 'is of another review'
# A review that is refused leaves the drivers of the other one there.
sum=$(sha256sum <stopped/changed.so)
changed "$delta" dwc_pcie_pmu.c
span=8s expect 2 review my/dwc_pcie_pmu.c --out stopped --resume
says 'is of another review'
[[ $(sha256sum <stopped/changed.so) == "$sum" ]] || complain "a refused review changed the drivers of another one"
echo '{}' >stopped/review-state.json
span=8s expect 2 review my/dwc_pcie_pmu.c --out stopped --resume

# What cannot be reviewed.
expect 2 review
says 'there is nothing to review'
expect 2 review my/none.c
expect 2 review none
expect 2 review tree
expect 2 review series.mbox my/dwc_pcie_pmu.c
expect 2 review series.mbox series.mbox
says 'is given twice'
sed 's/u64 delta/u32 delta/' series.mbox >other.mbox
expect 2 review other.mbox
says 'does not fit Linux'
{
  sed '/^Subject: /,$d' other.mbox
  printf 'Subject: '
  printf '%300000s\n' '' | tr ' ' '['
  sed '1,/^Subject: /d' other.mbox
} >long.mbox
expect 2 review long.mbox
printf '%s\n' '--- a/drivers/perf/dwc_pcie_pmu.c' '+++ b/drivers/perf/dwc_pcie_pmu.c' '@@ -1 +1 @@' -none +other >other.diff
expect 2 review other.diff
says "/other.diff' does not fit Linux"
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
