#include "testbench/scenario/draining.h"

#include <algorithm>

#include <systemc>

namespace pmufab::scenario {

DrainProgress mesh_progress(platform::Platform& platform) {
  DrainProgress sum;
  for (std::size_t mesh = 0; mesh < platform.meshes(); ++mesh) {
    sum.uploaded += platform.mesh(mesh).uploaded();
    sum.delivered += platform.mesh(mesh).delivered();
    sum.pending += platform.nodes(mesh).pending();
  }
  sum.pending += platform.pending_at_links();
  return sum;
}

Picoseconds drain_patience(const platform::PlatformSpec& spec) {
  constexpr Picoseconds kLeast = 1'000'000'000;
  constexpr std::uint64_t kCycles = 2'000'000;  // twice the longest latency of a node
  constexpr Picoseconds kSecond = 1'000'000'000'000;
  Picoseconds patience = kLeast;
  for (const platform::CmnSpec& mesh : spec.cmn)
    patience = std::max(patience, kCycles * kSecond / mesh.topology.frequency_hz);
  for (const platform::CmnLinkSpec& link : spec.links) patience = std::max(patience, kLeast + link.parameters.latency);
  return patience;
}

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
