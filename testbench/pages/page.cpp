// SPDX-License-Identifier: Apache-2.0
#include "testbench/pages/page.h"

#include <fmt/format.h>

#include "testbench/pages/svg.h"
#include "tlm/spec/printable.h"

namespace pmufab::html {
namespace {

std::string light_colours() {
  return fmt::format(R"(
:root {{
  color-scheme: light dark;
  --paper: {}; --ink: {}; --soft: {}; --line: {}; --band: {};
  --good: {}; --bad: {}; --open: {}; --driver: {}; --truth: {};
}})",
                     colour::kPaper, colour::kInk, colour::kSoft, colour::kLine, colour::kBand, colour::kGood,
                     colour::kBad, colour::kOpen, colour::kDriver, colour::kGood);
}

constexpr std::string_view kStyle = R"(
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e3e7eb; --soft: #9aa4ae; --line: #363d45; --band: #1d2228;
    --good: #63c77e; --bad: #ff8b80; --open: #e2b15d; --driver: #82b1ff; --truth: #63c77e;
  }
}
body { background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 92em; padding: 0 1.2em; overflow-wrap: break-word; }
h1 { font-size: 1.45em; margin: 0 0 0.4em; }
h2 { font-size: 1.15em; margin: 1.8em 0 0.4em; }
h3 { font-size: 1em; margin: 1.2em 0 0.3em; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td.check { white-space: nowrap; }
figure { margin: 0.2em 0; }
th.number, td.number { text-align: right; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.15em 1.2em; margin: 0.6em 0; }
dt { color: var(--soft); }
dd { margin: 0; }
ul { margin: 0.3em 0; padding-left: 1.4em; }
code, pre { font: 13px/1.4 ui-monospace, monospace; }
pre { background: var(--band); margin: 0.4em 0; overflow-x: auto; overflow-wrap: normal; padding: 0.6em 0.8em; }
summary { cursor: pointer; }
details details { margin: 0.5em 0; }
.bar { background: var(--line); width: 8em; height: 0.8em; }
.bar div { background: var(--good); height: 100%; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.open { color: var(--open); }
.soft { color: var(--soft); }
.outcome { font-size: 1.15em; font-weight: 600; margin: 0.2em 0; }
.notice { border-left: 4px solid var(--open); background: var(--band); margin: 0.6em 0; padding: 0.4em 0.8em; }
.verdict { font-weight: 600; }
.wide { overflow-x: auto; }
.counters td.number { min-width: 7em; }
.counters td.event { min-width: 18em; }
.counters td.note { min-width: 16em; }
#controls { display: flex; flex-wrap: wrap; gap: 0.6em 1em; align-items: center; margin: 0.8em 0; }
#controls[hidden] { display: none; }
#controls input { width: 20em; max-width: 100%; }
#controls input, #controls select { background: var(--paper); border: 1px solid var(--line); border-radius: 4px; color: inherit; font: inherit; padding: 0.25em 0.5em; }
#runs:not(.points) { table-layout: fixed; }
.points td:last-child { min-width: 14em; }
.run-number { width: 4em; }
.run-verdict { width: 11em; }
.run-drivers { width: 8em; }
.run-count { width: 6em; }
#runs > thead th { background: var(--paper); position: sticky; top: 0; }
#runs > thead th.sortable { cursor: pointer; }
#runs > thead th[aria-sort=ascending]::after { content: " \25b2"; }
#runs > thead th[aria-sort=descending]::after { content: " \25bc"; }
#runs > tbody > tr.row > td { border-bottom: none; }
#runs > tbody > tr.more > td { padding-top: 0; }
.time-line { display: block; height: auto; margin: 0.3em 0; max-width: 46em; width: 100%; }
.time-line text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.time-line .axis { stroke: var(--line); }
.time-line .driver { fill: none; stroke: var(--driver); stroke-width: 1.6; }
.time-line .driver-point { fill: var(--driver); }
.time-line .wrong-point { fill: var(--bad); }
.time-line .truth { stroke: var(--truth); stroke-width: 4; stroke-linecap: round; }
.time-line .truth-point { fill: none; stroke: var(--truth); stroke-width: 2; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 40em), 1fr)); gap: 1em; align-items: start; }
.picture { min-width: 0; }
.picture svg { height: auto; max-width: 100%; }
@media screen and (max-width: 60em) {
  #runs:not(.points), #runs:not(.points) > tbody, #runs:not(.points) > tbody > tr.more, #runs:not(.points) > tbody > tr.more > td { display: block; }
  #runs:not(.points) > thead { display: none; }
  #runs:not(.points) > tbody { border-top: 1px solid var(--line); padding: 0.3em 0; }
  #runs:not(.points) > tbody > tr.row { display: flex; flex-wrap: wrap; gap: 0 0.9em; }
  #runs:not(.points) > tbody > tr > td { border: none; padding: 0.1em 0; }
  #runs:not(.points) > tbody > tr.row > td:nth-child(6)::before { content: "right "; }
  #runs:not(.points) > tbody > tr.row > td:nth-child(7)::before { content: "wrong "; }
  #runs:not(.points) > tbody > tr.row > td:nth-child(8)::before { content: "not judged "; }
}
#runs > tbody[hidden] { display: none; }
@media print {
  body { margin: 0; max-width: none; padding: 0; }
  #controls { display: none; }
  #runs > thead th { position: static; }
  #runs > tbody, .picture { break-inside: avoid; }
  .pictures { display: block; }
  .wide { overflow: visible; }
  .points { font-size: 0.7em; }
}
)";

// Nothing on a page depends on it: it shows its controls first. What is searched is all that a page has of a run.
constexpr std::string_view kScript = R"(
'use strict';
(() => {
  const table = document.getElementById('runs');
  const controls = document.getElementById('controls');
  if (!table || !controls) return;
  const search = document.getElementById('search');
  const verdict = document.getElementById('verdict');
  const shown = document.getElementById('shown');
  const runs = Array.from(table.tBodies);
  const texts = new Map();
  const textOf = (run) => {
    let text = texts.get(run);
    if (text === undefined) texts.set(run, text = run.textContent.toLowerCase());
    return text;
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    let count = 0;
    for (const run of runs) {
      const wanted = verdict.value === '' || run.dataset.verdict === verdict.value;
      run.hidden = !(wanted && words.every((word) => textOf(run).includes(word)));
      if (!run.hidden) ++count;
    }
    shown.textContent = count + ' of ' + runs.length + ' shown';
  };
  const order = new Intl.Collator('en', {numeric: true});
  const cellOf = (run, column) => run.rows[0].cells[column];
  const sort = (head) => {
    const column = head.cellIndex;
    const down = head.getAttribute('aria-sort') === 'ascending';
    const compare = head.classList.contains('number')
        ? (a, b) => Number(cellOf(a, column).dataset.value) - Number(cellOf(b, column).dataset.value)
        : (a, b) => order.compare(cellOf(a, column).textContent, cellOf(b, column).textContent);
    runs.sort((a, b) => down ? compare(b, a) : compare(a, b));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    table.append(...runs);
  };
  for (const head of table.tHead.rows[0].cells) {
    head.classList.add('sortable');
    head.tabIndex = 0;
    head.addEventListener('click', () => sort(head));
    head.addEventListener('keydown', (event) => { if (event.key === 'Enter') sort(head); });
  }
  search.addEventListener('input', filter);
  verdict.addEventListener('change', filter);
  controls.hidden = false;
  filter();
})();
)";

// Of kScript: the browser runs no other. page_test.py computes it.
constexpr std::string_view kScriptSum = "yJ2ilELsNx3PY2ayLH/Bew+XrVZdMA6V9dpLT/2EzOI=";

/// @param text  without characters that control how others are shown
std::string with_entities(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char letter : text) {
    switch (letter) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

}  // namespace

std::string escaped(std::string_view text) { return with_entities(printable(text)); }

std::string escaped_lines(std::string_view text) { return with_entities(printable_lines(text)); }

std::string page_begin(std::string_view title, Script script) {
  std::string policy;
  if (script == Script::tables) {
    policy = fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'sha256-{}'\">\n",
        kScriptSum);
  }
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>{}{}</style>
</head>
<body>
)",
                     policy, escaped(title), light_colours(), kStyle);
}

std::string page_end(Script script) {
  return (script == Script::none ? std::string() : fmt::format("<script>{}</script>\n", kScript)) +
         "</body>\n</html>\n";
}

std::string details(std::string_view title, std::string_view content, bool is_open) {
  return fmt::format("<details{}><summary>{}</summary>{}</details>", is_open ? " open" : "", title, content);
}

std::string details_list(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string list = "<ul>";
  for (const std::string& item : items) list += fmt::format("<li>{}</li>", item);
  return details(title, list + "</ul>");
}

}  // namespace pmufab::html
