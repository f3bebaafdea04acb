// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/standard_devices.h"
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_node_rig.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {

/// Occupies a port's turns on a channel with raw flits, so that other flits are held there.
class Filler final : public cmn::MeshDevice {
 public:
  Filler(cmn::Mesh& mesh, unsigned xp, unsigned port, cmn::Channel channel, std::uint16_t to)
      : mesh_(mesh), xp_(xp), port_(port), channel_(channel), to_(to), number_(mesh.attach(*this)) {}
  /// For this many cycles from `first` on.
  void fill(cmn::Cycle first, unsigned cycles) {
    left_ = cycles;
    mesh_.call(number_, first);
  }
  void run(cmn::Cycle now) override {
    cmn::FlitFields fields{.tgtid = to_, .opcode = 1};
    mesh_.upload(channel_, xp_, port_, fields);
    if (--left_ > 0) mesh_.call(number_, now + 1);
  }

 private:
  cmn::Mesh& mesh_;
  unsigned xp_;
  unsigned port_;
  cmn::Channel channel_;
  std::uint16_t to_;
  unsigned number_;
  unsigned left_ = 0;
};

/// A mesh of four by two XPs with each kind of I/O node of the product, and a driver for its PMU.
struct IoRig {
  static constexpr Picoseconds kCycle = 500;  // 2 GHz
  static constexpr unsigned kOccupancyWidth = 4;

  /// An event, and its count for one run of some traffic.
  struct Expected {
    unsigned id;
    std::uint64_t count;
    enum class Kind : std::uint8_t {
      times,  ///< `count` times
      sum,    ///< an accumulator adds `count` during a run
      rest,   ///< in every cycle except `count` cycles
    } kind = Kind::times;
    std::uint32_t filter = 0;  ///< high half of the event select
  };
  using Kind = Expected::Kind;

  explicit IoRig(cmn::Product product = cmn::Product::cmn700)
      : bound(topology_of(product), options()), addresses(mesh.topology(), mesh.layout()) {}

  static cmn::MeshOptions options() {
    cmn::MeshOptions options;
    options.pmu.occupancy_width = kOccupancyWidth;
    return options;
  }
  static cmn::Topology topology_of(cmn::Product product) {
    static constexpr std::array<std::array<std::string_view, 2>, 8> kPorts{{{"RN-F", "HN-D"},
                                                                            {"RN-F", "HN-I"},
                                                                            {"RN-F", "HN-P"},
                                                                            {"HN-F", "SBSX"},
                                                                            {"HN-F", "RN-I"},
                                                                            {"RN-D", "SN-F"},
                                                                            {"HN-F", "RN-D"},
                                                                            {"HN-F", "MTSX"}}};
    cmn::Topology topology;
    topology.product = product;
    topology.revision = product == cmn::Product::cmn600 ? 5 : 3;
    topology.columns = 4;
    topology.rows = 2;
    for (const auto& ports : kPorts) {
      cmn::Crosspoint crosspoint;
      for (const std::string_view name : ports) {
        std::string_view it = name;
        if (product == cmn::Product::cmn600 && (name == "MTSX" || name == "HN-P")) it = "HN-I";
        crosspoint.ports.push_back(*cmn::standard_port(product, it));
      }
      topology.crosspoints.push_back(crosspoint);
    }
    return topology;
  }

  [[nodiscard]] const cmn::DevicePlace& place(unsigned xp, unsigned port) const {
    return *std::find_if(addresses.devices().begin(), addresses.devices().end(),
                         [&](const cmn::DevicePlace& one) { return one.xp == xp && one.port == port; });
  }
  [[nodiscard]] std::uint16_t id(unsigned xp, unsigned port) const { return place(xp, port).node_id; }
  [[nodiscard]] bool probe() { return driver.probe(mesh.layout().root_offset()); }
  /// @return the next cycle.
  [[nodiscard]] cmn::Cycle soon() const { return mesh.clock().edges_before(now()) + 1; }
  void pass(cmn::Cycle cycles) const { advance(cycles * kCycle); }

  /// Let traffic run as often as needed to count all events, four at a time. It must be the only traffic of the test,
  /// and leave everything at rest.
  void expect(unsigned type, std::uint16_t node_id, const std::vector<Expected>& events,
              const std::function<void()>& traffic) {
    for (std::size_t first = 0; first < events.size(); first += 4) {
      const std::size_t last = std::min(first + 4, events.size());
      std::vector<CmnDriver::Event> counted;
      for (std::size_t i = first; i < last; ++i)
        counted.push_back(driver.open(driver.find(type, node_id), events[i].id, events[i].filter));
      // Opening takes no time. Counting begins with the next edge.
      const cmn::Cycle begin = mesh.clock().edges_before(now());
      traffic();
      const cmn::Cycle cycles = mesh.clock().edges_before(now()) - begin;
      for (std::size_t i = first; i < last; ++i) {
        const Expected& event = events[i];
        std::uint64_t count = event.count;
        if (event.kind == Kind::sum)
          count = ((runs + 1) * event.count >> kOccupancyWidth) - (runs * event.count >> kOccupancyWidth);
        if (event.kind == Kind::rest) count = cycles - event.count;
        EXPECT_EQ(driver.close(counted[i - first]), count) << "event " << std::hex << event.id << " of type " << type;
      }
      ++runs;
    }
  }

  BoundMesh bound;
  cmn::Mesh& mesh = bound.mesh;
  cmn::SystemAddressMap addresses;
  CmnDriver driver{bound.cpu};
  std::uint64_t runs = 0;
};

/// Cycles from the time a flit may go until it arrives at a device of the same XP, with default parameters. Each XP
/// between adds three.
inline constexpr cmn::Cycle kTravel = 5;

}  // namespace pmufab::testing
