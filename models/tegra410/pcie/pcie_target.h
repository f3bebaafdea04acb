// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/probe/probe.h"

namespace pmufab::tegra410 {

/// Countable properties of the requests that go down to a root complex; the values are those of PMEVTYPER
/// (nvidia_cspmu.c, pcie_tgt_pmu_event_attrs).
enum class PcieTargetEvent : std::uint8_t { rd_bytes, wr_bytes, rd_req, wr_req };
inline constexpr unsigned kPcieTargetEvents = 4;
inline constexpr std::array<std::string_view, kPcieTargetEvents> kPcieTargetEventNames = {"rd_bytes", "wr_bytes",
                                                                                          "rd_req", "wr_req"};

/// The interface at which the SOC fabric passes requests to one root complex: requests to BARs below its root ports,
/// and reads and writes of CXL memory below it. It publishes them, and matches them against address filters.
///
/// An uncounted request costs four additions at most.
class PcieTarget {
 public:
  static constexpr unsigned kSlots = 8;  ///< address filters
  static constexpr unsigned kHdm = 8;    ///< qualifier of CXL memory; that of a BAR is its root port, 0 ... 7
  static constexpr std::uint32_t kPorts = 0xff;

  /// An address filter: it matches addresses whose bits equal those of `base` wherever `mask` has ones.
  struct Slot {
    bool enabled = false;
    std::uint64_t base = 0;
    std::uint64_t mask = 0;
    [[nodiscard]] bool matches(std::uint64_t address) const noexcept {
      return enabled && ((address ^ base) & mask) == 0;
    }
  };

  struct Access {
    Picoseconds when;
    std::uint64_t address;
    std::uint32_t bytes;
    unsigned qualifier;  ///< root port, or kHdm
    bool is_write;
  };

  /// @param name  prefix of the probes' names, for example "socket0.rc1"
  explicit PcieTarget(const std::string& name);
  PcieTarget& operator=(PcieTarget&&) = delete;

  /// A request is passed to the root complex. Times never run backwards.
  void accept(const Access& access);

  /// Call a function for each request, too.
  /// @param function  nullptr: none
  void listen(void (*function)(void* context, const Access& access), void* context) noexcept {
    listener_ = function;
    listener_context_ = context;
  }

  /// `amount` occurrences of an event at once, of requests to BARs below a root port. No address filter matches them.
  void add_at_once(PcieTargetEvent event, unsigned root_port, std::uint64_t amount, Picoseconds when);

  /// All events, by qualifier.
  [[nodiscard]] Probe& probe(PcieTargetEvent event) noexcept { return probes_[static_cast<unsigned>(event)]; }

  /// The probe of a counter that uses address filters. It counts events of requests to BARs of the root ports in
  /// `ports`, and those that match any filter in `slots`. A request that does both counts once.
  /// @param counter  its number; it has one such monitor, which a later call changes
  /// @return its probe, which lives as long as this object
  Probe& monitor(unsigned counter, PcieTargetEvent event, std::uint8_t ports, std::uint8_t slots);

  /// The settings act at once, also for running counters.
  void set_slot(unsigned number, const Slot& slot) { slots_.at(number) = slot; }
  [[nodiscard]] const Slot& slot(unsigned number) const { return slots_.at(number); }

 private:
  struct Monitor {
    Monitor(std::string name, unsigned number) : probe(std::move(name)), counter(number) {}
    Probe probe;
    unsigned counter;
    PcieTargetEvent event = PcieTargetEvent::rd_bytes;
    std::uint32_t qualifiers = 0;
    std::uint8_t slots = 0;
  };
  [[nodiscard]] bool passes(const Monitor& monitor, const Access& access) const noexcept;

  std::string name_;
  std::vector<Probe> probes_;
  std::array<Slot, kSlots> slots_{};
  std::vector<std::unique_ptr<Monitor>> monitors_;
  void (*listener_)(void* context, const Access& access) = nullptr;
  void* listener_context_ = nullptr;
};

}  // namespace pmufab::tegra410
