// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pmufab::driver_host {

/// The kernel log of drivers that may print without end: its first and its last lines.
class KernelLog {
 public:
  /// @param room  bytes to keep of a longer log, about
  explicit KernelLog(std::size_t room) : half_(room / 2) {}

  void add(int level, const std::string& text);
  /// @return the lines in order, each with its level: "<4>text". The line "<4>[...] 12 lines (345 bytes) left out"
  ///         stands for those that were not kept.
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  void leave_out();

  std::size_t half_;
  std::vector<std::string> lines_;
  std::size_t first_lines_ = 0;  // at the front, which stay
  std::size_t first_bytes_ = 0;
  std::size_t last_bytes_ = 0;
  std::uint64_t left_out_lines_ = 0;  // if any, a line behind the first ones says so
  std::uint64_t left_out_bytes_ = 0;
};

}  // namespace pmufab::driver_host
