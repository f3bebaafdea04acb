// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pmufab::driver_host {

/// @return true for a line of the kernel log that says that a driver could not serve a device, or that a module could not start
[[nodiscard]] bool is_failed_probe(const std::string& line);

/// The kernel log of drivers that may print without end: its first and its last lines, and what counts for the verdict
/// of those between them: failed probes and other errors, each while they fit into another half of the room.
class KernelLog {
 public:
  /// @param room  bytes to keep of a longer log, about
  explicit KernelLog(std::size_t room) : half_(room / 2) {}

  void add(int level, const std::string& text);
  /// @return the lines in order, each with its level: "<4>text". The line "<4>[...] 12 lines (345 bytes) left out"
  ///         stands for those that were not kept. Errors from among them follow it.
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  void leave_out();
  [[nodiscard]] bool must_stay(const std::string& line);

  std::size_t half_;
  std::vector<std::string> lines_;
  std::size_t first_lines_ = 0;  // at the front, which stay
  std::size_t first_bytes_ = 0;
  std::size_t last_bytes_ = 0;
  std::uint64_t left_out_lines_ = 0;  // if any, a line behind the first ones says so
  std::uint64_t left_out_bytes_ = 0;
  std::size_t errors_ = 0;  // lines behind that one
  std::size_t error_bytes_ = 0;
  std::size_t probe_bytes_ = 0;  // of failed probes, which have a room of their own
};

}  // namespace pmufab::driver_host
