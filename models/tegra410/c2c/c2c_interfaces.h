// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/tegra410/address_map.h"
#include "models/tegra410/c2c/c2c_pmu.h"
#include "models/tegra410/parameters.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::tegra410 {

/// The chip-to-chip interfaces of a socket with their PMUs, and the rules for what crosses which (docs/tegra410.md,
/// "Chip-to-chip interfaces"). The fabric calls this for every request that may cross one; `now` is when the request
/// was accepted.
class C2cInterfaces {
 public:
  /// Construct it inside the socket's constructor: the PMUs become the socket's children.
  /// @param clock  of all three interfaces; must outlive them
  C2cInterfaces(const Parameters& parameters, const ClockDomain& clock);

  [[nodiscard]] C2cPmu& nvlink_c2c() noexcept { return nvlink_c2c_; }
  [[nodiscard]] C2cPmu& nvclink() noexcept { return nvclink_; }
  [[nodiscard]] C2cPmu& nvdlink() noexcept { return nvdlink_; }

  /// A read, write or atomic of a GPU of this socket, accepted now and answered at `end`.
  void gpu_request(unsigned requester_id, bool is_write, std::uint64_t line, Picoseconds now, Picoseconds end) {
    if (gpus_ == 0) return;
    nvlink_c2c_.add(is_write ? Traffic::in_write : Traffic::in_read, requester_id % gpus_, line, now, now, end);
  }
  /// A read, write or atomic on the link between sockets, at this socket's end. Outgoing: leaves now and is answered at
  /// `end`. Incoming: arrives now and is served at `end`.
  void link_request(bool is_in, bool is_write, std::uint64_t line, Picoseconds now, Picoseconds end) {
    const Traffic traffic =
        is_write ? (is_in ? Traffic::in_write : Traffic::out_write) : (is_in ? Traffic::in_read : Traffic::out_read);
    if (nvlink_c2c_is_link_) {
      nvlink_c2c_.add(traffic, 0, line, now, now, end);
    } else if (!is_write) {
      nvclink_.add(traffic, 0, line, now, now, end);
    }
  }
  /// A read or write of the socket's own GMEM, on the wires in [start, end). @param range  where the line lives
  void gmem_access(const MemoryRange& range, std::uint64_t line, bool is_write, Picoseconds now, Picoseconds start,
                   Picoseconds end) {
    if (gpus_ == 0) return;
    const std::uint64_t gpu = (line - range.base / kLineBytes) * gpus_ / (range.size / kLineBytes);
    nvlink_c2c_.add(is_write ? Traffic::out_write : Traffic::out_read, static_cast<unsigned>(gpu), line, now, start,
                    end);
  }
  /// A read of the socket's own CXL memory, on the wires in [start, end).
  void cxl_read(std::uint64_t line, Picoseconds now, Picoseconds start, Picoseconds end) {
    nvdlink_.add(Traffic::in_read, 0, line, now, start, end);
  }

 private:
  using Traffic = C2cPmu::Traffic;

  unsigned gpus_;            // number of GPUs behind NVLink-C2C
  bool nvlink_c2c_is_link_;  // the link between sockets is NVLink-C2C
  C2cPmu nvlink_c2c_;
  C2cPmu nvclink_;
  C2cPmu nvdlink_;
};

}  // namespace pmufab::tegra410
