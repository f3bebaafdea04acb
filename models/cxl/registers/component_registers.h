// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/cxl/memory/hdm_map.h"
#include "models/cxl/memory/interleave.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::cxl {

/// The settings of a device's HDM decoder.
struct HdmDecoderSettings {
  std::uint64_t base = 0;  ///< host physical address, a multiple of 256 MiB
  std::uint64_t size = 0;  ///< bytes of the whole interleaved range, a multiple of 256 MiB times the ways
  Interleave interleave{};
  std::uint64_t skip = 0;      ///< bytes of device memory between the previous decoder's and this one's
  bool lock_on_commit = true;  ///< as firmware does: software cannot change it until reset
  HdmTargets targets{};        ///< for a switch or a host bridge: number of the port below, of each way
};

/// A host physical address a device claims.
struct DecodedAddress {
  unsigned decoder;              ///< number of the HDM decoder, 0 ... 9
  std::uint64_t device_address;  ///< bytes into the device's memory
  bool operator==(const DecodedAddress&) const = default;
};

/// The present claim of a decoder.
struct HdmClaim {
  std::uint64_t base = 0;
  std::uint64_t size = 0;         ///< 0: no claim; not committed, or decoding is disabled
  std::uint64_t device_base = 0;  ///< start of its share of device memory
  Interleave interleave{};
  HdmTargets targets{};  ///< for a switch or a host bridge
};

/// The kind of component that has the registers.
enum class ComponentKind : std::uint8_t {
  device,         ///< decoders translate to device memory
  upstream_port,  ///< of a switch: decoders have targets instead of a skip
  host_bridge,    ///< above root ports, likewise
  port            ///< a root port or a downstream port: no decoders
};

/// The component register block of a device, a port or a host bridge (register locator block id 1, or CHBCR; 64 KiB).
/// Its CXL.cache/CXL.mem capability array at 0x1000 has the RAS and the HDM decoder capability (CXL 3.1, 8.2.4). All
/// registers have 32 bits.
///
/// A decoder takes effect when its commit bit goes from 0 to 1, if all before it are committed, ranges ascend without
/// overlap, the interleave is one of the specification's, and device memory suffices. Otherwise Error Not Committed is
/// set. Committed settings hold until the bit is cleared: base, size and interleave written meanwhile wait for the next
/// commit, and are ignored if the decoder is locked. Decoders of an upstream port or a host bridge have no memory, and
/// up to eight ways, each with an existing port below. Addresses are decoded while HDM Decoder Enable of the global
/// control register is 1.
class ComponentRegisters : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kSize = 0x1'0000;
  static constexpr unsigned kMostDecoders = HdmMap::kDecoders;  ///< of a device or a switch
  static constexpr unsigned kMostBridgeDecoders = 32;

  /// @param decoders  1, 2, 4, 6, 8 or 10 (the numbers that the capability can encode)
  /// @param capacity  bytes of device memory
  /// @throws SpecError if decoders is another number
  ComponentRegisters(const sc_core::sc_module_name& name, unsigned decoders, std::uint64_t capacity)
      : ComponentRegisters(name, ComponentKind::device, decoders, capacity, 0) {}
  /// Make the registers of a port.
  /// @param ports  downstream ports of its switch, numbered from 0; 0: it is no upstream port
  ComponentRegisters(const sc_core::sc_module_name& name, unsigned ports)
      : ComponentRegisters(name, ports == 0 ? ComponentKind::port : ComponentKind::upstream_port,
                           ports == 0 ? 0 : kMostDecoders, 0, ports) {}
  /// Make the registers of any component.
  /// @param ports  of an upstream port or a host bridge: ports below, numbered from 0
  /// @throws SpecError if the capability cannot encode the number of decoders: 1, 2, 4, 6, 8, 10; of a host bridge also
  ///         12, 14, 16, 20, 24, 28, 32
  ComponentRegisters(const sc_core::sc_module_name& name, ComponentKind kind, unsigned decoders, std::uint64_t capacity,
                     unsigned ports);

  /// @return the fewest decoders, `wanted` at least, that a host bridge's capability can encode; 0 if there are none
  [[nodiscard]] static unsigned bridge_decoders(unsigned wanted) noexcept;

  /// May stay unbound.
  tlm_utils::simple_target_socket_optional<ComponentRegisters, 64> socket;

  /// Firmware's part: program the registers of a decoder, commit it, and enable decoding.
  /// @throws SpecError if there is no such decoder, it is committed already, or the device refuses
  void program(unsigned decoder, const HdmDecoderSettings& settings);

  /// @return the decoder that claims the address and its place in device memory; empty if none does. A range of several
  ///         ways is claimed whole: hosts send a device only its own part.
  [[nodiscard]] std::optional<DecodedAddress> decode(std::uint64_t address) const noexcept {
    const unsigned number = claims_.decoder(address);
    if (number == kNoHdmDecoder) return std::nullopt;
    return DecodedAddress{number, claims_.claim(address).device_address};
  }

  [[nodiscard]] unsigned decoders() const noexcept { return decoders_; }
  /// @return the range that decode() uses for this decoder.
  [[nodiscard]] HdmClaim claim(unsigned decoder) const;
  /// Call `listener` whenever a claim changes, for users that keep a copy.
  void on_claim(std::function<void(unsigned decoder, const HdmClaim&)> listener) {
    listeners_.push_back(std::move(listener));
  }
  [[nodiscard]] bool committed(unsigned decoder) const { return ranges_.at(decoder).committed; }

  /// Reset everything, decoders included. A function level reset must not call it, because it leaves decoders alone
  /// (CXL 3.1, 9.5).
  void reset();

  [[nodiscard]] const RegisterBank& bank() const noexcept { return bank_; }

 private:
  struct Range {  // committed settings
    std::uint64_t base = 0;
    std::uint64_t size = 0;  // 0: none
    std::uint64_t device_base = 0;
    std::uint64_t device_end = 0;
    EncodedInterleave encoded{0, 0};
    HdmTargets targets{};
    bool committed = false;
    bool locked = false;
  };
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { bank_.b_transport(payload, delay); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return bank_.transport_dbg(payload); }
  void protect(RegisterId reg);
  void set_enabled(bool enabled);
  void tell(unsigned decoder);
  void control_written(const RegisterWrite& write);
  [[nodiscard]] std::string commit(unsigned decoder, std::uint64_t control);
  [[nodiscard]] std::string place(unsigned decoder, unsigned ways, Range& range) const;
  [[nodiscard]] std::string choose_targets(unsigned decoder, unsigned ways, Range& range) const;
  [[nodiscard]] std::uint64_t pair(RegisterId low, RegisterId high, unsigned decoder) const;

  const ComponentKind kind_;
  const unsigned decoders_;
  const std::uint64_t capacity_;
  const unsigned ports_;
  RegisterBank bank_;
  RegisterId global_control_{}, base_low_{}, base_high_{}, size_low_{}, size_high_{}, control_{};
  RegisterId last_low_{}, last_high_{};  // DPA skip, or target list
  std::array<Range, kMostBridgeDecoders> ranges_{};
  HdmMap claims_;  // of a device: the claims in effect
  bool enabled_ = false;
  std::vector<std::function<void(unsigned, const HdmClaim&)>> listeners_;
};

}  // namespace pmufab::cxl
