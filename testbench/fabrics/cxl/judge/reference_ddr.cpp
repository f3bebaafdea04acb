// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/reference_ddr.h"

#include <algorithm>

namespace pmufab::scoreboard {
namespace {

// Event ids of group 0x8000.
constexpr unsigned kAct = 0;
constexpr unsigned kPre = 1;
constexpr unsigned kCasRd = 2;
constexpr unsigned kCasWr = 3;
constexpr unsigned kRefresh = 4;
constexpr unsigned kSelfRefreshEntry = 5;
constexpr unsigned kRfm = 6;
constexpr unsigned kCasRdAp = 7;
constexpr unsigned kCasWrAp = 8;
constexpr unsigned kRefreshAllBanks = 9;
constexpr unsigned kRefreshSameBank = 10;
constexpr unsigned kPowerDownEntry = 11;
constexpr unsigned kPowerDownExit = 12;
constexpr unsigned kBusSwitching = 13;
constexpr unsigned kIncomingRead = 14;
constexpr unsigned kIncomingWrite = 15;

constexpr std::uint64_t kDdrLine = 64;
// Listeners settle as often as this.
constexpr Picoseconds kPassEvery = 2'000'000;

constexpr std::uint8_t place8(unsigned number) { return static_cast<std::uint8_t>(number); }

}  // namespace

ReferenceDdr::ReferenceDdr(const CxlDdrSpec& spec) : spec_(spec), load_(spec_, *this) {
  Rank rank;
  rank.banks.resize(std::size_t{spec_.bank_groups} * spec_.banks);
  Channel channel;
  for (unsigned r = 0; r < spec_.ranks; ++r) {
    rank.refresh_due = refresh_interval() + r * refresh_interval() / spec_.ranks;
    channel.ranks.push_back(rank);
  }
  channels_.assign(spec_.channels, channel);
}

Picoseconds ReferenceDdr::refresh_interval() const {
  return spec_.refresh == CxlDdrSpec::Refresh::same_bank ? spec_.t_refi / spec_.banks : spec_.t_refi;
}

ReferenceDdr::Place ReferenceDdr::place(std::uint64_t device_address) const {
  std::uint64_t rest = device_address / kDdrLine;
  const auto take = [&rest](std::uint64_t count) {
    const std::uint64_t part = rest % count;
    rest /= count;
    return static_cast<unsigned>(part);
  };
  Place place{};
  place.channel = take(spec_.channels);
  place.bank_group = take(spec_.bank_groups);
  take(spec_.row_bytes / kDdrLine);
  place.bank = take(spec_.banks);
  place.rank = take(spec_.ranks);
  place.row = rest;
  return place;
}

void ReferenceDdr::access(Picoseconds when, bool write, std::uint64_t device_address) {
  reached_ = std::max(reached_, when);
  const Place to = place(device_address);
  run_timers(to.channel, when);
  Channel& channel = channels_[to.channel];
  Rank& rank = channel.ranks[to.rank];
  Bank& state = bank(rank, to.bank_group, to.bank);
  const At at{to.channel, to.rank, to.bank_group, to.bank};

  tell(write ? kIncomingWrite : kIncomingRead, at, when);
  if (rank.power == Power::self_refresh) {
    rank.ready = std::max(when, rank.self_refresh_since) + spec_.t_xs;
    rank.refresh_due = when + spec_.t_refi;
    rank.power = Power::up;
  }
  leave_power_down(at, rank, when);
  throttle(when);
  const Picoseconds start = std::max({when, rank.ready, throttlings_[0].until, throttlings_[1].until});

  if (state.row != to.row) open(at, rank, state, to.row, start);

  Picoseconds cas = std::max(start, state.cas_ready);
  if (channel.last_cas) {
    const bool same = channel.last_was_write == write;
    cas = std::max(cas, *channel.last_cas + (same ? spec_.t_ccd : (write ? spec_.t_rtw : spec_.t_wtr)));
    if (!same) tell(kBusSwitching, at, cas);
  }
  tell(write ? kCasWr : kCasRd, at, cas);
  if (const std::optional<unsigned> cause = error(channel, write)) {
    cas += std::max(spec_.errors.delay, spec_.t_ccd);
    tell(write ? kCasWr : kCasRd, at, cas);
    DdrCommand again{cas, *cause, place8(at.channel), place8(at.rank), place8(at.bank_group), place8(at.bank)};
    again.group = kRetryGroup;
    tell(again);
  }
  state.pre_ready = std::max(state.pre_ready, cas + (write ? spec_.t_wr : spec_.t_rtp));
  if (spec_.closed_pages) {
    tell(write ? kCasWrAp : kCasRdAp, at, cas);
    state.row.reset();
    state.act_ready = state.pre_ready + spec_.t_rp;
  }
  channel.last_cas = cas;
  channel.last_was_write = write;
  rank.busy = std::max(rank.busy, cas);
  rank.last_use = std::max(rank.last_use, cas);
  last_cas_ = cas;
  queue(at, channel, write, when, cas);
  pass();
}

void ReferenceDdr::throttle(Picoseconds when) {
  for (unsigned which = 0; which < throttlings_.size(); ++which) {
    const CxlDdrSpec::Throttle& rule = spec_.throttles[which];
    Throttling& state = throttlings_[which];
    if (rule.accesses == 0 || when < state.until) continue;
    // A window begins with an access, and the next one with the first access after it.
    if (!state.entered.empty() && when - state.entered.front() >= rule.window) state.entered.clear();
    state.entered.push_back(when);
    if (state.entered.size() < rule.accesses) continue;
    state.entered.clear();
    state.until = when + rule.pause;
    DdrCommand event;
    event.bit = which;
    event.group = kThrottleGroup;
    clocks(event, when, state.until);
  }
}

std::optional<unsigned> ReferenceDdr::error(Channel& channel, bool write) const {
  const std::uint64_t accesses_of_kind = ++channel.count[write ? 1 : 0];
  const std::uint64_t all_accesses = channel.count[0] + channel.count[1];
  const auto fails = [](std::uint64_t number, unsigned every) { return every != 0 && number % every == 0; };
  if (fails(all_accesses, spec_.errors.parity)) return 2;
  if (write) return fails(accesses_of_kind, spec_.errors.write_crc) ? std::optional(1U) : std::nullopt;
  if (fails(accesses_of_kind, spec_.errors.read_crc)) return 0;
  return fails(accesses_of_kind, spec_.errors.ecc) ? std::optional(3U) : std::nullopt;
}

void ReferenceDdr::queue(const At& at, Channel& channel, bool write, Picoseconds entered, Picoseconds cas) {
  DdrCommand event{0, 0, place8(at.channel), place8(at.rank), place8(at.bank_group), place8(at.bank)};
  event.group = kQueueOccupancyGroup;
  event.bit = spec_.separate_queues ? (write ? 1 : 0) : 2;
  clocks(event, entered, cas);
  // Accesses end in the order in which they enter: earlier ones cover the time until the last of them ended.
  Picoseconds& told = channel.residency_told[write ? 1 : 0];
  const Picoseconds data = cas + spec_.cas_latency;
  DdrCommand residency{0, write ? 1U : 0U, place8(at.channel), 0, 0, 0, true, true};
  residency.group = kQueueResidencyGroup;
  clocks(residency, std::max(entered, told), data);
  told = std::max(told, data);
}

void ReferenceDdr::power_down_clocks(const At& at, Rank& rank, Picoseconds until) {
  DdrCommand event{0, 3, place8(at.channel), place8(at.rank), 0, 0, true};
  event.group = kQueueOccupancyGroup;
  clocks(event, rank.clocks_told, until);
  rank.clocks_told = std::max(rank.clocks_told, until);
}

void ReferenceDdr::clocks(DdrCommand event, Picoseconds after, Picoseconds until) {
  if (!spec_.counts_clocks) return;
  const Picoseconds period = spec_.clock_period;
  if (until / period <= after / period) return;
  event.when = after / period * period + period;
  event.clocks = until / period - after / period;
  tell(event);
}

void ReferenceDdr::on_clocks(Picoseconds first, std::uint64_t edges, std::uint16_t group, unsigned bit) {
  DdrCommand event;
  event.when = first;
  event.clocks = edges;
  event.bit = bit;
  event.group = group;
  tell(event);
}

void ReferenceDdr::leave_power_down(const At& at, Rank& rank, Picoseconds when) {
  if (rank.power != Power::down) return;
  power_down_clocks(at, rank, when);
  tell(kPowerDownExit, at, when, true);
  rank.power = Power::up;
  rank.ready = when + spec_.t_xp;
}

void ReferenceDdr::open(const At& at, Rank& rank, Bank& bank, std::uint64_t row, Picoseconds start) {
  if (bank.row) {
    const Picoseconds precharge = std::max(start, bank.pre_ready);
    tell(kPre, at, precharge);
    bank.act_ready = precharge + spec_.t_rp;
  }
  if (spec_.rfm_after != 0 && bank.acts == spec_.rfm_after) {
    const Picoseconds management = std::max(start, bank.act_ready);
    tell(kRfm, at, management);
    bank.acts = 0;
    bank.act_ready = management + spec_.t_rfm;
  }
  Picoseconds activate = std::max(start, bank.act_ready);
  if (rank.last_act) activate = std::max(activate, *rank.last_act + spec_.t_rrd);
  tell(kAct, at, activate);
  rank.last_act = activate;
  ++bank.acts;
  bank.row = row;
  bank.cas_ready = activate + spec_.t_rcd;
  bank.pre_ready = activate + spec_.t_ras;
}

std::optional<ReferenceDdr::Due> ReferenceDdr::next_due(const Channel& channel) const {
  std::optional<Due> first;
  const auto offer = [&first](Picoseconds when, unsigned rank, Timer timer) {
    if (!first || when < first->when) first = Due{when, rank, timer};  // at equal times, the one offered first
  };
  for (unsigned r = 0; r < channel.ranks.size(); ++r) {
    const Rank& rank = channel.ranks[r];
    if (rank.power == Power::self_refresh) continue;
    if (spec_.refresh != CxlDdrSpec::Refresh::none) offer(rank.refresh_due, r, Timer::refresh);
    if (spec_.power_down_after != 0 && rank.power == Power::up)
      offer(rank.busy + spec_.power_down_after, r, Timer::power_down);
    if (spec_.self_refresh_after != 0)
      offer(std::max(rank.last_use + spec_.self_refresh_after, rank.busy), r, Timer::self_refresh);
  }
  return first;
}

void ReferenceDdr::run_timers(unsigned channel, Picoseconds until) {
  while (const std::optional<Due> due = next_due(channels_[channel])) {
    if (due->when > until) return;
    Rank& rank = channels_[channel].ranks[due->rank];
    const At at{channel, due->rank};
    switch (due->timer) {
      case Timer::refresh:
        refresh(at, rank, due->when);
        break;
      case Timer::power_down:
        tell(kPowerDownEntry, at, due->when, true);
        rank.power = Power::down;
        rank.clocks_told = due->when;
        break;
      case Timer::self_refresh:
        enter_self_refresh(at, rank, due->when);
        break;
    }
  }
}

void ReferenceDdr::refresh(const At& at, Rank& rank, Picoseconds due) {
  leave_power_down(at, rank, due);
  const Picoseconds start = std::max({due, rank.ready, rank.busy});
  if (spec_.refresh == CxlDdrSpec::Refresh::all_banks) {
    refresh_all(at, rank, start);
  } else {
    refresh_one(at, rank, start);
  }
  rank.refresh_due = due + refresh_interval();
}

void ReferenceDdr::refresh_all(const At& at, Rank& rank, Picoseconds start) {
  const Picoseconds when = precharge_all(at, rank, start);
  tell(kRefresh, at, when, true);
  tell(kRefreshAllBanks, at, when, true);
  for (Bank& bank : rank.banks) {
    bank.act_ready = when + spec_.t_rfc;
    bank.acts = 0;
  }
  rank.busy = when + spec_.t_rfc;
}

void ReferenceDdr::refresh_one(const At& at, Rank& rank, Picoseconds start) {
  const unsigned number = rank.refresh_bank;
  rank.refresh_bank = (number + 1) % spec_.banks;
  Picoseconds when = start;
  for (unsigned group = 0; group < spec_.bank_groups; ++group) {
    Bank& state = bank(rank, group, number);
    if (state.row) {
      const Picoseconds precharge = std::max(start, state.pre_ready);
      tell(kPre, {at.channel, at.rank, group, number}, precharge);
      state.row.reset();
      state.act_ready = precharge + spec_.t_rp;
    }
    when = std::max(when, state.act_ready);
  }
  tell(kRefresh, {at.channel, at.rank, 0, number}, when);
  tell(kRefreshSameBank, {at.channel, at.rank, 0, number}, when);
  for (unsigned group = 0; group < spec_.bank_groups; ++group) {
    Bank& state = bank(rank, group, number);
    state.act_ready = when + spec_.t_rfc_sb;
    state.acts = 0;
  }
  rank.busy = std::max(rank.busy, when + spec_.t_rfc_sb);
}

Picoseconds ReferenceDdr::precharge_all(const At& at, Rank& rank, Picoseconds start) {
  bool any = false;
  Picoseconds precharge = start;
  for (const Bank& bank : rank.banks) {
    if (!bank.row) continue;
    any = true;
    precharge = std::max(precharge, bank.pre_ready);
  }
  if (any) tell(kPre, at, precharge, true);
  Picoseconds ready = start;
  for (Bank& bank : rank.banks) {
    if (bank.row) {
      bank.row.reset();
      bank.act_ready = precharge + spec_.t_rp;
    }
    ready = std::max(ready, bank.act_ready);
  }
  return ready;
}

void ReferenceDdr::enter_self_refresh(const At& at, Rank& rank, Picoseconds due) {
  leave_power_down(at, rank, due);
  const Picoseconds when = precharge_all(at, rank, std::max(due, rank.ready));
  tell(kSelfRefreshEntry, at, when, true);
  rank.power = Power::self_refresh;
  rank.self_refresh_since = when;
}

void ReferenceDdr::advance(Picoseconds when) {
  reached_ = std::max(reached_, when);
  run_all(when);
  pass();
}

void ReferenceDdr::pass() {
  if (reached_ < passed_ + kMemory + kPassEvery) return;
  passed_ = reached_ - kMemory;
  run_all(passed_);
  for (Listener* const listener : listeners_) listener->on_passed(passed_);
}

void ReferenceDdr::run_all(Picoseconds until) {
  for (unsigned channel = 0; channel < channels_.size(); ++channel) {
    run_timers(channel, until);
    for (unsigned r = 0; r < spec_.ranks; ++r) {
      Rank& rank = channels_[channel].ranks[r];
      if (rank.power == Power::down) power_down_clocks({channel, r}, rank, until);
    }
  }
  load_.advance(until);
}

void ReferenceDdr::tell(unsigned bit, const At& at, Picoseconds when, bool whole_rank) {
  const DdrCommand command{when,
                           bit,
                           static_cast<std::uint8_t>(at.channel),
                           static_cast<std::uint8_t>(at.rank),
                           static_cast<std::uint8_t>(whole_rank ? 0 : at.bank_group),
                           static_cast<std::uint8_t>(whole_rank ? 0 : at.bank),
                           whole_rank};
  tell(command);
}

void ReferenceDdr::tell(const DdrCommand& command) {
  const auto last = [this](const DdrCommand& one) { return one.when + (one.clocks - 1) * spec_.clock_period; };
  while (!recent_.empty() && last(recent_.front()) + kMemory < reached_) recent_.pop_front();
  recent_.push_back(command);
  for (Listener* const listener : listeners_) listener->on_command(command);
}

void ReferenceDdr::add(Listener& listener) {
  listeners_.push_back(&listener);
  for (const DdrCommand& command : recent_) listener.on_command(command);
}

}  // namespace pmufab::scoreboard
