// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/component_registers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

// Offsets in the block; the capability array's pointers are relative to 0x1000.
constexpr std::uint32_t kArray = 0x1000;
constexpr std::uint32_t kRas = 0x1080;
constexpr std::uint32_t kHdm = 0x1200;
constexpr std::uint16_t kDecoderStride = 0x20;

constexpr std::uint32_t kIgnored = 0x0fff'ffff;  // bits of addresses and sizes below 256 MiB
constexpr std::uint64_t kUnit = std::uint64_t{256} << 20;

// Control bits of a decoder.
constexpr std::uint64_t kDecoderLock = 1 << 8;
constexpr std::uint64_t kCommit = 1 << 9;
constexpr std::uint64_t kCommitted = 1 << 10;
constexpr std::uint64_t kErrorNotCommitted = 1 << 11;
constexpr std::uint64_t kHostOnly = 1 << 12;

constexpr FieldSpec kArrayFields[] = {
    {.name = "CXL Capability ID", .lsb = 0, .width = 16, .access = Access::ro, .reset = 1},
    {.name = "CXL Capability Version", .lsb = 16, .width = 4, .access = Access::ro, .reset = 1},
    {.name = "CXL.cachemem Version", .lsb = 20, .width = 4, .access = Access::ro, .reset = 1},
    {.name = "Array Size", .lsb = 24, .width = 8, .access = Access::ro, .reset = 2},
};
constexpr FieldSpec kRasHeaderFields[] = {
    {.name = "CXL Capability ID", .lsb = 0, .width = 16, .access = Access::ro, .reset = 2},
    {.name = "CXL Capability Version", .lsb = 16, .width = 4, .access = Access::ro, .reset = 2},
    {.name = "Pointer", .lsb = 20, .width = 12, .access = Access::ro, .reset = kRas - kArray},
};
constexpr FieldSpec kHdmHeaderFields[] = {
    {.name = "CXL Capability ID", .lsb = 0, .width = 16, .access = Access::ro, .reset = 5},
    {.name = "CXL Capability Version", .lsb = 16, .width = 4, .access = Access::ro, .reset = 1},
    {.name = "Pointer", .lsb = 20, .width = 12, .access = Access::ro, .reset = kHdm - kArray},
};
// Link errors do not happen here: status is never set, and masks are only stored.
constexpr FieldSpec kUncorrectableStatusFields[] = {{.name = "STATUS", .lsb = 0, .width = 17, .access = Access::w1c}};
constexpr FieldSpec kUncorrectableFields[] = {
    {.name = "BITS", .lsb = 0, .width = 17, .access = Access::rw, .reset = 0x1cfff}};
constexpr FieldSpec kCorrectableStatusFields[] = {{.name = "STATUS", .lsb = 0, .width = 7, .access = Access::w1c}};
constexpr FieldSpec kCorrectableFields[] = {
    {.name = "BITS", .lsb = 0, .width = 7, .access = Access::rw, .reset = 0x7f}};
constexpr FieldSpec kReadOnlyFields[] = {{.name = "VALUE", .lsb = 0, .width = 32, .access = Access::ro}};

constexpr FieldSpec kDecoderCapabilityFields[] = {
    {.name = "Decoder Count", .lsb = 0, .width = 4, .access = Access::ro},
    {.name = "Target Count", .lsb = 4, .width = 4, .access = Access::ro},
    {.name = "A11to8 Interleave Capable", .lsb = 8, .width = 1, .access = Access::ro, .reset = 1},
    {.name = "A14to12 Interleave Capable", .lsb = 9, .width = 1, .access = Access::ro, .reset = 1},
    {.name = "Poison On Decode Error Capability", .lsb = 10, .width = 1, .access = Access::ro},
    {.name = "3, 6, 12 Way Interleave Capable", .lsb = 11, .width = 1, .access = Access::ro, .reset = 1},
    {.name = "16 Way Interleave Capable", .lsb = 12, .width = 1, .access = Access::ro, .reset = 1},
};
constexpr FieldSpec kGlobalControlFields[] = {
    {.name = "HDM Decoder Enable", .lsb = 1, .width = 1, .access = Access::rw},
};
constexpr FieldSpec kLowFields[] = {{.name = "LOW", .lsb = 28, .width = 4, .access = Access::rw}};
constexpr FieldSpec kHighFields[] = {{.name = "HIGH", .lsb = 0, .width = 32, .access = Access::rw}};
constexpr FieldSpec kDecoderControlFields[] = {
    {.name = "IG", .lsb = 0, .width = 4, .access = Access::rw, .meaning = "interleave granularity"},
    {.name = "IW", .lsb = 4, .width = 4, .access = Access::rw, .meaning = "interleave ways"},
    {.name = "Lock On Commit", .lsb = 8, .width = 1, .access = Access::rw},
    {.name = "Commit", .lsb = 9, .width = 1, .access = Access::rw},
    {.name = "Committed", .lsb = 10, .width = 1, .access = Access::ro},
    {.name = "Error Not Committed", .lsb = 11, .width = 1, .access = Access::ro},
    {.name = "Target Range Type", .lsb = 12, .width = 1, .access = Access::rw, .meaning = "host-only coherent"},
};

constexpr RegisterSpec decoder_register(std::string_view name, std::uint32_t offset,
                                        std::span<const FieldSpec> fields) {
  return {.name = name,
          .offset = kHdm + offset,
          .width = 32,
          .fields = fields,
          .count = ComponentRegisters::kMostDecoders,
          .stride = kDecoderStride,
          .source = "CXL 3.1, 8.2.4.20"};
}

constexpr auto kComponentRegisters = std::to_array<RegisterSpec>({
    {.name = "CXL Capability Header",
     .offset = kArray,
     .width = 32,
     .fields = kArrayFields,
     .source = "CXL 3.1, 8.2.4.1"},
    {.name = "RAS Capability Header", .offset = kArray + 4, .width = 32, .fields = kRasHeaderFields},
    {.name = "HDM Decoder Capability Header", .offset = kArray + 8, .width = 32, .fields = kHdmHeaderFields},
    {.name = "Uncorrectable Error Status",
     .offset = kRas,
     .width = 32,
     .fields = kUncorrectableStatusFields,
     .source = "CXL 3.1, 8.2.4.17"},
    {.name = "Uncorrectable Error Mask", .offset = kRas + 0x4, .width = 32, .fields = kUncorrectableFields},
    {.name = "Uncorrectable Error Severity", .offset = kRas + 0x8, .width = 32, .fields = kUncorrectableFields},
    {.name = "Correctable Error Status", .offset = kRas + 0xc, .width = 32, .fields = kCorrectableStatusFields},
    {.name = "Correctable Error Mask", .offset = kRas + 0x10, .width = 32, .fields = kCorrectableFields},
    {.name = "Error Capabilities and Control", .offset = kRas + 0x14, .width = 32, .fields = kReadOnlyFields},
    {.name = "Header Log", .offset = kRas + 0x18, .width = 32, .fields = kReadOnlyFields, .count = 16, .stride = 4},
    {.name = "HDM Decoder Capability",
     .offset = kHdm,
     .width = 32,
     .fields = kDecoderCapabilityFields,
     .source = "CXL 3.1, 8.2.4.20.1"},
    {.name = "HDM Decoder Global Control", .offset = kHdm + 4, .width = 32, .fields = kGlobalControlFields},
    decoder_register("HDM Decoder Base Low", 0x10, kLowFields),
    decoder_register("HDM Decoder Base High", 0x14, kHighFields),
    decoder_register("HDM Decoder Size Low", 0x18, kLowFields),
    decoder_register("HDM Decoder Size High", 0x1c, kHighFields),
    decoder_register("HDM Decoder Control", 0x20, kDecoderControlFields),
    decoder_register("HDM Decoder DPA Skip Low", 0x24, kLowFields),
    decoder_register("HDM Decoder DPA Skip High", 0x28, kHighFields),
});
static_assert(layout_is_valid(kComponentRegisters, ComponentRegisters::kSize));

/// Upstream port of a switch: a list of targets takes the place of the skip.
constexpr auto kSwitchRegisters = [] {
  auto registers = kComponentRegisters;
  registers[registers.size() - 2] = decoder_register("HDM Decoder Target List Low", 0x24, kHighFields);
  registers[registers.size() - 1] = decoder_register("HDM Decoder Target List High", 0x28, kHighFields);
  return registers;
}();
static_assert(layout_is_valid(kSwitchRegisters, ComponentRegisters::kSize));

/// Host bridge: the same with more decoders.
constexpr auto kBridgeRegisters = [] {
  auto registers = kSwitchRegisters;
  for (RegisterSpec& one : registers) {
    if (one.count == ComponentRegisters::kMostDecoders) one.count = ComponentRegisters::kMostBridgeDecoders;
  }
  return registers;
}();
static_assert(layout_is_valid(kBridgeRegisters, ComponentRegisters::kSize));

/// Port without decoders: RAS alone.
constexpr auto kPortRegisters = [] {
  std::array<RegisterSpec, 9> registers{};
  std::copy_n(kComponentRegisters.begin(), 2, registers.begin());
  std::copy_n(kComponentRegisters.begin() + 3, 7, registers.begin() + 2);
  return registers;
}();
static_assert(layout_is_valid(kPortRegisters, ComponentRegisters::kSize));

std::span<const RegisterSpec> registers_of(ComponentKind kind) {
  if (kind == ComponentKind::device) return kComponentRegisters;
  if (kind == ComponentKind::upstream_port) return kSwitchRegisters;
  if (kind == ComponentKind::host_bridge) return kBridgeRegisters;
  return kPortRegisters;
}

/// Encoded numbers of decoders (CXL 3.1, 8.2.4.20.1): 1, 2, 4 ... 16, 20 ... 32.
unsigned encoded_count(unsigned decoders) {
  if (decoders == 1) return 0;
  return decoders <= 16 ? decoders / 2 : decoders / 4 + 4;
}

unsigned checked(ComponentKind kind, unsigned decoders) {
  if (kind == ComponentKind::port) return 0;
  if (kind == ComponentKind::host_bridge) {
    if (ComponentRegisters::bridge_decoders(decoders) == decoders) return decoders;
    throw SpecError("hdm_decoders", fmt::format("the registers of a host bridge cannot show {} decoders", decoders));
  }
  if (decoders != 1 && (decoders % 2 != 0 || decoders < 2 || decoders > ComponentRegisters::kMostDecoders)) {
    throw SpecError("hdm_decoders", fmt::format("the registers cannot show {} decoders", decoders),
                    "1, 2, 4, 6, 8 or 10");
  }
  return decoders;
}

}  // namespace

ComponentRegisters::ComponentRegisters(const sc_core::sc_module_name& name, ComponentKind kind, unsigned decoders,
                                       std::uint64_t capacity, unsigned ports)
    : sc_core::sc_module(name),
      socket("socket"),
      kind_(kind),
      decoders_(checked(kind, decoders)),
      capacity_(capacity),
      ports_(ports),
      bank_({.name = this->name(), .size = kSize}, registers_of(kind)) {
  socket.register_b_transport(this, &ComponentRegisters::b_transport);
  socket.register_transport_dbg(this, &ComponentRegisters::transport_dbg);
  if (kind == ComponentKind::port) {
    constexpr std::uint64_t kOneCapability = 1U << 24;  // Array Size
    const RegisterId header = bank_.find("CXL Capability Header");
    bank_.set_reset(header, 0, (bank_.value(header) & ~(std::uint64_t{0xff} << 24)) | kOneCapability);
    return;
  }
  const bool device = kind == ComponentKind::device;
  global_control_ = bank_.find("HDM Decoder Global Control");
  base_low_ = bank_.find("HDM Decoder Base Low");
  base_high_ = bank_.find("HDM Decoder Base High");
  size_low_ = bank_.find("HDM Decoder Size Low");
  size_high_ = bank_.find("HDM Decoder Size High");
  control_ = bank_.find("HDM Decoder Control");
  last_low_ = bank_.find(device ? "HDM Decoder DPA Skip Low" : "HDM Decoder Target List Low");
  last_high_ = bank_.find(device ? "HDM Decoder DPA Skip High" : "HDM Decoder Target List High");
  const RegisterId capability = bank_.find("HDM Decoder Capability");
  std::uint64_t value = bank_.value(capability) | encoded_count(decoders_);
  if (!device) {
    constexpr std::uint64_t kManyWays = 3 << 11;  // 3, 6, 12 and 16 ways: for devices alone
    value = (value & ~kManyWays) | std::uint64_t{std::min(std::bit_ceil(ports), kMostTargets)} << 4;
  }
  bank_.set_reset(capability, 0, value);
  for (const RegisterId reg : {base_low_, base_high_, size_low_, size_high_, last_low_, last_high_}) protect(reg);
  bank_.limit(control_, decoders_);
  bank_.on_write(control_, [this](const RegisterWrite& write) { control_written(write); });
  bank_.on_write(bank_.find("HDM Decoder Global Control", "HDM Decoder Enable"),
                 [this](const FieldWrite& write) { set_enabled(write.after != 0); });
}

unsigned ComponentRegisters::bridge_decoders(unsigned wanted) noexcept {
  if (wanted <= 1) return 1;
  const unsigned step = wanted <= 16 ? 2 : 4;
  const unsigned count = (wanted + step - 1) / step * step;
  return count <= kMostBridgeDecoders ? count : 0;
}

void ComponentRegisters::protect(RegisterId reg) {
  bank_.limit(reg, decoders_);
  bank_.on_write(reg, [this, reg](const RegisterWrite& write) {
    if (ranges_[write.element].locked) bank_.set_value(reg, write.before, write.element);
  });
}

std::uint64_t ComponentRegisters::pair(RegisterId low, RegisterId high, unsigned decoder) const {
  return bank_.value(high, decoder) << 32 | (bank_.value(low, decoder) & ~std::uint64_t{kIgnored});
}

void ComponentRegisters::control_written(const RegisterWrite& write) {
  Range& range = ranges_[write.element];
  if (range.locked) return bank_.set_value(control_, write.before, write.element);
  const bool before = (write.before & kCommit) != 0;
  const bool after = (write.after & kCommit) != 0;
  if (before == after) return;
  std::uint64_t control = write.after & ~(kCommitted | kErrorNotCommitted);
  if (!after) {
    range = {};
  } else if (commit(write.element, control).empty()) {
    control |= kCommitted;
  } else {
    control |= kErrorNotCommitted;
  }
  bank_.set_value(control_, control, write.element);
  tell(write.element);
}

HdmClaim ComponentRegisters::claim(unsigned decoder) const {
  const Range& range = ranges_.at(decoder);
  if (!enabled_ || range.size == 0) return {};
  return {range.base, range.size, range.device_base, *cxl::decode(range.encoded), range.targets};
}

void ComponentRegisters::tell(unsigned decoder) {
  const HdmClaim claimed = claim(decoder);
  if (kind_ == ComponentKind::device)
    claims_.set(decoder, {claimed.base, claimed.size, claimed.device_base, claimed.interleave});
  for (const auto& listener : listeners_) listener(decoder, claimed);
}

void ComponentRegisters::set_enabled(bool enabled) {
  if (enabled == enabled_) return;
  enabled_ = enabled;
  for (unsigned decoder = 0; decoder < decoders_; ++decoder) tell(decoder);
}

/// @return the reason why it cannot be committed; empty if it is committed now.
std::string ComponentRegisters::commit(unsigned decoder, std::uint64_t control) {
  Range range;
  range.base = pair(base_low_, base_high_, decoder);
  range.size = pair(size_low_, size_high_, decoder);
  range.encoded = {static_cast<unsigned>(control >> 4 & 0xf), static_cast<unsigned>(control & 0xf)};
  const std::optional<Interleave> interleave = cxl::decode(range.encoded);
  if (!interleave) return "ways or granularity are reserved values";
  if (range.size % (kUnit * interleave->ways) != 0) {
    return fmt::format("the size is not a multiple of {} x 256 MiB", interleave->ways);
  }
  if (range.base > ~std::uint64_t{0} - range.size) return "the range wraps";
  if (decoder + 1 < decoders_ && ranges_[decoder + 1].committed) {
    return fmt::format("decoder {} is committed already", decoder + 1);
  }
  if (decoder != 0) {
    const Range& previous = ranges_[decoder - 1];
    if (!previous.committed) return fmt::format("decoder {} is not committed", decoder - 1);
    // An empty range counts as lying at its base, so that later ranges must still ascend.
    if (range.base < previous.base + previous.size) {
      return fmt::format("it does not begin behind decoder {}", decoder - 1);
    }
  }
  const bool device = kind_ == ComponentKind::device;
  std::string refusal =
      device ? place(decoder, interleave->ways, range) : choose_targets(decoder, interleave->ways, range);
  if (!refusal.empty()) return refusal;
  range.committed = true;
  range.locked = (control & kDecoderLock) != 0;
  ranges_[decoder] = range;
  return {};
}

std::string ComponentRegisters::place(unsigned decoder, unsigned ways, Range& range) const {
  const std::uint64_t device_base = decoder == 0 ? 0 : ranges_[decoder - 1].device_end;
  const std::uint64_t skip = pair(last_low_, last_high_, decoder);
  const std::uint64_t share = range.size / ways;
  if (skip > capacity_ - device_base || share > capacity_ - device_base - skip) {
    return fmt::format("device memory ends at {:#x}", capacity_);
  }
  range.device_base = device_base + skip;
  range.device_end = range.device_base + share;
  return {};
}

std::string ComponentRegisters::choose_targets(unsigned decoder, unsigned ways, Range& range) const {
  if (ways > kMostTargets || !std::has_single_bit(ways)) return fmt::format("a port has no {} ways", ways);
  for (unsigned way = 0; way < ways; ++way) {
    const RegisterId half = way < 4 ? last_low_ : last_high_;
    range.targets[way] = static_cast<std::uint8_t>(bank_.value(half, decoder) >> (way % 4 * 8));
    if (range.targets[way] >= ports_) return fmt::format("there is no downstream port {}", range.targets[way]);
  }
  return {};
}

void ComponentRegisters::program(unsigned decoder, const HdmDecoderSettings& settings) {
  const std::string field = fmt::format("{}.hdm_decoders[{}]", name(), decoder);
  if (decoder >= decoders_) throw SpecError(field, fmt::format("the device has {} decoders", decoders_));
  if (ranges_[decoder].committed) throw SpecError(field, "it is committed already");
  const std::optional<EncodedInterleave> encoded = encode(settings.interleave);
  if (!encoded) {
    throw SpecError(
        field + ".interleave",
        fmt::format("{} ways of {} bytes do not exist", settings.interleave.ways, settings.interleave.granularity),
        "1, 2, 4, 8, 16, 3, 6 or 12 ways of 256 ... 16384 bytes");
  }
  for (const std::uint64_t value : {settings.base, settings.size, settings.skip}) {
    if (value % kUnit != 0) throw SpecError(field, fmt::format("{:#x} is not a multiple of 256 MiB", value));
  }
  const auto set = [&](RegisterId low, RegisterId high, std::uint64_t value) {
    bank_.set_value(low, value & 0xffff'ffff, decoder);
    bank_.set_value(high, value >> 32, decoder);
  };
  set(base_low_, base_high_, settings.base);
  set(size_low_, size_high_, settings.size);
  std::uint64_t last = settings.skip;
  if (kind_ != ComponentKind::device) {
    last = 0;
    for (unsigned way = 0; way < kMostTargets; ++way) last |= std::uint64_t{settings.targets[way]} << (8 * way);
  }
  set(last_low_, last_high_, last);
  const std::uint64_t control =
      encoded->granularity | encoded->ways << 4 | kCommit | kHostOnly | (settings.lock_on_commit ? kDecoderLock : 0);
  const std::string refusal = commit(decoder, control);
  if (!refusal.empty()) throw SpecError(field, refusal);
  bank_.set_value(control_, control | kCommitted, decoder);
  bank_.set_value(global_control_, 2);
  tell(decoder);
  set_enabled(true);
}

void ComponentRegisters::reset() {
  bank_.reset();
  ranges_ = {};
  enabled_ = false;
  for (unsigned decoder = 0; decoder < decoders_; ++decoder) tell(decoder);
}

}  // namespace pmufab::cxl
