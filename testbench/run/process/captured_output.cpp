// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/process/captured_output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

namespace pmufab::process {
namespace {

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

void BoundedText::add(std::string_view text) {
  bytes_ += text.size();
  lines_ += count_lines(text);
  const std::size_t front = std::min(text.size(), half_ - first_.size());
  first_ += text.substr(0, front);
  last_ += text.substr(front);
  if (last_.size() > 2 * half_) last_.erase(0, last_.size() - half_);
}

std::string BoundedText::text() const {
  if (bytes_ == first_.size() + last_.size()) return first_ + last_;
  // Whole lines, if there are any.
  std::string_view first = first_;
  std::string_view last = last_;
  if (const std::size_t end = first.rfind('\n'); end != std::string_view::npos) first = first.substr(0, end + 1);
  if (const std::size_t end = last.find('\n'); end != std::string_view::npos) last.remove_prefix(end + 1);
  return fmt::format("{}{}[...] {} lines ({} bytes) left out\n{}", first, first.ends_with('\n') ? "" : "\n",
                     lines_ - count_lines(first) - count_lines(last), bytes_ - first.size() - last.size(), last);
}

CapturedOutput::CapturedOutput(std::size_t room) : text_(room) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  read_ = Descriptor(ends[0]);
  write_ = Descriptor(ends[1]);
  fcntl(read_.get(), F_SETFL, O_NONBLOCK);
}

void CapturedOutput::redirect(bool standard_output, bool standard_error) {
  if (standard_output) dup2(write_.get(), STDOUT_FILENO);
  if (standard_error) dup2(write_.get(), STDERR_FILENO);
  write_.reset();
  read_.reset();
}

bool CapturedOutput::read() {
  constexpr std::size_t kPiece = 1U << 16;  // as much as a pipe holds
  std::array<char, kPiece> piece;
  const ssize_t size = ::read(read_.get(), piece.data(), piece.size());
  if (size > 0) text_.add({piece.data(), static_cast<std::size_t>(size)});
  if (size == 0) read_.reset();
  return size > 0;
}

std::string CapturedOutput::finish() {
  // What the child wrote, and no more: processes that it left behind may still write.
  constexpr unsigned kPieces = 16;
  for (unsigned i = 0; i < kPieces && read_ && read(); ++i) continue;
  read_.reset();
  return text_.text();
}

}  // namespace pmufab::process
