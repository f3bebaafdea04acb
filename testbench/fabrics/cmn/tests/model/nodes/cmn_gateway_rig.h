// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/gateway/gateway.h"
#include "testbench/fabrics/cmn/tests/model/pmu/cmn_driver.h"
#include "testbench/support/initiator.h"
#include "testbench/support/simulation_test.h"

namespace pmufab::testing {

/// Opcodes of CHI that these tests need.
namespace op {
inline constexpr std::uint8_t kReadOnce = 3;
inline constexpr std::uint8_t kReadNoSnp = 4;
inline constexpr std::uint8_t kWriteUniquePtl = 0x18;
inline constexpr std::uint8_t kWriteUniqueFull = 0x19;
inline constexpr std::uint8_t kWriteNoSnpFull = 0x1d;
inline constexpr std::uint8_t kCompAck = 2;
inline constexpr std::uint8_t kRetryAck = 3;
inline constexpr std::uint8_t kCompDbidResp = 5;
inline constexpr std::uint8_t kPCrdGrant = 7;
inline constexpr std::uint8_t kNonCopyBackWrData = 3;
inline constexpr std::uint8_t kCompData = 4;
}  // namespace op

/// Bit 47 selects the other mesh.
inline constexpr std::uint64_t kOtherMesh = std::uint64_t{1} << 47;

/// Flits that cross a port of a mesh: uploads in the cycle they enter, downloads in the cycle they arrive at the
/// device.
class PortLog final : public cmn::MeshObserver {
 public:
  struct Seen {
    cmn::Cycle cycle;
    bool up;
    cmn::Channel channel;
    cmn::FlitFields fields;
  };
  PortLog(const ClockDomain& clock, unsigned xp, unsigned port, std::uint16_t node_id)
      : clock_(clock), xp_(xp), port_(port), node_id_(node_id) {}

  void on_upload(Picoseconds when, unsigned xp, unsigned port, cmn::Channel channel, std::uint32_t flit,
                 const cmn::FlitFields& fields) override {
    flying_[flit] = fields;
    if (xp == xp_ && port == port_) seen.push_back({clock_.edges_before(when), true, channel, fields});
  }
  void on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) override {
    constexpr cmn::Cycle kLink = 1;
    for (const cmn::MeshPulse& pulse : pulses) {
      if (pulse.event != cmn::FlitEvent::valid || pulse.xp != xp_) continue;
      if (static_cast<unsigned>(pulse.interface) != static_cast<unsigned>(cmn::Interface::port0) + port_) continue;
      seen.push_back({clock_.edges_before(when) + kLink + 1, false, pulse.channel, flying_.at(pulse.handle)});
    }
  }
  void on_hold(Picoseconds /*when*/, std::uint16_t node_id, cmn::Channel channel) override {
    if (node_id == node_id_) ++holds[channel];
  }

  /// @return the cycles of flits of a direction, channel and opcode, in order.
  [[nodiscard]] std::vector<cmn::Cycle> cycles(bool up, cmn::Channel channel, std::uint8_t opcode) const {
    std::vector<cmn::Cycle> all;
    for (const Seen& one : seen) {
      if (one.up == up && one.channel == channel && one.fields.opcode == opcode) all.push_back(one.cycle);
    }
    return all;
  }

  std::vector<Seen> seen;
  std::map<cmn::Channel, std::uint64_t> holds;

 private:
  const ClockDomain& clock_;
  unsigned xp_;
  unsigned port_;
  std::uint16_t node_id_;
  std::map<std::uint32_t, cmn::FlitFields> flying_;
};

/// A test's own node. The test decides how it answers, and what it posts.
class Party final : public cmn::MeshDevice {
 public:
  using OnFlit = std::function<void(cmn::Channel, const cmn::FlitFields&, cmn::Cycle)>;
  Party(cmn::Mesh& mesh, std::uint16_t node_id) : mesh_(mesh), device_(mesh.attach(*this, node_id)) {}

  void run(cmn::Cycle now) override {
    if (now < deaf_until) {
      mesh_.call(device_, deaf_until);
      return;
    }
    while (const cmn::Arrival* const arrival = mesh_.arrival(device_)) {
      const cmn::Arrival flit = *arrival;
      mesh_.take(device_);
      if (on_flit) on_flit(flit.channel, flit.fields, now);
    }
  }
  void post(cmn::Channel channel, const cmn::FlitFields& fields, cmn::Cycle when) {
    mesh_.post(device_, channel, fields, when);
  }

  OnFlit on_flit;
  cmn::Cycle deaf_until = 0;

 private:
  cmn::Mesh& mesh_;
  unsigned device_;
};

/// The parties in a mesh of three XPs: a requester (and HN-D) at the first; two homes at the second, which answer after
/// ten cycles; and a log of the gateway at the third.
class LinkedParties {
 public:
  static constexpr std::uint16_t kRequester = 0x00;
  static constexpr std::uint16_t kHome0 = 0x20;
  static constexpr std::uint16_t kHome1 = 0x24;
  static constexpr std::uint16_t kGateway = 0x40;
  static constexpr cmn::Cycle kHomeDelay = 10;

  /// @param of  a mesh of topology()
  explicit LinkedParties(cmn::Mesh& linked_mesh)
      : requester(linked_mesh, kRequester),
        homes{Party(linked_mesh, kHome0), Party(linked_mesh, kHome1)},
        log(linked_mesh.clock(), 2, 0, kGateway),
        clock_(linked_mesh.clock()) {
    linked_mesh.set_observer(&log);
    requester.on_flit = [this](cmn::Channel channel, const cmn::FlitFields& flit, cmn::Cycle now) {
      at_requester(channel, flit, now);
    };
    for (Party& home : homes) {
      home.on_flit = [this, &home](cmn::Channel channel, const cmn::FlitFields& flit, cmn::Cycle now) {
        at_home(home, channel, flit, now);
      };
    }
  }

  /// @param rni  the gateway has a CCLA_RNI
  static cmn::Topology topology(cmn::Product product, std::uint64_t frequency, bool rni) {
    using cmn::DeviceType;
    using cmn::NodeType;
    cmn::Topology topology;
    topology.product = product;
    topology.revision = product == cmn::Product::cmn600 ? 5 : product == cmn::Product::cmn700 ? 3 : 1;
    topology.columns = 3;
    topology.frequency_hz = frequency;
    topology.crosspoints.resize(3);
    topology.crosspoints[0].ports = {{DeviceType::rn_i, false, {{NodeType::rn_i}}},
                                     {DeviceType::hn_d, false, {{NodeType::dvm}, {NodeType::dtc}, {NodeType::hn_i}}}};
    topology.crosspoints[1].ports = {{DeviceType::hn_f, false, {{NodeType::hn_f}}},
                                     {DeviceType::hn_f, false, {{NodeType::hn_f}}}};
    if (product == cmn::Product::cmn600) {
      topology.crosspoints[2].ports = {
          {DeviceType::cxrh, false, {{NodeType::cxra}, {NodeType::cxha}, {NodeType::cxla}}}};
    } else {
      topology.crosspoints[2].ports = {
          {DeviceType::ccg, false, {{NodeType::ccra}, {NodeType::ccha}, {rni ? NodeType::ccla_rni : NodeType::ccla}}}};
    }
    return topology;
  }

  [[nodiscard]] Picoseconds time(cmn::Cycle cycle) const { return clock_.time_of_edge(cycle); }
  /// @return the first cycle at or after a time.
  [[nodiscard]] cmn::Cycle cycle_from(Picoseconds when) const { return clock_.edges_before(when); }

  /// Send a request for an address of the other mesh from the requester, in this cycle or the next possible one.
  void request(cmn::Cycle when, std::uint8_t opcode, std::uint64_t address, std::uint8_t size = 6,
               std::uint8_t expcompack = 0) {
    cmn::FlitFields fields;
    fields.tgtid = kGateway;
    fields.txnid = next_txnid_++;
    fields.opcode = opcode;
    fields.addr = address | kOtherMesh;
    fields.size = size;
    fields.expcompack = expcompack;
    fields.allowretry = 1;
    requests_[fields.txnid] = fields;
    ++outstanding;
    requester.post(cmn::Channel::req, fields, when);
  }
  /// The cycle in which something can be sent now.
  [[nodiscard]] cmn::Cycle soon() const { return cycle_from(now()) + 1; }

  Party requester;
  std::array<Party, 2> homes;
  PortLog log;
  unsigned outstanding = 0;               ///< requests that have not ended yet
  unsigned retries_to_do = 0;             ///< requests that the homes must retry
  std::vector<cmn::FlitFields> at_homes;  ///< REQ flits the homes got

 private:
  void at_requester(cmn::Channel channel, const cmn::FlitFields& flit, cmn::Cycle now) {
    using cmn::Channel;
    if (channel == Channel::dat) {
      const cmn::FlitFields& request = requests_.at(flit.txnid);
      if (request.size == 6 && flit.dataid == 0) return;
      --outstanding;
      if (request.expcompack == 0) return;
      cmn::FlitFields ack;
      ack.tgtid = flit.homenid;
      ack.txnid = flit.dbid;
      ack.opcode = op::kCompAck;
      requester.post(Channel::rsp, ack, now + 1);
      return;
    }
    if (flit.opcode == op::kCompDbidResp) {
      cmn::FlitFields data;
      data.tgtid = flit.srcid;
      data.txnid = flit.dbid;
      data.opcode = op::kNonCopyBackWrData;
      requester.post(Channel::dat, data, now + 1);
      if (requests_.at(flit.txnid).size == 6) {
        data.dataid = 2;
        requester.post(Channel::dat, data, now + 1);
      }
      --outstanding;
      return;
    }
    if (flit.opcode == op::kRetryAck) {
      retried_.push_back(flit.txnid);
    } else {
      ASSERT_EQ(flit.opcode, op::kPCrdGrant);
      ++grants_;
    }
    for (; grants_ > 0 && !retried_.empty(); --grants_) {
      cmn::FlitFields again = requests_.at(retried_.front());
      retried_.pop_front();
      again.allowretry = 0;
      requester.post(Channel::req, again, now + 1);
    }
  }

  void at_home(Party& home, cmn::Channel channel, const cmn::FlitFields& flit, cmn::Cycle now) {
    using cmn::Channel;
    if (channel != Channel::req) return;
    at_homes.push_back(flit);
    cmn::FlitFields answer;
    answer.tgtid = flit.srcid;
    answer.txnid = flit.txnid;
    if (flit.allowretry == 1 && retries_to_do > 0) {
      --retries_to_do;
      answer.opcode = op::kRetryAck;
      home.post(Channel::rsp, answer, now + kHomeDelay);
      answer.opcode = op::kPCrdGrant;
      answer.txnid = 0;
      home.post(Channel::rsp, answer, now + 3 * kHomeDelay);
      return;
    }
    if (flit.opcode == op::kReadOnce) {
      answer.opcode = op::kCompData;
      home.post(Channel::dat, answer, now + kHomeDelay);
      answer.dataid = 2;
      if (flit.size == 6) home.post(Channel::dat, answer, now + kHomeDelay);
    } else {
      answer.opcode = op::kCompDbidResp;
      answer.dbid = next_dbid_++;
      home.post(Channel::rsp, answer, now + kHomeDelay);
    }
  }

  const ClockDomain& clock_;
  std::uint16_t next_txnid_ = 0;
  std::uint16_t next_dbid_ = 0x30;
  std::map<std::uint16_t, cmn::FlitFields> requests_;
  std::deque<std::uint16_t> retried_;
  unsigned grants_ = 0;
};

/// A mesh that other objects refer to.
struct MeshOfItsOwn {
  MeshOfItsOwn(const std::string& name, const cmn::Topology& topology, const cmn::MeshOptions& options)
      : mesh(name.c_str(), topology, options) {}
  cmn::Mesh mesh;
};

/// Such a mesh with its gateway, and a driver at its registers.
class LinkedMesh : public MeshOfItsOwn, public LinkedParties {
 public:
  LinkedMesh(const std::string& name, cmn::Product product, std::uint64_t frequency,
             const cmn::LinkParameters& parameters, bool rni = true, const cmn::MeshOptions& options = {})
      : MeshOfItsOwn(name, topology(product, frequency, rni), options),
        LinkedParties(mesh),
        cpu((name + "_cpu").c_str()),
        driver(cpu),
        gateway(mesh, kGateway, parameters) {
    cpu.socket.bind(mesh.config_space().socket);
  }

  Initiator cpu;
  CmnDriver driver;
  cmn::Gateway gateway;
};

/// Two of them and a link.
struct LinkRig {
  explicit LinkRig(const cmn::LinkParameters& parameters = {}, cmn::Product product = cmn::Product::cmn700,
                   bool rni = true, const cmn::MeshOptions& options = {})
      : a("cmn0", product, 2'000'000'000, parameters, rni, options),
        b("cmn1", product, 1'600'000'000, parameters, rni, options) {
    cmn::Gateway::connect(a.gateway, b.gateway);
  }

  [[nodiscard]] bool probe() {
    return a.driver.probe(a.mesh.layout().root_offset()) && b.driver.probe(b.mesh.layout().root_offset());
  }
  /// Run until everything under way has ended.
  void settle() const {
    do {
      advance(1'000'000);
    } while (a.outstanding + b.outstanding > 0);
    advance(1'000'000);
  }

  LinkedMesh a;
  LinkedMesh b;
};

}  // namespace pmufab::testing
