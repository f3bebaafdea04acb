// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pmufab::register_server {

/// What a client of the server reaches.
class Target {
 public:
  virtual ~Target() = default;
  /// Read bytes from an address on. @return how many could be read, before the first that could not
  virtual std::size_t read(std::uint64_t address, std::span<std::uint8_t> bytes) = 0;
  /// Write bytes from an address on. @return how many could be written, in the same way
  virtual std::size_t write(std::uint64_t address, std::span<const std::uint8_t> bytes) = 0;
  /// Carry out a command ("monitor run 10us").
  /// @param print  takes its output, in parts
  /// @param until  set by a command that waits for simulated time to pass: the instant that it waits for, in
  ///               picoseconds. end_wait() has its outcome then
  /// @return false if there is no such command, or it failed; the output says why
  virtual bool command(const std::string& words, const std::function<void(std::string_view)>& print,
                       std::optional<std::uint64_t>& until) = 0;
  /// Simulated time, in picoseconds.
  [[nodiscard]] virtual std::uint64_t time() const = 0;
  /// A command no longer waits for an instant. @return false if it has not come; the output says so
  virtual bool end_wait(std::uint64_t until, const std::function<void(std::string_view)>& print) = 0;
};

}  // namespace pmufab::register_server
