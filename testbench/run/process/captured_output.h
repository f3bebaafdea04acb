// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "testbench/run/process/descriptor.h"

namespace pmufab::process {

/// Text of any length in a limited room: its beginning and its end.
class BoundedText {
 public:
  /// @param room  bytes to keep of longer texts, about
  explicit BoundedText(std::size_t room) : half_(room / 2) {}
  void add(std::string_view text);
  /// @return the text. A line "[...] 12 lines (345 bytes) left out" stands for what was not kept.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t half_;
  std::string first_;
  std::string last_;
  std::uint64_t bytes_ = 0;
  std::uint64_t lines_ = 0;
};

/// What a child prints, through a pipe: however much that is, nothing grows.
class CapturedOutput {
 public:
  /// @param room  bytes to keep
  /// @throws std::system_error if there is no pipe
  explicit CapturedOutput(std::size_t room);

  /// In the new child: let standard output and standard error, one or both, be captured.
  void redirect(bool standard_output, bool standard_error);
  /// In the parent, once the child has been started.
  void begin() { write_.reset(); }
  /// @return to poll for input; -1 if nobody can write any more
  [[nodiscard]] int descriptor() const noexcept { return read_.get(); }
  /// Read some of what is there. Does not wait. @return true if there may be more
  bool read();
  /// Read all that is there and close. @return what was kept
  [[nodiscard]] std::string finish();

 private:
  Descriptor read_;
  Descriptor write_;
  BoundedText text_;
};

}  // namespace pmufab::process
