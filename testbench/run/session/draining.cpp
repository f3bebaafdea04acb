// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/session/draining.h"

#include <algorithm>

#include <systemc>

namespace pmufab::scenario {

std::uint64_t drain(const std::function<DrainProgress()>& look, Picoseconds patience,
                    const std::function<bool()>& interrupted) {
  const Picoseconds turn = std::max<Picoseconds>(patience / 1000, 1);
  DrainProgress last = look();
  Picoseconds still = 0;
  while (!last.done() && still < patience) {
    sc_core::wait(to_sc_time(turn));
    const DrainProgress now = look();
    still = now == last || interrupted() ? still + turn : 0;
    last = now;
  }
  return last.pending;
}

}  // namespace pmufab::scenario
