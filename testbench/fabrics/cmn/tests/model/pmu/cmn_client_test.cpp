// SPDX-License-Identifier: Apache-2.0
// The reference software for CMN meshes, on the registers of a mesh's PMU. Tests publish the events. What it counts on each
// product, at all widths, is in scenarios/reference/.

#include "testbench/fabrics/cmn/client/cmn_client.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/pmu/cmn_rig.h"

namespace pmufab::cmn_client_test {
namespace {

using cmn::Channel;
using cmn::FlitDirection;
using cmn::Interface;
using cmn::NodeType;
using cmn_client::CmnClient;
using cmn_client::CounterRequest;
using testing::advance;
using testing::CmnRig;
using testing::Initiator;
using testing::InterruptProbe;
using testing::now;
using testing::xp_event_id;

using Kind = CounterRequest::Kind;

CounterRequest of_nodes(NodeType type, unsigned event, std::optional<std::uint16_t> id = {}) {
  return {.id = id, .type = static_cast<unsigned>(type), .event = event};
}
CounterRequest of_crosspoints(Interface interface, Channel channel, std::optional<std::uint16_t> id = {}) {
  return {.kind = Kind::crosspoint, .id = id, .event = xp_event_id(1, interface, channel)};
}
CounterRequest of_flits(const CounterRequest::Watchpoint& watchpoint, std::optional<std::uint16_t> id = {}) {
  return {.kind = Kind::watchpoint, .id = id, .watchpoint = watchpoint};
}
constexpr CounterRequest kCycles{.kind = Kind::cycles};

/// A mesh's PMU with the software on it. Something may happen before each access of the software.
struct ClientRig : CmnRig {
  explicit ClientRig(cmn::Topology mesh, const cmn::PmuParameters& parameters = {})
      : CmnRig(std::move(mesh), parameters),
        widths{parameters.local_width, parameters.global_width, parameters.cycle_width} {
    for (unsigned dtc = 0; dtc < topology.dtcs; ++dtc)
      lines.push_back(std::make_unique<InterruptProbe>(pmu.interrupt(dtc)));
  }

  [[nodiscard]] CmnClient client() {
    const auto before = [this](auto access) {
      return [this, access](auto... arguments) {
        if (before_access) before_access();
        return (cpu.*access)(arguments...);
      };
    };
    return CmnClient({.read32 = before(&Initiator::get32),
                      .write32 = before(&Initiator::put32),
                      .read64 = before(&Initiator::get64),
                      .write64 = before(&Initiator::put64)},
                     {.base = 0, .root = layout.root_offset()}, widths);
  }

  /// Handle the interrupts that are pending. @return how many there were
  unsigned handle(CmnClient& client) {
    unsigned handled = 0;
    advance(1'000);
    for (unsigned dtc = 0; dtc < lines.size(); ++dtc) {
      if (!lines[dtc]->is_high()) continue;
      EXPECT_TRUE(client.handle_overflow(dtc));
      ++handled;
      advance(1'000);
      EXPECT_FALSE(lines[dtc]->is_high());
    }
    return handled;
  }

  void happen(unsigned source_number, unsigned event, std::uint64_t amount,
              cmn::FilterClasses classes = cmn::kEveryClass) {
    pmu.node_event(source_number, event, classes, amount, now());
  }
  [[nodiscard]] std::vector<unsigned> sources(NodeType events) const {
    std::vector<unsigned> list;
    for (unsigned i = 0; i < layout.sources().size(); ++i) {
      if (layout.sources()[i].events == events) list.push_back(i);
    }
    return list;
  }
  [[nodiscard]] std::uint16_t id_of(unsigned source_number) const {
    return layout.nodes()[layout.sources()[source_number].node].node_id;
  }
  [[nodiscard]] std::string registers() const {
    std::ostringstream text;
    space.dump_text(text, now());
    return text.str();
  }

  cmn_client::CounterWidths widths;
  std::vector<std::unique_ptr<InterruptProbe>> lines;
  std::function<void()> before_access;
};

cmn::Topology topology_of(const std::string& name) {
  using namespace cmn::examples;
  if (name == "cmn600") return cmn600_two_dtcs();
  if (name == "cmn650") return cmn650_two_dtcs();
  if (name == "cmn700") return cmn700_server();
  if (name == "cmn700_hnf") return cmn700_server(NodeType::hn_f);
  if (name == "ci700") return ci700_small();
  if (name == "single") return cmn700_single_xp();
  if (name == "s3_r0p1") return s3_small(1);
  if (name == "s3_r1p0") return s3_small(2);
  return s3_small(3);
}

class CmnClientMesh : public testing::SimulationTest, public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Meshes, CmnClientMesh,
                         ::testing::Values("cmn600", "cmn650", "cmn700", "cmn700_hnf", "ci700", "single", "s3_r0p1",
                                           "s3_r1p0", "s3_r2p0"),
                         [](const auto& mesh) { return std::string(mesh.param); });

TEST_P(CmnClientMesh, is_left_as_it_was_when_everything_is_closed) {
  ClientRig rig(topology_of(GetParam()));
  run([&] {
    CmnClient client = rig.client();
    // What the first use of a mesh sets: counters of DTMs may count, and watchpoints are idle.
    for (const cmn_client::Dtm& dtm : client.mesh().dtms) {
      rig.cpu.put64(dtm.base + 0x210, 1);
      for (unsigned i = 0; i < 4; ++i) rig.cpu.put64(dtm.base + 0x1a8 + 0x18 * i, ~std::uint64_t{0});
    }
    const std::string before = rig.registers();
    std::vector<unsigned> open;
    const auto take = [&](const CounterRequest& request) {
      const auto number = client.open(request);
      ASSERT_TRUE(number);
      open.push_back(*number);
    };
    take(kCycles);
    take(of_crosspoints(Interface::east, Channel::req));
    take(of_nodes(static_cast<NodeType>(client.mesh().nodes.back().type), 0x0f, client.mesh().nodes.back().id));
    take(of_flits({.exclusive = true, .value = 7, .mask = 5}));
    take(of_flits({.exclusive = true, .value = 3, .mask = 4}));
    client.run();
    client.stop();
    for (const unsigned number : open) client.close(number);
    const std::string after = rig.registers();
    // pmu_config keeps which input and which counter a counter had last, which says nothing while it is not paired. The
    // status of snapshots says that there were some.
    std::istringstream lines_before(before);
    std::istringstream lines_after(after);
    std::string was;
    for (std::string is; std::getline(lines_after, is) && std::getline(lines_before, was);) {
      if (is.find("pmu_config") != std::string::npos || is.find("input_sel") != std::string::npos ||
          is.find("global_num") != std::string::npos || is.find("pmssr") != std::string::npos ||
          is.find("ss_status") != std::string::npos)
        continue;
      EXPECT_EQ(is, was);
    }
  });
}

class CmnClientTest : public testing::SimulationTest {};

TEST_F(CmnClientTest, filters_restrict_an_event_and_exclude_other_values) {
  ClientRig rig(cmn::examples::s3_small(3));
  run([&] {
    CmnClient client = rig.client();
    client.run();
    const unsigned home = rig.source(NodeType::hn_s);
    const auto request = [&](unsigned event, unsigned first, unsigned second = 0) {
      CounterRequest one = of_nodes(NodeType::hn_s, event, rig.id_of(home));
      one.filters = {first, second};
      return one;
    };
    const auto occupancy = client.open(request(0x0f, 2));
    const auto evictions = client.open(request(0x07, 1, 3));
    ASSERT_TRUE(occupancy && evictions);
    EXPECT_FALSE(client.open(request(0x0f, 3)));     // the field has one value for all
    EXPECT_FALSE(client.open(request(0x07, 1, 2)));  // likewise
    EXPECT_FALSE(client.open(request(0x07, 5, 3)));  // two bits
    rig.happen(home, 0x0f, 10, cmn::filter_classes(2));
    rig.happen(home, 0x0f, 100, cmn::filter_classes(3));
    rig.happen(home, 0x07, 20, cmn::filter_classes(1, 3));
    rig.happen(home, 0x07, 200, cmn::filter_classes(1, 2));
    EXPECT_EQ(client.count(*occupancy), 10U);
    EXPECT_EQ(client.count(*evictions), 20U);
    client.close(*occupancy);
    const auto another = client.open(request(0x0f, 3));
    ASSERT_TRUE(another);
    rig.happen(home, 0x0f, 100, cmn::filter_classes(3));
    rig.happen(home, 0x07, 20, cmn::filter_classes(1, 3));
    EXPECT_EQ(client.count(*another), 100U);
    EXPECT_EQ(client.count(*evictions), 40U);
  });
}

TEST_F(CmnClientTest, has_as_many_counters_as_the_hardware) {
  ClientRig rig(cmn::examples::cmn700_server());
  run([&] {
    CmnClient client = rig.client();
    const std::uint16_t xp = rig.layout.xp(9).node_id;
    std::vector<CounterRequest> requests(4, of_crosspoints(Interface::east, Channel::req, xp));
    EXPECT_TRUE(client.has_counters_for(requests));
    requests.push_back(of_crosspoints(Interface::west, Channel::req, xp));
    EXPECT_FALSE(client.has_counters_for(requests)) << "a DTM has four counters";
    requests.clear();
    for (unsigned i = 0; i < 8; ++i)
      requests.push_back(of_crosspoints(Interface::east, Channel::req, rig.layout.xp(i / 3).node_id));
    EXPECT_TRUE(client.has_counters_for(requests));
    requests.push_back(of_crosspoints(Interface::east, Channel::req, rig.layout.xp(2).node_id));
    EXPECT_FALSE(client.has_counters_for(requests)) << "a DTC has eight counters";
    requests.back() = of_crosspoints(Interface::east, Channel::req, rig.layout.xp(63).node_id);
    EXPECT_TRUE(client.has_counters_for(requests)) << "the other DTC has eight more";
    requests.assign(2, kCycles);
    EXPECT_TRUE(client.has_counters_for(requests));
    requests.push_back(kCycles);
    EXPECT_FALSE(client.has_counters_for(requests)) << "a DTC has one cycle counter";
    // What no counter can count.
    EXPECT_FALSE(client.open(of_nodes(NodeType::hn_s, 0)));
    EXPECT_FALSE(client.open(of_nodes(NodeType::hn_s, 1, 0x7777)));
    EXPECT_FALSE(client.open(of_nodes(NodeType::cxra, 1)));
    EXPECT_FALSE(client.open(of_flits({.channel = 4})));
    EXPECT_FALSE(client.open(of_flits({.group = 3})));
  });
}

TEST_F(CmnClientTest, watchpoints_count_flits_that_match_and_pairs_those_that_match_both) {
  ClientRig rig(cmn::examples::cmn600_small(), {.local_width = 8});
  const std::uint16_t xp = rig.layout.xp(1).node_id;
  const auto send = [&](FlitDirection direction, unsigned opcode, unsigned qos, unsigned times) {
    cmn::FlitFields flit{.opcode = static_cast<std::uint8_t>(opcode), .qos = static_cast<std::uint8_t>(qos)};
    for (unsigned i = 0; i < times; ++i) {
      if (direction == FlitDirection::upload) {
        rig.pmu.upload(1, 1, Channel::req, flit, now());
      } else {
        rig.pmu.download(1, 1, Channel::req, flit, now());
      }
    }
  };
  const std::uint64_t opcode_mask = ~(std::uint64_t{0x3f} << 31);  // group 0 of CMN-600
  const std::uint64_t qos_mask = ~std::uint64_t{0xf};              // group 1
  run([&] {
    CmnClient client = rig.client();
    client.run();
    const auto opcode = client.open(
        of_flits({.upload = true, .port = 1, .pair = 1, .value = std::uint64_t{4} << 31, .mask = opcode_mask}, xp));
    const auto qos =
        client.open(of_flits({.upload = true, .port = 1, .group = 1, .pair = 1, .value = 9, .mask = qos_mask}, xp));
    const auto others = client.open(of_flits(
        {.upload = false, .port = 1, .exclusive = true, .value = std::uint64_t{4} << 31, .mask = opcode_mask}, xp));
    ASSERT_TRUE(opcode && qos && others);
    EXPECT_FALSE(client.open(of_flits({.upload = true, .port = 1, .mask = opcode_mask}, xp))) << "both are taken";
    EXPECT_FALSE(client.open(of_flits({.upload = false, .port = 1, .pair = 1}, xp))) << "its neighbour is no pair";
    for (const FlitDirection direction : {FlitDirection::upload, FlitDirection::download}) {
      send(direction, 4, 9, 300);
      send(direction, 4, 8, 40);
      send(direction, 3, 9, 500);
    }
    EXPECT_EQ(client.count(*opcode), 300U);
    EXPECT_EQ(client.count(*qos), 0U);
    EXPECT_EQ(client.count(*others), 500U);
    // The second of the pair, alone, counts nothing.
    client.close(*opcode);
    send(FlitDirection::upload, 4, 9, 70);
    EXPECT_EQ(client.count(*opcode), 300U);
    EXPECT_EQ(client.count(*qos), 0U);
    client.close(*qos);
    client.close(*others);
    // One of the same number, alone, at a place where an exclusive one was.
    const auto alone =
        client.open(of_flits({.upload = false, .port = 1, .pair = 2, .value = 9, .mask = ~std::uint64_t{0}}, xp));
    ASSERT_TRUE(alone);
    send(FlitDirection::download, 4, 9, 70);
    EXPECT_EQ(client.count(*alone), 0U);
  });
}

TEST_F(CmnClientTest, watchpoints_are_silent_while_they_are_set_up_and_taken_down) {
  ClientRig rig(cmn::examples::cmn700_server());
  const std::uint16_t xp = rig.layout.xp(9).node_id;
  std::uint64_t matching = 0;
  rig.before_access = [&] {
    // Flits of port 0, REQ, group 0, as a fresh watchpoint has it, that are not the wanted ones.
    cmn::FlitFields flit;
    flit.opcode = 5;
    rig.pmu.upload(9, 0, Channel::req, flit, now());
    rig.pmu.upload(9, 1, Channel::req, flit, now());
  };
  run([&] {
    CmnClient client = rig.client();
    client.run();
    const std::uint64_t mask = ~(std::uint64_t{0x7f} << 29);
    for (const bool exclusive : {false, true}) {
      // Opcode 4; or all but opcode 5.
      const std::uint64_t value = std::uint64_t{exclusive ? 5U : 4U} << 29;
      const auto number = client.open(of_flits({.port = 1, .exclusive = exclusive, .value = value, .mask = mask}, xp));
      ASSERT_TRUE(number);
      EXPECT_EQ(client.count(*number), matching);
      client.close(*number);
      EXPECT_EQ(client.count(*number), matching);
    }
  });
}

/// Before each access of the software 97 flits leave each of many crosspoints, whose counters wrap all the time. At any
/// instant, a crosspoint has sent a multiple of them.
TEST_F(CmnClientTest, a_reading_lies_between_the_counts_at_its_begin_and_its_end) {
  ClientRig rig(cmn::examples::cmn700_server(), {.local_width = 8, .global_width = 20});
  std::uint64_t happened = 0;
  bool counts = false;
  run([&] {
    CmnClient client = rig.client();
    client.run();
    rig.before_access = [&] {
      if (!counts) return;
      for (unsigned xp = 0; xp < rig.layout.xps(); ++xp) rig.pulse(xp, Interface::east, Channel::dat, 97);
      happened += 97U * rig.layout.xps();
    };
    const auto number = client.open(of_crosspoints(Interface::east, Channel::dat));
    const auto alone = client.open(of_crosspoints(Interface::east, Channel::dat, rig.layout.xp(9).node_id));
    ASSERT_TRUE(number && alone);
    counts = true;
    std::uint64_t last = 0;
    for (int turn = 0; turn < 30; ++turn) {
      const std::uint64_t low = happened;
      const std::uint64_t read = client.count(*number);
      EXPECT_GE(read, low);
      EXPECT_LE(read, happened);
      EXPECT_GE(read, last);
      EXPECT_EQ(read % 97, 0U);
      EXPECT_EQ(client.count(*alone) % 97, 0U);
      last = read;
    }
    counts = false;
    EXPECT_EQ(client.count(*number), happened);
  });
}

TEST_F(CmnClientTest, an_overflow_that_is_left_from_before_is_nobodys) {
  ClientRig rig(cmn::examples::cmn700_server(), {.local_width = 8, .global_width = 8});
  run([&] {
    CmnClient client = rig.client();
    const CounterRequest request = of_crosspoints(Interface::east, Channel::dat, rig.layout.xp(0).node_id);
    const auto first = client.open(request);
    ASSERT_TRUE(first);
    client.run();
    rig.pulse(0, Interface::east, Channel::dat, 70'000);  // overflows, and nobody handles it
    client.stop();
    client.close(*first);
    EXPECT_EQ(client.count(*first), 70'000U);
    const auto second = client.open(request);
    ASSERT_TRUE(second);
    EXPECT_EQ(client.count(*second), 0U);
    client.run();
    rig.pulse(0, Interface::east, Channel::dat, 70'000);
    EXPECT_EQ(client.count(*second), 70'000U);
    EXPECT_EQ(rig.handle(client), 1U);
    EXPECT_EQ(client.count(*second), 70'000U);
    EXPECT_FALSE(client.handle_overflow(0));
    EXPECT_FALSE(client.handle_overflow(1));
  });
}

TEST_F(CmnClientTest, what_others_have_left_selected_does_not_count) {
  ClientRig rig(cmn::examples::cmn600_small());
  run([&] {
    const std::vector<unsigned> dvm = rig.sources(NodeType::dvm);
    ASSERT_FALSE(dvm.empty());
    // The DVM node and the HN-I of an HN-D share four signals.
    rig.cpu.put32(rig.layout.nodes()[rig.layout.sources()[dvm.front()].node].offset + 0x2000U, 0x0101'0101);
    CmnClient client = rig.client();
    client.run();
    std::optional<unsigned> number;
    for (const unsigned hn_i : rig.sources(NodeType::hn_i)) {
      if (rig.id_of(hn_i) == rig.id_of(dvm.front()))
        number = client.open(of_nodes(NodeType::hn_i, 0x20, rig.id_of(hn_i)));
    }
    ASSERT_TRUE(number);
    rig.happen(dvm.front(), 1, 50);
    EXPECT_EQ(client.count(*number), 0U);
  });
}

TEST_F(CmnClientTest, nothing_is_touched_where_there_is_no_mesh_or_one_to_be_left_alone) {
  cmn::Topology topology = cmn::examples::s3_small(1);
  topology.deviations.device_isolation = true;
  ClientRig rig(std::move(topology));
  run([&] {
    const std::string before = rig.registers();
    EXPECT_THROW((void)rig.client(), std::runtime_error);
    EXPECT_THROW((void)CmnClient({.read32 = [](std::uint64_t) { return 0U; },
                                  .write32 = {},
                                  .read64 = [](std::uint64_t) { return std::uint64_t{0}; },
                                  .write64 = {}},
                                 {}),
                 std::runtime_error);
    EXPECT_EQ(rig.registers(), before);
  });
}

}  // namespace
}  // namespace pmufab::cmn_client_test
