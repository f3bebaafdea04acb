// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/description/config_space.h"
#include "models/cmn/description/example_topologies.h"
#include "models/cmn/description/layout.h"
#include "models/cmn/description/topology.h"
#include "models/cmn/pmu/pmu.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/interrupt_probe.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {

/// A mesh PMU with a CPU at its configuration space and a driver on it. No flits move: tests publish the events.
struct CmnRig {
  explicit CmnRig(cmn::Topology mesh, const cmn::PmuParameters& parameters = {})
      : topology((cmn::check(mesh), std::move(mesh))),
        layout(topology),
        clock("cmn_clk", topology.frequency_hz),
        space("space", "cmn0", topology, layout),
        pmu("cmn0", topology, layout, space, clock, parameters) {
    cpu.socket.bind(space.socket);
  }

  bool probe() { return driver.probe(layout.root_offset()); }

  /// `times` flits of one kind leave an XP.
  void pulse(unsigned xp, cmn::Interface interface, cmn::Channel channel, std::uint64_t times,
             cmn::FlitEvent event = cmn::FlitEvent::valid) {
    const cmn::MeshPulse one{0, static_cast<std::uint8_t>(xp), interface, channel, event};
    for (std::uint64_t i = 0; i < times; ++i) pmu.pulses({&one, 1}, now());
  }

  /// @return index of the first event source of a node type, in XP order.
  [[nodiscard]] unsigned source(cmn::NodeType events, unsigned number = 0) const {
    for (unsigned i = 0; i < layout.sources().size(); ++i) {
      if (layout.sources()[i].events == events && number-- == 0) return i;
    }
    throw std::out_of_range("no such event source");
  }
  /// @return the driver's index of an XP.
  [[nodiscard]] std::vector<unsigned> xp(unsigned index) const {
    return driver.find(CmnDriver::kXp, layout.xp(index).node_id);
  }

  cmn::Topology topology;
  cmn::Layout layout;
  ClockDomain clock;
  cmn::ConfigSpace space;
  cmn::Pmu pmu;
  Initiator cpu{"cpu"};
  CmnDriver driver{cpu};
};

/// A test of a mesh PMU.
class CmnRigTest : public SimulationTest {
 protected:
  /// Let a driver find a mesh, and tell the story.
  void on(cmn::Topology mesh, const cmn::PmuParameters& parameters, const std::function<void(CmnRig&)>& story) {
    CmnRig rig(std::move(mesh), parameters);
    run([&] {
      ASSERT_TRUE(rig.probe());
      story(rig);
    });
  }
  void on(cmn::Topology mesh, const std::function<void(CmnRig&)>& story) { on(std::move(mesh), {}, story); }
};

/// @return the id of a flit event in XP event selects.
constexpr unsigned xp_event_id(unsigned event, cmn::Interface interface, cmn::Channel channel) {
  return event | static_cast<unsigned>(interface) << 2 | static_cast<unsigned>(channel) << 5;
}

}  // namespace pmufab::testing
