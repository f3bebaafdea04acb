#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put translation units together into batches that clang-tidy looks at as one unit each (tools/lint calls this).

Usage: lint-batches.py ROOT COMPILE_COMMANDS FOLDER SIZE < FILES

FILES are paths below ROOT, a line each. FOLDER gets, for batch N: N/list with the names of up to SIZE files, and
N/command with the options of all of them, as they are written into JSON. Prints the path FOLDER/N of each batch.

The headers that units share take most of clang-tidy's time. Options that clang-tidy does not heed do not separate units.
So neighbours are together: they share most. Units that define the same name, or the same macro in two ways, are in
different batches, which may then be larger. What they define is guessed from lines that begin in the first column. A
wrong guess costs time only: tools/lint then looks at less at once.
"""

import json
import pathlib
import re
import shlex
import sys

UNHEEDED = re.compile(r"-O\w*|-fPI[CE]|-fpi[ce]|-ffp-contract=\w+|-g\d?")
NAMESPACE = re.compile(r"namespace (?:([\w:]+) )?\{")
IGNORED = re.compile(r"[\s#}/]|namespace\b|using (?!\w+ =)|extern\b|template\b|public:|private:|protected:")
TEST = re.compile(r"(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+,\s*\w+)")
ENTRY = re.compile(r"(?:int )?(main|sc_main|PMUFAB_PLUGIN)\(")
RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
ALIAS = re.compile(r"using (\w+) = (.*);")
TYPE = re.compile(r"(?:class|struct|enum class|enum|union)\s+(\w+)")
NAME = re.compile(r"(\w+(?:::\w+)*)\s*(\(.*|\[[^\]]*\]|)\s*(?:[{=;]|$)")


def names_in(text):
    """Guess the names that a source defines for itself, each with its namespace; main(); and a plug-in. The value is what
    it means, as far as two sources may say the same."""
    found, space, own = {}, "", False
    for line in RAW.sub('""', text).splitlines():
        if match := NAMESPACE.match(line):
            own = match[1] is None
            space = space if own else match[1]
        elif line.startswith("}  // namespace"):
            own = False
        elif match := TEST.match(line):
            found[space + " " + match[1]] = None
        elif match := ENTRY.match(line):
            found[match[1]] = None
        elif not own or not line or IGNORED.match(line):
            continue
        elif match := ALIAS.match(line):
            found[space + " " + match[1]] = match[2]
        elif match := TYPE.match(line):
            found[space + " " + match[1]] = None
        elif match := NAME.search(line):
            found[space + " " + match[1] + match[2]] = None
    return found


def macros_in(options):
    """Return the macros that options define: name to option."""
    return {re.match(r"-D(\w+)", option)[1]: option for option in options if option.startswith("-D")}


class Batch:
    """Units that are looked at together."""

    def __init__(self):
        self.files, self.names, self.options, self.macros = [], {}, {}, {}

    def takes(self, names, macros):
        return (all(name not in self.names or (meaning and self.names[name] == meaning)
                    for name, meaning in names.items())
                and all(self.macros.get(name, option) == option for name, option in macros.items()))

    def add(self, file, names, options):
        self.files.append(file)
        self.names.update(names)
        self.options.update(dict.fromkeys(options))
        self.macros.update(macros_in(options))


def split(options):
    """Yield options; one with a separate argument is one string."""
    options = iter(options)
    for option in options:
        yield f"{option} {next(options)}" if option in ("-isystem", "-include", "-I", "-D") else option


def main():
    root, commands, folder, size = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
    options_of = {}
    for entry in json.loads(pathlib.Path(commands).read_text()):
        words = shlex.split(entry["command"])
        words = words[:words.index("-o")] if "-o" in words else words[:words.index("-c")]
        options_of[entry["file"]] = [option for option in split(words) if not UNHEEDED.fullmatch(option)]
    files = [line for line in sys.stdin.read().splitlines() if f"{root}/{line}" in options_of]
    batches = []
    # A full batch of each kind: headers of tests in the batches of tests only.
    for kind in (False, True):
        members = [file for file in files if (file.startswith("testbench/") and "/tests/" in file) == kind]
        count = (len(members) + size - 1) // size
        mine = [Batch() for _ in range(count)]
        for number, file in enumerate(members):
            options = options_of[f"{root}/{file}"]
            names = names_in((pathlib.Path(root) / file).read_text())
            at = number * count // len(members)
            # Its own part first, then the other parts, and last what was added because a file fits none.
            places = mine[at:count] + mine[:at] + mine[count:]
            fitting = [batch for batch in places if batch.takes(names, macros_in(options))]
            if not fitting:
                mine.append(Batch())
                fitting = mine[-1:]
            fitting[0].add(file, names, options)
        batches += mine
    for number, batch in enumerate(sorted(batches, key=lambda batch: -len(batch.files))):
        place = folder / str(number)
        place.mkdir(parents=True, exist_ok=True)
        command = " ".join(shlex.quote(word) for option in batch.options for word in option.split(" ", 1))
        (place / "list").write_text("".join(file + "\n" for file in batch.files))
        (place / "command").write_text(json.dumps(command)[1:-1])
        print(place)


if __name__ == "__main__":
    main()
