// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/tests/model/nodes/cmn_home_rig.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <gtest/gtest.h>

#include "models/cmn/standard_devices.h"

namespace pmufab::testing {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
using cmn::home_event;
namespace chi = cmn::chi;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;
namespace snp = cmn::chi::snp;
namespace dat = cmn::chi::dat;
namespace resp = cmn::chi::resp;

namespace {

cmn::Topology make_topology() {
  const auto port = [](const char* name) { return cmn::standard_port(cmn::Product::cmn700, name).value(); };
  cmn::Topology topology;
  topology.product = cmn::Product::cmn700;
  topology.revision = 3;
  topology.columns = 4;
  topology.rows = 2;
  topology.crosspoints.resize(8);
  topology.crosspoints[0].ports = {port("RN-F"), port("SN-F")};
  topology.crosspoints[1].ports = {port("RN-F"), port("RN-I")};
  topology.crosspoints[2].ports = {port("HN-F")};
  topology.crosspoints[3].ports = {port("RN-F"), port("-")};
  topology.crosspoints[4].ports = {port("RN-F"), port("HN-D")};
  topology.crosspoints[5].ports = {port("CCG"), port("-")};
  return topology;
}

bool expects_ack(std::uint8_t opcode) {
  return opcode == req::kReadShared || opcode == req::kReadClean || opcode == req::kReadUnique ||
         opcode == req::kReadNotSharedDirty;
}
bool is_copy_back(std::uint8_t opcode) {
  return opcode == req::kWriteBackFull || opcode == req::kWriteCleanFull || opcode == req::kWriteEvictFull;
}

bool is_of_class(unsigned event) {
  return event == home_event("pocq_class_retry") || event == home_event("class_mc_reqs_local") ||
         event == home_event("class_mc_reqs_remote");
}

}  // namespace

// Requesters.

HomePeer::HomePeer(cmn::Mesh& mesh, std::uint16_t id, std::uint16_t home)
    : node_id(id), mesh_(mesh), number_(mesh.attach(*this, id)), home_(home) {}

std::uint16_t HomePeer::request(std::uint8_t opcode, std::uint64_t address, const RequestOptions& options) {
  Transaction transaction;
  FlitFields& fields = transaction.request;
  fields.tgtid = home_;
  fields.txnid = static_cast<std::uint16_t>(transactions.size());
  fields.opcode = opcode;
  fields.addr = address;
  fields.qos = options.qos;
  fields.size = options.size;
  fields.memattr = options.allocate ? 0xd : 0x5;
  fields.lpid = options.lpid;
  fields.allowretry = 1;
  fields.expcompack = options.ack.value_or(expects_ack(opcode)) ? 1 : 0;
  if (options.stash_target) {
    fields.stashtgtvalid = 1;
    fields.stashnid = *options.stash_target;
  }
  transaction.data_resp = options.data_resp;
  transactions.push_back(transaction);
  send(Channel::req, fields);
  return fields.txnid;
}

void HomePeer::run(Cycle now) {
  while (const cmn::Arrival* const arrival = mesh_.arrival(number_)) {
    const Seen one{now, cmn::channel_class(arrival->channel), arrival->fields};
    mesh_.take(number_);
    seen.push_back(one);
    if (one.channel == Channel::snp) take_snoop(one.fields);
    if (one.channel == Channel::rsp) take_response(one.fields, now);
    if (one.channel == Channel::dat) take_data(one.fields, now);
  }
}

void HomePeer::take_snoop(const FlitFields& snoop) {
  if (reply != SnoopReply::later) answer(snoop, reply);
}

void HomePeer::answer(const FlitFields& snoop, SnoopReply how) {
  FlitFields fields{.tgtid = snoop.srcid, .txnid = snoop.txnid, .opcode = rsp::kSnpResp};
  if (how == SnoopReply::forwarded) {
    const bool unique = snoop.opcode == snp::kSnpUniqueFwd;
    FlitFields data{.tgtid = snoop.fwdnid,
                    .txnid = snoop.fwdtxnid,
                    .homenid = snoop.srcid,
                    .dbid = snoop.txnid,
                    .opcode = dat::kCompData,
                    .resp = unique ? resp::kUc : resp::kSc};
    for (unsigned flit = 0; flit < 2; ++flit) {
      data.dataid = static_cast<std::uint8_t>(2 * flit);
      send(Channel::dat, data);
    }
    fields.opcode = rsp::kSnpRespFwded;
  }
  if (how == SnoopReply::pull) {
    // Data has a number of its own.
    Transaction transaction;
    transaction.request.txnid = static_cast<std::uint16_t>(transactions.size());
    transaction.request.opcode = snoop.opcode == snp::kSnpStashUnique ? req::kReadUnique : req::kReadNotSharedDirty;
    transaction.request.size = 6;
    transaction.request.expcompack = 1;
    fields.datapull = 1;
    fields.dbid = transaction.request.txnid;
    transactions.push_back(transaction);
  }
  if (how != SnoopReply::dirty) {
    send(Channel::rsp, fields);
    return;
  }
  fields.opcode = dat::kSnpRespData;
  fields.resp = resp::kIPd;
  for (unsigned flit = 0; flit < 2; ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    send(Channel::dat, fields);
  }
}

void HomePeer::acknowledge(std::uint16_t to, std::uint16_t dbid) {
  FlitFields fields{.tgtid = to, .txnid = dbid, .opcode = rsp::kCompAck};
  send(Channel::rsp, fields);
}

void HomePeer::send_write_data(Transaction& transaction, const FlitFields& response) {
  const std::uint8_t opcode = transaction.request.opcode;
  FlitFields fields{.tgtid = response.srcid,
                    .txnid = response.dbid,
                    .opcode = is_copy_back(opcode) ? dat::kCopyBackWrData : dat::kNonCopyBackWrData,
                    .resp = transaction.data_resp};
  const unsigned flits = is_copy_back(opcode) ? 2 : chi::data_flits(transaction.request.size);
  for (unsigned flit = 0; flit < flits; ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    send(Channel::dat, fields);
  }
}

void HomePeer::send_again() {
  while (credits_ > 0 && !refused_.empty()) {
    --credits_;
    FlitFields fields = transactions.at(refused_.front()).request;
    refused_.pop_front();
    fields.allowretry = 0;
    send(Channel::req, fields);
  }
}

void HomePeer::take_response(const FlitFields& flit, Cycle now) {
  if (flit.opcode == rsp::kPCrdGrant) {
    ++credits_;
    send_again();
    return;
  }
  Transaction& transaction = transactions.at(flit.txnid);
  transaction.responses.push_back(flit.opcode);
  const std::uint8_t opcode = transaction.request.opcode;
  switch (flit.opcode) {
    case rsp::kRetryAck:
      ++retries;
      refused_.push_back(flit.txnid);
      send_again();
      return;
    case rsp::kDbidResp:
    case rsp::kCompDbidResp:
      send_write_data(transaction, flit);
      if (flit.opcode == rsp::kDbidResp) return;
      break;
    case rsp::kComp:
      if (opcode == req::kCleanUnique || opcode == req::kMakeUnique) acknowledge(flit.srcid, flit.dbid);
      break;
    default:
      throw std::logic_error("a requester got a response it cannot have");
  }
  transaction.resp = flit.resp;
  transaction.done = true;
  transaction.done_at = now;
}

void HomePeer::take_data(const FlitFields& flit, Cycle now) {
  Transaction& transaction = transactions.at(flit.txnid);
  ++transaction.data_flits;
  transaction.resp = flit.resp;
  transaction.data_from = flit.srcid;
  const bool is_atomic = req::is_atomic(transaction.request.opcode);
  if (transaction.data_flits < (is_atomic ? 1 : chi::data_flits(transaction.request.size))) return;
  transaction.done = true;
  transaction.done_at = now;
  if (transaction.request.expcompack != 0 && !is_atomic) acknowledge(flit.homenid, flit.dbid);
}

unsigned HomePeer::snoops(std::uint8_t opcode) const {
  unsigned count = 0;
  for (const Seen& one : seen) count += one.channel == Channel::snp && one.fields.opcode == opcode ? 1 : 0;
  return count;
}

bool HomePeer::idle() const { return std::ranges::all_of(transactions, &Transaction::done); }

// Memory.

HomeMemory::HomeMemory(cmn::Mesh& mesh, std::uint16_t id) : node_id(id), mesh_(mesh), number_(mesh.attach(*this, id)) {}

void HomeMemory::run(Cycle /*now*/) {
  while (const cmn::Arrival* const arrival = mesh_.arrival(number_)) {
    const FlitFields fields = arrival->fields;
    const Channel channel = cmn::channel_class(arrival->channel);
    mesh_.take(number_);
    if (channel == Channel::dat) ++data_flits;
    if (channel != Channel::req) continue;
    requests.push_back(fields);
    if (!silent) answer(fields);
  }
}

void HomeMemory::answer(const FlitFields& request) {
  FlitFields fields{.tgtid = request.srcid, .txnid = request.txnid};
  if (request.allowretry != 0 && refuses > 0) {
    --refuses;
    FlitFields grant{.tgtid = request.srcid, .opcode = rsp::kPCrdGrant};
    fields.opcode = rsp::kRetryAck;
    if (grants_first) mesh_.post(number_, Channel::rsp, grant, 0);
    mesh_.post(number_, Channel::rsp, fields, 0);
    if (!grants_first) mesh_.post(number_, Channel::rsp, grant, 0);
    return;
  }
  if (request.opcode == req::kReadNoSnp) {
    fields.opcode = dat::kCompData;
    fields.resp = resp::kUc;
    for (unsigned flit = 0; flit < chi::data_flits(request.size); ++flit) {
      fields.dataid = static_cast<std::uint8_t>(2 * flit);
      mesh_.post(number_, Channel::dat, fields, 0);
    }
    return;
  }
  fields.opcode = rsp::kCompDbidResp;
  fields.dbid = 5;
  mesh_.post(number_, Channel::rsp, fields, 0);
}

// The bench.

HomeBench::HomeBench(const std::string& name, const cmn::HomeParameters& parameters)
    : mesh(name.c_str(), make_topology(), {}), cpu((name + "_cpu").c_str()), addresses(mesh.topology(), mesh.layout()) {
  constexpr std::array kHomes = {cmn::NodeType::hn_f};
  mesh.pmu().listen(
      kHomes,
      [](void* context, const cmn::Pmu::NodeOccurrence& one) {
        static_cast<HomeBench*>(context)->heard.push_back(one);
      },
      this);
  cpu.socket.bind(mesh.config_space().socket);
  const std::uint16_t home_id = addresses.nodes(cmn::DeviceKind::home)[0];
  for (const cmn::DevicePlace& place : addresses.devices()) {
    if (place.node_id == home_id) home = std::make_unique<cmn::HomeNode>(mesh, addresses, place, parameters);
  }
  for (const std::uint16_t id : addresses.nodes(cmn::DeviceKind::rn_f))
    rn_fs.push_back(std::make_unique<HomePeer>(mesh, id, home_id));
  rni = std::make_unique<HomePeer>(mesh, addresses.nodes(cmn::DeviceKind::rn_i)[0], home_id);
  gateway = std::make_unique<HomePeer>(mesh, addresses.nodes(cmn::DeviceKind::gateway)[0], home_id);
  memory = std::make_unique<HomeMemory>(mesh, addresses.nodes(cmn::DeviceKind::sn_f)[0]);
}

void HomeBench::settle() {
  unsigned attempts = 0;
  for (unsigned quiet = 0; quiet < 2;) {
    pass(200);
    if (++attempts == 5'000) {
      ADD_FAILURE() << "something never ends: " << home->pending() << " at the home";
      return;
    }
    const bool rests = mesh.uploaded() == mesh.delivered() && home->pending() == 0;
    quiet = rests ? quiet + 1 : 0;
  }
}

const HomePeer::Transaction& HomeBench::perform(HomePeer& peer, std::uint8_t opcode, std::uint64_t address,
                                                const RequestOptions& options) {
  const std::uint16_t txnid = peer.request(opcode, address, options);
  settle();
  return peer[txnid];
}

std::vector<unsigned> HomeBench::sharers(std::uint64_t address) const {
  std::vector<unsigned> all;
  for (const std::uint16_t id : home->tracked(address).rn_fs) {
    const auto one = std::find_if(rn_fs.begin(), rn_fs.end(), [&](const auto& peer) { return peer->node_id == id; });
    all.push_back(static_cast<unsigned>(one - rn_fs.begin()));
  }
  return all;
}

void share(HomeBench& bench) {
  bench.rnf(0).reply = SnoopReply::forwarded;
  bench.perform(0, req::kReadShared, kLine);
  bench.perform(1, req::kReadShared, kLine);
  bench.rnf(0).reply = SnoopReply::none;
}

void release(HomeBench& bench) {
  bench.memory->silent = false;
  for (const FlitFields& request : bench.memory->requests) bench.memory->answer(request);
}

// Counting.

void HomeBench::expect(const HomeCounts& counts) const {
  const std::int64_t taken = counts.taken_from_one + counts.taken_from_many;
  std::vector<ExpectedCount> expected = {{home_event("pocq_reqs_recvd"), counts.requests},
                                         {home_event("slc_sf_cache_access"), counts.look_ups.value_or(counts.requests)},
                                         {home_event("cache_miss"), counts.misses},
                                         {home_event("cache_fill"), counts.fills},
                                         {home_event("slc_fill_invalid_way"), counts.fills - counts.replacing},
                                         {home_event("mc_reqs_local"), counts.memory},
                                         {home_event("sf_hit"), counts.sf_hits},
                                         {home_event("dir_snoops_sent"), counts.directed},
                                         {home_event("brd_snoops_sent"), counts.broadcast},
                                         {home_event("snp_fwded"), counts.forwarding},
                                         {home_event("sfbi_dir_snp_sent"), counts.taken_from_one},
                                         {home_event("sfbi_brd_snp_sent"), counts.taken_from_many},
                                         {home_event("snp_sent"), counts.directed + counts.broadcast + taken},
                                         {home_event("sf_evictions"), taken},
                                         {home_event("sf_evict_shared_line"), counts.taken_from_many}};
  expected.insert(expected.end(), counts.others.begin(), counts.others.end());
  const cmn::Topology& topology = mesh.topology();
  for (const cmn::EventRow& row : cmn::event_rows::kRows) {
    const unsigned event = row.id;
    if (row.node != cmn::NodeType::hn_f ||
        &row != cmn::find_event(topology.product, topology.revision, row.node, event))
      continue;
    const auto happened = [&](std::optional<unsigned> code) {
      return std::ranges::count_if(heard, [&](const cmn::Pmu::NodeOccurrence& one) {
        return one.id == event && (!code || (one.classes >> *code & 1U) != 0);
      });
    };
    bool named = is_of_class(event);
    for (const ExpectedCount& one : expected) {
      if (one.event != event) continue;
      named = true;
      EXPECT_EQ(happened(one.code), one.count) << "event " << event << ", code " << one.code.value_or(0);
    }
    if (!named) {
      EXPECT_EQ(happened({}), 0) << "event " << event;
    }
  }
}

}  // namespace pmufab::testing
