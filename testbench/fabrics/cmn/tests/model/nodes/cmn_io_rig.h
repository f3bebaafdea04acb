// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/requester/operation_source.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/standard_devices.h"
#include "models/cmn/wire/chi.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {

/// A partner of the node under test. It records what it gets, and answers as a test says.
class Partner final : public cmn::MeshDevice {
 public:
  struct Got {
    cmn::Cycle cycle;
    cmn::Channel channel;
    cmn::FlitFields fields;
  };

  Partner(cmn::Mesh& mesh, std::uint16_t node_id) : mesh_(mesh), id(node_id), number(mesh.attach(*this, node_id)) {}

  void run(cmn::Cycle now) override {
    while (const cmn::Arrival* const arrival = mesh_.arrival(number)) {
      const cmn::Arrival copy = *arrival;
      mesh_.take(number);
      got.push_back({now, copy.channel, copy.fields});
      if (answer) answer(copy, now);
    }
  }
  void post(cmn::Channel channel, const cmn::FlitFields& fields, cmn::Cycle ready) {
    mesh_.post(number, channel, fields, ready);
  }
  void request(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid, cmn::Cycle ready, std::uint64_t addr = 0,
               std::uint8_t size = 6, std::uint8_t order = 0) {
    cmn::FlitFields fields;
    fields.opcode = opcode;
    fields.tgtid = to;
    fields.txnid = txnid;
    fields.addr = addr;
    fields.size = size;
    fields.order = order;
    fields.allowretry = 1;
    post(cmn::Channel::req, fields, ready);
  }
  void respond(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid, cmn::Cycle ready, std::uint16_t dbid = 0,
               std::uint8_t pcrdtype = 0) {
    cmn::FlitFields fields;
    fields.opcode = opcode;
    fields.tgtid = to;
    fields.txnid = txnid;
    fields.dbid = dbid;
    fields.pcrdtype = pcrdtype;
    post(cmn::Channel::rsp, fields, ready);
  }
  void send_data(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid, unsigned flits, cmn::Cycle ready) {
    cmn::FlitFields fields;
    fields.opcode = opcode;
    fields.tgtid = to;
    fields.txnid = txnid;
    for (unsigned flit = 0; flit < flits; ++flit) {
      fields.dataid = static_cast<std::uint8_t>(2 * flit);
      post(cmn::Channel::dat, fields, ready);
    }
  }
  /// Answer every DBID with this many flits of write data.
  void write_with(unsigned flits, std::uint8_t opcode = cmn::chi::dat::kNonCopyBackWrData) {
    answer = [this, flits, opcode](const cmn::Arrival& arrival, cmn::Cycle now) {
      if (arrival.channel == cmn::Channel::rsp &&
          (arrival.fields.opcode == cmn::chi::rsp::kCompDbidResp || arrival.fields.opcode == cmn::chi::rsp::kDbidResp))
        send_data(arrival.fields.srcid, opcode, arrival.fields.dbid, flits, now);
    };
  }
  [[nodiscard]] std::uint64_t count(cmn::Channel channel, std::uint8_t opcode) const {
    return static_cast<std::uint64_t>(std::count_if(
        got.begin(), got.end(), [&](const Got& one) { return one.channel == channel && one.fields.opcode == opcode; }));
  }

 private:
  cmn::Mesh& mesh_;

 public:
  std::uint16_t id;
  unsigned number;
  std::function<void(const cmn::Arrival&, cmn::Cycle)> answer;
  std::vector<Got> got;
};

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
    cmn::FlitFields fields;
    fields.opcode = 1;
    fields.tgtid = to_;
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

/// Sends the operations of a list as soon as there is room.
class ListSource final : public cmn::OperationSource {
 public:
  bool next(cmn::Cycle /*now*/, cmn::Operation& operation) override {
    if (left.empty()) return false;
    operation = left.front();
    left.pop_front();
    return true;
  }
  [[nodiscard]] cmn::Cycle ready(cmn::Cycle now) const override { return left.empty() ? cmn::kNoCycle : now; }
  void completed(const cmn::Operation& operation, cmn::Cycle /*began*/, cmn::Cycle now) override {
    done.push_back({operation.tag, now});
  }
  struct Done {
    std::uint32_t tag;
    cmn::Cycle cycle;
  };
  std::deque<cmn::Operation> left;
  std::vector<Done> done;
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
      : mesh("cmn0", topology_of(product), options()), addresses(mesh.topology(), mesh.layout()) {
    cpu.socket.bind(mesh.config_space().socket);
  }

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

  cmn::Mesh mesh;
  cmn::SystemAddressMap addresses;
  Initiator cpu{"cpu"};
  CmnDriver driver{cpu};
  std::uint64_t runs = 0;
};

/// Cycles from the time a flit may go until it arrives at a device of the same XP, with default parameters. Each XP
/// between adds three.
inline constexpr cmn::Cycle kTravel = 5;

}  // namespace pmufab::testing
