// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/players.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "testbench/doors/register_server/gdb_packet.h"
#include "testbench/doors/register_server/gdb_session.h"
#include "testbench/doors/register_server/register_bus.h"

namespace pmufab::fuzz {
namespace {

using register_server::framed;
using register_server::kPacketSize;

/// A bus with registers of both widths, and places without. Checks that accesses are within their limits.
class CheckedTarget final : public register_server::Target {
 public:
  std::size_t read(std::uint64_t address, std::span<std::uint8_t> bytes) override {
    check(bytes.size());
    const std::size_t done = bus_.read(address, bytes);
    if (done > bytes.size()) throw Violation("more bytes were read than asked for");
    return done;
  }
  std::size_t write(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    check(bytes.size());
    const std::size_t done = bus_.write(address, bytes);
    if (done > bytes.size()) throw Violation("more bytes were written than given");
    return done;
  }
  [[nodiscard]] std::uint64_t time() const override { return 0; }
  bool end_wait(std::uint64_t until, const std::function<void(std::string_view)>& /*print*/) override {
    return until == 0;
  }
  bool command(const std::string& words, const std::function<void(std::string_view)>& print,
               std::optional<std::uint64_t>& until) override {
    if (words.size() % 5 == 4) until = words.size();
    if (words.size() > kPacketSize) throw Violation("a command that no packet holds");
    print(words);
    print(std::string(words.size() * 3, '#'));
    return words.size() % 2 == 0;
  }

 private:
  static void check(std::size_t size) {
    if (size == 0 || size > kPacketSize) throw Violation(fmt::format("an access of {} bytes", size));
  }
  static bool access(std::uint64_t address, unsigned length, std::uint64_t& value) {
    if ((length != 1 && length != 2 && length != 4 && length != 8) || address % length != 0)
      throw Violation(fmt::format("an access of the bus of {} bytes at {:#x}", length, address));
    value = address;
    return address % 0x1000 < 0xf00;
  }

  register_server::RegisterBus bus_{
      [](std::uint64_t address, unsigned length, bool, std::uint64_t& value) { return access(address, length, value); },
      [](std::uint64_t address) { return address % 16 == 0; }};
};

/// Everything between two zeros as packets with right checksums.
std::string with_frames(std::string_view text) {
  std::string packets;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    packets += framed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return packets;
}

void check_output(std::string_view output) {
  register_server::PacketReader reader;
  while (!output.empty()) {
    if (output.front() == '+' || output.front() == '-') {
      output.remove_prefix(1);
      continue;
    }
    if (output.front() != '$') throw Violation("bytes outside of packets");
    // It reads no packet that is longer than what a client was told.
    if (reader.take(output) != register_server::PacketReader::Found::packet) throw Violation("no whole packet");
  }
}

}  // namespace

void play_on_register_server(std::span<const std::uint8_t> input) {
  if (input.empty()) return;
  constexpr unsigned kPiece = 0x1f;
  constexpr unsigned kPlus = 0x20;
  constexpr unsigned kFrames = 0x40;
  std::string bytes(input.begin() + 1, input.end());
  if ((input[0] & kFrames) != 0) bytes = with_frames(bytes);
  if ((input[0] & kPlus) != 0) bytes.insert(0, "+");
  const std::size_t piece = (input[0] & kPiece) != 0 ? input[0] & kPiece : std::max<std::size_t>(bytes.size(), 1);

  CheckedTarget target;
  register_server::Session session(target);
  for (std::size_t at = 0; at < bytes.size() && !session.is_over(); at += piece) {
    std::string_view rest = std::string_view(bytes).substr(at, piece);
    while (!session.is_over()) {
      rest.remove_prefix(session.receive(rest));
      check_output(session.output());
      session.output().clear();
      if (!session.waits_until()) break;
      session.end_wait();
    }
  }
  if (session.is_over()) return;
  session.receive("+#00#00");  // ends whatever the input has left unfinished
  if (session.waits_until()) session.end_wait();
  session.output().clear();
  session.receive(framed("m100,4"));
  const std::string& answer = session.output();
  if (!answer.ends_with(framed("00010000"))) throw Violation(fmt::format("after the input it answers '{}'", answer));
}

}  // namespace pmufab::fuzz
