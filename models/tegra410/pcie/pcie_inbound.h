// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/coresight/counter_input.h"
#include "models/pmu/outstanding_requests.h"
#include "models/tegra410/address_map.h"
#include "models/tegra410/pcie/pcie_parameters.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/probe/probe.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::tegra410 {

/// Events of inbound PCIe traffic that happen at an instant; the value is the event number (nvidia_cspmu.c,
/// pcie_v2_pmu_event_attrs).
enum class PcieEvent : std::uint8_t { rd_bytes, wr_bytes, rd_req, wr_req };
inline constexpr unsigned kPcieEventCount = 4;
inline constexpr std::uint32_t kPcieOutstandingReads = 4;  ///< event number of rd_cum_outs

/// The destination of a device's request, seen from the socket of its root complex; the bits of PMEVFILT2R[4:0].
enum class PcieDestination : std::uint8_t { loc_cmem, loc_gmem, loc_pcie_p2p, loc_pcie_cxl, rem };
inline constexpr unsigned kPcieDestinations = 5;

/// PMEVFILTR and PMEVFILT2R of a PCIE PMU.
struct PcieFilter {
  unsigned root_ports = 0;     ///< bit p: devices below root port p ...
  bool one_requester = false;  ///< ... or only the device with ...
  std::uint16_t bdf = 0;       ///< ... this requester id
  unsigned destinations = 0;   ///< bit d for PcieDestination d

  [[nodiscard]] static PcieFilter of(const coresight::CounterProgram& program) noexcept;
};

/// A request of a device, for listeners.
struct PcieInboundRequest {
  Picoseconds when;
  Picoseconds latency;  ///< of a read, until its answer is back
  std::uint32_t bytes;
  std::uint16_t bdf;
  std::uint8_t root_port;
  PcieDestination destination;
  bool is_write;
};

/// The requests of the devices below one root complex, as its PMU sees them: with root port, requester id and
/// destination, and with the reads that wait for their answer.
class PcieInbound {
 public:
  /// @param name      prefix of the probes' names, for example "socket0.rc0.inbound"
  /// @param socket    of the root complex
  /// @param counters  number of physical counters that may call input_of()
  /// @param clock     of the SOC fabric; must outlive this object
  PcieInbound(const std::string& name, unsigned socket, unsigned counters, const ClockDomain& clock);
  PcieInbound& operator=(PcieInbound&&) = delete;

  /// A request of a device was accepted; its answer is back `latency` later. Acceptance times never run backwards.
  /// @param range  the range of its address
  void accept(const BoundaryObserver::Request& request, const MemoryRange& range, Picoseconds latency);

  /// Call a function for each read and write, too.
  /// @param function  nullptr: none
  void listen(void (*function)(void* context, const PcieInboundRequest& request), void* context) noexcept {
    listener_ = function;
    listener_context_ = context;
  }

  /// @return what a counter with this program counts; nothing for an unknown event. Valid until the next call for the
  ///         same counter.
  [[nodiscard]] CounterInput input_of(const coresight::CounterProgram& program);

  /// All requests; the qualifier is root port * 5 + destination.
  [[nodiscard]] Probe& probe(PcieEvent event) noexcept { return all_[static_cast<unsigned>(event)]; }

 private:
  using Probes = std::array<Probe, kPcieEventCount>;
  /// Requests of one device, for one counter: there are too many requester ids for qualifiers.
  struct Requester {
    explicit Requester(const std::string& name);
    Probes probes;
    std::uint16_t bdf = 0;
  };
  static Probes make_probes(const std::string& name);
  static void publish(Probes& probes, bool is_read, std::uint32_t bytes, unsigned qualifier, Picoseconds when);

  std::string name_;
  unsigned socket_;
  Probes all_;
  OutstandingRequests reads_;
  std::vector<std::unique_ptr<Requester>> requesters_;  // by counter, made when its filter names a device
  std::vector<Requester*> wanted_;
  void (*listener_)(void* context, const PcieInboundRequest& request) = nullptr;
  void* listener_context_ = nullptr;
};

}  // namespace pmufab::tegra410
