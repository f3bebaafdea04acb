#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two commands at once in one folder, with the same outputs.

Runs, measurements, shells, driver builds, recordings, campaigns, explorations, coverage and boots. The second one
begins a little later, as chance decides. `at_once.py ... runs` runs one pair alone. The boots need a prepared guest and
minutes, so they are run only if they are named.

What is checked:
  - each ends with the exit code that it has alone
  - each output is the whole output of one of the two
  - no other file is in the folder, nothing is in $TMPDIR, and no process is left
"""

import json
import re
import shutil
import sys
import time

import hostile

SCENARIO = f"""name: NAME
seed: SEED
{hostile.SMALL}measure:
  - events: [nvidia_ucf_pmu_0/slc_access_rd/, nvidia_ucf_pmu_0/cycles/]
    window: 100 us
matrix:
  seed: [1, 2, 3]
"""
RECORDED = """name: NAME
platform: PLATFORM
cxl_traffic: [{name: a, ranges: [{base: 0x100_0000_0000, size: 64 KiB}], count: COUNT}]
duration: 100 us
measure: [{events: [cxl_pmu_mem0.0/clock_ticks/]}]
"""
DRIVER = """// SPDX-License-Identifier: BSD-2-Clause
#include <linux/module.h>
static int __init one_init(void) { return 0 * NUMBER; }
module_init(one_init);
MODULE_LICENSE("Dual BSD/GPL");
"""


class AtOnce(hostile.Part):
    """Pairs of commands. A pair is two lists of arguments, and the outputs that both write."""

    def __init__(self):
        super().__init__("pairs")
        for name in ("one", "two"):
            text = SCENARIO.replace("NAME", "same").replace("SEED", str(len(name) + (name == "two")))
            self.write(f"{name}.yaml", text.replace("[1, 2, 3]", "[1, 2, 3]" if name == "one" else "[4, 5]"))
            text = RECORDED.replace("NAME", name).replace("PLATFORM", f"{hostile.SCENARIOS}/platforms/cxl-exact.yaml")
            self.write(f"record-{name}.yaml", text.replace("COUNT", "100" if name == "one" else "300"))

    def write(self, name, text):
        """Write a file in the part's folder."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def runs(self):
        """Two scenarios of the same name, with every kind of report."""
        reports = ["--json", "o/r.json", "--csv", "o/r.csv", "--junit", "o/r.xml", "--html", "o/r.html", "--out", "o/out"]
        return [["run", f"{name}.yaml", "--drivers", "newest", *reports] for name in ("one", "two")]

    def stats(self):
        """Two measurements."""
        return [["stat", "-e", f"nvidia_ucf_pmu_0/{event}/", "--duration", "20 us", "--json", "o/r.json"]
                for event in ("cycles", "slc_access_rd")]

    def shells(self):
        """Two shells. What they count depends on the time of day."""
        platform = hostile.SCENARIOS / "platforms" / "tegra410-1s-small.yaml"
        look = "cat /sys/bus/event_source/devices/*/type"
        return [["shell", platform, "--json", "o/r.json", "--", "sh", "-c", f"{look}; {more}"]
                for more in ("sleep 0.2", "true")]

    def builds(self):
        """Two files of one name become one library."""
        for name, number in (("one", self.random.randrange(1 << 30)), ("two", self.random.randrange(1 << 30))):
            self.write(f"{name}/one_driver.c", DRIVER.replace("NUMBER", str(number)))
        return [["driver", "build", f"{name}/one_driver.c", "--sources", self.options.sources, "-o", "o/one.so"]
                for name in ("one", "two")]

    def records(self):
        """Two recordings into one trace."""
        return [["trace", "record", f"record-{name}.yaml", "o/one.trace"] for name in ("one", "two")]

    def verifies(self):
        """Two campaigns in one folder. One of them may be refused; the other's state must be whole."""
        return [["verify", "--fabric", "tegra410", "--runs", "3", "--jobs", "1", "--seed", seed, "--out", "o/campaign"]
                for seed in ("1", "2")]

    def saves(self):
        """Two explorations that save what they have found."""
        return [["interleave", "interleave-cxl", "--window", "read", "--call", call, "--bound", "1", "--jobs", "1",
                 "--save", "o/one.yaml"] for call in ("1", "2")]

    def coverages(self):
        """Two runs that write coverage into one file."""
        return [["run", f"{name}.yaml", "--drivers", "newest", "--coverage", "o/one.coverage"]
                for name in ("one", "two")]

    def merges(self):
        """Two sums of coverage, with every kind of report."""
        for runs in (1, 2):
            coverage = {"format": "pmufab coverage", "version": 1, "runs": runs, "not_caused": {},
                        "kinds": {"k": {"event": {f"bin {i}": i % 2 for i in range(5000 * runs)}}}}
            self.write(f"{runs}.coverage", json.dumps(coverage))
        return [["coverage", f"{runs}.coverage", "--merge", "o/a", "--json", "o/b.json", "--html", "o/c.html"]
                for runs in (1, 2)]

    def boots(self):
        """Two kernels."""
        return [["boot", "--json", "o/r.json", "--timeout", "300", "--", *command] for command in (["true"], ["uname"])]

    def content(self):
        """The files below o/, which is emptied. JUnit reports say how long runs took: without that."""
        out = self.folder / "o"
        files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
        for path in files:
            if path.endswith(".xml"):
                files[path] = re.sub(rb' time="[0-9.]+"', b"", files[path])
        shutil.rmtree(out)
        out.mkdir()
        return files

    def play(self, name):
        """Run a pair at once, then each alone, and compare."""
        (self.folder / "o").mkdir(exist_ok=True)
        commands = getattr(self, name)()
        began = time.monotonic()
        first = self.start(commands[0], "first")
        time.sleep(self.random.choice([0, 0, 0.01, 0.05, 0.1, 0.3]))
        second = self.start(commands[1], "second")
        both = [self.finish(first, 400), self.finish(second, 400)]
        together = self.content()
        left = self.left_behind()
        alone, files = [], []
        for index, command in enumerate(commands if name != "boots" else []):
            alone.append(self.run(command, f"alone{index}"))
            files.append(self.content())
        self.count += 1
        why = self.judge(both, together, alone, files, name not in ("shells", "boots"))
        if left and not why:
            why = f"left behind: {left}"
        if self.options.verbose:
            print(f"{name}: {both[0].text()}, {both[1].text()}, {time.monotonic() - began:.1f} s", flush=True)
        if why:
            logs = [f"{stem}.{ending}" for stem in ("first", "second") for ending in ("out", "err")]
            self.bad(name, why, [self.folder / log for log in logs])

    @staticmethod
    def judge(both, together, alone, files, is_same_each_time):
        """What is bad about the ends and the outputs; empty: nothing."""
        for index, outcome in enumerate(both):
            expected = alone[index].code if alone else 0
            is_refused = (outcome.code == 2 and "campaign" in outcome.err and
                          both[1 - index].code == alone[1 - index].code)
            if outcome.code != expected and not is_refused:
                return f"{outcome.text()}, alone {expected}: {(outcome.err or outcome.out)[-300:]}"
            if alone and expected not in (0, 4):
                return f"alone it ends with {expected}: {alone[index].err[-300:]}"
        for path, content in together.items():
            if path.endswith(".json"):
                try:
                    json.loads(content)
                except ValueError:
                    return f"{path} is not whole"
            whole = [every[path] for every in files if path in every]
            if files and not whole:
                return f"there is a file {path}"
            if is_same_each_time and content not in whole:
                return f"{path} is not the output of one of the two"
        for path in {path for every in files for path in every} - set(together):
            return f"there is no file {path}"
        return ""


def main():
    part = AtOnce()
    names = ["runs", "stats", "shells", "builds", "records", "verifies", "saves", "coverages", "merges"]
    if part.options.only:
        names = part.options.only
    rounds = 0
    while rounds == 0 or (part.has_time() and not part.options.sample):
        for name in names:
            part.play(name)
        rounds += 1
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
