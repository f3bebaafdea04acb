// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/import/acpi_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "testbench/run/yaml/input_error.h"
#include "tlm/spec/printable.h"
#include "tools/pmufab/cli.h"
#include "tools/pmufab/output.h"
#include "tools/pmufab/user_program.h"

namespace pmufab::cli {
namespace {

/// A word, a string or one character of ASL.
struct AslToken {
  enum class Kind : std::uint8_t { word, string, mark };
  Kind kind = Kind::mark;
  std::string text;

  [[nodiscard]] bool is(char mark) const { return kind == Kind::mark && text.front() == mark; }
};

bool is_asl_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\\' || c == '^';
}

/// @return the place behind what begins at `at`: a comment, or blanks. `at` itself, if neither does.
std::size_t behind_blank(std::string_view text, std::size_t at) {
  if (std::isspace(static_cast<unsigned char>(text[at])) != 0) return at + 1;
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) != "/*") return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

std::vector<AslToken> asl_tokens(std::string_view text) {
  std::vector<AslToken> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t next = behind_blank(text, at); next != at) {
      at = next;
    } else if (text[at] == '"') {
      AslToken& token = tokens.emplace_back(AslToken{AslToken::Kind::string, {}});
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        token.text += text[at];
      }
      ++at;
    } else if (is_asl_word(text[at])) {
      const std::size_t first = at;
      while (at < text.size() && is_asl_word(text[at])) ++at;
      tokens.push_back({AslToken::Kind::word, std::string(text.substr(first, at - first))});
    } else {
      tokens.push_back({AslToken::Kind::mark, std::string(1, text[at++])});
    }
  }
  return tokens;
}

std::optional<std::uint64_t> asl_number(const AslToken& token) {
  if (token.text == "Zero") return 0;
  if (token.text == "One") return 1;
  const bool is_hexadecimal = token.text.starts_with("0x") || token.text.starts_with("0X");
  const char* const first = token.text.data() + (is_hexadecimal ? 2 : 0);
  const char* const last = token.text.data() + token.text.size();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, is_hexadecimal ? 16 : 10);
  if (token.kind != AslToken::Kind::word || error != std::errc{} || end != last || first == last) return std::nullopt;
  return value;
}

/// Reads devices, one token after the other.
class AslReader {
 public:
  AslReader(std::string_view text, const std::string& file) : tokens_(asl_tokens(text)), file_(file) {}

  std::vector<NamespaceDevice> devices() {
    while (at_ < tokens_.size()) {
      const AslToken& token = tokens_[at_++];
      if (token.is('{')) ++depth_;
      if (token.is('}')) {
        --depth_;
        if (!open_.empty() && depth_ <= open_.back().depth) open_.pop_back();
      }
      if (token.kind == AslToken::Kind::word && is_next('(')) read_term(token.text);
    }
    find_absent();
    return found_;
  }

 private:
  struct Open {
    std::size_t device;
    int depth;
  };

  /// A device is present if bit 0 of _STA says so. One that is neither present nor functional (bit 3) hides those in it
  /// (ACPI 6.5, 6.3.7).
  void find_absent() {
    constexpr std::uint64_t kPresent = 1;
    constexpr std::uint64_t kFunctional = 8;
    std::vector<bool> is_hidden;  // what is in a device
    for (std::size_t index = 0; index < found_.size(); ++index) {
      NamespaceDevice& device = found_[index];
      const std::uint64_t status = device.status.value_or(kPresent);
      const bool is_in_hidden = around_[index] && is_hidden[*around_[index]];
      device.is_present = (status & kPresent) != 0 && !is_in_hidden;
      is_hidden.push_back(is_in_hidden || (status & (kPresent | kFunctional)) == 0);
    }
  }

  [[nodiscard]] bool is_next(char mark) const { return at_ < tokens_.size() && tokens_[at_].is(mark); }

  void read_term(const std::string& word) {
    if (word == "Device") {
      const std::vector<AslToken> words = arguments();
      const std::string name = words.empty() ? std::string() : words.front().text;
      NamespaceDevice& device = found_.emplace_back();
      device.place = fmt::format("{} of {}", printable(name), printable(file_));
      around_.push_back(open_.empty() ? std::nullopt : std::optional<std::size_t>(open_.back().device));
      open_.push_back({found_.size() - 1, depth_});
      return;
    }
    if (open_.empty()) return;
    NamespaceDevice& device = found_[open_.back().device];
    if (word == "Name") return read_name(device);
    if (word == "QWordMemory" || word == "DWordMemory" || word == "ExtendedMemory")
      return read_memory(word, device, 7, 10);
    if (word == "Memory32Fixed") return read_memory(word, device, 1, 2);
    if (word == "Memory32" || word == "Memory24") return read_memory(word, device, 1, 4);
    if (word == "Interrupt" || word == "IRQ" || word == "IRQNoFlags") return read_interrupts(device);
  }

  /// @return what stands between brackets, divided by commas: the last word or string of each. Only for terms without
  /// braces between the brackets.
  std::vector<AslToken> arguments() {
    std::vector<AslToken> words(1);
    int depth = 0;
    while (at_ < tokens_.size() && !tokens_[at_].is('{') && !tokens_[at_].is('}')) {
      const AslToken& token = tokens_[at_++];
      if (token.is('(')) ++depth;
      if (token.is(')') && --depth == 0) break;
      if (token.is(',') && depth == 1) {
        words.emplace_back();
      } else if (token.kind != AslToken::Kind::mark) {
        words.back() = token;
      }
    }
    return words;
  }

  /// Name (_HID, "ARMHC700"), Name (_UID, Zero), Name (_HID, EisaId ("PNP0A08")). The value of others is left to be
  /// read.
  void read_name(NamespaceDevice& device) {
    constexpr std::size_t kValue = 3;
    if (at_ + kValue >= tokens_.size()) return;
    const std::string& name = tokens_[at_ + 1].text;
    if (name == "_DSD") return read_compatible(device);
    if (name == "_CID") return read_compatible_ids(device);
    if (name != "_HID" && name != "_UID" && name != "_PXM" && name != "_SEG" && name != "_BBN" && name != "_STA")
      return;
    const std::vector<AslToken> words = arguments();
    if (words.size() != 2) return;
    const std::optional<std::uint64_t> value = asl_number(words[1]);
    if (name == "_HID") device.hid = printable(words[1].text);
    if (name == "_UID") device.uid = value ? fmt::format("{}", *value) : printable(words[1].text);
    if (name == "_PXM") device.node = value;
    if (name == "_SEG") device.segment = value;
    if (name == "_BBN") device.bus = value;
    if (name == "_STA") device.status = value;
  }

  /// Package () { "compatible", "arm,cmn-700" }, or a package of several strings: the first counts.
  void read_compatible(NamespaceDevice& device) const {
    bool is_behind = false;
    for (std::size_t next = at_ + 1; next < tokens_.size(); ++next) {
      const AslToken& token = tokens_[next];
      if (token.kind == AslToken::Kind::word && (token.text == "Name" || token.text == "Device")) return;
      if (token.kind != AslToken::Kind::string) continue;
      if (is_behind) {
        device.compatible = printable(token.text);
        return;
      }
      is_behind = token.text == "compatible";
    }
  }

  /// Name (_CID, "ARMHC700"), or a package of several.
  void read_compatible_ids(NamespaceDevice& device) const {
    for (std::size_t next = at_ + 3; next < tokens_.size(); ++next) {
      const AslToken& token = tokens_[next];
      if (token.kind == AslToken::Kind::word && (token.text == "Name" || token.text == "Device")) return;
      if (token.kind == AslToken::Kind::string) device.cids.push_back(printable(token.text));
      if (token.is('}') || (token.is(')') && tokens_[next - 1].kind == AslToken::Kind::string)) return;
    }
  }

  void read_memory(const std::string& word, NamespaceDevice& device, std::size_t base, std::size_t size) {
    const std::vector<AslToken> words = arguments();
    const std::optional<std::uint64_t> first = base < words.size() ? asl_number(words[base]) : std::nullopt;
    const std::optional<std::uint64_t> length = size < words.size() ? asl_number(words[size]) : std::nullopt;
    if (first && length)
      device.memory.push_back({*first, *length});
    else
      device.unread.push_back(word);
  }

  void read_interrupts(NamespaceDevice& device) {
    static_cast<void>(arguments());
    for (std::size_t next = at_ + 1; is_next('{') && next < tokens_.size() && !tokens_[next].is('}'); ++next) {
      if (const std::optional<std::uint64_t> number = asl_number(tokens_[next])) device.interrupts.push_back(*number);
    }
  }

  std::vector<AslToken> tokens_;
  const std::string& file_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Open> open_;
  std::vector<NamespaceDevice> found_;
  std::vector<std::optional<std::size_t>> around_;  // the device that each of them is in
};

/// @return the first line of iasl's that tells of an error
std::string first_complaint(const std::string& said) {
  const std::size_t error = std::min(said.find("Error"), said.find("error"));
  if (error == std::string::npos) return {};
  const std::size_t line = said.rfind('\n', error) + 1;
  return printable(said.substr(line, said.find('\n', line) - line));
}

}  // namespace

std::string disassembled(const TableFile& table, const std::filesystem::path& scratch) {
  const auto refuse = [&](const std::string& reason, const std::string& suggestion) {
    throw scenario::InputError({std::make_shared<const std::string>(table.file), 0, 0}, {}, reason, suggestion);
  };
  const std::string file = (scratch / "table").string();
  write_file(file + ".aml", table.bytes);
  std::error_code ignored;
  std::filesystem::remove(file + ".dsl", ignored);
  const ProgramReply reply = ask_program({"timeout", "60", "iasl", "-p", file, "-d", file + ".aml"});
  if (reply.exit_code == kNoSuchProgram)
    refuse("there is no command iasl, which reads this table",
           "install it (Debian's package acpica-tools), or give the tables APMT and PPTT alone");
  std::ifstream stream(file + ".dsl", std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (reply.exit_code == kTimedOut) refuse("iasl does not end within a minute", "leave this table out");
  const std::string complaint = first_complaint(reply.errors + reply.out);
  if (reply.exit_code != 0 || text.empty())
    refuse(fmt::format("iasl does not understand the table {}: '{}'", table.signature, complaint),
           "leave this table out, or read it again");
  if (!complaint.empty())
    complain("pmufab: {}: devices may be missing, because iasl says: {}\n", printable(table.file), complaint);
  return text;
}

std::vector<NamespaceDevice> devices_in(std::string_view asl, const std::string& file) {
  return AslReader(asl, file).devices();
}

}  // namespace pmufab::cli
