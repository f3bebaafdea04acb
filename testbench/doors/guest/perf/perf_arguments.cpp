// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/perf/perf_arguments.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace pmufab::guest {
namespace {

// perf-stat(1): options that take a value, in the next argument if it does not follow at once.
constexpr std::string_view kLettersWithValue = "eIrDxoCGFptMbN";
constexpr std::array<std::string_view, 22> kNamesWithValue{"event",         "filter",
                                                           "pid",           "tid",
                                                           "cpu",           "output",
                                                           "log-fd",        "repeat",
                                                           "delay",         "interval-print",
                                                           "timeout",       "field-separator",
                                                           "cgroup",        "metrics",
                                                           "metric-groups", "interval-count",
                                                           "post",          "pre",
                                                           "bpf-prog",      "for-each-cgroup",
                                                           "control",       "input"};

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  std::optional<PerfStat> parse() {
    // perf's own options stand before the command.
    while (at_ < arguments_.size() && arguments_[at_].starts_with('-')) ++at_;
    if (at_ >= arguments_.size() || arguments_[at_] != "stat") return std::nullopt;
    for (++at_; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      // Arguments of the command that perf runs are ignored.
      if (argument.size() < 2 || argument[0] != '-' || argument == "--") break;
      if (argument[1] == '-') {
        parse_name(argument.substr(2));
      } else {
        parse_letters(argument);
      }
    }
    // With --append the file has more.
    if (appends_) stat_.output.clear();
    return stat_;
  }

 private:
  void parse_name(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    stat_.repeats = stat_.repeats || name == "repeat";
    stat_.merges = stat_.merges && name != "no-aggr" && name != "no-merge";
    appends_ = appends_ || name == "append";
    if (equals != std::string::npos) {
      take(name, text.substr(equals + 1));
    } else if (std::ranges::find(kNamesWithValue, name) != kNamesWithValue.end()) {
      take_next(name);
    }
  }

  void parse_letters(const std::string& argument) {
    const std::size_t letter = argument.find_first_of(kLettersWithValue, 1);
    stat_.merges = stat_.merges && argument.find('A') >= letter;
    if (letter == std::string::npos) return;
    stat_.repeats = stat_.repeats || argument[letter] == 'r';
    const std::string name = argument[letter] == 'e'   ? "event"
                             : argument[letter] == 'M' ? "metrics"
                             : argument[letter] == 'o' ? "output"
                                                       : "";
    if (letter + 1 == argument.size()) {
      take_next(name);
    } else {
      take(name, argument.substr(letter + 1));
    }
  }

  void take_next(const std::string& name) {
    if (++at_ < arguments_.size()) take(name, arguments_[at_]);
  }

  void take(const std::string& name, const std::string& value) {
    if (name == "event") stat_.events.push_back(value);
    if (name == "output") stat_.output = value;
    if (name != "metrics" && name != "metric-groups") return;
    std::istringstream words(value);
    for (std::string word; std::getline(words, word, ',');) stat_.metrics.push_back(word);
  }

  const std::vector<std::string>& arguments_;
  std::size_t at_ = 0;
  PerfStat stat_;
  bool appends_ = false;
};

}  // namespace

std::optional<PerfStat> parse_perf_stat(const std::vector<std::string>& arguments) { return Parser(arguments).parse(); }

}  // namespace pmufab::guest
