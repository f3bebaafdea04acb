// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pmufab::process {

/// A short text that a child tells its parent without writing, in SharedMemory. Other code in the child may write here,
/// too, by mistake: the text is there only if a flag is exactly 1.
class SharedText {
 public:
  static constexpr std::size_t kRoom = 200;  ///< bytes, with the zero at the end

  /// In the child. Does not allocate. @param text  its beginning is kept
  void tell(std::string_view text) noexcept {
    const std::size_t size = std::min(text.size(), letters_.size() - 1);
    for (std::size_t i = 0; i < size; ++i) letters_[i] = text[i];
    letters_[size] = 0;
    is_whole_ = 1;
  }
  [[nodiscard]] bool is_told() const noexcept { return is_whole_ == 1; }
  /// @return empty: none is told
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < letters_.size() && is_told() && letters_[i] != 0; ++i) text += letters_[i];
    return text;
  }

 private:
  std::array<std::atomic<char>, kRoom> letters_{};  // ends with a zero
  std::atomic<std::uint8_t> is_whole_{0};
};

}  // namespace pmufab::process
