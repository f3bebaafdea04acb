// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/ecam.h"

#include <cstring>
#include <string>

#include <fmt/format.h>

#include "tlm/registers/register_bank.h"
#include "tlm/registers/register_note.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::pcie {

namespace {

/// @return the function with that number on the bus below `port`, or below one of the ports on that bus.
Function* find_below(const Function& port, unsigned bus, unsigned device, unsigned function) noexcept {
  const unsigned secondary = port.space().read(0x19, 1);
  const unsigned subordinate = port.space().read(0x1a, 1);
  if (secondary == 0 || bus < secondary || bus > subordinate) return nullptr;
  if (bus == secondary) return port.below(device, function);
  for (const auto& [number, next] : port.below()) {
    if (!next->is_port()) continue;
    // Attached ports bound the depth, whatever bus numbers software writes.
    if (Function* const found = find_below(*next, bus, device, function)) return found;
  }
  return nullptr;
}

}  // namespace

Ecam::Ecam(const sc_core::sc_module_name& name, std::uint8_t first_bus, std::uint8_t last_bus)
    : sc_core::sc_module(name), socket("socket"), first_bus_(first_bus), last_bus_(last_bus) {
  if (last_bus < first_bus) {
    throw SpecError(this->name(), fmt::format("the last bus {} is below the first {}", last_bus, first_bus));
  }
  socket.register_b_transport(this, &Ecam::b_transport);
  socket.register_transport_dbg(this, &Ecam::transport_dbg);
}

void Ecam::attach(unsigned device, unsigned function, Function& what) {
  if (device >= 32 || function >= 8 || !functions_.emplace(device * 8 + function, &what).second) {
    throw SpecError(name(), fmt::format("{} cannot be device {} function {}", what.name(), device, function),
                    "device 0 ... 31, function 0 ... 7, each once");
  }
}

Function* Ecam::find(unsigned bus, unsigned device, unsigned function) const noexcept {
  if (bus == first_bus_) {
    const auto found = functions_.find(device * 8 + function);
    return found == functions_.end() ? nullptr : found->second;
  }
  for (const auto& [number, next] : functions_) {
    if (!next->is_port()) continue;
    if (Function* const found = find_below(*next, bus, device, function)) return found;
  }
  return nullptr;
}

void Ecam::reset(ResetKind kind) {
  for (const auto& [number, function] : functions_) function->reset(kind);
  reported_.clear();
}

Function* Ecam::decode(std::uint64_t address) const noexcept {
  return find(first_bus_ + static_cast<unsigned>(address >> 20), address >> 15 & 31, address >> 12 & 7);
}

void Ecam::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const bool is_write = payload.is_write();
  if (!is_write && !payload.is_read())
    return guest_error(payload, tlm::TLM_COMMAND_ERROR_RESPONSE, "only reads and writes are possible");
  if (payload.get_byte_enable_ptr() != nullptr)
    return guest_error(payload, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "byte enables are not possible");
  if (address >= size() || length > size() - address)
    return guest_error(payload, tlm::TLM_ADDRESS_ERROR_RESPONSE, "there is no such bus in this segment");
  if ((length != 1 && length != 2 && length != 4) || payload.get_streaming_width() < length)
    return guest_error(payload, tlm::TLM_BURST_ERROR_RESPONSE, "configuration space is accessed with 1, 2 or 4 bytes");
  if (address % length != 0)
    return guest_error(payload, tlm::TLM_BURST_ERROR_RESPONSE, "it must be aligned to its size");
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  Function* const function = decode(address);
  const auto offset = static_cast<unsigned>(address & 0xfff);
  const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp()) + to_picoseconds(delay);
  if (RegisterNote::is_asked_for() && function != nullptr && function->space().shown_by() != nullptr) [[unlikely]]
    function->space().shown_by()->note(payload, offset, when);
  if (is_write) {
    if (function == nullptr) return;
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr(), length);
    function->space().write(offset, length, value, when);
    return;
  }
  const std::uint32_t value = function == nullptr ? ~0U : function->space().fetch(offset, length, when);
  std::memcpy(payload.get_data_ptr(), &value, length);  // little endian, and so is the host
}

unsigned Ecam::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (address >= size() || (length != 1 && length != 2 && length != 4) || address % length != 0) return 0;
  Function* const function = decode(address);
  const auto offset = static_cast<unsigned>(address & 0xfff);
  if (payload.is_read()) {
    const std::uint32_t value = function == nullptr ? ~0U : function->space().fetch(offset, length, simulated_time());
    std::memcpy(payload.get_data_ptr(), &value, length);
    return length;
  }
  if (!payload.is_write() || function == nullptr) return 0;
  std::uint32_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), length);
  function->space().set(offset, length, value);
  return length;
}

void Ecam::guest_error(tlm::tlm_generic_payload& payload, tlm::tlm_response_status status, const char* what) {
  payload.set_response_status(status);
  ++guest_errors_;
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (!reported_.emplace(address, length, static_cast<int>(status)).second) return;
  const std::string text =
      fmt::format("{}: {}-byte {} at {:#x} (bus {:#x} device {:#x} function {} register {:#x}): {}", name(), length,
                  payload.is_write() ? "write" : "read", address, first_bus_ + (address >> 20), address >> 15 & 31,
                  address >> 12 & 7, address & 0xfff, what);
  SC_REPORT_WARNING(kGuestErrorReport, text.c_str());
}

}  // namespace pmufab::pcie
