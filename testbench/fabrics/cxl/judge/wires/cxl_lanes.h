// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <boost/container/small_vector.hpp>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/judge/finding.h"
#include "testbench/judge/line_table.h"
#include "testbench/judge/pmu_judge.h"
#include "testbench/judge/queue.h"

namespace pmufab::scoreboard {

/// Checks the wires of one link. What leaves one end arrives at the other, in order, after the latency. Messages leave
/// at edges, not too many at one, and with credit (docs/cxl-messages.md, section 2).
class CxlLanes {
 public:
  /// Both must outlive the lanes.
  CxlLanes(const CxlLinkSpec& spec, Findings& findings) : spec_(spec), findings_(findings) {}

  void left(Picoseconds when, const CxlMessage& message);
  void arrived(Picoseconds when, const CxlMessage& message);
  void finish(Picoseconds when);

 private:
  struct Flight {
    Picoseconds arrival;
    CxlMessage message;
  };
  struct Lane {
    Queue<Flight> flights;
    Picoseconds edge = 0;
    unsigned at_edge = 0;
    Queue<Picoseconds> returns;  // of credits, for classes that return them on arrival
  };
  void complain(const char* kind, Picoseconds when, const CxlMessage& message, const char* what);
  void take_credit(Picoseconds when, const CxlMessage& message, Lane& lane);

  const CxlLinkSpec& spec_;
  Findings& findings_;
  std::array<Lane, kCxlClasses> lanes_{};
};

/// Checks the accesses of a device's memory controller against requests: every access has its request, at the instant
/// the request arrives (docs/cxl-messages.md, 3.4). In HDM-D and HDM-DB requests may be held, and the device accesses
/// its memory on its own.
class CxlAccesses {
 public:
  /// Both must outlive this object.
  CxlAccesses(const CxlComponentSpec& spec, Findings& findings) : spec_(spec), findings_(findings) {}

  /// A message arrives at the device.
  void arrived(Picoseconds when, const CxlMessage& message);
  void seen(Picoseconds when, bool write, std::uint64_t device_address);
  void finish(Picoseconds when);

 private:
  void complain(const char* kind, Picoseconds when, bool write, std::uint64_t device_address, const char* what);
  [[nodiscard]] bool is_host_only(std::uint64_t device_address) const;

  const CxlComponentSpec& spec_;
  Findings& findings_;
  /// Device address, which is below 2^63, and direction as one number.
  static constexpr std::uint64_t key(std::uint64_t device_address, bool write) noexcept {
    return device_address << 1U | (write ? 1U : 0U);
  }
  LineTable<boost::container::small_vector<Picoseconds, 2>> asked_;  // by key(): when, the first request first
};

}  // namespace pmufab::scoreboard
