#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives commands damaged files of those that other commands write: results, coverage, exclusions, traces.

First, each command gets what is no file: pipes, folders, devices that never end. Then damaged files, by chance: values
of other types, deep nesting, huge numbers, control characters, lists that are doubled, bytes changed, ends cut off. The
input's number and the seed make it: `data_files.py --seed S ... 17` runs input 17 alone.

What is checked:
  - exit code 0 or 1, or 2 and a sentence
  - no character that a terminal would obey
  - at most 5 s of processor time (1 s more for each 50 MB of input) and 1 GiB of memory
  - what the command writes is whole, no process and no other file is left behind
"""

import copy
import json
import os
import random
import shutil
import sys

import hostile
from result_files import is_whole
from yaml_files import LARGEST, Mutator

SAMPLE = 40  # inputs for ctest
PROCESSOR_SECONDS = 5
BYTES_PER_SECOND = 50_000_000
DEEPEST = 3  # so many places have something deep
PATIENCE = 60  # seconds
DEEP = "\ue000"  # stands for something deep
ODD = [None, True, -1, 0, 1, 0.5, 2**63, 2**64 - 1, 2**64, 1e308, "", "x" * 100_000, "\x1b[31mred", "\u202ebehind",
       "\x9b2J", "a\nPASSED", "<b>&amp;", "*", "../../x", "\ud800", [], {}, [[]], {"": {}}, [None] * 1000, DEEP]


def places(document, found=None):
    """All (container, key) of a document."""
    found = [] if found is None else found
    for key in document if isinstance(document, dict) else range(len(document)):
        found.append((document, key))
        if isinstance(document[key], (dict, list)):
            places(document[key], found)
    return found


def damaged_json(text, chance):
    """Change one to three values."""
    document = json.loads(text)
    for _ in range(chance.choice([1, 1, 2, 3])):
        all_places = places(document)
        if not all_places:
            break
        container, key = chance.choice(all_places)
        how = chance.randrange(8)
        if how == 0:
            del container[key]
        elif how == 1 and isinstance(container, list):
            times = chance.choice([1, 10, 20_000])
            container.extend(container[key:key + 1] * min(times, LARGEST // len(json.dumps(container[key]))))
            break  # the next change might change all of them, and make the document grow without bound
        elif how == 2 and isinstance(container, dict):
            container[chance.choice(["x", "\x1b[2J", "\u202e", "", "k" * 50_000, "a\nb"])] = container.pop(key)
        elif how == 3:
            other, other_key = chance.choice(all_places)
            container[key] = json.loads(json.dumps(other[other_key])) if other_key in range(len(other)) or isinstance(
                other, dict) and other_key in other else None
        else:
            container[key] = copy.deepcopy(chance.choice(ODD))
    depth = chance.choice([20, 100, 5000, 300_000])
    opening, closing = chance.choice([("[", "]"), ('{"a":', "}")])
    text = json.dumps(document, ensure_ascii=chance.random() < 0.5)
    deep = opening * depth + "1" + closing * depth
    return text.replace(json.dumps(DEEP), deep, DEEPEST).replace(f'"{DEEP}"', deep, DEEPEST).encode(
        errors="surrogatepass")


class DataFiles(hostile.Part):
    """Good files, and what reads them."""

    def __init__(self):
        super().__init__("inputs")
        made = self.run(["run", "cxl-fixed", "--drivers", "newest", "--coverage", "good.coverage", "--json",
                         "good.json"])
        if made.code != 0:
            self.stop(f"there are no good files: {made.err}")
        (self.folder / "good.txt").write_text("# why\ncxl_pmu_* | count | * | a reason\n", encoding="ascii")
        lines = [f"load,{64 * i:#x},8\n" for i in range(200)]
        (self.folder / "good.csv").write_text("kind,address,size\n" + "".join(lines) + "end\n", encoding="ascii")
        self.run(["trace", "import", "good.csv", "good.trace"])
        self.written = self.folder / "written"
        written = ["--merge", "written/a.json", "--json", "written/b.json", "--html", "written/c.html"]
        # (the good file, and what a command is that gets another in its place)
        self.readers = [
            ("good.coverage", lambda file: ["coverage", file, *written]),
            ("good.coverage", lambda file: ["coverage", "good.coverage", file, "--verbose"]),
            ("good.txt", lambda file: ["coverage", "good.coverage", "--excluded", file, *written]),
            ("good.json", lambda file: ["compare", file, "good.json"]),
            ("good.json", lambda file: ["compare", "good.json", file]),
            ("good.json", lambda file: ["compare", file, file, "--json"]),
            ("good.csv", lambda file: ["trace", "info", file]),
            ("good.csv", lambda file: ["trace", "import", file, "written/d.csv"]),
            ("good.trace", lambda file: ["trace", "info", file]),
        ]
        self.mutator = None

    def check(self, what, arguments, files=(), size=0):
        """Run a command with so many bytes of input, and judge its end."""
        shutil.rmtree(self.written, ignore_errors=True)
        self.written.mkdir()
        outcome = self.run(arguments, patience=PATIENCE)
        self.count += 1
        why = self.judge(outcome, size)
        if why:
            self.bad(what, f"{why} ({' '.join(map(str, arguments))[:300]})", files)

    def judge(self, outcome, size):
        """What is bad about the end of a command; empty: nothing."""
        if outcome.code not in (0, 1, 2):
            return f"{outcome.text()}: {outcome.err.strip()[-300:]}"
        if outcome.code == 2 and not outcome.err.startswith("pmufab: "):
            return "exit code 2 without a sentence"
        if outcome.processor > (PROCESSOR_SECONDS + size / BYTES_PER_SECOND) * (5 if self.is_sanitized else 1):
            return f"{outcome.processor:.1f} s of processor time"
        if outcome.peak > hostile.PEAK and not self.is_sanitized:
            return f"{outcome.peak >> 20} MiB of memory"
        for path in sorted(self.written.iterdir()):
            if outcome.code == 2 or not is_whole(path):
                return f"a file is left: {path.name}"
        return hostile.control_characters(outcome) or self.left_behind()

    def play_strange_files(self):
        """What is no file of the kind, for each reader."""
        os.mkfifo(self.folder / "pipe")
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "empty").write_bytes(b"")
        (self.folder / "zeros").write_bytes(bytes(100_000))
        run = '{"runs": [{"scenario": %s, "status": "passed"}]}'
        (self.folder / "controls").write_text(run % r'"a\u001b[31mb\u202ec"', encoding="ascii")
        (self.folder / "deep").write_text(run % ("[" * 300_000 + "]" * 300_000), encoding="ascii")
        for path in ["pipe", "loop", "empty", "zeros", "controls", "deep", "missing", ".", "/dev/zero", "/dev/null",
                     "/proc/self/mem", "good.coverage", "good.txt", "good.json", "good.csv", "good.trace"]:
            for number, (good, command) in enumerate(self.readers):
                if path != good:
                    self.check(f"{path.replace('/', '_')} for {number}", command(path))

    def play(self, number):
        """Make input `number`, and give it to its command."""
        chance = random.Random(f"data {self.options.seed} {number}")
        good, command = chance.choice(self.readers)
        content = (self.folder / good).read_bytes()
        if good in ("good.json", "good.coverage") and chance.random() < 0.7:
            damaged = damaged_json(content.decode(), chance)
        elif good == "good.trace":
            damaged = chance.choice([self.mutator.byte, self.mutator.cut])(content)
        else:
            self.mutator.chance = chance
            damaged = self.mutator.mutate(content.decode())
        file = self.folder / f"damaged.{good.split('.')[1]}"
        file.write_bytes(damaged)
        self.check(f"input {number}, {file.name}", command(file.name),
                   [file, self.folder / "run.out", self.folder / "run.err"], 2 * len(damaged))


def main():
    part = DataFiles()
    corpus = [(part.folder / name).read_text(encoding="utf-8") for name in ("good.json", "good.coverage", "good.txt")]
    part.mutator = Mutator(random.Random("data"), corpus)
    if part.options.only:
        for number in part.options.only:
            part.play(int(number))
        return part.end()
    part.play_strange_files()
    number = 0
    while number < SAMPLE if part.options.sample else part.has_time():
        part.play(number)
        number += 1
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
