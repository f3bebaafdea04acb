// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/perf/pmu_catalog.h"

namespace pmufab::perf {

/// perf passes only numbers to the kernel. This finds the names again in what the driver publishes.
class EventNames {
 public:
  explicit EventNames(const PmuCatalog& catalog) : catalog_(catalog) {}

  /// @return the event that has these attributes, written with the driver's own names: its event of the most bits, then
  ///         further terms in the order of their names: "nvidia_ucf_pmu_0/slc_access_rd,src_loc_cpu=0x1/". What no
  ///         format covers is written as config=... Nothing if no PMU has the type.
  [[nodiscard]] std::optional<ResolvedEvent> name(const PerfAttributes& attributes) const;

 private:
  const PmuCatalog& catalog_;
};

}  // namespace pmufab::perf
