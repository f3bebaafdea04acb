// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/gdb_session.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace pmufab::register_server {
namespace {

// Errors have numbers of Linux, in hexadecimal.
constexpr const char* kNoRegister = "E0e";   // EFAULT: the bus refuses the access
constexpr const char* kMalformed = "E16";    // EINVAL
constexpr const char* kNotPossible = "E5f";  // EOPNOTSUPP: there is no CPU
constexpr const char* kTooLong = "E5a";      // EMSGSIZE
constexpr const char* kFailed = "E01";       // a command; its output says why
constexpr const char* kStopped = "T05thread:1;";
constexpr std::size_t kMostBytes = kPacketSize / 2;  // of memory in a reply
constexpr std::size_t kMostOutput = 1 << 20;         // that waits to be sent, before more is answered

std::optional<std::uint64_t> number(std::string_view digits) {
  constexpr int kHexadecimal = 16;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, kHexadecimal);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

struct Place {
  std::uint64_t address;
  std::uint64_t length;
};

/// "address,length"
std::optional<Place> place(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> address = number(text.substr(0, comma));
  const std::optional<std::uint64_t> length = number(text.substr(comma + 1));
  if (!address || !length) return std::nullopt;
  return Place{*address, *length};
}

/// The general registers of a 64-bit CPU up to its program counter: all zero. GDB reads memory at the program counter
/// when it connects, and after each write. So that address must have no register.
std::string cpu_registers(bool is_x86) {
  constexpr std::size_t kX86 = 17;      // rax ... r15, rip
  constexpr std::size_t kAarch64 = 33;  // x0 ... x30, sp, pc
  constexpr const char* kNowhere = "f0ffffffffffffff";
  std::string registers(16 * ((is_x86 ? kX86 : kAarch64) - 1), '0');
  return registers + kNowhere;
}

}  // namespace

bool Session::is_interrupted_by(std::string_view bytes) {
  PacketReader reader;  // a byte of that value inside of a packet is none
  while (true) {
    const PacketReader::Found found = reader.take(bytes);
    if (found == PacketReader::Found::interrupt) return true;
    if (found == PacketReader::Found::nothing) return false;
  }
}

std::size_t Session::receive(std::string_view bytes, std::size_t packets) {
  const std::size_t size = bytes.size();
  if (!has_begun_ && !bytes.empty()) {
    // A web page can make a browser send requests here. They begin with a letter.
    has_begun_ = true;
    is_over_ = std::string_view("+-$\x03").find(bytes.front()) == std::string_view::npos;
  }
  for (; !is_over_ && !waits_until_ && packets > 0 && output_.size() < kMostOutput; --packets) {
    const PacketReader::Found found = reader_.take(bytes);
    switch (found) {
      case PacketReader::Found::nothing:
        return size;
      case PacketReader::Found::packet:
        if (acknowledges_) output_ += '+';
        handle(reader_.content());
        break;
      case PacketReader::Found::bad_packet:
        if (acknowledges_) {
          output_ += '-';  // the client sends it again
        } else {
          reply(kMalformed);
        }
        break;
      case PacketReader::Found::long_packet:
        if (acknowledges_) output_ += '+';
        reply(kTooLong);
        break;
      case PacketReader::Found::resend:
        if (acknowledges_) output_ += last_reply_;
        break;
      case PacketReader::Found::interrupt:
        break;  // nothing runs
    }
  }
  return size - bytes.size();
}

void Session::reply(std::string_view content) {
  last_reply_ = framed(content);
  output_ += last_reply_;
}

void Session::handle(const std::string& packet) {
  const std::string_view rest = packet.empty() ? std::string_view() : std::string_view(packet).substr(1);
  switch (packet.empty() ? '\0' : packet.front()) {
    case '?':
      return reply(kStopped);
    case 'g':
      return reply(cpu_registers(knows_x86_));
    case 'm':
      return read_memory(rest);
    case 'M':
    case 'X':
      return write_memory(rest, packet.front() == 'X');
    case 'H':
    case 'T':
      return reply("OK");  // there is one thread
    case 'q':
      return handle_query(rest);
    case 'Q':
      if (rest == "StartNoAckMode") {
        acknowledges_ = false;
        return reply("OK");
      }
      return reply("");
    case 'v':
      return handle_v(rest);
    case 'c':
    case 'C':
    case 's':
    case 'S':
    case 'G':
    case 'P':
      return reply(kNotPossible);
    case 'D':
      is_over_ = true;
      return reply("OK");
    case 'k':
      is_over_ = true;
      return;
    default:
      return reply("");
  }
}

void Session::handle_v(std::string_view packet) {
  if (packet.starts_with("Cont;")) return reply(kNotPossible);
  if (packet.starts_with("Kill;")) {
    is_over_ = true;
    return reply("OK");
  }
  reply("");
}

void Session::handle_query(std::string_view packet) {
  constexpr std::string_view kCommand = "Rcmd,";
  constexpr std::string_view kDescription = "Xfer:features:read:target.xml:";
  if (packet == "Supported" || packet.starts_with("Supported:")) return support(packet);
  if (packet.starts_with(kCommand)) return command(packet.substr(kCommand.size()));
  if (packet.starts_with(kDescription)) return describe_machine(packet.substr(kDescription.size()));
  if (packet == "C") return reply("QC1");
  if (packet == "fThreadInfo") return reply("m1");
  if (packet == "sThreadInfo") return reply("l");
  if (packet == "Attached" || packet.starts_with("Attached:")) return reply("1");  // so GDB detaches when it ends
  reply("");
}

void Session::support(std::string_view packet) {
  // Every GDB that knows x86 says so.
  knows_x86_ = false;
  if (const std::size_t found = packet.find("xmlRegisters="); found != std::string_view::npos) {
    const std::string_view list = packet.substr(found, packet.find(';', found) - found);
    knows_x86_ = list.find("i386") != std::string_view::npos;
  }
  reply(fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+", kPacketSize));
}

/// Without this, GDB believes that addresses have 32 bits.
void Session::describe_machine(std::string_view place_text) {
  const std::string document = fmt::format(
      R"(<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target><architecture>{}</architecture></target>)",
      knows_x86_ ? "i386:x86-64" : "aarch64");
  const std::optional<Place> part = place(place_text);
  if (!part) return reply(kMalformed);
  if (part->address >= document.size()) return reply("l");
  const std::string rest = document.substr(part->address, std::min<std::uint64_t>(part->length, kMostBytes));
  reply((part->address + rest.size() < document.size() ? "m" : "l") + rest);
}

void Session::read_memory(std::string_view arguments) {
  const std::optional<Place> part = place(arguments);
  if (!part || part->length == 0) return reply(kMalformed);
  // A reply may be shorter than what was asked for.
  std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(part->length, kMostBytes));
  const std::size_t done = target_.read(part->address, bytes);
  if (done == 0) return reply(kNoRegister);
  reply(to_hex({reinterpret_cast<const char*>(bytes.data()), done}));
}

void Session::write_memory(std::string_view arguments, bool is_binary) {
  const std::size_t colon = arguments.find(':');
  if (colon == std::string_view::npos) return reply(kMalformed);
  const std::optional<Place> part = place(arguments.substr(0, colon));
  const std::string_view data = arguments.substr(colon + 1);
  std::string bytes;
  if (is_binary) {
    bytes = data;
  } else if (!from_hex(data, bytes)) {
    return reply(kMalformed);
  }
  if (!part || part->length != bytes.size()) return reply(kMalformed);
  if (bytes.empty()) return reply("OK");  // GDB tries whether X is known
  const std::size_t done =
      target_.write(part->address, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  reply(done == bytes.size() ? "OK" : kNoRegister);
}

void Session::command(std::string_view digits) {
  std::string words;
  if (!from_hex(digits, words)) return reply(kMalformed);
  const bool good = target_.command(
      words, [this](std::string_view text) { print(text); }, waits_until_);
  if (!waits_until_) reply(good ? "OK" : kFailed);
}

void Session::end_wait() {
  const std::uint64_t until = waits_until_.value();
  waits_until_.reset();
  reply(target_.end_wait(until, [this](std::string_view text) { print(text); }) ? "OK" : kFailed);
}

void Session::print(std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kMostBytes - 1);
    reply("O" + to_hex(part));
    text.remove_prefix(part.size());
  }
}

}  // namespace pmufab::register_server
