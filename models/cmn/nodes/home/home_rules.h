// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pmufab::cmn {

/// How a home treats a request: the table of rule 3.4, by opcode.
struct HomeRule {
  /// The RN-Fs to snoop, among those that the snoop filter has for the line.
  enum class Snooped : std::uint8_t { nobody, owner, others, all, stash_target };
  /// The change of the snoop filter's entry.
  enum class Entry : std::uint8_t { unchanged, add, alone, remove_requester, remove };
  enum class Kind : std::uint8_t {
    unknown,
    read_no_snp,
    write_no_snp,
    read_shared,  ///< also ReadClean and ReadNotSharedDirty
    read_unique,
    read_once,
    clean_unique,
    make_unique,
    evict,
    write_back,
    write_clean,
    write_evict,
    write_unique,
    clean_shared,
    clean_invalid,
    make_invalid,
    atomic,
    stash,
  };

  Kind kind = Kind::unknown;
  Snooped snooped = Snooped::nobody;
  Entry entry = Entry::unchanged;
  std::uint8_t snoop = 0;           ///< opcode
  std::uint8_t forwarding = 0;      ///< opcode of the snoop's forwarding type; 0: none
  std::uint8_t occupancy_code = 0;  ///< code of filter occup1: 1 read, 2 write, 3 atomic, 4 stash, 0 none of these
};

/// @return the rule for an opcode of REQ; its kind is unknown for opcodes that homes do not take.
[[nodiscard]] const HomeRule& home_rule(std::uint8_t opcode) noexcept;

}  // namespace pmufab::cmn
