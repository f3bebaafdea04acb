# SPDX-License-Identifier: Apache-2.0
"""Builds a mutant of a driver and runs scenarios with it, up to the first one that notices it."""

import dataclasses
import os
import pathlib
import re
import shutil
import struct
import subprocess
import threading

from mutation.mutants import MODULES, ROOT, MutationError, files_to_build

BUILD_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Outcome:
    """state is noticed, survived, does not compile or same code; by and how tell which scenario noticed it."""
    state: str
    by: str = ""
    how: str = ""


def machine_code(library):
    """What a library loads into memory, without what names its source: equal for two texts of the same meaning."""
    data = library.read_bytes()
    table, size, count = (struct.unpack_from("<Q", data, 0x28)[0], *struct.unpack_from("<HH", data, 0x3A))
    sections = [struct.unpack_from("<IIQQQQ", data, table + index * size) for index in range(count)]
    parts = []
    for _, kind, flags, _, offset, length in sections:
        if flags & 2 and kind not in (7, 8):  # loaded, and neither a note nor zeros
            parts.append(re.sub(rb"[0-9a-f]{64}", b"", data[offset:offset + length]))
        elif flags & 2 and kind == 8:
            parts.append(str(length).encode())
    return parts


def explanation(output):
    """The line of pmufab's report that says what is wrong."""
    lines = output.splitlines()
    for pattern in (r"^\s+FAILED .*", r"(✗|\bWRONG\b)", r"^(CRASHED|TIMED OUT|STOPPED|BAD INPUT)", r"^pmufab: ",
                    r"^(FAILED|NOT JUDGED|PASSED, but)"):
        for line in lines:
            if re.search(pattern, line):
                return re.sub(r"\s+", " ", line).strip()
    return ""


class Bench:
    """Runs trials. Several threads may use it, each with a number of its own."""

    def __init__(self, options, kernel, drivers, scratch):
        self.options = options
        self.kernel = kernel
        self.drivers = drivers
        self.scratch = scratch
        self.scenarios = {driver.module: driver.scenarios(ROOT / "scenarios")[:options.scenarios] for driver in drivers}
        self.unbroken = {}  # (thread, files) -> library and its machine code
        self.baseline = {}  # (files, scenario) -> does it run with the newest kernel?
        self.lock = threading.Lock()
        self.can_verify = bool(options.verify) and self.call(["verify", "--help"], 60)[0] == 0

    def call(self, words, seconds, worker=0, program=None):
        """Exit code and output of a pmufab command, or of another program; None as code if it took too long."""
        jobs = max(1, (os.cpu_count() or 1) // self.options.jobs)
        environment = dict(os.environ, LC_ALL="C.UTF-8", XDG_CACHE_HOME=str(self.scratch / str(worker) / "cache"),
                           PMUFAB_JOBS=str(jobs))
        environment.setdefault("PMUFAB_DRIVERS", str(pathlib.Path(self.options.pmufab).parents[1] / "drivers"))
        with subprocess.Popen([program or self.options.pmufab, *map(str, words)], stdout=subprocess.PIPE, cwd=self.scratch,
                              stderr=subprocess.STDOUT, env=environment, stdin=subprocess.DEVNULL) as process:
            try:
                output, _ = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.terminate()  # it ends its own children
                try:
                    process.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                return None, ""
        text = output.decode("utf-8", "replace")
        # A driver that crashes ends its run with that code, too. So does a mistake of pmufab in a run, but the unbroken
        # drivers pass the same scenario.
        if not program and process.returncode == 3 and not re.search(r"^CRASHED: ", text, re.MULTILINE):
            raise MutationError("an internal error of pmufab:\n" + "\n".join(text.splitlines()[-5:]))
        return process.returncode, text

    def build(self, files, changed, text, worker):
        """The library with these files, one of which has another text, or None if it does not compile."""
        folder = self.scratch / str(worker) / files[0].stem
        folder.mkdir(parents=True, exist_ok=True)
        for file in {*files, changed}:
            (folder / file.name).write_text(text if file == changed else file.read_text(encoding="utf-8"),
                                            encoding="utf-8")
        library = folder / "drivers.so"
        words = ["driver", "build", "--base", self.kernel.name, "-o", library]
        if self.options.sources:
            words += ["--sources", self.options.sources]
        code, output = self.call([*words, *(folder / file.name for file in files)], BUILD_SECONDS, worker)
        if changed.suffix == ".h":
            (folder / changed.name).unlink()
        if code not in (0, 1):
            raise MutationError(f"pmufab driver build failed:\n{output}")
        return library if code == 0 else None

    def unbroken_of(self, files, changed, worker):
        """The library with the kernel's own text, and its machine code."""
        key = (worker, tuple(files))
        if key not in self.unbroken:
            text = changed.read_text(encoding="utf-8")
            # A header is a change of its own only if its text differs, and that is in the machine code.
            library = self.build(files, changed, text + "/* */\n" if changed.suffix == ".h" else text, worker)
            if not library:
                raise MutationError(f"{changed.name} of Linux {self.kernel.name} does not compile without a change")
            kept = library.with_name("unbroken-" + "-".join(file.stem for file in files) + ".so")
            shutil.move(library, kept)
            self.unbroken[key] = kept, machine_code(kept)
        return self.unbroken[key]

    def run(self, scenario, library, worker):
        """Exit code and output."""
        words = ["run", scenario, "--driver", library, "--jobs", "1", "--timeout", self.options.timeout]
        return self.call(words, 20 * self.options.timeout, worker)

    def applies(self, files, scenario, library, worker):
        """Does the scenario run with these drivers? It must pass then. Or is one of several of no use there?"""
        key = (tuple(files), scenario)
        with self.lock:
            if key not in self.baseline:
                code, output = self.run(scenario, library, worker)
                self.baseline[key] = code == 0
                failed = re.findall(r"^ +FAILED (\w+): (.*)", output, re.MULTILINE)
                unused = all(check == "drivers" and "bound no PMU" in text for check, text in failed) and failed
                is_part = len(files) > 1 and unused
                if code != 0 and "there is nothing to run" not in output and not is_part:
                    lines = output.splitlines()[:20]
                    raise MutationError("\n".join([f"the kernel's own drivers fail {scenario.stem}:", *lines]))
            return self.baseline[key]

    def verify(self, driver, library, worker):
        machines = [["--platform", platform] for platform in driver.platforms] or [
            [word for fabric in MODULES[driver.module][0].split() for word in ("--fabric", fabric)]]
        for machine in machines:
            words = ["verify", *machine, "--driver", library, "--runs", self.options.verify, "--failures", "1"]
            code, output = self.call([*words, "--no-shrink"], 20 * self.options.timeout, worker)
            if code != 0:
                break
        return code, output

    def verify_unbroken(self, driver, files, library, worker):
        """Random cases must pass with the kernel's own drivers, or they say nothing of a mutant."""
        key = (tuple(files), "verify")
        with self.lock:
            if key not in self.baseline:
                code, output = self.verify(driver, library, worker)
                if code != 0:
                    raise MutationError(f"the kernel's own drivers fail random cases: {explanation(output)}")
                self.baseline[key] = True

    def sets_of(self, mutant, user):
        """The sets of C files that are compiled with a mutant. The first that applies to a scenario runs it."""
        if user.platforms:
            return [list(dict.fromkeys((mutant.driver.files[0], user.files[0])))]
        every = files_to_build(mutant.file, self.drivers)
        # Of the drivers that a header is for, some scenarios have hardware for the first alone.
        return [every] if len(every) == 1 else [every, [mutant.driver.files[0]]]

    def try_mutant(self, mutant, worker, first=()):
        """The outcome of one mutant, with each of the drivers that use it. Only the scenarios in first are run, if it has
        any."""
        for user in mutant.driver.users or (mutant.driver,):
            own = self.scenarios[user.module]
            outcome = self.try_with(user, mutant, worker, [one for one in first if one in own] if first else own)
            if outcome.state != "survived":
                break
        return outcome

    def try_with(self, user, mutant, worker, scenarios):
        sets = self.sets_of(mutant, user)
        libraries = []
        for files in sets:
            _, code_before = self.unbroken_of(files, mutant.file, worker)
            library = self.build(files, mutant.file, mutant.text, worker)
            if not library:
                return Outcome("does not compile")
            if files == sets[0] and machine_code(library) == code_before:
                return Outcome("same code")
            libraries.append(library.rename(library.with_name(f"{len(files)}-{library.name}")))
        for scenario in scenarios:
            for files, library in zip(sets, libraries):
                if not self.applies(files, scenario, self.unbroken_of(files, mutant.file, worker)[0], worker):
                    continue
                code, output = self.run(scenario, library, worker)
                if code != 0:
                    how = "took too long" if code is None else explanation(output)
                    return Outcome("noticed", scenario.stem, how)
                break
        if self.can_verify:
            self.verify_unbroken(user, sets[-1], self.unbroken_of(sets[-1], mutant.file, worker)[0], worker)
            code, output = self.verify(user, libraries[-1], worker)
            if code != 0:
                return Outcome("noticed", "verify", "took too long" if code is None else explanation(output))
        return Outcome("survived")
