#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs drivers that misbehave beside scenarios that do not meet them.

hostile_driver.c is built once and replaces the driver of the CMEM latency PMUs. The environment variable MISDEED says
what it does, and at which stage. One command runs three scenarios. The platform of the second one has a socket 1, and
only there does the driver misbehave. `drivers.py ... loop@read` runs one misdeed alone. Some misdeeds are done in the
cases of a campaign, too: `drivers.py ... campaign-loop@probe`.

What is checked:
  - the results of the first and the third scenario are to the byte those of a command without a misdeed
  - the second has an outcome that is right for the misdeed, and a message if it was not the driver's to choose
  - the exit code is the gravest of the outcomes, as docs/verdicts.md says
  - the output is bounded, and no process and no file is left behind
"""

import concurrent.futures
import json
import queue
import shutil
import sys

import hostile

GOOD = {
    "first": f"""name: first
{hostile.SMALL}measure:
  - events: [nvidia_ucf_pmu_0/slc_access_rd/]
    window: 20 us
  - events: [hostile_pmu_0/count/]
    window: 20 us
    compare: none
""",
    "last": f"""name: last
platform: {hostile.SCENARIOS}/platforms/cmn600-small.yaml
mesh_traffic:
  - {{name: flits, channel: req, pattern: uniform, rate: 0.1, opcodes: [0x1, 0x4]}}
measure:
  - events: [arm_cmn_0/mxp_e_req_txflit_valid/, arm_cmn_0/dtc_cycles/]
    window: 20 us
"""}
BAD = """name: hostile
platform: {kind: tegra410, sockets: 2, cpus_per_socket: 4, tegra410: {clusters: 4}}
measure:
  - events: [nvidia_ucf_pmu_0/cycles/]
    window: 20 us
    interval: 5 us
  - events: ["{hostile_pmu_1/count/,hostile_pmu_1/count/}"]
    window: 20 us
    interval: 5 us
    compare: none
actions:
  - {at: 40 us, do: reload_drivers}
"""

CODES = {"passed": 0, "expected_failure": 0, "not_judged": 4, "failed": 1, "timed_out": 1, "interrupted": 1,
         "unexpected_pass": 1, "bad_input": 2, "crashed": 3}
GRAVEST = [3, 2, 1, 4, 0]
AT_ONCE = 4
OUTPUT = 5 << 20  # of what a run prints 1 MiB is kept, of which each byte may become four characters; and the rest
SOON = ["--timeout", "5"]  # good runs must be able to end before, on a busy machine too
LATER = ["--timeout", "20"]
PASSED, FAILED, CRASHED = {"passed"}, {"failed"}, {"crashed"}
HANGS = {"timed_out"}
STOPPED = {"interrupted"}
REFUSED = {"bad_input"}  # the scenario names an event that the driver does not offer
CHANCE = set(CODES)  # undefined behaviour of C

STAGES = ["init", "probe", "show", "format", "event", "event_init", "start_txn", "disable", "add", "enable",
          "commit_txn", "read", "del", "destroy", "remove", "exit"]
BOTH = ["probe", "read"]

# (deeds, stages, outcomes that are right, options)
MISDEEDS = [
    # It never comes back.
    (["loop"], STAGES, HANGS, SOON),
    (["sleep"], ["init", "probe", "remove"], HANGS, SOON),
    (["relax", "block_signals", "ignore_signals", "leave_group", "vfork", "return_from_fault", "signal=19", "signal=20",
      "ptrace_loop", "ptrace_stop", "flood"], BOTH, HANGS, SOON),
    (["exec_sleep"], BOTH, HANGS, SOON),
    (["spin_twice", "mutex_twice"], BOTH, FAILED, LATER),
    # It prints.
    (["print", "print_garbage", "close_output"], BOTH, PASSED, LATER),
    (["long_line"], BOTH, FAILED, LATER),  # from memory that it does not free
    (["warn"], BOTH, FAILED, LATER),
    # It ends the process.
    (["exit", "_exit", "_exit=4", "abort"], ["init", "exit", "show", "destroy", *BOTH], CRASHED, LATER),
    (["trap", "pthread_exit", "exiting_thread", "exec", "ignored_abort", "no_time", "alarm"], BOTH, CRASHED, LATER),
    (["bug"], BOTH, FAILED, LATER),
    ([f"signal={number}" for number in (6, 9, 11, 14)], ["read"], CRASHED, LATER),
    ([f"signal={number}" for number in (2, 15, 24)], ["read"], STOPPED, LATER),
    ([f"signal={number}" for number in (10, 13, 17, 18, 25)], ["read"], PASSED, LATER),  # 10 asks a run where it is
    (["signal=1", "signal=3"], ["read"], PASSED | CRASHED, LATER),  # as the user had them: nohup ignores one
    (["default_signals"], BOTH, PASSED, LATER),
    # It starts others.
    (["fork", "daemon", "system", "ptrace"], ["probe"], PASSED, LATER),
    (["daemon", "system", "ptrace"], ["read"], PASSED, LATER),
    (["fork"], ["read"], PASSED | STOPPED, LATER),
    (["threads", "shouting_thread"], BOTH, CHANCE, LATER),
    (["fork_bomb"], BOTH, STOPPED, ["--limit", "processes=20"]),
    # It changes its process.
    (["no_files", "no_memory", "chroot"], BOTH, CRASHED, LATER),
    (["chdir", "clearenv"], BOTH, PASSED, LATER),
    (["small_files"], BOTH, REFUSED, LATER),
    (["unmap"], BOTH, CHANCE, LATER),
    # The files and the memory of its results.
    (["close", "garbage", "lines", "truncate", "grow", "swap", "unlink"], BOTH, CRASHED, LATER),
    (["rewind", "share_zeros", "share_ones"], BOTH, PASSED, LATER),
    # Its own memory.
    (["recurse"], BOTH, FAILED, LATER),  # beyond the stack of a kernel
    (["wild", "null", "call_null", "call_data"], BOTH, CRASHED, LATER),
    (["double_free", "free_stack"], BOTH, FAILED, LATER),
    (["use_after_free", "overrun", "stack", "longjmp"], BOTH, CHANCE, LATER),
    (["nowhere"], BOTH, FAILED, LATER),
    (["kmalloc"], ["probe"], FAILED, ["--limit", "memory=512 MiB"]),  # more than KMALLOC_MAX_SIZE
    (["kmalloc_loop", "kmalloc_small"], ["probe"], FAILED, ["--limit", "memory=512 MiB"]),  # it keeps what it gets
    # Interrupts and locks.
    (["free_irqs", "unlock"], BOTH, FAILED, LATER),
    (["strange_irqs", "endless_irqs"], ["probe"], PASSED, LATER),
    (["strange_irqs", "endless_irqs"], ["read"], FAILED, LATER),  # who reads may not sleep
    (["irq_off"], ["probe"], FAILED, LATER),  # probe() goes on, and sleeps
    (["irq_off"], ["read"], PASSED, LATER),
    # What it returns.
    (["return=-1000", "return=7", "return=-12"], ["init", "probe", "event_init"], FAILED, LATER),
    (["return=-517"], ["init", "event_init"], FAILED, LATER),
    (["return=-517"], ["probe"], REFUSED, LATER),
    (["return=-1000", "return=7"], ["commit_txn"], PASSED, LATER),
    (["return=-1000", "return=-5", "return=0", "return=1", "return=5000"], ["show"], FAILED, LATER),
    (["return=7"], ["show"], PASSED, LATER),  # zeros behind the line
    (["return=-1000"], ["add"], PASSED, LATER),
    (["return=7"], ["add"], FAILED, LATER),
    (["unended", "control", "cpus"], ["show"], FAILED, LATER),
    (["backwards"], ["show"], FAILED, LATER),
    (["long"], ["show"], CHANCE, LATER),
    (["bits", "turned", "word", "nothing", "page"], ["format"], FAILED, LATER),
    (["value", "term", "itself", "page", "nothing", "unreadable"], ["event"], FAILED, LATER),
    # What is the perf core's.
    (["no_pmu", "other_pmu", "cpu=9999", "cpu=-9", "index", "state", "count", "times", "handle", "no_leader", "lists",
      "ghost", "no_name", "no_callbacks", "unregister"], ["event_init", "add", "read"], CHANCE, SOON),
    (["name=null", "name=huge", "name=a/b", "name=../x", "name=..", "name=", "unregister_other"], ["register"], FAILED,
     LATER),
    # It registers a PMU more, and leaves it behind.
    (["many"], ["register"], FAILED, ["--timeout", "90"]),  # a thousand take some seconds of a processor
    (["name=a b\n", "name=\x1b[2J", "same_name", "same_type"], ["register"], FAILED, LATER),
    (["freed_name", "no_functions", "wild_groups", "register_twice"], ["register"], CHANCE, LATER),
    (["unregister_twice"], ["register"], REFUSED, LATER),
]

# Of each kind one, for ctest. They need no memory and little time.
SAMPLE = ["loop@read", "exec_sleep@probe", "ptrace_stop@read", "print_garbage@probe", "_exit@destroy", "bug@read",
          "signal=2@read", "fork@probe", "daemon@read", "rewind@probe", "grow@read", "share_ones@read", "close@probe",
          "null@read", "return=-1000@init", "control@show", "page@format", "name=../x@register"]

# Of campaigns (pmufab verify): a case that misbehaves counts like others, and the next ones are judged.
CAMPAIGNS = ["null@probe", "loop@probe", "_exit@probe", "flood@probe", "print_garbage@probe", "unlink@probe",
             "grow@read", "close@probe", "signal=2@probe", "signal=15@probe", "daemon@probe", "fork_bomb@probe",
             "exec@probe", "return=-1000@init", "name=\x1b[2J@register", "kmalloc_loop@probe"]
CASES = 4


def code_of(run):
    """The exit code that docs/verdicts.md gives a run."""
    return 0 if run["status"] == "not_judged" and run["counters"] == 0 else CODES[run["status"]]


class Drivers(hostile.Part):
    """One build of the driver, and one command for each misdeed."""

    def __init__(self):
        super().__init__("misdeeds")
        source = self.folder / "nvidia_t410_cmem_latency_pmu.c"
        shutil.copy(hostile.REPOSITORY / "testbench/tests/hostile/hostile_driver.c", source)
        self.library = self.folder / "hostile.so"
        trees = [path.parents[3] for path in self.options.sources.glob("*/drivers/perf/arm_cspmu/nvidia_cspmu.c")]
        if not trees:
            self.skip("there are no sources of the drivers of a Tegra410")
        newest = max(trees, key=lambda path: [int(number) for number in path.name.split(".")]).name
        build = ["driver", "build", source, "--sources", self.options.sources, "--base", newest, "-o", self.library]
        built = self.run(build, patience=300)
        if built.code != 0:
            self.stop(f"the driver does not compile:\n{built.err}")
        self.files = []
        for name, text in [("first", GOOD["first"]), ("hostile", BAD), ("last", GOOD["last"])]:
            self.files.append(self.folder / f"{name}.yaml")
            self.files[-1].write_text(text, encoding="utf-8")
        self.good, _, outcome = self.results(self, [self.files[0], self.files[2]], [], {})
        if outcome.code != 0:
            self.stop(f"the scenarios do not pass without a misdeed:\n{outcome.out}{outcome.err}")

    def results(self, place, files, options, environment):
        """Run scenarios. Return the files of each, by scenario; what the report says of each; how the command ended."""
        out = place.folder / "out"
        report = place.folder / "report.json"
        reports = ["--out", out, "--json", report]
        outcome = place.run(["run", *files, "--driver", self.library, *reports, "-j", "2", *options],
                            environment=environment)
        written = {}
        for folder in out.glob("*/"):
            written[folder.name.split("-")[0]] = {path.name: path.read_bytes() for path in folder.iterdir()}
        try:
            runs = {run["scenario"]: run for run in json.loads(report.read_text(encoding="utf-8"))["runs"]}
        except (OSError, ValueError):
            runs = {}
        report.unlink(missing_ok=True)
        shutil.rmtree(out, ignore_errors=True)
        return written, runs, outcome

    def play(self, misdeed, right, options):
        """Run a misdeed, and judge the results."""
        place = self.places.get()
        written, runs, outcome = self.results(place, self.files, options, {"MISDEED": misdeed})
        why = self.judge(right, written, runs, outcome)
        left = place.left_behind()
        if self.options.only and not self.options.verbose:
            print(outcome.out + outcome.err)
        run = runs.get("hostile", {})
        if self.options.verbose:
            print(f"{misdeed}: {run.get('status')}, {outcome.text()}, {outcome.seconds:.1f} s: {run.get('message')}")
        if why or left:
            self.bad(misdeed, why or f"left behind: {left}", [place.folder / "run.out", place.folder / "run.err"])
        self.places.put(place)
        self.count += 1

    def play_campaign(self, misdeed):
        """Run a misdeed in each case of a campaign that has a socket 1."""
        place = self.places.get()
        out = place.folder / "campaign"
        outcome = place.run(["verify", "--driver", self.library, "--fabric", "tegra410", "--runs", CASES, "--jobs", "2",
                             "--timeout", "4", "--limit", "memory=512 MiB", "--limit", "processes=20", "--no-shrink",
                             "--out", out], environment={"MISDEED": misdeed}, patience=300)
        try:
            state = json.loads((out / "verify-state.json").read_text(encoding="utf-8"))
            judged = state["passed"] + state["failed"] + state["not_judged"]
        except (OSError, ValueError, KeyError):
            judged = 0
        shutil.rmtree(out, ignore_errors=True)
        left = place.left_behind()
        why = hostile.control_characters(outcome)
        if outcome.code not in (0, 1):
            why = f"{outcome.text()}: {outcome.err[-300:]}"
        elif judged != CASES:
            why = f"{judged} of {CASES} cases were judged"
        elif len(outcome.out) + len(outcome.err) > OUTPUT:
            why = f"{len(outcome.out) + len(outcome.err)} bytes of output"
        if self.options.verbose:
            print(f"campaign, {misdeed}: {outcome.text()}, {outcome.seconds:.1f} s")
        if why or left:
            self.bad(f"campaign {misdeed}", why or f"left behind: {left}",
                     [place.folder / "run.out", place.folder / "run.err"])
        self.places.put(place)
        self.count += 1

    def judge(self, right, written, runs, outcome):
        """What is bad about a command; empty: nothing."""
        for name in GOOD:
            if written.get(name) != self.good[name]:
                return f"the results of the scenario {name} are not as without a misdeed"
        if "hostile" not in runs:
            return "the report does not have the run"
        status = runs["hostile"]["status"]
        if status not in right:
            return f"the outcome is {status}, not {' or '.join(sorted(right))}: {runs['hostile'].get('message')}"
        if status not in ("passed", "failed", "not_judged") and not runs["hostile"].get("message"):
            return f"the outcome is {status}, without a message"
        code = min((code_of(run) for run in runs.values()), key=GRAVEST.index)
        if outcome.code != code:
            return f"{outcome.text()}, but the outcomes mean {code}"
        if len(outcome.out) + len(outcome.err) > OUTPUT:
            return f"{len(outcome.out) + len(outcome.err)} bytes of output"
        return hostile.control_characters(outcome)

    def play_all(self):
        """Run the misdeeds, several at once: most time is spent on waiting for the end of those that hang."""
        chosen = self.options.only or (SAMPLE if self.options.sample else [])
        self.places = queue.Queue()
        for _ in range(AT_ONCE):
            self.places.put(self.place())
        plays = []
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for deeds, stages, right, options in MISDEEDS:
                for name in [f"{deed}@{stage}" for deed in deeds for stage in stages]:
                    if not chosen or name in chosen:
                        plays.append(pool.submit(self.play, name, right, options))
            for name in CAMPAIGNS[:1] if self.options.sample else CAMPAIGNS:
                if not self.options.only or f"campaign-{name}" in chosen:
                    plays.append(pool.submit(self.play_campaign, name))
        for play in plays:
            play.result()  # or the exception


def main():
    part = Drivers()
    part.play_all()
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
