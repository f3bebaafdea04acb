// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/pmu/cycle_count.h"
#include "models/pmu/occupancy_accumulator.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::tegra410 {

/// The PMU of a chip-to-chip interface of a socket: NVLink-C2C (ACPI NVDA2023), NV-CLink (NVDA2022) or NV-DLink
/// (NVDA2020). They differ in their peers and in the number of instances. Behind the windows of the instances, a
/// broadcast window writes to all of them at once. Registers are those of nvidia_t410_c2c_pmu.c; 32-bit accesses only.
///
/// Nothing is stepped or scheduled: counters and overflow status are computed when they are read. While no instance
/// counts, ended requests are dropped.
class C2cPmu : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kWindowSize = 0x1000;

  /// The kinds of traffic counted. in: from the peer to the socket; out: from the socket to the peer.
  enum class Traffic : std::uint8_t { in_read, in_write, out_read, out_write };
  static constexpr unsigned kTrafficKinds = 4;

  struct Options {
    unsigned instances;                ///< 1 ... 16
    unsigned width;                    ///< bits of every counter, 1 ... 64
    std::vector<std::uint32_t> masks;  ///< by peer: the instances that lead to it; no instance leads to two
  };
  /// @param clock  the interface's; must outlive the PMU
  C2cPmu(const sc_core::sc_module_name& name, const Options& options, const ClockDomain& clock);
  ~C2cPmu() override;

  /// A request for `line` to or from `peer` is under way in [start, end). It uses one of the peer's k instances: number
  /// (line mod k) of them. Requests of a peer without instances are ignored.
  /// @param now  when the request was accepted, not after `start`; no later call or register access may name an earlier
  ///             time
  void add(Traffic traffic, unsigned peer, std::uint64_t line, Picoseconds now, Picoseconds start, Picoseconds end) {
    if (peers_[peer].empty()) return;
    if (recent_.size() == kRecent) [[unlikely]]
      make_room(now);
    recent_.push_back({now, start, end, line, static_cast<std::uint8_t>(peer), traffic});
  }

  /// `amount` requests at once at one instance, under way in [now, end).
  void add_at_once(Traffic traffic, unsigned instance, std::uint64_t amount, Picoseconds now, Picoseconds end);
  /// Let `cycles` cycles of the clock pass at once, for the cycle counters that run. Outstanding requests do not see
  /// these cycles.
  void pass_cycles(std::uint64_t cycles, Picoseconds when);
  [[nodiscard]] const ClockDomain& clock() const noexcept { return instances_.front().cycles.clock(); }

  /// Set registers and counters to the state after power-up. Requests under way remain.
  void reset();

  [[nodiscard]] unsigned instances() const noexcept { return static_cast<unsigned>(instances_.size()); }
  [[nodiscard]] unsigned windows() const noexcept { return instances() + 1; }  ///< the last one is the broadcast window
  [[nodiscard]] const RegisterBank& bank(unsigned window) const { return *banks_.at(window); }

  /// All windows, one after the other.
  tlm_utils::simple_target_socket<C2cPmu, 64> socket;

 private:
  struct Instance {
    CycleCount cycles;        // always 64 bits, to detect wraps of a narrower counter
    bool passed_all = false;  // 64 bits of cycles that passed at once wrapped
    bool running = false;
  };
  struct Request {
    Picoseconds now;
    Picoseconds start;
    Picoseconds end;
    std::uint64_t line;
    std::uint8_t peer;
    Traffic traffic;
  };
  static constexpr std::size_t kRecent = 256;

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void build_instance(unsigned index);
  void build_broadcast();
  void write_enable(unsigned index, std::uint64_t enable, Picoseconds when);
  void stop(unsigned index, Picoseconds when);
  void clear(unsigned index, Picoseconds when);
  void make_room(Picoseconds now);
  void put_recent_away();
  [[nodiscard]] OccupancyAccumulator& counted(unsigned instance, Traffic traffic) noexcept {
    return counted_[instance * kTrafficKinds + static_cast<unsigned>(traffic)];
  }
  [[nodiscard]] std::uint64_t count(unsigned instance, unsigned counter, Picoseconds when);
  [[nodiscard]] bool overflowed(unsigned instance, unsigned counter, Picoseconds when);

  std::uint64_t maximum_;
  std::vector<Instance> instances_;
  std::vector<OccupancyAccumulator> counted_;     // by instance and traffic
  std::vector<std::vector<std::uint8_t>> peers_;  // by peer: its instances
  std::vector<Request> recent_;                   // not yet in counted_, sorted by `now`
  unsigned running_ = 0;                          // number of counting instances
  std::vector<std::unique_ptr<RegisterBank>> banks_;
  RegisterField enable_{};  // the same in every bank
};

}  // namespace pmufab::tegra410
