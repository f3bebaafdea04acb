// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>

#include "models/coresight/coresight_pmu.h"
#include "models/soc/source.h"
#include "models/soc/wire/description.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::soc {

/// @return the options of the registers that a description has.
[[nodiscard]] coresight::CoreSightPmuOptions options_of(const PmuDescription& description);

/// A CoreSight PMU whose events and filters are described, and not programmed.
class DescribedPmu {
 public:
  /// @param sources  those of its socket, in the order of the description. They outlive the PMU, as do description and
  ///                 clock.
  DescribedPmu(const sc_core::sc_module_name& name, const PmuDescription& description, const ClockDomain& clock,
               std::vector<Source*> sources);
  DescribedPmu& operator=(DescribedPmu&&) = delete;

  [[nodiscard]] coresight::CoreSightPmu& pmu() noexcept { return pmu_; }
  [[nodiscard]] const coresight::CoreSightPmu& pmu() const noexcept { return pmu_; }

 private:
  coresight::CounterInput resolve(const coresight::CounterProgram& program);
  /// @return false if nothing can pass
  [[nodiscard]] bool compile(const coresight::CounterProgram& program, const EventDescription& event, Wish& wish) const;
  /// @param word  of an implementation-defined register
  [[nodiscard]] std::uint64_t value_of(FilterDescription::Register where, unsigned word,
                                       const coresight::CounterProgram& program) const;

  const PmuDescription& description_;
  std::vector<Source*> sources_;
  std::vector<std::unique_ptr<Wish>> wishes_;  // by physical counter
  std::vector<Source*> served_by_;             // by physical counter
  coresight::CoreSightPmu pmu_;                // goes first: its counters watch the wishes
};

}  // namespace pmufab::soc
