// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tlm/spec/spec_error.h"

namespace pmufab::scenario {

/// Where a piece of configuration stands. Lines and columns count from 1; 0 means the place has none (a command-line
/// override, a file that cannot be read).
struct Source {
  std::shared_ptr<const std::string> file;  ///< as the user named it; null for values no one wrote
  int line = 0;
  int column = 0;

  /// @return whether it came with the option --set: files it names are then relative to where the user stands
  [[nodiscard]] bool is_from_option() const { return file && file->starts_with("--set "); }
};

/// What the user gave cannot be used: bad configuration, an unknown event, a file that cannot be read.
///
/// what() reads "file:line:column: key.path: reason (suggestion)"; parts that do not apply are left out. It is fit for
/// a terminal: printable_message() made it, so long values are cut. Programs answer it with exit code 2.
class InputError : public std::runtime_error {
 public:
  InputError(Source source, std::string path, std::string reason, std::string suggestion = {});
  /// Without a place in a file.
  explicit InputError(std::string reason, std::string suggestion = {})
      : InputError(Source{}, {}, std::move(reason), std::move(suggestion)) {}

  [[nodiscard]] const Source& source() const noexcept { return source_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] const std::string& suggestion() const noexcept { return suggestion_; }

 private:
  Source source_;
  std::string path_;
  std::string reason_;
  std::string suggestion_;
};

/// @return true if that error of the system means that a disk takes no output: it is full, broken or not to be written.
[[nodiscard]] bool is_output_error(const std::error_code& error) noexcept;

/// Make something: what is impossible about its specification is bad input, without a place in a file.
template <typename Make>
void with_input_errors(Make make) {
  try {
    make();
  } catch (const SpecError& error) {
    throw InputError({}, error.field(), error.reason(), error.suggestion());
  }
}

/// @return up to `limit` of `candidates` that a person may have meant by `name`: closest first (edit distance with
///         swapped neighbours, prefixes and parts count as close), ties in the order given. May be empty.
[[nodiscard]] std::vector<std::string> near_matches(std::string_view name, const std::vector<std::string>& candidates,
                                                    std::size_t limit = 3);

/// @return "did you mean 'a', 'b' or 'c'?" from near_matches, or an empty string.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// @return did_you_mean(), or if no name is near, "there are 'a', 'b', 'c'"
[[nodiscard]] std::string suggest(std::string_view name, const std::vector<std::string>& names);

/// @return "'a', 'b', 'c'", cut after `limit` names with the number of the rest; "none" without names.
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names, std::size_t limit = 24);

}  // namespace pmufab::scenario
