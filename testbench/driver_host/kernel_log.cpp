// SPDX-License-Identifier: Apache-2.0
#include "testbench/driver_host/kernel_log.h"

#include <iterator>

namespace pmufab::driver_host {

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

/// Keep about half of the last lines.
void KernelLog::leave_out() {
  const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(first_lines_);
  auto end = first;
  if (left_out_lines_ > 0) ++end;
  for (; last_bytes_ > half_ && std::next(end) != lines_.end(); ++end) {
    last_bytes_ -= end->size() + sizeof *end;
    left_out_bytes_ += end->size() - 3 + 1;  // without the level, with the end of the line
    ++left_out_lines_;
  }
  if (end == first) return;
  // One of them becomes the line that stands for all.
  *first =
      "<4>[...] " + std::to_string(left_out_lines_) + " lines (" + std::to_string(left_out_bytes_) + " bytes) left out";
  lines_.erase(std::next(first), end);
}

}  // namespace pmufab::driver_host
