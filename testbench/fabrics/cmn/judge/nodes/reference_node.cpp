// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "testbench/fabrics/cmn/judge/chi.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Cycle;
using cmn::FlitFields;

namespace {

constexpr std::uint8_t kSecondHalf = 2;  // DataID of the second flit

std::string opcode_name(Channel channel, std::uint8_t opcode) {
  struct Name {
    Channel channel;
    std::uint8_t opcode;
    std::string_view text;
  };
  static constexpr std::array<Name, 37> kNames{{{Channel::req, 0x03, "ReadOnce"},
                                                {Channel::req, 0x04, "ReadNoSnp"},
                                                {Channel::req, 0x14, "DVMOp"},
                                                {Channel::req, 0x18, "WriteUniquePtl"},
                                                {Channel::req, 0x19, "WriteUniqueFull"},
                                                {Channel::req, 0x1c, "WriteNoSnpPtl"},
                                                {Channel::req, 0x1d, "WriteNoSnpFull"},
                                                {Channel::rsp, 0x01, "SnpResp"},
                                                {Channel::rsp, 0x02, "CompAck"},
                                                {Channel::rsp, 0x03, "RetryAck"},
                                                {Channel::rsp, 0x04, "Comp"},
                                                {Channel::rsp, 0x05, "CompDBIDResp"},
                                                {Channel::rsp, 0x06, "DBIDResp"},
                                                {Channel::rsp, 0x07, "PCrdGrant"},
                                                {Channel::rsp, 0x09, "SnpRespFwded"},
                                                {Channel::snp, 0x01, "SnpShared"},
                                                {Channel::snp, 0x02, "SnpClean"},
                                                {Channel::snp, 0x03, "SnpOnce"},
                                                {Channel::snp, 0x04, "SnpNotSharedDirty"},
                                                {Channel::snp, 0x07, "SnpUnique"},
                                                {Channel::snp, 0x08, "SnpCleanShared"},
                                                {Channel::snp, 0x09, "SnpCleanInvalid"},
                                                {Channel::snp, 0x0a, "SnpMakeInvalid"},
                                                {Channel::snp, 0x0b, "SnpStashUnique"},
                                                {Channel::snp, 0x0c, "SnpStashShared"},
                                                {Channel::snp, 0x0d, "SnpDVMOp"},
                                                {Channel::snp, 0x11, "SnpSharedFwd"},
                                                {Channel::snp, 0x12, "SnpCleanFwd"},
                                                {Channel::snp, 0x13, "SnpOnceFwd"},
                                                {Channel::snp, 0x14, "SnpNotSharedDirtyFwd"},
                                                {Channel::snp, 0x17, "SnpUniqueFwd"},
                                                {Channel::dat, 0x01, "SnpRespData"},
                                                {Channel::dat, 0x02, "CopyBackWrData"},
                                                {Channel::dat, 0x03, "NonCopyBackWrData"},
                                                {Channel::dat, 0x04, "CompData"},
                                                {Channel::dat, 0x06, "SnpRespDataFwded"},
                                                {Channel::dat, 0x07, "WriteDataCancel"}}};
  const auto* const found = std::find_if(
      kNames.begin(), kNames.end(), [&](const Name& name) { return name.channel == channel && name.opcode == opcode; });
  if (found != kNames.end()) return std::string(found->text);
  constexpr std::array<std::string_view, 4> kChannels{"REQ", "RSP", "SNP", "DAT"};
  const auto number = static_cast<std::size_t>(channel);
  return fmt::format("{} opcode {:#x}", number < kChannels.size() ? kChannels.at(number) : "flit", opcode);
}

}  // namespace

std::string describe_flit(Channel channel, const FlitFields& flit) {
  std::string text = fmt::format("{} to {:#x}", opcode_name(channel, flit.opcode), flit.tgtid);
  if (channel == Channel::req || channel == Channel::snp) text += fmt::format(", address {:#x}", flit.addr);
  text += fmt::format(", TxnID {:#x}", flit.txnid);
  if (channel == Channel::rsp || channel == Channel::dat)
    text += fmt::format(", DBID {:#x}, Resp {}", flit.dbid, flit.resp);
  if (channel == Channel::dat) text += fmt::format(", DataID {}", flit.dataid);
  if (channel == Channel::req) text += fmt::format(", AllowRetry {}", flit.allowretry);
  return text;
}

bool ReferenceNode::fits(const Message& message, Channel channel, const FlitFields& flit) {
  const auto same = [](const auto& wanted, auto is) { return !wanted || *wanted == is; };
  return message.channel == channel && message.opcode == flit.opcode && same(message.target, flit.tgtid) &&
         same(message.address, flit.addr) && same(message.txnid, flit.txnid) && same(message.dbid, flit.dbid) &&
         same(message.line, flit.addr >> kLineShift) && same(message.dataid, flit.dataid) &&
         same(message.resp, flit.resp) && same(message.allowretry, flit.allowretry) &&
         same(message.pcrdtype, flit.pcrdtype);
}

bool ReferenceNode::sent(Cycle now, Channel channel, const FlitFields& flit) {
  const auto found = std::find_if(awaited_.begin(), awaited_.end(),
                                  [&](const Awaited& awaited) { return fits(awaited.message, channel, flit); });
  if (found == awaited_.end()) {
    if (!begins(now, channel, flit)) return false;
    has_sent(now, channel, flit);
    return true;
  }
  has_sent(now, channel, flit);
  const Then then = std::move(found->then);
  awaited_.erase(found);
  if (then) then(now, flit);
  return true;
}

void ReferenceNode::expect_data(Message message, bool two, Then then) {
  message.channel = Channel::dat;
  message.dataid = std::uint8_t{0};
  if (two) {
    expect(message);
    message.dataid = kSecondHalf;
  }
  expect(message, std::move(then));
}

void ReferenceNode::expect_response(const FlitFields& request, std::uint8_t opcode, std::optional<std::uint16_t> dbid,
                                    std::uint8_t pcrdtype) {
  Message message{Channel::rsp, opcode};
  message.target = request.srcid;
  message.txnid = request.txnid;
  message.dbid = dbid;
  message.pcrdtype = pcrdtype;
  expect(message);
}

void ReferenceNode::expect_grant(std::uint16_t target, std::uint8_t pcrdtype) {
  Message message{Channel::rsp, chi::rsp::kPCrdGrant};
  message.target = target;
  message.pcrdtype = pcrdtype;
  expect(message);
}

void ReferenceNode::fail(const std::string& kind, const std::string& text) const {
  around_.fail(kind, fmt::format("{} {:#x}: {}", node_type_name(node_.type), node_.node_id, text));
}

void ReferenceNode::finish() {
  for (const Awaited& awaited : awaited_) {
    FlitFields flit;
    flit.opcode = awaited.message.opcode;
    flit.tgtid = awaited.message.target.value_or(0);
    flit.txnid = awaited.message.txnid.value_or(0);
    flit.dbid = awaited.message.dbid.value_or(0);
    flit.resp = awaited.message.resp.value_or(0);
    flit.dataid = awaited.message.dataid.value_or(0);
    flit.addr = awaited.message.address.value_or(awaited.message.line.value_or(0) << kLineShift);
    flit.allowretry = awaited.message.allowretry.value_or(0);
    fail("node_message_missing", fmt::format("it never sent {}", describe_flit(awaited.message.channel, flit)));
  }
}

bool is_rn_f_device(cmn::DeviceType device) {
  using enum cmn::DeviceType;
  switch (device) {
    case rn_f_chib:
    case rn_f_chib_esam:
    case rn_f_chia:
    case rn_f_chia_esam:
    case rn_f_chid:
    case rn_f_chid_esam:
    case rn_f_chic:
    case rn_f_chic_esam:
    case rn_f_chie:
    case rn_f_chie_esam:
    case rn_f_chif:
    case rn_f_chif_esam:
      return true;
    default:
      return false;
  }
}

bool is_sn_f_device(cmn::DeviceType device) {
  using enum cmn::DeviceType;
  return device == sn_f_chic || device == sn_f_chie || device == sn_f_chid || device == sn_f_chif;
}

ReferenceRoom::Admission ReferenceRoom::admit(const FlitFields& request) {
  if (request.allowretry == 0) {
    const auto reserved = reservations_.find(request.srcid);
    if (reserved == reservations_.end()) return Admission::unasked;
    if (--reserved->second == 0) reservations_.erase(reserved);
    ++used_;
    return Admission::admitted;
  }
  unsigned taken = used_;
  for (const auto& [sender, count] : reservations_) taken += count;
  if (taken >= entries_) {
    waiting_.push_back(request.srcid);
    return Admission::retried;
  }
  ++used_;
  return Admission::admitted;
}

std::optional<std::uint16_t> ReferenceRoom::release() {
  --used_;
  if (waiting_.empty()) return std::nullopt;
  const std::uint16_t sender = waiting_.front();
  waiting_.pop_front();
  ++reservations_[sender];
  return sender;
}

}  // namespace pmufab::scoreboard
