// SPDX-License-Identifier: Apache-2.0
#include "testbench/campaigns/explore/report/findings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "testbench/campaigns/explore/points.h"
#include "testbench/campaigns/explore/report/export.h"
#include "testbench/campaigns/explore/search.h"

namespace pmufab::explore {
namespace {

/// What is known of one value of the axis that is looked for.
struct Tried {
  std::uint64_t there = 0;             // positions
  std::uint64_t unknown = 0;           // of these, without result
  std::optional<std::uint64_t> holds;  // one that meets the condition
  std::optional<std::uint64_t> fails;  // one that does not
};

/// Everything about a goal, gathered in one pass over the points.
class GoalTable {
 public:
  GoalTable(const Study& study, const Goal& goal)
      : study_(study),
        goal_(goal),
        combinations_(combinations_of(study, goal)),
        values_(study.axes[goal.axis].values.size()),
        needed_(study.grid.repeats()) {
    for (const std::size_t axis : study.other_axes(goal)) needed_ *= study.axes[axis].values.size();
  }

  void add(std::uint64_t position, const Result& result) {
    const std::vector<std::size_t> at = study_.grid.values_at(position / study_.grid.repeats());
    std::vector<std::size_t> each;
    for (const std::size_t axis : goal_.for_each) each.push_back(at[axis]);
    std::vector<Tried>& tried = tried_[combinations_.site_of(each)];
    tried.resize(values_);
    Tried& one = tried[at[goal_.axis]];
    ++one.there;
    const std::optional<bool> met = meets(study_, goal_.such_that, position, result);
    if (!met) {
      ++one.unknown;
      return;
    }
    std::optional<std::uint64_t>& place = *met ? one.holds : one.fails;
    if (!place) place = position;
  }

  [[nodiscard]] GoalFinding finding() const {
    GoalFinding finding;
    for (std::uint64_t i = 0; i < combinations_.sites(); ++i) {
      const auto tried = tried_.find(i);
      Answer answer;
      answer.combination = i;
      if (tried != tried_.end()) answer = answer_of(i, tried->second);
      compare(answer);
      finding.answers.push_back(answer);
    }
    return finding;
  }

 private:
  /// @param step  from the end of the axis that is most likely to meet the condition
  [[nodiscard]] std::size_t value_at(std::size_t step) const { return goal_.is_largest ? step : values_ - 1 - step; }
  [[nodiscard]] bool holds(const Tried& tried) const {
    return tried.there == needed_ && !tried.fails && tried.unknown == 0;
  }

  [[nodiscard]] Answer answer_of(std::uint64_t combination, const std::vector<Tried>& tried) const {
    Answer answer;
    answer.combination = combination;
    const Tried& best = tried[value_at(0)];
    if (best.fails) {
      answer.kind = Answer::Kind::none;
      answer.fails_at = best.fails;
    } else if (holds(best)) {
      std::size_t step = 0;     // of the last value in a row that meets it
      std::size_t further = 1;  // next value that was tried
      while (further < values_) {
        const Tried& next = tried[value_at(further)];
        if (next.there > 0 && !holds(next)) break;
        if (next.there > 0) step = further;
        ++further;
      }
      answer.value = value_at(step);
      answer.holds_at = tried[answer.value].holds;
      const bool is_at_end = step == values_ - 1;
      const bool has_neighbour = further == step + 1 && further < values_ && tried[value_at(further)].fails;
      if (is_at_end || has_neighbour) answer.kind = Answer::Kind::found;
      if (has_neighbour) answer.fails_at = tried[value_at(further)].fails;
    }
    const std::size_t border = answer.kind == Answer::Kind::found ? steps_to(answer.value) + 1 : 1;
    for (std::size_t step = border; step < values_ && answer.kind != Answer::Kind::unfinished; ++step) {
      if (holds(tried[value_at(step)])) ++answer.beyond;
    }
    for (std::size_t value = 0; value < values_ && answer.kind == Answer::Kind::unfinished; ++value)
      answer.without_result += tried[value].unknown;
    return answer;
  }
  [[nodiscard]] std::size_t steps_to(std::size_t value) const { return goal_.is_largest ? value : values_ - 1 - value; }

  void compare(Answer& answer) const {
    if (!goal_.closed_form) return;
    const std::vector<std::size_t> each = combinations_.values_at(answer.combination);
    answer.closed_form = goal_.closed_form->evaluate([&](const std::string& name) -> std::optional<double> {
      for (std::size_t i = 0; i < each.size(); ++i) {
        const Axis& axis = study_.axes[goal_.for_each[i]];
        if (axis.name == name) return axis.values[each[i]].number;
      }
      return std::nullopt;
    });
    if (answer.kind == Answer::Kind::unfinished) return;
    if (!answer.closed_form) {
      answer.agrees = false;
      return;
    }
    const Axis& axis = study_.axes[goal_.axis];
    // Where no value of the axis suffices, the closed form must lie beyond its end, and before its other end where each does.
    const double best = *axis.values[value_at(0)].number;
    const double worst = *axis.values[value_at(values_ - 1)].number;
    const double sign = best >= worst ? 1 : -1;
    if (answer.kind == Answer::Kind::none) {
      answer.agrees = (*answer.closed_form - best) * sign > -goal_.tolerance;
    } else if (!answer.fails_at) {
      answer.agrees = (*answer.closed_form - worst) * sign <= goal_.tolerance;
    } else {
      answer.agrees = std::abs(*axis.values[answer.value].number - *answer.closed_form) <= goal_.tolerance;
    }
  }

  const Study& study_;
  const Goal& goal_;
  Grid combinations_;
  std::size_t values_;
  std::uint64_t needed_;
  std::map<std::uint64_t, std::vector<Tried>> tried_;  // by combination
};

std::string value_label(const Study& study, const Goal& goal, std::size_t value) {
  return study.axes[goal.axis].values[value].label;
}

/// "with width=23 it holds, with width=22 it does not"
std::string evidence(const Study& study, const Answer& answer) {
  std::string text;
  if (answer.holds_at) text = fmt::format("point {} holds", *answer.holds_at);
  if (answer.fails_at)
    text += fmt::format("{}point {} fails: {}", text.empty() ? "" : ", ", *answer.fails_at,
                        label_of(study, *answer.fails_at));
  return text;
}

std::string sentence_of(const Study& study, const Goal& goal, const Answer& answer) {
  const std::string combination = combination_label(study, goal, answer.combination);
  const std::string place = combination.empty() ? "" : fmt::format(" for {}", combination);
  const std::string& axis = study.axes[goal.axis].name;
  const char* const which = goal.is_largest ? "largest" : "smallest";
  std::string text;
  switch (answer.kind) {
    case Answer::Kind::unfinished:
      if (answer.without_result > 0)
        return fmt::format("The {} {}{} is not known: {} no result.", which, axis, place,
                           answer.without_result == 1 ? std::string("1 point has")
                                                      : scenario::counted(answer.without_result, "point") + " have");
      return fmt::format("Points are missing to tell the {} {}{}.", which, axis, place);
    case Answer::Kind::none:
      text =
          fmt::format("No {} of the study has {}{} ({}).", axis, goal.such_that.text(), place, evidence(study, answer));
      break;
    case Answer::Kind::found:
      text = fmt::format(
          "The {} {} with {}{} is {} ({}).", which, axis, goal.such_that.text(), place,
          value_label(study, goal, answer.value),
          answer.fails_at ? evidence(study, answer) : evidence(study, answer) + ", and the study has no value beyond");
      break;
  }
  if (answer.beyond > 0)
    text += fmt::format(" {} beyond the border meet{} it, too: the condition is not monotonic.",
                        scenario::counted(answer.beyond, "value"), answer.beyond == 1 ? "s" : "");
  if (answer.closed_form && !answer.agrees)
    text += fmt::format(" The closed form says {}.", number_text(*answer.closed_form));
  if (!answer.agrees && !answer.closed_form) text += " The closed form has no value here.";
  return text;
}

/// One sentence over many combinations.
std::string summary_of(const Study& study, const Goal& goal, const GoalFinding& finding) {
  std::uint64_t none = 0;
  std::uint64_t unfinished = 0;
  std::optional<std::size_t> least;
  std::optional<std::size_t> most;
  for (const Answer& answer : finding.answers) {
    none += answer.kind == Answer::Kind::none ? 1 : 0;
    unfinished += answer.kind == Answer::Kind::unfinished ? 1 : 0;
    if (answer.kind != Answer::Kind::found) continue;
    least = least ? std::min(*least, answer.value) : answer.value;
    most = most ? std::max(*most, answer.value) : answer.value;
  }
  std::vector<std::string> names;
  for (const std::size_t axis : goal.for_each) names.push_back(study.axes[axis].name);
  const char* const which = goal.is_largest ? "largest" : "smallest";
  std::string text;
  if (least && *least == *most) {
    text = fmt::format("The {} {} with {} is {}, whatever {}.", which, study.axes[goal.axis].name,
                       goal.such_that.text(), value_label(study, goal, *least), fmt::join(names, " and "));
  } else if (least) {
    text = fmt::format("The {} {} with {} is {} to {}, depending on {}.", which, study.axes[goal.axis].name,
                       goal.such_that.text(), value_label(study, goal, *least), value_label(study, goal, *most),
                       fmt::join(names, " and "));
  }
  const auto add = [&](std::uint64_t number, const std::string& what) {
    if (number > 0)
      text += fmt::format("{}For {} of {} {}.", text.empty() ? "" : " ", number,
                          scenario::counted(finding.answers.size(), "combination"), what);
  };
  add(none, "no value of the study suffices");
  add(unfinished, "points are missing, or have no result");
  return text;
}

std::string closed_form_sentence(const Goal& goal, const GoalFinding& finding) {
  std::uint64_t compared = 0;
  std::uint64_t agrees = 0;
  for (const Answer& answer : finding.answers) {
    if (answer.kind == Answer::Kind::unfinished) continue;
    ++compared;
    agrees += answer.agrees ? 1 : 0;
  }
  return fmt::format("The closed form {} agrees{} in {} of {}.", goal.closed_form->text(),
                     goal.tolerance > 0 ? fmt::format(" within {}", number_text(goal.tolerance)) : "", agrees,
                     scenario::counted(compared, "answer"));
}

}  // namespace

bool Findings::are_as_expected() const noexcept {
  const bool hold = std::ranges::all_of(
      expectations, [](const ExpectationFinding& expectation) { return expectation.held == expectation.points; });
  return hold && std::ranges::all_of(goals, [](const GoalFinding& goal) {
           return std::ranges::all_of(goal.answers,
                                      [](const Answer& answer) { return answer.agrees && answer.without_result == 0; });
         });
}

Findings find(const Study& study, Database& database) {
  std::vector<GoalTable> tables;
  for (const Goal& goal : study.goals) tables.emplace_back(study, goal);
  Findings findings;
  findings.expectations.resize(study.expectations.size());
  database.each(study, [&](std::uint64_t position, const Result& result) {
    for (GoalTable& table : tables) table.add(position, result);
    for (std::size_t i = 0; i < study.expectations.size(); ++i) {
      ExpectationFinding& finding = findings.expectations[i];
      ++finding.points;
      if (meets(study, study.expectations[i].condition, position, result).value_or(false)) {
        ++finding.held;
      } else if (!finding.first_failure) {
        finding.first_failure = position;
      }
    }
  });
  for (const GoalTable& table : tables) findings.goals.push_back(table.finding());
  return findings;
}

std::vector<std::string> in_words(const Study& study, const Findings& findings) {
  constexpr std::size_t kMost = 40;  // sentences of one goal
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < study.goals.size(); ++i) {
    const Goal& goal = study.goals[i];
    const GoalFinding& finding = findings.goals[i];
    if (finding.answers.size() > 1) sentences.push_back(summary_of(study, goal, finding));
    if (goal.closed_form) sentences.push_back(closed_form_sentence(goal, finding));
    for (std::size_t j = 0; j < finding.answers.size() && j < kMost; ++j)
      sentences.push_back(sentence_of(study, goal, finding.answers[j]));
    if (finding.answers.size() > kMost)
      sentences.push_back(fmt::format("{} more answers are in the report.", finding.answers.size() - kMost));
  }
  for (std::size_t i = 0; i < study.expectations.size(); ++i) {
    const ExpectationFinding& finding = findings.expectations[i];
    std::string text = fmt::format("{} holds at {} of {}.", study.expectations[i].condition.text(), finding.held,
                                   scenario::counted(finding.points, "point"));
    if (finding.first_failure)
      text += fmt::format(" The first at which it does not is point {}: {}.", *finding.first_failure,
                          label_of(study, *finding.first_failure));
    sentences.push_back(std::move(text));
  }
  return sentences;
}

std::string combination_label(const Study& study, const Goal& goal, std::uint64_t combination) {
  const std::vector<std::size_t> each = combinations_of(study, goal).values_at(combination);
  std::string text;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Axis& axis = study.axes[goal.for_each[i]];
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", axis.name, axis.values[each[i]].label);
  }
  return text;
}

}  // namespace pmufab::explore
