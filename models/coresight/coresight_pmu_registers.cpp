// SPDX-License-Identifier: Apache-2.0
// The registers of a CoreSight PMU: the effect of reads and writes.

#include <fmt/format.h>

#include "models/coresight/coresight_pmu_slot.h"

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
                         write_control({.enable = enable.of(write.after) != 0,
                                        .reset_events = reset_events.of(write.written) != 0,
                                        .reset_cycles = reset_cycles.of(write.written) != 0},
                                       write.when);
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
                 [this, shift](unsigned counter, Picoseconds when) { return counter_value(counter, when) >> shift; });
    bank.on_write(reg, [this, shift](const RegisterWrite& write) {
      write_counter(write.element, write.written << shift, write.mask << shift, write.when);
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
        program_changed(write.element, write.when);
      }
    });
  }
  if (options_.implementation_defined == 0) return;
  implementation_defined_ = page0_bank_.find("PMIMPDEF");
  page0_bank_.limit(implementation_defined_, options_.implementation_defined);
  page0_bank_.on_write(implementation_defined_, [this](const RegisterWrite& write) {
    if (write.after == write.before) return;
    for (const auto& slot : slots_) {
      if (slot) program_changed(slot->index, write.when);
    }
  });
}

std::uint32_t CoreSightPmu::implementation_defined(unsigned word) const noexcept {
  return static_cast<std::uint32_t>(page0_bank_.value(implementation_defined_, word));
}

void CoreSightPmu::build_masks() {
  build_mask(page0_bank_, "PMCNTENSET", &CoreSightPmu::enable_word, &CoreSightPmu::set_enables);
  build_mask(page0_bank_, "PMCNTENCLR", &CoreSightPmu::enable_word, &CoreSightPmu::clear_enables);
  build_mask(page0_bank_, "PMINTENSET", &CoreSightPmu::interrupt_enable_word, &CoreSightPmu::set_interrupt_enables);
  build_mask(page0_bank_, "PMINTENCLR", &CoreSightPmu::interrupt_enable_word, &CoreSightPmu::clear_interrupt_enables);
  build_mask(upper_bank(), "PMOVSCLR", &CoreSightPmu::overflow_word, &CoreSightPmu::clear_overflow);
  build_mask(upper_bank(), "PMOVSSET", &CoreSightPmu::overflow_word, &CoreSightPmu::set_overflow);
  if (!options_.ext64) return;
  build_mask(page0_bank_, "PMCNTEN", &CoreSightPmu::enable_word, &CoreSightPmu::write_enables);
  if (!options_.pmcnten) page0_bank_.limit(page0_bank_.find("PMCNTEN"), 0);
}

void CoreSightPmu::build_mask(RegisterBank& bank, std::string_view name, MaskRead read, MaskWrite write) {
  const RegisterId reg = bank.find(name);
  const unsigned words = options_.ext64 ? 2 : 1;  // per element
  bank.limit(reg, (options_.counter_numbers() + 32 * words - 1) / (32 * words));
  bank.on_read(reg, [this, words, read](unsigned element, Picoseconds when) {
    std::uint64_t value = (this->*read)(element * words, when);
    if (words == 2) value |= std::uint64_t{(this->*read)(element * words + 1, when)} << 32;
    return value;
  });
  bank.on_write(reg, [this, words, write](const RegisterWrite& access) {
    for (unsigned word = 0; word < words; ++word) {
      const auto mask = static_cast<std::uint32_t>(access.mask >> 32 * word);
      const auto value = static_cast<std::uint32_t>(access.written >> 32 * word);
      if (mask != 0) (this->*write)(access.element * words + word, value, mask, access.when);
    }
  });
}

void CoreSightPmu::set_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
  put_enables(word, enables_[word] | (value & mask), when);
}

void CoreSightPmu::clear_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
  put_enables(word, enables_[word] & ~(value & mask), when);
}

void CoreSightPmu::write_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
  put_enables(word, (enables_[word] & ~mask) | (value & mask), when);
}

void CoreSightPmu::set_interrupt_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
  settle(when);
  interrupt_enables_[word] |= value & mask & implemented_[word];
  update_line(when);
  finish();
}

void CoreSightPmu::clear_interrupt_enables(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
  settle(when);
  interrupt_enables_[word] &= ~(value & mask);
  update_line(when);
  finish();
}

void CoreSightPmu::set_overflow(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
  settle(when);
  overflow_status_[word] |= value & mask & implemented_[word];
  update_line(when);
  finish();
}

void CoreSightPmu::clear_overflow(unsigned word, std::uint32_t value, std::uint32_t mask, Picoseconds when) {
  settle(when);
  std::uint32_t cleared = overflow_status_[word] & value & mask;
  if (cleared == 0) return finish();
  overflow_status_[word] &= ~cleared;
  for (; cleared != 0; cleared &= cleared - 1) {
    Slot& slot = *slots_[word * 32 + static_cast<unsigned>(__builtin_ctz(cleared))];
    if (slot.is_timed()) predict_overflow(slot, when);
  }
  update_line(when);
  finish();
}

std::uint32_t CoreSightPmu::enable_word(unsigned word, Picoseconds /*when*/) const { return enables_[word]; }

std::uint32_t CoreSightPmu::interrupt_enable_word(unsigned word, Picoseconds /*when*/) const {
  return interrupt_enables_[word];
}

std::uint32_t CoreSightPmu::overflow_word(unsigned word, Picoseconds when) const {
  std::uint32_t status = overflow_status_[word];
  for (const PendingOverflow& pending : pending_) {
    if (pending.when <= when && pending.counter / 32 == word) status |= 1U << pending.counter % 32;
  }
  if (next_timed_overflow_ <= when) {
    for (unsigned counter = word * 32; counter < word * 32 + 32 && counter < slots_.size(); ++counter) {
      if (slots_[counter] && slots_[counter]->overflow_time <= when) status |= 1U << counter % 32;
    }
  }
  return status;
}

void CoreSightPmu::write_control(const Control& control, Picoseconds when) {
  settle(when);
  if (control.reset_cycles || control.reset_events) {
    for (const auto& slot : slots_) {
      if (!slot) continue;
      const bool is_cycle_counter = options_.cycle_counter && slot->index == kCycleCounterIndex;
      if (is_cycle_counter ? control.reset_cycles : control.reset_events) {
        slot->set_value(0, when);
        if (slot->is_timed()) predict_overflow(*slot, when);
      }
    }
  }
  if (control.enable != enabled_) {
    enabled_ = control.enable;
    for (const auto& slot : slots_) {
      if (slot) apply(*slot, when);
    }
  }
  finish();
}

void CoreSightPmu::write_counter(unsigned counter, std::uint64_t value, std::uint64_t mask, Picoseconds when) {
  if (!slots_[counter]) return;
  Slot& slot = *slots_[counter];
  settle(when);
  slot.set_value((slot.value(when) & ~mask) | (value & mask), when);
  if (slot.is_timed()) predict_overflow(slot, when);
  finish();
}

void CoreSightPmu::program_changed(unsigned counter, Picoseconds when) {
  if (options_.cycle_counter && counter == kCycleCounterIndex) return;  // PMCCFILTR does not filter cycles
  Slot& slot = *slots_[counter];
  slot.resolved = false;
  if (!slot.running) return;
  settle(when);
  stop(slot, when);
  start(slot, when);
  finish();
}

CounterProgram CoreSightPmu::program(unsigned counter) const {
  const bool has_filters = counter < kFilters;
  return {counter, page0_bank_.value(type_, counter), has_filters ? page0_bank_.value(filter_, counter) : 0,
          has_filters ? page0_bank_.value(filter2_, counter) : 0};
}

}  // namespace pmufab::coresight
