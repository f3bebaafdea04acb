// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/tegra410/address_map.h"
#include "models/tegra410/c2c/c2c_interfaces.h"
#include "models/tegra410/cmem/cmem_controllers.h"
#include "models/tegra410/cmem/cmem_latency_pmu.h"
#include "models/tegra410/pcie/root_complex.h"
#include "models/tegra410/ucf/opcode_class.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::tegra410 {

/// The edges of a socket's fabric, and the PMUs that count there. The UCF publishes its own events on probes; whatever
/// crosses an edge it tells here and nowhere else, once. `now` is when the request was accepted.
///
/// Nothing is virtual: each call ends in the counters of a PMU, or nowhere.
class FabricEdges {
 public:
  using Request = BoundaryObserver::Request;

  /// @param map, cmem, c2c  must outlive this
  FabricEdges(const AddressMap& map, CmemLatencyPmu& cmem, C2cInterfaces& c2c) : map_(map), cmem_(cmem), c2c_(c2c) {}

  /// Before the first request. @throws std::out_of_range if a socket has no root complex of this number
  void attach(RootComplex& complex) { root_complexes_.at(complex.number) = &complex; }
  /// @return nullptr if there is none of this number.
  [[nodiscard]] RootComplex* root_complex(unsigned number) const noexcept {
    return number < root_complexes_.size() ? root_complexes_[number] : nullptr;
  }

  /// A request of this socket entered the fabric, and its answer is back `latency` later.
  void entered(const Request& request, const MemoryRange& range, Picoseconds latency) {
    if (request.requester == RequesterKind::gpu) {
      const OpcodeClass kind = class_of(request.opcode);
      if (kind == OpcodeClass::dataless) return;
      c2c_.gpu_request(request.requester_id, kind != OpcodeClass::read, request.address / kLineBytes, request.when,
                       request.when + latency);
    } else if (request.requester == RequesterKind::pcie) {
      root_complexes_[request.root_complex]->inbound.accept(request, range, latency);
    }
  }

  /// A request goes out to another socket, or comes in from one, and is answered at `end`.
  void crossed_link(bool is_in, FabricOpcode opcode, std::uint64_t line, Picoseconds now, Picoseconds end) {
    const OpcodeClass kind = class_of(opcode);
    if (kind != OpcodeClass::dataless) c2c_.link_request(is_in, kind != OpcodeClass::read, line, now, end);
  }

  // Reads and writes of this socket's memory, on the wires in [start, end). No PMU counts writes of CMEM.
  void read_cmem(CmemControllers::Place place, unsigned parts, Picoseconds now, Picoseconds start, Picoseconds end) {
    cmem_.read(place, parts, now, start, end);
  }
  void access_gmem(std::uint64_t address, bool is_write, Picoseconds now, Picoseconds start, Picoseconds end) {
    c2c_.gmem_access(*map_.find(address), address / kLineBytes, is_write, now, start, end);
  }
  void read_cxl(std::uint64_t address, unsigned bytes, Picoseconds now, Picoseconds start, Picoseconds end) {
    hand_over_cxl(address, bytes, false, now);
    c2c_.cxl_read(address / kLineBytes, now, start, end);
  }
  void write_cxl(std::uint64_t address, unsigned bytes, Picoseconds now) { hand_over_cxl(address, bytes, true, now); }

  /// A read, write or atomic of a BAR below a root complex of this socket.
  void access_bar(const Request& request, const MemoryRange& range) {
    const OpcodeClass kind = class_of(request.opcode);
    RootComplex* const complex = root_complexes_[range.root_complex];
    if (complex == nullptr || kind == OpcodeClass::dataless) return;
    complex->target.accept({request.when, request.address, request.length, range.root_port, kind != OpcodeClass::read});
  }

 private:
  /// CXL memory is below a root complex.
  void hand_over_cxl(std::uint64_t address, unsigned bytes, bool is_write, Picoseconds when) {
    RootComplex* const complex = root_complexes_[map_.find(address)->root_complex];
    if (complex != nullptr) complex->target.accept({when, address, bytes, PcieTarget::kHdm, is_write});
  }

  const AddressMap& map_;
  CmemLatencyPmu& cmem_;
  C2cInterfaces& c2c_;
  std::array<RootComplex*, kRootComplexes> root_complexes_{};  // nullptr: there is none
};

}  // namespace pmufab::tegra410
