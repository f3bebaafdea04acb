#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""value_change_dump_test.py PMUFAB SCENARIO...: GTKWave reads the time lines that pmufab writes as it should.

GTKWave's vcd2fst makes a file of its own format of each .vcd, and fst2vcd a dump of that again: both dumps must have the
same signals with the same changes. Exit code 77 if gtkwave is not installed.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from commands import check

TOOLS = [shutil.which(tool) for tool in ("vcd2fst", "fst2vcd")]


def changes_of(path):
    """{name: [(time, value)]}, without values that are the same again."""
    names, scope, found, now, begun = {}, [], {}, 0, False
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if not words:
                continue
            if not begun:
                if words[0] == "$scope":
                    scope.append(words[2])
                elif words[0] == "$upscope":
                    scope.pop()
                elif words[0] == "$var":
                    names.setdefault(words[3], []).append(".".join(scope + words[4:5]))
                begun = words[0] == "$enddefinitions"
            elif words[0][0] == "#":
                now = int(words[0][1:])
            elif words[0][0] in "b01x":
                value, code = (words[0][1:], words[1]) if words[0][0] == "b" else (words[0][0], words[0][1:])
                value = "x" if set(value) == {"x"} else value.lstrip("0") or "0"
                for name in names[code]:
                    changes = found.setdefault(name, [])
                    if not changes or changes[-1][1] != value:
                        changes.append((now, value))
    return found


def main():
    if not all(TOOLS):
        print("gtkwave is missing")
        sys.exit(77)
    pmufab, *scenarios = sys.argv[1:]
    for scenario in scenarios:
        with tempfile.TemporaryDirectory() as folder:
            dump, packed, again = (os.path.join(folder, name) for name in ("a.vcd", "a.fst", "b.vcd"))
            subprocess.run([pmufab, "run", scenario, "--drivers", "newest", "--timeline", dump], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run([TOOLS[0], dump, packed], check=True, stdout=subprocess.DEVNULL)
            with open(again, "w", encoding="ascii") as file:
                subprocess.run([TOOLS[1], packed], check=True, stdout=file)
            written, read = changes_of(dump), changes_of(again)
            check(len(written) > 20, f"{scenario} has hardly any signals")
            check(written.keys() == read.keys(), f"{scenario}: GTKWave has other signals: {written.keys() ^ read.keys()}")
            for name, changes in written.items():
                check(read[name] == changes, f"{scenario}: {name} changes {changes[:5]} ..., GTKWave says {read[name][:5]}")
            print(f"{scenario}: {len(written)} signals, {sum(map(len, written.values()))} changes")


main()
