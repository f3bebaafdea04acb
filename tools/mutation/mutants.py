# SPDX-License-Identifier: Apache-2.0
"""Which mutants of drivers, models and judges there are, and a sample of them."""

import dataclasses
import difflib
import hashlib
import pathlib
import re

from mutation import c_source, operators

ROOT = pathlib.Path(__file__).resolve().parents[2]

NVIDIA = r"nvidia_(ucf|pcie|pcie_tgt|uncore|scf|nvlink_c2c[01]|cnvlink)_pmu"
AMPERE = r"ampere_mcu_pmu"
DESCRIBED = r"arm_cspmu_(acpi|mc|smmu|pcie|cache)_"  # by the driver without a back-end
CORESIGHT = "|".join((NVIDIA, AMPERE, DESCRIBED))
# Of each module whose hardware the scenarios have: the fabrics, what names its PMUs in scenarios, and the scenarios to
# begin with. They are short, and notice most mutants.
MODULES = {
    "apmt": ("tegra410 soc", CORESIGHT, ("pcie-basic", "ucf-every-event-every-filter", "soc-names")),
    "arm_cspmu_module": ("tegra410 soc", CORESIGHT,
                         ("pcie-basic", "overflow-32", "pcie-tgt-slots", "hotplug", "reset", "pcie-overflow",
                          "soc-64bit-layout", "soc-names", "soc-basic", "soc-64bit-many-counters")),
    "nvidia_cspmu": ("tegra410", NVIDIA, ("pcie-basic", "pcie-tgt-slots", "pcie-refused", "pcie-tgt-ports",
                                            "pcie-tgt-slot-life-cycle", "ucf-every-event-every-filter")),
    "ampere_cspmu": ("soc", AMPERE, ("ampereone-mcu",)),
    "nvidia_t410_cmem_latency_pmu": ("tegra410", r"nvidia_cmem_latency_pmu",
                                     ("cmem-second-event", "cmem-one-controller", "cmem-basic")),
    "nvidia_t410_c2c_pmu": ("tegra410", r"nvidia_(nvlink_c2c|nvclink|nvdlink)_pmu",
                            ("c2c-sockets", "c2c-basic", "c2c-second-event")),
    "arm_cmn": ("cmn", r"arm_cmn_", ("cmn-flits", "cmn-refused", "cmn-groups", "cmn-global-counters", "cmn-io",
                                      "cmn-gateways", "cmn-every-interface")),
    "cxl_pci": ("cxl", r"cxl_pmu_", ("cxl-mem", "cxl-switch")),
    "cxl_pmu": ("cxl", r"cxl_pmu_", ("cxl-mem", "cxl-thresholds", "cxl-fixed", "cxl-overflow", "cxl-freeze")),
    "dwc_pcie_pmu": ("dwc", r"dwc_rootport_", ("dwc-root-buses", "dwc-basic", "dwc-segments", "dwc-every-event")),
}
# These take seconds each, so they come last.
SLOW = ("cxl-controller", "cxl-controller-newer", "cmn-two-domains", "cmn-reload", "cmn-local-wrap",
        "cmn-second-domain", "cmn-every-interface-newer", "cmn-second-subchannels", "cmn-watchpoints-newer",
        "cmn-watchpoints-ports", "cmn-hotspot-newer", "cmn-transpose", "cmn-chi", "cmn-chi-newer", "cmn-full-gateways",
        "cmn-node-events", "cmn-graviton5", "cmn-home-filters", "ucf-basic", "intervals", "overflow-16")
# These judge nothing, or are not complete.
NOT_JUDGED = ("cmn-overflow-exploration", "cmn-overflow-exploration-cycles", "demo")


class MutationError(Exception):
    """What the user has to correct."""


def scenarios_with(folder, pmus, first):
    """The shipped scenarios with these PMUs: the ones to begin with, then the others by path, slow ones last."""
    found = {}
    for file in sorted(folder.rglob("*.yaml")):
        if file.relative_to(folder).parts[0] in ("platforms", "studies", "traffic") or file.stem in NOT_JUDGED:
            continue
        if re.search(pmus, file.read_text(encoding="utf-8")):
            found[file.stem] = file
    missing = [name for name in first if name not in found]
    if missing:
        raise MutationError(f"no scenario {missing[0]} has a PMU that is {pmus}")
    others = sorted((name for name in found if name not in first), key=lambda name: name in SLOW)
    return [found[name] for name in (*first, *others)]


@dataclasses.dataclass(frozen=True)
class Driver:
    """A kernel module that is one file, with the header of the same name, if there is one."""
    module: str
    files: tuple  # the C file first
    platforms: tuple = ()  # those that describe its PMUs, if it is none of MODULES
    users: tuple = ()  # without a PMU of its own: the drivers that are loaded after it

    def scenarios(self, folder):
        if self.module in MODULES:
            _, pmus, first = MODULES[self.module]
            return scenarios_with(folder, pmus, first)
        names = "|".join(platform.stem for platform in self.platforms)
        own = scenarios_with(folder, rf"platforms/linux/(?:\w+/)?({names})\.yaml", ())
        return own + [file for user in self.users for file in user.scenarios(folder)]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A change of one line or a few of a text."""
    driver: Driver  # or units.Part
    file: pathlib.Path
    function: str
    operator: str
    line: str  # hash of the line before and after the change
    source: str = dataclasses.field(repr=False, compare=False)  # of the unchanged file
    edit: operators.Edit = dataclasses.field(repr=False, compare=False)

    @property
    def text(self):
        return apply(self.source, self.edit)

    @property
    def name(self):
        return f"{self.driver.module}/{self.function}/{self.operator}/{self.line}"

    def diff(self):
        """One hunk in the unified format."""
        before, after = self.source.splitlines(keepends=True), self.text.splitlines(keepends=True)
        name = self.file.relative_to(ROOT) if self.file.suffix == ".cpp" else self.file.name
        return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def newest_kernel(sources):
    """The folder of the newest fetched kernel."""
    found = [folder for folder in sources.glob("*") if re.match(r"\d+\.\d", folder.name) and folder.is_dir()]
    if not found:
        raise MutationError(f"no kernel sources in {sources}; tools/fetch-linux-sources fetches them")
    return max(found, key=lambda folder: [int(number) for number in re.findall(r"\d+", folder.name)])


def lines_of(name):
    """The words of each line of a list of drivers."""
    text = (ROOT / "testbench" / "host" / name).read_text(encoding="utf-8")
    return [line.split("#", 1)[0].split() for line in text.splitlines()]


def with_header(file):
    return tuple(one for one in (file, file.with_suffix(".h")) if one.exists())


def find_further(kernel):
    """The drivers of PMUs that platforms describe, and sentences about those without a PMU."""
    platforms = {file: re.findall(r"\bmodule: (\w+)", file.read_text(encoding="utf-8"))
                 for file in sorted((ROOT / "scenarios" / "platforms" / "linux").rglob("*.yaml"))}
    lines = {words[0]: words[1:] for words in lines_of("further-drivers.txt") if words and (kernel / words[1]).exists()}

    def driver_of(module):
        return Driver(module, with_header(kernel / lines[module][0]),
                      tuple(file for file, modules in platforms.items() if module in modules),
                      tuple(driver_of(user) for user, words in lines.items() if module in words[2:]))

    drivers = [driver_of(module) for module in lines]
    return ([driver for driver in drivers if driver.platforms or driver.users],
            [f"{driver.module}: no platform has its hardware" for driver in drivers
             if not driver.platforms and not driver.users])


def find_drivers(kernel):
    """The drivers that are mutated, and sentences about those that are not."""
    drivers, left_out = [], []
    for words in lines_of("linux-drivers.txt"):
        files = [kernel / word for word in words[1:] if word != "needs"]
        if not words or not all(file.exists() for file in files):
            continue
        own = words[1:words.index("needs")] if "needs" in words else words[1:]
        if len(own) > 1:
            left_out.append(f"{words[0]}: pmufab driver build replaces only modules of one file")
        elif words[0] not in MODULES:
            left_out.append(f"{words[0]}: no scenario has its hardware")
        else:
            drivers.append(Driver(words[0], with_header(kernel / own[0])))
    further, unserved = find_further(kernel)
    return drivers + further, left_out + unserved


def files_to_build(mutant_file, drivers):
    """The C files that are compiled with a mutant of this file."""
    if mutant_file.suffix == ".c":
        return [mutant_file]
    wanted = f'#include "{mutant_file.name}"'
    return [driver.files[0] for driver in drivers if driver.files[0].parent == mutant_file.parent and
            wanted in driver.files[0].read_text(encoding="utf-8")]


def apply(source, edit):
    """The source with the edit. Lines keep their numbers."""
    removed = source[edit.start:edit.end]
    lines = removed.count("\n") - edit.replacement.count("\n")
    return source[:edit.start] + edit.replacement + "\n" * lines + source[edit.end:]


def whole_lines(source, edit):
    """Begin and end of the lines that an edit changes."""
    last = source.find("\n", edit.end)
    return source.rfind("\n", 0, edit.start) + 1, last if last >= 0 else len(source)


def mutants_of(driver):
    """All mutants of a driver or a part. Units of the same kind and name, such as two branches of an #if, count as one."""
    mutants, seen = [], {}
    for file in driver.files:
        source = file.read_text(encoding="utf-8")
        for unit in c_source.units_of(source, cpp=file.suffix == ".cpp"):
            for edit in operators.edits_of(source, unit):
                first, last = whole_lines(source, edit)
                before = " ".join(source[first:last].split())
                after = " ".join((source[first:edit.start] + edit.replacement + source[edit.end:last]).split())
                key = (unit.name, edit.operator, before, after)
                seen[key] = seen.get(key, 0) + 1
                line = hashlib.sha256("\n".join((*key[2:], str(seen[key]))).encode()).hexdigest()[:10]
                mutants.append((unit.kind, Mutant(driver, file, unit.name, edit.operator, line, source, edit)))
    return mutants


def shuffled(seed, items, name):
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed} {name(item)}".encode()).digest())


def in_turn(lists):
    """The first item of each list, then the second of each, and so on."""
    for place in range(max(map(len, lists), default=0)):
        for items in lists:
            if place < len(items):
                yield items[place]


def order_of(driver, seed):
    """All mutants of a driver in the order in which a sample takes them: functions in turn, in each its operators in
    turn. Each fourth mutant is one of a macro, a table or an enumeration."""
    groups = {}
    for kind, mutant in mutants_of(driver):
        units = groups.setdefault(kind == "function", {})
        units.setdefault(mutant.function, {}).setdefault(mutant.operator, []).append(mutant)
    ordered = {}
    for is_function, units in groups.items():
        lists = []
        for function in shuffled(seed, units, str):
            by_operator = [shuffled(seed, units[function][operator], lambda mutant: mutant.name)
                           for operator in shuffled(f"{seed} {function}", units[function], str)]
            lists.append(list(in_turn(by_operator)))
        ordered[is_function] = list(in_turn(lists))
    functions, others = ordered.get(True, []), ordered.get(False, [])
    while functions or others:
        yield from functions[:3]
        yield from others[:1]
        functions, others = functions[3:], others[1:]
