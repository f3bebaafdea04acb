// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/kernel_log.h"

#include <iterator>
#include <utility>

namespace pmufab::driver_host {

bool is_failed_probe(const std::string& line) {
  const bool tells_whose =
      line.find("probe with driver") != std::string::npos || line.find(": init failed") != std::string::npos;
  return tells_whose && line.find("failed with error") != std::string::npos;
}

void KernelLog::add(int level, const std::string& text) {
  std::string line{'<', static_cast<char>('0' + level), '>'};
  line += text;
  // Lines take room even if they are empty.
  const std::size_t bytes = line.size() + sizeof line;
  lines_.push_back(std::move(line));
  if (first_bytes_ + bytes <= half_ && first_lines_ + 1 == lines_.size()) {
    ++first_lines_;
    first_bytes_ += bytes;
    return;
  }
  last_bytes_ += bytes;
  if (last_bytes_ > 2 * half_) leave_out();
}

/// @return whether a line is kept although those before and behind it are not
bool KernelLog::must_stay(const std::string& line) {
  constexpr char kError = '3';  // KERN_ERR; lower numbers are worse
  if (line[1] > kError) return false;
  // Devices are few, but a driver may be loaded again and again.
  std::size_t& bytes = is_failed_probe(line) ? probe_bytes_ : error_bytes_;
  if (bytes + line.size() > half_) return false;
  bytes += line.size() + sizeof line;
  return true;
}

/// Keep about half of the last lines, and of the others those that must stay.
void KernelLog::leave_out() {
  const auto at = [this](std::size_t index) { return lines_.begin() + static_cast<std::ptrdiff_t>(index); };
  const bool has_mark = left_out_lines_ > 0;
  const auto begin = at(first_lines_ + (has_mark ? 1 : 0) + errors_);
  auto kept = begin;
  auto end = begin;
  for (; last_bytes_ > half_ && std::next(end) != lines_.end(); ++end) {
    last_bytes_ -= end->size() + sizeof *end;
    if (must_stay(*end)) {
      std::swap(*kept++, *end);
      continue;
    }
    left_out_bytes_ += end->size() - 3 + 1;  // without the level, with the end of the line
    ++left_out_lines_;
  }
  errors_ += static_cast<std::size_t>(kept - begin);
  lines_.erase(kept, end);
  if (left_out_lines_ == 0) return;
  if (!has_mark) lines_.emplace(at(first_lines_));
  lines_[first_lines_] =
      "<4>[...] " + std::to_string(left_out_lines_) + " lines (" + std::to_string(left_out_bytes_) + " bytes) left out";
}

}  // namespace pmufab::driver_host
