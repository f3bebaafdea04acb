#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Look at the pages of pmufab run --html and pmufab explore report as a browser does.

Usage: page_test.py PMUFAB [--browser]

Without --browser: the content security policy has the sum of the page's script, and of no other. With --browser, the pages
are opened in a headless Chromium without a network, which is driven by the DevTools protocol: no script error, nothing is
fetched, search and filter hide runs, sorting sorts, nothing is wider than the window, paper is white, and without
JavaScript everything can be read. Ends with 77 if there is no Chromium.
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PATIENCE = 60  # seconds a page may take

# Three runs, of which one is wrong, with names that try to become markup.
SCENARIO = """
name: "<script>document.title='taken'</script>"
platform:
  {kind: tegra410, name: "small </style>", sockets: 1, cpus_per_socket: 4, tegra410: {clusters: 4}}
traffic:
  - generators:
      - {name: gpu, requester: {kind: gpu}, targets: [{memory: cmem}], pacing: {kind: fixed, requests_per_us: 100}}
duration: 30 us
drivers: [newest]
matrix:
  "traffic[0].generators[0].pacing.requests_per_us": [100, 20, 3]
measure:
  - {name: "<img src=x onerror=document.title='taken'>", events: ["nvidia_ucf_pmu_0/slc_access_rd/"], interval: 5 us}
expect:
  - {event: nvidia_ucf_pmu_0/slc_access_rd/, minimum: 100}
"""


# Six points: a border, curves, heat maps, what each axis does, and a front.
STUDY = """
name: rates
question: "How fast? </title><script>document.title='taken'</script>"
scenario: base.yaml
axes:
  rate: {set: "traffic[0].generators[0].pacing.requests_per_us", values: [10, 20, 40]}
  delay: {set: host.interrupt_delay, values: [0, 2 us]}
responses:
  reported: {event: nvidia_ucf_pmu_0/slc_access_rd/, value: driver}
  spare: "1000 - reported"
find: {smallest: rate, such_that: "reported >= 500", for_each: [delay]}
front: {cost: rate, error: spare, worst_over: [delay]}
points: grid
"""


def check(condition, text):
    if not condition:
        sys.exit(f"page_test: {text}")


class Browser:
    """A headless Chromium, driven through a pipe: JSON messages that end with a null byte."""

    def __init__(self, program, folder):
        to_browser, self.out = os.pipe()
        self.incoming, from_browser = os.pipe()

        def give_pipes():  # as the descriptors 3 and 4
            ends = os.dup(to_browser), os.dup(from_browser)
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             f"--user-data-dir={folder}/profile", "about:blank"],
            preexec_fn=give_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)})
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session, self.events = b"", 0, None, []

    def read(self):
        while b"\0" not in self.rest:
            piece = os.read(self.incoming, 1 << 16)
            check(piece, "the browser has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                check("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]
            self.events.append(answer)

    def open(self, address):
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.load("Page.navigate", url=address)

    def load(self, method, **parameters):
        self.events = []
        self.call(method, **parameters)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        check("exceptionDetails" not in result, f"{expression}: {result.get('exceptionDetails')}")
        return result["result"].get("value")

    def complaints(self):
        """Errors of scripts, entries of the browser's log, and requests of anything but the page."""
        found = [event["params"] for event in self.events if event["method"] == "Runtime.exceptionThrown"]
        found += [event["params"]["entry"]["text"] for event in self.events if event["method"] == "Log.entryAdded"]
        requests = [event["params"]["request"]["url"] for event in self.events
                    if event["method"] == "Network.requestWillBeSent"]
        return found + requests[1:]

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=PATIENCE)


def make_page(pmufab, folder):
    scenario, page = folder / "page.yaml", folder / "page.html"
    scenario.write_text(SCENARIO)
    done = subprocess.run([pmufab, "run", scenario, "--html", page], text=True, capture_output=True, check=False)
    check(done.returncode == 1, f"pmufab run ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return page


def make_report(pmufab, folder):
    base = SCENARIO.split("drivers:")[0].replace("30 us", "20 us").strip()
    (folder / "base.yaml").write_text(base + """
measure:
  - {name: all, events: ["nvidia_ucf_pmu_0/slc_access_rd/"]}
""")
    (folder / "study.yaml").write_text(STUDY)
    page, database = folder / "report.html", folder / "study.sqlite"
    for words in (["explore", folder / "study.yaml", "--drivers", "newest", "--db", database],
                  ["explore", "report", database, "--html", page]):
        done = subprocess.run([pmufab, *words], text=True, capture_output=True, check=False)
        check(done.returncode == 0, f"pmufab {words[1]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return page


def check_sum(page):
    text = page.read_text()
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    check(len(scripts) == 1, f"the page has {len(scripts)} scripts")
    total = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    allowed = re.findall(r"script-src '([^;\"]*)'", text)
    check(allowed == ["sha256-" + total], f"the policy allows {allowed}, and the script is sha256-{total}")


SHOWN = "[...document.querySelectorAll('#runs > tbody')].filter(r => r.offsetHeight > 0).map(r => r.rows[0].cells[{}].textContent)"


def put_into(browser, control, text):
    browser.value(f"{{const c = document.getElementById('{control}'); c.value = {json.dumps(text)};"
                  " c.dispatchEvent(new Event('input')); c.dispatchEvent(new Event('change'));}")


def check_controls(browser):
    def shown(column):
        return browser.value(SHOWN.format(column))

    def put(control, text):
        put_into(browser, control, text)

    variants = shown(3)
    check(len(variants) == 3 and shown(0) == ["1", "2", "3"], f"the page shows {shown(0)}, {variants}")
    check(browser.value("document.getElementById('shown').textContent") == "3 of 3 shown", "3 runs are there")
    put("search", "requests_per_us=20")
    check(shown(0) == ["2"], f"search for the second variant shows {shown(0)}")
    put("search", "the scenario EXPECTS")  # of its details
    check(shown(0) == ["3"], f"search for the words of the wrong counter shows {shown(0)}")
    put("search", "nothing has this")
    check(shown(0) == [], f"search for what is nowhere shows {shown(0)}")
    put("search", "")
    put("verdict", "failed")
    check(shown(0) == ["3"], f"the filter for failed runs shows {shown(0)}")
    put("verdict", "")
    check(shown(0) == ["1", "2", "3"], f"without search and filter, {shown(0)}")

    def sort(column):
        browser.value(f"document.querySelector('#runs > thead').rows[0].cells[{column}].click()")

    sort(3)
    check(shown(3) == sorted(variants, key=lambda text: int(text.rsplit("=", 1)[1])), f"sorted variants: {shown(3)}")
    sort(6)
    check([int(text) for text in shown(6)] == [0, 0, 1], f"sorted by wrong counters: {shown(6)}")
    sort(6)
    check([int(text) for text in shown(6)] == [1, 0, 0] and shown(0)[0] == "3", f"and the other way round: {shown(6)}")


def check_look(browser):
    check(browser.value("document.title") == "pmufab run", "a name has become a script")
    check(browser.value("document.images.length") == 0, "a name has become a picture")
    check(browser.value("document.querySelectorAll('svg.time-line').length") == 1, "the wrong counter has a time line")
    check(browser.value("[...document.querySelectorAll('details')].filter(d => d.open).length") == 1,
          "the run that failed is open")
    browser.value("document.querySelectorAll('details').forEach(d => d.open = true)")
    papers = []
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        papers.append(browser.value("getComputedStyle(document.body).backgroundColor"))
        for width in (1400, 900, 420):
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            wide = browser.value("document.documentElement.scrollWidth")
            check(wide <= width, f"the page is {wide} pixels wide in a window of {width}")
    check(papers[0] != papers[1], f"light and dark are both {papers[0]}")


def check_report(browser):
    def shown(column):
        return browser.value(SHOWN.format(column))

    check(browser.value("document.title") == "pmufab explore rates", "a question has become a script")
    first = browser.value("document.querySelector('p.outcome').textContent")
    check(first == "The smallest rate with reported >= 500 is 40, whatever delay.", f"the first sentence is: {first}")
    titles = browser.value("[...document.querySelectorAll('.picture svg > title')].map(t => t.textContent)")
    for wanted in ("smallest rate with reported >= 500", "spare against rate (the worst over delay)", "spare over rate",
                   "spare over rate and delay", "spare, one axis changed at a time from rate=10, delay=0"):
        check(wanted in titles, f"no picture is '{wanted}': {titles}")
    check(shown(0) == ["0", "1", "2", "3", "4", "5"], f"points shown: {shown(0)}")
    put_into(browser, "search", "interrupt_delay=2 requests_per_us=40")
    check(shown(0) == ["5"], f"search for one point shows {shown(0)}")
    put_into(browser, "search", "")
    browser.value("document.querySelector('#runs > thead').rows[0].cells[4].click()")  # spare: less with larger rates
    check(shown(1) == ["40", "40", "20", "20", "10", "10"], f"sorted by spare: {shown(1)}")
    command = browser.value("document.querySelector('#runs > tbody code').textContent")
    check(command.startswith("pmufab run ") and "requests_per_us=40" in command, f"the first point's command: {command}")
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in (1400, 420):
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            wide = browser.value("document.documentElement.scrollWidth")
            check(wide <= width, f"the report is {wide} pixels wide in a window of {width}")
            over = browser.value("[...document.querySelectorAll('.picture svg')].filter("
                                 "s => s.getBoundingClientRect().right > innerWidth).length")
            check(over == 0, f"{over} pictures are cut in a window of {width}")
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    paper = browser.value("getComputedStyle(document.body).backgroundColor")
    check(paper == "rgb(255, 255, 255)", f"paper is {paper}")
    check(browser.value("document.getElementById('controls').offsetHeight") == 0, "paper has controls")
    places = browser.value("[document.querySelector('#runs > thead').rows[0], document.querySelector('#runs').tBodies[5].rows[0]]"
                           ".map(r => [...r.cells].map(c => Math.round(c.getBoundingClientRect().left)))")
    check(places[0] == places[1], f"on paper, heads and cells stand at {places}")


def check_in_browser(program, page, report, folder):
    browser = Browser(program, folder)
    browser.open(report.as_uri())
    check_report(browser)
    check(not browser.complaints(), f"the browser complains: {browser.complaints()}")
    browser.open(page.as_uri())
    check_controls(browser)
    check_look(browser)
    check(not browser.complaints(), f"the browser complains: {browser.complaints()}")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.load("Page.reload")
    check(len(browser.value(SHOWN.format(0))) == 3, "without JavaScript, all runs are there")
    check(browser.value("document.getElementById('controls').offsetHeight") == 0, "without JavaScript, no control is")
    browser.end()


def main():
    pmufab = pathlib.Path(sys.argv[1]).resolve()
    in_browser = "--browser" in sys.argv[2:]
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if in_browser and not program:
        print("skipped: there is no Chromium (Debian's package chromium)")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="pmufab-page-", ignore_cleanup_errors=True) as temporary:
        folder = pathlib.Path(temporary)
        page = make_page(pmufab, folder)
        if in_browser:
            check_in_browser(program, page, make_report(pmufab, folder), folder)
        else:
            check_sum(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
