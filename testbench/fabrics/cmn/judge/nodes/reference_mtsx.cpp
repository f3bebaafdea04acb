// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/reference_mtsx.h"

#include <algorithm>

#include "testbench/fabrics/cmn/judge/chi.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;
namespace req = chi::req;

namespace {

constexpr std::uint64_t kBytesOfTagLine = 2048;
constexpr unsigned kTcLookup = 0x01;
constexpr unsigned kTcFill = 0x02;
constexpr unsigned kTcMiss = 0x03;
constexpr unsigned kTdbForward = 0x04;
constexpr unsigned kTcqHazard = 0x05;
constexpr unsigned kTcqAlloc = 0x06;  // reads; writes and CMOs follow
constexpr unsigned kAxiRdReq = 0x09;
constexpr unsigned kAxiWrReq = 0x0a;
constexpr unsigned kTcqOccupancy = 0x0b;
constexpr unsigned kTdbOccupancy = 0x0c;

}  // namespace

ReferenceMtsx::ReferenceMtsx(const CmnNode& node, unsigned number, ReferenceSurroundings& around)
    : ReferenceNode(node, number, around),
      counts_(add_source(cmn::NodeType::mtsx)),
      room_(around.spec().mtsx.entries),
      axi_(around.spec().mtsx.axi) {}

void ReferenceMtsx::wake(Cycle now) {
  // AR is handed over one at a time: there are never two in a cycle.
  while (const auto line = tag_reads_.take(now)) tags_are_there(now, *line);
  while (const auto serial = reads_.take(now)) {
    find(*serial)->read_data = true;
    go_on(now, *serial);
  }
  while (const auto serial = writes_.take(now)) end(now, *serial);
}

void ReferenceMtsx::arrive(Cycle now, Channel channel, const FlitFields& flit) {
  if (channel == Channel::req) {
    if (flit.opcode != req::kPrefetchTgt) request(now, flit);
  } else if (channel == Channel::dat) {
    write_data(now, flit);
  }
}

void ReferenceMtsx::finish() {
  ReferenceNode::finish();
  for (const Request& one : requests_)
    fail("node_request_unfinished", "it never completes " + describe_flit(Channel::req, one.flit));
}

std::list<ReferenceMtsx::Request>::iterator ReferenceMtsx::find(std::uint64_t serial) {
  return std::find_if(requests_.begin(), requests_.end(), [&](const Request& other) { return other.serial == serial; });
}

void ReferenceMtsx::request(Cycle now, const FlitFields& flit) {
  Kind kind = Kind::read;
  if (req::is_write_no_snp(flit.opcode)) {
    kind = Kind::write;
  } else if (req::is_cmo(flit.opcode)) {
    kind = Kind::cmo;
  } else if (flit.opcode != req::kReadNoSnp) {
    fail("node_message_unasked", "an MTSX takes no such request: " + describe_flit(Channel::req, flit));
    return;
  }
  switch (room_.admit(flit)) {
    case ReferenceRoom::Admission::retried:
      expect_response(flit, chi::rsp::kRetryAck);
      return;
    case ReferenceRoom::Admission::unasked:
      fail("node_message_unasked", "AllowRetry 0 without a grant: " + describe_flit(Channel::req, flit));
      return;
    case ReferenceRoom::Admission::admitted:
      break;
  }
  Request& one = requests_.emplace_back();
  one.serial = ++serials_;
  one.number = numbers_.take();
  one.kind = kind;
  one.flit = flit;
  one.data = DataArrival(has_two_flits(flit));
  counts_.fire(kTcqAlloc + static_cast<unsigned>(kind));
  counts_.occupy(kTcqOccupancy, 1, 1, now);
  if (kind == Kind::write) {
    expect_response(flit, chi::rsp::kCompDbidResp, static_cast<std::uint16_t>(one.number));
  } else {
    if (kind == Kind::read) counts_.fire(kAxiRdReq);
    const Cycle when = axi_.read(now);
    reads_.add(when, one.serial);
    wake_at(when);
  }
  if (kind != Kind::cmo) look_up(now, one);
}

void ReferenceMtsx::look_up(Cycle now, Request& one) {
  const std::uint64_t line = one.flit.addr / kBytesOfTagLine;
  if (const auto wanted = tags_wanted_.find(line); wanted != tags_wanted_.end()) {
    counts_.fire(kTcqHazard);
    wanted->second.push_back(one.serial);
    return;
  }
  counts_.fire(kTcLookup);
  std::list<std::uint64_t>& set = tags_[line % around().spec().mtsx.tc_sets];
  const auto found = std::find(set.begin(), set.end(), line);
  if (found != set.end()) {
    set.splice(set.begin(), set, found);
    one.tags = true;
    go_on(now, one.serial);
    return;
  }
  counts_.fire(kTcMiss);
  counts_.fire(kAxiRdReq);
  counts_.occupy(kTdbOccupancy, 1, 1, now);
  tags_wanted_[line].push_back(one.serial);
  const Cycle when = axi_.read(now);
  tag_reads_.add(when, line);
  wake_at(when);
}

void ReferenceMtsx::tags_are_there(Cycle now, std::uint64_t line) {
  counts_.fire(kTcFill);
  counts_.occupy(kTdbOccupancy, 1, -1, now);
  std::list<std::uint64_t>& set = tags_[line % around().spec().mtsx.tc_sets];
  if (set.size() >= around().spec().mtsx.tc_ways) set.pop_back();
  set.push_front(line);
  const std::list<std::uint64_t> wanted = std::move(tags_wanted_.at(line));
  tags_wanted_.erase(line);
  for (const std::uint64_t serial : wanted) {
    if (serial != wanted.front()) counts_.fire(kTdbForward);
    find(serial)->tags = true;
    go_on(now, serial);
  }
}

void ReferenceMtsx::write_data(Cycle now, const FlitFields& flit) {
  const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const Request& one) {
    return one.kind == Kind::write && one.number == flit.txnid && one.flit.srcid == flit.srcid && !one.data.complete();
  });
  if (found == requests_.end()) {
    fail("node_message_unasked", "nothing waits for this message: " + describe_flit(Channel::dat, flit));
    return;
  }
  found->cancelled = found->cancelled || flit.opcode == chi::dat::kWriteDataCancel;
  if (found->data.take()) go_on(now, found->serial);
}

void ReferenceMtsx::go_on(Cycle now, std::uint64_t serial) {
  Request& one = *find(serial);
  switch (one.kind) {
    case Kind::read:
      if (one.read_data && one.tags) end(now, serial);
      return;
    case Kind::write:
      if (!one.tags || !one.data.complete() || one.written) return;
      if (one.cancelled) {
        end(now, serial);
        return;
      }
      one.written = true;
      counts_.fire(kAxiWrReq);
      {
        const Cycle when = axi_.write(now, has_two_flits(one.flit) ? 2 : 1);
        writes_.add(when, serial);
        wake_at(when);
      }
      return;
    case Kind::cmo:
      if (one.read_data) end(now, serial);
      return;
  }
}

void ReferenceMtsx::end(Cycle now, std::uint64_t serial) {
  const auto one = find(serial);
  const Request ended = *one;
  requests_.erase(one);
  numbers_.free(ended.number);
  counts_.occupy(kTcqOccupancy, 1, -1, now);
  if (ended.kind == Kind::read) {
    Message data{Channel::dat, chi::dat::kCompData};
    data.target = ended.flit.srcid;
    data.txnid = ended.flit.txnid;
    data.dbid = static_cast<std::uint16_t>(ended.number);
    data.resp = chi::kUc;
    expect_data(data, has_two_flits(ended.flit));
  } else if (ended.kind == Kind::cmo) {
    expect_response(ended.flit, chi::rsp::kComp);
  }
  if (const auto sender = room_.release()) expect_grant(*sender);
}

}  // namespace pmufab::scoreboard
