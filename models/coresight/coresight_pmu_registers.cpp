// SPDX-License-Identifier: Apache-2.0
// The registers of a CoreSight PMU: the effect of reads and writes.

#include <fmt/format.h>

#include "models/coresight/coresight_pmu.h"

namespace pmufab::coresight {

namespace {

constexpr unsigned kFilters = 128;  // counters with filter registers

}  // namespace

void CoreSightPmu::build_registers() {
  type_ = page0_bank_.find("PMEVTYPER");
  filter_ = page0_bank_.find("PMEVFILTR");
  filter2_ = page0_bank_.find("PMEVFILT2R");
  build_identification();
  build_counters();
  build_programs();
  build_masks();
  page0_bank_.on_write(page0_bank_.find("PMCR"),
                       [this, enable = page0_bank_.find("PMCR", "E"), reset_events = page0_bank_.find("PMCR", "P"),
                        reset_cycles = page0_bank_.find("PMCR", "C")](const RegisterWrite& write) {
                         counters_.clear_counters(reset_events.of(write.written) != 0,
                                                  reset_cycles.of(write.written) != 0, write.when);
                         counters_.run(enable.of(write.after) != 0, write.when);
                       });
}

void CoreSightPmu::build_identification() {
  const std::uint32_t config =
      (options_.counters - 1) | (options_.width - 1) << 8 | (options_.cycle_counter ? 1U << 14 : 0);
  page0_bank_.set_reset(page0_bank_.find("PMCFGR"), 0, config);
  page0_bank_.set_reset(page0_bank_.find("PMIIDR"), 0, options_.pmiidr);
  page0_bank_.set_reset(page0_bank_.find("PMDEVARCH"), 0, options_.pmdevarch);
  for (unsigned i = 0; i < options_.pmpidr.size(); ++i) {
    page0_bank_.set_reset(page0_bank_.find(fmt::format("PMPIDR{}", i)), 0, options_.pmpidr[i]);
  }
}

void CoreSightPmu::build_counters() {
  RegisterBank& bank = upper_bank();
  const auto build = [&](std::string_view name, unsigned shift) {
    const RegisterId reg = bank.find(name);
    bank.limit(reg, options_.counter_numbers());
    bank.on_read(reg,
                 [this, shift](unsigned counter, Picoseconds when) { return counters_.value(counter, when) >> shift; });
    bank.on_write(reg, [this, shift](const RegisterWrite& write) {
      counters_.write_counter(write.element, write.written << shift, write.mask << shift, write.when);
    });
  };
  if (options_.width > 32 && !options_.atomic_64bit) {
    build("PMEVCNTR_LO", 0);
    build("PMEVCNTR_HI", 32);
  } else {
    build("PMEVCNTR", 0);
  }
}

void CoreSightPmu::build_programs() {
  for (const RegisterId reg : {type_, filter_, filter2_}) {
    page0_bank_.limit(reg, options_.counter_numbers());
    page0_bank_.on_write(reg, [this, reg](const RegisterWrite& write) {
      if (!options_.has_counter(write.element)) {
        page0_bank_.set_value(reg, 0, write.element);
      } else if (write.after != write.before) {
        counters_.program_changed(write.element, write.when);
      }
    });
  }
  if (options_.implementation_defined == 0) return;
  implementation_defined_ = page0_bank_.find("PMIMPDEF");
  page0_bank_.limit(implementation_defined_, options_.implementation_defined);
  page0_bank_.on_write(implementation_defined_, [this](const RegisterWrite& write) {
    if (write.after == write.before) return;
    for (unsigned counter = 0; counter < counters_.numbers(); ++counter) counters_.program_changed(counter, write.when);
  });
}

std::uint32_t CoreSightPmu::implementation_defined(unsigned word) const noexcept {
  return static_cast<std::uint32_t>(page0_bank_.value(implementation_defined_, word));
}

void CoreSightPmu::build_masks() {
  const MaskRead enables = [](const CounterBlock& counters, unsigned word, Picoseconds) {
    return counters.enables(word);
  };
  build_mask(page0_bank_, "PMCNTENSET", enables,
             [](CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
               counters.put_enables(word, counters.enables(word) | (value & mask), when);
             });
  build_mask(page0_bank_, "PMCNTENCLR", enables,
             [](CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
               counters.put_enables(word, counters.enables(word) & ~(value & mask), when);
             });
  const MaskRead interrupts = [](const CounterBlock& counters, unsigned word, Picoseconds) {
    return counters.interrupt_enables(word);
  };
  build_mask(page0_bank_, "PMINTENSET", interrupts,
             [](CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
               counters.put_interrupt_enables(word, counters.interrupt_enables(word) | (value & mask), when);
             });
  build_mask(page0_bank_, "PMINTENCLR", interrupts,
             [](CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
               counters.put_interrupt_enables(word, counters.interrupt_enables(word) & ~(value & mask), when);
             });
  const MaskRead overflows = [](const CounterBlock& counters, unsigned word, Picoseconds when) {
    return counters.overflow(word, when);
  };
  build_mask(upper_bank(), "PMOVSCLR", overflows,
             [](CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
               counters.clear_overflow(word, value & mask, when);
             });
  build_mask(upper_bank(), "PMOVSSET", overflows,
             [](CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
               counters.set_overflow(word, value & mask, when);
             });
  if (!options_.ext64) return;
  build_mask(page0_bank_, "PMCNTEN", enables,
             [](CounterBlock& counters, unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
               counters.put_enables(word, (counters.enables(word) & ~mask) | (value & mask), when);
             });
  if (!options_.pmcnten) page0_bank_.limit(page0_bank_.find("PMCNTEN"), 0);
}

void CoreSightPmu::build_mask(RegisterBank& bank, std::string_view name, MaskRead read, MaskWrite write) {
  const RegisterId reg = bank.find(name);
  const unsigned words = options_.ext64 ? 2 : 1;  // per element
  bank.limit(reg, (options_.counter_numbers() + 32 * words - 1) / (32 * words));
  bank.on_read(reg, [this, words, read](unsigned element, Picoseconds when) {
    std::uint64_t value = read(counters_, element * words, when);
    if (words == 2) value |= std::uint64_t{read(counters_, element * words + 1, when)} << 32;
    return value;
  });
  bank.on_write(reg, [this, words, write](const RegisterWrite& access) {
    for (unsigned word = 0; word < words; ++word) {
      const auto mask = static_cast<std::uint32_t>(access.mask >> 32 * word);
      const auto value = static_cast<std::uint32_t>(access.written >> 32 * word);
      if (mask != 0) write(counters_, access.element * words + word, value, mask, access.when);
    }
  });
}

CounterProgram CoreSightPmu::program(unsigned counter) const {
  const bool has_filters = counter < kFilters;
  return {counter, page0_bank_.value(type_, counter), has_filters ? page0_bank_.value(filter_, counter) : 0,
          has_filters ? page0_bank_.value(filter2_, counter) : 0};
}

}  // namespace pmufab::coresight
