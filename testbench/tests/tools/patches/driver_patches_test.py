#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""driver_patches_test.py PMUFAB BUILD_DRIVERS SOURCES DRIVERS SCENARIO: builds drivers with the command, from each form in
which a developer has a change: C files, a tree, a diff, a mail and mailboxes as git format-patch, b4 and mailing lists
make them, plain and encoded. Each result must hold the change, and the last must give a verdict. Exit code 77 without git,
patch or the sources of a kernel.
"""
import base64
import gzip
import os
import quopri
import shutil
import subprocess
import sys
import tempfile

DRIVER = "drivers/perf/nvidia_t410_cmem_latency_pmu.c"
BEFORE = b"Can't support per-task counters"
FIRST = b"First change of a series"
SECOND = b"Second change, \xc3\xa4 of a series"
ELSEWHERE = b"""diff --git a/MAINTAINERS b/MAINTAINERS
--- a/MAINTAINERS
+++ b/MAINTAINERS
@@ -1 +1 @@
-me
+you
"""


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def mail(subject, body, encoding="8bit", name="", answers=""):
    """A mail of a mailbox. `name` is its Message-Id, `answers` that of the mail before it in its thread."""
    if encoding == "base64":
        body = base64.encodebytes(body)
    elif encoding == "quoted-printable":
        body = quopri.encodestring(body)
    thread = f"Message-Id: <{name}@example.org>\n" if name else ""
    if answers:
        thread += f"In-Reply-To: <{answers}@example.org>\nReferences: <{answers}@example.org>\n"
    head = (f"From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: A Developer <a@example.org>\nSubject: {subject}\n{thread}"
            f"Date: Mon, 2 Nov 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
            f"Content-Transfer-Encoding: {encoding}\n\n")
    return head.encode() + body + b"\n"


class Case:
    def __init__(self, folder, program, sources, version):
        self.folder, self.program, self.sources, self.version = folder, program, sources, version
        self.original = contents(os.path.join(sources, version, DRIVER))
        check(self.original.count(BEFORE) == 1, f"{DRIVER} has another text")
        self.first = self.original.replace(BEFORE, FIRST)
        self.second = self.first.replace(FIRST, SECOND)

    def diff(self, old, new, place=DRIVER):
        places = [write(os.path.join(self.folder, name), text) for name, text in (("old.c", old), ("new.c", new))]
        labels = [f"a/{place}" if old else "/dev/null", f"b/{place}"]
        done = subprocess.run(["diff", "-u", "--label", labels[0], "--label", labels[1], *places],
                              stdout=subprocess.PIPE, check=False)
        text = b"Say it otherwise.\n\nFrom here on it is said otherwise.\n---\n 1 file changed\n\n"
        return text + done.stdout + b"-- \n2.39.5\n"

    def plain(self):
        """The first change as a diff without text around it."""
        diff = self.diff(self.original, self.first)
        return diff[diff.index(b"--- a/"):diff.index(b"-- \n")]

    def comment(self, place):
        """A diff that changes nothing but a comment in a file of the kernel's."""
        text = contents(os.path.join(self.sources, self.version, place))
        return self.diff(text, (b"// A comment\n" if place.endswith((".c", ".h")) else b"# A comment\n") + text, place)

    def series(self, encoding="8bit"):
        """A thread in the order in which its mails arrived."""
        one, two = self.diff(self.original, self.first), self.diff(self.first, self.second)
        wrong = self.diff(self.original, self.original.replace(BEFORE, b"An older version"))
        return b"".join([
            mail("[PATCH v2 0/2] perf: a series", b"Both say it otherwise.\n\n 1 file changed\n", encoding),
            mail("[PATCH 1/1] perf: as it was", wrong, encoding),
            mail("[PATCH v2 2/2] perf: again", two, encoding),
            mail("Re: [PATCH v2 1/2] perf: begin", b"> quoted\nRather so:\n" + wrong, encoding),
            mail("[PATCH v2 1/2] perf: begin", one + ELSEWHERE, encoding),
        ])

    def build(self, *arguments, stdin=None):
        library = os.path.join(self.folder, "result.so")
        if os.path.exists(library):
            os.remove(library)
        done = subprocess.run([self.program, "driver", "build", *arguments, "--base", self.version, "--sources",
                               self.sources, "-o", library], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode(), contents(library) if os.path.exists(library) else b""

    def expect(self, what, text, *arguments, stdin=None, said=(), never=()):
        code, output, library = self.build(*arguments, stdin=stdin)
        check(code == 0, f"{what}: ends with {code}:\n{output}")
        check(text in library, f"{what}: the change is not in the library:\n{output}")
        for part in said:
            check(part in output, f"{what}: does not say '{part}':\n{output}")
        for part in never:
            check(part not in output, f"{what}: says '{part}':\n{output}")
        print(f"{what}: built")

    def refuse(self, what, part, *arguments, stdin=None):
        code, output, _ = self.build(*arguments, stdin=stdin)
        check(code == 2, f"{what}: ends with {code}:\n{output}")
        check(part in output, f"{what}: does not say '{part}':\n{output}")
        print(f"{what}: refused")


def try_files(case):
    file = write(os.path.join(case.folder, "mine", os.path.basename(DRIVER)), case.first)
    case.expect("a C file", FIRST, file)
    write(os.path.join(case.folder, "tree", DRIVER), case.first)
    case.expect("a tree", FIRST, "--tree", os.path.join(case.folder, "tree"),
                said=[f"changed: {os.path.basename(DRIVER)}\n"])


def try_diffs(case):
    path = os.path.join(case.folder, "mine.patch")
    plain, diff = case.diff(case.original, case.first), case.plain()
    for what, data in (("a diff", diff), ("a diff with text before", plain), ("a diff with CRLF", diff.replace(b"\n", b"\r\n")),
                       ("a compressed diff", gzip.compress(diff))):
        case.expect(what, FIRST, "--patch", write(path, data), said=[f"changed: {os.path.basename(DRIVER)}\n"])
    case.expect("a diff of other files, too", FIRST, "--patch", write(path, ELSEWHERE + diff),
                said=["left out, because no driver is made from it: MAINTAINERS"])
    case.expect("standard input", FIRST, "--patch", "-", stdin=diff)
    case.refuse("a diff of other files", "changes no file of the drivers", "--patch", write(path, ELSEWHERE))
    later = diff.replace(DRIVER.encode(), b"drivers/perf/of_a_later_kernel.c")
    case.refuse("a file that the kernel does not have", "has no drivers/perf/of_a_later_kernel.c", "--patch",
                write(path, diff + later))
    case.refuse("nothing", "is empty", "--patch", "-", stdin=b"")


def try_mails(case):
    path = os.path.join(case.folder, "mine.mbox")
    one = mail("[PATCH] perf: one", case.diff(case.original, case.first))
    case.expect("a mail", FIRST, "--patch", write(path, one))
    case.expect("a mail without a mailbox", FIRST, "--patch", write(path, one[one.index(b"From: "):]))
    said = ["left out, because it is an answer", "left out, because there is a version 2: [PATCH 1/1]", "MAINTAINERS"]
    for encoding in ("8bit", "base64", "quoted-printable"):
        case.expect(f"a mailbox, {encoding}", SECOND, "--patch", write(path, case.series(encoding)), said=said)
    series = case.series()
    case.expect("a mailbox with CRLF", SECOND, "--patch", write(path, series.replace(b"\n", b"\r\n")), said=said)
    case.expect("a compressed mailbox", SECOND, "--patch", write(path + ".gz", gzip.compress(series)), said=said)
    case.expect("a compressed mailbox from standard input", SECOND, "--patch", "-", stdin=gzip.compress(series), said=said)
    case.refuse("a cover letter", "no mail of", "--patch", write(path, mail("[PATCH 0/2] a series", b"Text.\n")))
    case.refuse("a series without its beginning", "does not fit Linux", "--patch",
                write(path, mail("[PATCH 2/2] b", case.diff(case.first, case.second))))


def try_parts(case):
    """Patches of what no driver is made from, alone and beside a driver's change."""
    path = os.path.join(case.folder, "mine.patch")
    unused = ["drivers/perf/arm_spe_pmu.c", "drivers/perf/Kconfig",
              "drivers/perf/Makefile", "drivers/cxl/security.c"]
    for place in unused:
        case.refuse(f"a diff of {place}", f"changes no file of the drivers, but only {place}", "--patch",
                    write(path, case.comment(place)))
    diff = b"".join(case.comment(place) for place in unused) + case.plain()
    case.expect("a diff of unused files, too", FIRST, "--patch", write(path, diff),
                said=[f"changed: {os.path.basename(DRIVER)}\n", *unused])
    header = "drivers/perf/arm_cspmu/arm_cspmu.h"
    case.expect("a diff of a header", FIRST, "--patch", write(path, case.plain() + case.comment(header)),
                said=["arm_cspmu.c (with "], never=["left out"])
    further = "drivers/perf/hisilicon/hisi_uncore_pmu.h"
    case.expect("a diff of a header of drivers that are not there yet", FIRST, "--patch",
                write(path, case.plain() + case.comment(further)), said=["hisi_uncore_mn_pmu.c (with "], never=["left out"])
    new = "drivers/perf/my-new.c"
    case.expect("a diff of a new driver", FIRST, "--patch", write(path, case.diff(b"", case.first, new)),
                said=[f"added as a driver: {new}"], never=["left out"])
    head = f"--- a/{new}\t1970-01-01 00:00:00.000000000 +0000\n+++ b/{new}\t2026-11-02 10:00:00.000000000 +0000\n"
    lines = case.first.splitlines(keepends=True)
    text = head.encode() + b"@@ -0,0 +1,%d @@\n" % len(lines) + b"".join(b"+" + line for line in lines)
    case.expect("a new driver in a diff of folders", FIRST, "--patch", write(path, text),
                said=[f"added as a driver: {new}"], never=["left out"])
    hunks = case.plain()
    hunks = hunks[hunks.index(b"\n@@ ") + 1:]
    text = (f"diff --git a/{DRIVER} b/{new}\nsimilarity index 98%\ncopy from {DRIVER}\ncopy to {new}\n"
            f"--- a/{DRIVER}\n+++ b/{new}\n").encode() + hunks
    case.expect("a changed copy of a driver", FIRST, "--patch", write(path, text),
                said=[f"added as a driver: {new}"], never=["left out"])
    mine = write(os.path.join(case.folder, "own", os.path.basename(DRIVER)), case.first)
    case.refuse("a diff of a file that is given", f"but only {DRIVER} (yours is built in its place)", mine, "--patch",
                write(path, case.plain()))
    old = "drivers/perf/arm_spe_pmu"
    text = f"diff --git a/{old}.c b/{old}2.c\nsimilarity index 100%\nrename from {old}.c\nrename to {old}2.c\n".encode()
    case.expect("a rename of an unused file, too", FIRST, "--patch", write(path, text + case.plain()),
                said=[f"left out, because no driver is made from it: {old}.c to {old}2.c\n"])
    mode = f"diff --git a/{DRIVER} b/{DRIVER}\nold mode 100644\nnew mode 100755\n".encode()
    case.refuse("a diff of a mode", f"changes no file of the drivers, but only {DRIVER} (its mode)", "--patch",
                write(path, mode))
    moved = f"diff --git a/{DRIVER} b/{new}\nsimilarity index 100%\nrename from {DRIVER}\nrename to {new}\n".encode()
    case.refuse("a rename", f"renames {DRIVER} to {new}: that cannot be built", "--patch", write(path, moved))
    gone = case.diff(case.original, b"").replace(b"+++ b/" + DRIVER.encode(), b"+++ /dev/null")
    case.refuse("a removal", f"deletes {DRIVER}: that cannot be built", "--patch", write(path, gone))
    case.expect("a tree without a change", b"", "--tree", os.path.join(case.sources, case.version),
                said=["no driver differs from that of Linux"])


def try_damage(case):
    path = os.path.join(case.folder, "mine.patch")
    plain = case.plain()
    lines = plain.split(b"\n")
    case.refuse("a mail that is cut off", "ends within a change, at line", "--patch",
                write(path, mail("[PATCH] perf: cut", plain[:plain.index(b" @@") + 3], "base64")[:-1]))
    case.refuse("a mail that is cut off in numbers", "[PATCH] perf: cut: no change follows the name of " + DRIVER, "--patch",
                write(path, mail("[PATCH] perf: cut", plain[:plain.index(b" @@") - 3], "base64")[:-1]))
    for what, data in (("names", b"\n".join(lines[:2]) + b"\n"),
                       ("a name", f"diff --git a/{DRIVER} b/{DRIVER}\nindex 1..2 100644\n".encode())):
        case.refuse(f"a diff that ends behind {what}", "is damaged: no change follows the name of " + DRIVER, "--patch",
                    write(path, data))
    case.refuse("a diff that ends in a line", "is damaged: it ends within a change, at line", "--patch",
                write(path, plain[:plain.index(FIRST) + 5]))
    case.refuse("a diff with a wrapped line", "is damaged: malformed patch at line", "--patch",
                write(path, plain.replace(FIRST, FIRST.replace(b" ", b"\n"))))
    good = mail("[PATCH 1/2] perf: good", case.diff(case.original, case.first))
    case.refuse("a series with a damaged mail", "[PATCH 2/2] perf: cut: no change follows", "--patch",
                write(path, good + mail("[PATCH 2/2] perf: cut", b"\n".join(lines[:2]))))
    case.expect("a series with a mail without its diff", FIRST, "--patch",
                write(path, good + mail("[PATCH 2/2] perf: cut", b"Text.\n")),
                said=["left out, because it has no diff: [PATCH 2/2] perf: cut", "there is no patch 2 of 2"])


def try_mailboxes(case):
    """Mailboxes of several series, and of several versions that are told by their thread, title or place."""
    path = os.path.join(case.folder, "mine.mbox")
    one, two = case.diff(case.original, case.first), case.diff(case.first, case.second)
    other, third = case.comment("drivers/perf/arm-cmn.c"), case.comment("drivers/perf/dwc_pcie_pmu.c")
    both = [os.path.basename(DRIVER), "arm-cmn.c"]
    case.expect("two patches of one mailbox", FIRST, "--patch",
                write(path, mail("[PATCH] perf: one", one) + mail("[PATCH v2] perf/cmn: other", other)),
                said=both, never=["left out"])
    reply = mail("Re: [PATCH] perf: one", b"Looks good\xff").replace(b"charset=utf-8", b"charset=unknown-8bit")
    case.expect("a reply in letters that nobody knows", FIRST, "--patch", write(path, mail("[PATCH] perf: one", one) + reply),
                never=["left out", "cannot read"])
    for ids in (("", ""), ("a", "b")):
        box = b"".join([mail("[PATCH 1/2] perf: one", one, answers=ids[0]), mail("[PATCH 2/2] perf: two", two, answers=ids[0]),
                        mail("[PATCH v3 2/2] dwc: third", third, answers=ids[1]),
                        mail("[PATCH v3 1/2] cmn: other", other, answers=ids[1])])
        case.expect("two series of one mailbox", SECOND, "--patch", write(path, box),
                    said=[*both, "dwc_pcie_pmu.c"], never=["left out", "there is no"])
    said, never = ["left out, because there is a version 2: [PATCH] perf: "], ["arm-cmn.c"]
    for what, box in (
            ("thread", mail("[PATCH] perf: as it was", other, name="a") + mail("[PATCHv2] perf: one", one, answers="a")),
            ("title", mail("[PATCH v2] perf: One", one) + mail("[PATCH] perf: one", other))):
        case.expect(f"two versions of one {what}", FIRST, "--patch", write(path, box), said=said, never=never)
    wrong = case.diff(case.original, case.original.replace(BEFORE, b"An older version"))
    case.expect("two versions of one place", FIRST, "--patch",
                write(path, mail("[PATCH] perf: as it was", wrong) + mail("[PATCH v2] perf: one", one)), said=said)
    case.expect("one new patch of a series", SECOND, "--patch", write(path, b"".join([
        mail("[PATCH 1/2] perf: one", one, name="a"), mail("[PATCH 2/2] perf: two", wrong, answers="a"),
        mail("[PATCH v2 2/2] perf: two", two, answers="a")])),
                said=["left out, because there is a version 2: [PATCH 2/2]"], never=["[PATCH 1/2]"])


def try_copies(case):
    path = os.path.join(case.folder, "mine.mbox")
    one, two = case.diff(case.original, case.first), case.diff(case.first, case.second)
    wrong = case.diff(case.original, case.original.replace(BEFORE, b"An older version"))
    twice, again = "left out, because it is there twice: [PATCH", "left out, because it was sent again: [PATCH"
    copy = mail("[PATCH] perf: one", one, name="a")
    case.expect("a mail of two lists", FIRST, "--patch", write(path, copy + copy), said=[twice])
    resent = mail("[RESEND PATCH] perf: one", one)
    for what, box in (("behind", copy + resent), ("before", resent + copy)):
        case.expect(f"a mail sent again {what} the first", FIRST, "--patch", write(path, box), said=[again + "] perf: one"])
    case.expect("a mail corrected without a tag", FIRST, "--patch",
                write(path, mail("[PATCH 1/1] perf: one", wrong) + mail("[PATCH 1/1] perf: one", one)), said=[again + " 1/1]"])
    series = [mail(f"[PATCH {number}/2] perf: {number}", diff, name=f"{name}{number}", answers="cover")
              for name in "ab" for number, diff in ((1, one), (2, two))]
    case.expect("a series sent twice", SECOND, "--patch", write(path, b"".join(series)),
                said=[twice + " 1/2]", twice + " 2/2]"], never=["there is no"])


def try_git(case):
    """What git format-patch makes of commits."""
    repository = os.path.join(case.folder, "repository")

    def git(*arguments):
        return subprocess.run(["git", "-C", repository, "-c", "user.name=A Developer", "-c", "user.email=a@example.org",
                               *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout

    for number, text in enumerate((case.original, case.first, case.second)):
        write(os.path.join(repository, DRIVER), text)
        if number == 0:
            git("init", "-q")
        git("add", ".")
        git("commit", "-q", "-m", f"Commit {number}")
    names = git("format-patch", "-2", "--cover-letter", "-o", case.folder).decode().split()
    case.expect("patches of git", SECOND, "--patch", names[1], "--patch", names[2])
    case.expect("a mailbox of git", SECOND, "--patch", "-", stdin=git("format-patch", "-2", "--stdout"))


def try_script(case, script):
    """tools/build-drivers with relative names."""
    write(os.path.join(case.folder, "mine.patch"), case.diff(case.original, case.first))
    done = subprocess.run([script, "--base", case.version, "--sources", case.sources, "--like", os.environ["PMUFAB_DRIVERS"],
                           "--patch", "mine.patch", "relative/out"], cwd=case.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    check(done.returncode == 0, f"a relative folder: {done.stdout.decode()}")
    library = os.path.join(case.folder, "relative/out", case.version, "pmufab_drivers.so")
    check(FIRST in contents(library), "a relative folder: the change is not in the library")


def try_verdict(case, scenario):
    path = write(os.path.join(case.folder, "mine.mbox"), case.series("base64"))
    case.expect("for a verdict", SECOND, "--patch", path)
    done = subprocess.run([case.program, "run", scenario, "--driver", os.path.join(case.folder, "result.so")],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode()
    check(done.returncode == 0 and "PASSED" in output and ", yours)" in output, f"no verdict:\n{output}")


def main():
    program, script, sources, drivers, scenario = (os.path.abspath(name) for name in sys.argv[1:])
    versions = [name for name in sorted(os.listdir(sources) if os.path.isdir(sources) else [])
                if os.path.exists(os.path.join(sources, name, DRIVER))
                and os.path.exists(os.path.join(drivers, name, "pmufab_drivers.so"))]
    missing = [name for name in ("git", "patch") if shutil.which(name) is None]
    if missing or not versions:
        print("skipped: there is no", ", ".join(missing) or "kernel with " + DRIVER)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(PMUFAB_DRIVERS=drivers, XDG_CACHE_HOME=os.path.join(folder, "cache"), LC_ALL="C")
        case = Case(folder, program, sources, versions[-1])
        try_files(case)
        try_diffs(case)
        try_parts(case)
        try_damage(case)
        try_mails(case)
        try_mailboxes(case)
        try_copies(case)
        try_git(case)
        try_script(case, script)
        try_verdict(case, scenario)


main()
