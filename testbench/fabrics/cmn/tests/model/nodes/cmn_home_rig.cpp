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
using cmn::HomeEvent;
namespace chi = cmn::chi;
namespace req = cmn::chi::req;
namespace rsp = cmn::chi::rsp;
namespace snp = cmn::chi::snp;
namespace dat = cmn::chi::dat;
namespace resp = cmn::chi::resp;

namespace {

constexpr std::array<const char*, cmn::kHomeEvents> kNames{"cache_miss",
                                                           "slc_sf_cache_access",
                                                           "cache_fill",
                                                           "pocq_retry",
                                                           "pocq_reqs_recvd",
                                                           "sf_hit",
                                                           "sf_evictions",
                                                           "dir_snoops_sent",
                                                           "brd_snoops_sent",
                                                           "slc_eviction",
                                                           "slc_fill_invalid_way",
                                                           "mc_retries_local",
                                                           "mc_reqs_local",
                                                           "qos_hh_retry",
                                                           "qos_pocq_occupancy",
                                                           "pocq_addrhaz",
                                                           "pocq_atomic_addrhaz",
                                                           "txdat_stall",
                                                           "txrsp_stall",
                                                           "seq_hit",
                                                           "snp_sent",
                                                           "sfbi_dir_snp_sent",
                                                           "sfbi_brd_snp_sent",
                                                           "intv_dirty",
                                                           "stash_snp_sent",
                                                           "stash_data_pull",
                                                           "snp_fwded",
                                                           "sf_evict_shared_line",
                                                           "pocq_class_occup",
                                                           "pocq_class_retry",
                                                           "class_mc_reqs_local",
                                                           "snp_intv_cln",
                                                           "mc_retries_remote",
                                                           "mc_reqs_remote",
                                                           "class_mc_reqs_remote",
                                                           "readonce_hazard_detected"};

cmn::Port port(cmn::Product product, const char* name) { return cmn::standard_port(product, name).value(); }

cmn::Topology topology_of(const HomeSetup& setup) {
  cmn::Topology topology;
  topology.product = setup.product;
  topology.revision = setup.revision;
  topology.columns = 4;
  topology.rows = 2;
  if (setup.two_channels) topology.channels = {.req = 2, .rsp = 2, .snp = 2, .dat = 2};
  topology.crosspoints.resize(8);
  const char* const home = setup.home == cmn::NodeType::hn_s ? "HN-S" : "HN-F";
  const cmn::Product product = setup.product;
  const char* const gateway = product == cmn::Product::cmn600 || product == cmn::Product::cmn650 ? "CXRH" : "CCG";
  topology.crosspoints[0].ports = {port(product, "RN-F"), port(product, "SN-F")};
  topology.crosspoints[1].ports = {port(product, "RN-F"), port(product, "RN-I")};
  topology.crosspoints[2].ports = {port(product, home)};
  topology.crosspoints[3].ports = {port(product, "RN-F"), port(product, "-")};
  topology.crosspoints[4].ports = {port(product, "RN-F"), port(product, "HN-D")};
  topology.crosspoints[5].ports = {port(product, gateway), port(product, "-")};
  return topology;
}

bool expects_ack(std::uint8_t opcode) {
  return opcode == req::kReadShared || opcode == req::kReadClean || opcode == req::kReadUnique ||
         opcode == req::kReadNotSharedDirty;
}
bool is_copy_back(std::uint8_t opcode) {
  return opcode == req::kWriteBackFull || opcode == req::kWriteCleanFull || opcode == req::kWriteEvictFull;
}

bool is_of_class(HomeEvent event) {
  return event == HomeEvent::pocq_class_retry || event == HomeEvent::class_mc_reqs_local ||
         event == HomeEvent::class_mc_reqs_remote;
}
bool is_occupancy(HomeEvent event) {
  return event == HomeEvent::qos_pocq_occupancy || event == HomeEvent::pocq_class_occup;
}

}  // namespace

std::string name_of(HomeEvent event) { return kNames.at(static_cast<std::size_t>(event)); }

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
  FlitFields fields;
  fields.tgtid = snoop.srcid;
  fields.txnid = snoop.txnid;
  fields.opcode = rsp::kSnpResp;
  const bool forwards = how == SnoopReply::forwarded || how == SnoopReply::forwarded_dirty;
  if (forwards) {
    const bool unique = snoop.opcode == snp::kSnpUniqueFwd;
    FlitFields data;
    data.tgtid = snoop.fwdnid;
    data.txnid = snoop.fwdtxnid;
    data.homenid = snoop.srcid;
    data.dbid = snoop.txnid;
    data.opcode = dat::kCompData;
    data.resp = unique ? resp::kUc : resp::kSc;
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
  if (how == SnoopReply::none || how == SnoopReply::forwarded || how == SnoopReply::pull) {
    send(Channel::rsp, fields);
    return;
  }
  fields.opcode = forwards ? dat::kSnpRespDataFwded : dat::kSnpRespData;
  fields.resp = how == SnoopReply::clean ? resp::kSc : resp::kIPd;
  for (unsigned flit = 0; flit < 2; ++flit) {
    fields.dataid = static_cast<std::uint8_t>(2 * flit);
    send(Channel::dat, fields);
  }
}

void HomePeer::acknowledge(std::uint16_t to, std::uint16_t dbid) {
  if (!acknowledges) return;
  FlitFields fields;
  fields.tgtid = to;
  fields.txnid = dbid;
  fields.opcode = rsp::kCompAck;
  send(Channel::rsp, fields);
}

void HomePeer::send_write_data(Transaction& transaction, const FlitFields& response) {
  const std::uint8_t opcode = transaction.request.opcode;
  FlitFields fields;
  fields.tgtid = response.srcid;
  fields.txnid = response.dbid;
  fields.opcode = is_copy_back(opcode) ? dat::kCopyBackWrData : dat::kNonCopyBackWrData;
  fields.resp = transaction.data_resp;
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
      if (gives_data) send_write_data(transaction, flit);
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

bool HomePeer::idle() const {
  return std::all_of(transactions.begin(), transactions.end(), [](const Transaction& one) { return one.done; });
}

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
  FlitFields fields;
  fields.tgtid = request.srcid;
  fields.txnid = request.txnid;
  if (request.allowretry != 0 && refuses > 0) {
    --refuses;
    FlitFields grant;
    grant.tgtid = request.srcid;
    grant.opcode = rsp::kPCrdGrant;
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

HomeBench::HomeBench(const std::string& name, const HomeSetup& setup)
    : mesh(name.c_str(), topology_of(setup), {}),
      cpu((name + "_cpu").c_str()),
      addresses(mesh.topology(), mesh.layout()) {
  cpu.socket.bind(mesh.config_space().socket);
  const std::uint16_t home_id = addresses.nodes(cmn::DeviceKind::home)[0];
  for (const cmn::DevicePlace& place : addresses.devices()) {
    if (place.node_id == home_id) home = std::make_unique<cmn::HomeNode>(mesh, addresses, place, setup.parameters);
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

std::vector<std::uint16_t> ids(HomeBench& bench, std::initializer_list<unsigned> rn_fs) {
  std::vector<std::uint16_t> all;
  for (const unsigned index : rn_fs) all.push_back(bench.rnf(index).node_id);
  return all;
}

void share(HomeBench& bench) {
  bench.rnf(0).reply = SnoopReply::forwarded;
  bench.perform(bench.rnf(0), req::kReadShared, kLine);
  bench.perform(bench.rnf(1), req::kReadShared, kLine);
  bench.rnf(0).reply = SnoopReply::none;
}

void release(HomeBench& bench) {
  bench.memory->silent = false;
  for (const FlitFields& request : bench.memory->requests) bench.memory->answer(request);
}

// Counting.

HomeCounting::HomeCounting(const HomeSetup& setup, std::vector<ExpectedCount> expected, bool only_these)
    : setup_(setup) {
  const cmn::HomeEventIds ids = cmn::home_event_ids(setup.product, setup.revision, setup.home);
  if (!only_these) {
    for (unsigned i = 0; i < cmn::kHomeEvents; ++i) {
      const auto event = static_cast<HomeEvent>(i);
      const bool named =
          std::any_of(expected.begin(), expected.end(), [&](const ExpectedCount& one) { return one.event == event; });
      if (ids[i] != 0 && !named && !is_of_class(event) && !is_occupancy(event)) expected.push_back({event, 0});
    }
  }
  // A node has one filter for all events, so the events of a group have the same filter.
  for (const ExpectedCount& one : expected) {
    const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const auto& events) {
      return events.size() < 4 && events.front().filter == one.filter;
    });
    if (group == groups_.end()) {
      groups_.push_back({one});
    } else {
      group->push_back(one);
    }
  }
  for (std::size_t i = 0; i < groups_.size(); ++i)
    benches_.push_back(std::make_unique<HomeBench>("cmn" + std::to_string(i), setup));
}

void HomeCounting::check(const Scenario& scenario) {
  const cmn::HomeEventIds ids = cmn::home_event_ids(setup_.product, setup_.revision, setup_.home);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    HomeBench& bench = *benches_[i];
    ASSERT_TRUE(bench.driver.probe(bench.mesh.layout().root_offset()));
    const auto homes = bench.driver.find(static_cast<unsigned>(setup_.home));
    std::vector<CmnDriver::Event> events;
    for (const ExpectedCount& one : groups_[i])
      events.push_back(bench.driver.open(homes, ids[static_cast<std::size_t>(one.event)], one.filter));
    scenario(bench);
    bench.settle();
    for (std::size_t k = 0; k < events.size(); ++k) {
      const ExpectedCount& one = groups_[i][k];
      EXPECT_EQ(bench.driver.close(events[k]), one.count) << name_of(one.event) << " with filter " << one.filter;
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace pmufab::testing
