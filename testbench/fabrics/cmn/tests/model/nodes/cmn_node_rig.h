// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/requester/operation_source.h"
#include "models/cmn/wire/chi.h"
#include "testbench/support/initiator.h"

namespace pmufab::testing {

/// A mesh, and an idle CPU at its registers.
struct BoundMesh {
  explicit BoundMesh(const cmn::Topology& topology, const cmn::MeshOptions& options = {})
      : mesh("cmn0", topology, options) {
    cpu.socket.bind(mesh.config_space().socket);
  }
  cmn::Mesh mesh;
  Initiator cpu{"cpu"};
};

/// A device at a node id. It records what arrives, and sends what a test says.
class ScriptedNode final : public cmn::MeshDevice {
 public:
  struct Seen {
    cmn::Cycle cycle;
    cmn::Channel channel;
    cmn::FlitFields fields;
  };
  /// Called for each flit that arrives, after it was recorded.
  using Answer = std::function<void(ScriptedNode&, const Seen&)>;

  ScriptedNode(cmn::Mesh& mesh, std::uint16_t node_id, Answer to_flits = {})
      : id(node_id), answer(std::move(to_flits)), mesh_(mesh), number_(mesh.attach(*this, node_id)) {}

  void run(cmn::Cycle now) override {
    if (now < deaf_until) {
      mesh_.call(number_, deaf_until);
      return;
    }
    while (const cmn::Arrival* const arrival = mesh_.arrival(number_)) {
      seen.push_back({now, cmn::channel_class(arrival->channel), arrival->fields});
      mesh_.take(number_);
      if (answer) answer(*this, Seen(seen.back()));
    }
  }
  void post(cmn::Channel channel, const cmn::FlitFields& fields, cmn::Cycle ready = 0) {
    mesh_.post(number_, channel, fields, ready);
  }
  void request(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid, cmn::Cycle ready, std::uint64_t addr = 0,
               std::uint8_t size = 6, std::uint8_t order = 0) {
    cmn::FlitFields fields = message(to, opcode, txnid);
    fields.addr = addr;
    fields.size = size;
    fields.order = order;
    fields.allowretry = 1;
    post(cmn::Channel::req, fields, ready);
  }
  void respond(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid, cmn::Cycle ready, std::uint16_t dbid = 0) {
    cmn::FlitFields fields = message(to, opcode, txnid);
    fields.dbid = dbid;
    post(cmn::Channel::rsp, fields, ready);
  }
  void send_data(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid, unsigned flits, cmn::Cycle ready) {
    cmn::FlitFields fields = message(to, opcode, txnid);
    for (unsigned flit = 0; flit < flits; ++flit) {
      fields.dataid = static_cast<std::uint8_t>(2 * flit);
      post(cmn::Channel::dat, fields, ready);
    }
  }
  void reply(cmn::Channel channel, const cmn::FlitFields& to, std::uint8_t opcode, std::uint16_t dbid = 0,
             std::uint8_t resp = 0) {
    cmn::FlitFields fields = message(to.srcid, opcode, to.txnid);
    fields.dbid = dbid;
    fields.resp = resp;
    post(channel, fields);
  }
  /// The whole line.
  void reply_data(const cmn::FlitFields& to, std::uint16_t dbid, std::uint8_t resp) {
    reply(cmn::Channel::dat, to, cmn::chi::dat::kCompData, dbid, resp);
    reply(cmn::Channel::dat, to, cmn::chi::dat::kCompData, dbid, resp);
  }
  /// Answer every DBID with this many flits of write data.
  void write_with(unsigned flits, std::uint8_t opcode = cmn::chi::dat::kNonCopyBackWrData) {
    answer = [flits, opcode](ScriptedNode& self, const Seen& flit) {
      if (flit.channel == cmn::Channel::rsp &&
          (flit.fields.opcode == cmn::chi::rsp::kCompDbidResp || flit.fields.opcode == cmn::chi::rsp::kDbidResp))
        self.send_data(flit.fields.srcid, opcode, flit.fields.dbid, flits, flit.cycle);
    };
  }
  /// @return the number of flits of a channel and opcode that arrived.
  [[nodiscard]] std::uint64_t count(cmn::Channel channel, std::uint8_t opcode) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        seen, [&](const Seen& one) { return one.channel == channel && one.fields.opcode == opcode; }));
  }

  std::uint16_t id;
  Answer answer;
  cmn::Cycle deaf_until = 0;  ///< it takes nothing before
  std::vector<Seen> seen;

 private:
  static cmn::FlitFields message(std::uint16_t to, std::uint8_t opcode, std::uint16_t txnid) {
    return {.tgtid = to, .txnid = txnid, .opcode = opcode};
  }

  cmn::Mesh& mesh_;
  unsigned number_;
};

/// Gives a requester the operations of a list as soon as it asks, at most `limit` at a time.
class ListedOperations final : public cmn::OperationSource {
 public:
  explicit ListedOperations(unsigned limit = std::numeric_limits<unsigned>::max()) : limit_(limit) {}
  bool next(cmn::Cycle /*now*/, cmn::Operation& operation) override {
    if (operations.empty() || given - finished >= limit_) return false;
    operation = operations.front();
    operations.pop_front();
    ++given;
    return true;
  }
  [[nodiscard]] cmn::Cycle ready(cmn::Cycle now) const override {
    return operations.empty() || given - finished >= limit_ ? cmn::kNoCycle : now;
  }
  void completed(const cmn::Operation& /*operation*/, cmn::Cycle /*began*/, cmn::Cycle /*now*/) override { ++finished; }
  void add(cmn::OperationKind kind, std::uint64_t address) { operations.push_back({.kind = kind, .address = address}); }

  std::deque<cmn::Operation> operations;
  unsigned given = 0;
  unsigned finished = 0;

 private:
  unsigned limit_;
};

}  // namespace pmufab::testing
