// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pmufab::cli {

/// How long a review still takes, by its parts. Random cases take a time that is known; another part takes what its own
/// progress promises, or as long as the last one of its kind.
class TimeLeft {
 public:
  enum class Kind : std::uint8_t { scenarios, random_cases, interleavings };

  /// @param seconds  of random cases; others: not known, 0
  void add(Kind kind, double seconds = 0) { parts_.push_back({kind, seconds}); }
  /// The next part begins.
  void begin(double now);
  /// The next parts are not tried.
  void leave_out(std::ptrdiff_t parts) { parts_.erase(parts_.begin() + next_, parts_.begin() + next_ + parts); }
  /// @param fraction  of the part that runs: 0 ... 1
  /// @return seconds until the end of all parts; nothing: too little ran to tell
  [[nodiscard]] std::optional<double> seconds(double fraction, double now) const;

 private:
  struct Part {
    Kind kind;
    double seconds;
  };
  static constexpr std::size_t kKinds = 3;

  std::vector<Part> parts_;
  std::ptrdiff_t next_ = 0;  ///< part
  double began_ = 0;
  static constexpr double kUsualInterleavings = 15;  // seconds, on two processors
  /// Seconds that the last part of each kind took, or usually takes.
  std::array<std::optional<double>, kKinds> last_{std::nullopt, std::nullopt, kUsualInterleavings};
};

}  // namespace pmufab::cli
