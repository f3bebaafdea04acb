// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/wires/cxl_cache_protocol.h"

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::scoreboard {
namespace {

// Opcodes: D2H Req, H2D Rsp, M2S Req.
constexpr std::uint8_t kRdCurr = 1;
constexpr std::uint8_t kRdOwn = 2;
constexpr std::uint8_t kRdShared = 3;
constexpr std::uint8_t kRdAny = 4;
constexpr std::uint8_t kRdOwnNoData = 5;
constexpr std::uint8_t kItoMWr = 6;
constexpr std::uint8_t kWrCur = 7;
constexpr std::uint8_t kClFlush = 8;
constexpr std::uint8_t kCleanEvict = 9;
constexpr std::uint8_t kDirtyEvict = 10;
constexpr std::uint8_t kCleanEvictNoData = 11;
constexpr std::uint8_t kWoWrInv = 12;
constexpr std::uint8_t kWoWrInvF = 13;
constexpr std::uint8_t kWrInv = 14;
constexpr std::uint8_t kCacheFlushed = 16;
constexpr std::uint8_t kWritePull = 1;
constexpr std::uint8_t kGo = 4;
constexpr std::uint8_t kGoWritePull = 5;
constexpr std::uint8_t kExtCmp = 6;
constexpr std::uint8_t kGoWritePullDrop = 8;
constexpr std::uint8_t kFastGoWritePull = 13;
constexpr std::uint8_t kGoErrWritePull = 15;
constexpr std::uint8_t kMemRdFwd = 3;
constexpr std::uint8_t kMemWrFwd = 4;

constexpr std::uint32_t bit_of(unsigned number) { return 1U << (number % 32); }

}  // namespace

void CxlCacheProtocol::complain(const char* kind, Picoseconds when, const CxlMessage& message, const char* what) {
  findings_.add(Finding::Severity::failure, kind,
                fmt::format("{}: {} {} for {:#x}: {}", link_.name, to_string(message.which), message.opcode,
                            message.address, what),
                when);
}

bool CxlCacheProtocol::is_own_memory(std::uint64_t address) const {
  const CxlComponentSpec& lower = spec_.components[link_.lower];
  return std::any_of(spec_.components.begin(), spec_.components.end(), [&](const CxlComponentSpec& component) {
    // Below a switch the address may belong to any device's memory.
    if (!component.ddr || (lower.ddr && &component != &lower)) return false;
    const auto decoder = decoder_of(component.decoders, address);
    return decoder && component.decoders[*decoder].kind == CxlMemoryKind::hdm_d;
  });
}

void CxlCacheProtocol::left(Picoseconds when, const CxlMessage& message) {
  switch (message.which) {
    case CxlClass::d2h_req:
      request_left(when, message);
      break;
    case CxlClass::h2d_rsp:
      response_left(when, message);
      break;
    case CxlClass::h2d_data:
    case CxlClass::d2h_data:
      data_left(when, message);
      break;
    case CxlClass::h2d_req:
      if (!snoops_.emplace(message.address, Snoop{message}).second)
        complain("snoop_while_busy", when, message, "a snoop of the line is not answered");
      break;
    case CxlClass::d2h_rsp:
      snoop_response_left(when, message);
      break;
    case CxlClass::m2s_req:
      if (message.opcode == kMemRdFwd || message.opcode == kMemWrFwd) forward_left(when, message);
      break;
    default:
      break;
  }
}

void CxlCacheProtocol::request_left(Picoseconds when, const CxlMessage& message) {
  Request request{message};
  const bool own = is_own_memory(message.address);
  switch (message.opcode) {
    case kRdCurr:
      request.h2d_data = true;
      break;
    case kRdOwn:
    case kRdShared:
    case kRdAny:
      request.response = bit_of(kGo);
      request.h2d_data = true;
      break;
    case kRdOwnNoData:
    case kClFlush:
    case kCacheFlushed:
    case kCleanEvictNoData:
      request.response = bit_of(kGo);
      break;
    case kItoMWr:
    case kWrCur:
    case kDirtyEvict:
      request.response = bit_of(kGoWritePull) | bit_of(kGoErrWritePull);
      break;
    case kCleanEvict:
      request.response = bit_of(kGoWritePullDrop) | bit_of(kGoWritePull);
      break;
    case kWoWrInv:
    case kWoWrInvF:
      request.response = bit_of(kFastGoWritePull);
      break;
    case kWrInv:
      request.response = bit_of(kWritePull);
      break;
    default:
      complain("opcode_unknown", when, message, "no request has that opcode");
      return;
  }
  const bool reads = message.opcode >= kRdCurr && message.opcode <= kRdOwnNoData;
  const bool writes = message.opcode == kWoWrInv || message.opcode == kWoWrInvF;
  if (own && (reads || writes)) {
    request = Request{message};
    request.forward = reads ? kMemRdFwd : kMemWrFwd;
  }
  if (!requests_.emplace(message.address, request).second)
    complain("request_to_busy_line", when, message, "the device has a request to that line already");
}

void CxlCacheProtocol::response_left(Picoseconds when, const CxlMessage& message) {
  const auto found = requests_.find(message.address);
  if (found == requests_.end()) {
    complain("response_without_request", when, message, "no request explains it");
    return;
  }
  Request& request = found->second;
  if ((request.response & bit_of(message.opcode)) == 0) {
    complain("response_wrong", when, message, "the request needs another answer now");
    return;
  }
  request.response = 0;
  switch (message.opcode) {
    case kGoWritePull:
    case kGoErrWritePull:
      request.d2h_data = true;
      break;
    case kFastGoWritePull:
      request.d2h_data = true;
      request.after_data = bit_of(kExtCmp);
      break;
    case kWritePull:
      request.d2h_data = true;
      request.after_data = bit_of(kGo);
      break;
    default:
      break;
  }
  settle(message.address);
}

void CxlCacheProtocol::data_left(Picoseconds when, const CxlMessage& message) {
  const auto request = requests_.find(message.address);
  if (message.which == CxlClass::h2d_data) {
    if (request == requests_.end() || !request->second.h2d_data) {
      complain("response_without_request", when, message, "no request explains the data");
      return;
    }
    request->second.h2d_data = false;
    settle(message.address);
    return;
  }
  // A snoop's data comes before a write's data, which is pulled after the response. It may overtake the response.
  const auto snoop = snoops_.find(message.address);
  if (snoop != snoops_.end() && snoop->second.data) {
    snoops_.erase(snoop);
    return;
  }
  if (request == requests_.end() || !request->second.d2h_data) {
    if (snoop != snoops_.end() && !snoop->second.early_data) {
      snoop->second.early_data = true;
      return;
    }
    complain("response_without_request", when, message, "no request explains the data");
    return;
  }
  request->second.d2h_data = false;
  request->second.response = request->second.after_data;
  request->second.after_data = 0;
  settle(message.address);
}

void CxlCacheProtocol::forward_left(Picoseconds when, const CxlMessage& message) {
  const auto found = requests_.find(message.address);
  if (found == requests_.end() || found->second.forward != message.opcode) {
    complain("response_without_request", when, message, "the device did not ask for that line of its memory");
    return;
  }
  requests_.erase(found);
}

void CxlCacheProtocol::snoop_response_left(Picoseconds when, const CxlMessage& message) {
  constexpr std::uint8_t kRspIHitI = 4;
  constexpr std::array<std::uint32_t, 4> kOthers{0, bit_of(1) | bit_of(7), bit_of(5) | bit_of(15),
                                                 bit_of(6) | bit_of(22)};
  const auto found = snoops_.find(message.address);
  if (found == snoops_.end() || found->second.answered) {
    complain("response_without_request", when, message, "no snoop of that line is under way");
    return;
  }
  Snoop& snoop = found->second;
  const std::uint32_t fitting = bit_of(kRspIHitI) | kOthers[snoop.message.opcode % kOthers.size()];
  if ((fitting & bit_of(message.opcode)) == 0)
    complain("response_wrong", when, message, "this opcode answers another snoop");
  snoop.answered = true;
  const bool has_data = message.opcode == 7 || message.opcode == 15 || message.opcode == 22;
  if (snoop.early_data && !has_data) complain("response_wrong", when, message, "the data was not needed");
  snoop.data = has_data && !snoop.early_data;
  if (!snoop.data) snoops_.erase(found);
}

void CxlCacheProtocol::settle(std::uint64_t address) {
  const auto found = requests_.find(address);
  if (found != requests_.end() && found->second.over()) requests_.erase(found);
}

void CxlCacheProtocol::finish(Picoseconds when) {
  for (const auto& [address, request] : requests_)
    complain("request_unanswered", when, request.message, "not all answers came");
  for (const auto& [address, snoop] : snoops_)
    complain("snoop_unanswered", when, snoop.message, "not all answers came");
}

}  // namespace pmufab::scoreboard
