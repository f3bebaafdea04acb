#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run a study on a Slurm of one node, which this test starts and ends.

Usage: slurm_test.py PMUFAB

The export is the same to the byte as that of a run without Slurm: undisturbed, with a task killed, and with the command
killed that waits for the tasks. Ends with 77 if Slurm is not there (tools/setup --slurm), or does not start here.
"""

import contextlib
import getpass
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PAGE = 4096  # bytes of a page of SQLite
PATIENCE = 60  # seconds for what takes a few
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")

BASE = """name: base
platform: {kind: tegra410, name: small, sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 20 us
measure:
  - {name: all, events: [nvidia_ucf_pmu_0/slc_access_rd/], compare: none}
"""
STUDY = """name: rates
scenario: base.yaml
axes:
  rate: {set: "traffic[0].generators[0].pacing.requests_per_us", range: {from: 1, to: 60}}
  delay: {set: host.interrupt_delay, values: [0, 2 us]}
responses:
  reported: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: driver}
find: {smallest: rate, such_that: "reported >= 700", for_each: [delay]}
points: grid
"""

def check(condition, text):
    if not condition:
        sys.exit(f"slurm_test: {text}")


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        check(time.monotonic() < end, f"{what} did not come")
        time.sleep(0.02)


class Skip(Exception):
    pass


class Slurm:
    """Its three programs, on this machine, for this user, with ports and files of their own."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "munge.key").write_bytes(secrets.token_bytes(1024))
        (folder / "munge.key").chmod(0o600)
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        user, host = getpass.getuser(), socket.gethostname()
        (folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
""")
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")

    def start(self):
        self.begin(["munged", "--force", "--key-file", self.folder / "munge.key", "--socket",
                    self.folder / "munge.socket", "--pid-file", self.folder / "munged.pid", "--log-file",
                    self.folder / "munged.log", "--seed-file", self.folder / "munged.seed"])
        self.begin(["slurmctld"])
        self.begin(["slurmd"])
        end = time.monotonic() + PATIENCE / 2
        while subprocess.run(["sinfo", "--noheader", "--format=%T"], text=True, capture_output=True,
                             check=False).stdout.strip() != "idle":
            if time.monotonic() > end:
                raise Skip("the node of Slurm does not become idle")
            time.sleep(0.1)

    def begin(self, words):
        done = subprocess.run(words, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise Skip(f"{words[0]} does not start: {done.stderr.strip()}")

    def end(self):
        for name in ("slurmd", "slurmctld", "munged"):
            try:
                pid = int((self.folder / f"{name}.pid").read_text())
                os.kill(pid, signal.SIGTERM)
            except (OSError, ValueError):
                continue
            for _ in range(500):
                if not pathlib.Path(f"/proc/{pid}").exists():
                    break
                time.sleep(0.02)

    @staticmethod
    def jobs():
        """Numbers of all job arrays so far."""
        done = subprocess.run(["squeue", "--noheader", "--states=all", "--format=%F"], text=True, capture_output=True,
                              check=True)
        return set(done.stdout.split())


class Study:
    def __init__(self, pmufab, folder):
        self.pmufab, self.folder = pmufab, folder
        (folder / "base.yaml").write_text(BASE)
        (folder / "study.yaml").write_text(STUDY)
        (folder / "search.yaml").write_text(STUDY.replace("points: grid\n", ""))

    def start(self, name, *more, study="study.yaml"):
        return subprocess.Popen([self.pmufab, "explore", self.folder / study, "--drivers", "newest", "--db",
                                 self.folder / name, *more], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process, name, is_grid=True):
        out, errors = process.communicate(timeout=2 * PATIENCE)
        check(process.returncode == 0, f"pmufab explore ended with {process.returncode}:\n{out}{errors}")
        check(("rates: 120 points" in out) == is_grid, f"not the points that were asked for:\n{out}{errors}")
        check(not (self.folder / f"{name}.tasks").exists(), "the folder of the tasks has stayed")
        return subprocess.run([self.pmufab, "explore", "export", self.folder / name], text=True, capture_output=True,
                              check=True).stdout

    def processes_of_task(self, name, task):
        """Ids of the processes whose command writes to the database of a task."""
        wanted = f"{self.folder}/{name}.tasks/{task}.sqlite".encode()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and wanted in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def has_points(self, name, task, points=5):
        """A task has written some of its 30 points to its log, of a few pages each, and has not ended."""
        log = self.folder / f"{name}.tasks" / f"{task}.sqlite-wal"
        return log.exists() and log.stat().st_size >= points * 3 * PAGE and self.processes_of_task(name, task)


def run_tests(pmufab, folder):
    study = Study(pmufab, folder)
    wanted = study.finish(study.start("local.sqlite"), "local.sqlite")
    on_slurm = ("--on", "slurm", "--tasks", "4")

    exported = study.finish(study.start("a.sqlite", *on_slurm), "a.sqlite")
    check(exported == wanted, "four tasks export something else than one machine")
    check(len(Slurm.jobs()) == 1, f"one job was to be submitted, not {Slurm.jobs()}")

    command = study.start("b.sqlite", *on_slurm)
    wait_until(lambda: study.has_points("b.sqlite", 2), "the second task")
    for pid in study.processes_of_task("b.sqlite", 2):
        # The processes of a task end with the first of them.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    check(study.finish(command, "b.sqlite") == wanted, "after a task was killed, the export differs")
    check(len(Slurm.jobs()) == 3, f"a second job was to do the rest: {Slurm.jobs()}")

    command = study.start("c.sqlite", *on_slurm)
    wait_until(lambda: study.has_points("c.sqlite", 3), "the third task")
    command.kill()
    command.communicate()
    check(study.finish(study.start("c.sqlite", *on_slurm), "c.sqlite") == wanted,
          "after the command was killed, the export differs")
    check(len(Slurm.jobs()) == 4, f"the tasks of the first command were to go on: {Slurm.jobs()}")

    # A search: the third and the fourth task have no border to look for.
    wanted = study.finish(study.start("d.sqlite", study="search.yaml"), "d.sqlite", False)
    exported = study.finish(study.start("e.sqlite", *on_slurm, study="search.yaml"), "e.sqlite", False)
    check(exported == wanted, "a search on Slurm exports something else than one on one machine")


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    found = [any(os.access(os.path.join(place, name), os.X_OK) for place in os.environ["PATH"].split(":"))
             for name in PROGRAMS]
    if not all(found):
        print("skipped: Slurm is not there (Debian's slurmctld, slurmd, slurm-client and munge: tools/setup --slurm)")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="pmufab-slurm-", ignore_cleanup_errors=True) as temporary:
        folder = pathlib.Path(temporary)
        (folder / "slurm").mkdir()
        slurm = Slurm(folder / "slurm")
        try:
            slurm.start()
            run_tests(pathlib.Path(sys.argv[1]).resolve(), folder)
        except Skip as reason:
            print(f"skipped: {reason}")
            return SKIPPED
        finally:
            slurm.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
