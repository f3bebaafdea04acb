// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/run/results/results.h"
#include "tlm/spec/named_fields.h"
#include "tools/pmufab/review/function_coverage.h"
#include "tools/pmufab/review/trial.h"

namespace pmufab::cli {

/// A file of the drivers, before and after the change.
struct ReviewedFile {
  std::string name;    ///< "arm-cmn.c"
  std::string before;  ///< SHA-256 of the kernel's; empty: it has none
  std::string after;

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"file", &ReviewedFile::name}, NamedField{"sha256_before", &ReviewedFile::before},
                      NamedField{"sha256_after", &ReviewedFile::after});
  }
};

/// How the drivers are after a patch of a series.
struct PatchVerdict {
  std::string subject;
  std::uint64_t same = 0;
  std::uint64_t better = 0;
  std::uint64_t worse = 0;
  std::string text{};  ///< what else there is to say: "does not compile"
  std::vector<Finding> worse_findings{};
  std::string library{};  ///< of these drivers, as a shell's word

  static constexpr auto named_fields() {
    return std::tuple(NamedField{"subject", &PatchVerdict::subject}, NamedField{"same", &PatchVerdict::same},
                      NamedField{"better", &PatchVerdict::better}, NamedField{"worse", &PatchVerdict::worse},
                      NamedField{"text", &PatchVerdict::text},
                      NamedField{"worse_findings", &PatchVerdict::worse_findings},
                      NamedField{"library", &PatchVerdict::library});
  }
};

/// A finished review.
struct Review {
  std::string title;
  std::string base;  ///< kernel version
  std::vector<ReviewedFile> files;
  std::vector<std::string> fabrics;
  std::uint64_t seed = 1;
  std::string fault;  ///< the change cannot be tried: it does not compile
  std::vector<Trial> trials;
  std::vector<PatchVerdict> patches;  ///< --each
  std::size_t all_patches = 0;        ///< of the series
  FunctionCoverage coverage;
  std::vector<std::string> not_covered;  ///< besides lines that did not run
  std::string folder;                    ///< for the drivers, as a shell's word
  std::string build;                     ///< the command that builds them anew, but for its -o
  std::string command;                   ///< the one that makes this review
  std::string library;                   ///< of the drivers, as a shell's word
  bool is_stopped = false;               ///< by the user

  [[nodiscard]] std::uint64_t total(std::uint64_t Trial::*number) const noexcept;
  [[nodiscard]] bool is_worse() const noexcept;
  /// "WORSE", "BETTER", "SAME", "NOT TRIED"
  [[nodiscard]] std::string verdict() const;
};

/// @return at most 30 lines of at most 72 columns, in ASCII, for a mail
[[nodiscard]] std::string mail_text(const Review& review);
/// @return the same for a comment on a pull request
[[nodiscard]] std::string markdown_text(const Review& review);
/// @return everything that is known
[[nodiscard]] scenario::Json to_json(const Review& review);
/// @return a page for a browser
[[nodiscard]] std::string html_page(const Review& review);

}  // namespace pmufab::cli
