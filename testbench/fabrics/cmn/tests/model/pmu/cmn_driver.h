// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/support/initiator.h"

namespace pmufab::testing {

/// A driver for a mesh PMU, access by access. It follows a description of the Linux driver and does not depend on the
/// model: it knows only what the registers say.
class CmnDriver {
 public:
  struct Node {
    std::uint64_t offset;
    std::uint64_t select;  ///< event select, from PERIPHBASE
    unsigned type;
    unsigned id;
    unsigned logical_id;
    unsigned xp;    ///< index in xps()
    unsigned dtm;   ///< index in dtms()
    unsigned port;  ///< within its DTM's input selects
    unsigned device;
    unsigned dtc;                         ///< domain
    std::array<unsigned, 4> event_ids{};  ///< selected now
  };
  struct Dtm {
    std::uint64_t base;
    std::uint32_t config_low;
    std::uint32_t inputs;
    std::array<bool, 4> watchpoints{};
  };
  struct Watch {
    bool down = false;
    unsigned port = 0;
    unsigned channel = 0;
    unsigned group = 0;
    bool exclusive = false;
    bool combine = false;
    std::uint64_t value = 0;
    std::uint64_t mask = ~std::uint64_t{0};
  };
  /// A counted event; a handle for start() and the like.
  struct Event {
    std::vector<unsigned> nodes;     ///< indices
    std::vector<unsigned> dtms;      ///< of each node
    std::vector<unsigned> counters;  ///< of each node
    std::vector<unsigned> indices;   ///< of each node's watchpoint
    std::array<int, 4> globals{-1, -1, -1, -1};
    unsigned event_id = 0;
    std::optional<Watch> watch;
    std::uint64_t previous = 0;
    std::uint64_t count = 0;
  };

  static constexpr unsigned kXp = 6;
  static constexpr unsigned kDtc = 3;

  explicit CmnDriver(Initiator& cpu) : cpu_(cpu) {}

  /// Find and initialise everything. @return false if the root is no CFG node.
  bool probe(std::uint64_t root);

  [[nodiscard]] unsigned part() const noexcept { return part_; }
  [[nodiscard]] unsigned revision() const noexcept { return revision_; }
  [[nodiscard]] unsigned columns() const noexcept { return columns_; }
  [[nodiscard]] bool multiple_dtm() const noexcept { return multiple_dtm_; }
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<Dtm>& dtms() const noexcept { return dtms_; }
  [[nodiscard]] const std::vector<Node>& dtcs() const noexcept { return dtcs_; }
  /// @return indices of all nodes of a type, or of the node with this id.
  [[nodiscard]] std::vector<unsigned> find(unsigned type, std::optional<unsigned> id = {}) const;

  /// Take counters for an event on nodes of one type and start it.
  /// @param filter  the high half of the event select
  Event open(const std::vector<unsigned>& nodes, unsigned event_id, std::optional<std::uint32_t> filter = {});
  /// The same for a watchpoint on XPs.
  Event open(const std::vector<unsigned>& xps, const Watch& watch);
  /// @return the count up to now.
  std::uint64_t read(Event& event);
  /// Stop, read, and free the counters. @return the count.
  std::uint64_t close(Event& event);

  void start_cycles(unsigned dtc);
  std::uint64_t read_cycles(unsigned dtc);
  std::uint64_t stop_cycles(unsigned dtc);

  /// pmcr of DTC 0, as in the driver's enable and disable.
  void enable(bool on);

  [[nodiscard]] std::uint64_t pmcr(unsigned dtc) const { return dtcs_.at(dtc).select + 0x100; }
  [[nodiscard]] std::uint64_t pmovsr(unsigned dtc) const { return dtcs_.at(dtc).select + 0x118; }
  [[nodiscard]] std::uint64_t pmovsr_clear(unsigned dtc) const { return dtcs_.at(dtc).select + 0x120; }
  [[nodiscard]] std::uint64_t pmevcnt(unsigned dtc, unsigned n) const {
    return dtcs_.at(dtc).select + n / 2 * 0x10 + n % 2 * 4;
  }
  [[nodiscard]] std::uint64_t pmccntr(unsigned dtc) const { return dtcs_.at(dtc).select + 0x40; }
  [[nodiscard]] std::uint64_t dtc_ctl(unsigned dtc) const { return dtcs_.at(dtc).offset + 0xa00; }

 private:
  [[nodiscard]] std::uint64_t pmu_offset(unsigned type) const;
  void init_dtm(std::uint64_t base);
  void discover_xp(std::uint64_t offset);
  void place_nodes();
  Event take(const std::vector<unsigned>& nodes);
  void couple(Event& event, std::size_t i, unsigned input);
  void begin(Event& event);
  void select(Node& node, unsigned slot, unsigned id);
  [[nodiscard]] std::uint64_t local_sum(const Event& event);
  [[nodiscard]] bool is_wide() const noexcept { return part_ == 0x43c || part_ == 0x43e; }

  Initiator& cpu_;
  unsigned part_ = 0;
  unsigned revision_ = 0;
  unsigned columns_ = 0;
  bool multiple_dtm_ = false;
  std::vector<unsigned> port_bits_;    // of each XP
  std::vector<unsigned> device_bits_;  // of each XP
  std::vector<Node> nodes_;            // XPs too
  std::vector<Dtm> dtms_;
  std::vector<Node> dtcs_;
  std::array<std::uint8_t, 4> global_used_{};  // bit n of each DTC
};

}  // namespace pmufab::testing
