#include "models/cmn/occupancy_pulses.h"

#include <cassert>
#include <stdexcept>

namespace pmufab::cmn {

OccupancyPulses::OccupancyPulses(const ClockDomain& clock, unsigned width) : clock_(&clock), width_(width) {
  if (width < 1 || width > 32) throw std::invalid_argument("an occupancy accumulator is 1 to 32 bits wide");
}

void OccupancyPulses::change(std::uint16_t classes, std::int64_t entries, Picoseconds when) {
  pass_time(when);
  const unsigned all = classes | 1U;
  for (unsigned code = 0; code < entries_.size(); ++code) {
    if ((all >> code & 1U) == 0) continue;
    assert(entries >= 0 || entries_[code] >= static_cast<std::uint64_t>(-entries));
    entries_[code] += static_cast<std::uint64_t>(entries);
  }
}

void OccupancyPulses::select(unsigned code, Picoseconds when) {
  pass_time(when);
  code_ = code % static_cast<unsigned>(entries_.size());
}

std::uint64_t OccupancyPulses::settle(Picoseconds when) {
  pass_time(when);
  const std::uint64_t pulses = sum_ >> width_;
  sum_ = accumulator();
  return pulses;
}

void OccupancyPulses::pass_time(Picoseconds when) {
  const std::uint64_t edges = clock_->edges_before(when);
  if (edges <= edges_) return;
  sum_ += (edges - edges_) * entries_[code_];
  edges_ = edges;
}

}  // namespace pmufab::cmn
