// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/traffic/cxl_traffic.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "testbench/traffic/checks.h"
#include "tlm/spec/spec_error.h"

namespace pmufab::traffic {

namespace {

constexpr std::array<std::string_view, kCxlOperations> kNames = {"read",
                                                                 "load",
                                                                 "load_shared",
                                                                 "store",
                                                                 "write",
                                                                 "write_partial",
                                                                 "invalidate",
                                                                 "invalidate_shared",
                                                                 "invalidate_none",
                                                                 "invalidate_nt",
                                                                 "speculative_read",
                                                                 "clean_evict",
                                                                 "clean_evict_unknown",
                                                                 "te_update",
                                                                 "read_fill",
                                                                 "snoop_data",
                                                                 "snoop_invalidate",
                                                                 "snoop_current",
                                                                 "local_read",
                                                                 "local_load",
                                                                 "local_store",
                                                                 "cache_rd_curr",
                                                                 "cache_rd_own",
                                                                 "cache_rd_shared",
                                                                 "cache_rd_any",
                                                                 "cache_rd_own_no_data",
                                                                 "cache_i_to_m_wr",
                                                                 "cache_wr_cur",
                                                                 "cache_cl_flush",
                                                                 "cache_clean_evict",
                                                                 "cache_dirty_evict",
                                                                 "cache_clean_evict_no_data",
                                                                 "cache_wo_wr_inv",
                                                                 "cache_wo_wr_inv_f",
                                                                 "cache_wr_inv",
                                                                 "cache_cache_flushed"};

constexpr std::uint64_t kShareScale = std::uint64_t{1} << 32;

/// @return the D2H opcode of an operation of the device's cache: 1 ... 14 in order, then 16.
std::uint8_t opcode_of(CxlOperation operation) {
  if (operation == CxlOperation::cache_cache_flushed) return cxl::d2h_req::cache_flushed;
  return static_cast<std::uint8_t>(static_cast<unsigned>(operation) -
                                   static_cast<unsigned>(CxlOperation::cache_rd_curr) + cxl::d2h_req::rd_curr);
}

bool is_snoop(CxlOperation operation) {
  return operation >= CxlOperation::snoop_data && operation <= CxlOperation::snoop_current;
}

void check_traffic(const CxlTrafficSpec& spec, const CxlTargets& targets, const std::string& field) {
  if (spec.name.empty()) throw SpecError(field + ".name", "is empty", "give the traffic a name");
  if (spec.outstanding == 0 || spec.outstanding > 4096)
    throw SpecError(field + ".outstanding", fmt::format("{} operations at a time are not possible", spec.outstanding),
                    "use 1 ... 4096");
  if (!(spec.tee_share >= 0 && spec.tee_share <= 1))
    throw SpecError(field + ".tee_share", fmt::format("{} is not a share", spec.tee_share), "use 0 ... 1");
  if (spec.count && *spec.count == 0) throw SpecError(field + ".count", "is 0", "use 1 or more, or leave it out");
  check_pacing(spec.pacing, field + ".pacing");
  check_burst(spec.burst, field + ".burst");
  std::optional<CxlAgent> agent;
  for (const CxlOperationShare& share : spec.mix) {
    if (share.weight == 0) continue;
    if (agent && *agent != agent_of(share.operation))
      throw SpecError(field + ".mix", fmt::format("{} belongs to another agent", to_string(share.operation)),
                      "put it into separate traffic");
    agent = agent_of(share.operation);
    if (is_snoop(share.operation) && targets.device_cache == nullptr)
      throw SpecError(field + ".mix", fmt::format("{} needs a device with a cache", to_string(share.operation)),
                      "choose another device, or give this one a cache");
  }
  if (!agent) throw SpecError(field + ".mix", "has no operation", "give one a weight");
  const bool there = *agent == CxlAgent::host     ? targets.host != nullptr
                     : *agent == CxlAgent::device ? targets.device != nullptr
                                                  : targets.device_cache != nullptr;
  if (!there)
    throw SpecError(field + ".device", fmt::format("device {} cannot do this", spec.device),
                    "choose another device, or another platform");
  if (*agent == CxlAgent::device && targets.device->has_local_client())
    throw SpecError(field + ".device", fmt::format("other traffic does device {}'s own operations", spec.device),
                    "put all of them into one mix");
  if (spec.ranges.empty()) throw SpecError(field + ".ranges", "is empty", "say where the operations go");
  for (std::size_t i = 0; i < spec.ranges.size(); ++i) {
    const CxlRange& range = spec.ranges[i];
    const std::string here = fmt::format("{}.ranges[{}]", field, i);
    if (range.base + range.size < range.base)
      throw SpecError(here,
                      fmt::format("{:#x} bytes from {:#x} reach beyond 64 bits of address", range.size, range.base),
                      "make base or size smaller");
    if (range.base % 64 != 0 || range.size % 64 != 0 || range.size == 0)
      throw SpecError(here, fmt::format("{:#x} bytes from {:#x} are not whole lines", range.size, range.base),
                      "make base and size multiples of 64, and size not 0");
    const PatternSpec& pattern = range.pattern;
    if (pattern.kind == PatternKind::producer_consumer)
      throw SpecError(here + ".pattern", "has a consumer", "use another pattern");
    check_pattern(pattern, {{range.base, range.size}}, here + ".pattern");
  }
}

}  // namespace

CxlTraffic::CxlTraffic(cxl::Engine& engine, const CxlTargets& targets, Picoseconds period, const CxlTrafficSpec& spec,
                       const std::string& field, std::uint64_t seed)
    : engine_(engine),
      targets_(targets),
      period_(period),
      spec_(spec),
      random_(spec.seed.value_or(mix_bits(seed ^ hash_of(spec.name)))) {
  check_traffic(spec, targets, field);
  for (const CxlOperationShare& share : spec.mix) operations_.add(share.operation, share.weight);
  for (std::size_t i = 0; i < spec.ranges.size(); ++i) {
    const CxlRange& range = spec.ranges[i];
    ranges_.add(i, range.weight);
    streams_.emplace_back(range.pattern, Window{range.base, range.size}, random_);
  }
  if (ranges_.empty()) throw SpecError(field + ".ranges", "have no weight", "give one a weight");
  began_.resize(spec.outstanding);
  for (std::uint32_t user = spec.outstanding; user > 0; --user) free_.push_back(user - 1);
  // Last, because a constructor that throws must not be registered.
  actor_ = engine_.add(*this);
  if (agent_of(operations_.at(0)) == CxlAgent::device) targets_.device->set_local_client(this);
}

void CxlTraffic::start(Picoseconds zero) {
  const Picoseconds base = zero + spec_.start;
  late_ = 0;
  pacer_.emplace(spec_.pacing, spec_.burst, base, random_);
  end_ = spec_.duration ? base + *spec_.duration : kNever;
  settled_ = base;
  begin_ = edge(pacer_->due());
  engine_.set(actor_, begin_);
}

void CxlTraffic::stop() {
  stall(std::nullopt, engine_.now());
  settled_ = kNever;
  begin_ = kNever;
  blocked_.reset();
  engine_.set(actor_, kNever);
}

bool CxlTraffic::ended() const noexcept {
  return !blocked_ && (begin_ >= end_ || (spec_.count && begun_ >= *spec_.count));
}

void CxlTraffic::act(Picoseconds now) {
  acting_ = true;
  bool joined = false;
  while (true) {
    if (!blocked_) {
      const Picoseconds when = begin_;
      if (when >= end_ || (spec_.count && begun_ >= *spec_.count)) break;
      if (when > now) {
        engine_.set(actor_, when);
        break;
      }
      if (free_.empty()) {
        stall(Stall::outstanding, now);
        break;
      }
      blocked_ = draw();
    }
    const std::uint32_t user = free_.back();
    began_[user] = now;
    free_.pop_back();
    const Drawn drawn = *blocked_;
    const cxl::IssueResult result = issue(drawn, user);
    if (result == cxl::IssueResult::blocked) {
      free_.push_back(user);
      stall(Stall::target, now);
      break;
    }
    stall(std::nullopt, now);
    note_way(drawn);
    if (listener_ != nullptr)
      listener_->on_operation(now, spec_.device, drawn.operation, drawn.address, drawn.tee,
                              std::exchange(joined, true));
    blocked_.reset();
    ++begun_;
    plan_next(now);
    if (result == cxl::IssueResult::done) completed(user, now);
  }
  acting_ = false;
}

void CxlTraffic::unblocked(Picoseconds now) { wake(now); }

// Operations begin in act() only, and not while another part acts. So the time and order of their beginning can be
// recorded.
void CxlTraffic::wake(Picoseconds now) {
  if (acting_ || ended() || (!blocked_ && begin_ > now)) return;
  engine_.set(actor_, now);
}

void CxlTraffic::stall(std::optional<Stall> cause, Picoseconds now) {
  settle(now);
  stall_ = cause;
  if (cause) waited_ = waited_at_link();
}

/// Tell what the time went to since this was told last.
void CxlTraffic::settle(Picoseconds now) {
  if (now <= settled_) return;
  if (!stall_) {
    // Behind the last operation nothing is idle.
    const bool is_over = spec_.count && begun_ >= *spec_.count;
    if (!is_over && settled_ < end_) idle_ += std::min(now, end_) - settled_;
  } else {
    const Picoseconds at_link = std::min(waited_at_link() - waited_, now - settled_);
    stalled_[static_cast<std::size_t>(Stall::link)] += at_link;
    stalled_[static_cast<std::size_t>(*stall_)] += now - settled_ - at_link;
  }
  settled_ = now;
}

Picoseconds CxlTraffic::waited_at_link() const noexcept {
  if (link_ == nullptr) return 0;
  const bool is_device = agent_of(operations_.at(0)) == CxlAgent::device_cache;
  return link_->requests_waited(is_device ? cxl::LinkEnd::lower : cxl::LinkEnd::upper);
}

void CxlTraffic::note_way(const Drawn& drawn) {
  switch (agent_of(drawn.operation)) {
    case CxlAgent::host:
      link_ = &host_of(targets_, drawn.operation, drawn.address)->link();
      break;
    case CxlAgent::device_cache:
      link_ = &targets_.device_cache->link();
      break;
    case CxlAgent::device:
      break;
  }
}

void CxlTraffic::plan_next(Picoseconds now) {
  const bool close = spec_.pacing.kind == PacingSpec::Kind::back_to_back;
  if ((close || !spec_.pacing.catch_up) && now > begin_) late_ += now - begin_;
  pacer_->advance(random_);
  begin_ = edge(pacer_->due() + late_);
}

CxlTraffic::Drawn CxlTraffic::draw() {
  Drawn drawn{operations_.choose(random_), false, 0};
  if (spec_.tee_share > 0) drawn.tee = random_.below(kShareScale) < rounded(spec_.tee_share * double(kShareScale));
  const std::size_t range = ranges_.choose(random_);
  drawn.address = streams_[range].next(0, random_) & ~std::uint64_t{63};
  return drawn;
}

cxl::IssueResult CxlTraffic::issue(const Drawn& drawn, std::uint32_t user) {
  if (agent_of(drawn.operation) == CxlAgent::device) local_.push(user);
  return begin_operation(targets_, drawn.operation, drawn.address, drawn.tee, user, *this);
}

void CxlTraffic::completed(std::uint32_t user, Picoseconds now) {
  latencies_.add(now - began_[user]);
  ++completed_;
  free_.push_back(user);
  wake(now);
}

void CxlTraffic::local_done(Picoseconds now) { completed(local_.pop(), now); }

bool can_do(const CxlTargets& targets, CxlOperation operation) noexcept {
  switch (agent_of(operation)) {
    case CxlAgent::host:
      return targets.host != nullptr && (!is_snoop(operation) || targets.device_cache != nullptr);
    case CxlAgent::device:
      return targets.device != nullptr;
    case CxlAgent::device_cache:
      break;
  }
  return targets.device_cache != nullptr;
}

cxl::IssueResult begin_operation(const CxlTargets& targets, CxlOperation operation, std::uint64_t address, bool tee,
                                 std::uint32_t user, cxl::OperationClient& client) {
  switch (agent_of(operation)) {
    case CxlAgent::host: {
      cxl::HostOperation of_host;
      of_host.kind = static_cast<cxl::HostOperationKind>(operation);
      of_host.tee = tee;
      of_host.address = address;
      of_host.user = user;
      return host_of(targets, operation, address)->issue(of_host, client);
    }
    case CxlAgent::device:
      targets.device->local(static_cast<cxl::LocalOperation>(static_cast<unsigned>(operation) -
                                                             static_cast<unsigned>(CxlOperation::local_read)),
                            address, tee);
      return cxl::IssueResult::sent;
    case CxlAgent::device_cache:
      break;
  }
  return targets.device_cache->issue(opcode_of(operation), address, user, client);
}

cxl::Host* host_of(const CxlTargets& targets, CxlOperation operation, std::uint64_t address) noexcept {
  const bool routed = targets.host != nullptr && targets.bridge != nullptr && agent_of(operation) == CxlAgent::host &&
                      !is_snoop(operation);
  return routed ? &targets.bridge->route(address, *targets.host) : targets.host;
}

CxlAgent agent_of(CxlOperation operation) noexcept {
  return operation < CxlOperation::local_read      ? CxlAgent::host
         : operation < CxlOperation::cache_rd_curr ? CxlAgent::device
                                                   : CxlAgent::device_cache;
}

std::string_view to_string(CxlOperation operation) noexcept {
  const auto index = static_cast<std::size_t>(operation);
  return index < kNames.size() ? kNames[index] : "?";
}

}  // namespace pmufab::traffic
