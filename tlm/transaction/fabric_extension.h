// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <tlm>

#include "tlm/clock/clock_domain.h"

namespace pmufab {

/// The kind of requester: one value per class that a PMU filter of this project can tell apart.
enum class RequesterKind : std::uint8_t { cpu, gpu, pcie };

/// The request, by its CHI name (Arm IHI 0050).
enum class FabricOpcode : std::uint8_t {
  read_shared,        ///< read a line to cache it, shared
  read_unique,        ///< read a line to cache and write it
  read_once,          ///< read without caching
  write_unique_full,  ///< write a full line without caching it
  write_unique_ptl,   ///< write part of a line without caching it
  write_back_full,    ///< a cache writes a dirty line back
  evict,              ///< dataless: a cache dropped a clean line
  clean_unique,       ///< dataless: a cache requests write permission for a line it holds shared
  clean_invalid,      ///< dataless: cache maintenance; writes dirty data back and drops the line everywhere
  atomic_store,       ///< atomic read-modify-write at the home
};
inline constexpr unsigned kFabricOpcodeCount = 10;

/// @return the CHI spelling, for example "ReadShared".
[[nodiscard]] std::string_view to_string(FabricOpcode opcode) noexcept;
/// @return "cpu", "gpu" or "pcie".
[[nodiscard]] std::string_view to_string(RequesterKind kind) noexcept;

/// The part of a request on a fabric that a generic payload does not hold. Set by the requester, read by every model on
/// the way.
///
/// The payload's command is TLM_READ_COMMAND for reads, TLM_WRITE_COMMAND for writes and atomics, TLM_IGNORE_COMMAND
/// for dataless requests. The data pointer may be null and models must not use it: the fabrics of this project move no
/// data.
struct FabricExtension : tlm::tlm_extension<FabricExtension> {
  RequesterKind requester = RequesterKind::cpu;
  FabricOpcode opcode = FabricOpcode::read_once;
  std::uint8_t socket = 0;         ///< socket the requester sits in
  std::uint8_t root_port = 0;      ///< PCIe root port within its root complex (pcie only)
  std::uint8_t root_complex = 0;   ///< PCIe root complex within the socket (pcie only)
  std::uint8_t qos = 0;            ///< 0 ... 15
  std::uint16_t requester_id = 0;  ///< cpu: cluster within the socket; otherwise the requester's own number
  std::uint16_t bdf = 0;           ///< PCIe requester id: bus << 8 | device << 3 | function (pcie only)

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new FabricExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const FabricExtension&>(other); }
};

/// The wires a monitor can see at the boundary of a fabric. A model calls its observer, if there is one, in the order
/// in which it accepts requests. It passes only what crossed the boundary, nothing of its inner state.
class BoundaryObserver {
 public:
  virtual ~BoundaryObserver() = default;

  /// A request, as the fabric of socket `accepting_socket` accepted it at its requester-side port.
  struct Request {
    Picoseconds when;       ///< instant of acceptance
    std::uint64_t address;  ///< system address
    std::uint32_t length;   ///< bytes; 0 for dataless requests
    FabricOpcode opcode;
    RequesterKind requester;
    std::uint8_t requester_socket;
    std::uint8_t accepting_socket;
    std::uint8_t root_complex;  ///< pcie only
    std::uint8_t root_port;     ///< pcie only
    std::uint16_t requester_id;
    std::uint16_t bdf;  ///< pcie only
  };
  virtual void on_request(const Request& request) = 0;
  /// The answer to `request`, which on_request() showed before, arrives back at the requester's side of the fabric at
  /// `end`. For a posted write, the answer is its acknowledgement. Called when the request has been accepted, which may
  /// be before `end`.
  virtual void on_response(const Request& /*request*/, Picoseconds /*end*/) {}

  /// A read or write on the wires between a fabric and the local memory of its socket.
  struct MemoryAccess {
    Picoseconds start;  ///< leaves the fabric
    Picoseconds end;    ///< response arrives back at the fabric
    std::uint64_t address;
    std::uint32_t length;  ///< bytes
    bool is_write;
    std::uint8_t socket;  ///< whose memory
  };
  virtual void on_memory_access(const MemoryAccess& access) = 0;

  /// A request on the link between two sockets, as seen at one end of it. Shown twice, first at the requester's end.
  struct LinkRequest {
    Picoseconds start;  ///< leaves `from_socket`, or arrives at `to_socket`
    Picoseconds end;    ///< the answer (of a write: the acknowledgement) is back at `from_socket` or leaves `to_socket`
    std::uint64_t address;
    std::uint32_t length;  ///< bytes; 0 for dataless requests
    FabricOpcode opcode;
    std::uint8_t from_socket;  ///< of the requester
    std::uint8_t to_socket;    ///< home of the address
    std::uint8_t socket;       ///< the end at which it is seen: one of the two
  };
  virtual void on_link_request(const LinkRequest& /*request*/) {}
};

}  // namespace pmufab
