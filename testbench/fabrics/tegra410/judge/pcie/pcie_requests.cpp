// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/pcie/pcie_requests.h"

namespace pmufab::scoreboard {

std::uint64_t PcieLane::amount(PcieEvent event) const noexcept {
  switch (event) {
    case PcieEvent::rd_bytes:
      return read_bytes;
    case PcieEvent::wr_bytes:
      return write_bytes;
    case PcieEvent::rd_req:
      return reads;
    case PcieEvent::wr_req:
      return writes;
    case PcieEvent::rd_cum_outs:
      break;
  }
  return outstanding;
}

PcieLane& PcieLane::operator+=(const PcieLane& other) noexcept {
  reads += other.reads;
  read_bytes += other.read_bytes;
  writes += other.writes;
  write_bytes += other.write_bytes;
  latency_ps += other.latency_ps;
  outstanding += other.outstanding;
  return *this;
}

PcieLane& PcieLane::operator-=(const PcieLane& other) noexcept {
  reads -= other.reads;
  read_bytes -= other.read_bytes;
  writes -= other.writes;
  write_bytes -= other.write_bytes;
  latency_ps -= other.latency_ps;
  outstanding -= other.outstanding;
  return *this;
}

std::size_t PcieRequests::lane_of(unsigned root_port, std::uint16_t bdf, PcieDestination destination) {
  const std::uint32_t key = std::uint32_t{bdf} << 16 | root_port << 8 | static_cast<std::uint32_t>(destination);
  const auto [found, is_new] = numbers_.try_emplace(key, lanes_.size());
  if (is_new) {
    lanes_.push_back({.root_port = root_port, .bdf = bdf, .destination = destination});
    reads_.add_lane();
  }
  return found->second;
}

void PcieRequests::accept(unsigned root_port, std::uint16_t bdf, PcieDestination destination, bool is_read,
                          std::uint64_t bytes) {
  PcieLane& lane = lanes_[lane_of(root_port, bdf, destination)];
  (is_read ? lane.reads : lane.writes) += 1;
  (is_read ? lane.read_bytes : lane.write_bytes) += bytes;
}

void PcieRequests::answer(unsigned root_port, std::uint16_t bdf, PcieDestination destination, Picoseconds start,
                          Picoseconds end) {
  const std::size_t lane = lane_of(root_port, bdf, destination);
  lanes_[lane].latency_ps += end - start;
  reads_.add(start, end, 1, lane);
}

void PcieRequests::count(unsigned root_port, PcieDestination destination, PcieEvent event, std::uint64_t amount) {
  PcieLane& lane = lanes_[lane_of(root_port, 0, destination)];
  switch (event) {
    case PcieEvent::rd_bytes:
      lane.read_bytes += amount;
      break;
    case PcieEvent::wr_bytes:
      lane.write_bytes += amount;
      break;
    case PcieEvent::rd_req:
      lane.reads += amount;
      break;
    case PcieEvent::wr_req:
      lane.writes += amount;
      break;
    case PcieEvent::rd_cum_outs:
      break;
  }
}

}  // namespace pmufab::scoreboard
