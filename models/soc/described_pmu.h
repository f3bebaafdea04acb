// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "models/coresight/coresight_pmu.h"
#include "models/soc/register_map_pmu.h"
#include "models/soc/source.h"
#include "models/soc/wire/description.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::soc {

/// @return the options of the registers that a description has.
[[nodiscard]] coresight::CoreSightPmuOptions options_of(const PmuDescription& description);

/// A PMU whose events and filters are described, and not programmed: a CoreSight PMU, or one by a map of its registers.
class DescribedPmu {
 public:
  /// @param sources  those of its socket, in the order of the description. They outlive the PMU, as do description and
  ///                 clock.
  DescribedPmu(const sc_core::sc_module_name& name, const PmuDescription& description, const ClockDomain& clock,
               std::vector<Source*> sources);
  DescribedPmu& operator=(DescribedPmu&&) = delete;

  /// @param counters  whose overflows the line tells, of a PMU with a register map; nothing: those of all
  void connect_interrupt(InterruptLine& line, const std::optional<BitRange>& counters = {});
  /// @param is_pending  as RegisterMapPmu::connect_others() has it, of a PMU with a register map
  void connect_others(std::function<bool(const std::string&)> is_pending) {
    map_->connect_others(std::move(is_pending));
  }
  /// @return what a register of a described map holds, by its number
  [[nodiscard]] std::uint64_t held(std::size_t reg) const { return map_->value(reg, 0); }
  void reset();
  void pass_cycles(std::uint64_t cycles, Picoseconds when);
  /// @return the socket of a window: of a CoreSight PMU, its pages
  [[nodiscard]] tlm::tlm_base_target_socket_b<64>& socket(std::size_t window);
  [[nodiscard]] std::vector<const RegisterBank*> pages() const;

 private:
  /// What software has programmed into a counter.
  struct Program {
    unsigned counter;
    EventSelection event;
    std::uint64_t filter = 0;
    std::uint64_t filter2 = 0;
  };
  CounterInput resolve(const Program& program);
  void add_wishes(const std::string& name, unsigned counters, const ClockDomain& clock);
  /// @return false if nothing can pass
  [[nodiscard]] bool compile(const Program& program, const EventDescription& event, Wish& wish) const;
  /// @param word  of an implementation-defined or described register
  [[nodiscard]] std::uint64_t value_of(FilterDescription::Register where, unsigned word, const Program& program,
                                       unsigned repeat = 1, unsigned step = 0) const;

  const PmuDescription& description_;
  std::vector<Source*> sources_;
  std::vector<std::unique_ptr<Wish>> wishes_;                     // by physical counter
  std::vector<Source*> served_by_;                                // by physical counter
  std::map<std::uint64_t, std::unique_ptr<ClockDomain>> clocks_;  // other than the PMU's, by frequency
  // They go first: their counters watch the wishes. There is one of them.
  std::unique_ptr<coresight::CoreSightPmu> coresight_;
  std::unique_ptr<RegisterMapPmu> map_;
};

}  // namespace pmufab::soc
