#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs scenarios whose YAML was damaged: each is refused with its place, or is a valid run.

Each input is a shipped file with one to three changes: lines deleted, doubled and exchanged, values of other types and
units, huge numbers, deep nesting, aliases, other encodings, tabs, control characters, paths of what is no
file. The input's number and the seed make it: `yaml_files.py --seed S ... 17` runs input 17 alone.

Simulated time is limited, so that a valid run is short. What is checked:
  - exit code 2 with the place FILE:LINE:COLUMN, or a run that ended with 0, 1 or 4
  - at most 5 s of processor time (of a matrix, 10 ms more for each run, and 20 s for drivers that are built first) and
    1 GiB of memory. Of a long file, five times what it takes to read as much, if that is longer
  - no process and no file is left behind
"""

import functools
import math
import os
import random
import re
import shutil
import sys

import hostile

SAMPLE = 60  # inputs for ctest
PROCESSOR_SECONDS = 5
BUILD_SECONDS = 20  # of drivers that a platform needs, once for each kernel
SANITIZERS = 5  # times as long: they look at all memory when a process ends
TIMES_OF_READING = 5  # a run reads its file twice, and works on what it says
# Bytes that repetition may add. The memory of this program counts as that of what it starts.
LARGEST = 4_000_000
# Many variants, or a long wait at the start: nothing to do with the file.
HEAVY = {"overflow-16.yaml", "cxl-controller.yaml", "cxl-controller-newer.yaml", "cmn-overflow-exploration.yaml"}
# About a whole file, or about the drivers that are there.
NO_PLACE = r"pmufab: [^\n]+: (is |cannot be read|the results)|there is nothing to run: no driver set"
NUMBERS = [
    "-1", "0", "1", "2", "63", "64", "65", "255", "65536", "1000000", "2147483647", "2147483648", "4294967295",
    "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "0xffffffffffffffff", "0x1_0000_0000", "1e3", "1e18", "1e308", "1e309", "-0.0", "0.5", "1e-300", ".inf", "-.inf",
    ".nan", "nan", "0b101", "0o17", "1_000", "--1", "+5", "9" * 400, "0." + "0" * 400 + "1", "٣", "1,5"]
UNITS = ["ps", "ns", "us", "ms", "s", "min", "h", "B", "KiB", "MiB", "GiB", "TiB", "PiB", "Hz", "kHz", "MHz", "GHz",
         "%", "parsecs", "US", "us us", "GB/s", "per us", "KB", "bit", "°"]
WORDS = ["null", "~", "true", "no", "yes", "[]", "{}", "''", '"', "[", "{", "}", "*", "&", "!", "|", ">", "%", "@", "`",
         "[a]", "{a: b}", "[[]]", "- x", "? x", "!!binary abcd", "!!int 5", "!foo x", "!!set {a, b}", "<<",
         "2026-11-23",
         "!!python/object:os.system x", "a: b: c", "$HOME", "%s%n%d", "{}{}{}", "{0:99999999}", "../../../etc/passwd",
         "nvidia_ucf_pmu_0/cycles/", "nvidia_ucf_pmu_*/*/", "arm_cmn_0/cycles/", "x/y/", "/", "//", "{", "{x/y/,x/y/}",
         "e/" + "a=1," * 5000 + "/", "x" * 300]
VALUE = r"(: +|- +|[\[{,] *)([^\s,\[\]{}:#][^,\[\]{}#]*)"  # and what is before it
KEYS = ["x", "name", "kind", "platform", "matrix", "measure", "traffic", "", "null", "<<", "1", "[a]", "{a}", "?",
        "a.b", "a[0]", "events", "é", "k" * 100_000]
DOCUMENTS = ["---", "...", "%YAML 9.9", "%TAG ! !x", "--- |", "--- >-", "? ", "a: |", "&a", "!x", "{}"]
BRACKETS = [("[", "]"), ("{a: ", "}"), ("[{a: ", "}]"), ("- ", ""), ("? ", ""), ("[", "")]
PATHS = ["/dev/zero", "/dev/null", "/dev/stdin", "/dev/tty", "/dev/full", "/proc/self/mem", "/proc/self/environ", ".",
         "..", "/", "", "fifo", "loop", "self.yaml", "/etc/shadow", "x" * 5000, "/proc/self/fd/0", "/dev/fd/63",
         "nowhere/x.yaml", "~/x.yaml", "file:///etc/passwd", "http://127.0.0.1/x.yaml", "directory", "locked.yaml"]


class Mutator:
    """Changes a text. Each method makes one change at a place that chance chooses."""

    def __init__(self, chance, corpus):
        self.chance = chance
        self.corpus = corpus  # other files' lines

    def mutate(self, text):
        data = text.encode()
        changes = [self.delete, self.double, self.exchange, self.retype, self.huge, self.unit, self.word, self.indent,
                   self.key, self.borrow, self.borrow, self.borrow_value, self.borrow_value, self.borrow_value,
                   self.nest, self.alias, self.path, self.long, self.document, self.splice, self.repeat]
        for _ in range(self.chance.choice([1, 1, 1, 2, 3])):
            lines = data.decode(errors="surrogateescape").split("\n")
            data = "\n".join(self.chance.choice(changes)(lines)).encode(errors="surrogateescape")
        if self.chance.random() < 0.2:
            data = self.chance.choice([self.encoding, self.byte, self.cut, self.control, self.tab])(data)
        return data

    # Places.

    def line(self, lines):
        """The number of a line that is no comment."""
        numbers = [n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
        return self.chance.choice(numbers) if numbers else 0

    @staticmethod
    def block(lines, first):
        """The end of the block that begins with a line: all lines that are deeper."""
        depth = len(lines[first]) - len(lines[first].lstrip())
        end = first + 1
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
            end += 1
        return end

    def value(self, lines):
        """(line, begin, end) of a value in the text."""
        places = []
        for number, line in enumerate(lines):
            if line.lstrip().startswith("#"):
                continue
            places += [(number, *match.span(2)) for match in re.finditer(VALUE, line)]
        return self.chance.choice(places) if places else (0, 0, 0)

    def put(self, lines, text):
        """Replace a value."""
        number, begin, end = self.value(lines)
        lines[number] = lines[number][:begin] + text + lines[number][end:]
        return lines

    # Changes.

    def delete(self, lines):
        first = self.line(lines)
        end = self.chance.choice([first + 1, self.block(lines, first)])
        return lines[:first] + lines[end:]

    def double(self, lines):
        first = self.line(lines)
        end = self.block(lines, first)
        return lines[:end] + lines[first:end] * self.chance.choice([1, 1, 2, 50]) + lines[end:]

    def exchange(self, lines):
        one, two = self.line(lines), self.line(lines)
        lines[one], lines[two] = lines[two], lines[one]
        return lines

    def retype(self, lines):
        number, begin, end = self.value(lines)
        old = lines[number][begin:end]
        new = self.chance.choice([f"[{old}]", f"{{{old}: {old}}}", f'"{old}"', f"[[{old}], {old}]", f"{{a: {old}}}",
                                  "null", "[]", "{}", "true", f"!!str {old}", f"!!seq {old}", f"{old}{old}", old[:-1]])
        lines[number] = lines[number][:begin] + new + lines[number][end:]
        return lines

    def huge(self, lines):
        return self.put(lines, self.chance.choice(NUMBERS))

    def unit(self, lines):
        return self.put(lines, self.chance.choice(NUMBERS) + self.chance.choice(["", " "]) + self.chance.choice(UNITS))

    def word(self, lines):
        return self.put(lines, self.chance.choice(WORDS))

    def indent(self, lines):
        number = self.line(lines)
        deeper = self.chance.choice([" ", "  ", "    ", "\t"]) + lines[number]
        lines[number] = self.chance.choice([deeper, lines[number].lstrip()])
        return lines

    def key(self, lines):
        """A key with another name."""
        number = self.line(lines)
        lines[number] = re.sub(r"[A-Za-z_0-9]+:", f"{self.chance.choice(KEYS)}:", lines[number], count=1)
        return lines

    def borrow(self, lines):
        """A block of another file, with its own depth or this one's."""
        other = self.chance.choice(self.corpus).split("\n")
        first = self.line(other)
        block = other[first:self.block(other, first)]
        at = self.line(lines)
        if self.chance.random() < 0.7:
            depth = len(lines[at]) - len(lines[at].lstrip())
            own = len(block[0]) - len(block[0].lstrip())
            block = [" " * depth + line[own:] for line in block]
        return lines[:at] + block + lines[at + self.chance.choice([0, 0, 1]):]

    def borrow_value(self, lines):
        """Another value that the same key has somewhere."""
        number, begin, end = self.value(lines)
        match = re.search(r"([A-Za-z_0-9]+): *$", lines[number][:begin])
        other = self.chance.choice(self.corpus)
        values = re.findall(rf"\b{match[1]}: *([^\n,\[\]{{}}#]+)", "\n".join(self.corpus)) if match else []
        if not values:
            values = re.findall(r": *([^\n#]+)", other) or ["x"]
        lines[number] = lines[number][:begin] + self.chance.choice(values) + lines[number][end:]
        return lines

    def nest(self, lines):
        depth = self.chance.choice([5, 33, 500, 5000, 100_000])
        opening, closing = self.chance.choice(BRACKETS)
        return self.put(lines, opening * depth + "1" + closing * depth)

    def alias(self, lines):
        kind = self.chance.randrange(6)
        if kind == 0:
            return self.put(lines, "*nowhere")
        if kind == 1:
            return self.put(lines, "&a [*a]")
        if kind == 2:
            return self.put(lines, "&a {b: *a}")
        if kind == 3:  # each line means ten of the one before
            laughs = ["zz0: &z0 [1, 2]"] + [f"zz{n}: &z{n} [{', '.join([f'*z{n - 1}'] * 10)}]" for n in range(1, 12)]
            return laughs + lines
        if kind == 4:
            number, begin, end = self.value(lines)
            old = lines[number][begin:end]
            lines[number] = f"{lines[number][:begin]}&x {old}{lines[number][end:]}"
            return self.put(lines, "*x")
        at = self.line(lines)
        depth = len(lines[at]) - len(lines[at].lstrip())
        return lines[:at] + [" " * depth + "<<: *x"] + lines[at:]

    def path(self, lines):
        path = self.chance.choice(PATHS)
        places = [n for n, line in enumerate(lines) if re.search(r"[a-z]\.(yaml|csv|trace)", line)]
        if not places:
            return self.put(lines, path)
        number = self.chance.choice(places)
        lines[number] = re.sub(r"[-\w./]+\.(yaml|csv|trace)", lambda _: path, lines[number])
        return lines

    def long(self, lines):
        text = self.chance.choice(["x", "9", " ", "é", "a=1,", "a,", "[],", "-", "\\", "'", "x: "])
        return self.put(lines, text * self.chance.choice([1000, 100_000, 1_000_000]))

    def document(self, lines):
        at = self.chance.choice([0, self.line(lines), len(lines)])
        return lines[:at] + [self.chance.choice(DOCUMENTS)] + lines[at:]

    def splice(self, lines):
        """The beginning of this file, and the end of another."""
        other = self.chance.choice(self.corpus).split("\n")
        return lines[:self.line(lines)] + other[self.line(other):]

    def repeat(self, lines):
        """A list of one element, many times."""
        number = self.line(lines)
        times = min(self.chance.choice([10, 1000, 200_000]), LARGEST // (len(lines[number]) + 1))
        return lines[:number] + [lines[number]] * times + lines[number + 1:]

    # Changes of bytes.

    def encoding(self, data):
        text = data.decode(errors="replace")
        return self.chance.choice([
            lambda: text.encode("utf-16"), lambda: text.encode("utf-16-le"), lambda: text.encode("utf-32"),
            lambda: b"\xef\xbb\xbf" + data, lambda: b"\xff\xfe" + data, lambda: b"\xef\xbb\xbf" * 3 + data,
            lambda: text.replace("\n", "\r\n").encode(), lambda: text.replace("\n", "\r").encode(),
            lambda: text.replace("\n", "\u2028").encode(), lambda: text.replace("e", "é").encode("latin-1", "replace"),
            lambda: data.replace(b"e", b"\xc0\xa5"), lambda: data.replace(b"e", b"\xed\xa0\x80"), lambda: data[:-1]])()

    def byte(self, data):
        changed = bytearray(data or b"x")
        for _ in range(self.chance.choice([1, 1, 5, 50])):
            changed[self.chance.randrange(len(changed))] = self.chance.randrange(256)
        return bytes(changed)

    def cut(self, data):
        return data[:self.chance.randrange(len(data) + 1)]

    def control(self, data):
        at = self.chance.randrange(len(data) + 1)
        what = self.chance.choice([b"\0", b"\x1b[2J", b"\x07", b"\x7f", b"\xc2\x9b", b"\r", b"\x0b", b"\xe2\x80\xae",
                                   b'"\\0"', b'"\\x1b[31m"', b'"\\u202e"', b"\x85", b"\x00" * 1000])
        return data[:at] + what + data[at:]

    def tab(self, data):
        old, new, count = self.chance.choice([(b"  ", b"\t", 1), (b"  ", b"\t", -1), (b": ", b":\t", -1)])
        return data.replace(old, new, count)


class YamlFiles(hostile.Part):
    """The corpus in a tree of its own, in which one file at a time is damaged."""

    def __init__(self):
        super().__init__("inputs")
        self.tree = self.folder / "scenarios"
        shutil.copytree(hostile.SCENARIOS, self.tree)
        for where in [self.tree, *(path for path in self.tree.rglob("*") if path.is_dir())]:
            os.mkfifo(where / "fifo")
            (where / "loop").symlink_to("loop")
            (where / "directory").mkdir()
        self.files = sorted(path for path in self.tree.rglob("*.yaml") if path.name not in HEAVY)
        self.texts = {path: path.read_text(encoding="utf-8") for path in self.files}
        self.scenarios = [path for path in self.files
                          if path.relative_to(self.tree).parts[0] not in ("platforms", "traffic", "studies")]
        self.slowness = SANITIZERS if self.is_sanitized else 1
        self.codes = {}
        self.late = 0

    def scenario_of(self, file, chance):
        """The scenario to run: the file itself, or one that names it."""
        if file in self.scenarios:
            return file
        users = [path for path in self.scenarios if f"/{file.name}" in self.texts[path]]
        return chance.choice(users or self.scenarios)

    def play(self, number):
        """Make input `number`, run it, and judge the end."""
        chance = random.Random(f"yaml {self.options.seed} {number}")
        file = chance.choice(self.files)
        scenario = self.scenario_of(file, chance)
        damaged = Mutator(chance, list(self.texts.values())).mutate(self.texts[file])
        file.write_bytes(damaged)
        # Nothing asks a run to end while it reads a file.
        reading = TIMES_OF_READING * self.reading * len(damaged) / LARGEST if len(damaged) > LARGEST / 8 else 0
        seconds = math.ceil(3 * self.slowness + reading)
        options = ["--limit", "simulated-time=2 us", "--drivers", "newest", "--timeout", str(seconds), "-j", "1"]
        outcome = self.run(["run", scenario, *options], patience=60 + reading)
        self.count += 1
        self.codes[outcome.code] = self.codes.get(outcome.code, 0) + 1
        self.late += "TIMED OUT" in outcome.out
        why = self.judge(outcome, reading)
        if why:
            self.bad(f"input {number}, {file.relative_to(self.tree)}", why,
                     [file, self.folder / "run.out", self.folder / "run.err"])
        file.write_text(self.texts[file], encoding="utf-8")

    @functools.cached_property
    def reading(self):
        """Seconds of processor time in which the command reads LARGEST bytes of a list, which it then refuses."""
        item = "  - {at: 50 us, do: cpu_offline, cpu: 2}\n"
        largest = self.folder / "largest.yaml"
        largest.write_text("x:\n" + item * (LARGEST // len(item)), encoding="utf-8")
        outcome = self.run(["run", largest], "largest", patience=300)
        largest.unlink()
        return outcome.processor if "unknown key 'x'" in outcome.err else 0

    def judge(self, outcome, reading):
        """What is bad about the end of a command; empty: nothing. @param reading  seconds that a long file may take"""
        if outcome.code not in (0, 1, 2, 4):
            return f"{outcome.text()}: {last_line(outcome)}"
        if outcome.code == 2 and not re.search(r"pmufab: [^\n]*\S(:\d+:\d+|: line \d+): ", outcome.err):
            if not re.search(NO_PLACE, outcome.err):
                return f"no place: {last_line(outcome)}"
        if "did not answer" in outcome.out:
            return last_line(outcome)
        runs = len(re.findall(r"^[A-Z][A-Z ]+: ", outcome.out, re.MULTILINE))  # of a matrix, there are many
        if len(outcome.err) + len(outcome.out) > max(1_000_000, 2_000 * runs):
            return f"{len(outcome.err) + len(outcome.out)} bytes of output"
        builds = len(re.findall(r"^ +Linux \d\S+$", outcome.err, re.MULTILINE))
        allowed = max((PROCESSOR_SECONDS + runs / 100) * self.slowness, reading) + BUILD_SECONDS * builds
        if outcome.processor > allowed:
            return f"{outcome.processor:.1f} s of processor time; {allowed:.1f} s are allowed"
        if outcome.peak > hostile.PEAK and not self.is_sanitized:
            return f"{outcome.peak >> 20} MiB of memory"
        return hostile.control_characters(outcome) or self.left_behind()


def last_line(outcome):
    """The last line that a command printed."""
    lines = (outcome.err.strip() or outcome.out.strip()).splitlines()
    return lines[-1].strip()[:300] if lines else "nothing was printed"


def main():
    part = YamlFiles()
    if part.options.only:
        for number in part.options.only:
            part.play(int(number))
    else:
        number = 0
        while number < SAMPLE if part.options.sample else part.has_time():
            part.play(number)
            number += 1
    ends = ", ".join(f"{count} with {code}" for code, count in sorted(part.codes.items()))
    print(f"{part.name}: exit codes: {ends}; {part.late} took too long")
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
