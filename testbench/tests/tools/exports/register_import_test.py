#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""register_import_test.py PMUFAB PLATFORM...: pmufab import rdl and import svd make drafts of what pmufab regs exports of
described PMUs. The drafts, with a counter added, must have the registers of the platforms. Then, drafts of files written by
hand, after SystemRDL 2.0 and CMSIS-SVD 1.3, and files that are wrong.
"""
import json
import os
import re
import sys
import tempfile

from commands import check, output_of, run
from register_import_files import DRAFTS, WRONG


# What a draft says of them outside comments.
PLAIN = {"w1c": "rw", "w1s": "rw", "w0c": "rw", "rc": "ro"}


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def registers_of(pmufab, platform):
    """Return (elements, arrays): address to facts of each register, and where arrays are."""
    elements, arrays = {}, set()
    for pages in json.loads(output_of(pmufab, "regs", platform, "--reset", "--json")).values():
        for page in pages:
            for entry in (entry for entry in page["registers"] if entry["name"] != "ADDED"):
                address, name = int(page["base"], 16) + entry["offset"], re.sub(r"\W", "_", entry["name"])
                fields = frozenset((re.sub(r"\W", "_", field["name"]), field["lsb"], field["width"],
                                    PLAIN.get(field["access"], field["access"]))
                                   for field in entry["fields"])
                covered = sum(((1 << size) - 1) << lsb for _, lsb, size, _ in fields)  # an export tells no more
                for number in range(entry["count"]):
                    elements[address + number * entry["stride"]] = (
                        f"{name}_{number}" if entry["count"] > 1 else name, entry["width"],
                        int(entry["resets"][number], 16) & covered, fields)
                if entry["count"] > 1:
                    arrays.add((address, name, entry["count"], entry["stride"]))
    return elements, arrays


def with_counter(draft, taken):
    """Return the draft with a counter in each PMU, where no register is."""
    pmus = re.split(r"(?m)^(?=  - name: )", draft)
    for number, pmu in enumerate(pmus[1:], 1):
        base = int(re.search(r"base: (\w+)", pmu)[1], 0)
        place = next(offset for offset in range(0, 0x100000, 4) if base + offset not in taken)
        pmus[number] = re.sub(r"counters: \d+", "counters: 1", pmu).replace(
            "    registers:\n", f"    registers:\n      - {{name: ADDED, offset: {place:#x}, role: counter}}\n")
    return "".join(pmus), len(pmus) - 1


def check_round_trip(pmufab, platform, form, command, folder):
    exported = write(os.path.join(folder, "exported"), output_of(pmufab, "regs", platform, "--reset", form))
    draft = output_of(pmufab, "import", command, exported)
    expected, arrays = registers_of(pmufab, platform)
    taken = {address + byte for address, facts in expected.items() for byte in range(0, facts[1] // 8, 4)}
    loaded, pmus = with_counter(draft, taken)
    found, found_arrays = registers_of(pmufab, write(os.path.join(folder, "draft.yaml"), loaded))
    check(len(expected) > 3 and found == expected,
          f"{platform} {form}: {sorted(set(found.items()) ^ set(expected.items()), key=str)} differ")
    check(found_arrays == arrays, f"{platform} {form}: the arrays {sorted(found_arrays ^ arrays)} differ")
    return f"{len(expected)} registers, {len(arrays)} arrays, {pmus} PMUs"


def main():
    pmufab, *platforms = sys.argv[1:]
    check(platforms, "there are no platforms")
    with tempfile.TemporaryDirectory() as folder:
        for platform in platforms:
            rdl, svd = (check_round_trip(pmufab, platform, form, command, folder)
                        for form, command in (("--systemrdl", "rdl"), ("--svd", "svd")))
            check(rdl == svd, f"{platform}: SystemRDL gives {rdl}, SVD {svd}")
            print(f"{os.path.basename(platform)}: {rdl}")
        for command, text, arguments, lines in DRAFTS:
            draft = output_of(pmufab, "import", command, write(os.path.join(folder, "file"), text), *arguments)
            for line in lines:
                check(re.search(rf"(?m)^ *{re.escape(line)}(   #.*)?$", draft), f"no line '{line}' in\n{draft}")
        for command, text, line, message in WRONG:
            check(text not in [each[1] for each in DRAFTS], f"nothing is wrong in the file for '{message}'")
            path = write(os.path.join(folder, "file"), text)
            done = run(pmufab, "import", command, path)
            start = f"pmufab: {path}:{line}: " if line else f"pmufab: {path}: "
            check(done.returncode == 2 and done.stderr.startswith(start) and message in done.stderr,
                  f"'{message}' of line {line} is not what {done.returncode} tells: {done.stderr}\n{text}")
        # Drafts of texts that are cut off at any place end with 0 or 2.
        for command, text, _, _ in DRAFTS:
            for end in range(0, len(text), 37):
                done = run(pmufab, "import", command, write(os.path.join(folder, "file"), text[:end]))
                check(done.returncode in (0, 2), f"{command} ends with {done.returncode} of:\n{text[:end]}")
    print(f"{len(DRAFTS)} drafts, {len(WRONG)} wrong files")


main()
