// SPDX-License-Identifier: Apache-2.0
// Gateways and the link between two meshes: times of flits, and every event. Expected values come from the flits at the
// gateways' ports and the rules of docs/cmn-nodes.md, section 5.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/fabrics/cmn/tests/model/nodes/cmn_gateway_rig.h"

namespace pmufab::cmn_gateway_test {
namespace {

using cmn::Channel;
using cmn::Cycle;
using testing::CmnDriver;
using testing::LinkedMesh;
using testing::LinkRig;
using testing::PortLog;
namespace op = testing::op;

using CmnGateway = testing::SimulationTest;

constexpr Cycle kLatency = 12;
constexpr Picoseconds kLink = 20'000;

constexpr unsigned kCcra = 0x103;
constexpr unsigned kCcha = 0x104;
constexpr unsigned kCcla = 0x105;
constexpr unsigned kRni = 0xa;

/// An event of a gateway: node type and number.
using Event = std::pair<unsigned, unsigned>;
using Counts = std::map<Event, std::uint64_t>;

/// Count all of `events` at a mesh's gateway while `story` happens, four at a time. So the story happens several times.
template <typename Story>
Counts count(LinkedMesh& mesh, const std::vector<Event>& events, Story&& story) {
  Counts counts;
  for (std::size_t first = 0; first < events.size(); first += 4) {
    std::vector<CmnDriver::Event> open;
    const std::size_t last = std::min(first + 4, events.size());
    for (std::size_t i = first; i < last; ++i)
      open.push_back(mesh.driver.open(mesh.driver.find(events[i].first, LinkedMesh::kGateway), events[i].second));
    story();
    for (std::size_t i = first; i < last; ++i) counts[events[i]] = mesh.driver.close(open[i - first]);
  }
  return counts;
}

/// Expected counts since the beginning, from the ports of both gateways. Valid for requests of mesh a that do not
/// overlap and have the default parameters.
struct Totals {
  Counts pulses;                        // of both meshes: key 0x1000 for mesh b
  std::map<Event, std::uint64_t> sums;  // sums of accumulators
};
constexpr unsigned kB = 0x1000;

Event at_b(unsigned type, unsigned id) { return {type | kB, id}; }

class Story {
 public:
  explicit Story(LinkRig& rig) : rig_(rig) {}

  /// One request after the other.
  void happen() {
    for (const std::uint8_t opcode : {op::kReadOnce, op::kWriteUniqueFull, op::kReadNoSnp, op::kWriteNoSnpFull}) {
      for (const std::uint8_t size : {std::uint8_t{6}, std::uint8_t{5}}) {
        rig_.a.request(rig_.a.soon(), opcode, 0x1'0000 + 0x1000U * size, size, opcode == op::kReadOnce ? 1 : 0);
        rig_.settle();
      }
    }
  }

  [[nodiscard]] Totals totals() {
    Totals totals;
    std::size_t a = 0;
    std::size_t b = 0;
    const std::vector<PortLog::Seen>& seen_a = rig_.a.log.seen;
    const std::vector<PortLog::Seen>& seen_b = rig_.b.log.seen;
    while (a < seen_a.size()) {
      const PortLog::Seen& request = seen_a[a];
      EXPECT_EQ(request.channel, Channel::req);
      const bool read = request.fields.opcode == op::kReadOnce || request.fields.opcode == op::kReadNoSnp;
      read ? add_read(totals, seen_a, a, seen_b, b) : add_write(totals, seen_a, a, seen_b, b);
    }
    EXPECT_EQ(b, seen_b.size());
    return totals;
  }

 private:
  using Seen = std::vector<PortLog::Seen>;

  [[nodiscard]] Cycle at_b_after(Cycle sent) const { return rig_.b.cycle_from(rig_.a.time(sent) + kLink); }
  [[nodiscard]] Cycle at_a_after(Cycle sent) const { return rig_.a.cycle_from(rig_.b.time(sent) + kLink); }
  static void expect(const PortLog::Seen& flit, bool up, Channel channel, std::uint8_t opcode, Cycle cycle) {
    EXPECT_EQ(flit.up, up);
    EXPECT_EQ(flit.channel, channel);
    EXPECT_EQ(flit.fields.opcode, opcode);
    EXPECT_EQ(flit.cycle, cycle);
  }
  /// A message of so many units takes `flits` CXS flits. It is handed over in one cycle, and its last flit is sent in
  /// another.
  static void cross(Totals& totals, unsigned from, std::uint64_t flits, std::uint64_t units, Cycle handed, Cycle last) {
    const unsigned to = from == 0 ? kB : 0;
    totals.pulses[{kCcla | from, 0x22}] += flits;
    totals.pulses[{kCcla | to, 0x21}] += flits;
    totals.sums[{kCcla | from, 0x24}] += units;
    totals.sums[{kCcla | to, 0x23}] += units;
    totals.pulses[{kCcla | from, 0x27}] += 1;
    totals.sums[{kCcla | from, 0x26}] += last - handed;
  }

  void add_read(Totals& totals, const Seen& seen_a, std::size_t& a, const Seen& seen_b, std::size_t& b) {
    const PortLog::Seen& request = seen_a[a++];
    const bool line = request.fields.size == 6;
    const Cycle begin = request.cycle;
    // One flit to the other mesh.
    cross(totals, 0, 1, 1, begin, begin + kLatency);
    const Cycle there = at_b_after(begin + kLatency);
    expect(seen_b.at(b++), true, Channel::req, op::kReadOnce, there + kLatency);
    Cycle data = 0;
    for (int flit = 0; flit < (line ? 2 : 1); ++flit) {
      EXPECT_FALSE(seen_b.at(b).up);
      data = seen_b.at(b++).cycle;
      totals.pulses[at_b(kRni, 0x04)] += 1;
    }
    // 80 bytes back in three flits, or 48 in two.
    const Cycle left = data + kLatency + (line ? 2 : 1);
    cross(totals, kB, line ? 3 : 2, line ? 5 : 3, data, left);
    totals.pulses[at_b(kCcha, 0x6e)] += 1;
    totals.sums[at_b(kCcha, 0x67)] += left - there;
    totals.pulses[at_b(kCcha, 0x61)] += 1;
    totals.pulses[at_b(kCcha, 0x70)] += 1;
    totals.sums[at_b(kCcha, 0x69)] += left - data;
    totals.pulses[at_b(kRni, 0x06)] += 1;
    totals.pulses[at_b(kRni, 0x0f)] += 1;
    totals.sums[at_b(kRni, 0x08)] += left - there;
    const Cycle back = at_a_after(left);
    expect(seen_a.at(a++), true, Channel::dat, op::kCompData, back + kLatency);
    Cycle end = back + kLatency;
    if (line) expect(seen_a.at(a++), true, Channel::dat, op::kCompData, ++end);
    totals.pulses[{kCcra, 0x56}] += 1;
    totals.pulses[{kCcra, 0x58}] += 1;
    totals.sums[{kCcra, 0x43}] += end - back;
    if (request.fields.expcompack == 1) {
      end = seen_a.at(a).cycle;
      expect(seen_a.at(a++), false, Channel::rsp, op::kCompAck, end);
    }
    totals.sums[{kCcra, 0x41}] += end - begin;
  }

  void add_write(Totals& totals, const Seen& seen_a, std::size_t& a, const Seen& seen_b, std::size_t& b) {
    const PortLog::Seen& request = seen_a[a++];
    const bool line = request.fields.size == 6;
    expect(seen_a.at(a++), true, Channel::rsp, op::kCompDbidResp, request.cycle + kLatency);
    if (line) ++a;
    const Cycle data = seen_a.at(a).cycle;
    expect(seen_a.at(a++), false, Channel::dat, op::kNonCopyBackWrData, data);
    const Cycle left = data + kLatency + (line ? 2 : 1);
    cross(totals, 0, line ? 3 : 2, line ? 5 : 3, data, left);
    const Cycle there = at_b_after(left);
    expect(seen_b.at(b++), true, Channel::req, op::kWriteUniqueFull, there + kLatency);
    const Cycle granted = seen_b.at(b).cycle;
    expect(seen_b.at(b++), false, Channel::rsp, op::kCompDbidResp, granted);
    Cycle sent = granted + kLatency;
    expect(seen_b.at(b++), true, Channel::dat, op::kNonCopyBackWrData, sent);
    if (line) expect(seen_b.at(b++), true, Channel::dat, op::kNonCopyBackWrData, ++sent);
    const Cycle answered = sent + kLatency;
    cross(totals, kB, 1, 1, sent, answered);
    totals.pulses[at_b(kCcha, 0x6e)] += 1;
    totals.sums[at_b(kCcha, 0x67)] += answered - there;
    totals.pulses[at_b(kCcha, 0x71)] += 1;
    totals.sums[at_b(kCcha, 0x6a)] += sent - there;
    totals.pulses[at_b(kRni, 0x06)] += 1;
    totals.pulses[at_b(kRni, 0x05)] += line ? 2 : 1;
    totals.pulses[at_b(kRni, 0x10)] += 1;
    totals.sums[at_b(kRni, 0x09)] += answered - there;
    totals.pulses[{kCcra, 0x56}] += 1;
    totals.pulses[{kCcra, 0x59}] += 1;
    totals.sums[{kCcra, 0x44}] += left - request.cycle;
    totals.sums[{kCcra, 0x41}] += at_a_after(answered) - request.cycle;
  }

  LinkRig& rig_;
};

const std::vector<Event>& pulses() {
  static const std::vector<Event> events = {
      {kCcra, 0x47}, {kCcra, 0x4b}, {kCcra, 0x4e}, {kCcra, 0x56}, {kCcra, 0x58}, {kCcra, 0x59}, {kCcha, 0x61},
      {kCcha, 0x6e}, {kCcha, 0x6f}, {kCcha, 0x70}, {kCcha, 0x71}, {kCcla, 0x21}, {kCcla, 0x22}, {kCcla, 0x25},
      {kCcla, 0x27}, {kRni, 0x04},  {kRni, 0x05},  {kRni, 0x06},  {kRni, 0x07},  {kRni, 0x0f},  {kRni, 0x10}};
  return events;
}
const std::vector<Event>& accumulators() {
  static const std::vector<Event> events = {{kCcra, 0x41}, {kCcra, 0x43}, {kCcra, 0x44}, {kCcha, 0x67},
                                            {kCcha, 0x68}, {kCcha, 0x69}, {kCcha, 0x6a}, {kCcla, 0x23},
                                            {kCcla, 0x24}, {kCcla, 0x26}, {kRni, 0x08},  {kRni, 0x09}};
  return events;
}

void expect_counts(LinkRig& rig, LinkedMesh& mesh, unsigned side) {
  Story story(rig);
  std::vector<Totals> totals{story.totals()};
  const auto happen = [&] {
    story.happen();
    totals.push_back(story.totals());
  };
  const auto name = [&](Event event) {
    return (side == 0 ? "mesh a, type " : "mesh b, type ") + std::to_string(event.first) + ", event " +
           std::to_string(event.second);
  };
  Counts counts = count(mesh, pulses(), happen);
  for (std::size_t i = 0; i < pulses().size(); ++i) {
    const Event event = pulses()[i];
    const Event key{event.first | side, event.second};
    const std::size_t round = i / 4;
    EXPECT_EQ(counts[event], totals[round + 1].pulses[key] - totals[round].pulses[key]) << name(event);
  }
  totals = {story.totals()};
  counts = count(mesh, accumulators(), [&] {
    for (int i = 0; i < 8; ++i) story.happen();
    totals.push_back(story.totals());
  });
  for (std::size_t i = 0; i < accumulators().size(); ++i) {
    const Event event = accumulators()[i];
    const Event key{event.first | side, event.second};
    const std::size_t round = i / 4;
    EXPECT_EQ(counts[event], totals[round + 1].sums[key] / 256 - totals[round].sums[key] / 256) << name(event);
  }
}

TEST_F(CmnGateway, requests_of_the_first_mesh_count_at_both_gateways_as_the_rules_say) {
  LinkRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    expect_counts(rig, rig.a, 0);
    EXPECT_GT(rig.b.at_homes.size(), 0U);
    EXPECT_EQ(rig.a.at_homes.size(), 0U);
  });
}

TEST_F(CmnGateway, what_the_other_mesh_does_with_them_counts_there) {
  LinkRig rig;
  run([&] {
    ASSERT_TRUE(rig.probe());
    expect_counts(rig, rig.b, kB);
  });
}

TEST_F(CmnGateway, requests_reach_the_home_of_their_line_as_the_gateways_own) {
  LinkRig rig;
  run([&] {
    rig.a.request(rig.a.soon(), op::kReadOnce, 0x80);
    rig.settle();
    rig.a.request(rig.a.soon(), op::kReadNoSnp, 0xc0, 5);
    rig.settle();
    rig.b.request(rig.b.soon(), op::kWriteUniquePtl, 0x1040, 3);
    rig.settle();
    ASSERT_EQ(rig.b.at_homes.size(), 2U);
    ASSERT_EQ(rig.a.at_homes.size(), 1U);
    const cmn::FlitFields& first = rig.b.at_homes[0];
    EXPECT_EQ(first.tgtid, LinkedMesh::kHome0);
    EXPECT_EQ(first.srcid, LinkedMesh::kGateway);
    EXPECT_EQ(first.addr, 0x80U);
    EXPECT_EQ(first.opcode, op::kReadOnce);
    EXPECT_EQ(first.size, 6);
    EXPECT_EQ(first.lpid, 0);
    EXPECT_EQ(first.expcompack, 0);
    const cmn::FlitFields& second = rig.b.at_homes[1];
    EXPECT_EQ(second.tgtid, LinkedMesh::kHome1);
    EXPECT_EQ(second.opcode, op::kReadOnce);
    EXPECT_EQ(second.size, 5);
    EXPECT_EQ(second.lpid, 1) << "a local coherency node's";
    const cmn::FlitFields& third = rig.a.at_homes[0];
    EXPECT_EQ(third.tgtid, LinkedMesh::kHome1);
    EXPECT_EQ(third.opcode, op::kWriteUniquePtl);
    EXPECT_EQ(third.addr, 0x1040U);
  });
}

}  // namespace
}  // namespace pmufab::cmn_gateway_test
