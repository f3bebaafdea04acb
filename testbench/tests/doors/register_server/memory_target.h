// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "testbench/doors/register_server/target.h"

namespace pmufab::register_server {

/// Bytes at some addresses, and a record of what a client does.
class MemoryTarget final : public Target {
 public:
  std::size_t read(std::uint64_t address, std::span<std::uint8_t> bytes) override {
    reads.emplace_back(address, bytes.size());
    std::size_t done = 0;
    for (; done < bytes.size() && memory.contains(address + done); ++done) bytes[done] = memory[address + done];
    return done;
  }
  std::size_t write(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    writes.emplace_back(address, std::string(bytes.begin(), bytes.end()));
    std::size_t done = 0;
    for (; done < bytes.size() && memory.contains(address + done); ++done) memory[address + done] = bytes[done];
    return done;
  }
  [[nodiscard]] std::uint64_t time() const override { return now; }
  bool end_wait(std::uint64_t until, const std::function<void(std::string_view)>& /*print*/) override {
    return now >= until;
  }
  bool command(const std::string& words, const std::function<void(std::string_view)>& print,
               std::optional<std::uint64_t>& until) override {
    if (words == "wait") until = now + 100;
    commands.push_back(words);
    print(printed);
    if (on_command) on_command();
    return succeeds;
  }

  std::map<std::uint64_t, std::uint8_t> memory;
  std::vector<std::pair<std::uint64_t, std::size_t>> reads;
  std::vector<std::pair<std::uint64_t, std::string>> writes;
  std::vector<std::string> commands;
  std::string printed;
  std::uint64_t now = 0;  // simulated time
  bool succeeds = true;
  std::function<void()> on_command;
};

}  // namespace pmufab::register_server
