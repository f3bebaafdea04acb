// SPDX-License-Identifier: Apache-2.0
// The unmodified arm-cmn driver of every kernel on the modelled registers. It finds each mesh, and counts its events.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"
#include "testbench/host/driver_host.h"
#include "testbench/host/driver_sets.h"
#include "tlm/bus/mmio_bus.h"
#include "tlm/firmware/firmware_description.h"

namespace pmufab::cmn_pmu_linux_test {
namespace {

using cmn::Channel;
using cmn::FlitFields;
using cmn::Interface;
using cmn::NodeType;
using driver_host::DriverHost;
using driver_host::DriverSet;
using perf::EventHandle;
using testing::now;

constexpr std::uint64_t kWrap = 65'536;

struct Mesh {
  const char* name;
  std::function<cmn::Topology()> make;
  const char* compatible;
  unsigned since[2];  // the first kernel that knows it
};

const std::vector<Mesh>& meshes() {
  static const std::vector<Mesh> all{
      {"cmn600_small", cmn::examples::cmn600_small, "arm,cmn-600", {6, 1}},
      {"cmn600_two_dtcs", cmn::examples::cmn600_two_dtcs, "arm,cmn-600", {6, 1}},
      {"cmn650", cmn::examples::cmn650_two_dtcs, "arm,cmn-650", {6, 1}},
      {"cmn700_hns", [] { return cmn::examples::cmn700_server(); }, "arm,cmn-700", {6, 12}},
      {"cmn700_hnf", [] { return cmn::examples::cmn700_server(NodeType::hn_f); }, "arm,cmn-700", {6, 12}},
      {"ci700", cmn::examples::ci700_small, "arm,ci-700", {6, 1}},
      {"s3_r0p1", [] { return cmn::examples::s3_small(1); }, "arm,cmn-s3", {6, 12}},
      {"s3_r1p0", [] { return cmn::examples::s3_small(2); }, "arm,cmn-s3", {6, 12}},
      {"s3_r2p0", [] { return cmn::examples::s3_small(3); }, "arm,cmn-s3", {7, 3}},
      {"largest", cmn::examples::cmn700_largest, "arm,cmn-700", {6, 12}},
      {"single_xp", cmn::examples::cmn700_single_xp, "arm,cmn-700", {6, 12}},
  };
  return all;
}

struct Case {
  DriverSet drivers;
  Mesh mesh;
  std::pair<unsigned, unsigned> kernel;
};

/// @return true if the kernel's driver can count an event that only this XP has. Before the driver was corrected, an
/// event outside of DTC 0's domain got global counter -1, which the driver neither starts nor reads, so that its
/// carries are lost. This affects 6.1 on any part, and 6.12 on CMN-600, whose XPs it takes to be in every domain unless
/// they hold a DTC. (arm_cmn_event_add, arm_cmn_init_dtcs)
bool can_count_alone(const Case& what, const cmn::Topology& topology, unsigned xp) {
  const unsigned domain = topology.crosspoints[xp].dtc_domain;
  if (domain == 0) return true;
  if (topology.product != cmn::Product::cmn600) return what.kernel >= std::pair{6U, 12U};
  bool has_dtc = false;
  for (const cmn::Port& port : topology.crosspoints[xp].ports) {
    for (const cmn::Node& node : port.nodes) has_dtc |= node.type == NodeType::dtc;
  }
  return !has_dtc || what.kernel >= std::pair{7U, 0U};
}

/// 6.1 never switches clock gating off.
cmn::PmuParameters parameters_for(const Case& what) {
  cmn::PmuParameters parameters;
  parameters.cycles_need_cg_disable = what.kernel >= std::pair{6U, 12U};
  return parameters;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const DriverSet& drivers :
       driver_host::sets_that_hold(driver_host::find_driver_sets(PMUFAB_DRIVERS_DIR), {"arm_cmn"})) {
    unsigned major = 0;
    unsigned minor = 0;
    if (std::sscanf(drivers.kernel_version.c_str(), "%u.%u", &major, &minor) != 2) continue;
    for (const Mesh& mesh : meshes()) {
      if (std::pair{major, minor} >= std::pair{mesh.since[0], mesh.since[1]})
        all.push_back({drivers, mesh, {major, minor}});
    }
  }
  return all;
}

class CmnPmuLinux : public testing::SimulationTest, public ::testing::WithParamInterface<Case> {
 protected:
  /// Load the driver on the mesh and run the story.
  void boot(const std::function<void()>& story) {
    rig = std::make_unique<Rig>(GetParam());
    platform::AcpiDevice device;
    device.compatible = GetParam().mesh.compatible;
    device.memory.push_back({.base = rig->topology.base, .size = rig->layout.size()});
    for (unsigned dtc = 0; dtc < rig->topology.dtcs; ++dtc) {
      device.interrupts.push_back({.number = 300 + dtc, .line = &rig->pmu.interrupt(dtc)});
    }
    if (rig->topology.product == cmn::Product::cmn600) device.properties["arm,root-node"] = rig->layout.root_offset();
    platform::FirmwareDescription firmware;
    firmware.cpus = {{.uid = 0, .container_uid = 0, .node = 0}};
    firmware.devices.push_back(device);
    rig->host.describe(firmware);
    run([&] {
      ASSERT_EQ(rig->host.load(), 0);
      ASSERT_EQ(rig->host.pmus().size(), 1U);
      story();
      EXPECT_EQ(rig->host.warnings(), 0U);
      EXPECT_EQ(rig->space.guest_errors(), 0U);
    });
  }

  struct Rig {
    explicit Rig(const Case& what)
        : topology(what.mesh.make()),
          layout((cmn::check(topology), topology)),
          clock("cmn_clk", topology.frequency_hz),
          space("space", "cmn0", topology, layout),
          pmu("cmn0", topology, layout, space, clock, parameters_for(what)),
          host("host", what.drivers, {}) {
      bus.map("cmn0", topology.base, layout.size(), space.socket);
      host.bus.bind(bus.socket);
    }
    cmn::Topology topology;
    cmn::Layout layout;
    ClockDomain clock;
    cmn::ConfigSpace space;
    cmn::Pmu pmu;
    MmioBus bus{"bus"};
    DriverHost host;
  };

  EventHandle open(std::uint64_t config, std::uint64_t config1 = 0, std::uint64_t config2 = 0) {
    perf::PerfAttributes attributes;
    attributes.type = rig->host.pmus().front().type;
    attributes.config = config;
    attributes.config1 = config1;
    attributes.config2 = config2;
    attributes.disabled = false;
    const EventHandle event = rig->host.open(attributes, 0);
    EXPECT_GT(event, 0) << std::hex << config;
    return event;
  }
  std::uint64_t read(EventHandle event) {
    perf::EventReading reading{};
    EXPECT_EQ(rig->host.read(event, reading), 0);
    EXPECT_EQ(reading.time_running, reading.time_enabled);
    return reading.value;
  }
  /// The final count, as after perf stat.
  std::uint64_t finish(EventHandle event) {
    rig->host.disable(event);
    const std::uint64_t value = read(event);
    rig->host.close(event);
    return value;
  }
  void pulse(unsigned xp, Interface interface, Channel channel, std::uint64_t times) {
    const cmn::MeshPulse one{0, static_cast<std::uint8_t>(xp), interface, channel, cmn::FlitEvent::valid};
    for (std::uint64_t i = 0; i < times; ++i) rig->pmu.pulses({&one, 1}, now());
  }
  static std::uint64_t by_node(std::uint64_t type, std::uint64_t event, std::uint64_t node) {
    return type | event << 16 | std::uint64_t{1} << 31 | node << 32;
  }

  std::unique_ptr<Rig> rig;
};

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.mesh.name + std::string("_linux_") + info.param.drivers.kernel_version;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(linux, CmnPmuLinux, ::testing::ValuesIn(cases()), case_name);

TEST_P(CmnPmuLinux, counts_flits_of_every_xp_and_of_all_together) {
  boot([&] {
    // Interface code 0: east, or in a mesh of one XP port 0. Channel DAT.
    const Interface interface = rig->layout.xps() == 1 ? Interface::port0 : Interface::east;
    const EventHandle all = open(0x6 | (1ULL | 3U << 5) << 16);
    unsigned last = rig->layout.xps() - 1;
    while (!can_count_alone(GetParam(), rig->topology, last)) --last;
    const EventHandle one = open(by_node(0x6, 1ULL | 3U << 5, rig->layout.xp(last).node_id));
    std::uint64_t expected = 0;
    for (unsigned xp = 0; xp < rig->layout.xps(); ++xp) {
      const std::uint64_t times = xp % 16 == 0 ? kWrap + xp : 10 + xp;
      pulse(xp, interface, Channel::dat, times);
      expected += times;
    }
    pulse(last, interface, Channel::dat, 2 * kWrap + 1);
    expected += 2 * kWrap + 1;
    EXPECT_EQ(read(all), expected);
    EXPECT_EQ(finish(all), expected);
    EXPECT_EQ(finish(one), 2 * kWrap + 1 + (last % 16 == 0 ? kWrap + last : 10 + last));
  });
}

TEST_P(CmnPmuLinux, counts_each_source_by_node_id) {
  boot([&] {
    // Event 1 of each node. There is no room for all of them, so the first of each XP is counted, one after another.
    for (unsigned source = 0; source < rig->layout.sources().size(); ++source) {
      const cmn::EventSource& place = rig->layout.sources()[source];
      const cmn::NodePlace& node = rig->layout.nodes()[place.node];
      if (rig->layout.sources().size() > 100 && source % 7 != 0) continue;
      if (!can_count_alone(GetParam(), rig->topology, node.xp)) continue;
      const NodeType type = place.events == NodeType::rn_d ? NodeType::rn_i : place.events;
      // These meshes do not have two nodes of one type at one node id (an HN-P beside an HN-I cannot exist).
      const EventHandle event = open(by_node(static_cast<std::uint64_t>(type), 1, node.node_id));
      for (unsigned other = 0; other < rig->layout.sources().size(); ++other) {
        rig->pmu.node_event(other, 1, cmn::kEveryClass, other == source ? kWrap + 5 : 3, now());
      }
      EXPECT_EQ(finish(event), kWrap + 5) << rig->layout.name(place.node);
    }
  });
}

TEST_P(CmnPmuLinux, counts_watchpoints_at_every_port) {
  boot([&] {
    for (unsigned xp = 0; xp < rig->layout.xps(); xp += 5) {
      if (!can_count_alone(GetParam(), rig->topology, xp)) continue;
      for (unsigned port = 0; port < rig->topology.crosspoints[xp].ports.size(); ++port) {
        const std::uint64_t node = rig->layout.xp(xp).node_id;
        // Watchpoint, up and down; DAT; every flit.
        const std::uint64_t place = std::uint64_t{port} << 48 | 3ULL << 51;
        const EventHandle up = open(by_node(0x7770, 0, node) | place, 0, ~0ULL);
        const EventHandle down = open(by_node(0x7770, 2, node) | place, 0, ~0ULL);
        FlitFields fields;
        fields.opcode = 4;
        for (unsigned i = 0; i < 12; ++i) rig->pmu.upload(xp, port, Channel::dat, fields, now());
        for (unsigned i = 0; i < 34; ++i) rig->pmu.download(xp, port, Channel::dat, fields, now());
        rig->pmu.download(xp, (port + 1) % 6, Channel::dat, fields, now());
        EXPECT_EQ(finish(up), 12U) << xp << " " << port;
        EXPECT_EQ(finish(down), 34U) << xp << " " << port;
      }
    }
  });
}

TEST_P(CmnPmuLinux, counts_cycles_and_an_overflow) {
  boot([&] {
    const EventHandle cycles = open(0x3);
    const Picoseconds begin = now();
    testing::advance(1'000'000);
    const std::uint64_t least = rig->clock.edges_before(now()) - rig->clock.edges_before(begin);
    const std::uint64_t value = finish(cycles);
    const std::uint64_t most = rig->clock.edges_before(now()) - rig->clock.edges_before(begin);
    EXPECT_GE(value, least);
    EXPECT_LE(value, most);

    // 2^47 events, in numbers no wire could carry: the counter wraps in the last domain.
    auto source = static_cast<unsigned>(rig->layout.sources().size()) - 1;
    const auto xp_of = [&] { return rig->layout.nodes()[rig->layout.sources()[source].node].xp; };
    while (!can_count_alone(GetParam(), rig->topology, xp_of())) --source;
    const cmn::NodePlace& node = rig->layout.nodes()[rig->layout.sources()[source].node];
    const NodeType events = rig->layout.sources()[source].events;
    const NodeType type = events == NodeType::rn_d ? NodeType::rn_i : events;
    const EventHandle event = open(by_node(static_cast<std::uint64_t>(type), 1, node.node_id));
    const std::uint64_t many = (1ULL << 47) + 12'345;
    rig->pmu.node_event(source, 1, cmn::kEveryClass, many, now());
    testing::advance(10'000'000);
    EXPECT_EQ(rig->host.handled_interrupts(), 1U);
    EXPECT_EQ(read(event), many);
    EXPECT_EQ(finish(event), many);
    EXPECT_EQ(rig->host.unhandled_interrupts(), 0U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_pmu_linux_test
