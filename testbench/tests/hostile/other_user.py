#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Let another user of the machine try to read, to connect and to plant something.

Both users share a folder in which everybody may make files, as /tmp is ($TMPDIR and the folder of results). The other
user (65534) must not read scratch folders, connect to sockets or reach shared memory. What the other user has planted
at a name that a command will use is not followed, written through or removed.

Root is needed to be two users. Without it the part is skipped (exit code 77).
"""

import os
import pathlib
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

from hostile import REPOSITORY, SCENARIOS, Part

OTHER = 65534
SKIPPED = 77
EVENT = "nvidia_ucf_pmu_0/slc_access_rd/"
QUICK = ["stat", "-e", EVENT, "--duration", "10 us"]


def as_other(work):
    """Do work in a child process of the other user. Return what it prints, which must be short."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(OTHER, OTHER, OTHER)
            os.setresuid(OTHER, OTHER, OTHER)
            answer = str(work())
        except BaseException as error:  # whatever it is, the parent judges it
            answer = f"{type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    answer = os.read(read, 4096).decode()
    os.close(read)
    os.waitpid(child, 0)
    return answer


def plant(make):
    """Make something as the other user."""
    if answer := as_other(lambda: make() or ""):
        raise RuntimeError(f"cannot plant: {answer}")


def has_ended(process):
    """Whether a command has ended; finish() collects it all the same."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


class Users:
    """Attempts of the other user. The name of each method that begins with try_ is an attempt."""

    def __init__(self, part):
        self.part = part
        self.shared = part.temporary
        self.shared.chmod(0o1777)
        part.folder.chmod(0o711)
        self.secret = part.folder / "secret"
        self.secret.mkdir(mode=0o700)

    def expect(self, what, is_right, why=""):
        """Note a bad outcome unless something is as it must be."""
        if not is_right:
            self.part.bad(what, why)

    def clean(self):
        """Empty the shared folder."""
        for path in self.shared.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def wait_for(self, pattern, process, seconds=60):
        """Wait until a file below the shared folder is there. Return it, or nothing."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not has_ended(process):
            found = sorted(self.shared.glob(pattern))
            if found:
                return found[0]
            time.sleep(0.01)
        return None

    def look_into(self, arguments, pattern, what):
        """Start a command, and look at its scratch folder as the other user once a file is there."""
        before = set(os.listdir("/dev/shm"))
        process = self.part.start(arguments, "command")
        file = self.wait_for(pattern, process)
        if file is None:
            os.kill(process.pid, signal.SIGKILL)
            self.expect(what, False, f"there is no {pattern}: {self.part.finish(process).err[-300:]}")
            return
        folder = next(path for path in file.parents if path.parent == self.shared)
        self.expect(what, stat.S_IMODE(folder.stat().st_mode) == 0o700, f"{folder} has mode {folder.stat().st_mode:o}")
        answer = as_other(lambda: os.listdir(folder))
        self.expect(what, answer.startswith("PermissionError"), f"the other user lists {folder}: {answer}")
        # The command may remove a folder meanwhile; os.walk() leaves it out.
        paths = [pathlib.Path(root) / name for root, _, names in os.walk(folder) for name in names]
        for path in sorted(paths):
            if path.is_socket():
                self.expect(what, stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, f"{path} is open to others")
                self.connect(path, what)
        left = [name for name in set(os.listdir("/dev/shm")) - before
                if os.stat(f"/dev/shm/{name}").st_mode & 0o077 and os.stat(f"/dev/shm/{name}").st_uid == os.getuid()]
        self.expect(what, not left, f"shared memory is open to others: {left}")
        os.kill(process.pid, signal.SIGTERM)
        self.part.finish(process)

    def connect(self, path, what):
        """Connect to a socket as the other user, even if somebody has opened the folder."""
        folder = path.parent
        mode = stat.S_IMODE(folder.stat().st_mode)
        folder.chmod(0o755)
        for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
            answer = as_other(lambda kind=kind: socket.socket(socket.AF_UNIX, kind).connect(str(path)))
            self.expect(what, answer.startswith("PermissionError"), f"the other user connects to {path.name}: {answer}")
        folder.chmod(mode)

    def try_to_look_into_a_run(self):
        """The results of a run under way are secret."""
        self.look_into(["run", "ucf-basic", "--drivers", "newest"], "pmufab-scratch.*/*.journal", "run")

    def try_to_look_into_a_shell(self):
        """Nobody else uses a shell's socket."""
        # A program that does not end by itself: simulated time would pass while it sleeps.
        pipe = self.part.folder / "pipe"
        os.mkfifo(pipe)
        self.look_into(["shell", "--", "cat", str(pipe)], "pmufab-scratch.*/preload.so", "shell")

    def try_to_look_into_a_boot(self):
        """Nobody else is a device's client."""
        guest = pathlib.Path(os.environ.get("PMUFAB_GUEST", REPOSITORY / ".cache" / "guest"))
        if not self.part.options.sample and (guest / ".complete").exists():
            self.look_into(["boot", "--guest", guest, "--", "sleep", "1000"], "pmufab-scratch.*/qemu.log", "boot")

    def try_to_have_folders_removed(self):
        """A scratch folder of another user is not removed, and nothing that it leads to."""
        precious = self.secret / "precious"
        precious.mkdir(exist_ok=True)
        (precious / "file").write_text("precious")
        plant(lambda: os.symlink(precious, self.shared / "pmufab-scratch.AAAAAA"))
        plant(lambda: os.mkdir(self.shared / "pmufab-scratch.BBBBBB", 0o777))
        plant(lambda: os.symlink(precious, self.shared / "pmufab-scratch.BBBBBB" / "link"))
        plant(lambda: os.mkfifo(self.shared / "pmufab-scratch.CCCCCC", 0o666))
        plant(lambda: os.mkfifo(self.shared / "pmufab-output.new-DDDDDD.json", 0o666))
        plant(lambda: (self.shared / "pmufab-scratch.EEEEEE").touch())
        outcome = self.part.run(QUICK, "command")
        self.expect("planted folders", outcome.code == 0, f"{outcome.text()}: {outcome.err}")
        self.expect("planted folders", (precious / "file").exists(), "a file was removed through a link")
        self.expect("planted folders", len(list(self.shared.iterdir())) == 5,
                    f"what another user owns was removed: {list(self.shared.iterdir())}")

    def try_to_redirect_results(self):
        """Links of another user at the names of results are not followed."""
        victim = self.secret / "victim.json"
        for form in ("existing", "new", "folder"):
            self.clean()
            victim.unlink(missing_ok=True)
            if form != "new":
                victim.write_text("precious")
            name = self.shared / "result.json"
            if form == "folder":
                plant(lambda: os.symlink(self.secret, self.shared / "results"))
                name = self.shared / "results" / "victim.json"
            else:
                plant(lambda: os.symlink(victim, self.shared / "result.json"))
            outcome = self.part.run([*QUICK, "--json", name], "command")
            what = f"planted link, {form}"
            self.expect(what, not victim.exists() if form == "new" else victim.read_text() == "precious",
                        "it was written through")
            self.expect(what, outcome.code == 2 and "another user" in outcome.err,
                        f"{outcome.text()}: {outcome.err}")

    def try_to_redirect_sums_and_libraries(self):
        """Nor are they at the names of coverage, of libraries and of saved scenarios."""
        coverage = self.part.folder / "one.coverage"
        coverage.write_text('{"format": "pmufab coverage", "version": 1, "runs": 1, "kinds": {}, "not_caused": {}}')
        source = self.part.folder / "one_driver.c"
        source.write_text("int f(void);\n")
        victim = self.secret / "victim"
        victim.write_text("precious")
        name = self.shared / "result"
        plant(lambda: os.symlink(victim, name))
        for command in (["coverage", coverage, "--merge", name], ["coverage", coverage, "--html", name],
                        ["run", "cxl-fixed", "--coverage", name], ["driver", "build", source, "-o", name],
                        ["interleave", "interleave-cxl", "--window", "read", "--save", name]):
            outcome = self.part.run(command, "command")
            what = f"planted link, {command[0]}"
            self.expect(what, victim.read_text() == "precious", "it was written through")
            self.expect(what, outcome.code == 2 and "another user" in outcome.err, f"{outcome.text()}: {outcome.err}")

    def try_to_guess_names_of_unfinished_files(self):
        """A file that is not whole yet has a name that nobody can tell from that of the result and the process."""
        victim = self.secret / "victim"
        source = self.part.folder / "one_driver.c"
        source.write_text("int f(void);\n")
        for number, command in enumerate((["driver", "build", source, "-o"], [*QUICK, "--json"])):
            name = self.shared / f"result{number}"
            victim.write_text("precious")
            victim.chmod(0o600)
            process = self.start_stopped([*command, name])
            for guess in (f"{name}.{process.pid}.new", f"{name}.new", f"{name}.{process.pid}", f"{name}.tmp"):
                plant(lambda guess=guess: os.symlink(victim, guess))
            os.kill(process.pid, signal.SIGCONT)
            outcome = self.part.finish(process)
            what = f"guessed name, {command[0]}"
            self.expect(what, victim.read_text() == "precious" and stat.S_IMODE(victim.stat().st_mode) == 0o600,
                        "it was written through")
            self.expect(what, len(list(self.shared.glob(f"{name.name}.*"))) == 4, "a link of another user is gone")
            # The driver has no code, and there may be no sources.
            self.expect(what, number == 0 or outcome.code == 0, f"{outcome.text()}: {outcome.err}")

    def start_stopped(self, arguments):
        """Start a command that waits for SIGCONT before it does anything."""
        words = ["-c", 'kill -STOP $$; exec "$0" "$@"', self.part.pmufab, *arguments]
        process = self.part.start(words, "command", program="/bin/sh")
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        return process

    def try_to_redirect_a_folder_of_runs(self):
        """A link in place of a run's folder is not followed."""
        out = self.shared / "out"
        out.mkdir(mode=0o777)
        out.chmod(0o1777)
        for version in [path.parent.name for path in self.drivers().glob("*/pmufab_drivers.so")]:
            plant(lambda version=version: os.symlink(self.secret, out / f"cxl-fixed-{version}"))
        outcome = self.part.run(["run", "cxl-fixed", "--out", out], "command")
        self.expect("planted folder of a run", not (self.secret / "result.json").exists(), "it was written through")
        self.expect("planted folder of a run", outcome.code == 2, f"{outcome.text()}: {outcome.err}")

    def drivers(self):
        """The folder of driver sets."""
        return self.part.options.drivers or self.part.pmufab.parent.parent / "drivers"

    def try_to_read_results_from_a_pipe(self):
        """A named pipe of another user is not written to, and nobody waits for its reader."""
        plant(lambda: os.mkfifo(self.shared / "result.json", 0o666))
        outcome = self.part.run([*QUICK, "--json", self.shared / "result.json"], "command", patience=30)
        self.expect("planted pipe", outcome.code == 2 and "another user" in outcome.err,
                    f"{outcome.text()}: {outcome.err}")

    def try_to_give_results_rights(self):
        """A result does not get the rights of another user's file in its place, but those of umask."""
        def make():
            (self.shared / "result.json").write_text("mine")
            (self.shared / "result.json").chmod(0o4777)

        plant(make)
        outcome = self.part.run([*QUICK, "--json", self.shared / "result.json"], "command")
        there = (self.shared / "result.json").stat()
        mask = os.umask(0)
        os.umask(mask)
        self.expect("planted rights", outcome.code == 0 and there.st_uid == os.getuid(), outcome.err)
        self.expect("planted rights", stat.S_IMODE(there.st_mode) == 0o666 & ~mask, f"mode {there.st_mode:o}")

    def try_to_be_in_the_way(self):
        """Another user's folder, or what this user left, does not stop a command of either user."""
        (self.shared / "pmufab-scratch.FFFFFF").mkdir(mode=0o700)
        plant(lambda: os.mkdir(self.shared / "result.json", 0o755))
        outcome = self.part.run([*QUICK, "--json", self.shared / "result.json"], "command")
        self.expect("planted folder", outcome.code == 2 and "directory" in outcome.err, outcome.err)
        (self.shared / "pmufab-scratch.FFFFFF").mkdir(mode=0o700, exist_ok=True)
        if as_other(lambda: os.access(self.part.pmufab, os.X_OK)) != "True":
            return  # this build lies where other users cannot go
        process = subprocess.run([self.part.pmufab, *QUICK], user=OTHER, group=OTHER, extra_groups=[], cwd="/",
                                 env={"TMPDIR": str(self.shared), "PMUFAB_DRIVERS": str(self.drivers())},
                                 capture_output=True, check=False)
        self.expect("other user", process.returncode in (0, 2), process.stderr.decode())
        self.expect("other user", (self.shared / "pmufab-scratch.FFFFFF").exists(), "this user's folder was removed")


def main():
    """Run the part."""
    part = Part("attempts")
    if os.getuid() != 0:
        print("other_user: skipped: only root can be two users")
        part.end()
        return SKIPPED
    users = Users(part)
    for name in [name for name in dir(Users) if name.startswith("try_")]:
        if part.options.only and name not in part.options.only:
            continue
        users.clean()
        part.count += 1
        getattr(users, name)()
    users.clean()
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
