#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the commands that the documents show, and compare what they print with what the documents say. Check that they state
no version.

Usage: commands_test.py PMUFAB [--boots]

A document shows commands in blocks marked ```console. A line that begins with "$ " is a command; a backslash at its
end continues it. The lines below it are its output. "..." stands for any number of lines; at the end of a line it
stands for the rest of that line. If the shown output has a line beginning with FAILED or WORSE, the command must end
with exit code 1, otherwise with 0.

Each document's commands run here, in a folder of their own, unless ELSEWHERE names the place that runs a command.
Documents in TOGETHER share a folder. --boots runs only the commands that boot a kernel, which need a guest
(tools/guest/prepare).
"""

import contextlib
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]

# Commands that other tests run: pattern, the file that runs the command, and the text to find there.
ELSEWHERE = [
    (r"git clone ", ".ci/run", "tools/test"),
    (r"tools/test\b", ".ci/run", "tools/test"),
    (r"tools/demo\b", "tools/test", "tools/demo --no-setup"),
    (r"tools/setup\b", "tools/test", "tools/setup"),
    (r"tools/lint\b", "tools/test", "tools/lint"),
    (r"tools/contract-coverage\b", "tools/test", "tools/contract-coverage"),
    (r"tools/mutate\b", "testbench/tests/mutants/mutate_test.sh", "tools/mutate"),
    (r"tools/fuzz\b", "tools/test", "tools/fuzz"),
    (r"tools/hostile\b", "testbench/tests/hostile/CMakeLists.txt", "--sample"),
    (r"build/fuzz/", "tools/test", "tools/fuzz"),
    (r"tools/guest/prepare\b", "tools/test", "tools/guest/prepare"),
    (r"cmake --preset \w+ && cmake --build --preset \w+", "tools/test", 'cmake --preset "$preset"'),
    (r"cmake --build --preset \w+ --target docs", "tools/test", "--target docs"),
    (r"cd build/release && cpack", "tools/test", "cpack"),
    (r"cmake --install ", "testbench/tests/install/install_test.cmake", "--install ${BUILD_DIR}"),
    (r"pmufab driver fetch", "testbench/tests/install/install_test.cmake", "driver fetch --from"),
    (r"cmake -S .*/own_soc ", "testbench/tests/install/install_test.cmake", "models own_soc own_fabric)"),
    (r"cmake -S .*/own_fabric ", "testbench/tests/install/install_test.cmake", "models own_soc own_fabric)"),
    (r"pmufab .*build/(own_\w+|fabric|timer-soc)\.", "testbench/tests/install/install_test.cmake", "${plugins}/fabric.yaml"),
    (r"b4 am ", "testbench/tests/tools/patches/review_test.sh", "review - --each"),
    (r"pmufab review (0001|HEAD|my/dwc_pcie_pmu|--tree)", "testbench/tests/tools/patches/review_test.sh", "expect 0 review"),
    (r"build/own_soc", "testbench/tests/install/install_test.cmake", "own_soc/own_soc ${sets}"),
]
# A study that one of these pages has run is not run again by another one: its database is there.
TOGETHER = REPOSITORY / "docs" / "studies"
COMMAND = re.compile(r"(\$ )?(pmufab|tools|build|cmake|ctest|cpack)[ /].*")
PATIENCE = 300  # seconds a command may take


def blocks(document):
    """Yield the console blocks of a document as lists of (line number, text)."""
    fence, lines = None, []
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if line.startswith("```"):
            if fence == "```console":
                yield lines
            fence, lines = (line.strip(), []) if fence is None else (None, [])
        elif fence == "```console":
            lines.append((number, line))


def steps(block):
    """Split a block into steps: (line number, command, expected lines). Commands typed into a shell belong to it."""
    found = []
    for number, line in block:
        if line.startswith("$ "):
            found.append([number, line[2:], []])
        elif found and found[-1][1].endswith("\\"):
            found[-1][1] = found[-1][1][:-1] + line.strip()
        elif found:
            found[-1][2].append(line)
    merged, typed = [], None
    for number, command, expected in found:
        if typed is not None:
            typed["input"] += command + "\n"
            typed["expected"] += expected
            if command == "exit":
                typed = None
            continue
        step = {"line": number, "command": command, "input": "", "expected": expected}
        merged.append(step)
        if re.match(r"pmufab shell\b", command) and " -- " not in command:
            typed = step
    return merged


def comparable(line):
    """Leave out what differs between systems: the patch level of the newest kernel."""
    return re.sub(r"Linux \d+\.\d+(\.\d+)?", "Linux N", line).rstrip()


def missing_line(expected, output):
    """Return the first expected line that the output does not have at its place, or None."""
    lines = [comparable(line) for line in output.splitlines()]
    at, gap = 0, True
    for line in expected:
        if line.strip() == "...":
            gap = True
            continue
        want = comparable(line)
        whole = not want.endswith("...")
        want = want if whole else want[:-3].rstrip()
        if not want:
            continue
        for index in range(at, len(lines)):
            if lines[index] == want or (not whole and lines[index].startswith(want)):
                at = index + 1
                break
            if not gap and lines[index]:
                return line
        else:
            return line
        gap = False
    return None


def elsewhere(command):
    return next((row for row in ELSEWHERE if re.match(row[0], command)), None)


def is_boot(command):
    return command.startswith("pmufab boot") and " -- " in command


def run(step, folder, path, booted):
    """Run a step, and compare. Return an error message or None. booted: boots that other documents show, with their
    ends."""
    # The document names a patch level. Any patch level of that version will do.
    def newest(match):
        trees = sorted(folder.glob(match.group(1) + ".*"), key=lambda p: [int(n) for n in re.findall(r"\d+", p.name)])
        return str(trees[-1].relative_to(folder)) if trees else match.group(0)

    command = re.sub(r"(\.cache/linux-sources/\d+\.\d+)\.\d+", newest, step["command"])
    # A boot reads no file of its document's folder, so documents that show the same one can share it.
    done = booted.get(command)
    try:
        done = done or subprocess.run(
            ["bash", "-c", command], cwd=folder, input=step["input"], text=True, timeout=PATIENCE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": f"{path}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(folder),
                 "LC_ALL": "C.UTF-8", "TMPDIR": str(folder / "tmp")})
    except subprocess.TimeoutExpired:
        return f"does not end within {PATIENCE} s"
    if is_boot(command):
        booted[command] = done
    wanted = 1 if any(line.startswith(("FAILED", "WORSE")) for line in step["expected"]) else 0
    if done.returncode != wanted:
        return f"ends with {done.returncode}, not {wanted}:\n{done.stdout}"
    line = missing_line(step["expected"], done.stdout)
    return None if line is None else f"does not print this line (or not there): {line}\nIt prints:\n{done.stdout}"


def escaped_commands(document):
    """Yield commands in blocks that are not marked as console, so that nobody runs them."""
    fence, console = False, False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if line.startswith("```"):
            fence = not fence
            console = fence and line.strip() == "```console"
        elif not console and (fence or line.startswith("    ")) and COMMAND.fullmatch(line.strip()):
            yield number, line.strip()


def stated_versions(names):
    """Yield places that state the version of the release. The changelog alone does, so that no release forgets one."""
    version = re.search(r"^## \[([\d.]+)\]", (REPOSITORY / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    stated = re.compile(rf"(^|[v_`]){re.escape(version)}([_`]|$)|find_package\(pmufab \d")
    examples = [str(p.relative_to(REPOSITORY)) for p in (REPOSITORY / "docs" / "examples").rglob("CMakeLists.txt")]
    for name in names + examples:
        for number, line in enumerate((REPOSITORY / name).read_text().splitlines(), 1):
            if name != "CHANGELOG.md" and stated.search(line):
                yield f"{name}:{number}: states a version: {line.strip()}"


def new_folder(stack):
    """Return a folder for commands, which finds what is in the repository. It goes with the stack."""
    folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pmufab-documents-")))
    (folder / "tmp").mkdir()
    for part in ("scenarios", ".cache", "tools", "testbench", "docs", "models"):
        if (REPOSITORY / part).exists():
            (folder / part).symlink_to(REPOSITORY / part)
    return folder


def main():
    pmufab = pathlib.Path(sys.argv[1]).resolve()
    boots = "--boots" in sys.argv[2:]
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=REPOSITORY, text=True, capture_output=True, check=False)
    names = listed.stdout.split() or [
        str(p.relative_to(REPOSITORY)) for p in REPOSITORY.rglob("*.md") if "build" not in p.parts]
    failures, ran, left = [], 0, 0
    booted = {}
    for row in ELSEWHERE:
        if row[2] not in (REPOSITORY / row[1]).read_text():
            failures.append(f"{row[1]} does not run what ELSEWHERE says: {row[2]}")
    failures += stated_versions(names)
    with contextlib.ExitStack() as stack:
        folders = {}
        for name in names:
            document = REPOSITORY / name
            failures += [f"{name}:{number}: not in a block marked console: {text}"
                         for number, text in escaped_commands(document)]
            place = TOGETHER if document.parent == TOGETHER else document
            if place not in folders:
                folders[place] = new_folder(stack)
            for step in (step for block in blocks(document) for step in steps(block)):
                step_boots = is_boot(step["command"])
                if elsewhere(step["command"]) or re.match(r"export PATH=", step["command"]):
                    left += 1
                    continue
                if re.match(r"pmufab boot", step["command"]) and not step_boots:
                    failures.append(f"{name}:{step['line']}: nobody runs: {step['command']}")
                    continue
                if step_boots != boots:
                    left += step_boots
                    continue
                ran += 1
                error = run(step, folders[place], pmufab.parent, booted)
                if error:
                    failures.append(f"{name}:{step['line']}: {step['command']}\n  {error}")
    for failure in failures:
        print(f"FAILED: {failure}")
    if ran == 0:
        failures.append("")
        print("FAILED: no document shows a command that is run here")
    print(f"{ran} commands of {len(names)} documents ran, {left} are run elsewhere; {len(failures)} findings.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
