// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/message_signalled.h"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::pcie {

namespace {

constexpr unsigned kCommand = 0x04;
constexpr std::uint8_t kMsiId = 0x05;
constexpr std::uint8_t kMsiXId = 0x11;
constexpr std::uint32_t kMsiXEnable = 0x8000;
constexpr std::uint32_t kMsiXFunctionMask = 0x4000;
constexpr std::uint64_t kVectorMasked = std::uint64_t{1} << 32;
constexpr unsigned kMostVectors = 2048;

constexpr FieldSpec kAddressFields[] = {
    {.name = "Message Address", .lsb = 2, .width = 62, .access = Access::rw},
};
constexpr FieldSpec kDataFields[] = {
    {.name = "Message Data", .lsb = 0, .width = 32, .access = Access::rw},
    {.name = "Mask Bit", .lsb = 32, .width = 1, .access = Access::rw, .reset = 1, .meaning = "nothing is sent"},
};
constexpr FieldSpec kPendingFields[] = {
    {.name = "Pending Bits", .lsb = 0, .width = 64, .access = Access::ro},
};

bool is_bus_master(const ConfigurationSpace& space) { return (space.read(kCommand, 2) & 0x4) != 0; }

unsigned checked(const MsiXParameters& parameters) {
  if (parameters.vectors == 0 || parameters.vectors > kMostVectors) {
    throw SpecError("msi_x.vectors", fmt::format("{} is not 1 ... {}", parameters.vectors, kMostVectors));
  }
  if (parameters.offset % 0x1000 != 0) {
    throw SpecError("msi_x.offset", fmt::format("{:#x} is not aligned to 4 KiB", parameters.offset));
  }
  return parameters.vectors;
}

}  // namespace

std::uint32_t MsiX::pending_offset(unsigned vectors) noexcept {
  return vectors <= 128 ? 0x800 : (16 * vectors + 0xfff) & ~0xfffU;
}

std::uint32_t MsiX::window_size(unsigned vectors) noexcept {
  return vectors <= 128 ? 0x1000 : pending_offset(vectors) + 0x1000;
}

MsiX::MsiX(const sc_core::sc_module_name& name, const MsiXParameters& parameters, ConfigurationSpace& space,
           MessageInterrupt& messages)
    : sc_core::sc_module(name),
      socket("socket"),
      vectors_(checked(parameters)),
      space_(space),
      messages_(messages),
      registers_{{{.name = "ADDRESS",
                   .offset = 0,
                   .width = 64,
                   .fields = kAddressFields,
                   .count = static_cast<std::uint16_t>(vectors_),
                   .stride = 16,
                   .halves = true},
                  {.name = "DATA_AND_VECTOR_CONTROL",
                   .offset = 8,
                   .width = 64,
                   .fields = kDataFields,
                   .count = static_cast<std::uint16_t>(vectors_),
                   .stride = 16,
                   .halves = true},
                  {.name = "PENDING",
                   .offset = pending_offset(vectors_),
                   .width = 64,
                   .fields = kPendingFields,
                   .count = static_cast<std::uint16_t>((vectors_ + 63) / 64),
                   .stride = 8,
                   .halves = true}}},
      bank_({.name = this->name(), .size = window_size(vectors_)}, registers_),
      address_(bank_.find("ADDRESS")),
      data_(bank_.find("DATA_AND_VECTOR_CONTROL")),
      pending_(bank_.find("PENDING")),
      control_(space.add_capability(kMsiXId, 12) + 2),
      open_at_(vectors_, 0),
      flush_event_("flush_event") {
  const unsigned capability = control_ - 2;
  space_.define(control_, 2, {.value = vectors_ - 1, .writable = kMsiXEnable | kMsiXFunctionMask});
  space_.define(capability + 4, 4, {.value = parameters.offset | parameters.bar});
  space_.define(capability + 8, 4, {.value = (parameters.offset + pending_offset(vectors_)) | parameters.bar});
  const auto on_write = [this](const ConfigurationWrite& write) { function_written(write.when); };
  space_.on_write(control_, 2, on_write);
  space_.on_write(kCommand, 2, on_write);
  bank_.on_write(data_, [this](const RegisterWrite& write) {
    if ((write.before & kVectorMasked) == 0 || (write.after & kVectorMasked) != 0) return;
    open_at_[write.element] = write.when;
    flush();
  });
  socket.register_b_transport(this, &MsiX::b_transport);
  socket.register_transport_dbg(this, &MsiX::transport_dbg);
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&flush_event_);
  sc_core::sc_spawn([this] { flush(); }, "flush", &options);
}

bool MsiX::enabled() const noexcept { return (space_.read(control_, 2) & kMsiXEnable) != 0; }

bool MsiX::masked(unsigned vector) const {
  return (space_.read(control_, 2) & kMsiXFunctionMask) != 0 || (bank_.value(data_, vector) & kVectorMasked) != 0 ||
         to_picoseconds(sc_core::sc_time_stamp()) < std::max(open_at_[vector], function_open_at_);
}

bool MsiX::pending(unsigned vector) const {
  return vector < vectors_ && (bank_.value(pending_, vector / 64) >> (vector % 64) & 1) != 0;
}

void MsiX::set_pending(unsigned vector, bool pending) {
  const std::uint64_t bit = std::uint64_t{1} << (vector % 64);
  const std::uint64_t bits = bank_.value(pending_, vector / 64);
  bank_.set_value(pending_, pending ? bits | bit : bits & ~bit, vector / 64);
}

bool MsiX::signal(unsigned vector) {
  if (vector >= vectors_ || !enabled()) return false;
  if (masked(vector)) {
    set_pending(vector, true);
    flush();  // the mask may end at a known later time: flush() schedules the message for then
    return true;
  }
  if (!is_bus_master(space_)) return false;
  send(vector);
  return true;
}

void MsiX::send(unsigned vector) {
  messages_.send(bank_.value(address_, vector), static_cast<std::uint32_t>(bank_.value(data_, vector)));
}

void MsiX::function_written(Picoseconds when) {
  const bool open = enabled() && (space_.read(control_, 2) & kMsiXFunctionMask) == 0 && is_bus_master(space_);
  if (open && !function_open_) function_open_at_ = when;
  function_open_ = open;
  flush();
}

void MsiX::flush() {
  if (!enabled() || !is_bus_master(space_)) return;
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  std::optional<Picoseconds> next;
  for (unsigned vector = 0; vector < vectors_; ++vector) {
    if (!pending(vector)) continue;
    if (!masked(vector)) {
      set_pending(vector, false);
      send(vector);
    } else if (const Picoseconds open = std::max(open_at_[vector], function_open_at_); open > now) {
      next = std::min(next.value_or(open), open);
    }
  }
  flush_event_.cancel();
  if (next) flush_event_.notify(to_sc_time(*next - now));
}

void MsiX::reset() {
  bank_.reset();
  std::fill(open_at_.begin(), open_at_.end(), 0);
  function_open_at_ = 0;
  function_open_ = false;
  flush_event_.cancel();
}

namespace {

// Offsets within the MSI capability with 64-bit address and mask per vector.
constexpr unsigned kMsiControl = 2;
constexpr unsigned kMsiAddress = 4;
constexpr unsigned kMsiUpperAddress = 8;
constexpr unsigned kMsiData = 12;
constexpr unsigned kMsiMask = 16;
constexpr unsigned kMsiPending = 20;

unsigned granted(std::uint32_t control) {  // vectors software enabled
  const std::uint32_t capable = control >> 1 & 7;
  const std::uint32_t enabled = control >> 4 & 7;
  return 1U << (enabled < capable ? enabled : capable);
}

}  // namespace

Msi::Msi(const MsiParameters& parameters, ConfigurationSpace& space, MessageInterrupt& messages)
    : space_(space), messages_(messages) {
  if (!std::has_single_bit(parameters.vectors) || parameters.vectors > 32) {
    throw SpecError("msi.vectors", fmt::format("{} is not a power of two up to 32", parameters.vectors));
  }
  capability_ = space_.add_capability(kMsiId, 24);
  const auto capable = static_cast<std::uint32_t>(std::countr_zero(parameters.vectors));
  const std::uint32_t all = parameters.vectors == 32 ? ~0U : (1U << parameters.vectors) - 1;
  // Bit 0 enable, 3:1 capable, 6:4 enabled, 7 64-bit address, 8 mask per vector.
  space_.define(capability_ + kMsiControl, 2, {.value = 0x180 | capable << 1, .writable = 0x71});
  space_.define(capability_ + kMsiAddress, 4, {.writable = ~3U});
  space_.define(capability_ + kMsiUpperAddress, 4, {.writable = ~0U});
  space_.define(capability_ + kMsiData, 2, {.writable = 0xffff});
  space_.define(capability_ + kMsiMask, 4, {.writable = all});
  const auto on_write = [this](const ConfigurationWrite&) { flush(); };
  space_.on_write(kCommand, 2, on_write);
  space_.on_write(capability_ + kMsiControl, 2, on_write);
  space_.on_write(capability_ + kMsiMask, 4, on_write);
}

bool Msi::enabled() const noexcept { return (space_.read(capability_ + kMsiControl, 2) & 1) != 0; }

bool Msi::signal(unsigned vector) {
  if (!enabled()) return false;
  vector %= granted(space_.read(capability_ + kMsiControl, 2));
  if ((space_.read(capability_ + kMsiMask, 4) >> vector & 1) != 0) {
    space_.set(capability_ + kMsiPending, 4, space_.read(capability_ + kMsiPending, 4) | 1U << vector);
    return true;
  }
  if (!is_bus_master(space_)) return false;
  send(vector);
  return true;
}

void Msi::send(unsigned vector) {
  const std::uint64_t address =
      std::uint64_t{space_.read(capability_ + kMsiUpperAddress, 4)} << 32 | space_.read(capability_ + kMsiAddress, 4);
  // The vector's number replaces the low bits of the data, as many as the enabled vectors need.
  const std::uint32_t low = granted(space_.read(capability_ + kMsiControl, 2)) - 1;
  messages_.send(address, (space_.read(capability_ + kMsiData, 2) & ~low) | vector);
}

void Msi::flush() {
  if (!enabled() || !is_bus_master(space_)) return;
  const std::uint32_t ready = space_.read(capability_ + kMsiPending, 4) & ~space_.read(capability_ + kMsiMask, 4);
  const unsigned vectors = granted(space_.read(capability_ + kMsiControl, 2));
  for (unsigned vector = 0; vector < vectors; ++vector) {
    if ((ready >> vector & 1) == 0) continue;
    space_.set(capability_ + kMsiPending, 4, space_.read(capability_ + kMsiPending, 4) & ~(1U << vector));
    send(vector);
  }
}

}  // namespace pmufab::pcie
