// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace pmufab::traffic {

/// Reads the lines of a text stream, without copying lines that lie within one buffer.
class LineReader {
 public:
  /// Longer lines are cut here, and reported as such: no text of this project has them.
  static constexpr std::size_t kLongest = 65536;

  explicit LineReader(std::istream& stream) : stream_(&stream), buffer_(4 * kLongest) {}

  enum class Result : std::uint8_t { line, unterminated, too_long, end };

  /// @param line  without its line feed; valid until the next call
  /// @return unterminated: the text ends without a line feed
  Result next(std::string_view& line) {
    for (;;) {
      const char* const start = buffer_.data() + begin_;
      const auto* const feed = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
      if (feed != nullptr) {
        line = std::string_view(start, static_cast<std::size_t>(feed - start));
        begin_ += line.size() + 1;
        ++number_;
        return Result::line;
      }
      if (end_ - begin_ > kLongest) {
        ++number_;
        line = std::string_view(start, kLongest);
        return Result::too_long;
      }
      if (!refill()) {
        if (begin_ == end_) return Result::end;
        line = std::string_view(buffer_.data() + begin_, end_ - begin_);
        begin_ = end_;
        ++number_;
        return Result::unterminated;
      }
    }
  }

  /// @return the number of the line that next() returned last, from 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// @return the bytes read from the stream so far.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return taken_; }

 private:
  bool refill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    stream_->read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
    const auto got = static_cast<std::size_t>(stream_->gcount());
    end_ += got;
    taken_ += got;
    return got != 0;
  }

  std::istream* stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace pmufab::traffic
