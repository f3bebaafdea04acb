#include "testbench/scoreboard/coresight_pmu_judge.h"

namespace pmufab::scoreboard {
namespace {

// Arm CoreSight PMU: PMCR, bit 0 = E; event counters and the cycle counter at the start of their page.
constexpr std::uint64_t kCoreSightPmcr = 0xe04;
constexpr std::uint64_t kCoreSightPmcrEnable = 0x1;
constexpr std::uint64_t kCountersEnd = 0x100;

}  // namespace

bool CoreSightPmuJudge::see_write(const MmioBus::BusAccess& access) {
  if (!access.ok || access.address != control_ + kCoreSightPmcr) return false;
  control_value_ = access.data;
  return true;
}

bool CoreSightPmuJudge::written_on() const { return (control_value_ & kCoreSightPmcrEnable) != 0; }

bool CoreSightPmuJudge::is_counter_read(const MmioBus::BusAccess& access) const {
  return access.ok && access.address >= counters_ && access.address < counters_ + kCountersEnd;
}

}  // namespace pmufab::scoreboard
