# SPDX-License-Identifier: Apache-2.0
"""Builds pmufab and tests with a mutant of a model or a judge, and runs them up to the first that notices it."""

import concurrent.futures
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import threading
import time

from mutation import mutants, trials
from mutation.mutants import ROOT, MutationError
from mutation.trials import BUILD_SECONDS, Outcome

# What names the PMUs of each fabric in scenarios. Other units are shared, and have a few scenarios of each fabric.
FABRICS = {"cmn": r"arm_cmn_", "cxl": r"cxl_pmu_", "dwc": r"dwc_rootport_",
           "soc": f"{mutants.AMPERE}|{mutants.DESCRIBED}",
           "tegra410": rf"{mutants.NVIDIA}|nvidia_(cmem|nvlink_c2c|nvclink|nvdlink)"}
# The scenarios to begin with, fast ones that notice most first.
FIRST = {
    "cmn": ("cmn-flits", "cmn-groups", "cmn-io", "cmn-gateways", "cmn-every-interface"),
    "cxl": ("cxl-mem", "cxl-switch", "cxl-thresholds", "cxl-fixed", "cxl-overflow", "cxl-freeze"),
    "dwc": ("dwc-basic", "dwc-segments", "dwc-every-event", "dwc-root-buses"),
    "soc": ("soc-basic", "ampereone-mcu", "soc-names", "soc-64bit-layout"),
    "tegra410": ("pcie-basic", "ucf-every-event-every-filter", "pcie-tgt-slots", "cmem-basic", "c2c-basic"),
}
SHARED = ("all-fabrics", *(name for names in FIRST.values() for name in names), "overflow-32", "hotplug", "reset",
          "pcie-overflow", "cmn-reload", "soc-64bit-many-counters")
SHARED_FOLDERS = {"pmu", "coresight", "pcie", "platform"}
# A run that takes longer is ended, and gets its whole time if it takes as long without the change.
FEW_SECONDS = 30
SHARED_TESTS = "testbench/tests/judge/"  # of the judge's core
# The programs with tests of models and judges, fast ones first. Those of a fabric have its name in their path.
PROGRAMS = ("parts_test", "cross_test", "cxl_cross_test", "cmn_mesh_test", "cmn_test", "models_test",
            "models_linux_test", "command_line_test", "integration_test")


@dataclasses.dataclass(frozen=True)
class Part:
    """The models or the judge of a fabric, or what fabrics share."""
    module: str  # model.cmn
    files: tuple

    @property
    def fabric(self):
        return self.module.split(".")[1]

    def scenarios(self, folder):
        found = mutants.scenarios_with(folder, FABRICS.get(self.fabric, "."), FIRST.get(self.fabric, SHARED))
        return found if self.fabric in FABRICS else found[:len(SHARED)]


@dataclasses.dataclass(frozen=True)
class Command:
    """How the build makes an object, of one source or of a batch. Objects are named from the folder of the build."""
    words: tuple
    object: str
    sources: tuple

    @property
    def target(self):
        """Folder and name of the library or program: ("models/pmu", "pmufab_pmu")."""
        return re.match(r"(.*)/CMakeFiles/(\w+)\.dir/", self.object).groups()

    def of(self, source, place, flags):
        """The words that make the object of one source."""
        given = {"-o": str(place), "-c": str(source)}
        before = ("", *self.words)
        return [given.get(last, word) for last, word in zip(before, self.words)] + flags


def commands_of(build):
    """The commands of all C++ objects."""
    try:
        entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MutationError(f"{build} is no folder of a build; cmake --preset release makes one") from None
    found = []
    for entry in entries:
        file, words = pathlib.Path(entry["file"]), shlex.split(entry["command"])
        sources = [file]
        if file.parent.name == "Unity":
            sources = [pathlib.Path(name) for name in
                       re.findall(r'^#include "(.*)"', file.read_text(encoding="utf-8"), re.MULTILINE)]
        if file.suffix != ".c" and not file.name.startswith("cmake_pch"):
            found.append(Command(tuple(words), words[words.index("-o") + 1], tuple(sources)))
    return found


def part_of(source):
    """The name of the part that a source is in, or None."""
    folders = source.relative_to(ROOT).parts[:-1] if source.is_relative_to(ROOT) else ()
    judged = folders[:1] == ("testbench",) and {"scoreboard", "judge"} & set(folders)
    if "tests" in folders or not (judged or folders[:1] == ("models",)):
        return None
    fabric = next((folder for folder in folders if folder in FABRICS), "shared")
    return f"{'judge' if judged else 'model'}.{fabric}"


def find_parts(build, kinds):
    """The parts that are mutated, of these kinds."""
    linked = link_words(build, "tools/pmufab")
    found = {}
    for command in commands_of(build):
        folder, name = command.target
        for source in command.sources if f"{folder}/lib{name}.a" in linked else ():
            part = part_of(source)
            if part and part.split(".")[0] in kinds:
                found.setdefault(part, []).append(source)
    return [Part(name, tuple(sorted(found[name], key=lambda file: file.name))) for name in sorted(found)]


def link_words(build, program):
    """The words of the command that links a program; empty for one that there is not."""
    process = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", program], capture_output=True, text=True,
                             check=False)
    return next((shlex.split(text) for text in process.stdout.split(" && ") if f" -o {program} " in text), [])


class UnitBench(trials.Bench):
    """Runs trials of models and judges, as its base does of drivers."""

    def __init__(self, options, parts, scratch):
        self.options, self.scratch, self.lock = options, scratch, threading.RLock()
        self.build = pathlib.Path(options.pmufab).parents[1]
        self.commands = commands_of(self.build)
        self.of_source = {source: command for command in self.commands for source in command.sources
                          if part_of(source)}
        self.links = {}  # program -> words
        self.times = {}  # (program, words) -> seconds that it takes without a change
        self.tests = {}  # (part, archive) -> trials of its tests
        self.scenarios = {part.module: part.scenarios(ROOT / "scenarios")[:options.scenarios] for part in parts}

    def compile(self, source, text, place):
        """Compiles a text in the place of a source. Returns whether that is possible."""
        place.parent.mkdir(parents=True, exist_ok=True)
        file = source
        if text is not None:
            file = place.with_name(source.name)
            file.write_text(text, encoding="utf-8")
        flags = ["-w", f"-iquote{source.parent}", f"-fmacro-prefix-map={file}={source}"]
        words = self.of_source[source].of(file, place, flags)
        return subprocess.run(words, cwd=self.build, capture_output=True, timeout=BUILD_SECONDS,
                              check=False).returncode == 0

    def objects_of(self, source):
        """The objects of the archive that a source is in, by source. A batch is compiled unit by unit, once."""
        target = self.of_source[source].target
        archive = f"{target[0]}/lib{target[1]}.a"
        made = (self.build / archive).stat().st_mtime
        objects = {}
        for command in self.commands:
            if command.target != target:
                continue
            single = source in command.sources
            for one in command.sources if single else command.sources[:1]:
                objects[one] = self.scratch / "objects" / f"{one.relative_to(ROOT)}.o" if single else (
                    self.build / command.object)
        with self.lock, concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            missing = [one for one, place in objects.items() if one in self.of_source[source].sources and
                       not (place.exists() and place.stat().st_mtime > made)]
            for one, good in zip(missing, pool.map(lambda one: self.compile(one, None, objects[one]), missing)):
                if not good:
                    objects[one].unlink(missing_ok=True)
                    raise MutationError(f"{one} does not compile without a change")
        return archive, objects

    def link(self, program, archive, changed, folder):
        """The program with another archive in the place of its own."""
        words = [str(changed) if word == archive else word for word in self.words_of(program)]
        place = folder / pathlib.Path(program).name
        words[words.index("-o") + 1] = str(place)
        subprocess.run(words, cwd=self.build, check=True, timeout=BUILD_SECONDS)
        return place

    def words_of(self, program):
        with self.lock:
            if program not in self.links:
                self.links[program] = link_words(self.build, program)
            return self.links[program]

    def runs_of(self, part, archive, changed):
        """Program, name and words of each scenario and test of a part: first the tests that are named as the changed
        source is, which are short."""
        with self.lock:
            if (part, archive) not in self.tests:
                self.tests[part, archive] = list(self.find_tests(part, archive))
        words = set(changed.stem.split("_")) - {part.fabric, "pmu", "judge"}
        near = [run for run, source in self.tests[part, archive] if words & set(source.stem.split("_"))]
        yield from near
        for scenario in self.scenarios[part.module]:
            chooses = re.search(r"^drivers:", scenario.read_text(encoding="utf-8"), re.MULTILINE)
            yield "tools/pmufab", scenario.stem, ["run", scenario, "--jobs", "1",
                                                  *([] if chooses else ["--set", "drivers=newest"])]
        yield from (run for run, _ in self.tests[part, archive] if run not in near)

    def find_tests(self, part, archive):
        fabric = part.fabric if part.fabric in FABRICS else None
        for name in PROGRAMS:
            of_program = [command for command in self.commands if command.target[1] == name]
            if not of_program:
                raise MutationError(f"the build in {self.build} has no program {name}")
            program = f"{of_program[0].target[0]}/{name}"
            suites = {}  # name -> source
            for source in (one for command in of_program for one in command.sources):
                place, text = str(source).removeprefix(f"{ROOT}/"), source.read_text(encoding="utf-8")
                is_shared = place.startswith(SHARED_TESTS) or SHARED_FOLDERS & set(source.parts)
                # Tests of what fabrics share use some of them.
                if fabric in re.split(r"[/_]", place) or f"/{fabric}/" in text if fabric else is_shared:
                    for suite in re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+)", text, re.MULTILINE):
                        suites[suite] = source
            if not suites or archive not in self.words_of(program):
                continue
            subprocess.run(["cmake", "--build", self.build, "--target", name], check=True, capture_output=True)
            chosen = ":".join(f"{one}.*:*/{one}.*:{one}/*" for one in sorted(suites))
            listed, suite = self.call(["--gtest_list_tests", f"--gtest_filter={chosen}"], 60, 0,
                                      self.build / program)[1], ""
            for line in listed.splitlines():
                words = line.split("#")[0].strip()
                if line.startswith("  "):
                    source = next(suites[name] for name in re.split(r"[/.]", suite) if name in suites)
                    yield (program, suite + words, [f"--gtest_filter={suite}{words}"]), source
                else:
                    suite = words

    def seconds_of(self, program, words, worker):
        """How long a run takes without a change, which it must pass."""
        key = (program, *words)
        with self.lock:
            if key not in self.times:
                begin = time.monotonic()
                code, output = self.call(words, 20 * self.options.timeout, worker, self.build / program)
                if code != 0:
                    raise MutationError(f"{program} {' '.join(map(str, words))} fails without a change:\n"
                                        f"{output[-2000:]}")
                self.times[key] = time.monotonic() - begin
            return self.times[key]

    def run_changed(self, program, words, worker, linked):
        """Exit code and output with a change. What is not changed runs only if that is not 0, to pass then."""
        code, output = self.call(words, min(self.options.timeout, FEW_SECONDS), worker, linked)
        if code == 0:
            return code, output
        limit = min(self.options.timeout, 10 + 10 * self.seconds_of(program, words, worker))
        if code is None and limit > FEW_SECONDS:
            return self.call(words, limit, worker, linked)
        return code, output

    def try_mutant(self, mutant, worker, first=()):
        """The outcome of one mutant."""
        archive, objects = self.objects_of(mutant.file)
        folder = self.scratch / str(worker)
        place = folder / "changed.o"
        if not self.compile(mutant.file, mutant.text, place):
            return Outcome("does not compile")
        if place.read_bytes() == objects[mutant.file].read_bytes():
            return Outcome("same code")
        changed = folder / "changed.a"
        changed.unlink(missing_ok=True)
        members = [place if source == mutant.file else one for source, one in objects.items()]
        subprocess.run(["ar", "rcsT", changed, *members], check=True)
        linked = {}
        for program, name, words in self.runs_of(mutant.driver, archive, mutant.file):
            if program not in linked:
                linked[program] = self.link(program, archive, changed, folder)
            code, output = self.run_changed(program, words, worker, linked[program])
            if code != 0:
                return Outcome("noticed", name, "took too long" if code is None else trials.explanation(output))
        return Outcome("survived")
