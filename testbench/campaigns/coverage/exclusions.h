// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pmufab::coverage {

/// Bins that nothing can reach, with the reasons.
class Exclusions {
 public:
  struct Line {
    std::string kind;  // these may hold '*', which stands for any characters
    std::string point;
    std::string bin;
    std::string reason;
  };

  /// Nothing is excluded.
  Exclusions() = default;
  /// Each line is KIND | COVERPOINT | BIN | REASON; '#' begins a comment at the beginning of a line.
  /// @throws InputError for a line without its four parts, and for one that stands there twice
  Exclusions(std::string_view text, const std::string& file);
  /// @throws InputError if the file cannot be read as well
  [[nodiscard]] static Exclusions read(const std::filesystem::path& file);

  /// @return the first line that fits; null: it is not excluded
  [[nodiscard]] const Line* find(std::string_view kind, std::string_view point, std::string_view bin) const;

 private:
  std::vector<Line> lines_;
};

}  // namespace pmufab::coverage
