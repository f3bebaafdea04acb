// SPDX-License-Identifier: Apache-2.0
#include "tlm/registers/register_bank.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "tlm/registers/register_note.h"
#include "tlm/transaction/payload_data.h"

namespace pmufab {

namespace {

std::uint64_t field_mask(const FieldSpec& field) { return low_bits(field.width) << field.lsb; }

/// "NAME" or "NAME[3]".
std::string element_name(const RegisterSpec& spec, unsigned element) {
  return spec.count > 1 ? fmt::format("{}[{}]", spec.name, element) : std::string(spec.name);
}

/// Fits into one register of the processor: the access that nobody asks about must not pay for it.
struct NotedElement {
  RegisterId reg;
  std::uint16_t element;
  bool upper;
};

/// Writes down which register is about to be accessed, for who asks with a RegisterNote.
[[gnu::cold]] void tell(const tlm::tlm_generic_payload& payload, const RegisterBank& bank, const RegisterSpec& spec,
                        NotedElement noted, Picoseconds when) {
  auto* const note = payload.get_extension<RegisterNote>();
  if (note == nullptr) return;
  const bool whole = payload.get_data_length() * 8 == spec.width || spec.width == 32;
  note->bank = bank.name();
  note->name = element_name(spec, noted.element) + (whole ? "" : noted.upper ? " upper half" : " lower half");
  note->registers = &bank;
  note->spec = &spec;
  note->reg = noted.reg;
  note->element = noted.element;
  note->shift = (noted.upper ? 32U : 0U) + 8U * static_cast<unsigned>(payload.get_address() % 4);
  note->before = bank.read(noted.reg, noted.element, when);
}

std::string allowed_sizes(const RegisterSpec& spec) {
  if (spec.width == 32) return "4 bytes";
  return spec.halves ? "8 bytes, or 4 bytes per half," : "8 bytes";
}

}  // namespace

RegisterBank::RegisterBank(Options options, std::span<const RegisterSpec> registers) : options_(std::move(options)) {
  if (registers.size() >= kHole || !layout_is_valid(registers, options_.size)) {
    throw std::invalid_argument(fmt::format("register bank '{}': the layout is not valid for a window of {:#x} bytes",
                                            options_.name, options_.size));
  }
  const std::size_t steps = (std::size_t{options_.size} + 3) / 4;
  pages_.assign((steps + kSlotsPerPage - 1) / kSlotsPerPage, 0);
  slots_.assign(kSlotsPerPage, Slot{kHole, 0, false});
  registers_.reserve(registers.size());
  for (const RegisterSpec& spec : registers) {
    const auto index = static_cast<std::uint16_t>(registers_.size());
    Register& reg = registers_.emplace_back();
    reg.spec = &spec;
    reg.width = spec.width;
    reg.count = spec.count;
    std::uint64_t reset = 0;
    for (const FieldSpec& field : spec.fields) {
      const std::uint64_t mask = field_mask(field);
      reset |= field.reset << field.lsb;
      switch (field.access) {
        case Access::rw:
          reg.rw |= mask;
          break;
        case Access::w0c:
        case Access::rc:
        case Access::wo:
        case Access::raz_wi:
          reg.settable |= mask;  // software may write what it likes
          break;
        case Access::w1c:
          reg.w1c |= mask;
          break;
        case Access::w1s:
          reg.w1s |= mask;
          break;
        case Access::unimplemented:
          reg.unimplemented |= mask;
          break;
        case Access::ro:
        case Access::reserved:
          break;
      }
      if (field.access == Access::ro || field.access == Access::w0c || field.access == Access::rc) reg.readable |= mask;
    }
    reg.readable |= reg.rw | reg.w1c | reg.w1s;
    reg.settable |= reg.rw | reg.w1c | reg.w1s | reg.unimplemented;  // the last are told of by themselves
    reg.resets.assign(spec.count, reset);
    reg.values = reg.resets;
    for (unsigned element = 0; element < spec.count; ++element) {
      const std::size_t slot = (spec.offset + std::size_t{element} * spec.stride) / 4;
      make_slot(slot) = {index, static_cast<std::uint16_t>(element), false};
      if (spec.width == 64) make_slot(slot + 1) = {index, static_cast<std::uint16_t>(element), true};
    }
  }
}

RegisterBank::Slot& RegisterBank::make_slot(std::size_t step) {
  std::uint32_t& page = pages_[step / kSlotsPerPage];
  if (page == 0) {
    page = static_cast<std::uint32_t>(slots_.size());
    slots_.resize(slots_.size() + kSlotsPerPage, Slot{kHole, 0, false});
  }
  return slots_[page + step % kSlotsPerPage];
}

RegisterId RegisterBank::find(std::string_view name) const {
  const auto found =
      std::find_if(registers_.begin(), registers_.end(), [&](const Register& reg) { return reg.spec->name == name; });
  if (found == registers_.end()) {
    throw std::out_of_range(fmt::format("register bank '{}' has no register '{}'", options_.name, name));
  }
  return {static_cast<std::uint16_t>(found - registers_.begin())};
}

RegisterField RegisterBank::find(std::string_view reg, std::string_view field) const {
  const RegisterId id = find(reg);
  for (const FieldSpec& spec : registers_[id.index].spec->fields) {
    if (spec.name == field) return {id, spec.lsb, spec.width};
  }
  throw std::out_of_range(fmt::format("register '{}' of bank '{}' has no field '{}'", reg, options_.name, field));
}

void RegisterBank::limit(RegisterId reg, unsigned count) {
  Register& target = registers_.at(reg.index);
  target.count = std::min<unsigned>(count, target.spec->count);
}

void RegisterBank::set_reset(RegisterId reg, unsigned element, std::uint64_t value) {
  Register& target = registers_.at(reg.index);
  target.resets.at(element) = value & low_bits(target.spec->width);
  target.values[element] = target.resets[element];
}

void RegisterBank::on_read(RegisterId reg, LiveValue live) { registers_.at(reg.index).live = std::move(live); }

void RegisterBank::on_write(RegisterId reg, WriteHook hook) { hook_of(reg) = std::move(hook); }

RegisterBank::WriteHook& RegisterBank::hook_of(RegisterId reg) { return registers_.at(reg.index).hook; }

std::uint64_t RegisterBank::value(RegisterId reg, unsigned element) const noexcept {
  return registers_.at(reg.index).values.at(element);
}

void RegisterBank::set_value(RegisterId reg, std::uint64_t value, unsigned element) noexcept {
  Register& target = registers_.at(reg.index);
  target.values.at(element) = value & low_bits(target.spec->width);
}

std::uint64_t RegisterBank::read(RegisterId reg, unsigned element, Picoseconds when) const {
  return read_element(registers_.at(reg.index), element, when);
}

std::uint64_t RegisterBank::read_element(const Register& reg, unsigned element, Picoseconds when) const {
  if (element >= reg.count) return 0;
  return (reg.live ? reg.live(element, when) : reg.values[element]) & reg.readable;
}

void RegisterBank::reset() {
  for (Register& reg : registers_) {
    reg.values = reg.resets;
    reg.unimplemented_reported = 0;
    reg.lost_reported = 0;
  }
  reported_.clear();
  lost_.clear();
}

void RegisterBank::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp()) + to_picoseconds(delay);
  delay += to_sc_time(options_.latency);
  payload.set_dmi_allowed(false);

  const std::uint64_t offset = payload.get_address();
  const unsigned length = payload.get_data_length();
  const bool is_write = payload.is_write();
  if (!is_write && !payload.is_read())
    return guest_error(payload, tlm::TLM_COMMAND_ERROR_RESPONSE, "only reads and writes are possible");
  if (payload.get_byte_enable_ptr() != nullptr)
    return guest_error(payload, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "byte enables are not possible");
  if (offset >= options_.size || length > options_.size - offset)
    return guest_error(payload, tlm::TLM_ADDRESS_ERROR_RESPONSE, "it is outside the window");
  if (length != 4 && length != 8)
    return guest_error(payload, tlm::TLM_BURST_ERROR_RESPONSE, "registers are accessed with 4 or 8 bytes");
  if (payload.get_streaming_width() < length)
    return guest_error(payload, tlm::TLM_BURST_ERROR_RESPONSE, "the streaming width must not be below the length");
  if (offset % length != 0)
    return guest_error(payload, tlm::TLM_BURST_ERROR_RESPONSE, "it must be aligned to its size");
  const std::size_t index = offset / 4;
  const Slot slot = slot_at(index);
  if (slot.reg == kHole) {
    if (length == 8 && slot_at(index + 1).reg != kHole)
      return guest_error(payload, tlm::TLM_BURST_ERROR_RESPONSE, "it covers a hole and a register");
    if (options_.holes == HolePolicy::address_error)
      return guest_error(payload, tlm::TLM_ADDRESS_ERROR_RESPONSE, "no register lies there");
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (is_write) return report_lost(offset, data_of(payload), "no register lies there");
    std::memset(payload.get_data_ptr(), 0, length);
    return;
  }

  Register& reg = registers_[slot.reg];
  const unsigned width = reg.width;
  const bool whole = length * 8 == width && !slot.upper;
  if (!whole && !(width == 64 && length == 4 && reg.spec->halves))
    return guest_error(payload, tlm::TLM_BURST_ERROR_RESPONSE, "wrong size or place");
  if (RegisterNote::is_asked_for()) [[unlikely]]
    tell(payload, *this, *reg.spec, {{slot.reg}, slot.element, slot.upper}, when);
  const unsigned shift = slot.upper ? 32 : 0;
  if (!is_write) {
    set_data(payload, read_element(reg, slot.element, when) >> shift);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  write_element(reg, slot.element, data_of(payload) << shift, low_bits(length * 8) << shift, when);
}

void RegisterBank::note(const tlm::tlm_generic_payload& payload, std::uint64_t offset, Picoseconds when) const {
  if (offset >= options_.size) return;
  const Slot slot = slot_at(offset / 4);
  if (slot.reg != kHole) tell(payload, *this, *registers_[slot.reg].spec, {{slot.reg}, slot.element, slot.upper}, when);
}

void RegisterBank::write_element(Register& reg, unsigned element, std::uint64_t written, std::uint64_t mask,
                                 Picoseconds when) {
  const bool is_all_ones = (written & mask) == mask;
  if (element >= reg.count) {
    if (!is_all_ones) report_lost_element(reg, element, written);
    return;
  }
  if ((written & ~reg.settable) != 0 && !is_all_ones) [[unlikely]]
    report_lost_bits(reg, element, written, mask, when);
  std::uint64_t& value = reg.values[element];
  RegisterWrite write{element, written, mask, value, value, when};
  const std::uint64_t plain = reg.rw & mask;
  write.after = (value & ~plain) | (written & plain);
  write.after &= ~(written & reg.w1c);
  write.after |= written & reg.w1s;
  value = write.after;
  if ((written & reg.unimplemented) != 0) [[unlikely]]
    report_unimplemented(reg, element, written & reg.unimplemented);
  if (reg.hook) reg.hook(write);
}

unsigned RegisterBank::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t offset = payload.get_address();
  const unsigned length = payload.get_data_length();
  if ((length != 4 && length != 8) || offset % 4 != 0 || offset >= options_.size) return 0;
  const Slot slot = slot_at(offset / 4);
  if (slot.reg == kHole || slot.upper) return 0;
  Register& reg = registers_[slot.reg];
  if (length * 8 != reg.spec->width || slot.element >= reg.count) return 0;
  if (payload.is_read()) {
    const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp());
    set_data(payload, read_element(reg, slot.element, when));
  } else if (payload.is_write()) {
    reg.values[slot.element] = data_of(payload);
  } else {
    return 0;
  }
  return length;
}

void RegisterBank::guest_error(tlm::tlm_generic_payload& payload, tlm::tlm_response_status status,
                               std::string_view what) {
  payload.set_response_status(status);
  ++guest_errors_;
  const std::uint64_t offset = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (!reported_.emplace(offset, length, static_cast<int>(status)).second) return;
  const char* const command = payload.is_read() ? "read" : payload.is_write() ? "write" : "access that is neither";
  const std::string text = fmt::format("{}: {}-byte {} at offset {:#x}{}: {}", options_.name, length, command, offset,
                                       place(offset, length), what);
  SC_REPORT_WARNING(kGuestErrorReport, text.c_str());
}

void RegisterBank::report_unimplemented(Register& reg, unsigned element, std::uint64_t bits) {
  ++guest_errors_;
  const std::uint64_t fresh = bits & ~reg.unimplemented_reported;
  if (fresh == 0) return;
  reg.unimplemented_reported |= fresh;
  std::string names;
  for (const FieldSpec& field : reg.spec->fields) {
    const std::uint64_t set = fresh & field_mask(field);
    if (set == 0) continue;
    names += fmt::format("{}{} (bits {}:{}) = {:#x}", names.empty() ? "" : ", ", field.name,
                         field.lsb + field.width - 1, field.lsb, set >> field.lsb);
  }
  const std::uint64_t offset = reg.spec->offset + std::uint64_t{element} * reg.spec->stride;
  const std::string text =
      fmt::format("{}: write to {} at offset {:#x} sets {}, which this model does not implement; write 0 there",
                  options_.name, element_name(*reg.spec, element), offset, names);
  SC_REPORT_WARNING(kGuestErrorReport, text.c_str());
}

void RegisterBank::report_lost(std::uint64_t offset, std::uint64_t value, std::string_view why) {
  if (!options_.reports_lost_writes) return;
  if (!lost_.insert(offset).second) return;
  const std::string text =
      fmt::format("{}: write of {:#x} at offset {:#x} has no effect: {}", options_.name, value, offset, why);
  SC_REPORT_WARNING(kLostWriteReport, text.c_str());
}

void RegisterBank::report_lost_element(const Register& reg, unsigned element, std::uint64_t written) {
  report_lost(reg.spec->offset + std::uint64_t{element} * reg.spec->stride, written,
              fmt::format("this part has {} of {}", reg.count, reg.spec->name));
}

void RegisterBank::report_lost_bits(Register& reg, unsigned element, std::uint64_t written, std::uint64_t mask,
                                    Picoseconds when) {
  if (!options_.reports_lost_writes) return;
  // What is read may be written back.
  const std::uint64_t lost = written & mask & ~reg.settable & ~read_element(reg, element, when);
  if (lost == 0) return;
  if ((lost & ~reg.lost_reported) == 0) return;
  reg.lost_reported |= lost;
  std::string names;
  for (const FieldSpec& field : reg.spec->fields) {
    if (field.access == Access::ro && (lost & field_mask(field)) != 0)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", field.name);
  }
  const std::uint64_t offset = reg.spec->offset + std::uint64_t{element} * reg.spec->stride;
  const std::string text = fmt::format(
      "{}: write of {:#x} to {} at offset {:#x} {}", options_.name, written, element_name(*reg.spec, element), offset,
      reg.settable == 0 && !names.empty() ? "has no effect: the register is read-only"
                                          : fmt::format("sets bits that stay 0: {:#x}{}", lost,
                                                        names.empty() ? "" : fmt::format(" (read-only: {})", names)));
  SC_REPORT_WARNING(kLostWriteReport, text.c_str());
}

std::string RegisterBank::place(std::uint64_t offset, unsigned length) const {
  if (offset >= options_.size) return fmt::format(", past the window of {:#x} bytes", options_.size);
  std::string text;
  const std::uint64_t end = std::min<std::uint64_t>(offset + std::max(length, 1U), options_.size);
  const Slot* previous = nullptr;
  unsigned listed = 0;
  for (std::uint64_t at = offset / 4; at < (end + 3) / 4; ++at) {
    const Slot& slot = slot_at(at);
    if (slot.reg == kHole) continue;
    if (previous != nullptr && previous->reg == slot.reg && previous->element == slot.element) continue;
    previous = &slot;
    if (++listed > 4) {
      text += " and more";
      break;
    }
    const RegisterSpec& spec = *registers_[slot.reg].spec;
    const std::uint64_t start = spec.offset + std::uint64_t{slot.element} * spec.stride;
    const std::uint64_t low = offset > start ? (offset - start) * 8 : 0;
    const std::uint64_t high = std::min<std::uint64_t>((end - start) * 8, spec.width) - 1;
    text += fmt::format("{} {} bits {}:{} ({}-bit register at {:#x}: {} at a time)", text.empty() ? "," : ";",
                        element_name(spec, slot.element), high, low, spec.width, start, allowed_sizes(spec));
  }
  return text;
}

}  // namespace pmufab
