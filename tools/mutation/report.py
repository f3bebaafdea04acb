# SPDX-License-Identifier: Apache-2.0
"""Prints scores and survivors. Nothing in a report depends on time, place or order of execution."""

import json


def percent(noticed, counted):
    return f"{100 * noticed // counted:3d} %" if counted else "  - "


def score_of(results):
    """Noticed and counted mutants."""
    counted = [outcome for _, outcome in results if outcome.state in ("noticed", "survived")]
    return sum(outcome.state == "noticed" for outcome in counted), len(counted)


def print_scores(results, title, key):
    groups = {}
    for mutant, outcome in results:
        if outcome.state in ("noticed", "survived"):
            groups.setdefault(key(mutant, outcome), []).append((mutant, outcome))
    print(f"\n  score  noticed  of  {title}")
    for name, group in sorted(groups.items()):
        noticed, counted = score_of(group)
        print(f"  {percent(noticed, counted)}  {noticed:7d} {counted:3d}  {name}")


def print_report(results, subject, seed, notes, equivalent):
    """subject is what was changed; equivalent holds the reasons of those that are left out, by name."""
    noticed, counted = score_of(results)
    print(f"{subject}, seed {seed}: {noticed} of {counted} mutants noticed ({percent(noticed, counted).strip()})")
    for state, text in (("does not compile", "do not compile"), ("same code", "compile to the same machine code")):
        number = sum(outcome.state == state for _, outcome in results)
        if number:
            print(f"  not counted: {number} that {text}")
    if equivalent:
        print(f"  not tried: {len(equivalent)} that are known to be equivalent")
        for name, reason in sorted(equivalent.items()):
            print(f"    {name}: {reason}")
    for note in notes:
        print(f"  left out: {note}")
    if counted == 0:
        return
    print_scores(results, "driver" if subject.startswith("Linux") else "part", lambda mutant, _: mutant.driver.module)
    print_scores(results, "operator", lambda mutant, _: mutant.operator)
    print_scores(results, "function", lambda mutant, _: f"{mutant.driver.module}/{mutant.function}")
    first = {}
    for mutant, outcome in results:
        if outcome.state == "noticed":
            key = mutant.driver.module, outcome.by
            first[key] = first.get(key, 0) + 1
    print("\n  mutants  noticed first by")
    for (module, scenario), number in sorted(first.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        print(f"  {number:7d}  {module}: {scenario}")
    survivors = [mutant for mutant, outcome in results if outcome.state == "survived"]
    if survivors:
        print("\nSurvivors:")
    for mutant in sorted(survivors, key=lambda mutant: mutant.name):
        print(f"\n{mutant.name}\n{mutant.diff()}", end="")


def write_json(file, results, subject, seed, notes, equivalent):
    noticed, counted = score_of(results)
    document = {
        "subject": subject, "seed": seed, "noticed": noticed, "counted": counted, "left_out": notes,
        "equivalent": equivalent,
        "mutants": [{"id": mutant.name, "driver": mutant.driver.module, "file": mutant.file.name,
                     "function": mutant.function, "operator": mutant.operator, "outcome": outcome.state,
                     "by": outcome.by, "how": outcome.how, "diff": mutant.diff()}
                    for mutant, outcome in sorted(results, key=lambda result: result[0].name)],
    }
    with open(file, "w", encoding="utf-8") as stream:
        json.dump(document, stream, indent=2, ensure_ascii=False)
        stream.write("\n")
