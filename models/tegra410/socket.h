// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/tegra410/address_map.h"
#include "models/tegra410/c2c/c2c_interfaces.h"
#include "models/tegra410/cmem/cmem_latency_pmu.h"
#include "models/tegra410/cpu/private_cache.h"
#include "models/tegra410/fabric_edges.h"
#include "models/tegra410/parameters.h"
#include "models/tegra410/pcie/root_complex.h"
#include "models/tegra410/ucf/ucf.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::tegra410 {

/// The common order in which the sockets of a platform accept requests. Times never run backwards: a request with an
/// earlier time than one already accepted is treated as arriving together with it.
class AcceptanceOrder {
 public:
  Picoseconds accept(Picoseconds arrival) noexcept { return latest_ = std::max(latest_, arrival); }

 private:
  Picoseconds latest_ = 0;
};

/// The clocks of a socket; all sockets of a platform share them.
struct SocketClocks {
  const ClockDomain& ucf;
  const ClockDomain& c2c;  ///< of the chip-to-chip interfaces
  const ClockDomain& soc;  ///< of the SOC fabric
};

/// One Tegra410 socket: CPU clusters' private caches, fabric, memory and root complexes. Its behaviour is in
/// docs/tegra410.md.
///
/// Requests are generic payloads with a FabricExtension whose `socket` is this one. They are accepted in the order of
/// the calls, each at sc_time_stamp() plus the annotated delay; on return the delay includes the latency. A caller may
/// run ahead of simulated time. If something else may happen before the request arrives, the call waits until then, so
/// it may only be made from a thread process (as the standard requires for b_transport). Errors change nothing:
/// - no extension, another socket's requester, or a cluster or root port that does not exist:
///   TLM_GENERIC_ERROR_RESPONSE
/// - address outside every memory range: TLM_ADDRESS_ERROR_RESPONSE
/// - command that does not fit the opcode: TLM_COMMAND_ERROR_RESPONSE
/// - byte enables: TLM_BYTE_ENABLE_ERROR_RESPONSE
/// - wrong length, crossing a line, streaming: TLM_BURST_ERROR_RESPONSE
class Socket : public sc_core::sc_module {
 public:
  /// @param index  of this socket in the platform
  /// @param map    and `clocks` and `order` are shared by all sockets and must outlive them
  /// @param root_complexes  of all sockets
  /// @param add_pmus  called at the end of construction: modules it makes become children of the socket
  Socket(const sc_core::sc_module_name& name, unsigned index, const Parameters& parameters, const AddressMap& map,
         const SocketClocks& clocks, std::span<const PcieRootComplex> root_complexes, AcceptanceOrder& order,
         const std::function<void(Socket&)>& add_pmus);
  ~Socket() override;

  /// Join the sockets of a platform, element i having index i. Once, before the first request.
  static void connect(std::span<Socket* const> sockets);

  [[nodiscard]] unsigned index() const noexcept { return index_; }
  [[nodiscard]] Ucf& ucf() noexcept { return ucf_; }
  [[nodiscard]] CmemLatencyPmu& cmem_latency_pmu() noexcept { return cmem_latency_pmu_; }
  [[nodiscard]] C2cInterfaces& c2c() noexcept { return c2c_; }
  /// @return the root complex with this number, or nullptr.
  [[nodiscard]] RootComplex* root_complex(unsigned number) noexcept { return edges_.root_complex(number); }
  [[nodiscard]] const std::vector<std::unique_ptr<RootComplex>>& root_complexes() const noexcept {
    return root_complexes_;
  }
  [[nodiscard]] const PrivateCache& private_cache(unsigned cluster) const { return clusters_.at(cluster); }
  void set_observer(BoundaryObserver* observer) noexcept { ucf_.set_observer(observer); }

  /// Loads, stores and atomics of the cluster `requester_id`, through its private cache (those to BARs bypass it). The
  /// extension's opcode is ignored: TLM_READ_COMMAND is a load, TLM_WRITE_COMMAND a store or an atomic.
  tlm_utils::simple_target_socket_optional<Socket, 64> cpu_access;
  /// Requests directly to the fabric: GPU, PCIe, and requests that bypass the private caches.
  tlm_utils::simple_target_socket_optional<Socket, 64> requests;

 private:
  void transport_cpu_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void transport_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  [[nodiscard]] tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload,
                                               const FabricExtension* extension) const noexcept;
  Picoseconds arrive(sc_core::sc_time& delay);
  Picoseconds access_bar(const tlm::tlm_generic_payload& payload, unsigned cluster, const MemoryRange& range,
                         Picoseconds when);
  Picoseconds access(unsigned cluster, const MemoryRange& range, std::uint64_t line, bool store, Picoseconds when);
  Picoseconds cluster_request(unsigned cluster, const MemoryRange& range, std::uint64_t line, FabricOpcode opcode,
                              Picoseconds when);

  unsigned index_;
  const AddressMap& map_;
  AcceptanceOrder& order_;
  Picoseconds hit_latency_;
  std::vector<PrivateCache> clusters_;
  CmemLatencyPmu cmem_latency_pmu_;
  C2cInterfaces c2c_;
  FabricEdges edges_;
  Ucf ucf_;
  std::vector<std::unique_ptr<RootComplex>> root_complexes_;
};

}  // namespace pmufab::tegra410
