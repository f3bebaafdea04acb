// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/platform/platform.h"
#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"
#include "tlm/transaction/fabric_extension.h"

namespace pmufab::testing {

/// A platform small enough to compute by hand. Each socket has four clusters of one CPU with private caches of 2 sets x
/// 2 ways, and an SLC of 2 slices x 2 sets x 2 ways. One root complex with one root port; default memory map, latencies
/// and PMUs.
platform::PlatformSpec small_spec(unsigned sockets);

/// Address of line `line` of a memory of `socket`, default map. Lines 0, 4, 8, ... of one memory share a set of the
/// small SLC, and of its private caches lines 0, 2, 4, ... do.
std::uint64_t cmem(unsigned socket, std::uint64_t line);
std::uint64_t gmem(unsigned socket, std::uint64_t line);
std::uint64_t cxl(unsigned socket, std::uint64_t line);

/// A request of a test.
struct Ask {
  FabricOpcode opcode;
  std::uint64_t address;
  RequesterKind kind = RequesterKind::cpu;
  unsigned socket = 0;   ///< of the requester
  unsigned cluster = 0;  ///< cpu: within the socket
  unsigned length = 64;
  Picoseconds delay = 0;      ///< annotated at the call
  unsigned root_complex = 0;  ///< pcie
  unsigned root_port = 0;     ///< pcie
  std::uint16_t bdf = 0;      ///< pcie
};

/// A platform with an initiator at each of its sockets and on its bus. It counts the events that the UCFs publish.
class Rig : public sc_core::sc_module {
 public:
  /// Events since the last take(), by "<socket> <event> <source>><destination>", for example "0 slc_hit_rd cpu>cmem";
  /// sources are cpu, noncpu, rem; destinations cmem, gmem, cxl, rem. Zero counts are left out.
  using Counts = std::map<std::string, std::uint64_t>;

  explicit Rig(const platform::PlatformSpec& spec, const sc_core::sc_module_name& name = "rig");
  ~Rig() override;

  /// The answer. `latency` is what the platform added to the delay.
  struct Answer {
    tlm::tlm_response_status status;
    Picoseconds latency;
  };

  /// Send to `requests` of the requester's socket. Time does not pass.
  Answer send(const Ask& ask);
  /// As send(), and the test fails unless it is accepted. @return the latency
  Picoseconds request(const Ask& ask);
  /// Send to `cpu_access`. @return the latency
  Picoseconds load(unsigned socket, unsigned cluster, std::uint64_t address);
  Picoseconds store(unsigned socket, unsigned cluster, std::uint64_t address);
  /// Send anything to either target.
  Answer transport(tlm::tlm_generic_payload& payload, unsigned socket, bool cpu_access, Picoseconds delay = 0);

  Counts take();

  platform::Platform platform;
  Initiator cpu;  ///< software, on the bus

 private:
  struct Ports {
    tlm_utils::simple_initiator_socket<Ports, 64> cpu_access;
    tlm_utils::simple_initiator_socket<Ports, 64> requests;
  };
  void heard(unsigned socket, const std::string& name, std::uint64_t amount, unsigned qualifier);
  Picoseconds access(unsigned socket, unsigned cluster, std::uint64_t address, tlm::tlm_command command);

  std::vector<std::unique_ptr<Ports>> ports_;
  std::vector<std::unique_ptr<ProbeLog>> logs_;
  Counts counts_;
};

/// One UCF PMU as software sees it: register accesses by name, with physical counter numbers.
class UcfPmuRegisters {
 public:
  UcfPmuRegisters(Rig& rig, unsigned socket);

  static constexpr std::uint32_t kEverything = 0xf07;
  static constexpr unsigned kCycleCounter = 31;

  void program(unsigned counter, std::uint32_t event, std::uint32_t filter = kEverything);
  void enable(std::uint32_t mask) { put(0, 0xc00, mask); }
  void disable(std::uint32_t mask) { put(0, 0xc20, mask); }
  void start() { put(0, 0xe04, 1); }
  void stop() { put(0, 0xe04, 0); }
  std::uint64_t counter(unsigned counter);
  void set_counter(unsigned counter, std::uint64_t value);

  std::uint32_t get(unsigned page, std::uint32_t offset);
  void put(unsigned page, std::uint32_t offset, std::uint32_t value);

 private:
  Rig& rig_;
  std::uint64_t pages_[2];
  bool wide_;
};

}  // namespace pmufab::testing
