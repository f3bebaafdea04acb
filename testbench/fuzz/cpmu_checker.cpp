// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/cpmu_checker.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

namespace pmufab::fuzz {

namespace {

// CXL 3.1, 8.2.7.1 and 8.2.7.2.
constexpr std::uint64_t kCapability = 0x000;
constexpr std::uint64_t kOverflowStatus = 0x010;
constexpr std::uint64_t kFreeze = 0x018;
constexpr std::uint64_t configuration_at(unsigned counter) { return 0x200 + 8 * counter; }
constexpr std::uint64_t data_at(unsigned counter) { return 0xc00 + 8 * counter; }

constexpr std::uint64_t kEnable = 1 << 8;
constexpr std::uint64_t kInterrupt = 1 << 9;
constexpr std::uint64_t kGlobalFreeze = 1 << 10;
constexpr std::uint64_t kImplemented = 0xffff'ffff'ffff'1f03 & ~(std::uint64_t{0x7} << 56);

// A counter this wide cannot wrap twice between two checks, nor return to its old value by chance.
constexpr unsigned kWide = 32;
// An overflow by the clock shows one picosecond late.
constexpr Picoseconds kLate = 1;

}  // namespace

CpmuChecker::CpmuChecker(std::string name, MmioBus& bus, std::uint64_t address, const cxl::CpmuParameters& parameters)
    : name_(std::move(name)),
      peek_(bus),
      address_(address),
      parameters_(parameters),
      count_(static_cast<unsigned>(parameters.counters.size())),
      mask_(parameters.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << parameters.width) - 1),
      capability_(0),
      owed_(count_) {
  for (unsigned counter = 0; parameters.freeze && counter < count_; ++counter) {
    if (parameters.counters[counter].type != cxl::CounterType::free_running) can_freeze_ |= std::uint64_t{1} << counter;
  }
}

std::string CpmuChecker::text(unsigned counter, const char* what) const {
  const Counter& before = before_.counters.at(counter);
  return fmt::format("{}: counter {} {} (before: configuration {:#x}, data {:#x}, status {:#x}, freeze {:#x})", name_,
                     counter, what, before.configuration, before.data, before_.status, before_.freeze);
}

CpmuChecker::Look CpmuChecker::look() const {
  Look look;
  look.status = peek_(address_ + kOverflowStatus, 8);
  look.freeze = peek_(address_ + kFreeze, 8);
  look.counters.reserve(count_);
  for (unsigned counter = 0; counter < count_; ++counter) {
    look.counters.push_back({peek_(address_ + configuration_at(counter), 8), peek_(address_ + data_at(counter), 8)});
  }
  return look;
}

void CpmuChecker::forget(Picoseconds /*when*/, std::uint64_t messages) {
  before_ = look();
  capability_ = peek_(address_ + kCapability, 8);
  owed_.assign(count_, 0);
  base_ = sent_ = messages;
  certain_ = possible_ = 0;
}

void CpmuChecker::check(const Effect& effect, std::uint64_t messages) {
  const Look after = look();
  check_look(after);
  if (effect.may_reset) return forget(effect.when, messages);
  check_status(effect, after);
  check_freeze(effect, after);
  for (unsigned counter = 0; counter < count_; ++counter) check_counter(effect, after, counter);
  before_ = after;
  sent_ = messages;
  require(messages - base_ <= possible_, [&] {
    return fmt::format("{}: {} messages, but at most {} overflows asked for one", name_, messages - base_, possible_);
  });
}

void CpmuChecker::check_end() const {
  require(sent_ - base_ >= certain_, [&] {
    return fmt::format("{}: {} messages, but {} overflows asked for one", name_, sent_ - base_, certain_);
  });
}

void CpmuChecker::check_look(const Look& after) const {
  require(peek_(address_ + kCapability, 8) == capability_, name_ + ": the capability register has changed");
  const std::uint64_t counters = count_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count_) - 1;
  require((after.status & ~counters) == 0, name_ + ": overflow status of counters there are not");
  require((after.freeze & ~can_freeze_) == 0, name_ + ": counters are frozen that cannot be");
  for (unsigned counter = 0; counter < count_; ++counter) {
    const auto& [configuration, data] = after.counters[counter];
    const cxl::CpmuCounterParameters& kind = parameters_.counters[counter];
    require((data & ~mask_) == 0, [&] { return text(counter, "exceeds its width"); });
    require((configuration & ~kImplemented) == 0, [&] { return text(counter, "has reserved bits set"); });
    require((configuration & 3) == static_cast<std::uint64_t>(kind.type),
            [&] { return text(counter, "changes its type"); });
    require(parameters_.interrupt || (configuration & kInterrupt) == 0,
            [&] { return text(counter, "has an interrupt the capability register denies"); });
    require(parameters_.freeze || (configuration & kGlobalFreeze) == 0,
            [&] { return text(counter, "has a global freeze the capability register denies"); });
    if (kind.type == cxl::CounterType::configurable) continue;
    require((configuration >> 24 & 0xffff'ffff) == kind.events && configuration >> 59 == kind.group,
            [&] { return text(counter, "is fixed and counts something else"); });
    require(kind.type == cxl::CounterType::fixed || (configuration & kEnable) != 0,
            [&] { return text(counter, "is free-running and disabled"); });
  }
}

void CpmuChecker::check_status(const Effect& effect, const Look& after) {
  const bool written = writes(effect, kOverflowStatus);
  const std::uint64_t cleared = written ? effect.data : 0;
  require((before_.status & ~after.status & ~cleared) == 0, name_ + ": overflow status was cleared by nobody");
  require((before_.status & after.status & cleared) == 0, name_ + ": overflow status was written 1 and is not cleared");
  for (unsigned counter = 0; counter < count_; ++counter) {
    const std::uint64_t bit = std::uint64_t{1} << counter;
    const std::uint64_t old_configuration = before_.counters[counter].configuration;
    const std::uint64_t new_configuration = after.counters[counter].configuration;
    const bool rose = (after.status & ~before_.status & bit) != 0;
    // The interrupt may rise and be cleared within the write.
    const bool may_have = (cleared & bit) != 0 && (before_.status & bit) == 0;
    if (!rose && !may_have) continue;
    if (((old_configuration | new_configuration) & kInterrupt) != 0) ++possible_;
    if (rose && (old_configuration & new_configuration & kInterrupt) != 0) ++certain_;
    if (rose)
      require(((old_configuration | new_configuration) & kEnable) != 0,
              [&] { return text(counter, "overflows while disabled"); });
    if ((cleared & bit) != 0) owed_[counter] = 0;
  }
}

void CpmuChecker::check_freeze(const Effect& effect, const Look& after) const {
  if (writes(effect, kFreeze)) {
    require(after.freeze == (effect.data & can_freeze_),
            name_ + ": the freeze register does not hold what was written");
    return;
  }
  require((before_.freeze & ~after.freeze) == 0, name_ + ": counters were unfrozen by nobody");
  if (after.freeze == before_.freeze) return;
  require(after.freeze == can_freeze_, name_ + ": an overflow froze some of the counters only");
  bool asked = false;
  for (unsigned counter = 0; counter < count_; ++counter)
    asked |= (before_.counters[counter].configuration & kGlobalFreeze) != 0 && (after.status >> counter & 1) != 0;
  // A freeze takes until the next edge of the clock. Software may have cleared the bits meanwhile.
  require(asked || effect.is_write, name_ + ": counters were frozen by nobody");
}

void CpmuChecker::check_counter(const Effect& effect, const Look& after, unsigned counter) {
  const Counter& old = before_.counters[counter];
  const Counter& present = after.counters[counter];
  const bool configured = writes(effect, configuration_at(counter));
  const bool data_written = writes(effect, data_at(counter));
  require(configured || old.configuration == present.configuration,
          [&] { return text(counter, "is programmed by nobody"); });
  const auto stopped = [&](const Look& look) {
    return (look.counters[counter].configuration & kEnable) == 0 || (look.freeze >> counter & 1) != 0;
  };
  const bool stayed_stopped = stopped(before_) && stopped(after);
  if (stayed_stopped && !data_written) {
    require(old.data == present.data, [&] { return text(counter, "counts while disabled or frozen"); });
  }
  if (data_written && stayed_stopped && effect.length == 8) {
    const bool writable = (old.configuration & kEnable) == 0 || parameters_.writable_while_frozen;
    require(present.data == (writable ? effect.data & mask_ : old.data),
            [&] { return text(counter, "does not hold what was written"); });
  }
  check_overflow(effect, after, counter);
}

void CpmuChecker::check_overflow(const Effect& effect, const Look& after, unsigned counter) {
  const std::uint64_t bit = std::uint64_t{1} << counter;
  if (parameters_.width < kWide) return;
  const bool disturbed = writes(effect, data_at(counter));
  const bool wrapped = after.counters[counter].data < before_.counters[counter].data;
  const bool rose = (after.status & ~before_.status & bit) != 0;
  const bool told = (after.status & bit) != 0;
  if (!disturbed) {
    require(!rose || wrapped || owed_[counter] != 0, [&] { return text(counter, "overflows without a wrap"); });
  }
  if (told || writes(effect, kOverflowStatus)) {
    owed_[counter] = 0;
  } else if (owed_[counter] != 0) {
    require(effect.when <= owed_[counter] + kLate, [&] { return text(counter, "has wrapped and does not tell"); });
  } else if (wrapped && !disturbed) {
    owed_[counter] = effect.when;
  }
}

}  // namespace pmufab::fuzz
