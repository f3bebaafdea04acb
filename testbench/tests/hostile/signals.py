#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Send signals to every command at random moments.

The signal goes to the command alone, as from kill, or to its whole process group, as from a terminal; sometimes a
second one follows. The command must end within seconds, as docs/verdicts.md says. Its result files are absent or
whole, no process is left, and nothing is left in $TMPDIR. What a killed command (SIGKILL) leaves there is gone after
the next command of the user.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import signal
import sys
import time

from hostile import REPOSITORY, SCENARIOS, Part
from result_files import copy_driver, is_whole

ALL = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL, signal.SIGPIPE]
LONGEST = 15  # seconds from the signal to the end; drivers have five to answer
GRACE = 5  # seconds until the processes of a killed command are gone
NORMAL = {0}
STOPPED = {1}


def dies_of(number):
    """The exit codes of a command that the signal ends: of the process itself, and as a shell passes them on."""
    return {-number, 128 + number}


@dataclasses.dataclass
class Command:
    """A command and how it ends."""

    name: str
    arguments: list
    results: list  # files in "results"
    answers: bool = False  # it stops at a signal, keeps results and ends with 1
    is_slow: bool = False  # not in the sample
    seconds: float = 0.0  # without a signal

    def codes(self, number):
        """Exit codes that are right after a signal."""
        if number == signal.SIGKILL:
            return NORMAL | {-number}
        if number == signal.SIGPIPE:  # a reader that goes away must not end a command
            return NORMAL
        return NORMAL | dies_of(number) | (STOPPED if self.answers else set())


def commands(part):
    """All commands that take time."""
    event = "nvidia_ucf_pmu_0/slc_access_rd/"
    traffic = SCENARIOS / "traffic" / "fixed.yaml"
    reports = ["--json", "results/a.json", "--csv", "results/a.csv", "--junit", "results/a.xml", "--html",
               "results/a.html", "--out", "results/out"]
    names = ["a.json", "a.csv", "a.xml", "a.html", "out"]
    found = [
        Command("run", ["run", "cxl-mem", "cxl-fixed", "cxl-masks", "--jobs", "2", *reports], names, True),
        Command("stat", ["stat", "-e", event, "--traffic", traffic, "--json", "results/a.json"], ["a.json"], True),
        Command("verify", ["verify", "--fabric", "tegra410", "--runs", "12", "--jobs", "2", "--out", "results/campaign"],
                ["campaign"], True),
        Command("interleave", ["interleave", "interleave-cxl", "--window", "read", "--bound", "1", "--jobs", "2",
                               "--save", "results/a.yaml"], ["a.yaml"], True),
        Command("run --coverage", ["run", "cxl-mem", "cxl-fixed", "--jobs", "2", "--coverage", "results/a.json"],
                ["a.json"], True),
        Command("run with traces", ["run", "cxl-masks", "--drivers", "newest", "--trace-mmio", "results/a.jsonl",
                                    "--timeline", "results/a.vcd"], ["a.jsonl", "a.vcd"], True),
        Command("regs --at", ["regs", "cxl-masks", "--at", "10us", "--json"], []),
        Command("serve", ["serve", SCENARIOS / "platforms" / "tegra410-1s-small.yaml", "--", "sleep", "0.5"], [],
                True),
        Command("coverage", ["coverage", *["many.coverage"] * 20, "--merge", "results/a.json", "--json",
                             "results/b.json", "--html", "results/c.html"], ["a.json", "b.json", "c.html"]),
        Command("compare", ["compare", "many.json", "many.json", "--json"], []),
        Command("list", ["list"], []),
        Command("map", ["map", SCENARIOS / "platforms" / "cmn600-small.yaml", "--traffic", "cmn-flits", "--svg",
                        "results/a.svg"], ["a.svg"]),
        Command("trace record", ["trace", "record", "cxl-mem", "results/a.csv"], ["a.csv"], True),
        Command("trace import", ["trace", "import", "in.csv", "results/b.csv"], ["b.csv"]),
        Command("shell", ["shell", "--traffic", traffic, "--json", "results/a.json", "--", "sh", "-c",
                          "sleep 0.1; command -v perf && perf stat -a -e $0 sleep 0.2; sleep 0.1; true", event],
                ["a.json"], True),
    ]
    if part.options.sources.is_dir():
        found.append(Command("driver build", ["driver", "build", "nvidia_cspmu.c", "-o", "results/a.so", "--sources",
                                              part.options.sources.resolve()], ["a.so"], is_slow=True))
    guest = pathlib.Path(os.environ.get("PMUFAB_GUEST", REPOSITORY / ".cache" / "guest"))
    if (guest / ".complete").exists():
        found.append(Command("boot", ["boot", "--guest", guest, "--traffic", traffic, "--json", "results/a.json", "--",
                                      "perf", "stat", "-a", "-e", event, "sleep", "1"], ["a.json"], True, True))
    return found


class Signals:
    """Runs of commands that get signals."""

    def __init__(self, part):
        self.part = part
        self.results = part.folder / "results"
        self.sent = 0
        with open(part.folder / "in.csv", "w", encoding="ascii") as file:
            file.write("kind,address,size\n")
            file.writelines(f"load,{64 * i:#x},8\n" for i in range(400_000))
            file.write("end\n")
        (part.folder / "one.csv").write_text("kind,address,size\nload,0x0,8\nend\n")
        bins = {f"bin {i}": i % 2 for i in range(20_000)}
        coverage = {"format": "pmufab coverage", "version": 1, "runs": 1, "kinds": {"k": {"event": bins}},
                    "not_caused": {}}
        (part.folder / "many.coverage").write_text(json.dumps(coverage))
        counters = [{"event": f"p/e{i}/", "driver": i, "expected": i, "check": "exact"} for i in range(20_000)]
        run = {"scenario": "s", "variant": "", "status": "passed", "measures": [{"name": "m", "counters": counters}]}
        (part.folder / "many.json").write_text(json.dumps({"runs": [run]}))
        copy_driver(part)

    def start(self, command):
        """Start a command in an empty folder of results."""
        shutil.rmtree(self.results, ignore_errors=True)
        shutil.rmtree(self.part.folder / "cache", ignore_errors=True)
        self.results.mkdir()
        return self.part.start(command.arguments, "command")

    def time(self, command):
        """Run a command without a signal."""
        outcome = self.part.finish(self.start(command), 240)
        command.seconds = outcome.seconds
        left = self.left_behind()
        if outcome.code != 0 or left:
            self.part.bad(command.name, f"without a signal: {outcome.text()}, {left}: {outcome.err[-300:]}")
        return outcome.code == 0

    def left_behind(self):
        """What is left of a command, once its processes have had the time to end."""
        end = time.monotonic() + GRACE
        while self.part.processes() and time.monotonic() < end:
            time.sleep(0.02)
        return self.part.left_behind()

    def send(self, process, number, to_group):
        """Send a signal, unless the command has ended. Return True if it was sent."""
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
        (os.killpg if to_group else os.kill)(process.pid, number)
        self.sent += 1
        return True

    @staticmethod
    def wait_until_ignored(pid, number):
        """Wait for a program's own beginning: what the system does before, on a busy machine, is not its doing."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            ignored = next((line.split()[1] for line in status.splitlines() if line.startswith("SigIgn:")), "0")
            if "State:\tZ" in status or int(ignored, 16) >> (number - 1) & 1:
                return
            time.sleep(0.005)

    def clean_results(self):
        """Write each file once more of which a killed command has left an unfinished one. Rows that are there stay."""
        for path in sorted(self.results.rglob("*.partial")):
            if is_whole(path) or path.stat().st_size == 0:
                path.unlink()
        for path in sorted(self.results.rglob("*.new-*")):
            if path.exists():
                file = path.with_name(path.name.split(".new-")[0])
                self.part.run(["trace", "import", self.part.folder / "one.csv", file], "next")
                file.unlink(missing_ok=True)

    def check(self, command, number):
        """Run a command and send it a signal."""
        random = self.part.random
        moment = random.uniform(0, command.seconds * 1.1)
        twice = random.choice([None, None, 0.0, 0.01, 0.2])
        to_group = random.random() < 0.3 and number != signal.SIGPIPE
        process = self.start(command)
        time.sleep(moment)
        if number == signal.SIGPIPE:
            self.wait_until_ignored(process.pid, number)
        if not self.send(process, number, to_group):
            self.part.finish(process)
            self.left_behind()
            return
        told = time.monotonic()
        if twice is not None:
            time.sleep(twice)
            self.send(process, number, to_group)
        patience = (command.seconds * 4 if number == signal.SIGPIPE else 0) + LONGEST
        outcome = self.part.finish(process, time.monotonic() - process.began + patience)
        self.part.count += 1
        what = (f"{command.name}: {number.name}{' to the group' if to_group else ''} after {moment:.3f} s"
                f"{'' if twice is None else f', again after {twice} s'}")
        why = self.wrong(command, number, outcome, time.monotonic() - told, patience)
        if why:
            self.part.bad(what, f"{why}; stderr: {outcome.err[-200:]!r}",
                          [self.part.folder / "command.out", self.part.folder / "command.err"])

    def check_compiler(self, number):
        """Send a signal to a build whose compiler takes for ever, and has made a temporary file."""
        mark = self.part.folder / "compiler-runs"
        mark.unlink(missing_ok=True)
        compiler = self.part.folder / "compiler"
        compiler.write_text(f"#!/bin/sh\ntrap 'rm -f \"$TMPDIR/half\"; exit' TERM\n: >\"$TMPDIR/half\"\n: >{mark}\n"
                            "while :; do sleep 0.05; done\n")
        compiler.chmod(0o755)
        sources = self.part.options.sources.resolve()
        process = self.part.start(["driver", "build", "nvidia_cspmu.c", "--sources", sources], "command",
                                  {"CC": str(compiler)})
        end = time.monotonic() + LONGEST
        while not mark.exists() and time.monotonic() < end:
            time.sleep(0.01)
        self.send(process, number, False)
        outcome = self.part.finish(process, LONGEST + time.monotonic() - process.began)
        self.part.count += 1
        left = self.left_behind()
        if outcome.code != -number or left:
            self.part.bad(f"endless compiler: {number.name}", f"{outcome.text()}, left behind: {left}; {outcome.err}")

    def wrong(self, command, number, outcome, seconds, patience):
        """What is wrong with the end of a command, in words; empty: nothing."""
        faults = []
        if seconds > patience:
            faults.append(f"it still ran after {patience:.0f} s")
        elif outcome.code not in command.codes(number):
            faults.append(outcome.text())
        if number == signal.SIGKILL:
            # The next command of this user cleans up, once the last process of this one has ended.
            for _ in range(20):
                self.part.run(["stat", "-e", "nvidia_ucf_pmu_0/cycles/", "--duration", "1 us"], "next")
                self.clean_results()
                # left_behind() would remove it.
                if not self.part.processes() and not any(self.part.temporary.iterdir()):
                    break
                time.sleep(0.1)
        if left := self.left_behind():
            faults.append(f"left behind: {left}")
        for path in sorted(self.results.rglob("*")):
            if ".new-" in path.name:
                faults.append(f"left behind: {path.name}")
            elif path.is_file() and not is_whole(path):
                faults.append(f"{path.name} is not whole")
            elif path.parent == self.results and path.name not in command.results:
                faults.append(f"a file is left: {path.name}")
        return "; ".join(faults)


def main():
    """Run the part."""
    part = Part("signals")
    signals = Signals(part)
    known = [command for command in commands(part)
             if (not part.options.only or command.name in part.options.only)
             and not (part.options.sample and command.is_slow)]
    known = [command for command in known if signals.time(command)]
    if part.options.sources.is_dir() and (not part.options.only or "compiler" in part.options.only):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            signals.check_compiler(number)
    # In the sample, each command gets about one signal; otherwise all, again and again.
    points = [(command, number) for command in known for number in ALL]
    while points and (part.count == 0 or part.has_time()):
        part.random.shuffle(points)
        for command, number in points[:len(known)] if part.options.sample else points:
            if not part.has_time():
                break
            signals.check(command, number)
        if part.options.sample:
            break
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
