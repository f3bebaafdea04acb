#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the exports of register maps: each must say of every register what pmufab regs --json says.

Usage: register_exports_test.py PMUFAB C_COMPILER PLATFORM...

CMSIS-SVD: the rules of Arm's CMSIS-SVD 1.3 schema that apply (order of elements, identifiers, numbers). C: a compiler
must agree with the offsets and masks. SystemRDL 2.0: the grammar of what is written; and a compiler of it, if Python has
the package systemrdl.
"""

import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import systemrdl
except ImportError:
    systemrdl = None  # the compiler; the grammar below is checked in any case

# Children of each element, in the order in which the schema wants them.
ORDER = {
    "device": "vendor name series version description addressUnitBits width size access peripherals".split(),
    "peripherals": ["peripheral"],
    "peripheral": "name version description groupName baseAddress addressBlock registers".split(),
    "addressBlock": "offset size usage".split(),
    "registers": ["register"],
    "register": "dim dimIncrement dimIndex name displayName description addressOffset size access resetValue fields".split(),
    "fields": ["field"],
    "field": "name description bitOffset bitWidth access modifiedWriteValues readAction".split(),
}
NEEDED = {
    "device": {"name", "version", "description", "addressUnitBits", "width", "peripherals"},
    "peripheral": {"name", "baseAddress"},
    "addressBlock": {"offset", "size", "usage"},
    "register": {"name", "addressOffset"},
    "field": {"name", "bitOffset", "bitWidth"},
}
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DIM_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[%s\])?")
NUMBER = re.compile(r"(0x[0-9a-fA-F]+|[0-9]+)")
WORDS = {"access": {"read-only", "write-only", "read-write"}, "usage": {"registers"},
         "modifiedWriteValues": {"oneToClear", "oneToSet", "zeroToClear"}, "readAction": {"clear"}}
NUMBERS = {"addressUnitBits", "width", "size", "baseAddress", "offset", "dim", "dimIncrement", "addressOffset",
           "resetValue", "bitOffset", "bitWidth"}


def check(condition, text):
    if not condition:
        sys.exit(f"register_exports_test: {text}")


def fields_of(entry):
    """Fields that exports show, as (lsb, width): a register without any has one."""
    fields = {(field["lsb"], field["width"]) for field in entry["fields"] if field["access"] != "reserved"}
    return frozenset(fields or {(0, entry["width"])})


def registers_of(document):
    """Every register that there is: address to (width, reset, fields)."""
    found = {}
    for pages in document.values():
        for page in pages:
            for entry in page["registers"]:
                for number in range(entry["implemented"]):
                    address = int(page["base"], 16) + entry["offset"] + number * entry["stride"]
                    found[address] = (entry["width"], int(entry["resets"][number], 16), fields_of(entry))
    return found


def check_element(element):
    tag = element.tag
    names = [child.tag for child in element]
    check(set(names) <= set(ORDER[tag]), f"<{tag}> holds one of {set(names) - set(ORDER[tag])}")
    places = [ORDER[tag].index(name) for name in names]
    check(places == sorted(places), f"<{tag}> has its children in the order {names}")
    if "derivedFrom" not in element.attrib:
        check(NEEDED.get(tag, set()) <= set(names), f"<{tag}> lacks one of {NEEDED.get(tag)}")
    check(tag.endswith("s") or len(names) == len(set(names)), f"<{tag}> has a child twice")
    for child in element:
        text = child.text or ""
        if child.tag in ORDER:
            check_element(child)
        elif child.tag == "name":
            check((DIM_IDENTIFIER if tag == "register" else IDENTIFIER).fullmatch(text), f"'{text}' is no name")
        elif child.tag in NUMBERS:
            check(NUMBER.fullmatch(text), f"<{child.tag}> is '{text}', no number")
        elif child.tag in WORDS:
            check(text in WORDS[child.tag], f"<{child.tag}> is '{text}'")
        else:
            check(text.strip(), f"<{child.tag}> is empty")
    siblings = [child.findtext("name") for child in element if child.tag in ("peripheral", "register", "field")]
    check(len(siblings) == len(set(siblings)), f"two of <{tag}> have the same name")


def check_svd(text, expected):
    device = ElementTree.fromstring(text.encode())
    check(device.tag == "device" and device.get("schemaVersion") == "1.3", "no CMSIS-SVD device")
    check_element(device)
    number = lambda element, tag: int(element.findtext(tag), 0)
    named, found = {}, {}
    for peripheral in device.find("peripherals"):
        named[peripheral.findtext("name")] = peripheral
        original = named[peripheral.get("derivedFrom")] if "derivedFrom" in peripheral.attrib else peripheral
        for register in original.find("registers"):
            fields = frozenset((number(one, "bitOffset"), number(one, "bitWidth")) for one in register.find("fields"))
            array = register.find("dim") is not None
            check(array == ("%s" in register.findtext("name")), "an array has no %s in its name, or something else has")
            for index in range(number(register, "dim") if array else 1):
                address = (number(peripheral, "baseAddress") + number(register, "addressOffset") +
                           (index * number(register, "dimIncrement") if array else 0))
                check(address not in found, f"two registers at {address:#x}")
                found[address] = (number(register, "size"), number(register, "resetValue"), fields)
    check(found == expected, f"CMSIS-SVD differs from JSON: {dict(set(found.items()) ^ set(expected.items()))}")


def macro(text):
    return re.sub(r"^(?=[0-9])", "_", re.sub(r"[^A-Za-z0-9]", "_", text)).upper()


def check_c(text, document, compiler):
    """Compile assertions made from JSON."""
    layout = dict(re.findall(r"^#define (\w+)_BASE +0x\w+ /\* (\w+) \*/$", text, re.M))
    asserts = []
    for bank, pages in document.items():
        for place, page in enumerate(pages):
            name = macro(bank) + (f"_PAGE{place}" if place else "")
            check(name in layout, f"the C header has no {name}_BASE")
            asserts.append(f'_Static_assert({name}_BASE == {page["base"]}ULL, "{name}");')
            for entry in page["registers"]:
                register = f'{layout[name].upper()}_{macro(entry["name"])}'
                for number in range(entry["implemented"]):
                    index = f"({number})" if entry["count"] > 1 else ""
                    offset = entry["offset"] + number * entry["stride"]
                    asserts.append(f'_Static_assert({register}{index} == {offset}, "{register}");')
                for field in entry["fields"]:
                    if field["access"] == "reserved":
                        continue
                    one = f'{register}_{macro(field["name"])}'
                    mask = ((1 << field["width"]) - 1) << field["lsb"]
                    asserts.append(f'_Static_assert({one}_MASK == {mask:#x}ULL && {one}_SHIFT == {field["lsb"]}, "{one}");')
    check(len(asserts) > 100, "hardly anything to compile")
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(text + "\n".join(asserts) + "\n")
        source.flush()
        done = subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", source.name],
                              stderr=subprocess.PIPE, text=True)
    check(done.returncode == 0, f"the C header does not compile: {done.stderr[:2000]}")


NAME = r"\\([A-Za-z_]\w*)"
PROPERTY = r'(?:(?:sw|hw)=(?:rw|r|w|na)|woclr|woset|onwrite=wzc|rclr|desc="(?:[^"\\]|\\.)*")'
FIELD = re.compile(rf"field {{ (?:{PROPERTY}; ?)+}} {NAME}\[(\d+):(\d+)\] = (\d+)'h([0-9a-f]+);")
REGISTER = re.compile(rf"}} {NAME}(?:\[(\d+)\])? @ (0x[0-9a-f]+)(?: \+= (0x[0-9a-f]+))?;")
WIDTH = re.compile(rf"regwidth=(32|64);(?: accesswidth=32;)?(?: {PROPERTY};)?")
INSTANCE = re.compile(rf"{NAME} {NAME} @ (0x[0-9a-f]+);")


class Lines:
    def __init__(self, text):
        self.lines = [line.strip() for line in text.splitlines() if not line.startswith("//")]

    def next(self, pattern):
        match = re.fullmatch(pattern, self.lines[0]) if self.lines else None
        if match:
            self.lines.pop(0)
        return match

    def need(self, pattern):
        match = self.next(pattern)
        check(match, f"SystemRDL: '{self.lines[0] if self.lines else ''}' is not what has to come")
        return match


def parse_register(lines):
    """Yield each register: offset, (width, reset, fields)."""
    width = int(lines.need(WIDTH)[1])
    fields, reset, names = set(), 0, set()
    while found := lines.next(FIELD):
        name, high, low, size, value = found[1], *(int(found[i]) for i in (2, 3, 4)), int(found[5], 16)
        check(name not in names and size == high - low + 1 and high < width and value < 1 << size, f"field {name}")
        names.add(name)
        fields.add((low, size))
        reset |= value << low
    check(fields, "a register has no fields, which SystemRDL forbids")
    name, count, offset, step = lines.need(REGISTER).groups()
    check((count is None) == (step is None), f"array {name}")
    for number in range(int(count or 1)):
        place = int(offset, 16) + number * int(step or "0", 16)
        check(place % (width // 8) == 0 or place % 4 == 0, f"{name} is not aligned")
        yield name, place, (width, reset, frozenset(fields))


def parse_systemrdl(text):
    """Return what registers there are: address to (width, reset, fields)."""
    lines, layouts, found, spans = Lines(text), {}, {}, []
    lines.need(rf"addrmap {NAME} {{")
    while layout := lines.next(rf"addrmap {NAME} {{"):
        registers = layouts.setdefault(layout[1], {})
        names = set()
        while lines.next("reg {"):
            for name, offset, facts in parse_register(lines):
                check(offset not in registers, f"two registers at {offset:#x} of {layout[1]}")
                registers[offset] = facts
            check(name not in names, f"two registers {name}")
            names.add(name)
        lines.need("};")
    names = set()
    while instance := lines.next(INSTANCE):
        check(instance[2] not in names, f"two instances {instance[2]}")
        names.add(instance[2])
        base, registers = int(instance[3], 16), layouts[instance[1]]
        found.update({base + offset: facts for offset, facts in registers.items()})
        spans.append((base, base + max(offset + facts[0] // 8 for offset, facts in registers.items()), instance[2]))
    lines.need("};")
    check(not lines.lines, "SystemRDL: something follows the end")
    spans.sort()
    for before, after in zip(spans, spans[1:]):
        check(before[1] <= after[0], f"{before[2]} and {after[2]} overlap, which SystemRDL forbids")
    return found


def compile_systemrdl(text):
    """As parse_systemrdl(), with a compiler."""
    with tempfile.NamedTemporaryFile("w", suffix=".rdl") as source:
        source.write(text)
        source.flush()
        compiler = systemrdl.RDLCompiler()
        compiler.compile_file(source.name)
        root = compiler.elaborate()
    found = {}
    for node in root.descendants(unroll=True):
        if isinstance(node, systemrdl.node.RegNode):
            fields = frozenset((field.lsb, field.width) for field in node.fields())
            reset = sum((field.get_property("reset") or 0) << field.lsb for field in node.fields())
            found[node.absolute_address] = (node.get_property("regwidth"), reset, fields)
    return found


def check_systemrdl(found, expected):
    # What no field covers is reserved there, and resets to 0.
    covered = {}
    for address, (width, reset, fields) in expected.items():
        mask = sum(((1 << size) - 1) << lsb for lsb, size in fields)
        covered[address] = (width, reset & mask, fields)
    check(found == covered, f"SystemRDL differs from JSON: {dict(set(found.items()) ^ set(covered.items()))}")


def main():
    pmufab, compiler, *platforms = sys.argv[1:]
    for platform in platforms:
        def regs(form):
            return subprocess.run([pmufab, "regs", platform, "--reset", form], check=True, stdout=subprocess.PIPE,
                                  text=True).stdout
        document = json.loads(regs("--json"))
        expected = registers_of(document)
        check(len(expected) > 100, f"{platform} has hardly any registers")
        check_svd(regs("--svd"), expected)
        check_c(regs("--c-header"), document, compiler)
        rdl = regs("--systemrdl")
        check_systemrdl(parse_systemrdl(rdl), expected)
        if systemrdl:
            check_systemrdl(compile_systemrdl(rdl), expected)
        print(f"{platform}: {len(expected)} registers")
    if not systemrdl:
        print("SystemRDL not compiled: Python has no package systemrdl (pip install systemrdl-compiler)")


main()
