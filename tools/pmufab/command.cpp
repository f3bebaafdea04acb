// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/command.h"

#include <algorithm>
#include <sstream>
#include <typeinfo>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tools/pmufab/cli.h"

namespace pmufab::cli {
namespace {

namespace po = boost::program_options;
using scenario::InputError;

/// The key under which words are kept while arguments are parsed. Users cannot give an option with a blank in its name.
constexpr const char* kWords = "the words";

/// pmufab's own arguments, and those behind "--" if the command runs a program.
std::pair<Arguments, Arguments> split(const Command& command, const Arguments& arguments) {
  if (!command.runs_program) return {arguments, {}};
  const auto dashes = std::ranges::find(arguments, "--");
  return {{arguments.begin(), dashes}, {dashes == arguments.end() ? dashes : dashes + 1, arguments.end()}};
}

std::vector<std::string> long_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options) names.push_back("--" + option->long_name());
  return names;
}

void add_to(po::options_description& all, const Options& options) {
  for (const Option& option : options) all.add(option);
}

/// Boost takes -1 for the greatest number. Commands check the range of smaller types.
void refuse_negative(const po::option& option, const po::options_description& all) {
  if (option.value.empty() || !option.value.front().starts_with('-')) return;
  const po::option_description* const description = all.find_nothrow(option.string_key, false);
  const auto* const typed =
      description == nullptr ? nullptr : dynamic_cast<const po::typed_value_base*>(description->semantic().get());
  if (typed == nullptr) return;
  if (typed->value_type() == typeid(std::uint64_t))
    throw InputError(fmt::format("--{}: '{}' is not possible", option.string_key, option.value.front()),
                     "numbers begin with 0");
}

/// A variable of a script that is not set must not count as an option, or a word, that is not given.
void refuse_empty(const po::option& option) {
  const bool is_empty = std::ranges::any_of(option.value, [](const std::string& value) { return value.empty(); });
  if (!is_empty) return;
  if (option.string_key == kWords)
    throw InputError("a word of the command is empty",
                     "give a name, or leave the word out; a variable in your script may not be set");
  throw InputError(fmt::format("the value of --{} is empty", option.string_key),
                   "give a value, or leave the option out; a variable in your script may not be set");
}

Option help_option() { return flag("help,h", "show this text"); }

}  // namespace

Option flag(const char* name, const char* help) {
  return boost::make_shared<po::option_description>(name, po::bool_switch(), help);
}

Option text(const char* name, const char* value, const char* help, const std::string& otherwise) {
  return boost::make_shared<po::option_description>(
      name, po::value<std::string>()->default_value(otherwise)->value_name(value), help);
}

Option list(const char* name, const char* value, const char* help) {
  return boost::make_shared<po::option_description>(name, po::value<std::vector<std::string>>()->value_name(value),
                                                    help);
}

Options operator+(Options first, const Options& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<ExitCode> usual_exit_codes() {
  return {{"0", "everything passed"},
          {"1", "a check failed, or a run was stopped or took too long"},
          {"2", "bad input, or output that could not be written"},
          {"3", "an internal error, or a run crashed"}};
}

std::vector<ExitCode> judging_exit_codes() {
  std::vector<ExitCode> codes = usual_exit_codes();
  codes.push_back(
      {"4", "nothing failed, but no count of some run could be judged; 0 if its scenario says 'compare: none'"});
  return codes;
}

std::string value_name(const Option& option) {
  if (option->semantic()->max_tokens() == 0) return {};
  const std::string name = option->semantic()->name();
  return name.substr(0, name.find(" (="));
}

std::string help_text(const Command& command) {
  const std::string name = command.name.empty() ? "pmufab" : "pmufab " + command.name;
  std::ostringstream text;
  text << fmt::format("{}: {}\n\nUsage: {} {}\n\n", name, command.summary, name, command.arguments);
  text << command.description << '\n';
  if (!command.options.empty()) {
    po::options_description options("Options");
    add_to(options, command.options);
    options.add(help_option());
    text << '\n' << options;
  }
  text << "\nExamples:\n";
  for (const Example& example : command.examples) {
    std::istringstream lines(example.command);
    for (std::string line; std::getline(lines, line);) text << "  " << line << '\n';
    if (!example.remark.empty()) text << "      " << example.remark << '\n';
  }
  text << "\nExit codes:\n";
  for (const ExitCode& exit : command.exit_codes) text << fmt::format("  {:<3}{}\n", exit.code, exit.meaning);
  return text.str();
}

bool asks_for_help(const Command& command, const Arguments& arguments) {
  const Arguments ours = split(command, arguments).first;
  return std::ranges::any_of(ours, [](const std::string& word) { return word == "--help" || word == "-h"; });
}

Request parse(const Command& command, const Arguments& arguments) {
  const auto [ours, program] = split(command, arguments);
  const std::string hint = fmt::format("see pmufab {} --help", command.name);
  po::options_description all;
  add_to(all, command.options);
  all.add(help_option());
  po::positional_options_description places;
  if (command.words != Words::none) {
    places.add(kWords, -1);
    all.add_options()(kWords, po::value<std::vector<std::string>>());
  }
  try {
    Request request;
    request.program = program;
    // Abbreviated options are refused. Otherwise a new option could change the meaning of a script.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    const po::parsed_options parsed = po::command_line_parser(ours).options(all).positional(places).style(style).run();
    for (const po::option& option : parsed.options) {
      refuse_empty(option);
      refuse_negative(option, all);
    }
    po::store(parsed, request.options);
    po::notify(request.options);
    request.words = values_of(request.options, kWords);
    return request;
  } catch (const po::unknown_option& error) {
    const std::string suggestion = scenario::did_you_mean(error.get_option_name(), long_names(command));
    throw InputError(fmt::format("there is no option {}", error.get_option_name()),
                     suggestion.empty() ? hint : suggestion);
  } catch (const po::too_many_positional_options_error&) {
    throw InputError("this command takes options only, no other words",
                     command.no_words.empty() ? hint : command.no_words);
  } catch (const po::error& error) {
    throw InputError(error.what(), hint);
  }
}

}  // namespace pmufab::cli
