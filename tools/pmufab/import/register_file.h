// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tools/pmufab/import/machine.h"

/// What a chip's register files tell: plain data. The readers of SystemRDL and CMSIS-SVD make it, draft_of() writes it
/// as a platform with described PMUs.
namespace pmufab::cli {

inline constexpr std::uint64_t kMostFileRegisters = 0x2'0000;  ///< of a file, elements of arrays included

struct FileField {
  std::string name;  ///< empty: the register has no fields, and this is all of it
  unsigned lsb = 0;
  unsigned width = 0;
  std::uint64_t reset = 0;
  bool is_read = true;
  bool is_written = true;
  std::string effect{};  ///< by_one, by_zero, by_read: what clears it; any other: what access does, as the file says it
  std::string hint{};    ///< a role that the file tells: counter or overflow
  std::string description{};
  int line = 0;
};

struct FilePart;

/// A part, or an array of such, in another one.
struct FileInstance {
  std::string name;  ///< an identifier
  std::shared_ptr<const FilePart> part;
  std::uint64_t offset = 0;  ///< bytes; of a block: its address
  std::uint64_t count = 1;
  std::uint64_t stride = 0;  ///< bytes from one to the next
  int line = 0;
  std::string remark{};  ///< why it cannot stand in a draft
};

struct FilePart {
  enum class Kind : std::uint8_t {
    reg,
    group,  ///< of registers: regfile, cluster
    block,  ///< what becomes a PMU: addrmap, peripheral
  };
  Kind kind = Kind::reg;
  unsigned width = 32;  ///< bits of a register
  bool halves = false;  ///< it is accessed as halves of 32 bits, too
  std::string description{};
  std::vector<FileField> fields{};       ///< of a register, lowest first
  std::vector<FileInstance> children{};  ///< of others
};

/// A file of registers.
struct RegisterFile {
  std::string name;  ///< as the user named it
  std::vector<FileInstance> blocks;
  bool has_addresses = true;  ///< of the first block. SystemRDL tells none of the outermost addrmap

  /// Not fit for a draft. @throws scenario::InputError
  [[noreturn]] void refuse(int line, const std::string& reason, const std::string& suggestion = {}) const;
};

/// @return the number that digits are to a base; nothing if they are none of up to 64 bits
[[nodiscard]] inline std::optional<std::uint64_t> number_from(std::string_view digits, int base) {
  std::uint64_t number = 0;
  if (base == 0 || digits.empty()) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// @return whether a word is in a list, which has a blank before and behind each
[[nodiscard]] inline bool is_listed(std::string_view list, const std::string& word) {
  return list.find(" " + word + " ") != std::string_view::npos;
}

/// @return FileField::effect of what reading and writing do, in words of SystemRDL or CMSIS-SVD
[[nodiscard]] inline std::string effect_of(const std::string& reading, const std::string& writing) {
  if (reading == "rclr" || reading == "clear") return "by_read";
  if (writing == "woclr" || writing == "oneToClear") return "by_one";
  if (writing == "wzc" || writing == "zeroToClear") return "by_zero";
  return writing.empty() ? reading : writing;
}

/// @return SystemRDL 2.0 (Accellera) without parameters, expressions and preprocessors
/// @throws scenario::InputError for what is wrong, or not known, with its line
[[nodiscard]] RegisterFile read_systemrdl(const std::filesystem::path& path);
/// @return CMSIS-SVD 1.3 (Arm)
/// @throws scenario::InputError for what is wrong, or not known, with its line
[[nodiscard]] RegisterFile read_svd(const std::filesystem::path& path);

struct RegisterDraft : Draft {
  std::uint64_t registers = 0;  ///< elements of arrays included
};

/// @return a platform with a described PMU for each block
/// @param chosen  names of blocks; empty: all
/// @param name    the platform's
/// @throws scenario::InputError if registers overlap, or a chosen block is not there
[[nodiscard]] RegisterDraft draft_of(const RegisterFile& file, const std::vector<std::string>& chosen,
                                     const std::string& name);

}  // namespace pmufab::cli
