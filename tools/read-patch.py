#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads patches for tools/build-drivers.

read-patch.py series MAILS: prints the files of the folder MAILS that have the patches to apply, in their order. For a mail
MAILS/N, git mailinfo has made N.info and N.patch. What looks like a patch and is left out is told on the standard error.
read-patch.py cover MAILS: prints the subject of their cover letter, if they are one series that has one.
read-patch.py changes DIFF: prints what a unified diff changes, one a line: "old PLACE", "new PLACE", "deleted PLACE",
"renamed PLACE TO", or "nothing PLACE (WHY)" of what is no change of a text. Places have no a/ or b/.

Exit code: 0, or 2 for a damaged patch, whose fault is the last line of the standard output.
"""
import email.parser
import glob
import re
import sys

GIT_LINE = re.compile(r"(old mode|new mode|deleted file mode|new file mode|similarity index|dissimilarity index|index|"
                      r"rename from|rename to|copy from|copy to) (.*)")
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
ANSWER = re.compile(r"\s*(re|aw|sv|fwd?):\s", re.IGNORECASE)
CHOPPED = 2  # blank lines at the end that patch(1) puts back
NO_SUBJECT = "*** subject here ***"  # of a cover letter that nobody filled in


class Damaged(Exception):
    """A diff that is none, or ends too early."""


def lines_of(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return [line.rstrip("\r") for line in file.read().split("\n")]


def say(text):
    print("   ", text, file=sys.stderr)


# Diffs

def bare(name):
    """A name without git's a/ or b/, and without the time that diff writes."""
    return name.split("\t")[0].rstrip().partition("/")[2]


def skip_hunk(lines, at):
    """The index of the line behind the hunk at `at`."""
    old, new = (int(count or 1) for count in HUNK.match(lines[at]).groups())
    at += 1
    while old > 0 or new > 0:
        if at >= len(lines) or (at == len(lines) - 1 and not lines[at]):
            if old == new <= CHOPPED:
                return at
            raise Damaged(f"it ends within a change, at line {at}: {lines[at - 1]}")
        mark = lines[at][:1]
        old -= mark in ("-", " ", "\t", "")
        new -= mark in ("+", " ", "\t", "")
        if mark not in ("-", "+", " ", "\t", "", "\\") or old < 0 or new < 0:
            raise Damaged(f"malformed patch at line {at + 1}: {lines[at]}")
        at += 1
    return at


def is_head(lines, at):
    return at + 1 < len(lines) and lines[at].startswith("--- ") and lines[at + 1].startswith("+++ ")


def place_at(lines, at):
    """The file whose --- is at `at`."""
    before, after = lines[at][4:], lines[at + 1][4:]
    return bare(before if after.startswith("/dev/null") else after)


def read_text(lines, at):
    """The change of a file whose --- is at `at`, and the index behind it."""
    before, after, place = lines[at][4:], lines[at + 1][4:], place_at(lines, at)
    at += 2
    if at >= len(lines) or not HUNK.match(lines[at]):
        raise Damaged(f"no change follows the name of {place}, at line {at}")
    is_new = before.startswith("/dev/null") or lines[at].startswith("@@ -0,0 ")
    while at < len(lines) and HUNK.match(lines[at]):
        at = skip_hunk(lines, at)
        while at < len(lines) and lines[at].startswith("\\"):
            at += 1
    if is_new:
        return "new " + place, at
    return ("deleted " if after.startswith("/dev/null") else "old ") + place, at


def read_file(lines, at):
    """The change of a file whose "diff --git" is at `at`, and the index behind it."""
    place, said, began = bare(lines[at].split(" ")[-1]), {}, at
    at += 1
    while at < len(lines) and (found := GIT_LINE.match(lines[at])):
        said[found[1]] = found[2]
        at += 1
    if is_head(lines, at) and place_at(lines, at) == place:
        change, at = read_text(lines, at)
        if "copy to" in said:
            change = f"new {place}"
    elif at < len(lines) and lines[at].startswith(("GIT binary patch", "Binary files ")):
        change = f"nothing {place} (binary)"
    elif "new file mode" in said or "deleted file mode" in said:
        change = f"nothing {place} (empty)"
    elif "copy to" in said:
        change = f"new {place}"
    elif "old mode" in said:
        change = f"nothing {place} (its mode)"
    else:
        change = ""
    if "rename to" in said:
        return f"renamed {said['rename from']} {said['rename to']}", at
    if not change:
        raise Damaged(f"no change follows the name of {place}, at line {began + 1}")
    return change, at


def changes_of(lines):
    changes, at = [], 0
    while at < len(lines):
        if re.match(r"diff --git \S+/\S+ \S+/\S+$", lines[at]):
            change, at = read_file(lines, at)
        elif is_head(lines, at):
            change, at = read_text(lines, at)
        else:
            at += 1
            continue
        if change not in changes:
            changes.append(change)
    return changes


# Mails

class Mail:
    """A mail of a mailbox, as its subject and its head tell of it."""

    def __init__(self, path):
        self.path = path + ".patch"
        self.lines = lines_of(self.path)
        self.has_diff = any(line.startswith(("+++ ", "diff --git ")) for line in self.lines)
        info = [line for line in lines_of(path + ".info") if line.startswith("Subject: ")]
        self.subject = info[0][len("Subject: "):] if info else ""
        with open(path, "rb") as file:
            head = email.parser.BytesHeaderParser().parse(file)
        self.id, self.parents = "", []
        for name, ids in ((name.lower(), re.findall(r"<[^<>\s]+>", str(value))) for name, value in head.items()):
            if name == "message-id":
                self.id = ids[0] if ids else ""
            elif name in ("in-reply-to", "references"):
                self.parents += ids
        self.thread = None
        self.read_tags()

    def read_tags(self):
        tags = re.match(r"(\s*\[[^\]]*\])*", self.subject)[0]
        self.title = " ".join(self.subject[len(tags):].lower().split())
        tags = tags.lower()
        version = re.search(r"(?:patch|[^a-z0-9])v(\d+)[^0-9.]", tags)
        number = re.search(r"(\d+)/(\d+)", tags)
        self.version = int(version[1]) if version else 1
        self.revision = (self.version, "resend" in tags or "repost" in tags)
        self.number, self.total = (int(number[1]), int(number[2])) if number else (None, None)
        self.is_patch = "patch" in tags and self.number != 0

    def edits(self):
        """What the diff adds and removes. Places in the files, and the text before it, may be others."""
        began = next((at for at, line in enumerate(self.lines) if line.startswith(("diff --git ", "--- a/"))), 0)
        return [line for line in self.lines[began:] if line.startswith(("+", "-")) and line != "-- "]

    def removed(self):
        """Places, and what the diff removes there. Of two patches that remove the same, only one can be applied."""
        place, hunk, found = "", "", {}
        for at, line in enumerate(self.lines):
            if is_head(self.lines, at):
                place, hunk = place_at(self.lines, at), ""
            elif HUNK.match(line):
                hunk = line.split(" ")[1].split(",")[0]
            elif line.startswith("-") and hunk and line != "-- ":
                found.setdefault(place + hunk, []).append(line)
        return [f"{where} {lines}" for where, lines in found.items()]


class Groups:
    """Sets that are joined where they have something in common."""

    def __init__(self):
        self.over = {}

    def of(self, item):
        while self.over.get(item, item) != item:
            item = self.over[item]
        return item

    def join(self, one, other):
        self.over[self.of(one)] = self.of(other)


def find_threads(mails):
    """Gives each mail that has to do with another its thread. That other need not be in the mailbox."""
    groups = Groups()
    for mail in mails:
        for parent in mail.parents:
            groups.join(mail.id or mail.path, parent)
    answered = {parent for mail in mails for parent in mail.parents}
    for mail in mails:
        if mail.parents or mail.id in answered:
            mail.thread = groups.of(mail.id or mail.path)


def without_talk(mails):
    """The patches and cover letters."""
    kept, titles = [], {mail.title for mail in mails if mail.has_diff}  # git splits a mail at a patch that is attached
    for mail in mails:
        if mail.has_diff and ANSWER.match(mail.subject):
            say(f"left out, because it is an answer: {mail.subject}")
        elif not mail.has_diff and mail.is_patch and mail.title not in titles:
            say(f"left out, because it has no diff: {mail.subject}")
        elif mail.has_diff or mail.number == 0:
            kept.append(mail)
    return [mail for mail in kept if mail.has_diff != (mail.number == 0)]


def without_copies(mails):
    """Of mails that are the same, the last: one that came by two lists, or was sent twice."""
    kept = {}
    for mail in mails:
        what = (mail.title, mail.revision, mail.number, mail.total)
        for other in [other for other in kept.get(what, []) if other.edits() == mail.edits()]:
            kept[what].remove(other)
            if mail.has_diff:
                say(f"left out, because it is there twice: {other.subject}")
        kept.setdefault(what, []).append(mail)
    alike = {mail.path for group in kept.values() for mail in group}
    return [mail for mail in mails if mail.path in alike]


def postings_of(mails):
    """Lists of mails that were sent as one series, in the order in which they begin. A patch without a number is one."""
    postings, current = [], {}
    for mail in mails:
        series = (mail.thread, mail.revision, mail.total) if mail.total else mail.path
        posting = current.get(series)
        same = [other for other in posting or [] if other.number == mail.number]
        if posting is None or (same and same[0].title != mail.title):
            posting = current[series] = []
            postings.append(posting)
        elif same:
            posting.remove(same[0])
            if mail.has_diff:
                say(f"left out, because it was sent again: {same[0].subject}")
        posting.append(mail)
    return postings


def versions_of(postings):
    """Lists of postings that are versions of one series: of one thread, with a patch or cover letter of one title, or with
    patches of which one can be applied."""
    groups, versions = Groups(), {}
    for at, posting in enumerate(postings):
        for mail in posting:
            if mail.thread:
                groups.join(at, "thread " + mail.thread)
            if mail.title and mail.title != NO_SUBJECT:
                groups.join(at, "title " + mail.title)
            for place in mail.removed():
                groups.join(at, "place " + place)
    for at, posting in enumerate(postings):
        versions.setdefault(groups.of(at), []).append(posting)
    return list(versions.values())


def fill(posting, older):
    """Adds to a posting the patches that it lacks and that stand in its thread as part of an older one of its size."""
    for other in sorted(older, key=lambda other: other[0].revision, reverse=True):
        for mail in other:
            numbers = {mine.number for mine in posting}
            if (mail.thread and (mail.thread, mail.total) == (posting[0].thread, posting[0].total)
                    and mail.number and mail.number not in numbers):
                posting.append(mail)


def newest_of(versions):
    """The postings of the newest version of a series. It may be several that have no number of a version."""
    newest = max(posting[0].revision for posting in versions)
    chosen = [posting for posting in versions if posting[0].revision == newest]
    older = [posting for posting in versions if posting[0].revision != newest]
    for posting in chosen:
        fill(posting, older)
    taken = {mail.path for posting in chosen for mail in posting}
    ids = {mail.id for posting in chosen for mail in posting if mail.revision == newest}
    ids -= {mail.id for posting in older for mail in posting}
    for mail in (mail for posting in older for mail in posting if mail.has_diff and mail.path not in taken):
        why = "there is a version" if not ids.intersection(mail.parents) else "it is an answer to version"
        why = f"{why} {newest[0]}" if mail.version < newest[0] else "it was sent again"
        say(f"left out, because {why}: {mail.subject}")
    return chosen


def order(posting, is_alone):
    """The patches of a posting in their order. Those that are missing are told, unless the mail is alone in its file."""
    total = posting[0].total if not is_alone else None
    patches = sorted((mail for mail in posting if mail.has_diff), key=lambda mail: mail.number or 0)
    numbers = {mail.number for mail in patches}
    for number in range(1, total + 1 if total and patches else 1):
        if number not in numbers:
            say(f"there is no patch {number} of {total}")
            if number > max(numbers):  # the rest, too
                break
    return patches


def chosen_postings(folder):
    """The postings to apply, in their order."""
    mails = [Mail(path[:-len(".patch")]) for path in sorted(glob.glob(glob.escape(folder) + "/*.patch"))]
    find_threads(mails)
    postings = postings_of(without_copies(without_talk(mails)))
    chosen = [posting for versions in versions_of(postings) for posting in newest_of(versions)]
    return [posting for posting in postings if posting in chosen]


def series(folder):
    is_alone = len(glob.glob(glob.escape(folder) + "/*.patch")) == 1
    patches = [mail for posting in chosen_postings(folder) for mail in order(posting, is_alone)]
    for mail in patches:
        try:
            changes_of(mail.lines)
        except Damaged as fault:
            raise Damaged(f"{mail.subject}: {fault}") from fault
    return [mail.path for mail in patches]


def cover(folder):
    postings = [posting for posting in chosen_postings(folder) if any(mail.has_diff for mail in posting)]
    letters = [mail.subject for posting in postings for mail in posting if mail.number == 0 and mail.title != NO_SUBJECT]
    return letters if len(postings) == 1 else []


def main():
    what, path = sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        found = {"series": series, "cover": cover}[what](path) if what != "changes" else changes_of(lines_of(path))
        print("\n".join(found))
    except Damaged as fault:
        print(fault)
        sys.exit(2)


main()
