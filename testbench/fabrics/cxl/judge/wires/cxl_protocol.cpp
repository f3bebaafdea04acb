// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/wires/cxl_protocol.h"

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::scoreboard {
namespace {

constexpr std::uint64_t kLine = 64;

enum class MessageKind : std::uint8_t {
  inv,
  rd,
  rd_data,
  rd_fwd,
  wr_fwd,
  spec_rd,
  inv_nt,
  te_update,
  cln_evct,
  cln_evct_u,
  wr,
  wr_ptl,
  rd_fill
};

struct Encoding {
  CxlClass which;
  std::uint8_t opcode;
  MessageKind request;
  bool tee;  ///< the trusted variant
};
constexpr auto kRequests = std::to_array<Encoding>({
    {CxlClass::m2s_req, 0, MessageKind::inv, false},        {CxlClass::m2s_req, 7, MessageKind::inv, true},
    {CxlClass::m2s_req, 1, MessageKind::rd, false},         {CxlClass::m2s_req, 5, MessageKind::rd, true},
    {CxlClass::m2s_req, 2, MessageKind::rd_data, false},    {CxlClass::m2s_req, 6, MessageKind::rd_data, true},
    {CxlClass::m2s_req, 3, MessageKind::rd_fwd, false},     {CxlClass::m2s_req, 4, MessageKind::wr_fwd, false},
    {CxlClass::m2s_req, 8, MessageKind::spec_rd, false},    {CxlClass::m2s_req, 12, MessageKind::spec_rd, true},
    {CxlClass::m2s_req, 9, MessageKind::inv_nt, false},     {CxlClass::m2s_req, 11, MessageKind::inv_nt, true},
    {CxlClass::m2s_req, 10, MessageKind::cln_evct, false},  {CxlClass::m2s_req, 14, MessageKind::cln_evct, true},
    {CxlClass::m2s_req, 13, MessageKind::te_update, false}, {CxlClass::m2s_req, 15, MessageKind::cln_evct_u, false},
    {CxlClass::m2s_rwd, 1, MessageKind::wr, false},         {CxlClass::m2s_rwd, 9, MessageKind::wr, true},
    {CxlClass::m2s_rwd, 2, MessageKind::wr_ptl, false},     {CxlClass::m2s_rwd, 10, MessageKind::wr_ptl, true},
    {CxlClass::m2s_rwd, 5, MessageKind::rd_fill, false},    {CxlClass::m2s_rwd, 13, MessageKind::rd_fill, true},
});

const Encoding* encoding_of(const CxlMessage& message) {
  const auto* const found = std::find_if(kRequests.begin(), kRequests.end(), [&](const Encoding& one) {
    return one.which == message.which && one.opcode == message.opcode;
  });
  return found == kRequests.end() ? nullptr : found;
}

constexpr std::uint8_t kBiConflict = 4;     // M2S RwD
constexpr std::uint8_t kBiConflictAck = 4;  // S2M NDR
constexpr unsigned kBlock = 4;              // bit of BISnp and BIRsp opcodes
constexpr unsigned kSnoopKind = 3;          // BISnp: 0 Cur, 1 Data, 2 Inv

constexpr unsigned kCmp = 0;
constexpr unsigned kCmpS = 1;
constexpr unsigned kCmpE = 2;
constexpr unsigned kCmpM = 3;
constexpr unsigned kTeeNdr = 5;  // Cmp, Cmp-S and Cmp-E of trusted requests start here; Cmp-M has no such variant
constexpr unsigned kMemData = 0;
constexpr unsigned kNxm = 1;
constexpr unsigned kTeeData = 2;

std::uint32_t ndr(std::initializer_list<unsigned> which, bool tee) {
  std::uint32_t mask = 0;
  for (const unsigned one : which) mask |= 1U << (tee && one != kCmpM ? kTeeNdr + one : one);
  return mask;
}

std::uint32_t ndr_by_meta(CxlMeta meta, bool tee) {
  switch (meta) {
    case CxlMeta::any:
      return ndr({kCmpE, kCmpM}, tee);
    case CxlMeta::shared:
      return ndr({kCmpS}, tee);
    case CxlMeta::invalid:
    case CxlMeta::none:
      break;
  }
  return ndr({kCmp}, tee);
}

bool has_line(const CxlMessage& snoop, std::uint64_t address) {
  return address >= snoop.address && address - snoop.address < snoop.lines * kLine;
}

}  // namespace

void CxlMemProtocol::complain(const char* kind, Picoseconds when, const CxlMessage& message, const char* what) {
  findings_.add(Finding::Severity::failure, kind,
                fmt::format("{}: {} {} for {:#x}, tag {}: {}", link_.name, to_string(message.which), message.opcode,
                            message.address, message.tag, what),
                when);
}

bool CxlMemProtocol::knows_memory() const {
  return std::any_of(spec_.components.begin(), spec_.components.end(),
                     [](const CxlComponentSpec& component) { return component.ddr.has_value(); });
}

bool CxlMemProtocol::is_of_another_device(std::uint64_t address) const {
  const CxlComponentSpec& lower = spec_.components[link_.lower];
  if (!lower.ddr || owns(lower.decoders, address)) return false;
  return std::any_of(spec_.components.begin(), spec_.components.end(), [&](const CxlComponentSpec& component) {
    return component.ddr && &component != &lower && owns(component.decoders, address);
  });
}

std::optional<CxlMemoryKind> CxlMemProtocol::kind_of(std::uint64_t address) const {
  const CxlComponentSpec& lower = spec_.components[link_.lower];
  for (const CxlComponentSpec& component : spec_.components) {
    // Below a switch the address may belong to any device's memory. Devices that share a range have the same decoders.
    if (!component.ddr || (lower.ddr && &component != &lower)) continue;
    if (const auto decoder = decoder_of(component.decoders, address)) return component.decoders[*decoder].kind;
  }
  return std::nullopt;
}

std::optional<CxlMemProtocol::Answers> CxlMemProtocol::answers_to(const CxlMessage& request) const {
  const Encoding* const encoding = encoding_of(request);
  if (encoding == nullptr) return std::nullopt;
  const std::optional<CxlMemoryKind> kind = kind_of(request.address);
  const bool coherent = kind && *kind != CxlMemoryKind::hdm_h;
  const bool tee = request.tee;
  const std::uint32_t data = 1U << (kind ? (tee ? kTeeData : kMemData) : kNxm);
  switch (encoding->request) {
    case MessageKind::rd:
      return Answers{coherent ? ndr_by_meta(request.meta, tee) : 0, data};
    case MessageKind::rd_data:
      return Answers{coherent ? ndr({kCmpS, kCmpE}, tee) : 0, data};
    case MessageKind::rd_fill:
      return Answers{0, data};
    case MessageKind::inv:
      // The answer to MemInvTEE does not report the state of trust; that to the variant of MemInvNT does.
      return Answers{coherent ? ndr_by_meta(request.meta, false) : ndr({kCmp}, false), 0};
    case MessageKind::inv_nt:
      return Answers{coherent ? ndr_by_meta(request.meta, tee) : ndr({kCmp}, tee), 0};
    case MessageKind::cln_evct:
    case MessageKind::cln_evct_u:
    case MessageKind::te_update:
      return Answers{ndr({kCmp}, false), 0};
    case MessageKind::wr:
    case MessageKind::wr_ptl:
      return Answers{ndr({kCmp}, tee), 0};
    case MessageKind::spec_rd:
    case MessageKind::rd_fwd:
    case MessageKind::wr_fwd:
      break;
  }
  return Answers{};
}

void CxlMemProtocol::left(Picoseconds when, const CxlMessage& message) {
  switch (message.which) {
    case CxlClass::m2s_req:
      request_left(when, message);
      break;
    case CxlClass::m2s_rwd:
      if (message.opcode == kBiConflict) {
        conflict_left(when, message);
      } else {
        request_left(when, message);
      }
      break;
    case CxlClass::m2s_birsp:
      snoop_answer_left(when, message);
      break;
    case CxlClass::s2m_bisnp:
      snoop_left(when, message);
      break;
    case CxlClass::s2m_ndr:
      if (message.opcode == kBiConflictAck) {
        acknowledgement_left(when, message);
      } else {
        answer_left(when, message);
      }
      break;
    case CxlClass::s2m_drs:
      answer_left(when, message);
      break;
    default:
      break;
  }
}

void CxlMemProtocol::arrived(Picoseconds when, const CxlMessage& message) {
  switch (message.which) {
    case CxlClass::m2s_req:
    case CxlClass::m2s_rwd:
      request_arrived(when, message);
      break;
    case CxlClass::m2s_birsp:
      snoop_answer_arrived(message);
      break;
    case CxlClass::s2m_bisnp:
      if (const auto snoop = snoop_of(message.address); snoop != snoops_.end())
        snoop->second.must_conflict = !spec_.components[link_.upper].of_switch && is_under_way(message);
      break;
    case CxlClass::s2m_ndr:
      if (message.opcode == kBiConflictAck) {
        if (const auto snoop = snoop_of(message.address); snoop != snoops_.end()) snoop->second.acknowledged = true;
        break;
      }
      [[fallthrough]];
    case CxlClass::s2m_drs:
      answer_arrived(message);
      break;
    default:
      break;
  }
}

Picoseconds CxlMemProtocol::answers_after(Picoseconds when) const {
  const Picoseconds ready = when + spec_.components[link_.lower].answer_latency;
  return (ready + link_.period - 1) / link_.period * link_.period;
}

void CxlMemProtocol::request_arrived(Picoseconds when, const CxlMessage& message) {
  last_arrived_.reset();
  if (is_of_another_device(message.address))
    complain("message_of_another_device", when, message, "another device owns the address");
  Request* const found = request_of(message.tag);
  if (found == nullptr || found->message != message) return;
  found->arrived = when;
  if (load_ != nullptr) load_->begin(when, message.which == CxlClass::m2s_rwd);
  // Requests that a switch forwards are checked on its side when the answer comes.
  if (!spec_.components[link_.lower].ddr) return;
  found->earliest = answers_after(when);
  last_arrived_ = message.tag;
}

void CxlMemProtocol::accessed(Picoseconds when, std::uint64_t place, Picoseconds data) {
  Request* const found = last_arrived_ ? request_of(*last_arrived_) : nullptr;
  if (found == nullptr || found->arrived != when) return;
  Request& request = *found;
  const std::vector<CxlDecoder>& decoders = spec_.components[link_.lower].decoders;
  const auto decoder = decoder_of(decoders, request.message.address);
  // In memory other than HDM-H the access may be the device's own.
  if (!decoder || decoders[*decoder].kind != CxlMemoryKind::hdm_h) return;
  if (device_address(decoders, *decoder, request.message.address) == place) request.earliest = answers_after(data);
}

void CxlMemProtocol::request_left(Picoseconds when, const CxlMessage& message) {
  const Encoding* const encoding = encoding_of(message);
  if (encoding == nullptr) {
    complain("opcode_unknown", when, message, "no request has that opcode");
    return;
  }
  const bool has_variant = encoding->request != MessageKind::rd_fwd && encoding->request != MessageKind::wr_fwd &&
                           encoding->request != MessageKind::te_update && encoding->request != MessageKind::cln_evct_u;
  if (has_variant && encoding->tee != message.tee)
    complain("opcode_not_trusted", when, message, "opcode and TEE do not belong together");
  const Answers answers = answers_to(message).value_or(Answers{});
  if (answers.ndr == 0 && answers.drs == 0) return;
  Request request{message, when, answers};
  request.is_of_cache = encoding->request != MessageKind::rd_fill;
  if (message.tag >= requests_.size()) requests_.resize(message.tag + std::size_t{1});
  const bool is_new = !requests_[message.tag];
  requests_[message.tag] = request;
  if (!is_new) complain("request_tag_in_use", when, message, "the request before with that tag is not answered");
}

void CxlMemProtocol::answer_left(Picoseconds when, const CxlMessage& message) {
  Request* const found = request_of(message.tag);
  if (found == nullptr) {
    complain("response_without_request", when, message, "no request explains it");
    return;
  }
  Request& request = *found;
  if (!request.arrived || when < request.earliest)
    complain("response_too_early", when, message, "the request has not arrived, or its data is not there");
  if (request.message.address != message.address)
    complain("response_of_another_line", when, message, "the request was for another line");
  std::uint32_t& missing = message.which == CxlClass::s2m_ndr ? request.missing.ndr : request.missing.drs;
  if (missing == 0) {
    complain("response_unasked", when, message, "the request needs no such answer, or has it already");
    return;
  }
  if (knows_memory() && (missing >> (message.opcode % 32) & 1U) == 0)
    complain("response_wrong", when, message, "another opcode answers that request in that memory");
  missing = 0;
  ++request.under_way;
  if (load_ != nullptr && request.missing.ndr == 0 && request.missing.drs == 0)
    load_->end(when, request.message.which == CxlClass::m2s_rwd);
}

void CxlMemProtocol::answer_arrived(const CxlMessage& message) {
  Request* const found = request_of(message.tag);
  if (found == nullptr) return;
  Request& request = *found;
  if (request.under_way != 0) --request.under_way;
  if (message.which == CxlClass::s2m_ndr) request.ndr_arrived = true;
  if (request.under_way == 0 && request.missing.ndr == 0 && request.missing.drs == 0) requests_[message.tag].reset();
}

CxlMemProtocol::Snoops::iterator CxlMemProtocol::snoop_of(std::uint64_t address) {
  for (auto found = snoops_.lower_bound(address & ~(4 * kLine - 1)); found != snoops_.end(); ++found) {
    if (found->first > address) break;
    const std::uint64_t line = (address - found->first) / kLine;
    if (has_line(found->second.message, address) && (found->second.open >> line & 1U) != 0) return found;
  }
  return snoops_.end();
}

bool CxlMemProtocol::is_under_way(const CxlMessage& snoop) const {
  return std::any_of(requests_.begin(), requests_.end(), [&](const std::optional<Request>& request) {
    // A line belongs to the host while it is filled.
    return request && !request->ndr_arrived && request->is_of_cache && has_line(snoop, request->message.address);
  });
}

void CxlMemProtocol::snoop_left(Picoseconds when, const CxlMessage& message) {
  if ((message.opcode & kSnoopKind) == kSnoopKind || message.opcode >= 16) {
    complain("opcode_unknown", when, message, "no snoop has that opcode");
    return;
  }
  const bool is_block = (message.opcode & kBlock) != 0;
  if (is_block ? (message.lines != 2 && message.lines != 4) || message.address % (message.lines * kLine) != 0
               : message.lines != 1)
    complain("snoop_of_wrong_block", when, message, "a block is two or four lines, aligned; else it is one line");
  if (knows_memory() && kind_of(message.address) != CxlMemoryKind::hdm_db)
    complain("snoop_of_wrong_memory", when, message, "only HDM-DB is kept coherent by back-invalidation");
  for (unsigned line = 0; line < message.lines; ++line) {
    if (snoop_of(message.address + line * kLine) == snoops_.end()) continue;
    complain("snoop_while_busy", when, message, "a snoop of the line is not answered");
    return;
  }
  const std::uint32_t lines = (1U << message.lines) - 1;
  snoops_.emplace(message.address, Snoop{message, when, lines, lines});
}

void CxlMemProtocol::conflict_left(Picoseconds when, const CxlMessage& message) {
  const auto found = snoop_of(message.address);
  if (found == snoops_.end()) {
    complain("conflict_without_snoop", when, message, "no snoop of that line is under way");
    return;
  }
  if (found->second.conflict) complain("conflict_twice", when, message, "the conflict was reported already");
  found->second.conflict = true;
}

void CxlMemProtocol::acknowledgement_left(Picoseconds when, const CxlMessage& message) {
  const auto found = snoop_of(message.address);
  if (found == snoops_.end() || !found->second.conflict)
    complain("acknowledgement_without_conflict", when, message, "no conflict was reported");
}

void CxlMemProtocol::snoop_answer_left(Picoseconds when, const CxlMessage& message) {
  const auto found = snoop_of(message.address);
  if (found == snoops_.end()) {
    complain("response_without_request", when, message, "no snoop of that line is under way");
    return;
  }
  Snoop& snoop = found->second;
  // The states that may remain: Inv I; Data S and I; Cur E, S and I.
  const unsigned kind = snoop.message.opcode & kSnoopKind;
  const unsigned state = message.opcode & ~kBlock;
  if (state > 2 - kind) complain("response_wrong", when, message, "the snoop does not leave that state");
  if (snoop.must_conflict && !snoop.conflict)
    complain("conflict_ignored", when, message, "a request to the line was under way, and no BIConflict came first");
  if (snoop.conflict && !snoop.acknowledged)
    complain("conflict_not_acknowledged", when, message, "BIConflictAck comes before the answer");
  std::uint32_t lines = 1U << ((message.address - snoop.message.address) / kLine);
  if ((message.opcode & kBlock) != 0) lines = (1U << snoop.message.lines) - 1;
  const bool fits = (message.opcode & kBlock) == 0 || (snoop.message.opcode & kBlock) != 0;
  if (!fits || (snoop.missing & lines) != lines)
    complain("response_unasked", when, message, "the line has an answer already, or no block was asked for");
  snoop.missing &= ~lines;
}

void CxlMemProtocol::snoop_answer_arrived(const CxlMessage& message) {
  const auto found = snoop_of(message.address);
  if (found == snoops_.end()) return;
  Snoop& snoop = found->second;
  if ((message.opcode & kBlock) != 0) {
    snoop.open = 0;
  } else {
    snoop.open &= ~(1U << ((message.address - snoop.message.address) / kLine));
  }
  if (snoop.open == 0) snoops_.erase(found);
}

void CxlMemProtocol::finish(Picoseconds when) {
  for (const std::optional<Request>& request : requests_) {
    if (request) complain("request_unanswered", when, request->message, "no answer came");
  }
  for (const auto& [address, snoop] : snoops_) complain("snoop_unanswered", when, snoop.message, "no answer came");
}

}  // namespace pmufab::scoreboard
