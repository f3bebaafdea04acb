// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/nodes/home/home_node.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "models/cmn/pmu/occupancy.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

namespace {

constexpr unsigned kMostPocqEntries = 256;

// Codes of filters, as bits. Bit 0 is "all".
constexpr std::uint16_t bit(unsigned code) { return static_cast<std::uint16_t>(1U << code); }
constexpr std::uint16_t kHbt = kAllCode | bit(1);
constexpr std::uint16_t kLbt = kAllCode | bit(2);
constexpr unsigned kOccupancyLbt = 6;
constexpr unsigned kOccupancyHbt = 7;
constexpr unsigned kOccupancyOrigin = 8;  // of an RN-F; RN-I follows, then gateways as LCN and as RN
constexpr unsigned kEnhancedOrigin = 3;   // in the same order
constexpr unsigned kRnfOrigin = 0;
constexpr unsigned kIoOrigin = 1;
constexpr unsigned kLcnOrigin = 2;
constexpr unsigned kGatewayOrigin = 3;
constexpr std::uint16_t kUniqueEviction = kAllCode | bit(2);     // en
constexpr std::uint16_t kSharedEviction = kAllCode | bit(4);     // sn
constexpr std::uint16_t kModifiedUntracked = kAllCode | bit(5);  // mu
constexpr std::uint16_t kModifiedTracked = kAllCode | bit(6);    // mn

/// QoS values by class: 15, 12 to 14, 8 to 11, 0 to 7.
std::uint8_t class_of_qos(std::uint8_t qos) {
  if (qos >= 15) return 0;
  if (qos >= 12) return 1;
  return qos >= 8 ? 2 : 3;
}

std::uint16_t bound(std::uint64_t address) { return SystemAddressMap::is_remote(address) ? kLbt : kHbt; }

/// The classes of an event about a line, independent of the requester.
HomeClasses classes_of_line(std::uint64_t line) {
  HomeClasses classes;
  classes.of(FilterKind::hbt_lbt) = bound(line * chi::kLineBytes);
  classes.of(FilterKind::enhanced_hbt_lbt) = bound(line * chi::kLineBytes);
  return classes;
}

void check_positive(const char* name, unsigned value, unsigned most) {
  if (value >= 1 && value <= most) return;
  throw std::invalid_argument(fmt::format("home node parameter {} is {}: choose 1 ... {}", name, value, most));
}

const HomeParameters& checked(const HomeParameters& parameters) {
  check_positive("slc_sets", parameters.slc_sets, 1U << 24);
  check_positive("slc_ways", parameters.slc_ways, 256);
  check_positive("sf_sets", parameters.sf_sets, 1U << 24);
  check_positive("sf_ways", parameters.sf_ways, 256);
  check_positive("pocq_entries", parameters.pocq_entries, kMostPocqEntries);
  check_positive("latency", parameters.latency, HomeParameters::kMaximumLatency);
  return parameters;
}

unsigned home_index(const SystemAddressMap& addresses, std::uint16_t node_id) {
  const auto homes = addresses.nodes(DeviceKind::home);
  const auto found = std::find(homes.begin(), homes.end(), node_id);
  if (found == homes.end()) throw std::invalid_argument(fmt::format("node {:#x} is not a home node", node_id));
  return static_cast<unsigned>(found - homes.begin());
}

/// @return one more than the highest node id.
std::size_t node_ids(const SystemAddressMap& addresses) {
  std::size_t ids = 0;
  for (const DevicePlace& device : addresses.devices()) ids = std::max<std::size_t>(ids, device.node_id + 1U);
  return ids;
}

unsigned home_of_place(const Mesh& mesh, const DevicePlace& place) {
  for (const unsigned node : place.nodes) {
    const NodeType type = mesh.layout().nodes()[node].type;
    if (type == NodeType::hn_f || type == NodeType::hn_s) return node;
  }
  throw std::invalid_argument(fmt::format("the device with node id {:#x} has no HN-F or HN-S node", place.node_id));
}

}  // namespace

HomeNode::HomeNode(Mesh& mesh, const SystemAddressMap& addresses, const DevicePlace& place,
                   const HomeParameters& parameters)
    : mesh_(mesh),
      parameters_(checked(parameters)),
      slc_set_(addresses.homes(), parameters.slc_sets),
      sf_set_(addresses.homes(), parameters.sf_sets),
      device_(mesh.attach(*this, place.node_id)),
      node_id_(place.node_id),
      has_two_snoop_channels_(mesh.topology().channels.snp > 1),
      output_(mesh, home_of_place(mesh, place), device_, parameters.latency),
      slc_(parameters.slc_sets, parameters.slc_ways),
      sf_(parameters.sf_sets, parameters.sf_ways, parameters.pocq_entries,
          static_cast<unsigned>(addresses.nodes(DeviceKind::rn_f).size())),
      pocq_(parameters.pocq_entries),
      memory_(output_, addresses, home_index(addresses, place.node_id), parameters.pocq_entries) {
  find_senders(addresses);
  output_.add_occupancy(home_event("qos_pocq_occupancy"), pocq_.occupancy());
  output_.add_occupancy(home_event("pocq_class_occup"), pocq_.class_occupancy());
  output_.count_holds(home_event("txdat_stall"), Channel::dat);
  output_.count_holds(home_event("txrsp_stall"), Channel::rsp);
}

void HomeNode::find_senders(const SystemAddressMap& addresses) {
  senders_.resize(node_ids(addresses), kNoRequester);
  for (const DevicePlace& device : addresses.devices()) {
    std::uint16_t& sender = senders_[device.node_id];
    if (device.kind == DeviceKind::rn_f) {
      sender = static_cast<std::uint16_t>(rn_fs_.size());
      rn_fs_.push_back(device.node_id);
    }
    if (device.kind == DeviceKind::rn_i || device.kind == DeviceKind::rn_d) sender = kIoRequester;
    if (device.kind == DeviceKind::gateway) sender = kGateway;
  }
}

unsigned HomeNode::pending() const noexcept {
  return pocq_.used() + back_invalidations_.under_way() + memory_.pending_writes();
}

HomeNode::SlcState HomeNode::slc_state(std::uint64_t address) const {
  const std::uint64_t line = chi::line_of(address);
  const unsigned position = slc_.find(slc_set_(line), line);
  if (position == LruLines::kAbsent) return SlcState::absent;
  return slc_.flag(slc_set_(line), position) ? SlcState::dirty : SlcState::clean;
}

HomeNode::Tracked HomeNode::tracked(std::uint64_t address) const {
  const std::uint64_t line = chi::line_of(address);
  Tracked tracked;
  const auto found = sf_.find(sf_set_(line), line);
  if (!found) return tracked;
  found->sharers.for_each([&](unsigned index) { tracked.rn_fs.push_back(rn_fs_[index]); });
  tracked.unique = found->unique;
  return tracked;
}

// Arrivals.

void HomeNode::run(Cycle now) {
  output_.begin(now);
  while (const Arrival* const arrival = mesh_.arrival(device_)) {
    switch (channel_class(arrival->channel)) {
      case Channel::req:
        take_request(arrival->fields);
        break;
      case Channel::rsp:
        take_response(arrival->fields);
        break;
      case Channel::dat:
        take_data(arrival->fields);
        break;
      default:
        throw std::logic_error("a home node was snooped");
    }
    mesh_.take(device_);
  }
}

void HomeNode::prepare(const Arrival& arrival) const noexcept {
  // The set was last used too long ago to be in the host's cache.
  const FlitFields& fields = arrival.fields;
  const Channel channel = channel_class(arrival.channel);
  if (channel == Channel::req) {
    const std::uint64_t line = chi::line_of(fields.addr);
    slc_.prefetch(slc_set_(line), slc_.ways());
    sf_.prefetch(sf_set_(line));
  } else if (channel == Channel::dat && fields.dataid == 0 && fields.txnid < parameters_.pocq_entries &&
             (fields.opcode == chi::dat::kCompData || fields.opcode == chi::dat::kCopyBackWrData)) {
    slc_.prefetch(slc_set_(pocq_.line(fields.txnid)), slc_.ways());
  }
}

void HomeNode::sent(Channel /*channel*/, const FlitFields& fields, Cycle now) {
  output_.begin(now);
  --pocq_.at(fields.dbid).sends_left;
  advance(fields.dbid);
}

HomeClasses HomeNode::classes_of(const FlitFields& request, const HomeRule& rule) const {
  HomeClasses classes;
  const bool remote = SystemAddressMap::is_remote(request.addr);
  const std::uint16_t from = sender(request.srcid);
  unsigned origin = kRnfOrigin;
  if (from == kIoRequester) origin = kIoOrigin;
  if (from == kGateway) origin = request.lpid == 1 ? kLcnOrigin : kGatewayOrigin;
  std::uint16_t of_origin = 0;
  std::uint16_t occupancy = static_cast<std::uint16_t>(kAllCode | bit(rule.occupancy_code));
  if (output_.is_hn_s()) {
    of_origin = from == kNoRequester ? std::uint16_t{0} : bit(kEnhancedOrigin + origin);
    occupancy |= bit(remote ? kOccupancyLbt : kOccupancyHbt);
    if (from != kNoRequester) occupancy |= bit(kOccupancyOrigin + origin);
  }
  classes.of(FilterKind::occup1) = occupancy;
  classes.of(FilterKind::class_occup) = bit(class_of_qos(request.qos));
  classes.of(FilterKind::hbt_lbt) = bound(request.addr);
  classes.of(FilterKind::enhanced_hbt_lbt) = static_cast<std::uint16_t>(bound(request.addr) | of_origin);
  return classes;
}

PocqEntry HomeNode::entry_of(const FlitFields& request, const HomeRule& rule) const {
  PocqEntry entry;
  entry.address = request.addr;
  entry.line = chi::line_of(request.addr);
  entry.rule = rule;
  entry.requester = request.srcid;
  const std::uint16_t from = sender(request.srcid);
  entry.rnf = from < rn_fs_.size() ? from : PocqEntry::kNoRnf;
  entry.txnid = request.txnid;
  entry.stash_target = request.stashnid;
  entry.stash_target_valid = request.stashtgtvalid != 0;
  entry.opcode = request.opcode;
  entry.size = request.size;
  entry.qos = request.qos;
  entry.qos_class = class_of_qos(request.qos);
  entry.memattr = request.memattr;
  entry.ns = request.ns;
  entry.expects_ack = request.expcompack != 0;
  return entry;
}

void HomeNode::take_request(const FlitFields& flit) {
  const HomeRule& rule = home_rule(flit.opcode);
  if (rule.kind == Kind::unknown)
    throw std::logic_error(fmt::format("home nodes take no requests with opcode {:#x}", flit.opcode));
  const HomeClasses classes = classes_of(flit, rule);
  output_.publish(home_event("pocq_reqs_recvd"), classes);
  if (!credits_.accept(flit.srcid, flit.allowretry != 0, pocq_.unused())) {
    credits_.remember(flit.srcid);
    refuse(flit, classes);
    return;
  }
  PocqEntry entry = entry_of(flit, rule);
  entry.classes = classes;
  const bool hazard = pocq_.has(entry.line);
  const bool given_up = back_invalidations_.has(entry.line);
  const unsigned number = pocq_.allocate(entry, output_.now());
  if (hazard) {
    output_.publish(home_event("pocq_addrhaz"), classes);
    if (rule.kind == Kind::atomic) output_.publish(home_event("pocq_atomic_addrhaz"), classes);
    if (rule.kind == Kind::read_once) output_.publish(home_event("readonce_hazard_detected"), classes);
  }
  if (given_up) output_.publish(home_event("seq_hit"), classes);
  if (hazard || given_up) {
    pocq_.wait(number);
  } else {
    begin(number);
  }
}

void HomeNode::refuse(const FlitFields& request, const HomeClasses& classes) {
  FlitFields fields;
  fields.tgtid = request.srcid;
  fields.txnid = request.txnid;
  fields.opcode = chi::rsp::kRetryAck;
  fields.qos = request.qos;
  output_.post(Channel::rsp, fields);
  output_.publish(home_event("pocq_retry"), classes);
  if (request.qos == 15) output_.publish(home_event("qos_hh_retry"), classes);
  output_.publish(home_event("pocq_class_retry"), classes);
}

void HomeNode::take_response(const FlitFields& flit) {
  switch (flit.opcode) {
    case chi::rsp::kSnpResp:
    case chi::rsp::kSnpRespFwded:
      take_snoop_answer({.source = flit.srcid,
                         .txnid = flit.txnid,
                         .dbid = flit.dbid,
                         .has_data = false,
                         .dirty = false,
                         .forwarded = flit.opcode == chi::rsp::kSnpRespFwded,
                         .pulls = flit.datapull != 0});
      return;
    case chi::rsp::kCompAck:
      pocq_.at(flit.txnid).ack_left = false;
      advance(flit.txnid);
      return;
    case chi::rsp::kRetryAck:
      memory_.retry_ack(flit);
      return;
    case chi::rsp::kPCrdGrant:
      memory_.credit_grant(flit);
      return;
    case chi::rsp::kCompDbidResp:
      memory_.data_buffer(flit);
      return;
    default:
      throw std::logic_error(fmt::format("home nodes take no responses with opcode {:#x}", flit.opcode));
  }
}

void HomeNode::take_data(const FlitFields& flit) {
  switch (flit.opcode) {
    case chi::dat::kSnpRespData:
    case chi::dat::kSnpRespDataFwded:
      // The second flit ends the message, because flits of one sender stay in order.
      if (flit.dataid == 0) return;
      take_snoop_answer({.source = flit.srcid,
                         .txnid = flit.txnid,
                         .dbid = flit.dbid,
                         .has_data = true,
                         .dirty = (flit.resp & chi::resp::kPassDirty) != 0,
                         .forwarded = flit.opcode == chi::dat::kSnpRespDataFwded,
                         .pulls = false});
      return;
    case chi::dat::kCompData:
      --pocq_.at(flit.txnid).memory_flits_left;
      advance(flit.txnid);
      return;
    case chi::dat::kCopyBackWrData:
    case chi::dat::kNonCopyBackWrData: {
      PocqEntry& entry = pocq_.at(flit.txnid);
      --entry.write_flits_left;
      entry.write_resp = flit.resp;
      advance(flit.txnid);
      return;
    }
    default:
      throw std::logic_error(fmt::format("home nodes take no data with opcode {:#x}", flit.opcode));
  }
}

void HomeNode::take_snoop_answer(const SnoopAnswer& answer) {
  if (answer.has_data && !answer.dirty) output_.publish(home_event("snp_intv_cln"));
  if (answer.txnid >= kFirstBackInvalidation) {
    const unsigned number = answer.txnid - kFirstBackInvalidation;
    if (back_invalidations_.answer(number, answer.dirty)) end_back_invalidation(number);
    return;
  }
  PocqEntry& entry = pocq_.at(answer.txnid);
  entry.snoop_data |= answer.has_data;
  entry.snoop_dirty |= answer.dirty;
  entry.forwarded |= answer.forwarded;
  --entry.snoops_left;
  if (answer.pulls && entry.rule.kind == Kind::stash) {
    pull(answer.txnid, answer);
  } else {
    advance(answer.txnid);
  }
}

// Back-invalidations.

void HomeNode::back_invalidate(const SnoopFilter::Found& victim) {
  HomeClasses classes = classes_of_line(victim.line);
  classes.of(FilterKind::evict_state) = victim.unique ? kUniqueEviction : kSharedEviction;
  output_.publish(home_event("sf_evictions"), classes);
  if (!victim.unique) output_.publish(home_event("sf_evict_shared_line"), classes);

  const unsigned targets = victim.sharers.size();
  const auto txnid =
      static_cast<std::uint16_t>(kFirstBackInvalidation + back_invalidations_.begin(victim.line, targets));
  FlitFields fields = snoop_flit(victim.line, chi::snp::kSnpCleanInvalid, txnid);
  victim.sharers.for_each([&](unsigned index) {
    fields.tgtid = rn_fs_[index];
    output_.post(Channel::snp, fields);
  });
  const HomeClasses of_snoop = snoop_classes(txnid);
  output_.publish(home_event("snp_sent"), of_snoop);
  output_.publish(targets == 1 ? home_event("sfbi_dir_snp_sent") : home_event("sfbi_brd_snp_sent"), of_snoop);
}

void HomeNode::end_back_invalidation(unsigned number) {
  const BackInvalidations::One ended = back_invalidations_.at(number);
  if (ended.dirty) {
    output_.publish(home_event("intv_dirty"));
    fill(ended.line, true, classes_of_line(ended.line));
  }
  go_on(ended.line);
}

// The SLC.

void HomeNode::fill(std::uint64_t line, bool dirty, const HomeClasses& classes) {
  const std::size_t set = slc_set_(line);
  const unsigned position = slc_.find(set, line);
  if (position != LruLines::kAbsent) {
    slc_.touch(set, position);
    if (dirty) slc_.set_flag(set, 0, true);
    return;
  }
  output_.publish(home_event("cache_fill"), classes);
  if (slc_.is_full(set)) {
    const unsigned oldest = slc_.ways() - 1;
    const std::uint64_t replaced = slc_.line(set, oldest);
    const bool replaced_dirty = slc_.flag(set, oldest);
    slc_.erase(set, oldest);
    if (replaced_dirty) evict(replaced);
  } else {
    output_.publish(home_event("slc_fill_invalid_way"), classes);
  }
  slc_.insert(set, line, dirty);
}

void HomeNode::evict(std::uint64_t line) {
  HomeClasses classes = classes_of_line(line);
  classes.of(FilterKind::evict_state) = sf_.has(sf_set_(line), line) ? kModifiedTracked : kModifiedUntracked;
  output_.publish(home_event("slc_eviction"), classes);
  MemorySide::Request write;
  write.address = line * chi::kLineBytes;
  write.opcode = chi::req::kWriteNoSnpFull;
  memory_.write(write);
}

void HomeNode::remove_from_slc(std::uint64_t line) {
  const std::size_t set = slc_set_(line);
  const unsigned position = slc_.find(set, line);
  if (position != LruLines::kAbsent) slc_.erase(set, position);
}

bool HomeNode::clean_in_slc(std::uint64_t line) {
  const std::size_t set = slc_set_(line);
  const unsigned position = slc_.find(set, line);
  if (position == LruLines::kAbsent || !slc_.flag(set, position)) return false;
  slc_.set_flag(set, position, false);
  slc_.touch(set, position);
  return true;
}

}  // namespace pmufab::cmn
