#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run every scenario of scenarios/known-defects, and check that "pmufab explain" shows what the document says.

Usage: known_defects_test.py PMUFAB [SCENARIO...]

docs/verification/known-defects.md has a table. A row names a scenario, a Linux version, or `newest`, what follows RESULT
on the command line (an event or a check; nothing: what explain chooses), and texts in the order in which explain prints
them. Each scenario must have a row.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
DOCUMENT = REPOSITORY / "docs" / "verification" / "known-defects.md"
SCENARIOS = REPOSITORY / "scenarios" / "known-defects"
PATIENCE = 300  # seconds
MOST_LINES = 20


def rows():
    """Yield scenario, version, argument and texts of each row."""
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 4:
            yield cells[0].strip("`"), cells[1], cells[2].strip("`"), re.findall(r"`([^`]+)`", cells[3])


def run(pmufab, *arguments):
    """Run the command. Return its exit code and what it prints; what it says of its progress, only if it fails."""
    done = subprocess.run([pmufab, *arguments], text=True, capture_output=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout + (done.stderr if done.returncode else "")


def missing(texts, output):
    """Return the first text that is not in the output behind those before it, or nothing."""
    at = 0
    for text in texts:
        found = output.find(text, at)
        if found < 0:
            return text
        at = found + len(text)
    return ""


def check(pmufab, row, folder):
    """Return what is wrong with a row, or nothing."""
    name, version, argument, texts = row
    results = pathlib.Path(folder) / name
    code, out = run(pmufab, "run", name, "--drivers", version, "--jobs", "1", "--out", str(results))
    if code != 0:
        return f"{name}: run ends with {code}:\n{out}"
    code, out = run(pmufab, "explain", str(results), *argument.split())
    text = missing(texts, out)
    if code != 0 or text or not texts or out.count("\n") > MOST_LINES:
        return f"{name}: explain ends with {code}, and does not show '{text}' (or not there) in at most " \
               f"{MOST_LINES} lines:\n{out}"
    return ""


def main():
    pmufab = str(pathlib.Path(sys.argv[1]).resolve())
    wanted = sys.argv[2:]
    table = list(rows())
    there_are = {path.stem for path in SCENARIOS.rglob("*.yaml")}
    failures = [f"{name} has no row in {DOCUMENT.name}" for name in sorted(there_are - {row[0] for row in table})]
    failures += [f"{name} is no scenario" for name in sorted({row[0] for row in table} - there_are)]
    with tempfile.TemporaryDirectory(prefix="pmufab-defects-") as folder:
        chosen = [row for row in table if not wanted or row[0] in wanted]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failures += filter(None, pool.map(lambda row: check(pmufab, row, folder), chosen))
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(chosen)} known defects were explained; {len(failures)} findings.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
