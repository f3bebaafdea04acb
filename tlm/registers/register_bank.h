// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <systemc>
#include <tlm>

#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_spec.h"

namespace pmufab {

/// SystemC report id of guest errors. A model reports each mistake once per place.
inline constexpr const char* kGuestErrorReport = "/pmufab/guest-error";

/// The response to an access to an offset without a register.
enum class HolePolicy : std::uint8_t {
  read_zero_write_ignored,  ///< as most parts do
  address_error,            ///< TLM_ADDRESS_ERROR_RESPONSE and one report per place
};

/// A register of a bank, as find() returns it. Cheap to copy; valid for the life of the bank.
struct RegisterId {
  std::uint16_t index;
};

/// A field of a register, as find() returns it: where the value of the field lies in the register's. Cheap to copy.
struct RegisterField {
  RegisterId reg;
  std::uint8_t lsb;
  std::uint8_t width;

  /// @return the value of the field in a value of the register.
  [[nodiscard]] constexpr std::uint64_t of(std::uint64_t value) const noexcept {
    return value >> lsb & ~std::uint64_t{0} >> (64 - width);
  }
  /// @return a value of the field at its place in the register.
  [[nodiscard]] constexpr std::uint64_t placed(std::uint64_t value) const noexcept { return value << lsb; }
};

/// A write as a hook sees it, after the access policies have been applied.
struct RegisterWrite {
  unsigned element;       ///< index within an array, else 0
  std::uint64_t written;  ///< value written by software, at its place in the register; untouched bits are 0
  std::uint64_t mask;     ///< which bits the access covered (all, or one 32-bit half)
  std::uint64_t before;   ///< stored value before the access (not the live value)
  std::uint64_t after;    ///< stored value now
  Picoseconds when;       ///< sc_time_stamp() plus the access's delay (the bank's latency is added after it)
};

/// A write as the hook of a field sees it: values of the field alone.
struct FieldWrite {
  unsigned element;       ///< index within an array, else 0
  std::uint64_t written;  ///< what software wrote; 0 if the access did not cover the field
  std::uint64_t before;   ///< stored value before the access
  std::uint64_t after;    ///< stored value now
  Picoseconds when;       ///< as in RegisterWrite
};

/// The registers behind one window of the address map, declared by a table of RegisterSpec.
///
/// Accesses are 4 or 8 bytes, aligned, and match the register's width (or a half, where declared). Any other access
/// changes nothing, is reported once per place under kGuestErrorReport with the names of register and bits, and answers
/// with this TLM response status:
/// - wrong size, unaligned, or streaming width below the length: TLM_BURST_ERROR_RESPONSE
/// - byte enables: TLM_BYTE_ENABLE_ERROR_RESPONSE
/// - neither read nor write: TLM_COMMAND_ERROR_RESPONSE
/// - outside the window, or a hole where holes are errors: TLM_ADDRESS_ERROR_RESPONSE
///
/// A write without effect is reported under kLostWriteReport, but succeeds as in the real part: one where no register
/// is, to an element of an array that the part lacks, or one that sets bits that cannot be set (reserved, or read-only
/// and 0). All ones may be written to any register: so software clears all that there is, or finds it out.
///
/// The bank is no SystemC module: a model's target socket forwards b_transport and transport_dbg to it. The bank never
/// grants DMI.
class RegisterBank {
 public:
  /// Returns the value software reads now. Must not change anything, because debug reads and dumps call it too.
  using LiveValue = std::function<std::uint64_t(unsigned element, Picoseconds when)>;
  /// Acts on a write. Not called for debug writes.
  using WriteHook = std::function<void(const RegisterWrite&)>;

  struct Options {
    std::string name;    ///< instance name, for reports and dumps
    std::uint32_t size;  ///< bytes of the window
    HolePolicy holes = HolePolicy::read_zero_write_ignored;
    Picoseconds latency = 0;  ///< added to the delay of each access
    /// Whether writes without effect are reported. Not where software writes to find out what there is, as in the
    /// configuration space of PCI.
    bool reports_lost_writes = true;
  };

  /// @param registers  must outlive the bank (usually a constexpr table)
  /// @throws std::invalid_argument if the layout is not valid for the size
  RegisterBank(Options options, std::span<const RegisterSpec> registers);

  /// @throws std::out_of_range if there is no such register
  [[nodiscard]] RegisterId find(std::string_view name) const;
  /// @throws std::out_of_range if there is no such register, or it has no such field
  [[nodiscard]] RegisterField find(std::string_view reg, std::string_view field) const;
  /// @return the number of registers of the table. RegisterId{0} is the first.
  [[nodiscard]] std::size_t registers() const noexcept { return registers_.size(); }
  /// @throws std::out_of_range if there is no such register
  [[nodiscard]] const RegisterSpec& spec(RegisterId reg) const { return *registers_.at(reg.index).spec; }

  /// Implement only the first `count` elements of an array. The others read zero and ignore writes.
  void limit(RegisterId reg, unsigned count);
  /// Override the reset value of one element and apply it now, for configuration registers that depend on parameters.
  void set_reset(RegisterId reg, unsigned element, std::uint64_t value);
  void on_read(RegisterId reg, LiveValue live);
  /// Set the hook of a register. It replaces an earlier one, and those of fields.
  void on_write(RegisterId reg, WriteHook hook);
  /// Add the hook of a field, a function of a `const FieldWrite&`. It is called at each write to the register, after
  /// hooks that were set earlier.
  template <typename FieldHook>
  void on_write(RegisterField field, FieldHook hook) {
    WriteHook& target = hook_of(field.reg);
    target = [field, earlier = std::move(target), hook = std::move(hook)](const RegisterWrite& write) {
      if (earlier) earlier(write);
      hook(FieldWrite{write.element, field.of(write.written), field.of(write.before), field.of(write.after),
                      write.when});
    };
  }

  /// @return the stored value; live values are not consulted.
  [[nodiscard]] std::uint64_t value(RegisterId reg, unsigned element = 0) const noexcept;
  /// Replace the stored value, whatever the access policies say.
  void set_value(RegisterId reg, std::uint64_t value, unsigned element = 0) noexcept;
  /// @return what software would read at time `when`: the live value if there is one, with wo and raz bits zero.
  [[nodiscard]] std::uint64_t read(RegisterId reg, unsigned element, Picoseconds when) const;

  /// Set every register to its reset value. No hook is called. Errors are reported again.
  void reset();

  /// TLM-2.0 blocking transport. The payload's address is relative to the window.
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// TLM-2.0 debug transport of one whole register: no hook, no report. A debug write sets the stored value. @return
  /// the bytes moved, 0 on failure.
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);

  /// For a model that takes accesses itself and shows its registers by this bank: write down which register one is about,
  /// if it carries a RegisterNote. Before the access.
  void note(const tlm::tlm_generic_payload& payload, std::uint64_t offset, Picoseconds when) const;

  [[nodiscard]] const std::string& name() const noexcept { return options_.name; }
  [[nodiscard]] std::uint32_t size() const noexcept { return options_.size; }
  /// @return the number of guest errors and of writes that set unimplemented bits, repeated ones included.
  [[nodiscard]] std::uint64_t guest_errors() const noexcept { return guest_errors_; }

  /// Print every register with its value and decoded fields, for people.
  void dump_text(std::ostream& out, Picoseconds when) const;
  /// Print the register map (not the values) as a Markdown table.
  void dump_markdown(std::ostream& out) const;
  /// @return map and values, for tools.
  [[nodiscard]] nlohmann::json dump_json(Picoseconds when) const;

 private:
  struct Register {
    const RegisterSpec* spec;
    unsigned width;                     // the spec's
    unsigned count;                     // implemented elements
    std::vector<std::uint64_t> values;  // spec->count of them
    std::vector<std::uint64_t> resets;
    std::uint64_t rw = 0, w1c = 0, w1s = 0, readable = 0, settable = 0, unimplemented = 0;  // masks from the fields
    std::uint64_t unimplemented_reported = 0;
    std::uint64_t lost_reported = 0;  // bits
    LiveValue live;
    WriteHook hook;
  };
  struct Slot {  // what lies at each 4-byte step of the window
    std::uint16_t reg;
    std::uint16_t element;
    bool upper;  // the upper half of a 64-bit register
  };
  static constexpr std::uint16_t kHole = 0xffff;
  static constexpr std::size_t kSlotsPerPage = 64;

  [[nodiscard]] const Slot& slot_at(std::size_t step) const noexcept {
    return slots_[pages_[step / kSlotsPerPage] + step % kSlotsPerPage];
  }
  Slot& make_slot(std::size_t step);
  [[nodiscard]] WriteHook& hook_of(RegisterId reg);

  [[gnu::cold]] void guest_error(tlm::tlm_generic_payload& payload, tlm::tlm_response_status status,
                                 std::string_view what);
  [[gnu::cold]] void report_unimplemented(Register& reg, unsigned element, std::uint64_t bits);
  [[gnu::cold]] void report_lost(std::uint64_t offset, std::uint64_t value, std::string_view why);
  [[gnu::cold]] void report_lost_element(const Register& reg, unsigned element, std::uint64_t written);
  [[gnu::cold]] void report_lost_bits(Register& reg, unsigned element, std::uint64_t written, std::uint64_t mask,
                                      Picoseconds when);
  [[nodiscard]] std::string place(std::uint64_t offset, unsigned length) const;
  [[nodiscard]] std::uint64_t read_element(const Register& reg, unsigned element, Picoseconds when) const;
  void write_element(Register& reg, unsigned element, std::uint64_t written, std::uint64_t mask, Picoseconds when);

  Options options_;
  std::vector<Register> registers_;
  // The slots are kept in pages because a window is mostly holes: a mesh has a thousand windows of 64 KiB with a dozen
  // registers each.
  std::vector<std::uint32_t> pages_;                             // per page of the window: index of its first slot
  std::vector<Slot> slots_;                                      // the first page is all holes; empty pages share it
  std::set<std::tuple<std::uint64_t, unsigned, int>> reported_;  // offset, size, response
  std::set<std::uint64_t> lost_;                                 // offsets of writes where nothing is
  std::uint64_t guest_errors_ = 0;
};

/// SystemC report id of writes that succeed and have no effect (RegisterBank). A bank reports each place once.
inline constexpr const char* kLostWriteReport = "/pmufab/lost-write";

}  // namespace pmufab
