# SPDX-License-Identifier: Apache-2.0
"""What the parts of the hostile suite share: options, a folder for each command, its end, and what it left behind.

A part is an executable file in this folder. tools/hostile and ctest call it so:

  PART --pmufab PROGRAM [--drivers DIR] [--sources DIR] [--seconds N] [--seed S] [--sample] [--keep DIR]

  --pmufab PROGRAM  the command to test
  --drivers DIR     its driver sets (default: what the command finds itself)
  --sources DIR     kernel sources for own drivers (default: .cache/linux-sources)
  --seconds N       how long to go on (default 60). A part that has a fixed list ends earlier
  --seed S          what random numbers begin with (default 1). The same seed makes the same inputs
  --sample          a few inputs of each kind, for ctest
  --verbose         a line for each input
  --keep DIR        where the files of a bad outcome are kept (default: build/hostile)

It prints a line for each bad outcome, and one line at the end that counts. Exit code: 0 no bad outcome, 1 at least one,
2 the part cannot run.
"""

import argparse
import atexit
import dataclasses
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SCENARIOS = REPOSITORY / "scenarios"
# A small platform with a little traffic, as text of a scenario.
SMALL = """platform: {kind: tegra410, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - name: cpu
        requester: {kind: cpu, id: 0}
        targets: [{memory: cmem, size: 1 MiB}]
        mix: {read: 1}
        pacing: {requests_per_us: 10}
"""
PEAK = 1 << 30  # bytes of memory that a command may use


@dataclasses.dataclass
class Outcome:
    """How a command ended."""

    code: int  # exit code; -N: killed by signal N
    out: str
    err: str
    seconds: float
    processor: float  # seconds of processor time of all its processes
    peak: int  # bytes of memory of the largest of its processes

    def text(self):
        """The end in words."""
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}"
        return f"exit code {self.code}"


# Line feed, tab, and what joins or divides the letters of a word.
HARMLESS = "\n\t\u00ad\u200c\u200d"


def control_characters(outcome):
    """What is bad about the characters that a command printed: a terminal would obey them. Empty: nothing."""
    for text in (outcome.out, outcome.err):
        for character in text:
            if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in HARMLESS:
                return f"it printed the character U+{ord(character):04X}"
    return ""


class Place:
    """A folder in which commands run, with a $TMPDIR of its own. Two threads need two places."""

    def __init__(self, pmufab, drivers):
        self.pmufab = pmufab
        self.drivers = drivers
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pmufab-hostile-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def start(self, arguments, name="run", environment=None, folder=None, program=None):
        """Start pmufab in a session of its own; its output goes to NAME.out and NAME.err in the part's folder."""
        variables = dict(os.environ, TMPDIR=str(self.temporary), LC_ALL="C", XDG_CACHE_HOME=str(self.folder / "cache"))
        if self.drivers:
            variables["PMUFAB_DRIVERS"] = str(self.drivers)
        variables.update(environment or {})
        with open(self.folder / f"{name}.out", "wb") as out, open(self.folder / f"{name}.err", "wb") as err:
            process = subprocess.Popen(
                [str(program or self.pmufab), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                cwd=folder or self.folder, env=variables, start_new_session=True)
        process.stem = name
        process.began = time.monotonic()
        return process

    def finish(self, process, patience=60):
        """Wait for the end of a command; a command that takes longer than patience (seconds) is killed."""
        is_late = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - process.began > patience and not is_late:
                is_late = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        stem = self.folder / process.stem
        read = lambda ending: pathlib.Path(f"{stem}.{ending}").read_text(encoding="utf-8", errors="replace")
        return Outcome(process.returncode, read("out"), read("err"), time.monotonic() - process.began,
                       usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)

    def run(self, arguments, name="run", environment=None, patience=60):
        """Run pmufab to its end."""
        return self.finish(self.start(arguments, name, environment), patience)

    def processes(self):
        """Ids of processes that a command of this part left behind: their environment names its folder."""
        mark = f"TMPDIR={self.temporary}".encode()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:  # it has ended, or is another user's
                continue
        return found

    def left_behind(self):
        """What is left of commands that have ended, in words; empty: nothing. It is removed."""
        left = []
        for pid in self.processes():
            left.append(f"process {pid}")
            os.kill(pid, signal.SIGKILL)
        for path in self.temporary.iterdir():
            left.append(f"$TMPDIR/{path.name}")
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return ", ".join(left)


class Part(Place):
    """One part of the suite: its options, and its count of inputs and bad outcomes."""

    def __init__(self, noun):
        """noun: what it counts, such as "inputs"."""
        if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # by nohup: the commands must not inherit that
            signal.signal(signal.SIGHUP, lambda *_: None)
        parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__.split("\n")[0])
        parser.add_argument("--pmufab", required=True, type=pathlib.Path)
        parser.add_argument("--drivers", type=pathlib.Path)
        parser.add_argument("--sources", type=pathlib.Path, default=REPOSITORY / ".cache" / "linux-sources")
        parser.add_argument("--seconds", type=float, default=60)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--sample", action="store_true")
        parser.add_argument("--keep", type=pathlib.Path, default=REPOSITORY / "build" / "hostile")
        parser.add_argument("--verbose", action="store_true")
        parser.add_argument("only", nargs="*", help="names of single inputs")
        self.options = parser.parse_args()
        # Whoever was started in the background by a script has these ignored, and its commands would inherit that.
        for number in (signal.SIGINT, signal.SIGQUIT):
            if signal.getsignal(number) == signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        self.name = pathlib.Path(sys.argv[0]).stem
        pmufab = self.options.pmufab.resolve()
        if not os.access(pmufab, os.X_OK):
            self.stop(f"there is no program {pmufab}")
        if self.options.drivers and not any(self.options.drivers.glob("*/pmufab_drivers.so")):
            self.skip("there are no Linux drivers")
        super().__init__(pmufab, self.options.drivers)
        self.noun = noun
        self.random = random.Random(f"{self.name} {self.options.seed}")
        self.began = time.monotonic()
        self.count = 0
        self.bad_outcomes = 0
        self.is_sanitized = b"__asan_report_load8" in self.pmufab.read_bytes()

    def stop(self, reason):
        """End the part, because it cannot run."""
        print(f"{self.name}: {reason}", file=sys.stderr)
        sys.exit(2)

    def place(self):
        """Another place, for commands at the same time."""
        return Place(self.pmufab, self.drivers)

    @staticmethod
    def skip(reason):
        """End the part, because there is nothing to test."""
        print(reason)
        sys.exit(77)

    def has_time(self):
        """False once the part has used its seconds."""
        return time.monotonic() - self.began < self.options.seconds

    def bad(self, what, why, files=()):
        """Note a bad outcome of an input, whose name begins `what`. Files are kept."""
        self.bad_outcomes += 1
        keep = self.options.keep / f"{self.name}-{self.options.seed}-{what.split(',')[0].replace(' ', '-')}"
        keep.mkdir(parents=True, exist_ok=True)
        for file in files:
            if pathlib.Path(file).exists():
                shutil.copy(file, keep)
        (keep / "why").write_text(f"{what}\n{why}\n", encoding="utf-8", errors="replace")
        print(f"BAD {self.name}: {what}: {why} ({keep})", flush=True)

    def end(self):
        """Print what was counted, and return the exit code."""
        print(f"{self.name}: {self.count} {self.noun}, {self.bad_outcomes} bad outcomes, seed {self.options.seed}, "
              f"{time.monotonic() - self.began:.0f} s")
        return 1 if self.bad_outcomes else 0
