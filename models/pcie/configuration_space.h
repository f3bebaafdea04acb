// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tlm/clock/clock_domain.h"

namespace pmufab {
class RegisterBank;
}

namespace pmufab::pcie {

/// The kinds of reset. A cold reset resets even sticky bits; conventional (warm and hot) and function level resets keep
/// them.
enum class ResetKind : std::uint8_t { cold, conventional, function_level };

/// The policies of the bits in a value of 1 ... 4 bytes. Bits in no mask are read only.
struct ConfigurationBits {
  std::uint32_t value = 0;               ///< after reset
  std::uint32_t writable = 0;            ///< read back what was written
  std::uint32_t write_one_to_clear = 0;  ///< writing one clears, zero leaves
  std::uint32_t sticky = 0;              ///< keep their value through all resets but a cold one
  std::uint32_t function_kept = 0;       ///< keep their value through a function level reset
};

/// A write of software as a hook sees it, after the policies have been applied.
struct ConfigurationWrite {
  unsigned offset;
  unsigned bytes;         ///< 1, 2 or 4
  std::uint32_t written;  ///< value written by software
  Picoseconds when;       ///< sc_time_stamp() plus the access's delay

  /// @return what software wrote to the byte at `at`; 0 if the access does not cover it
  [[nodiscard]] std::uint32_t byte(unsigned at) const noexcept {
    return at >= offset && at < offset + bytes ? (written >> (8 * (at - offset))) & 0xff : 0;
  }
};

/// The 4 KiB configuration space of a function: bytes with a policy per bit, and the two capability lists.
///
/// It is no RegisterBank, for two reasons. Software may access configuration space by bytes and half words anywhere,
/// which a bank of 32 and 64-bit registers refuses. And offsets are known only when the capabilities of a function are.
/// Undefined places read zero and ignore writes.
class ConfigurationSpace {
 public:
  static constexpr unsigned kSize = 4096;
  using WriteHook = std::function<void(const ConfigurationWrite&)>;
  using ReadHook = std::function<void(Picoseconds when)>;

  /// @param name  of the function, for errors
  explicit ConfigurationSpace(std::string name) : name_(std::move(name)) {}

  /// Define the bits at [offset, offset + bytes) and give them their reset value. This replaces any earlier definition
  /// of them. Writable and write-one-to-clear must not share bits.
  /// @throws SpecError if it is outside configuration space or two policies share a bit
  void define(unsigned offset, unsigned bytes, const ConfigurationBits& bits);
  /// Add a capability of `bytes` (header included) after the existing ones, and link it into the list.
  /// @return its offset. @throws SpecError if 0x40 ... 0xff is full
  unsigned add_capability(std::uint8_t id, unsigned bytes);
  /// The same for the extended list.
  /// @return its offset. @throws SpecError if 0x100 ... 0xfff is full
  unsigned add_extended_capability(std::uint16_t id, std::uint8_t version, unsigned bytes);
  /// Add a designated vendor-specific extended capability (id 0x0023).
  /// @param bytes  whole length, at least 10: 8 bytes of headers and the id; the caller defines the rest. The next
  ///               capability begins at a multiple of 4; the length field shows `bytes` as given.
  /// @return its offset
  unsigned add_dvsec(std::uint16_t vendor, std::uint16_t id, std::uint8_t revision, unsigned bytes);

  /// @return the offset of the capability with this id; 0 if there is none
  [[nodiscard]] unsigned find_capability(std::uint8_t id) const noexcept;
  [[nodiscard]] unsigned find_dvsec(std::uint16_t vendor, std::uint16_t id) const noexcept;

  /// Call `hook` after each write of software that touches [offset, offset + bytes).
  void on_write(unsigned offset, unsigned bytes, WriteHook hook);

  /// Call `hook` before each read of software that touches [offset, offset + bytes). It may set() these bytes.
  void on_read(unsigned offset, unsigned bytes, ReadHook hook);

  /// A read of software: hooks are called. Parameters are those of read().
  [[nodiscard]] std::uint32_t fetch(unsigned offset, unsigned bytes, Picoseconds when) const;
  /// What the space holds.
  /// @param bytes  1, 2 or 4; offset + bytes within the space
  [[nodiscard]] std::uint32_t read(unsigned offset, unsigned bytes) const noexcept;
  /// A write of software: policies are applied and hooks called.
  void write(unsigned offset, unsigned bytes, std::uint32_t value, Picoseconds when);
  /// Set the bits from the hardware side, whatever the policies say. No hook is called.
  void set(unsigned offset, unsigned bytes, std::uint32_t value) noexcept;

  /// Set every bit that this kind of reset does not keep to its reset value.
  void reset(ResetKind kind) noexcept;

  /// Let a bank name the registers of the space. @param bank  outlives it, or is not used after its end
  void show_by(const RegisterBank& bank) noexcept { bank_ = &bank; }
  /// @return the bank that names its registers; null: none does
  [[nodiscard]] const RegisterBank* shown_by() const noexcept { return bank_; }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  using Bytes = std::array<std::uint8_t, kSize>;
  template <typename Call>
  struct Hook {
    unsigned offset;
    unsigned bytes;
    Call call;

    [[nodiscard]] bool is_touched(unsigned at, unsigned length) const noexcept {
      return at < offset + bytes && offset < at + length;
    }
  };
  static void place(Bytes& bytes, unsigned offset, unsigned length, std::uint32_t value) noexcept;

  std::string name_;
  const RegisterBank* bank_ = nullptr;
  Bytes value_{}, reset_{}, writable_{}, clears_{}, sticky_{}, function_kept_{};
  std::vector<Hook<WriteHook>> write_hooks_;
  std::vector<Hook<ReadHook>> read_hooks_;
  unsigned capabilities_end_ = 0x40;
  unsigned last_capability_ = 0;  // 0: none
  unsigned extended_end_ = 0x100;
  unsigned last_extended_ = 0;
};

}  // namespace pmufab::pcie
