// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
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

  ScriptedNode(cmn::Mesh& mesh, std::uint16_t node_id, Answer answer = {})
      : mesh_(mesh), number_(mesh.attach(*this, node_id)), answer_(std::move(answer)) {}

  void run(cmn::Cycle now) override {
    while (const cmn::Arrival* const arrival = mesh_.arrival(number_)) {
      seen.push_back({now, cmn::channel_class(arrival->channel), arrival->fields});
      mesh_.take(number_);
      if (answer_) answer_(*this, Seen(seen.back()));
    }
  }
  void send(cmn::Channel channel, const cmn::FlitFields& fields) { mesh_.post(number_, channel, fields, 0); }
  void reply(cmn::Channel channel, const cmn::FlitFields& to, std::uint8_t opcode, std::uint16_t dbid = 0,
             std::uint8_t resp = 0) {
    cmn::FlitFields fields;
    fields.tgtid = to.srcid;
    fields.txnid = to.txnid;
    fields.opcode = opcode;
    fields.dbid = dbid;
    fields.resp = resp;
    send(channel, fields);
  }
  /// The whole line.
  void reply_data(const cmn::FlitFields& to, std::uint16_t dbid, std::uint8_t resp) {
    reply(cmn::Channel::dat, to, cmn::chi::dat::kCompData, dbid, resp);
    reply(cmn::Channel::dat, to, cmn::chi::dat::kCompData, dbid, resp);
  }
  /// @return the number of flits of a channel and opcode that arrived.
  [[nodiscard]] unsigned count(cmn::Channel channel, std::uint8_t opcode) const {
    unsigned sum = 0;
    for (const Seen& one : seen) sum += one.channel == channel && one.fields.opcode == opcode ? 1 : 0;
    return sum;
  }

  std::vector<Seen> seen;

 private:
  cmn::Mesh& mesh_;
  unsigned number_;
  Answer answer_;
};

/// Gives a requester the operations of a list, one after the other, at most `limit` at a time.
class ListedOperations final : public cmn::OperationSource {
 public:
  explicit ListedOperations(unsigned limit = 1) : limit_(limit) {}
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
  void completed(const cmn::Operation& /*operation*/, cmn::Cycle began, cmn::Cycle now) override {
    ++finished;
    latencies.push_back(now - began);
  }
  void add(cmn::OperationKind kind, std::uint64_t address) {
    cmn::Operation operation;
    operation.kind = kind;
    operation.address = address;
    operations.push_back(operation);
  }

  std::deque<cmn::Operation> operations;
  std::vector<cmn::Cycle> latencies;
  unsigned given = 0;
  unsigned finished = 0;

 private:
  unsigned limit_;
};

}  // namespace pmufab::testing
