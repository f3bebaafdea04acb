// SPDX-License-Identifier: Apache-2.0
#include "tlm/bus/mmio_bus.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "tlm/registers/register_bank.h"

namespace pmufab {

/// A module of its own: windows are mapped after the bus is constructed, and SystemC creates ports only inside a module
/// under construction.
struct MmioBus::Port : sc_core::sc_module {
  Port(const sc_core::sc_module_name& module_name, Window where)
      : sc_core::sc_module(module_name), window(std::move(where)), socket("socket") {}

  Window window;
  tlm_utils::simple_initiator_socket<Port, 64> socket;
};

MmioBus::MmioBus(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {
  socket.register_b_transport(this, &MmioBus::b_transport);
  socket.register_transport_dbg(this, &MmioBus::transport_dbg);
}

MmioBus::~MmioBus() = default;

void MmioBus::map(const std::string& window, std::uint64_t base, std::uint64_t size,
                  tlm::tlm_base_target_socket_b<64>& target) {
  if (size == 0) throw std::invalid_argument(fmt::format("{}: window '{}' is empty", name(), window));
  if (size - 1 > std::numeric_limits<std::uint64_t>::max() - base) {
    throw std::invalid_argument(fmt::format("{}: window '{}' [{:#x}, +{:#x}) runs past the end of the address space",
                                            name(), window, base, size));
  }
  const std::uint64_t last = base + (size - 1);
  for (const auto& port : ports_) {
    const Window& other = port->window;
    const std::uint64_t other_last = other.base + (other.size - 1);
    if (base <= other_last && other.base <= last) {
      throw std::invalid_argument(fmt::format("{}: window '{}' [{:#x}, {:#x}] overlaps window '{}' [{:#x}, {:#x}]",
                                              name(), window, base, last, other.name, other.base, other_last));
    }
  }
  auto port = std::make_unique<Port>(sc_core::sc_gen_unique_name("mmio_bus_port"), Window{window, base, size});
  port->socket.bind(target);
  const auto place = std::upper_bound(ports_.begin(), ports_.end(), base,
                                      [](std::uint64_t b, const auto& p) { return b < p->window.base; });
  ports_.insert(place, std::move(port));
}

void MmioBus::monitor(Monitor monitor) { monitors_.push_back(std::move(monitor)); }

std::vector<MmioBus::Window> MmioBus::windows() const {
  std::vector<Window> result;
  result.reserve(ports_.size());
  for (const auto& port : ports_) result.push_back(port->window);
  return result;
}

MmioBus::Port* MmioBus::decode(std::uint64_t address, unsigned length) noexcept {
  const auto holds = [&](const Port& port) {
    const std::uint64_t offset = address - port.window.base;  // an address below the window wraps to a large offset
    return offset < port.window.size && length <= port.window.size - offset;
  };
  if (last_ != nullptr && holds(*last_)) return last_;
  const auto above = std::upper_bound(ports_.begin(), ports_.end(), address,
                                      [](std::uint64_t a, const auto& p) { return a < p->window.base; });
  if (above == ports_.begin()) return nullptr;
  Port* const port = std::prev(above)->get();
  if (!holds(*port)) return nullptr;
  last_ = port;
  return port;
}

void MmioBus::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = latest_ = payload.get_address();
  const unsigned length = payload.get_data_length();
  const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp()) + to_picoseconds(delay);
  if (Port* const port = decode(address, length)) [[likely]] {
    payload.set_address(address - port->window.base);
    port->socket->b_transport(payload, delay);
    payload.set_address(address);
  } else {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    report_unmapped(payload);
  }
  payload.set_dmi_allowed(false);
  if (monitors_.empty()) return;

  BusAccess access{when, address, 0, length, payload.is_write(), payload.is_response_ok()};
  if (payload.get_data_ptr() != nullptr && (access.is_write || access.ok))
    std::memcpy(&access.data, payload.get_data_ptr(), std::min<std::size_t>(length, sizeof access.data));
  for (const Monitor& monitor : monitors_) monitor(access);
}

unsigned MmioBus::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  Port* const port = decode(address, payload.get_data_length());
  if (port == nullptr) return 0;
  payload.set_address(address - port->window.base);
  const unsigned moved = port->socket->transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

void MmioBus::report_unmapped(const tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (!reported_.emplace(address, length).second) return;
  std::string text =
      fmt::format("{}: {}-byte {} at {:#x}", name(), length, payload.is_write() ? "write" : "read", address);
  const auto touches = [&](const auto& port) {
    return address - port->window.base < port->window.size || port->window.base - address < length;
  };
  const auto touched = std::find_if(ports_.begin(), ports_.end(), touches);
  if (touched == ports_.end()) {
    text += " is in no window of the address map";
  } else {
    const Window& window = (*touched)->window;
    text += fmt::format(" straddles the boundary of window '{}' [{:#x}, {:#x}]; it must lie inside one window",
                        window.name, window.base, window.base + (window.size - 1));
  }
  SC_REPORT_WARNING(kGuestErrorReport, text.c_str());
}

}  // namespace pmufab
