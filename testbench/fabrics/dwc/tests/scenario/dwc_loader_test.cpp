// SPDX-License-Identifier: Apache-2.0
// DesignWare root ports in platform files, and what happens on their links.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/dwc/part/dwc_ports.h"
#include "testbench/fabrics/dwc/scenario/dwc_fabric.h"
#include "testbench/run/session/scenario_spec.h"

namespace pmufab::scenario::dwc_loader_test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kScenario = R"(name: ports
platform:
  kind: dwc
  sockets: 2
  cpus_per_socket: 2
  dwc_root_ports:
    - {name: slot, address: "0001:30:03.0", lanes: 8}
    - {name: disk, vendor: qcom, address: "0001:30:1f.0", clock: 250 MHz, time_counter_width: 40}
    - {name: far, vendor: samsung, address: "00ff:00:00.0", socket: 1}
dwc_traffic:
  - name: packets
    port: disk
    event: {rx_memory_read: 1, tx_memory_write: 3}
    lane: {0: 1, 2-3: 1}
    bytes: 64-128
    count: 10
dwc_link_states:
  - {port: far, start: 1 us, states: [{state: l1, duration: 2 us}, {state: cfg_rcvry, duration: 1 ns}]}
measure:
  - events: [dwc_rootport_13018/L0/]
    stop: 10 us
)";

ScenarioSpec load(const std::vector<std::string>& overrides = {}) {
  const ScenarioFile file(parse_text(kScenario, "s.yaml"), {});
  return file.load(file.variants().front(), overrides);
}
std::string error_with(const std::string& override_text) {
  try {
    static_cast<void>(load({override_text}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(DwcLoader, root_ports_have_places_and_names) {
  const platform::PlatformSpec spec = load().platform;
  ASSERT_THAT(spec.of<platform::DwcSpec>().ports, SizeIs(3));
  EXPECT_EQ(spec.of<platform::DwcSpec>().ports[0].vendor_id, 0x1dedU);
  EXPECT_EQ(spec.of<platform::DwcSpec>().ports[1].vendor_id, 0x17cbU);
  EXPECT_EQ(spec.of<platform::DwcSpec>().ports[1].clock_hz, 250'000'000U);
  EXPECT_EQ(spec.of<platform::DwcSpec>().ports[1].time_width, 40U);
  EXPECT_EQ(platform::dwc_perf_name(spec.of<platform::DwcSpec>().ports[0]), "dwc_rootport_13018");
  EXPECT_EQ(platform::dwc_perf_name(spec.of<platform::DwcSpec>().ports[1]), "dwc_rootport_130f8");
  EXPECT_EQ(platform::dwc_perf_name(spec.of<platform::DwcSpec>().ports[2]), "dwc_rootport_ff0000");
  const std::vector<platform::DwcBridge> bridges = platform::dwc_bridges(spec);
  ASSERT_THAT(bridges, SizeIs(2));
  EXPECT_EQ(bridges[0].first_bus, 0x30U);
  EXPECT_EQ(bridges[0].last_bus, 0x32U);
  EXPECT_EQ(bridges[1].socket, 1U);
  // docs/platform.md
  EXPECT_EQ(platform::dwc_configuration(spec, 0), 0x18'0000'0000U + 0x300'0000U + 0x1'8000U);
  EXPECT_EQ(platform::dwc_configuration(spec, 2), 0x18'1000'0000U);
}

TEST(DwcLoader, root_buses_of_one_segment_share_its_configuration_space) {
  platform::PlatformSpec spec = load().platform;
  spec.edit<platform::DwcSpec>().ports[1].bus = 0x80;
  spec.edit<platform::DwcSpec>().ports[1].socket = 1;
  EXPECT_NO_THROW(platform::validate(spec));
  const std::vector<platform::DwcBridge> bridges = platform::dwc_bridges(spec);
  ASSERT_THAT(bridges, SizeIs(3));
  EXPECT_EQ(bridges[0].last_bus, 0x31U);
  EXPECT_EQ(bridges[1].first_bus, 0x80U);
  EXPECT_EQ(bridges[1].last_bus, 0x81U);
  EXPECT_EQ(bridges[1].socket, 1U);
  EXPECT_EQ(bridges[1].ecam_base, bridges[0].ecam_base);
  EXPECT_EQ(bridges[2].ecam_base, 0x18'1000'0000U);
  EXPECT_EQ(platform::dwc_configuration(spec, 1), 0x18'0000'0000U + 0x800'0000U + 0xf'8000U);
}

TEST(DwcLoader, streams_have_events_lanes_and_bytes) {
  const ScenarioSpec spec = load();
  const DwcWorkload& links = spec.workload.of<DwcWorkload>();
  ASSERT_THAT(links.streams, SizeIs(1));
  const traffic::StreamSpec& stream = links.streams[0];
  EXPECT_EQ(stream.source, 1U);
  ASSERT_THAT(stream.attributes, SizeIs(kLinkAttributes));
  ASSERT_THAT(stream.attributes[kLinkEvent], SizeIs(2));
  EXPECT_EQ(stream.attributes[kLinkEvent][1].first, 0x700U);
  EXPECT_EQ(stream.attributes[kLinkEvent][1].weight, 3U);
  EXPECT_EQ(stream.attributes[kLinkLane][1].last, 3U);
  EXPECT_EQ(stream.attributes[kLinkBytes][0].first, 64U);
  EXPECT_EQ(stream.phases[0].count, 10U);
  ASSERT_THAT(links.states, SizeIs(1));
  EXPECT_EQ(links.states[0].port, 2U);
  EXPECT_EQ(links.states[0].stays[1].state, dwc::LinkState::cfg_rcvry);
}

TEST(DwcLoader, mistakes_in_root_ports_are_named) {
  const std::string ports = "platform.dwc_root_ports";
  EXPECT_THAT(error_with(ports + "[0].address=0001:30:03.1"), HasSubstr("function 0"));
  EXPECT_THAT(error_with(ports + "[0].address=1:30:03.0"), HasSubstr("is no address"));
  EXPECT_THAT(error_with(ports + "[0].address=0001:30:20.0"), HasSubstr("is no address"));
  EXPECT_THAT(error_with(ports + "[1].address=0001:30:03.0"), HasSubstr("is that of another root port"));
  EXPECT_THAT(error_with(ports + "[1].address=0001:31:03.0"),
              HasSubstr("leaves no bus for what is below the 1 root ports on bus 0x30"));
  EXPECT_THAT(error_with(ports + "[1].address=0001:fe:03.0"), "no error");
  EXPECT_THAT(error_with(ports + "[1].address=0001:ff:03.0"), HasSubstr("leaves no bus"));
  EXPECT_THAT(error_with(ports + "[1].socket=1"), HasSubstr("that of other root ports on the root bus is 0"));
  EXPECT_THAT(error_with(ports + "[2].socket=2"), HasSubstr("not below the number of sockets"));
  EXPECT_THAT(error_with(ports + "[0].lanes=12"), HasSubstr("must be 1, 2, 4, 8 or 16"));
  EXPECT_THAT(error_with(ports + "[0].clock=0 Hz"), HasSubstr("below 1 Hz"));
  EXPECT_THAT(error_with(ports + "[0].clock=1001 GHz"), HasSubstr("must be 1 Hz ... 1 THz"));
  EXPECT_THAT(error_with(ports + "[0].clock=1000 GHz"), "no error");
  EXPECT_THAT(error_with(ports + "[0].time_counter_width=16"), HasSubstr("must be 32 ... 64"));
  EXPECT_THAT(error_with(ports + "[0].vendor=samsang"), HasSubstr("did you mean 'samsung'?"));
  EXPECT_THAT(error_with(ports + "[1].name=slot"), HasSubstr("is that of another root port"));
  EXPECT_THAT(error_with(ports + "=[]"), HasSubstr("dwc_root_ports"));
}

TEST(DwcLoader, mistakes_in_traffic_are_named) {
  EXPECT_THAT(error_with("dwc_traffic[0].port=slat"), HasSubstr("did you mean 'slot'?"));
  EXPECT_THAT(error_with("dwc_traffic[0].event=rx_memory_reed"), HasSubstr("did you mean 'rx_memory_read'"));
  EXPECT_THAT(error_with("dwc_traffic[0].port=slot"), HasSubstr("no error"));
  EXPECT_THAT(error_with("dwc_traffic[0].lane=8-16"), HasSubstr("there is no lane 16"));
  EXPECT_THAT(error_with("dwc_traffic[0].bytes=5000"), HasSubstr("5000 are too many"));
  EXPECT_THAT(error_with("dwc_link_states[0].states[0].state=l2"), HasSubstr("'l2' is not known here"));
  EXPECT_THAT(error_with("dwc_link_states[0].states[0].duration=0"), HasSubstr("duration"));
  EXPECT_THAT(error_with("platform={kind: tegra410}"), HasSubstr("the platform has no DesignWare root ports"));
}

}  // namespace
}  // namespace pmufab::scenario::dwc_loader_test
