// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/memory/ddr_channel.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace pmufab::cxl {

namespace {
constexpr std::array<std::string_view, 28> kProbeNames = {"act",
                                                          "pre",
                                                          "cas_rd",
                                                          "cas_wr",
                                                          "self_refresh_entry",
                                                          "rfm",
                                                          "cas_rd_ap",
                                                          "cas_wr_ap",
                                                          "refresh_all_banks",
                                                          "refresh_same_bank",
                                                          "power_down_entry",
                                                          "power_down_exit",
                                                          "rd_wr_switching",
                                                          "incoming_rd",
                                                          "incoming_wr",
                                                          "pre_all_banks",
                                                          "refresh.all_banks",
                                                          "refresh.same_bank",
                                                          "read_queue",
                                                          "write_queue",
                                                          "queue",
                                                          "power_down",
                                                          "read_residency",
                                                          "write_residency",
                                                          "retry_read_crc",
                                                          "retry_write_crc",
                                                          "retry_parity",
                                                          "retry_ecc"};
}

DdrChannel::DdrChannel(const std::string& name, DdrController& controller)
    : controller_(controller),
      engine_(controller.engine_),
      parameters_(controller.parameters_),
      timing_(parameters_.timing),
      shape_(parameters_.shape),
      actor_(engine_.add(*this)),
      ranks_(shape_.ranks) {
  static_assert(kProbeNames.size() == kEvents);
  for (const std::string_view event : kProbeNames) probes_.emplace_back(name + "." + std::string(event));
  for (unsigned event = 0; event < kEvents; ++event) {
    if (!is_command(event)) continue;
    probes_[event].on_watch([](void* context) { static_cast<DdrChannel*>(context)->begin_watch(); }, this);
  }
  Picoseconds interval = timing_.refresh_interval;
  if (parameters_.refresh_mode == RefreshMode::same_bank) interval /= shape_.banks;
  for (unsigned number = 0; number < shape_.ranks; ++number) {
    Rank& rank = ranks_[number];
    rank.banks.resize(static_cast<std::size_t>(shape_.bank_groups) * shape_.banks);
    if (parameters_.refresh_mode != RefreshMode::none) rank.refresh_due = interval + number * interval / shape_.ranks;
  }
  update_timer();
  wake();
}

bool DdrChannel::is_watched() const noexcept {
  for (unsigned event = 0; event < kEvents; ++event) {
    if (is_command(event) && probes_[event].is_watched()) return true;
  }
  return false;
}

bool DdrChannel::only_adds() const noexcept {
  // No counter advances that far within a turn.
  constexpr std::uint64_t kFar = std::uint64_t{1} << 32;
  for (unsigned event = 0; event < kEvents; ++event) {
    if (is_command(event) && probes_[event].uneventful() < kFar) return false;
  }
  return true;
}

/// @return true if the next command need not be published at its time, because no counter can show the difference.
bool DdrChannel::may_wait() {
  constexpr unsigned kPatience = 4;  // in a short turn, checking all probes costs more than it saves
  const std::uint64_t turn = engine_.turn();
  if (turn == 0) return false;
  if (turn != turn_) {
    turn_ = turn;
    wakes_ = 0;
    waiting_ = false;
  }
  if (waiting_ || ++wakes_ != kPatience) return waiting_;
  waiting_ = only_adds();
  if (waiting_) engine_.call_at_end(*this);
  return waiting_;
}

void DdrChannel::catch_up_before(Picoseconds end) {
  publish_before(end);
  waiting_ = false;
  wake();
}

void DdrChannel::begin_watch() {
  if (watched_) {
    publish_before(engine_.now());
    waiting_ = false;
    wake();
    return;
  }
  Ring<Command> sorted;
  while (!commands_.empty()) sorted.insert(commands_.pop(), Command::is_after);
  commands_ = std::move(sorted);
  // At one instant, the start of a watch comes first.
  publish_before(engine_.now());
  watched_ = true;
  wake();
}

void DdrChannel::add_sources(std::uint8_t channel, EventGroup& group) {
  const auto add = [&](unsigned bit, Event event, bool any_bank) {
    group.sources.push_back({bit, &probes_[event], channel, any_bank});
  };
  add(0, act_event, false);
  add(1, pre_event, false);
  add(1, pre_all_event, true);
  add(2, read_event, false);
  add(3, write_event, false);
  add(4, refresh_of_all_event, true);
  add(4, refresh_of_same_event, false);
  add(5, self_refresh_event, true);
  add(6, rfm_event, false);
  add(7, read_ap_event, false);
  add(8, write_ap_event, false);
  add(9, refresh_all_event, true);
  add(10, refresh_same_event, false);
  add(11, power_down_entry_event, true);
  add(12, power_down_exit_event, true);
  add(13, turnaround_event, false);
  add(14, incoming_read_event, false);
  add(15, incoming_write_event, false);
}

void DdrChannel::add_other_sources(std::uint8_t channel, EventGroup& queues, EventGroup& residency,
                                   EventGroup& retries) {
  if (parameters_.separate_queues) {
    queues.sources.push_back({0, &probes_[read_queue_event], channel});
    queues.sources.push_back({1, &probes_[write_queue_event], channel});
  } else {
    queues.sources.push_back({2, &probes_[merged_queue_event], channel});
  }
  queues.sources.push_back({3, &probes_[power_down_event], channel, true});
  residency.sources.push_back({0, &probes_[read_residency_event], channel, true, true});
  residency.sources.push_back({1, &probes_[write_residency_event], channel, true, true});
  for (unsigned bit = 0; bit < 4; ++bit) retries.sources.push_back({bit, &probes_[read_crc_event + bit], channel});
}

void DdrChannel::sample(Picoseconds edge) {
  // Accesses that entered before the edge and had not left before it.
  bool reads = false;
  bool writes = false;
  for (std::size_t i = 0; i < queued_.size(); ++i) {
    const Queued& access = queued_.at(i);
    if (access.entered >= edge) break;
    if (access.data < edge) continue;
    (access.write ? writes : reads) = true;
    if (access.cas < edge) continue;
    const Event queue = !parameters_.separate_queues ? merged_queue_event
                        : access.write               ? write_queue_event
                                                     : read_queue_event;
    probes_[queue].publish(1, access.qualifier, edge);
  }
  if (reads) probes_[read_residency_event].publish(1, 0, edge);
  if (writes) probes_[write_residency_event].publish(1, 0, edge);
  for (unsigned number = 0; number < ranks_.size(); ++number) {
    const Rank& rank = ranks_[number];
    if (rank.down < edge && (rank.power == Power::power_down || rank.up == edge))
      probes_[power_down_event].publish(1, first_qualifier(number), edge);
  }
}

/// @return the error of the next CAS of its kind, if it fails.
std::optional<DdrChannel::Event> DdrChannel::error(bool write) noexcept {
  const DdrRetries& retries = parameters_.retries;
  const std::uint64_t number = ++(write ? writes_ : reads_);
  const auto due = [](unsigned every, std::uint64_t count) { return every != 0 && count % every == 0; };
  if (due(retries.parity_every, reads_ + writes_)) return parity_event;
  if (due(write ? retries.write_crc_every : retries.read_crc_every, number))
    return write ? write_crc_event : read_crc_event;
  if (!write && due(retries.ecc_every, number)) return ecc_event;
  return std::nullopt;
}

/// @return when the CAS succeeds.
Picoseconds DdrChannel::retry(Picoseconds cas, bool write, unsigned qualifier) {
  const std::optional<Event> cause = error(write);
  if (!cause) return cas;
  const Picoseconds again = cas + std::max(parameters_.retries.delay, timing_.cas_to_cas);
  issue(again, *cause, qualifier);
  issue(again, write ? write_event : read_event, qualifier);
  return again;
}

void DdrChannel::access(const DdrPlace& place, bool write, std::uint32_t ticket) {
  const Picoseconds now = engine_.now();
  now_ = now;
  publish_before(now);
  if (timer_ <= now) catch_up(now);
  Rank& rank = ranks_[place.rank];
  const unsigned qualifier = shape_.qualifier(place.rank, place.bank_group, place.bank);
  Bank& bank = rank.banks[place.bank_group * shape_.banks + place.bank];
  probes_[write ? incoming_write_event : incoming_read_event].publish(1, qualifier, now);
  if (rank.power == Power::self_refresh) {
    rank.ready = std::max(now, rank.asleep) + timing_.self_refresh_exit;
    rank.power = Power::active;
    if (parameters_.refresh_mode != RefreshMode::none) rank.refresh_due = now + timing_.refresh_interval;
  }
  Picoseconds start = std::max(leave_power_down(rank, place.rank, now), controller_.held_until_);
  if (bank.row != place.row) start = open_row(rank, bank, place, start, qualifier);
  Picoseconds cas = std::max(start, bank.cas_ready);
  if (any_cas_) {
    const Picoseconds gap = write == last_write_ ? timing_.cas_to_cas
                            : write              ? timing_.read_to_write
                                                 : timing_.write_to_read;
    cas = std::max(cas, last_cas_ + gap);
    if (write != last_write_) issue(cas, turnaround_event, qualifier);
  }
  any_cas_ = true;
  last_write_ = write;
  issue(cas, write ? write_event : read_event, qualifier);
  if (parameters_.retries.any()) [[unlikely]]
    cas = retry(cas, write, qualifier);
  last_cas_ = cas;
  ++accesses_;
  if (cas > std::max(now, waited_until_)) waited_ += cas - std::max(now, waited_until_);
  waited_until_ = std::max(waited_until_, cas);
  bank.pre_ready = std::max(bank.pre_ready, cas + (write ? timing_.write_to_pre : timing_.read_to_pre));
  if (parameters_.page_policy == PagePolicy::closed) {
    issue(cas, write ? write_ap_event : read_ap_event, qualifier);
    bank.row = kNoRow;
    bank.act_ready = bank.pre_ready + timing_.pre_to_act;
  }
  rank.busy = std::max(rank.busy, cas);
  rank.last_use = std::max(rank.last_use, cas);
  while (!queued_.empty() && queued_.front().data < now) queued_.pop();
  const Picoseconds data = cas + timing_.cas_latency;
  queued_.push({now, cas, data, static_cast<std::uint8_t>(qualifier), write});
  if (ticket != DdrController::kNoTicket) {
    const Picoseconds end = data + controller_.delay_;
    completions_.push({(end + controller_.alignment_ - 1) / controller_.alignment_ * controller_.alignment_, ticket});
  }
  update_timer();
  wake();
}

Picoseconds DdrChannel::open_row(Rank& rank, Bank& bank, const DdrPlace& place, Picoseconds start, unsigned qualifier) {
  if (bank.row != kNoRow) {
    const Picoseconds pre = std::max(start, bank.pre_ready);
    issue(pre, pre_event, qualifier);
    bank.act_ready = pre + timing_.pre_to_act;
  }
  if (parameters_.rfm_after != 0 && bank.acts == parameters_.rfm_after) {
    const Picoseconds rfm = std::max(start, bank.act_ready);
    issue(rfm, rfm_event, qualifier);
    bank.acts = 0;
    bank.act_ready = rfm + timing_.refresh_management;
  }
  Picoseconds when = std::max(start, bank.act_ready);
  if (rank.activated) when = std::max(when, rank.last_act + timing_.act_to_act);
  issue(when, act_event, qualifier);
  rank.activated = true;
  rank.last_act = when;
  ++bank.acts;
  bank.row = place.row;
  bank.cas_ready = when + timing_.act_to_cas;
  bank.pre_ready = when + timing_.act_to_pre;
  return start;
}

Picoseconds DdrChannel::power_down_due(const Rank& rank) const noexcept {
  if (parameters_.power_down_after == 0 || rank.power != Power::active) return kNever;
  return rank.busy + parameters_.power_down_after;
}

Picoseconds DdrChannel::self_refresh_due(const Rank& rank) const noexcept {
  if (parameters_.self_refresh_after == 0 || rank.power == Power::self_refresh) return kNever;
  return std::max(rank.last_use + parameters_.self_refresh_after, rank.busy);
}

void DdrChannel::update_timer() noexcept {
  timer_ = kNever;
  for (const Rank& rank : ranks_) {
    if (rank.power != Power::self_refresh) timer_ = std::min(timer_, rank.refresh_due);
    timer_ = std::min({timer_, power_down_due(rank), self_refresh_due(rank)});
  }
}

void DdrChannel::catch_up(Picoseconds now) {
  if (watched_) watched_ = is_watched();  // check occasionally
  while (timer_ <= now) {
    for (unsigned number = 0; number < ranks_.size(); ++number) {
      Rank& rank = ranks_[number];
      if (rank.power != Power::self_refresh && rank.refresh_due == timer_) {
        if (parameters_.refresh_mode == RefreshMode::all_banks) {
          refresh_all(rank, number);
        } else {
          refresh_same(rank, number);
        }
      }
      if (power_down_due(rank) == timer_) {
        issue(timer_, power_down_entry_event, first_qualifier(number));
        rank.power = Power::power_down;
        rank.down = timer_;
      }
      if (self_refresh_due(rank) == timer_) enter_self_refresh(rank, number, timer_);
    }
    update_timer();
  }
}

/// @return when the rank takes commands.
Picoseconds DdrChannel::leave_power_down(Rank& rank, unsigned number, Picoseconds when) {
  if (rank.power == Power::power_down) {
    issue(when, power_down_exit_event, first_qualifier(number));
    rank.power = Power::active;
    rank.up = when;
    rank.ready = when + timing_.power_down_exit;
  }
  return std::max(when, rank.ready);
}

/// @return when no bank of the rank is open or in precharge any more.
Picoseconds DdrChannel::close_all(Rank& rank, unsigned number, Picoseconds start) {
  Picoseconds pre = start;
  bool any_open = false;
  for (const Bank& bank : rank.banks) {
    if (bank.row == kNoRow) continue;
    any_open = true;
    pre = std::max(pre, bank.pre_ready);
  }
  if (any_open) issue(pre, pre_all_event, first_qualifier(number));
  Picoseconds ready = start;
  for (Bank& bank : rank.banks) {
    if (bank.row != kNoRow) {
      bank.row = kNoRow;
      bank.act_ready = pre + timing_.pre_to_act;
    }
    ready = std::max(ready, bank.act_ready);
  }
  return ready;
}

void DdrChannel::refresh_all(Rank& rank, unsigned number) {
  const Picoseconds start = std::max(leave_power_down(rank, number, rank.refresh_due), rank.busy);
  const Picoseconds when = close_all(rank, number, start);
  issue(when, refresh_of_all_event, first_qualifier(number));
  issue(when, refresh_all_event, first_qualifier(number));
  for (Bank& bank : rank.banks) {
    bank.act_ready = when + timing_.refresh;
    bank.acts = 0;
  }
  rank.busy = when + timing_.refresh;
  rank.refresh_due += timing_.refresh_interval;
}

void DdrChannel::refresh_same(Rank& rank, unsigned number) {
  const Picoseconds start = std::max(leave_power_down(rank, number, rank.refresh_due), rank.busy);
  Picoseconds when = start;
  for (unsigned group = 0; group < shape_.bank_groups; ++group) {
    Bank& bank = rank.banks[group * shape_.banks + rank.next_bank];
    if (bank.row != kNoRow) {
      const Picoseconds pre = std::max(start, bank.pre_ready);
      issue(pre, pre_event, shape_.qualifier(number, group, rank.next_bank));
      bank.row = kNoRow;
      bank.act_ready = pre + timing_.pre_to_act;
    }
    when = std::max(when, bank.act_ready);
  }
  issue(when, refresh_of_same_event, shape_.qualifier(number, 0, rank.next_bank));
  issue(when, refresh_same_event, shape_.qualifier(number, 0, rank.next_bank));
  for (unsigned group = 0; group < shape_.bank_groups; ++group) {
    Bank& bank = rank.banks[group * shape_.banks + rank.next_bank];
    bank.act_ready = when + timing_.refresh_same_bank;
    bank.acts = 0;
  }
  rank.busy = std::max(rank.busy, when + timing_.refresh_same_bank);
  rank.refresh_due += timing_.refresh_interval / shape_.banks;
  rank.next_bank = rank.next_bank + 1 < shape_.banks ? rank.next_bank + 1 : 0;
}

void DdrChannel::enter_self_refresh(Rank& rank, unsigned number, Picoseconds when) {
  const Picoseconds start = leave_power_down(rank, number, when);
  rank.asleep = close_all(rank, number, start);
  issue(rank.asleep, self_refresh_event, first_qualifier(number));
  rank.power = Power::self_refresh;
}

void DdrChannel::wake() {
  Picoseconds when = timer_;
  if (watched_ && !commands_.empty() && !may_wait()) when = std::min(when, commands_.front().when);
  if (!completions_.empty()) when = std::min(when, completions_.front().when);
  if (when != engine_.time(actor_)) engine_.set(actor_, when);
}

void DdrChannel::act(Picoseconds now) {
  now_ = now;
  publish_before(now);
  if (timer_ <= now) catch_up(now);
  publish_before(now + 1);
  while (!completions_.empty() && completions_.front().when <= now)
    controller_.client_.access_done(completions_.pop().ticket, now);
  wake();
}

}  // namespace pmufab::cxl
