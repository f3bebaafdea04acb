// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/function.h"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/pcie/express_capability.h"
#include "tlm/registers/register_bank.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::pcie {

namespace {

// Header registers.
constexpr unsigned kBar0 = 0x10;
constexpr unsigned kBridgeControl = 0x3e;
constexpr std::uint32_t kSecondaryBusReset = 0x40;
// Registers of the PCI Express capability.
constexpr unsigned kDeviceControl = 0x08;
constexpr unsigned kDeviceStatus = 0x0a;
constexpr std::uint32_t kUnsupportedRequestDetected = 0x8;

bool is_port(PortType type) {
  return type == PortType::root_port || type == PortType::switch_upstream_port ||
         type == PortType::switch_downstream_port;
}

}  // namespace

/// A module of its own: each BAR has its target socket and its own map.
struct Function::Bar : sc_core::sc_module {
  Bar(const sc_core::sc_module_name& module_name, Function& function, unsigned which, const BarParameters& what)
      : sc_core::sc_module(module_name), owner(function), number(which), parameters(what), contents("contents") {
    socket.register_b_transport(this, &Bar::b_transport);
    socket.register_transport_dbg(this, &Bar::transport_dbg);
    inner.bind(contents.socket);
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (!owner.memory_enabled()) [[unlikely]] {
      return owner.unsupported_request(*this, payload, "Memory Space Enable of the command register is 0");
    }
    if (!assigned || owner.bar_address(number) != *assigned) [[unlikely]] {
      return owner.unsupported_request(*this, payload, "the BAR does not hold the address of this window");
    }
    inner->b_transport(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return inner->transport_dbg(payload); }

  Function& owner;
  const unsigned number;
  const BarParameters parameters;
  std::optional<std::uint64_t> assigned;  // address of the window that firmware mapped
  // Optional, because an unused BAR is not bound to a bus.
  tlm_utils::simple_target_socket_optional<Bar, 64> socket{"socket"};
  tlm_utils::simple_initiator_socket<Bar, 64> inner{"inner"};
  MmioBus contents;
};

Function::Function(const sc_core::sc_module_name& name, const FunctionParameters& parameters)
    : sc_core::sc_module(name),
      space_(this->name()),
      messages_(std::string(this->name()) + ".messages"),
      port_(pcie::is_port(parameters.type)) {
  build_header(parameters);
  build_bars(parameters);
  build_express(parameters);
  build_messages(parameters);
}

Function::~Function() = default;

void Function::build_header(const FunctionParameters& parameters) {
  space_.define(0x00, 2, {.value = parameters.vendor_id});
  space_.define(0x02, 2, {.value = parameters.device_id});
  // Command: memory space, bus master, parity error response, SERR#, interrupt disable.
  space_.define(0x04, 2, {.writable = 0x0546});
  space_.define(0x06, 2, {.write_one_to_clear = 0xf900});
  space_.define(0x08, 4, {.value = parameters.revision_id | parameters.class_code << 8});
  space_.define(0x0c, 1, {.writable = 0xff});
  space_.define(0x0e, 1, {.value = (port_ ? 1U : 0U) | (parameters.multi_function ? 0x80U : 0U)});
  space_.define(0x3c, 1, {.writable = 0xff});
  if (!port_) {
    space_.define(0x2c, 2, {.value = parameters.subsystem_vendor_id});
    space_.define(0x2e, 2, {.value = parameters.subsystem_id});
    return;
  }
  space_.define(0x18, 3, {.writable = 0xff'ffff});         // primary, secondary, subordinate bus number
  space_.define(0x1e, 2, {.write_one_to_clear = 0xf900});  // secondary status
  space_.define(0x20, 4, {.writable = 0xfff0'fff0});       // memory base and limit
  space_.define(0x24, 4, {.value = 0x0001'0001, .writable = 0xfff0'fff0});  // prefetchable, 64-bit
  space_.define(0x28, 4, {.writable = ~0U});
  space_.define(0x2c, 4, {.writable = ~0U});
  space_.define(kBridgeControl, 2, {.writable = 0x0043});
  space_.on_write(kBridgeControl, 2, [this](const ConfigurationWrite& write) {
    if ((write.byte(kBridgeControl) & kSecondaryBusReset) == 0) return;
    for (const auto& [number, function] : below_) function->reset(ResetKind::conventional);
  });
}

void Function::build_bars(const FunctionParameters& parameters) {
  const unsigned limit = port_ ? 2 : 6;
  for (unsigned number = 0; number < bars_.size(); ++number) {
    const BarParameters& bar = parameters.bars[number];
    if (bar.size == 0) continue;
    const std::string field = fmt::format("bars[{}]", number);
    if (number + (bar.wide ? 1 : 0) >= limit) {
      throw SpecError(field, fmt::format("there are {} BARs, and a 64-bit one takes two", limit));
    }
    if (!std::has_single_bit(bar.size) || bar.size < 0x1000 || (!bar.wide && bar.size > 0x8000'0000)) {
      throw SpecError(field + ".size", fmt::format("{:#x} is not a power of two from 4 KiB that fits", bar.size));
    }
    if (bar.wide && parameters.bars[number + 1].size != 0) {
      throw SpecError(field, fmt::format("a 64-bit BAR takes BAR {} as well", number + 1), "leave that one out");
    }
    const std::uint64_t mask = ~(bar.size - 1);
    const std::uint32_t flags = (bar.wide ? 4U : 0U) | (bar.prefetchable ? 8U : 0U);
    space_.define(kBar0 + 4 * number, 4, {.value = flags, .writable = static_cast<std::uint32_t>(mask)});
    if (bar.wide) space_.define(kBar0 + 4 * number + 4, 4, {.writable = static_cast<std::uint32_t>(mask >> 32)});
    bars_[number] = std::make_unique<Bar>(fmt::format("bar{}", number).c_str(), *this, number, bar);
  }
}

void Function::build_express(const FunctionParameters& parameters) {
  const bool resettable = parameters.function_level_reset && !port_;
  express_ = add_express_capability(space_, parameters.type, parameters.link, resettable);
  if (parameters.serial_number) {
    const unsigned at = space_.add_extended_capability(0x0003, 1, 12);
    space_.define(at + 4, 4, {.value = static_cast<std::uint32_t>(*parameters.serial_number)});
    space_.define(at + 8, 4, {.value = static_cast<std::uint32_t>(*parameters.serial_number >> 32)});
  }
  if (!resettable) return;
  space_.on_write(express_ + kDeviceControl, 2, [this](const ConfigurationWrite& write) {
    if ((write.byte(express_ + kDeviceControl + 1) & 0x80) != 0) reset(ResetKind::function_level);
  });
}

void Function::build_messages(const FunctionParameters& parameters) {
  if (parameters.msi) msi_ = std::make_unique<Msi>(*parameters.msi, space_, messages_);
  if (!parameters.msi_x) return;
  const MsiXParameters& wanted = *parameters.msi_x;
  if (!has_bar(wanted.bar)) throw SpecError("msi_x.bar", fmt::format("there is no BAR {}", wanted.bar));
  msi_x_ = std::make_unique<MsiX>("msi_x", wanted, space_, messages_);
  const std::uint32_t size = MsiX::window_size(wanted.vectors);
  if (wanted.offset > bar_size(wanted.bar) || size > bar_size(wanted.bar) - wanted.offset) {
    throw SpecError("msi_x.offset",
                    fmt::format("{:#x} bytes at {:#x} are not within BAR {}", size, wanted.offset, wanted.bar));
  }
  map(wanted.bar, "MSI-X", wanted.offset, size, msi_x_->socket);
}

Function::Bar& Function::bar_at(unsigned bar) const {
  if (!has_bar(bar)) throw std::out_of_range(fmt::format("{} has no BAR {}", name(), bar));
  return *bars_[bar];
}

tlm::tlm_base_target_socket_b<64>& Function::socket(unsigned bar) { return bar_at(bar).socket; }

std::uint64_t Function::bar_size(unsigned bar) const { return bar_at(bar).parameters.size; }

void Function::map(unsigned bar, const std::string& what, std::uint64_t offset, std::uint64_t size,
                   tlm::tlm_base_target_socket_b<64>& target) {
  Bar& place = bar_at(bar);
  if (offset > place.parameters.size || size > place.parameters.size - offset) {
    throw std::invalid_argument(
        fmt::format("{}: {} [{:#x}, +{:#x}) is not within BAR {}", name(), what, offset, size, bar));
  }
  place.contents.map(what, offset, size, target);
}

void Function::assign_bar(unsigned bar, std::uint64_t address) {
  Bar& place = bar_at(bar);
  const std::uint64_t size = place.parameters.size;
  if (address % size != 0 || (!place.parameters.wide && address + size > 0x1'0000'0000)) {
    throw SpecError(fmt::format("bars[{}]", bar), fmt::format("{} cannot be at {:#x}", name(), address),
                    fmt::format("a multiple of its size {:#x}{}", size, place.parameters.wide ? "" : " below 4 GiB"));
  }
  place.assigned = address;
  const unsigned at = kBar0 + 4 * bar;
  space_.set(at, 4, static_cast<std::uint32_t>(address) | (space_.read(at, 1) & 0xf));
  if (place.parameters.wide) space_.set(at + 4, 4, static_cast<std::uint32_t>(address >> 32));
}

std::uint64_t Function::bar_address(unsigned bar) const {
  const unsigned at = kBar0 + 4 * bar;
  const std::uint64_t low = space_.read(at, 4) & ~0xfU;
  return bar_at(bar).parameters.wide ? low | std::uint64_t{space_.read(at + 4, 4)} << 32 : low;
}

void Function::attach(unsigned device, unsigned function, Function& below) {
  if (!port_) throw SpecError(name(), "only ports have a bus below them");
  if (device >= 32 || function >= 8 || !below_.emplace(device * 8 + function, &below).second) {
    throw SpecError(name(), fmt::format("{} cannot be device {} function {} below it", below.name(), device, function),
                    "device 0 ... 31, function 0 ... 7, each once");
  }
}

Function* Function::below(unsigned device, unsigned function) const noexcept {
  const auto found = below_.find(device * 8 + function);
  return found == below_.end() ? nullptr : found->second;
}

void Function::assign_buses(std::uint8_t primary, std::uint8_t secondary, std::uint8_t subordinate) {
  if (!port_) throw SpecError(name(), "only ports have bus numbers");
  space_.set(0x18, 3, primary | std::uint32_t{secondary} << 8 | std::uint32_t{subordinate} << 16);
}

void Function::enable() noexcept {
  constexpr unsigned kCommandRegister = 0x04;
  constexpr std::uint32_t kMemoryAndMaster = 0x0006;
  space_.set(kCommandRegister, 2, kMemoryAndMaster);
}

void Function::signal(unsigned vector) {
  bool taken = false;
  if (msi_x_ && msi_x_->enabled()) {
    taken = msi_x_->signal(vector);
  } else if (msi_ && msi_->enabled()) {
    taken = msi_->signal(vector);
  }
  if (!taken) ++lost_messages_;
}

void Function::reset(ResetKind kind) {
  space_.reset(kind);
  if (msi_x_) msi_x_->reset();
  reported_.clear();
  for (const ResetListener& listener : reset_listeners_) listener(kind);
  if (kind == ResetKind::function_level) return;
  for (const auto& [number, function] : below_) function->reset(kind);
}

void Function::unsupported_request(const Bar& bar, tlm::tlm_generic_payload& payload, const char* reason) {
  const unsigned length = payload.get_data_length();
  const std::uint64_t offset = payload.get_address();
  if (payload.is_read() && payload.get_data_ptr() != nullptr) std::memset(payload.get_data_ptr(), 0xff, length);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const unsigned status = express_ + kDeviceStatus;
  space_.set(status, 2, space_.read(status, 2) | kUnsupportedRequestDetected);
  ++unsupported_requests_;
  if (!reported_.emplace(bar.number, offset, length, payload.is_write()).second) return;
  const std::string text = fmt::format("{}: {}-byte {} at offset {:#x} of BAR {} is an unsupported request: {}", name(),
                                       length, payload.is_write() ? "write" : "read", offset, bar.number, reason);
  SC_REPORT_WARNING(kGuestErrorReport, text.c_str());
}

}  // namespace pmufab::pcie
