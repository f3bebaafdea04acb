// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/make_shared.hpp>
#include <boost/program_options.hpp>

namespace pmufab::cli {

using Arguments = std::vector<std::string>;

/// Exit codes of every command.
inline constexpr int kPassed = 0;
inline constexpr int kCheckFailed = 1;  ///< or the user stopped it, or it took too long
inline constexpr int kBadInput = 2;
inline constexpr int kInternalError = 3;
inline constexpr int kNotJudged = 4;  ///< nothing failed, and not one count could be judged

/// An option: "name" or "name,n", the value it takes, and its help. The functions below make one.
using Option = boost::shared_ptr<boost::program_options::option_description>;

/// @return an option without a value: false unless given
[[nodiscard]] Option flag(const char* name, const char* help);
/// @param value  name of the value, which also selects its completion: FILE... or DIR; words with '|' in between;
/// anything else: none
/// @return an option with one value: a string, `otherwise` unless given
[[nodiscard]] Option text(const char* name, const char* value, const char* help, const std::string& otherwise = {});
/// @return an option that may be given several times: strings, absent unless given
[[nodiscard]] Option list(const char* name, const char* value, const char* help);
/// @param shown  how the help shows `otherwise`; empty: as a number
/// @return an option whose value is a Number (unsigned, std::int64_t or std::uint64_t)
template <typename Number>
[[nodiscard]] Option number(const char* name, const char* value, const char* help, Number otherwise,
                            const std::string& shown = {}) {
  auto* const semantic = boost::program_options::value<Number>()->value_name(value);
  shown.empty() ? semantic->default_value(otherwise) : semantic->default_value(otherwise, shown);
  return boost::make_shared<boost::program_options::option_description>(name, semantic, help);
}

using Options = std::vector<Option>;
/// @return the options of both
[[nodiscard]] Options operator+(Options first, const Options& second);

/// What the words of a command are that are not options; for completion.
enum class Words : std::uint8_t {
  none,  ///< any word is an error
  files,
  platforms,  ///< YAML files, and libraries of plug-ins
  scenarios,  ///< YAML files, or names of scenarios
  sources,    ///< C files
};

struct Example {
  std::string command;  ///< as it is typed; "\n" where a line ends
  std::string remark = {};
};

struct ExitCode {
  std::string code;
  std::string meaning;
};

/// The arguments of a command.
struct Request {
  boost::program_options::variables_map options;
  std::vector<std::string> words;  ///< those that are not options
  Arguments program;               ///< everything behind "--", if the command runs a program
};

/// A command. Its help, its man page and its completion are made from this.
struct Command {
  std::string name;       ///< as it is typed: "run", "driver build"
  std::string arguments;  ///< the synopsis without the name: "[options] SCENARIO..."
  std::string summary;    ///< one line, beginning in lower case, without a full stop
  /// Paragraphs with an empty line between. Lines that begin with two blanks are not reflowed. ASCII.
  std::string description;
  Options options;
  Words words = Words::none;
  bool runs_program = false;  ///< takes the arguments behind "--"
  std::vector<Example> examples;
  std::string no_words{};  ///< what somebody may want who gives words to a command without
  std::vector<ExitCode> exit_codes;
  std::function<int(const Request&)> run;
};

/// @return exit codes of most commands
[[nodiscard]] std::vector<ExitCode> usual_exit_codes();
/// @return those of commands that judge runs
[[nodiscard]] std::vector<ExitCode> judging_exit_codes();

/// @return the name of an option's value; empty: it takes none
[[nodiscard]] std::string value_name(const Option& option);
/// @return the text of --help
[[nodiscard]] std::string help_text(const Command& command);

/// Parse arguments strictly.
/// @throws scenario::InputError for an option that is unknown (with near matches), incomplete or wrong
[[nodiscard]] Request parse(const Command& command, const Arguments& arguments);

/// @return true if --help or -h is among pmufab's own arguments
[[nodiscard]] bool asks_for_help(const Command& command, const Arguments& arguments);

/// Every command, in the order in which they are listed.
[[nodiscard]] const std::vector<Command>& all_commands();
/// The description of the program itself: its options (--version), exit codes, and first examples.
[[nodiscard]] Command program();

}  // namespace pmufab::cli
