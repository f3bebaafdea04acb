// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <boost/container/small_vector.hpp>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/judge/finding.h"
#include "testbench/judge/line_table.h"

namespace pmufab::scoreboard {

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
