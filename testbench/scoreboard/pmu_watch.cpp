#include "testbench/scoreboard/pmu_watch.h"

namespace pmufab::scoreboard {
namespace {

// Arm CoreSight PMU: PMCR, bit 0 = E; event counters and the cycle counter at the start of their page.
constexpr std::uint64_t kPmcr = 0xe04;
constexpr std::uint64_t kPmcrEnable = 0x1;
constexpr std::uint64_t kCountersEnd = 0x100;
// CMEM latency PMU: CTRL 0 stop, 1 count, 2 clear and stop; CG_CTRL 1 lets the clock through.
constexpr std::uint64_t kCgCtrl = 0x800;
constexpr std::uint64_t kCtrl = 0x808;

}  // namespace

PmuWatch::PmuWatch(const UcfPmuSpec& spec)
    : name_(spec.name),
      kind_(Kind::ucf),
      socket_(spec.socket),
      control_(spec.page0),
      counters_(spec.page1.value_or(spec.page0)) {}

PmuWatch::PmuWatch(const CmemPmuSpec& spec)
    : name_(spec.name), kind_(Kind::cmem), socket_(spec.socket), control_(spec.broadcast), counters_(0) {}

bool PmuWatch::see_write(const MmioBus::BusAccess& access) {
  if (!access.is_write || !access.ok) return false;
  if (kind_ == Kind::ucf) {
    if (access.address != control_ + kPmcr) return false;
    control_value_ = access.data;
    return true;
  }
  if (access.address == control_ + kCtrl) {
    control_value_ = access.data;
    return true;
  }
  if (access.address == control_ + kCgCtrl) {
    clock_gate_value_ = access.data;
    return true;
  }
  return false;
}

bool PmuWatch::is_counter_read(const MmioBus::BusAccess& access) const noexcept {
  return kind_ == Kind::ucf && !access.is_write && access.ok && access.address >= counters_ &&
         access.address < counters_ + kCountersEnd;
}

bool PmuWatch::written_on() const noexcept {
  if (kind_ == Kind::ucf) return (control_value_ & kPmcrEnable) != 0;
  return control_value_ == 1 && clock_gate_value_ == 1;
}

}  // namespace pmufab::scoreboard
