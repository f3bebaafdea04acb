#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Let every write of every command fail, one after the other.

For each command that writes, the first call that would write to the file system fails, then the second, and so on,
until a run makes fewer calls. fail_writes.c says which calls these are. A call fails once or all fail from it on, with
"No space left on device" or "Input/output error"; some are interrupted, or write half.

A command must then either do all of its work, or end with exit code 2 and a sentence that has the reason. Files that it
replaces are whole: the old ones, or the new ones. No file is left behind. A command may do its work without what failed
only where MAY_FAIL says why.
"""

import ctypes
import errno
import fnmatch
import json
import mmap
import os
import pathlib
import shutil
import sys
import time

from hostile import SCENARIOS, Part
from result_files import copy_driver, is_whole, version_key

ONCE, FROM_THEN, SHORT = range(3)
# How calls fail: name, errno, how many.
FAILURES = [("full", errno.ENOSPC, FROM_THEN), ("full once", errno.ENOSPC, ONCE), ("broken once", errno.EIO, ONCE),
            ("interrupted", errno.EINTR, ONCE), ("short", 0, SHORT)]
REASONS = {errno.ENOSPC: "No space left on device", errno.EIO: "Input/output error",
           errno.EINTR: "Interrupted system call"}
OLD = "what was there before\n"

WRONG_DRIVER = """// SPDX-License-Identifier: BSD-2-Clause
#include <linux/acpi.h>
#include <linux/module.h>
#include <linux/platform_device.h>
static int wrong_probe(struct platform_device* pdev) { return -EINVAL; }
static const struct acpi_device_id wrong_match[] = {{"NVDA2021", 0}, {}};
static struct platform_driver wrong_driver = {
    .driver = {.name = "wrong", .acpi_match_table = ACPI_PTR(wrong_match)}, .probe = wrong_probe};
module_platform_driver(wrong_driver);
MODULE_LICENSE("Dual BSD/GPL");
"""

# Calls whose failure a command survives with all of its work done: pattern of the file, functions, and why.
MAY_FAIL = [
    ("*/pmufab-scratch.*/*.output", "*", "what a run printed stays in memory then"),
    ("*/pmufab-scratch.*/*.journal", "fclose", "each of its records was flushed, and is read back"),
    ("/memfd:journal *", "*close", "it is memory: nothing is written"),
    ("*.new-*", "close", "the file has no content yet, and is opened again to write"),
    ("*.partial", "open*", "if it cannot be made, the rows go to another file beside it"),
    ("*.partial", "close", "the same"),
]


class Plan(ctypes.Structure):
    """The same layout as in fail_writes.c."""

    _fields_ = [("number", ctypes.c_int64), ("error", ctypes.c_int32), ("how", ctypes.c_int32),
                ("calls", ctypes.c_int64), ("what", ctypes.c_char * 64), ("where", ctypes.c_char * 1024)]


class Command:
    """A command, and the files it writes (in the folder "results")."""

    def __init__(self, name, arguments, results, is_built_by_others=False, tells_failures=False, code=0):
        self.name = name
        self.arguments = arguments
        self.results = results
        self.is_built_by_others = is_built_by_others  # a compiler writes: its words and exit code count, too
        self.tells_failures = tells_failures  # its results may say what failed
        self.code = code  # if no write fails


def commands(part):
    """All commands that write."""
    mixed = SCENARIOS / "traffic" / "fixed.yaml"
    event = "nvidia_ucf_pmu_0/slc_access_rd/"
    found = [
        Command("run", ["run", "cxl-mem", "cxl-fixed", "--drivers", "newest", "--jobs", "2", "--json", "results/a.json",
                        "--csv", "results/a.csv", "--junit", "results/a.xml", "--html", "results/a.html"],
                ["a.json", "a.csv", "a.xml", "a.html"], tells_failures=True),
        Command("run --out", ["run", "cxl-fixed", "--drivers", "newest", "--out", "results/out"],
                [f"out/cxl-fixed-{newest(part)}/{name}" for name in
                 ("result.json", "counters.csv", "result.txt", "kernel.log", "effective.yaml")],
                tells_failures=True),
        Command("stat", ["stat", "-e", event, "--traffic", mixed, "--duration", "100 us", "--json", "results/a.json"],
                ["a.json"], tells_failures=True),
        Command("stat -o link", ["stat", "-e", event, "--duration", "10 us", "--json", "results/link.json"],
                ["target.json"], tells_failures=True),
        Command("stat to a device", ["stat", "-e", event, "--duration", "10 us", "-j", "--json", "/dev/stdout"], []),
        Command("run with traces", ["run", "cxl-fixed", "--drivers", "newest", "--trace-mmio", "results/a.jsonl",
                                    "--timeline", "results/a.vcd", "--json", "results/a.json"],
                ["a.jsonl", "a.vcd", "a.json"], tells_failures=True),
        Command("verify", ["verify", "--fabric", "tegra410", "--runs", "2", "--jobs", "1", "--out", "results/campaign"],
                [], tells_failures=True),
        Command("run --coverage", ["run", "cxl-fixed", "--drivers", "newest", "--coverage", "results/a.json"],
                ["a.json"], tells_failures=True),
        Command("interleave", ["interleave", "interleave-cxl", "--window", "read", "--call", "1", "--bound", "1",
                               "--jobs", "1", "--save", "results/a.yaml"], ["a.yaml"]),
        Command("coverage", ["coverage", "in.coverage", "--merge", "results/a.json", "--json", "results/b.json",
                             "--html", "results/c.html"], ["a.json", "b.json", "c.html"]),
        Command("compare", ["compare", "in.json", "in.json"], []),
        Command("compare --json", ["compare", "in.json", "in.json", "--json"], []),
        Command("list", ["list"], []),
        Command("regs", ["regs", SCENARIOS / "platforms" / "tegra410-2s.yaml", "socket0.ucf_pmu"], []),
        Command("regs --at", ["regs", "cxl-fixed", "--at", "10us", "--json"], []),
        Command("regs --svd", ["regs", SCENARIOS / "platforms" / "tegra410-1s-small.yaml", "--svd"], []),
        Command("firmware", ["firmware", SCENARIOS / "platforms" / "tegra410-1s-small.yaml", "--acpi", "results/tables",
                             "--dts", "results/a.dts"], ["a.dts"]),
        Command("map", ["map", SCENARIOS / "platforms" / "cmn600-small.yaml", "--svg", "results/a.svg"], ["a.svg"]),
        Command("trace record", ["trace", "record", "cxl-mem", "results/a.trace"], ["a.trace"]),
        Command("trace record as text", ["trace", "record", "cxl-mem", "results/a.csv"], ["a.csv"]),
        Command("trace import", ["trace", "import", "in.csv", "results/a.trace"], ["a.trace"]),
        Command("documents", ["--write-documents", "results/documents"], []),
        Command("shell", ["shell", "--json", "results/a.json", "--", "true"], ["a.json"]),
    ]
    if part.options.sources.is_dir() and not part.options.sample:
        found.append(Command("verify that fails", ["verify", "--driver", "wrong.so", "--fabric", "tegra410", "--runs",
                                                   "3", "--jobs", "1", "--no-shrink", "--out", "results/campaign"],
                             [], tells_failures=True, code=1))
        found.append(Command("driver build", ["driver", "build", "nvidia_cspmu.c", "-o", "results/a.so", "--sources",
                                              part.options.sources.resolve()], ["a.so"], is_built_by_others=True))
    return found


def newest(part):
    """The newest kernel version of the driver sets."""
    versions = [path.parent.name for path in (part.drivers).glob("*/pmufab_drivers.so")]
    return max(versions, key=version_key)


class Writes:
    """Runs of commands with calls that fail."""

    def __init__(self, part):
        self.part = part
        part.drivers = part.options.drivers or part.pmufab.parent.parent / "drivers"
        self.library = part.pmufab.parent.parent / "testbench" / "tests" / "hostile" / "pmufab_fail_writes.so"
        if not self.library.exists():
            part.stop(f"there is no {self.library}; the target pmufab_fail_writes builds it")
        self.plan_file = part.folder / "plan"
        self.plan_file.write_bytes(bytes(ctypes.sizeof(Plan)))
        with open(self.plan_file, "r+b") as file:
            self.plan = Plan.from_buffer(mmap.mmap(file.fileno(), ctypes.sizeof(Plan)))
        self.results = part.folder / "results"
        (part.folder / "in.csv").write_text("kind,address,size\nload,0x1000,8\nstore,0x2000,4\nend\n")
        coverage = {"format": "pmufab coverage", "version": 1, "runs": 1, "kinds": {"k": {"event": {"a": 1, "b": 0}}},
                    "not_caused": {}}
        (part.folder / "in.coverage").write_text(json.dumps(coverage))
        (part.folder / "in.json").write_text(json.dumps({"runs": [{"scenario": "s", "status": "passed"}]}))
        copy_driver(part)
        if part.options.sources.is_dir() and not part.options.sample:
            self.build_wrong_driver()

    def build_wrong_driver(self):
        """Make wrong.so, with a driver of CMEM latency devices that serves none."""
        file = self.part.folder / "nvidia_t410_cmem_latency_pmu.c"
        file.write_text(WRONG_DRIVER, encoding="utf-8")
        built = self.part.run(["driver", "build", file, "--sources", self.part.options.sources.resolve(), "-o",
                               "wrong.so"], "build", patience=300)
        if built.code != 0:
            self.part.stop(f"the wrong driver does not build: {built.err}")

    def run(self, command, number, error, how):
        """Run a command whose call of this number fails. The results of earlier runs are old files again."""
        shutil.rmtree(self.results, ignore_errors=True)
        shutil.rmtree(self.part.folder / "cache", ignore_errors=True)
        for name in command.results:
            (self.results / name).parent.mkdir(parents=True, exist_ok=True)
            (self.results / name).write_text(OLD)
        self.results.mkdir(exist_ok=True)
        if "results/link.json" in command.arguments:
            (self.results / "link.json").symlink_to("target.json")
        ctypes.memset(ctypes.addressof(self.plan), 0, ctypes.sizeof(Plan))
        self.plan.number, self.plan.error, self.plan.how = number, error, how
        return self.part.run(command.arguments, "command", {
            "LD_PRELOAD": str(self.library), "FAIL_WRITES": str(self.plan_file), "PMUFAB_JOBS": "1",
            "CCACHE_DISABLE": "1",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"})

    def files(self):
        """Names and contents of all files below the results' folder."""
        found = {}
        for path in sorted(self.results.rglob("*")):
            if path.is_file() and not path.is_symlink():
                found[str(path.relative_to(self.results))] = path.read_bytes()
        return found

    def check(self, command, number, failure, wanted, whole):
        """One run. wanted: how it ends if nothing fails; whole: its files then."""
        name, error, how = failure
        outcome = self.run(command, number, error, how)
        what, where = self.plan.what.decode(), self.plan.where.decode(errors="replace")
        left = self.part.left_behind()
        if not what:
            return  # there was no call of this number, or it cannot write less
        self.part.count += 1
        found = self.files()
        why = (self.wrong_end(command, outcome, error, what, where, wanted, name)
               or self.wrong_files(command, outcome, found, wanted, whole)
               or (f"left behind: {left}" if left else ""))
        if why:
            self.part.bad(f"{command.name}: {name}, call {number}: {what} of {where}", why,
                          [self.part.folder / "command.out", self.part.folder / "command.err"])

    def wrong_end(self, command, outcome, error, what, where, wanted, name):
        """What is wrong with the end of a command, in words; empty: nothing."""
        if outcome.code == wanted.code:
            if name in ("interrupted", "short"):
                return "" if outcome.out == wanted.out else "its output is another"
            if any(fnmatch.fnmatch(where, file) and fnmatch.fnmatch(what, function) for file, function, _ in MAY_FAIL):
                return ""
            if command.is_built_by_others and ("/cache/" in where or "/tmp/" in where):
                return ""  # of the compiler and the shell script: the library is compared
            return "it went on as if nothing had failed"
        if outcome.code == 1 and command.is_built_by_others and outcome.err:
            return ""
        if outcome.code != 2:
            return f"{outcome.text()}: {outcome.err[-300:]}"
        # A stream that has failed once does not remember why.
        is_known = where != str(self.part.folder / "command.out")
        if error and is_known and REASONS[error] not in outcome.err and not command.is_built_by_others:
            return f"the reason is not told: {outcome.err[-300:]}"
        return "" if outcome.err else "exit code 2 without a word"

    def wrong_files(self, command, outcome, found, wanted, whole):
        """What is wrong with the files of a command, in words; empty: nothing."""
        for name, content in found.items():
            if name not in whole:
                return f"a file is left: {name}"
            if content == whole[name] or (content == OLD.encode() and outcome.code != wanted.code):
                continue
            if outcome.code == 2 and command.tells_failures and is_whole(self.results / name):
                continue
            return f"{name} is not whole: {len(content)} of {len(whole[name])} bytes"
        lost = [name for name in command.results if name not in found]
        return f"an old file is gone: {lost}" if lost else ""

    def all_calls(self, command, seconds):
        """Let each call of a command fail in each way, as far as the seconds go."""
        end = time.monotonic() + seconds
        wanted = self.run(command, 0, 0, ONCE)
        whole, calls = self.files(), self.plan.calls
        left = self.part.left_behind()
        if wanted.code != command.code or left:
            self.part.bad(command.name, f"without a failure: {wanted.text()}, {left}: {wanted.err}")
            return
        points = self.points(command, calls)
        done = 0
        for number, failure in points:
            if done > 0 and time.monotonic() > end:
                break
            self.check(command, number, failure, wanted, whole)
            done += 1
        if not self.part.options.sample:
            print(f"{command.name}: {done} of {calls * len(FAILURES)} failures of {calls} calls", flush=True)

    def points(self, command, calls):
        """Which call fails, and how."""
        every = [(number, failure) for number in range(1, calls + 1) for failure in FAILURES]
        # Compilers, and the files of a shell, make thousands.
        most = 2 if self.part.options.sample else 500
        return self.part.random.sample(every, min(most, len(every)))


def main():
    """Run the part."""
    part = Part("failed writes")
    writes = Writes(part)
    chosen = [command for command in commands(part) if not part.options.only or command.name in part.options.only]
    for index, command in enumerate(chosen):
        # What one command leaves of its time is for those that follow.
        left = part.options.seconds - (time.monotonic() - part.began)
        writes.all_calls(command, max(0, left) / (len(chosen) - index))
    del writes.plan  # it maps a file of the folder
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
