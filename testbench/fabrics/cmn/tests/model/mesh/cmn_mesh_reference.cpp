// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/model/mesh/cmn_mesh_reference.h"

namespace pmufab::cmn {
namespace {

constexpr unsigned kSides = 10;  // east, west, north, south, ports 0 to 5

}  // namespace

ReferenceMesh::ReferenceMesh(const MeshParameters& parameters) : parameters_(parameters) {
  for (const Channel channel : parameters.channels) {
    for (unsigned xp = 0; xp < parameters.columns * parameters.rows; ++xp) {
      for (unsigned side = 0; side < kSides; ++side) {
        const Place place{static_cast<unsigned>(channel), xp, side};
        buffers_[place].credits = parameters.buffer_depth;
        devices_[place].credits = parameters.download_credits;
        outputs_[place] = {};
      }
    }
  }
}

bool ReferenceMesh::ready(Channel channel, unsigned xp, unsigned port) const {
  const Place place{static_cast<unsigned>(channel), xp, 4 + port};
  const auto uploaded = uploaded_.find(place);
  if (uploaded != uploaded_.end() && uploaded->second == now_) return false;
  const Queue& queue = buffers_.at(place);
  unsigned credits = queue.credits;
  for (const Cycle when : queue.returning) credits += when <= now_ ? 1 : 0;
  return credits > 0;
}

void ReferenceMesh::upload(Channel channel, unsigned xp, unsigned port, const Flit& flit) {
  const Place place{static_cast<unsigned>(channel), xp, 4 + port};
  Queue& queue = buffers_.at(place);
  while (!queue.returning.empty() && queue.returning.front() <= now_) {
    queue.returning.pop_front();
    ++queue.credits;
  }
  --queue.credits;
  queue.flits.push_back({flit, now_ + parameters_.link_delay + parameters_.router_delay});
  uploaded_[place] = now_;
  ++in_flight_;
}

void ReferenceMesh::take(Channel channel, unsigned xp, unsigned port) {
  devices_.at({static_cast<unsigned>(channel), xp, 4 + port}).returning.push_back(now_ + parameters_.credit_delay);
}

unsigned ReferenceMesh::output_of(const Flit& flit, unsigned xp) const {
  const unsigned columns = parameters_.columns;
  if (flit.target_xp % columns != xp % columns) return flit.target_xp % columns > xp % columns ? 0 : 1;
  if (flit.target_xp != xp) return flit.target_xp > xp ? 2 : 3;
  return 4U + flit.target_port;
}

ReferenceMesh::Queue& ReferenceMesh::destination(unsigned channel, unsigned xp, unsigned output) {
  switch (output) {
    case 0:
      return buffers_.at({channel, xp + 1, 1});
    case 1:
      return buffers_.at({channel, xp - 1, 0});
    case 2:
      return buffers_.at({channel, xp + parameters_.columns, 3});
    case 3:
      return buffers_.at({channel, xp - parameters_.columns, 2});
    default:
      return devices_.at({channel, xp, output});
  }
}

void ReferenceMesh::step() {
  events.clear();
  arrived.clear();
  for (auto* queues : {&buffers_, &devices_}) {
    for (auto& [place, queue] : *queues) {
      while (!queue.returning.empty() && queue.returning.front() <= now_) {
        queue.returning.pop_front();
        ++queue.credits;
      }
    }
  }

  // All decisions use the state at the beginning of the cycle. Then everything moves.
  struct Move {
    Place from;
    Place output;
  };
  std::vector<Move> moves;
  for (auto& [place, output] : outputs_) {
    const auto [channel, xp, side] = place;
    std::optional<unsigned> winner;
    for (unsigned i = 0; i < kSides && !winner; ++i) {
      const unsigned candidate = (output.first + i) % kSides;
      if (output.holder && *output.holder != candidate) continue;
      const Queue& buffer = buffers_.at({channel, xp, candidate});
      if (buffer.flits.empty() || buffer.flits.front().when > now_) continue;
      if (output_of(buffer.flits.front().flit, xp) == side) winner = candidate;
    }
    if (!winner) continue;
    const Place from{channel, xp, *winner};
    const bool stall = destination(channel, xp, side).credits == 0;
    events.push_back({buffers_.at(from).flits.front().flit.handle, xp, side, channel, stall});
    ++totals[{0, xp, side, channel, stall}];
    if (!stall) moves.push_back({from, place});
  }
  for (const Move& move : moves) {
    const auto [channel, xp, side] = move.output;
    Queue& from = buffers_.at(move.from);
    Queue& to = destination(channel, xp, side);
    Output& output = outputs_.at(move.output);
    const unsigned winner = std::get<2>(move.from);
    const Flit flit = from.flits.front().flit;
    from.flits.pop_front();
    from.returning.push_back(now_ + parameters_.credit_delay);
    --to.credits;
    to.flits.push_back({flit, now_ + parameters_.link_delay + (side < 4 ? parameters_.router_delay : 0)});
    output.first = (winner + 1) % kSides;
    output.holder = (flit.flags & Flit::kTail) != 0 ? std::nullopt : std::optional<unsigned>(winner);
  }
  for (auto& [place, device] : devices_) {
    const auto [channel, xp, side] = place;
    if (device.flits.empty() || device.flits.front().when != now_) continue;
    arrived.push_back({device.flits.front().flit.handle, xp, side - 4, channel});
    device.flits.pop_front();
    --in_flight_;
  }
  ++now_;
}

}  // namespace pmufab::cmn
