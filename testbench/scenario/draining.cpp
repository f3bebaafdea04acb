#include "testbench/scenario/draining.h"

#include <algorithm>

#include <systemc>

namespace pmufab::scenario {
namespace {

std::uint64_t cycles_of(const cmn::AxiParameters& axi) {
  constexpr std::uint64_t kBeats = 4;
  return std::uint64_t{axi.ar_period} + axi.aw_period + kBeats * axi.w_period + axi.read_latency + axi.write_latency;
}

/// @return more cycles than pass between two movements while nodes take all the time they were given.
std::uint64_t quiet_cycles(const cmn::NodeParameters& nodes) {
  constexpr std::uint64_t kLeast = 2'000'000;
  constexpr std::uint64_t kMost = 10'000'000;
  const std::uint64_t sum = std::uint64_t{nodes.rn_f.latency} + nodes.sn_f.latency + nodes.sn_f.response_latency +
                            nodes.sn_f.cycles_per_request + nodes.home.latency + nodes.rn_i.latency +
                            nodes.io_home.latency + cycles_of(nodes.io_home.axi) + nodes.dvm_node.latency +
                            nodes.sbsx.latency + cycles_of(nodes.sbsx.axi) + nodes.mtsx.latency +
                            cycles_of(nodes.mtsx.axi);
  return std::clamp(2 * sum, kLeast, kMost);
}

}  // namespace

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
  constexpr Picoseconds kSecond = 1'000'000'000'000;
  Picoseconds patience = kLeast;
  for (const platform::CmnSpec& mesh : spec.cmn)
    patience = std::max(patience, quiet_cycles(mesh.nodes) * kSecond / mesh.topology.frequency_hz);
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
