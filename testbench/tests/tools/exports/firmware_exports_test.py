#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""firmware_exports_test.py PMUFAB PLATFORM...: compares the ACPI tables and the device tree that pmufab firmware writes
with the addresses of the platforms' registers, and with the interrupts that docs/platform.md, or the platform's file,
gives their PMUs. Debian's iasl (acpica-tools) reads the tables, and dtc (device-tree-compiler) the tree. Exit code 77 if neither is installed.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from commands import check

IASL, DTC = shutil.which("iasl"), shutil.which("dtc")


def output_of(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    check(done.returncode == 0, f"{command} ends with {done.returncode}:\n{done.stdout}")
    return done.stdout


def shared_wires(platform):
    """For each mesh of a platform's file the numbers under its key `interrupts`: those of its DTCs; none: one each."""
    with open(platform, encoding="utf-8") as file:
        meshes = re.split(r"^  - (?=product:)", file.read(), flags=re.MULTILINE)[1:]
    found = [re.search(r"^    interrupts: \[([\d, ]+)\]", mesh, re.MULTILINE) for mesh in meshes]
    return [[int(number) for number in keys.group(1).split(",")] if keys else [] for keys in found]


def interrupts_of(banks, wires):
    """The interrupts of a platform's PMUs by docs/platform.md, from the names of their registers."""
    of_dtc = lambda m, d: 512 + 4 * m + (wires[m][d] if m < len(wires) and wires[m] else d)
    rules = {r"socket(\d+)\.ucf_pmu": lambda s: 288 + s,
             r"socket(\d+)\.rc(\d+)\.pcie_pmu": lambda s, r: 240 + 6 * s + r,
             r"socket(\d+)\.rc(\d+)\.pcie_tgt_pmu": lambda s, r: 384 + 6 * s + r,
             r"cmn(\d+)\.dtc(\d+)": of_dtc}
    numbers = set()
    for bank in banks:
        for pattern, number in rules.items():
            match = re.fullmatch(pattern, bank)
            if match:
                numbers.add(number(*map(int, match.groups())))
    return numbers


def described_pmus(platform, banks):
    """{bank: (set of interrupts, whether a device tree has it)} of the PMUs that the platform's file describes. Interrupts
    are the numbers on socket 0, and 1 more for each socket. Devices of ACPI are in no device tree."""
    with open(platform, encoding="utf-8") as file:
        pmus = re.findall(r"^  - name: (\w+)\n(.*?)(?=^  - name: |\Z)", file.read(), re.DOTALL | re.MULTILINE)
    found = {}
    for name, description in pmus:
        interrupt = re.search(r"^    interrupt: (.*)", description, re.MULTILINE)
        numbers = re.findall(r"number: (\d+)", interrupt.group(1)) if interrupt else []
        in_tree = re.search(r"^    type: (?!acpi)|^    device: {tree: ", description, re.MULTILINE) is not None
        for bank in banks:
            if socket := re.fullmatch(rf"socket(\d+)\.{name}", bank):
                found[bank] = ({int(number) + int(socket.group(1)) for number in numbers}, in_tree)
    return found


def pmus_in_bars(platform):
    """The described PMUs that are PCI functions: their registers are in a BAR, which no table describes."""
    with open(platform, encoding="utf-8") as file:
        return re.findall(r"^  - name: (\w+)\n(?:    .*\n)*?    bar: ", file.read(), re.MULTILINE)


def apmt_of(table):
    """[(base, base of page 1, interrupt, is edge, affinity)], as Arm DEN0117 lays nodes out."""
    check(sum(table) % 256 == 0 and struct.unpack_from("<I", table, 4)[0] == len(table), "APMT: size or checksum")
    nodes = []
    at = 36
    while at < len(table):
        length, flags = struct.unpack_from("<HB", table, at)
        base0, base1 = struct.unpack_from("<QQ", table, at + 20)
        interrupt, _, mode, affinity = struct.unpack_from("<IIII", table, at + 36)
        nodes.append((base0, base1 if flags & 1 else None, interrupt, mode & 1, affinity))
        at += length
    return nodes


def cedt_of(table):
    """({uid: base}, [(base, size, restrictions, [uid, ...])]): host bridges and windows, by CXL 3.1, 9.18.1."""
    check(sum(table) % 256 == 0 and struct.unpack_from("<I", table, 4)[0] == len(table), "CEDT: size or checksum")
    bridges, windows = {}, []
    at = 36
    while at < len(table):
        kind, length = struct.unpack_from("<BxH", table, at)
        if kind == 0:
            uid, version, _, base, size = struct.unpack_from("<IIIQQ", table, at + 4)
            check((length, version, size) == (32, 1, 0x10000), "CEDT: not component registers of 64 KiB")
            bridges[uid] = base
        else:
            base, size, ways = struct.unpack_from("<QQB", table, at + 8)
            restrictions, = struct.unpack_from("<H", table, at + 32)
            check(kind == 1 and length == 36 + 4 * 2 ** ways, f"CEDT: kind {kind} of {length} bytes")
            windows.append((base, size, restrictions, list(struct.unpack_from(f"<{2 ** ways}I", table, at + 36))))
        at += length
    return bridges, windows


def check_cedt(folder, dsdt, platform, registers, name):
    """The CEDT has the host bridge of segment 0, with its registers, and the ranges of the decoders in the file."""
    path = os.path.join(folder, "cedt.aml")
    check(os.path.exists(path) == bool(registers), f"{name}: CEDT without CXL, or the other way round")
    check(("ACPI0017" in dsdt) == bool(registers), f"{name}: ACPI0017 without CEDT, or the other way round")
    if not registers:
        return
    with open(path, "rb") as file:
        bridges, windows = cedt_of(file.read())
    numbers = {"Zero": 0, "One": 1}
    uids = [numbers.get(uid) if uid in numbers else int(uid, 0) for uid, segment in re.findall(
        r'_HID, "ACPI0016".*?_UID, (\w+)\).*?_SEG, (\w+)\)', dsdt, re.DOTALL) if segment == "Zero"]
    check(list(bridges.values()) == registers, f"{name}: CEDT has registers at {bridges}, not {registers}")
    check(list(bridges) == uids, f"{name}: CEDT has the host bridge {list(bridges)}, segment 0 has {uids}")
    units = {"MiB": 2 ** 20, "GiB": 2 ** 30}
    with open(platform, encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
    ranges = set()
    for base, size, unit, more in re.findall(r"{base: (\w+), size: (\d+) (\w+)([^}]*)}", text[text.index("cxl:"):]):
        if unit in units:
            ranges.add((int(base, 0), int(size) * units[unit], 0x15 if "HDM-D" in more else 0x16))
    check(set((base, size, what) for base, size, what, _ in windows) == ranges and len(windows) == len(ranges),
          f"{name}: CEDT has the windows {windows}, the file {ranges}")
    check(all(targets == list(bridges) for _, _, _, targets in windows), f"{name}: windows lead to {windows}")


def disassemble(folder):
    """@return what iasl makes of each table, by its name in lower case. What it makes of the DSDT compiles again."""
    texts = {}
    for name in sorted(os.listdir(folder)):
        said = output_of(IASL, "-d", name, cwd=folder)
        check(not re.search(r"error|warning|checksum", said, re.IGNORECASE), f"iasl says of {name}:\n{said}")
        with open(os.path.join(folder, name[:-4] + ".dsl"), encoding="utf-8") as text:
            texts[name[:-4]] = text.read()
        check("Incorrect checksum" not in texts[name[:-4]], f"{name} has a wrong checksum")
    said = output_of(IASL, "-p", "again", "dsdt.dsl", cwd=folder)
    check("0 Errors" in said, f"iasl says of the disassembled DSDT:\n{said}")
    return texts


def acpi_devices(dsdt):
    """{name: (windows, interrupts)} of the platform's devices: D000 ..."""
    found = {}
    for part in re.split(r"\n\s*Device \(", dsdt)[1:]:
        name = part[:4]
        if not re.fullmatch(r"D[0-9A-F]{3}", name):
            continue
        windows = [(int(low, 16), int(high, 16)) for low, high in
                   re.findall(r"(0x[0-9A-F]+),\s*// Range Minimum\s*(0x[0-9A-F]+),\s*// Range Maximum", part)]
        numbers = [int(number, 16) for numbers in re.findall(r"Interrupt \([^{]*{([^}]*)}", part)
                   for number in re.findall(r"0x([0-9A-F]+)", numbers)]
        found[name] = (windows, numbers)
    return found


def check_windows(windows, banks, what):
    """Each bank lies in a window, and each window has a bank's base in it."""
    for bank, bases in banks.items():
        for base in bases:
            check(any(low <= base <= high for low, high in windows), f"{what} does not have {bank} at {base:#x}")
    for low, high in windows:
        check(any(low <= base <= high for bases in banks.values() for base in bases),
              f"{what} has {low:#x} ... {high:#x}, where no registers are")


def check_mcfg(text, functions, has_cxl, name):
    """
    Each root bus has its configuration space where the root ports' is, or where docs/platform.md has that of CXL, and
    functions on other buses are in the space of a root bus.
    """
    spaces = {int(base, 16) + (int(first, 16) << 20): int(base, 16) + (int(last, 16) + 1 << 20)
              for base, first, last in re.findall(
                  r"Base Address : ([0-9A-F]+)\n.*?Start Bus Number : ([0-9A-F]+)\n.*?End Bus Number : ([0-9A-F]+)\n",
                  text, re.DOTALL)}
    buses = {bases[0] for bank, bases in functions.items() if re.fullmatch(r"(socket\d+\.rc\d+\.rp\d+|[a-z]\w*)\.config", bank)}
    if has_cxl:
        buses.add(0x40000000)
    check(spaces.keys() <= buses, f"{name}: MCFG has {spaces}, but no function is on some of their first buses: {buses}")
    for bus in buses - spaces.keys():
        check(any(first <= bus < end for first, end in spaces.items()), f"{name}: no space of MCFG has the bus at {bus:#x}")


def check_acpi(folder, platform, banks, wires, described, functions, bridge, name):
    texts = disassemble(folder)
    check_cedt(folder, texts["dsdt"], platform, bridge, name)
    check_mcfg(texts.get("mcfg", ""), functions, bool(bridge), name)
    devices = acpi_devices(texts["dsdt"])
    windows = [window for found, _ in devices.values() for window in found]
    numbers = {number for _, found in devices.values() for number in found}
    if os.path.exists(os.path.join(folder, "apmt.aml")):
        with open(os.path.join(folder, "apmt.aml"), "rb") as file:
            for base0, base1, interrupt, _, affinity in apmt_of(file.read()):
                windows.append((base0, base0 + 0xfff))
                if base1 is not None:
                    windows.append((base1, base1 + 0xfff))
                check(affinity == base0 >> 44, f"{name}: APMT gives the PMU at {base0:#x} to container {affinity}")
                numbers.add(interrupt)
    check_windows(windows, banks, f"{name}: ACPI")
    numbers.discard(0)
    known = interrupts_of(banks, wires) | {number for numbers, _ in described.values() for number in numbers}
    check(numbers == known, f"{name}: ACPI has the interrupts {numbers}, not {known}")
    return len(devices), len(windows), len(numbers)


def tree_nodes(text):
    """[(compatible, windows, interrupts)] of dtc's output."""
    nodes = []
    for body in re.findall(r"\tpmu@[0-9a-f]+ {\n(.*?)\n\t};", text, re.DOTALL):
        cells = {key: [int(cell, 16) for cell in value.split()] for key, value in
                 re.findall(r"\t([\w,-]+) = <([^>]*)>;", body)}
        reg = cells["reg"]
        windows = []
        for i in range(0, len(reg), 4):
            base, size = reg[i] << 32 | reg[i + 1], reg[i + 2] << 32 | reg[i + 3]
            windows.append((base, base + size - 1))
        wires = cells.get("interrupts", [])
        check(all(kind == 0 for kind in wires[0::3]) and all(how in (1, 4) for how in wires[2::3]),
              f"interrupts of another kind: {body}")
        nodes.append((re.search(r'compatible = "([^"]*)"', body).group(1), windows, [n + 32 for n in wires[1::3]]))
    return nodes


def devices_of_trees(platform):
    """What described devices, and those that they are below, are compatible with."""
    with open(platform, encoding="utf-8") as file:
        return set(re.findall(r'\btree: "([^"]+)"', file.read()))


def check_tree(source, platform, banks, wires, described, name):
    said = output_of(DTC, "-I", "dts", "-O", "dtb", "-o", source + ".dtb", source)
    check(said == "", f"dtc says of {name}:\n{said}")
    nodes = tree_nodes(output_of(DTC, "-I", "dtb", "-O", "dts", source + ".dtb"))
    known = {bank: bases for bank, bases in banks.items()
             if bank.startswith("cmn") or bank.endswith(".ucf_pmu") or described.get(bank, (set(), False))[1]}
    if name == "graviton5":
        known = {}  # it has no binding
    check_windows([window for _, windows, _ in nodes for window in windows], known, f"{name}: the device tree")
    numbers = {number for _, _, found in nodes for number in found}
    wanted = interrupts_of(known, wires) | {number for numbers, in_tree in described.values() if in_tree for number in numbers}
    check(numbers == wanted, f"{name}: the tree has the interrupts {numbers}, not {wanted}")
    kinds = {"arm,cmn-600", "arm,cmn-650", "arm,cmn-700", "arm,ci-700", "arm,cmn-s3", "arm,coresight-pmu"}
    kinds |= devices_of_trees(platform)
    for compatible, _, _ in nodes:
        check(compatible.replace("\\0", " ") in kinds, f"{name}: Linux has no driver for {compatible}")
    return len(nodes)


def main():
    if not IASL and not DTC:
        print("iasl and dtc are missing (Debian packages acpica-tools and device-tree-compiler)")
        sys.exit(77)
    pmufab, *platforms = sys.argv[1:]
    for platform in platforms:
        name = os.path.basename(platform)[:-5]
        document = json.loads(output_of(pmufab, "regs", platform, "--reset", "--json"))
        # Registers of CXL components are in BARs, which no table describes.
        banks = {bank: [int(page["base"], 16) for page in pages] for bank, pages in document.items()
                 if re.match(r"socket\d+\.|cmn\d+\.", bank)}
        functions = {bank: banks.pop(bank) for bank in list(banks)
                     if re.match(r"socket\d+\.rc\d+\.rp\d+\.", bank)}
        # Root ports with DesignWare controllers, which may be any devices of their root buses.
        functions.update((bank, [int(page["base"], 16) & ~0xfffff for page in pages])
                         for bank, pages in document.items() if re.fullmatch(r"[a-z]\w*\.config", bank))
        bridge = [int(page["base"], 16) for page in document.get("cxl_host_bridge", [])]
        with tempfile.TemporaryDirectory() as folder:
            tables, tree = os.path.join(folder, "tables"), os.path.join(folder, "tree.dts")
            output_of(pmufab, "firmware", platform, "--acpi", tables, "--dts", tree)
            banks = {bank: bases for bank, bases in banks.items() if bank.partition(".")[2] not in pmus_in_bars(platform)}
            described = described_pmus(platform, banks)
            wires = shared_wires(platform)
            if IASL:
                print(name, "devices, windows, interrupts:",
                      *check_acpi(tables, platform, banks, wires, described, functions, bridge, name))
            if DTC:
                print(name, "nodes of the tree:", check_tree(tree, platform, banks, wires, described, name))
    for tool, path in (("iasl", IASL), ("dtc", DTC)):
        if not path:
            print(f"not compared: {tool} is missing")


main()
