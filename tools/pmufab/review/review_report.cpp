// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/review_report.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "testbench/pages/page.h"
#include "testbench/run/process/child_process.h"
#include "testbench/run/report/report.h"
#include "tlm/spec/printable.h"

namespace pmufab::cli {
namespace {

constexpr std::size_t kColumns = 72;
constexpr std::size_t kLines = 30;
constexpr std::size_t kMostFindings = 5;
constexpr std::size_t kMostGaps = 4;

using Lines = std::vector<std::string>;  // of a mail

/// A text in ASCII, on one line.
std::string in_ascii(const std::string& text) {
  std::string ascii;
  for (const char c : printable(text)) {
    if (static_cast<unsigned char>(c) < 0x80) {
      ascii += c;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) == 0xC0U) {
      ascii += '?';  // a letter of several bytes
    }
  }
  return ascii;
}

/// Cut at blanks into lines; what is too long for `most` of them ends with "...".
Lines wrapped(const std::string& text, std::size_t most, const std::string& indent = "  ") {
  Lines lines;
  std::string line;
  std::istringstream words(in_ascii(text));
  for (std::string word; words >> word;) {
    const std::size_t room = kColumns - (lines.empty() && line.empty() ? 0 : indent.size());
    if (word.size() > room) word.replace(room - 3, std::string::npos, "...");
    if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
      lines.push_back(line);
      line = indent + word;
      continue;
    }
    line += line.empty() ? (lines.empty() ? word : indent + word) : " " + word;
  }
  if (!line.empty()) lines.push_back(line);
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() = lines.back().substr(0, kColumns - 4) + " ...";
  }
  return lines;
}

void add_lines(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }

std::string first_of_sum(const std::string& sum) {
  constexpr std::size_t kShown = 12;
  return sum.empty() ? "none" : sum.substr(0, kShown);
}

/// "cmn, soc"; of many platforms, the first ones
std::string fabrics_text(const Review& review) {
  constexpr std::size_t kMost = 3;
  if (review.fabrics.size() <= kMost) return fmt::format("{}", fmt::join(review.fabrics, ", "));
  return fmt::format("{}, {} and {} more", review.fabrics[0], review.fabrics[1], review.fabrics.size() - 2);
}

/// "43 scenarios, 512 random cases (seed 1), 88 interleavings"
std::string what_ran(const Review& review) {
  std::string text;
  for (const Trial& trial : review.trials) {
    if (trial.runs() == 0) continue;
    text += (text.empty() ? "" : ", ") + scenario::counted(trial.runs(), trial.name);
    if (trial.name == "random case") text += fmt::format(" (seed {})", review.seed);
  }
  return text.empty() ? "nothing" : text;
}

/// Of one run of a matrix, its scenario alone.
std::string findings_title(const Finding& finding) {
  const std::string where = finding.where.substr(0, finding.where.find(" ["));
  return finding.runs > 1 ? fmt::format("{} (and {} more)", where, finding.runs - 1) : where;
}

/// The first few kinds of findings, with up to three lines for each.
/// @param all  of scenarios, random cases and interleavings, which may find the same
void add_findings(const std::vector<Finding>& all, std::size_t most, const std::string& word, const char* when,
                  Lines& lines) {
  std::vector<Finding> findings;
  for (const Finding& finding : all) add_finding(findings, finding);
  for (std::size_t i = 0; i < std::min(most, findings.size()); ++i)
    add_lines(lines,
              wrapped(fmt::format("{}: {}: {}{}", word, findings_title(findings[i]), when, findings[i].text), 3));
  if (findings.size() > most)
    lines.push_back(fmt::format("{}: {} more", word, scenario::counted(findings.size() - most, "kind")));
}

std::vector<Finding> findings_of(const Review& review, std::vector<Finding> Trial::*which) {
  std::vector<Finding> all;
  for (const Trial& trial : review.trials) {
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    for (const Finding& finding : trial.*which) {
      // Of the interleavings of one scenario, one stands for all.
      const auto same = trial.name == "interleaving"
                            ? std::ranges::find(all.begin() + first, all.end(), finding.where, &Finding::where)
                            : all.end();
      if (same == all.end()) {
        all.push_back(finding);
      } else {
        same->runs += finding.runs;
      }
    }
  }
  return all;
}

std::string function_text(const ChangedFunction& function) {
  return function.name.empty() ? fmt::format("{} outside of functions", function.file)
                               : fmt::format("{}()", function.name);
}

/// What ran of each changed function; what did not is what the review says nothing about.
void add_coverage(const Review& review, Lines& lines) {
  std::string changed;
  Lines gaps;
  for (const ChangedFunction& function : review.coverage.functions) {
    changed += (changed.empty() ? "changed: " : ", ") + function_text(function);
    if (function.is_removed) {
      changed += " removed";
      continue;
    }
    if (!function.name.empty()) changed += fmt::format(" ran {}x", scenario::with_separators(function.calls));
    if (!function.not_run.empty()) {
      add_lines(gaps, wrapped(fmt::format("not covered: {}: line {} of {} never ran", function_text(function),
                                          ranges_text(function.not_run), function.file),
                              2));
    } else if (function.branches_not_taken > 0) {
      add_lines(gaps, wrapped(fmt::format("not covered: {}: {} of {} ways out of changed branches never taken",
                                          function_text(function), function.branches_not_taken, function.branches),
                              2));
    }
  }
  const bool is_covered = gaps.empty() && std::ranges::any_of(review.coverage.functions,
                                                              [](const auto& function) { return function.calls > 0; });
  add_lines(lines, wrapped(changed + (is_covered ? "; all changed lines and branches ran" : ""), 3));
  for (const std::string& gap : review.not_covered) add_lines(gaps, wrapped("not covered: " + gap, 2));
  for (const Trial& trial : review.trials) {
    for (const std::string& note : trial.notes) add_lines(gaps, wrapped("not covered: " + note, 2));
  }
  const bool is_broken_off = std::ranges::any_of(review.trials, [](const Trial& trial) {
    return std::ranges::any_of(trial.worse_findings, [](const Finding& finding) {
      return finding.kind.starts_with("crash") || finding.kind.starts_with("took too long");
    });
  });
  if (is_broken_off) gaps.emplace_back("(lines of runs that crashed or took too long are not counted)");
  if (!review.coverage.is_measured && review.fault.empty())
    gaps.emplace_back("not covered: which lines ran is not known (no gcov)");
  const std::size_t more = gaps.size() > kMostGaps ? gaps.size() - kMostGaps : 0;
  if (more > 0) gaps.resize(kMostGaps);
  add_lines(lines, gaps);
  if (more > 0) lines.emplace_back("  (more: --json)");
}

/// A mistake, and how to see it.
struct Reproducer {
  const Finding* finding = nullptr;   ///< null: nothing shows one
  const Finding* smallest = nullptr;  ///< with the smallest scenario that was found; null: there is none
  std::string library;                ///< of the drivers
};

/// How well a finding shows a mistake: a shipped scenario that fails, a small one, what there was no time to make smaller, and
/// a shipped scenario that expects to fail.
unsigned rank_of(const Finding& finding) {
  if (finding.file.empty()) return finding.is_expected ? 3 : 0;
  return finding.file.ends_with("-whole.yaml") ? 2 : 1;
}

Reproducer reproducer_of(const std::vector<Finding>& findings, const std::string& library) {
  Reproducer best{.library = library};
  for (const Finding& finding : findings) {
    if (best.finding == nullptr || rank_of(finding) < rank_of(*best.finding)) best.finding = &finding;
    if (rank_of(finding) == 1 && (best.smallest == nullptr || finding.scenario.size() < best.smallest->scenario.size()))
      best.smallest = &finding;
  }
  if (best.finding != nullptr && rank_of(*best.finding) == 1) best.finding = best.smallest;
  return best;
}

/// @param worse  what the whole change makes worse
/// @return how to see that; if nothing is worse then, how to see what a patch of the series makes worse
Reproducer to_reproduce(const Review& review, const std::vector<Finding>& worse) {
  if (!worse.empty()) return reproducer_of(worse, review.library);
  for (const PatchVerdict& patch : review.patches) {
    if (!patch.worse_findings.empty()) return reproducer_of(patch.worse_findings, patch.library);
  }
  return {};
}

/// The scenario's lines without comments.
Lines scenario_lines(const std::string& scenario) {
  Lines lines;
  std::istringstream text(scenario);
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.front() != '#') lines.push_back("  " + in_ascii(line));
  }
  return lines;
}

/// What a shell makes of the characters of a command, one after the other.
class Quoting {
 public:
  void take(char c) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (is_quoted_ || c != '\\') {
      if (c == '\'') is_quoted_ = !is_quoted_;
    } else {
      is_escaped_ = true;
    }
  }
  [[nodiscard]] bool is_quoted() const noexcept { return is_quoted_; }
  [[nodiscard]] bool is_escaped() const noexcept { return is_escaped_; }

 private:
  bool is_quoted_ = false;
  bool is_escaped_ = false;
};

/// @return the words of a command, quoted as they are
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words(1);
  Quoting quoting;
  for (const char c : command) {
    quoting.take(c);
    if (c == ' ' && !quoting.is_quoted()) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// Move the beginning of a line that is too long to a line of its own. A backslash at the end of a line joins it to the next,
/// but not inside quotes: these are closed before it, and opened after it.
std::string cut_off(std::string& line, std::size_t most) {
  Quoting quoting;
  std::size_t end = 0;
  for (; end + 1 < most; ++end) quoting.take(line[end]);
  if (quoting.is_escaped()) quoting.take(line[end++]);
  const auto is_inside_letter = [&] { return (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U; };
  while (end > 1 && is_inside_letter()) --end;
  std::string begin = line.substr(0, end) + (quoting.is_quoted() ? "'\\" : "\\");
  line = (quoting.is_quoted() ? "'" : "") + line.substr(end);
  return begin;
}

/// A command is not cut: a shell puts its lines together.
void add_command(const std::string& command, Lines& lines) {
  std::string line;
  constexpr std::size_t kRoom = kColumns - 2;  // beside " \\"
  for (const std::string& word : words_of(command)) {
    if (!line.empty() && line.size() + 1 + word.size() > kRoom) {
      lines.push_back(line + " \\");
      line = " ";
    }
    if (!line.empty()) line += ' ';
    line += word;
    while (line.size() > kRoom) lines.push_back(cut_off(line, kRoom));
  }
  lines.push_back(line);
}

/// The command that builds the drivers, for who has the change alone.
std::string build_command(const Review& review) {
  return fmt::format("mkdir -p {} && {} -o {}", review.folder, review.build, review.library);
}

std::string run_command(const std::string& what, const Reproducer& reproducer) {
  return fmt::format("pmufab run {} --driver {}", what, reproducer.library);
}

/// The command that shows a mistake.
void add_reproducer(const Reproducer& reproducer, Lines& lines) {
  const Finding* const finding = reproducer.finding;
  if (finding == nullptr) return;
  const std::string what =
      finding->file.empty() ? finding->where.substr(0, finding->where.find(' ')) : process::shell_word(finding->file);
  add_command("reproduce: " + run_command(what, reproducer), lines);
}

/// @return the command that runs the smallest scenario that was found, and the scenario, as far as they fit
Lines smallest_lines(const Reproducer& reproducer, std::size_t room) {
  Lines lines;
  if (reproducer.smallest == nullptr) return lines;
  if (reproducer.smallest != reproducer.finding)
    add_command("smallest: " + run_command(process::shell_word(reproducer.smallest->file), reproducer), lines);
  if (lines.size() > room) return {};
  const Lines scenario = scenario_lines(reproducer.smallest->scenario);
  const bool fits = std::ranges::all_of(scenario, [](const auto& line) { return line.size() <= kColumns; });
  if (fits && lines.size() + scenario.size() <= room) add_lines(lines, scenario);
  return lines;
}

/// A command that is too long for a mail stands in what --json writes.
void add_short_command(const std::string& name, const std::string& command, Lines& lines) {
  constexpr std::size_t kMost = 5;
  Lines its;
  add_command(name + command, its);
  if (its.size() > kMost) its = {name + "(a long command: --json)"};
  add_lines(lines, its);
}

Lines head_of(const Review& review) {
  Lines lines = wrapped(review.title, 2);
  for (const ReviewedFile& file : review.files) {
    add_lines(lines, wrapped(fmt::format("{} of Linux {}: SHA-256 {} -> {}", file.name, review.base,
                                         first_of_sum(file.before), first_of_sum(file.after)),
                             2));
  }
  constexpr std::size_t kMost = 6;
  if (lines.size() > kMost + 1) {
    lines.resize(kMost);
    lines.emplace_back("...");
  }
  return lines;
}

std::string counts_text(const Review& review) {
  const std::uint64_t changed = review.total(&Trial::changed);
  return fmt::format("same {}{}, better {}, worse {}", scenario::with_separators(review.total(&Trial::same)),
                     changed == 0 ? "" : fmt::format(" ({} with other figures, right too)", changed),
                     scenario::with_separators(review.total(&Trial::better)),
                     scenario::with_separators(review.total(&Trial::worse)));
}

/// @return the lines that are left of some beside others; one at least
std::size_t room_beside(std::size_t all, std::size_t others) { return all > others ? all - others : 1; }

void cut(Lines& lines, std::size_t most) {
  if (lines.size() <= most) return;
  lines.resize(most - 1);
  lines.emplace_back("(more: --json)");
}

/// Of a long series, the patches that are worse.
Lines patch_lines(const Review& review) {
  constexpr std::size_t kMostPatches = 6;
  constexpr std::size_t kMostOfPatch = 2;
  Lines lines;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < review.patches.size(); ++i) {
    const PatchVerdict& patch = review.patches[i];
    if ((review.patches.size() > kMostPatches && patch.worse == 0) || lines.size() >= 2 * kMostPatches) {
      ++left_out;
      continue;
    }
    const std::string name = fmt::format("after {}/{}", i + 1, review.all_patches);
    add_lines(lines,
              wrapped(fmt::format("{}: {}same {}, better {}, worse {}{}", name, patch.worse > 0 ? "WORSE, " : "",
                                  scenario::with_separators(patch.same), scenario::with_separators(patch.better),
                                  scenario::with_separators(patch.worse), patch.text.empty() ? "" : ": " + patch.text) +
                          (patch.worse > 0 && !patch.subject.empty() ? fmt::format(" ({})", patch.subject) : ""),
                      2));
    if (i + 1 < review.all_patches) add_findings(patch.worse_findings, kMostOfPatch, name + ": worse", "", lines);
  }
  if (left_out > 0) lines.push_back(fmt::format("(lines of {} other patches: --json)", left_out));
  return lines;
}

/// @return what the whole series makes worse, without what patch_lines() tell of a patch before its last
std::vector<Finding> not_told_yet(const Review& review, std::vector<Finding> worse) {
  for (std::size_t i = 0; i + 1 < review.patches.size(); ++i) {
    for (const Finding& told : review.patches[i].worse_findings)
      std::erase_if(worse, [&](const Finding& finding) { return finding.kind == told.kind; });
  }
  return worse;
}

/// "WORSE: same 10, better 0, worse 2"; of a series that is right only in the end, "WORSE after 3/4; after all: same ..."
std::string verdict_line(const Review& review) {
  const auto wrong = std::ranges::find_if(review.patches, [](const PatchVerdict& patch) { return patch.worse > 0; });
  if (wrong == review.patches.end() || review.total(&Trial::worse) > 0)
    return fmt::format("{}: {}", review.verdict(), counts_text(review));
  return fmt::format("{} after {}/{}; after all: {}", review.verdict(), wrong - review.patches.begin() + 1,
                     review.all_patches, counts_text(review));
}

}  // namespace

std::uint64_t Review::total(std::uint64_t Trial::*number) const noexcept {
  std::uint64_t sum = 0;
  for (const Trial& trial : trials) sum += trial.*number;
  return sum;
}

bool Review::is_worse() const noexcept {
  return !fault.empty() || total(&Trial::worse) > 0 ||
         std::ranges::any_of(patches, [](const PatchVerdict& patch) { return patch.worse > 0; });
}

std::string Review::verdict() const {
  if (is_worse()) return "WORSE";
  if (is_stopped) return "STOPPED";
  if (total(&Trial::better) > 0) return "BETTER";
  return total(&Trial::same) > 0 ? "SAME" : "NOT TRIED";
}

std::string mail_text(const Review& review) {
  Lines lines = head_of(review);
  if (review.fault.empty()) {
    add_lines(lines, wrapped(fmt::format("pmufab {} ran with both, on {}: {}", scenario::version(),
                                         fabrics_text(review), what_ran(review)),
                             3));
    add_lines(lines, wrapped(verdict_line(review), 2));
    if (review.is_stopped) lines.emplace_back("(stopped before its end: --resume goes on)");
  } else {
    add_lines(lines, wrapped(fmt::format("{}: {}", review.verdict(), review.fault), 3));
  }
  Lines found = patch_lines(review);
  const std::vector<Finding> worse = findings_of(review, &Trial::worse_findings);
  add_findings(not_told_yet(review, worse), kMostFindings, "worse", "", found);
  add_findings(findings_of(review, &Trial::better_findings), kMostFindings, "better", "before, ", found);
  Lines coverage;
  if (!review.is_stopped) add_coverage(review, coverage);
  Lines commands;
  add_short_command("again: ", review.command, commands);
  if (!worse.empty()) add_short_command("build: ", build_command(review), commands);
  const Reproducer reproducer = to_reproduce(review, worse);
  add_reproducer(reproducer, commands);
  // What was changed and how to see it again are told whatever was found.
  constexpr std::size_t kLeastFound = 6;
  constexpr std::size_t kLeastCoverage = 2;
  const std::size_t told =
      lines.size() + commands.size() + std::min(found.size(), kLeastFound) + std::min(coverage.size(), kLeastCoverage);
  if (told < kLines) add_lines(commands, smallest_lines(reproducer, kLines - told));
  const std::size_t room = room_beside(kLines, lines.size() + commands.size());
  cut(coverage, room_beside(room, std::min(found.size(), kLeastFound)));
  cut(found, room_beside(room, coverage.size()));
  for (const Lines& part : {found, coverage, commands}) add_lines(lines, part);
  cut(lines, kLines);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string markdown_text(const Review& review) {
  std::string text = fmt::format("### pmufab review: {}\n\n```\n{}```\n", review.verdict(), mail_text(review));
  const std::vector<Finding> worse = findings_of(review, &Trial::worse_findings);
  const Finding* const finding = to_reproduce(review, worse).smallest;
  if (finding != nullptr)
    text += fmt::format("\n<details><summary>the smallest scenario</summary>\n\n```yaml\n{}```\n</details>\n",
                        finding->scenario);
  return text;
}

scenario::Json to_json(const Review& review) {
  scenario::Json json;
  json["program"] = "pmufab";
  json["version"] = scenario::version();
  json["command"] = review.command;
  json["build"] = review.build.empty() ? "" : build_command(review);
  json["title"] = review.title;
  json["base"] = review.base;
  json["verdict"] = review.verdict();
  json["fault"] = review.fault;
  json["stopped"] = review.is_stopped;
  json["files"] = review.files;
  json["fabrics"] = review.fabrics;
  json["seed"] = review.seed;
  json["same"] = review.total(&Trial::same);
  json["better"] = review.total(&Trial::better);
  json["worse"] = review.total(&Trial::worse);
  json["trials"] = review.trials;
  json["patches"] = review.patches;
  json["coverage"] = review.coverage;
  json["not_covered"] = review.not_covered;
  return json;
}

std::string html_page(const Review& review) {
  std::string page = html::page_begin("pmufab review: " + review.title, html::Script::none);
  page += fmt::format("<h1>{}: {}</h1>\n<pre>{}</pre>\n", review.verdict(), html::escaped(review.title),
                      html::escaped_lines(mail_text(review)));
  for (const Trial& trial : review.trials) {
    for (const auto& [word, findings] :
         {std::pair{"worse", &trial.worse_findings}, std::pair{"better", &trial.better_findings}}) {
      for (const Finding& finding : *findings)
        page += html::details(
            fmt::format("{}: {} ({})", word, html::escaped(finding.where), scenario::counted(finding.runs, "run")),
            fmt::format("<p>{}</p>\n<pre>{}</pre>\n", html::escaped(finding.text),
                        html::escaped_lines(finding.scenario)));
    }
  }
  return page + html::page_end(html::Script::none);
}

}  // namespace pmufab::cli
