#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""import_test.py PMUFAB PLATFORM...: exports the ACPI tables and the device tree of platforms, lets pmufab import make
drafts of them, and compares what the drafts export with what the platforms do. firmware_exports_test.py compares that
with the platforms. Then it damages tables: pmufab import must end with 0 or 2 and a message. Exit code 77 if iasl or dtc
is missing.
"""
import json
import os
import random
import re
import shutil
import struct
import sys
import tempfile

from commands import check, output_of, run


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def apmt_of(folder):
    """[node]: a dictionary of each node of the APMT in a folder, as Arm DEN0117 lays nodes out; none without APMT."""
    path = os.path.join(folder, "apmt.aml")
    if not os.path.exists(path):
        return []
    names = ("size", "flags", "type", "id", "primary", "secondary", "base0", "base1", "interrupt", "reserved", "mode",
             "affinity", "implementation")
    return sorted((dict(zip(names, node)) for node in struct.iter_unpack("<HBBIQIQQIIIII", contents(path)[36:])),
                  key=lambda node: node["base0"])


def cells(text):
    return [int(cell, 0) for cell in text.split()]


def meshes_of_tree(path):
    """[(compatible, base, root, interrupts)] of the meshes in the device tree that pmufab firmware has written."""
    with open(path, encoding="utf-8") as file:
        bodies = re.findall(r"\tpmu@\w+ {\n(.*?)\n\t};", file.read(), re.DOTALL)
    found = []
    for body in bodies:
        compatible = re.search(r'compatible = "arm,(c(?:mn|i)-\w+)"', body)
        if compatible and "coresight" not in compatible.group(1):
            reg = cells(re.search(r"reg = <([^>]*)>", body).group(1))
            root = re.search(r"arm,root-node = <(\w+)>", body)
            wires = [int(number) + 32 for number in re.findall(r"<0 (\d+) \d>", body)]
            found.append((compatible.group(1).upper(), reg[0] << 32 | reg[1], int(root.group(1), 0) if root else None, wires))
    return sorted(found)


def meshes_of_draft(text):
    """The same, of the comments of a draft."""
    found = []
    for part in text.split("#   - product: ")[1:]:
        key = lambda name, part=part: re.search(rf"^#     {name}: (\w+)", part, re.MULTILINE)
        found.append((part.split()[0], int(key("base").group(1), 0), int(key("root").group(1), 0) if key("root") else None))
    wires = [[int(number) for number in numbers.split(", ")]
             for numbers in re.findall(r"interrupts of DTCs ([\d, ]+) \(", text)]
    check(len(wires) == len(found), f"{len(wires)} lists of interrupts for {len(found)} meshes")
    return sorted((*mesh, numbers) for mesh, numbers in zip(found, wires))


def with_meshes(text):
    """A draft whose meshes are no comments any more."""
    head, _, tail = text.partition("# meshes:\n")
    lines = [line if re.match(r"#   #|# TODO|# - ", line) else line[2:] for line in tail.splitlines()]
    return head + "meshes:\n" + "".join(f"  {line.strip()}\n" if line.startswith("  - ") else f"{line}\n" for line in lines)


def check_meshes(pmufab, draft, tree, folder, name):
    with open(draft, encoding="utf-8") as file:
        text = file.read()
    check(meshes_of_draft(text) == meshes_of_tree(tree),
          f"{name}: the draft has the meshes {meshes_of_draft(text)}, the platform {meshes_of_tree(tree)}")
    if "# meshes:" not in text:
        return 0
    loaded = os.path.join(folder, "meshes.yaml")
    with open(loaded, "w", encoding="utf-8") as file:
        file.write(with_meshes(text))
    banks = json.loads(output_of(pmufab, "regs", loaded, "--reset", "--json"))
    check("cmn0.cfg" in banks, f"{name}: the draft with its meshes has none: {list(banks)}")
    return len(meshes_of_draft(text))


def check_acpi(pmufab, tables, tree, folder, name):
    """A draft from the tables exports the same APMT and PPTT."""
    draft, again = os.path.join(folder, "acpi.yaml"), os.path.join(folder, "again")
    output_of(pmufab, "import", "acpi", tables, "-o", draft)
    if name != "graviton5":  # it is in no device tree, and too large for a placeholder
        check_meshes(pmufab, draft, tree, folder, name)
    nodes = apmt_of(tables)
    if not nodes:
        return 0
    output_of(pmufab, "firmware", draft, "--acpi", again)
    check(contents(os.path.join(tables, "pptt.aml")) == contents(os.path.join(again, "pptt.aml")),
          f"{name}: the draft has other sockets or CPUs")
    new = apmt_of(again)
    check(len(nodes) == len(new), f"{name}: {len(nodes)} nodes have become {len(new)}")
    for old, node in zip(nodes, new):
        if old["type"] == 4 and old["primary"] != 0:  # no key tells it: the draft has a comment
            for key in ("primary", "secondary"):
                old.pop(key), node.pop(key)
        check(old == node, f"{name}: {old} has become {node}")
    return len(nodes)


def check_tree(pmufab, tables, source, folder, name):
    """A draft from the tree has the pages, interrupts and CPUs of the PMUs that it tells of."""
    blob, draft, again = (os.path.join(folder, file) for file in ("tree.dtb", "tree.yaml", "tree-again"))
    output_of("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", blob, source)
    keys = ("base0", "base1", "interrupt", "mode", "affinity", "flags")
    wanted = [tuple(node[key] for key in keys) for node in apmt_of(tables)
              if node["type"] != 3 and node["implementation"] == 0]
    if not wanted and not meshes_of_tree(source):
        check(run(pmufab, "import", "device-tree", blob).returncode == 2, f"{name}: a tree without PMUs gives a draft")
        return 0
    from_source = output_of(pmufab, "import", "device-tree", source)
    check(from_source == output_of(pmufab, "import", "device-tree", blob), f"{name}: source and blob differ")
    with open(draft, "w", encoding="utf-8") as file:
        file.write(from_source)
    check_meshes(pmufab, draft, source, folder, name)
    if wanted:
        output_of(pmufab, "firmware", draft, "--acpi", again)
        found = [tuple(node[key] for key in keys) for node in apmt_of(again)]
        check(found == wanted, f"{name}: of the PMUs {wanted} of the tree, the draft has {found}")
    return len(wanted)


def damaged(table, random_numbers):
    """The table with some bytes changed, gone or new. Mostly its header is right, so that more than it is read."""
    table = bytearray(table)
    for _ in range(random_numbers.choice((1, 2, 8))):
        at = random_numbers.randrange(len(table))
        what = random_numbers.randrange(3)
        if what == 0:
            table[at] = random_numbers.randrange(256)
        elif what == 1:
            del table[at:at + random_numbers.randrange(1, 80)]
        else:
            table[at:at] = random_numbers.randbytes(random_numbers.randrange(1, 60))
        if len(table) < 40:
            break
    if random_numbers.random() < 0.9 and len(table) >= 36 and table[:4].isalpha():
        struct.pack_into("<IxB", table, 4, len(table), 0)
        table[9] = -sum(table) & 255
    return bytes(table)


def check_damaged(pmufab, inputs, count, folder):
    """@param inputs  [(command, bytes)]"""
    random_numbers = random.Random(5)
    drafts = 0
    for number in range(count):
        command, good = inputs[number % len(inputs)]
        path = os.path.join(folder, "damaged")
        with open(path, "wb") as file:
            file.write(damaged(good, random_numbers))
        done = run(pmufab, "import", command, path)
        drafts += done.returncode == 0
        is_told = done.returncode == 0 or done.stderr.startswith("pmufab: ")
        if done.returncode not in (0, 2) or not is_told:
            shutil.copy(path, "damaged-table")
            sys.exit(f"FAILED: damaged input {number} (kept as damaged-table): {done.returncode}\n{done.stderr}")
    check(0 < drafts < count, f"{drafts} of {count} damaged inputs give drafts")
    return drafts


def main():
    if not shutil.which("iasl") or not shutil.which("dtc"):
        print("iasl and dtc are needed (Debian packages acpica-tools and device-tree-compiler)")
        sys.exit(77)
    pmufab, *platforms = sys.argv[1:]
    inputs = []
    for platform in platforms:
        name = os.path.basename(platform)[:-5]
        with tempfile.TemporaryDirectory() as folder:
            tables, tree = os.path.join(folder, "tables"), os.path.join(folder, "tree.dts")
            output_of(pmufab, "firmware", platform, "--acpi", tables, "--dts", tree)
            devices = run(pmufab, "import", "acpi", tables)
            if devices.returncode == 2 and not apmt_of(tables):
                check("tells of no PMU" in devices.stderr, f"{name}: {devices.stderr}")
                print(name, "has nothing that ACPI tables tell of")
            else:
                print(name, "nodes of the APMT:", check_acpi(pmufab, tables, tree, folder, name))
            print(name, "CoreSight PMUs of the tree:", check_tree(pmufab, tables, tree, folder, name))
            if len(inputs) < 8:
                inputs += [("acpi", contents(os.path.join(tables, file))) for file in sorted(os.listdir(tables))
                           if file in ("apmt.aml", "pptt.aml", "dsdt.aml")]
                inputs += [("device-tree", contents(os.path.join(folder, "tree.dtb")))]
    with tempfile.TemporaryDirectory() as folder:
        count = 200
        print("drafts of", count, "damaged inputs:", check_damaged(pmufab, inputs, count, folder))


main()
