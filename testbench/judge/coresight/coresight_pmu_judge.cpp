// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/coresight/coresight_pmu_judge.h"

#include <algorithm>

namespace pmufab::scoreboard {
namespace {

// Arm CoreSight PMU: PMCR, bit 0 = E; counter enables; event counters and the cycle counter at the start of their page.
constexpr std::uint64_t kCoreSightPmcr = 0xe04;
constexpr std::uint64_t kCoreSightPmcr64 = 0xe10;
constexpr std::uint64_t kEnables = 0xc10;  // PMCNTEN, which the 64-bit map has
constexpr std::uint64_t kCoreSightPmcrEnable = 0x1;
constexpr std::uint64_t kEnableSet = 0xc00;
constexpr std::uint64_t kEnableClear = 0xc20;
constexpr std::uint64_t kCountersEnd = 0x200;  // 64 counters of 8 bytes

}  // namespace

bool CoreSightPmuJudge::see_write(const MmioBus::BusAccess& access) {
  if (!access.ok || access.address < control_) return false;
  const std::uint64_t offset = access.address - control_;
  const std::uint64_t pmcr = layout_ == Layout::ext64 ? kCoreSightPmcr64 : kCoreSightPmcr;
  constexpr unsigned kWord = 4;  // bytes; two may be written at once
  for (unsigned done = 0; done < access.length; done += kWord) {
    const auto bits = static_cast<std::uint32_t>(access.data >> 8 * done);
    const auto word_from = [&](std::uint64_t first) { return (offset + done - first) / kWord; };
    if (offset >= kEnableSet && word_from(kEnableSet) < enables_.size()) enables_.at(word_from(kEnableSet)) |= bits;
    if (offset >= kEnableClear && word_from(kEnableClear) < enables_.size())
      enables_.at(word_from(kEnableClear)) &= ~bits;
    if (layout_ == Layout::ext64 && offset >= kEnables && word_from(kEnables) < enables_.size())
      enables_.at(word_from(kEnables)) = bits;
  }
  if (offset != pmcr) return false;
  control_value_ = access.data;
  return true;
}

bool CoreSightPmuJudge::written_on() const { return (control_value_ & kCoreSightPmcrEnable) != 0; }

bool CoreSightPmuJudge::lets_count() const {
  return written_on() && std::any_of(enables_.begin(), enables_.end(), [](std::uint32_t word) { return word != 0; });
}

std::optional<std::string> CoreSightPmuJudge::room_for(const EventTruth& refused,
                                                       const std::vector<const EventTruth*>& active) const {
  if (!count_.has_cycles) return room_text(active.size(), count_.all);
  const auto cycles = static_cast<std::size_t>(std::count_if(
      active.begin(), active.end(), [](const EventTruth* event) { return event->takes_cycle_counter(); }));
  if (refused.takes_cycle_counter()) return cycles == 0 ? "the cycle counter free" : "";
  return room_text(active.size() - cycles, count_.all - 1);
}

bool CoreSightPmuJudge::is_counter_read(const MmioBus::BusAccess& access) const {
  return access.ok && access.address >= counters_ && access.address < counters_ + kCountersEnd;
}

}  // namespace pmufab::scoreboard
