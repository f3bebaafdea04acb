// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/scoreboard.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/judge/events/event_record.h"

namespace pmufab::scoreboard {

using perf::EventHandle;
using perf::PerfCallObserver;
using Severity = Finding::Severity;

namespace {

std::string_view call_name(PerfCallObserver::Call call) {
  constexpr std::array<std::string_view, 11> kCallNames{"pmu_disable", "pmu_enable", "add",       "del",
                                                        "start",       "stop",       "read",      "interrupt",
                                                        "start_txn",   "commit_txn", "cancel_txn"};
  return kCallNames.at(static_cast<std::size_t>(call));
}

}  // namespace

struct Scoreboard::State {
  // A call of the perf core that has begun and not ended.
  struct Frame {
    Call call;
    PmuJudge* pmu;  // nullptr if not judged
    EventHandle event;
    Picoseconds begin;
    std::uint64_t value;             // of a transaction: its kind
    bool switched = false;           // pmu_enable, pmu_disable: the driver wrote the control register accordingly
    bool add_failed = false;         // add
    std::vector<PmuJudge*> written;  // PMUs whose control registers were written inside
    std::map<EventHandle, EventRecord::Point> at_begin{};  // for pmu_disable: the events that counted at its begin
    std::optional<EventRecord::Point> low{};               // for read
    std::optional<EventRecord::Point> sample{};            // for read
    std::uint64_t sample_address = 0;                      // for read
    /// For read: what was latched, by a bit for each counter, and when.
    std::vector<std::pair<std::uint64_t, EventRecord::Point>> latched{};
  };

  PmuJudge* find_pmu(const std::string& name) {
    const auto found = std::find_if(pmus.begin(), pmus.end(), [&](const PmuJudge* pmu) { return pmu->name() == name; });
    return found == pmus.end() ? nullptr : *found;
  }
  EventRecord& record(EventHandle event, const PmuJudge& pmu) {
    return records.try_emplace(event, event, pmu).first->second;
  }
  EventRecord* find_record(EventHandle event) {
    const auto found = records.find(event);
    return found == records.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool has_active_events(const PmuJudge& pmu) const {
    return std::any_of(records.begin(), records.end(),
                       [&](const auto& entry) { return &entry.second.pmu() == &pmu && entry.second.active(); });
  }

  /// @return false if an event does not count that something else than its PMU lets count
  [[nodiscard]] bool all_on(const PmuJudge& pmu) const {
    return std::ranges::all_of(records, [&](const auto& entry) {
      return &entry.second.pmu() != &pmu || !entry.second.active() || entry.second.is_on(true);
    });
  }

  /// @return PmuJudge::room_for(); empty, too, where nobody can say, as for events whose meaning is not known. Where
  ///         nobody can say, an idle PMU has room for what event_init has taken
  [[nodiscard]] std::string room_beside(EventHandle event, const std::vector<const EventRecord*>& others) {
    const EventRecord* const wanted = find_record(event);
    if (wanted == nullptr || !wanted->has_truth()) return {};
    std::vector<const EventTruth*> active;
    for (const EventRecord* const other : others) {
      if (other == nullptr || !other->has_truth()) return {};
      active.push_back(other->truth());
    }
    return wanted->pmu().room_for(*wanted->truth(), active).value_or(active.empty() ? "no other event on" : "");
  }

  [[nodiscard]] std::string room_for(EventHandle event, const PmuJudge& pmu) {
    std::vector<const EventRecord*> active;
    for (const auto& [handle, other] : records) {
      if (&other.pmu() == &pmu && handle != event && other.active()) active.push_back(&other);
    }
    return room_beside(event, active);
  }

  void note_if_unexpected(EventHandle event) {
    const EventRecord* const found = find_record(event);
    if (found == nullptr || found->has_truth()) return;
    findings.add(Severity::note, "event_without_expectation",
                 fmt::format("{}: event {} was counted, and its meaning was not given", found->pmu().name(), event),
                 chronicle.last_seen);
  }

  void start(PmuJudge& pmu, Picoseconds when) {
    pmu.running = true;
    for (auto& [handle, event] : records) {
      if (&event.pmu() != &pmu) continue;
      event.begin_span(when);
      event.note_cause(when);
    }
  }
  void stop(PmuJudge& pmu, Picoseconds when) {
    pmu.running = false;
    pmu.stopped_by = who_stops();
    for (auto& [handle, event] : records) {
      if (&event.pmu() != &pmu) continue;
      event.end_span(when);
      if (event.active()) event.note_cause(when);
      event.settle(busy_since(when));
    }
  }
  /// @param when  the innermost call began that has just ended, or now
  /// @return when the outermost call began that the driver is in.
  [[nodiscard]] Picoseconds busy_since(Picoseconds when) const {
    return frames.empty() ? when : std::min(when, frames.front().begin);
  }
  /// @return who stops a PMU now, by the calls that the driver is in.
  [[nodiscard]] LossCause who_stops() const {
    const auto is_handler = [](const Frame& frame) { return frame.call == Call::interrupt; };
    if (std::any_of(frames.begin(), frames.end(), is_handler)) return LossCause::handler;
    if (frames.empty()) return LossCause::disabled;
    const Frame& inner = frames.back();
    const bool reads = inner.call == Call::read ||
                       (inner.call == Call::start_txn && inner.value == PerfCallObserver::kReadTransaction);
    return reads ? LossCause::reading : LossCause::disabled;
  }

  /// Where registers alone say when events count, they may say otherwise now.
  void follow(PmuJudge& pmu, Picoseconds when) {
    if (!follows_registers || pmu.lets_count() == pmu.running) return;
    if (pmu.running) {
      stop(pmu, when);
    } else {
      start(pmu, when);
    }
  }
  void control_written(PmuJudge& pmu, Picoseconds when);
  void begin_call(Call call, const std::string& name, EventHandle event, std::uint64_t value, Picoseconds when);
  void end_call(Frame& frame, std::uint64_t value, Picoseconds when);
  void end_enable(Frame& frame, Picoseconds when);
  void end_disable(Frame& frame, Picoseconds when);
  void end_transaction(Frame& frame, Picoseconds when);
  void end_handler(Frame& frame, Picoseconds when);
  void end_event_call(Frame& frame, std::uint64_t value, Picoseconds when);

  Chronicle chronicle;
  Findings& findings = chronicle.findings;
  std::vector<std::unique_ptr<FabricJudge>> fabrics;
  std::vector<PmuJudge*> pmus;
  std::map<EventHandle, EventRecord> records;
  std::vector<Frame> frames;
  bool follows_registers = false;
};

void Scoreboard::State::control_written(PmuJudge& pmu, Picoseconds when) {
  if (when < chronicle.last_traffic) {
    findings.add(Severity::note, "order_of_time",
                 fmt::format("{}: control register written at {} ps, after a request of {} ps", pmu.name(), when,
                             chronicle.last_traffic),
                 when);
  }
  chronicle.last_control = when;
  if (follows_registers) return;
  const bool on = pmu.written_on();
  if (frames.empty()) {
    if (pmu.wanted && on != pmu.running && has_active_events(pmu)) {
      findings.add(Severity::note, "control_write_outside_calls",
                   fmt::format("{}: control register written outside the perf core's calls; not followed", pmu.name()),
                   when);
    }
    return;
  }
  Frame& frame = frames.back();
  if (std::find(frame.written.begin(), frame.written.end(), &pmu) == frame.written.end()) frame.written.push_back(&pmu);
  if (frame.pmu == &pmu && frame.call == Call::pmu_enable) {
    if (on && !frame.switched) {
      frame.switched = true;
      pmu.wanted = true;
      start(pmu, when);
    }
  } else if (frame.pmu == &pmu && frame.call == Call::pmu_disable) {
    if (!on && !frame.switched) {
      frame.switched = true;
      pmu.wanted = false;
      pmu.held = false;
      stop(pmu, when);
    }
  } else if (pmu.wanted && pmu.running && !on) {
    pmu.held = true;
    stop(pmu, when);
  } else if (pmu.wanted && pmu.held && on) {
    pmu.held = false;
    start(pmu, when);
  }
}

void Scoreboard::State::begin_call(Call call, const std::string& name, EventHandle event, std::uint64_t value,
                                   Picoseconds when) {
  frames.push_back({call, find_pmu(name), event, when, value, false, false, {}});
  Frame& frame = frames.back();
  if (frame.pmu == nullptr) return;
  if (call == Call::start_txn) frame.pmu->in_transaction = true;
  if (call == Call::pmu_disable) {
    // Where the spans end if the driver does not write the register.
    for (auto& [handle, touched] : records) {
      if (&touched.pmu() == frame.pmu && touched.open()) frame.at_begin.emplace(handle, *touched.point(when));
    }
    return;
  }
  if (event == 0) return;
  EventRecord& touched = record(event, *frame.pmu);
  if (call == Call::add) return;
  if (const std::optional<Picoseconds> since = touched.confirm()) {
    findings.add(Severity::failure, "pmu_not_started",
                 fmt::format("{}: pmu_enable returned with event {}{} active and the PMU not counting", name, event,
                             touched.has_truth() ? fmt::format(" ({})", touched.text()) : ""),
                 *since);
  }
  if (call == Call::del || call == Call::stop) {
    if (!touched.has_own_gate()) touched.deactivate(when);
  } else if (call == Call::read) {
    frame.low = touched.point_of_read(when);
  }
}

void Scoreboard::State::end_call(Frame& frame, std::uint64_t value, Picoseconds when) {
  if (frame.call == Call::pmu_enable && frame.pmu != nullptr) {
    end_enable(frame, when);
  } else if (frame.call == Call::pmu_disable && frame.pmu != nullptr) {
    end_disable(frame, when);
  } else {
    if (frame.pmu != nullptr && frame.event != 0) end_event_call(frame, value, when);
    if (frame.pmu != nullptr && (frame.call == Call::commit_txn || frame.call == Call::cancel_txn))
      end_transaction(frame, when);
    end_handler(frame, when);
  }
}

void Scoreboard::State::end_enable(Frame& frame, Picoseconds when) {
  PmuJudge& pmu = *frame.pmu;
  if (!frame.switched) {
    pmu.wanted = true;
    // A driver may keep its PMU stopped until the transaction ends.
    pmu.held = pmu.in_transaction && !pmu.written_on();
    if (pmu.held) return;
    start(pmu, when);
  }
  for (auto& [handle, touched] : records) {
    if (&touched.pmu() == &pmu && touched.active() && !touched.is_on(frame.switched || pmu.written_on()))
      touched.suspect(when);
  }
}

void Scoreboard::State::end_disable(Frame& frame, Picoseconds when) {
  PmuJudge& pmu = *frame.pmu;
  if (!frame.switched) {
    pmu.wanted = false;
    pmu.held = false;
    pmu.running = false;
    pmu.stopped_by = LossCause::disabled;
    for (auto& [handle, touched] : records) {
      if (&touched.pmu() != &pmu) continue;
      const auto point = frame.at_begin.find(handle);
      touched.end_span_at(point == frame.at_begin.end() ? std::nullopt : std::optional(point->second));
      touched.settle(busy_since(frame.begin));
    }
  } else {
    for (const auto& [handle, point] : frame.at_begin) {
      if (EventRecord* const touched = find_record(handle); touched != nullptr) touched->forget(point);
    }
  }
  if (pmu.written_on() && has_active_events(pmu)) {
    findings.add(Severity::failure, "pmu_not_stopped",
                 fmt::format("{}: pmu_disable returned and the PMU still counts", pmu.name()), when);
  }
}

void Scoreboard::State::end_transaction(Frame& frame, Picoseconds when) {
  PmuJudge& pmu = *frame.pmu;
  pmu.in_transaction = false;
  if (!pmu.held || pmu.written_on()) return;
  pmu.held = false;
  start(pmu, when);
  findings.add(
      Severity::failure, "transaction_left_pmu_stopped",
      fmt::format("{}: the {} call ended the transaction and left the PMU stopped", pmu.name(), call_name(frame.call)),
      when);
}

void Scoreboard::State::end_handler(Frame& frame, Picoseconds when) {
  // The state that the perf core wants must hold again.
  for (PmuJudge* const written : frame.written) {
    PmuJudge& pmu = *written;
    if (pmu.held && pmu.in_transaction) continue;
    if (pmu.held) {
      pmu.held = false;
      start(pmu, when);
      findings.add(
          Severity::failure, "handler_left_pmu_stopped",
          fmt::format("{}: the {} call stopped the PMU and did not start it again", pmu.name(), call_name(frame.call)),
          when);
    } else if (pmu.written_on() && !has_active_events(pmu)) {
      // Two names of the same registers: the call is for the other one.
      if (frame.pmu != nullptr && frame.pmu != &pmu) continue;
      findings.add(Severity::note, "handler_started_idle_pmu",
                   fmt::format("{}: the {} call started the PMU although no event is active (harmless)", pmu.name(),
                               call_name(frame.call)),
                   when);
    } else if (pmu.wanted && pmu.running && !all_on(pmu)) {
      findings.add(
          Severity::failure, "handler_left_pmu_stopped",
          fmt::format("{}: the {} call left counters stopped that have events", pmu.name(), call_name(frame.call)),
          when);
    } else if (pmu.written_on() && !pmu.wanted) {
      findings.add(Severity::failure, "pmu_started_while_disabled",
                   fmt::format("{}: the {} call started the PMU while the perf core has it disabled", pmu.name(),
                               call_name(frame.call)),
                   when);
    }
  }
}

void Scoreboard::State::end_event_call(Frame& frame, std::uint64_t value, Picoseconds when) {
  EventRecord& touched = record(frame.event, *frame.pmu);
  switch (frame.call) {
    case Call::add:
      if (!frame.add_failed) touched.activate_by_call(frame.begin, when);
      break;
    case Call::start:
      touched.activate_by_call(frame.begin, when);
      break;
    case Call::del:
    case Call::stop:
      if (touched.has_own_gate()) touched.deactivate_by_call(frame.begin, when);
      touched.set_driver_value(value);
      break;
    case Call::read:
      touched.judge_read(frame.begin, when, value, frame.low, touched.point_of_read(when), frame.sample);
      break;
    default:
      break;
  }
  touched.settle(busy_since(frame.begin));
}

Scoreboard::Scoreboard() : state_(std::make_unique<State>()) {}

/// Truths listen to judges, and judges to those before them.
Scoreboard::~Scoreboard() {
  state_->chronicle.backlog.abandon();
  state_->records.clear();
  while (!state_->fabrics.empty()) state_->fabrics.pop_back();
}

FabricJudge& Scoreboard::add_fabric(std::unique_ptr<FabricJudge> judge) {
  for (PmuJudge* const pmu : judge->pmus()) state_->pmus.push_back(pmu);
  return *state_->fabrics.emplace_back(std::move(judge));
}

std::vector<FabricJudge*> Scoreboard::fabrics() const {
  std::vector<FabricJudge*> judges;
  for (const auto& judge : state_->fabrics) judges.push_back(judge.get());
  return judges;
}

Scoreboard::State& Scoreboard::present() const {
  state_->chronicle.backlog.catch_up();
  return *state_;
}

Chronicle& Scoreboard::chronicle() noexcept { return state_->chronicle; }

void Scoreboard::use_thread() { state_->chronicle.backlog.use_thread(); }

void Scoreboard::follow_registers() {
  State& s = present();
  s.follows_registers = true;
  for (PmuJudge* const pmu : s.pmus) pmu->running = pmu->lets_count();
}

void Scoreboard::begin(EventHandle event, Picoseconds when) {
  if (EventRecord* const found = present().find_record(event)) found->activate(when);
}

void Scoreboard::end(EventHandle event, Picoseconds when) {
  if (EventRecord* const found = present().find_record(event)) found->deactivate(when);
}

void Scoreboard::on_bus_access(const MmioBus::BusAccess& access) {
  State& s = present();
  s.chronicle.see(access.when);
  if (access.is_write) {
    for (PmuJudge* const pmu : s.pmus) {
      if (pmu->see_write(access)) s.control_written(*pmu, access.when);
      s.follow(*pmu, access.when);
    }
  } else {
    for (PmuJudge* const pmu : s.pmus) pmu->see_read(access);
  }
  if (s.frames.empty()) return;
  State::Frame& frame = s.frames.back();
  if (frame.call != Call::read || frame.pmu == nullptr) return;
  const std::uint64_t latched = frame.pmu->latched_counters(access);
  if (!(access.is_write ? latched != 0 : frame.pmu->is_counter_read(access))) {
    for (const auto& [counters, point] : frame.latched) {
      if ((counters & latched) != 0) frame.sample = point;  // the last one is what is shown
    }
    return;
  }
  EventRecord* const event = s.find_record(frame.event);
  if (event == nullptr) return;
  const std::optional<EventRecord::Point> point = event->point_of_read(access.when);
  if (point && latched != 0) frame.latched.emplace_back(latched, *point);
  // In a counter read of two halves (high, low, high), the lower half, at the lower address, determines the instant.
  if (frame.sample && access.address > frame.sample_address) return;
  frame.sample = point;
  frame.sample_address = access.address;
}

void Scoreboard::on_reset(std::optional<std::uint64_t> window, Picoseconds when) {
  State& s = present();
  s.chronicle.see(when);
  for (PmuJudge* const pmu : s.pmus) {
    pmu->see_reset(window, when);
    s.follow(*pmu, when);
  }
}

void Scoreboard::on_call(Call call, bool begin, const std::string& pmu, EventHandle event, std::uint64_t value,
                         Picoseconds when) {
  State& s = present();
  s.chronicle.see(when);
  if (begin) {
    s.begin_call(call, pmu, event, value, when);
    return;
  }
  if (s.frames.empty() || s.frames.back().call != call || s.frames.back().event != event) {
    s.findings.add(Severity::failure, "call_nesting",
                   fmt::format("{}: end of a {} call that is not the innermost one", pmu, call_name(call)), when);
    return;
  }
  // Its end may start or stop a PMU, but never makes another call.
  State::Frame frame = std::move(s.frames.back());
  s.frames.pop_back();
  s.end_call(frame, value, when);
}

std::string Scoreboard::room_beside(EventHandle event, const std::vector<EventHandle>& others) const {
  std::vector<const EventRecord*> records;
  for (const EventHandle other : others) records.push_back(state_->find_record(other));
  return state_->room_beside(event, records);
}

std::string Scoreboard::on_add_failed(const std::string& /*pmu*/, EventHandle event, int error) {
  State& s = present();
  if (s.frames.empty() || s.frames.back().call != Call::add || s.frames.back().event != event) return {};
  s.frames.back().add_failed = true;
  if (s.frames.back().pmu == nullptr) return {};
  std::string room = s.room_for(event, *s.frames.back().pmu);
  const char* const name = strerrorname_np(-error);
  if (!room.empty())
    s.find_record(event)->note_refusal(
        fmt::format("its driver answered {} with {}", name == nullptr ? std::to_string(error) : name, room));
  return room;
}

std::string room_text(std::size_t used, std::size_t counters) {
  return used < counters ? fmt::format("{} of {} counters used", used, counters) : std::string();
}

bool Scoreboard::judges(const std::string& pmu) const { return state_->find_pmu(pmu) != nullptr; }

std::vector<std::string> Scoreboard::pmus() const {
  std::vector<std::string> names;
  for (const PmuJudge* const pmu : state_->pmus) names.push_back(pmu->name());
  return names;
}

Publication Scoreboard::publication(const std::string& pmu) const {
  const PmuJudge* const judge = present().find_pmu(pmu);
  return judge == nullptr ? Publication{} : judge->publication();
}

bool Scoreboard::has_term(const std::string& pmu, std::string_view term, const EventTerms& numbers) const {
  const PmuJudge* const judge = state_->find_pmu(pmu);
  return judge == nullptr || judge->has_term(term, numbers);
}

void Scoreboard::expect(EventHandle event, const std::string& pmu, const EventTerms& terms, const EventTerms* leader) {
  State& s = present();
  PmuJudge* const judge = s.find_pmu(pmu);
  if (judge == nullptr) throw std::invalid_argument(fmt::format("the scoreboard judges no PMU called '{}'", pmu));
  // First, because it may throw.
  std::unique_ptr<EventTruth> truth = leader == nullptr ? judge->truth(terms) : judge->truth_of_member(terms, *leader);
  s.record(event, *judge).set_truth(std::move(truth), s.chronicle.last_seen);
}

Injection Scoreboard::injection(const std::string& pmu, const EventTerms& terms, unsigned unit) {
  PmuJudge* const judge = present().find_pmu(pmu);
  if (judge == nullptr) throw std::invalid_argument(fmt::format("the scoreboard judges no PMU called '{}'", pmu));
  if (unit != 0 && unit >= judge->units(terms))
    throw std::invalid_argument(fmt::format("there is no unit {}: there are {}", unit, judge->units(terms)));
  return [this, tell = judge->injection(terms, unit)](std::uint64_t count, Picoseconds when) {
    present().chronicle.see(when);
    tell(count, when);
  };
}

void Scoreboard::enabling(EventHandle event) {
  if (EventRecord* const found = present().find_record(event)) found->enabling();
}

void Scoreboard::enabled(EventHandle event, Picoseconds when) {
  State& s = present();
  s.chronicle.see(when);
  if (EventRecord* const found = s.find_record(event)) found->enabled(when);
}

void Scoreboard::disabling(EventHandle event, Picoseconds when) {
  State& s = present();
  s.chronicle.see(when);
  if (EventRecord* const found = s.find_record(event)) found->disabling(when);
}

void Scoreboard::disabled(EventHandle event) {
  if (EventRecord* const found = present().find_record(event)) found->disabled();
}

std::vector<EventResult> Scoreboard::results() const {
  std::vector<EventResult> results;
  for (const auto& [handle, event] : present().records) {
    if (event.has_truth()) results.push_back(*result(handle));
  }
  return results;
}

std::optional<EventResult> Scoreboard::result(EventHandle event) const {
  State& s = present();
  EventRecord* const found = s.find_record(event);
  if (found == nullptr || !found->has_truth()) return std::nullopt;
  EventResult result = found->result(s.chronicle.last_seen);
  const std::uint64_t reported = result.driver.value_or(0);
  if (!result.account.adds_up(reported) && found->complain()) {
    s.findings.add(Severity::failure, "losses_do_not_add_up",
                   fmt::format("{}: {}: {} happened and {} were reported, but the losses are {}", result.pmu,
                               result.meaning, result.account.happened, reported, result.account.loss.sum()),
                   s.chronicle.last_seen);
  }
  return result;
}

std::uint64_t Scoreboard::expected(EventHandle event, Picoseconds when) const {
  EventRecord* const found = present().find_record(event);
  return found == nullptr ? 0 : found->expected(when);
}

std::optional<ReadCheck> Scoreboard::last_read(EventHandle event, Picoseconds until) const {
  const EventRecord* const found = present().find_record(event);
  return found == nullptr ? std::nullopt : found->last_read(until);
}

void Scoreboard::keep_last_read(EventHandle event) {
  if (EventRecord* const found = present().find_record(event)) found->keep_last_read();
}

void Scoreboard::forget(EventHandle event) {
  State& s = present();
  s.note_if_unexpected(event);
  s.records.erase(event);
}

void Scoreboard::finish() {
  State& s = present();
  for (const auto& fabric : s.fabrics) fabric->finish();
  for (const auto& [handle, event] : s.records) s.note_if_unexpected(handle);
}

const Findings& Scoreboard::findings() const { return present().findings; }

}  // namespace pmufab::scoreboard
