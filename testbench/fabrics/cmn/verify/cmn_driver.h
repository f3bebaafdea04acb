// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace pmufab::verify {

/// What arm-cmn of a kernel version takes, and what it is known to do wrong. A generated case stays within it, so that
/// the kernel's own driver passes. docs/cmn-drivers.md has the tables; scenarios/known-defects/ shows the defects.
///
/// Known defects of every version, which the generator keeps away from always:
/// - The driver takes counters for 16, 32 and 40 bits wide, whatever their width (cmn-overflow-exploration), and loses
///   carries that are under way when it stops the PMU: `pmu` keeps widths and `carry_*` at their defaults.
/// - A running counter is read and restarted in two accesses, so what it counts in between is lost; also in the interrupt
///   handler (cmn-overflow-exploration-cycles). Machines with cycles or events in bulk have accesses without latency.
/// - An event that is removed between its overflow and the handler makes the handler warn. Those machines have interrupts
///   nearly without delay: none at all would clear a status at the instant at which it is set, so that it stays set.
/// - With several DTMs at a crosspoint, a watchpoint for ports 2 and up is set up at the next crosspoint's DTM if this one
///   has only one: such watchpoints are at one crosspoint that has the port.
/// - Groups are checked as if a crosspoint had one DTM and each DTM one filter, and as if an event had one node at a DTM.
///   So some are refused that could count, and some taken that never do (cmn-group-of-cal). CmnFit has the rules.
/// - What an event select register held before the driver was loaded stays until the node has an event, and adds to what
///   other nodes of its port and device count (cmn-event-left-selected): firmware leaves none set at such nodes.
/// - A watchpoint whose event is removed stays exclusive, and stands for the missing one of a pair (cmn-exclusive-left):
///   one of a pair alone is counted where no watchpoint is exclusive.
/// - An event of another PMU below a software event is taken for one of the driver's own (cmn-software-leader): in groups
///   that must be refused for it, the event of a mesh is not the last one.
/// - Watchpoints with different numbers in wp_combine are taken into a group in which they never count: all pairs of a
///   machine have the same number.
struct CmnDriver {
  /// @param kernel  "7.3.4"
  explicit CmnDriver(std::string_view kernel);

  // What it knows.
  bool hn_s;              ///< since 6.12: HN-S, and with them CMN S3
  bool s3_r2;             ///< since 7.3; before, it misreads sub-channels, DTMs and filters
  bool graviton5;         ///< since 7.3
  unsigned longest_side;  ///< 12, since 7.3: 14
  bool filter_term;       ///< since 7.3 `filter` and `filter2`, before `occupid`
  bool isolation;         ///< since 7.3 isolated nodes; before, any device isolation makes it give up
  bool rn_d_alias;        ///< since 7.2 type 0xd is taken for 0xa

  // What it does wrong.
  unsigned most_crosspoints;  ///< before 7.0 more than 144 overrun its stack
  bool cycles;                ///< before 6.2 dtc_cycles is left gated, and not checked in groups (cmn-cycles)
  bool several_dtcs;          ///< before 6.2 events of the second domain alone lose carries (cmn-second-domain)
  bool several_dtcs_600;      ///< before 7.0 so do those at a crosspoint with a DTC (cmn-dtc-crosspoint)
  bool full_dtc_alone;        ///< before 7.0 a full DTC keeps events of others out (cmn-groups-two-domains)
  bool ccla;                  ///< before 6.12 events of CCLA count nothing (cmn-gateways-hnf)
  bool hazard_filters;        ///< before 7.3 address hazards keep the filter of an event before (cmn-hazards-older)
  bool combines;  ///< before 6.12 the second watchpoint of a pair counts nothing afterwards (cmn-combined-stays)
  bool watchpoints_by_group;  ///< before 6.12 one watchpoint for each match group and direction, others refused
};

}  // namespace pmufab::verify
