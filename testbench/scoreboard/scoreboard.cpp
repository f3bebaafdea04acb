#include "testbench/scoreboard/scoreboard.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/scoreboard/cmem_timeline.h"
#include "testbench/scoreboard/event_record.h"
#include "testbench/scoreboard/exact_clock.h"
#include "testbench/scoreboard/memory_wires.h"
#include "testbench/scoreboard/pmu_watch.h"
#include "testbench/scoreboard/reference_ucf.h"

namespace pmufab::scoreboard {

using driver_host::EventHandle;
using driver_host::PerfCallObserver;
using Severity = Finding::Severity;

namespace {

constexpr std::size_t kClasses = 3;

std::string_view call_name(PerfCallObserver::Call call) {
  constexpr std::array<std::string_view, 8> kNames{"pmu_disable", "pmu_enable", "add",  "del",
                                                   "start",       "stop",       "read", "interrupt"};
  return kNames.at(static_cast<std::size_t>(call));
}

}  // namespace

struct Scoreboard::State {
  explicit State(ScoreboardSpec s)
      : spec(std::move(s)), clock(spec.ucf_frequency_hz), reference(spec), wires(spec, findings) {
    for (unsigned socket = 0; socket < spec.sockets; ++socket) {
      timelines.emplace_back(clock, spec.cmem_instances, spec.cmem_controllers);
    }
    for (const UcfPmuSpec& pmu : spec.ucf_pmus) pmus.emplace_back(pmu);
    for (const CmemPmuSpec& pmu : spec.cmem_pmus) pmus.emplace_back(pmu);
    memory.resize(std::size_t{spec.sockets} * kClasses);
    last_accepted.resize(spec.sockets);
  }

  // A call of the perf core that has begun and not ended.
  struct Frame {
    Call call;
    std::string pmu_name;
    PmuWatch* pmu;  // nullptr if not judged
    EventHandle event;
    Picoseconds begin;
    bool switched = false;           // pmu_enable, pmu_disable: the driver wrote the control register accordingly
    bool add_failed = false;         // add
    std::vector<PmuWatch*> written;  // whose control registers were written inside
    Instant at_begin{};              // pmu_disable
    std::optional<EventRecord::Point> low{};     // read
    std::optional<EventRecord::Point> sample{};  // read
    std::uint64_t sample_address = 0;            // read
  };

  PmuWatch* find_pmu(const std::string& name) {
    const auto found = std::find_if(pmus.begin(), pmus.end(), [&](const PmuWatch& pmu) { return pmu.name() == name; });
    return found == pmus.end() ? nullptr : &*found;
  }
  EventRecord& record(EventHandle event, const PmuWatch& pmu) {
    return records.try_emplace(event, event, pmu, clock, timelines[pmu.socket()]).first->second;
  }
  EventRecord* find_record(EventHandle event) {
    const auto found = records.find(event);
    return found == records.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool has_active_events(const PmuWatch& pmu) const {
    return std::any_of(records.begin(), records.end(),
                       [&](const auto& entry) { return &entry.second.pmu() == &pmu && entry.second.active(); });
  }

  Instant instant(const PmuWatch& pmu, Picoseconds when) {
    Instant now;
    now.number = ++instants;
    now.when = when;
    if (pmu.kind() == PmuWatch::Kind::ucf) {
      now.ucf = reference.tally(pmu.socket());
    } else {
      now.checkpoint = timelines[pmu.socket()].checkpoint(when);
    }
    return now;
  }

  void start(PmuWatch& pmu, const Instant& now) {
    pmu.running = true;
    for (auto& [handle, event] : records) {
      if (&event.pmu() == &pmu) event.open(now);
    }
  }
  void stop(PmuWatch& pmu, const Instant& now) {
    pmu.running = false;
    for (auto& [handle, event] : records) {
      if (&event.pmu() == &pmu) event.close(now);
    }
  }

  void control_written(PmuWatch& pmu, Picoseconds when);
  void begin_call(Call call, const std::string& name, EventHandle event, Picoseconds when);
  void end_call(Frame& frame, std::uint64_t value, Picoseconds when);
  void end_enable(Frame& frame, Picoseconds when);
  void end_disable(Frame& frame, Picoseconds when);
  void end_handler(Frame& frame, Picoseconds when);
  void end_event_call(Frame& frame, std::uint64_t value, Picoseconds when);
  void see(Picoseconds when) { last_seen = std::max(last_seen, when); }

  const ScoreboardSpec spec;
  ExactClock clock;
  ReferenceUcf reference;
  Findings findings;
  MemoryWires wires;
  std::deque<CmemTimeline> timelines;  // deque: records keep references
  std::deque<PmuWatch> pmus;
  std::map<EventHandle, EventRecord> records;
  std::vector<Frame> frames;
  std::vector<MemoryTruth> memory;  // by socket and class
  std::vector<Picoseconds> last_accepted;
  Picoseconds last_control = 0;
  Picoseconds last_request = 0;
  Picoseconds last_seen = 0;
  std::uint64_t instants = 0;
};

void Scoreboard::State::control_written(PmuWatch& pmu, Picoseconds when) {
  if (when < last_request) {
    findings.add(
        Severity::note, "order_of_time",
        fmt::format("{}: control register written at {} ps, after a request of {} ps", pmu.name(), when, last_request),
        when);
  }
  last_control = when;
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
      start(pmu, instant(pmu, when));
    }
  } else if (frame.pmu == &pmu && frame.call == Call::pmu_disable) {
    if (!on && !frame.switched) {
      frame.switched = true;
      pmu.wanted = false;
      pmu.held = false;
      stop(pmu, instant(pmu, when));
    }
  } else if (pmu.wanted && pmu.running && !on) {
    pmu.held = true;
    stop(pmu, instant(pmu, when));
  } else if (pmu.wanted && pmu.held && on) {
    pmu.held = false;
    start(pmu, instant(pmu, when));
  }
}

void Scoreboard::State::begin_call(Call call, const std::string& name, EventHandle event, Picoseconds when) {
  frames.push_back({call, name, find_pmu(name), event, when, false, false, {}});
  Frame& frame = frames.back();
  if (frame.pmu == nullptr) return;
  if (call == Call::pmu_disable) {
    // Where to close the windows if the driver does not write the register.
    frame.at_begin = instant(*frame.pmu, when);
    return;
  }
  if (event == 0) return;
  EventRecord& touched = record(event, *frame.pmu);
  if (call == Call::add) {
    touched.begin_add();
    return;
  }
  if (const std::optional<Picoseconds> since = touched.confirm()) {
    findings.add(Severity::failure, "pmu_not_started",
                 fmt::format("{}: pmu_enable returned with event {} active and the PMU not counting", name, event),
                 *since);
  }
  if (call == Call::del || call == Call::stop) {
    touched.deactivate(instant(*frame.pmu, when));
  } else if (call == Call::read) {
    frame.low = touched.point(instant(*frame.pmu, when));
  }
}

void Scoreboard::State::end_call(Frame& frame, std::uint64_t value, Picoseconds when) {
  if (frame.call == Call::pmu_enable && frame.pmu != nullptr) {
    end_enable(frame, when);
  } else if (frame.call == Call::pmu_disable && frame.pmu != nullptr) {
    end_disable(frame, when);
  } else {
    if (frame.pmu != nullptr && frame.event != 0) end_event_call(frame, value, when);
    end_handler(frame, when);
  }
}

void Scoreboard::State::end_enable(Frame& frame, Picoseconds when) {
  if (frame.switched) return;
  PmuWatch& pmu = *frame.pmu;
  pmu.wanted = true;
  pmu.held = false;
  start(pmu, instant(pmu, when));
  if (pmu.written_on()) return;
  for (auto& [handle, touched] : records) {
    if (&touched.pmu() == &pmu && touched.active()) touched.suspect(when);
  }
}

void Scoreboard::State::end_disable(Frame& frame, Picoseconds when) {
  PmuWatch& pmu = *frame.pmu;
  if (!frame.switched) {
    pmu.wanted = false;
    pmu.held = false;
    stop(pmu, frame.at_begin);
  }
  if (pmu.written_on() && has_active_events(pmu)) {
    findings.add(Severity::failure, "pmu_not_stopped",
                 fmt::format("{}: pmu_disable returned and the PMU still counts", pmu.name()), when);
  }
}

void Scoreboard::State::end_handler(Frame& frame, Picoseconds when) {
  // What the perf core wants must hold again.
  for (PmuWatch* const written : frame.written) {
    PmuWatch& pmu = *written;
    if (pmu.held) {
      pmu.held = false;
      start(pmu, instant(pmu, when));
      findings.add(
          Severity::failure, "handler_left_pmu_stopped",
          fmt::format("{}: the {} call stopped the PMU and did not start it again", pmu.name(), call_name(frame.call)),
          when);
    } else if (pmu.written_on() && !has_active_events(pmu)) {
      findings.add(Severity::note, "handler_started_idle_pmu",
                   fmt::format("{}: the {} call started the PMU although no event is active (harmless)", pmu.name(),
                               call_name(frame.call)),
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
      touched.end_add(!frame.add_failed, instant(*frame.pmu, when));
      break;
    case Call::start:
      touched.activate(instant(*frame.pmu, when));
      break;
    case Call::del:
    case Call::stop:
      touched.set_driver_value(value);
      break;
    case Call::read:
      touched.judge_read(frame.begin, when, value, frame.low, touched.point(instant(*frame.pmu, when)), frame.sample);
      break;
    default:
      break;
  }
}

Scoreboard::Scoreboard(ScoreboardSpec spec) {
  spec.validate();
  state_ = std::make_unique<State>(std::move(spec));
}

Scoreboard::~Scoreboard() = default;

void Scoreboard::on_request(const Request& request) {
  State& s = *state_;
  s.see(request.when);
  if (request.when < s.last_control) {
    s.findings.add(Severity::note, "order_of_time",
                   fmt::format("a request of {} ps was accepted after a control register was written at {} ps",
                               request.when, s.last_control),
                   request.when);
  }
  s.last_request = std::max(s.last_request, request.when);
  if (request.accepting_socket < s.last_accepted.size()) {
    Picoseconds& last = s.last_accepted[request.accepting_socket];
    if (request.when < last) {
      s.findings.add(Severity::note, "acceptance_order",
                     fmt::format("socket {} accepted a request of {} ps after one of {} ps", request.accepting_socket,
                                 request.when, last),
                     request.when);
    }
    last = std::max(last, request.when);
  }
  const ReferenceUcf::Outcome& outcome = s.reference.accept(request);
  if (outcome.refused) {
    s.findings.add(Severity::failure, "request_must_be_refused",
                   fmt::format("{} of {} bytes at {:#x} was accepted: {}", to_string(request.opcode), request.length,
                               request.address, *outcome.refused),
                   request.when);
    return;
  }
  for (const MemoryOp& op : outcome.memory) s.wires.expect(op, request.when);
}

void Scoreboard::on_memory_access(const MemoryAccess& access) {
  State& s = *state_;
  s.wires.see(access);
  const MemoryRange* const home = s.spec.home_of(access.address);
  if (home == nullptr || home->socket != access.socket) return;  // left over in `wires`, and reported there
  const std::uint64_t parts = parts_of(access.length);
  MemoryTruth& truth = s.memory[access.socket * kClasses + static_cast<std::size_t>(home->memory_class)];
  if (access.is_write) {
    ++truth.writes;
    truth.write_bytes += access.length;
    return;
  }
  ++truth.reads;
  truth.read_bytes += access.length;
  truth.read_parts += parts;
  truth.mean_read_latency_ps.numerator += parts * (access.end - access.start);
  truth.mean_read_latency_ps.denominator += parts;
  if (home->memory_class == MemoryClass::cmem) {
    s.timelines[access.socket].add(access.start, access.end, parts, cmem_controller(s.spec, access.address));
  }
}

void Scoreboard::on_bus_access(const MmioBus::BusAccess& access) {
  State& s = *state_;
  s.see(access.when);
  if (access.is_write) {
    for (PmuWatch& pmu : s.pmus) {
      if (pmu.see_write(access)) s.control_written(pmu, access.when);
    }
    return;
  }
  if (s.frames.empty()) return;
  State::Frame& frame = s.frames.back();
  if (frame.call != Call::read || frame.pmu == nullptr || !frame.pmu->is_counter_read(access)) return;
  EventRecord* const event = s.find_record(frame.event);
  if (event == nullptr) return;
  // Of a counter read in two halves (high, low, high) the lower half, at the lower address, tells the instant.
  if (frame.sample && access.address > frame.sample_address) return;
  frame.sample = event->point(s.instant(*frame.pmu, access.when));
  frame.sample_address = access.address;
}

void Scoreboard::on_call(Call call, bool begin, const std::string& pmu, EventHandle event, std::uint64_t value,
                         Picoseconds when) {
  State& s = *state_;
  s.see(when);
  if (begin) {
    s.begin_call(call, pmu, event, when);
    return;
  }
  if (s.frames.empty() || s.frames.back().call != call || s.frames.back().event != event) {
    s.findings.add(Severity::failure, "call_nesting",
                   fmt::format("{}: end of a {} call that is not the innermost one", pmu, call_name(call)), when);
    return;
  }
  // Its end may start or stop a PMU, never another call.
  State::Frame frame = std::move(s.frames.back());
  s.frames.pop_back();
  s.end_call(frame, value, when);
}

void Scoreboard::on_add_failed(const std::string& /*pmu*/, EventHandle event, int /*error*/) {
  State& s = *state_;
  if (!s.frames.empty() && s.frames.back().call == Call::add && s.frames.back().event == event) {
    s.frames.back().add_failed = true;
  }
}

bool Scoreboard::judges(const std::string& pmu) const { return state_->find_pmu(pmu) != nullptr; }

void Scoreboard::expect(EventHandle event, const std::string& pmu, const EventTerms& terms) {
  const PmuWatch* const watch = state_->find_pmu(pmu);
  if (watch == nullptr) throw std::invalid_argument(fmt::format("the scoreboard judges no PMU called '{}'", pmu));
  EventRecord::Meaning meaning = watch->kind() == PmuWatch::Kind::ucf ? EventRecord::Meaning(ucf_meaning(terms))
                                                                      : EventRecord::Meaning(cmem_meaning(terms));
  state_->record(event, *watch).set_meaning(std::move(meaning));
}

std::vector<EventResult> Scoreboard::results() const {
  std::vector<EventResult> results;
  for (const auto& [handle, event] : state_->records) {
    if (event.has_meaning()) results.push_back(*result(handle));
  }
  return results;
}

std::optional<EventResult> Scoreboard::result(EventHandle event) const {
  const EventRecord* const found = state_->find_record(event);
  if (found == nullptr || !found->has_meaning()) return std::nullopt;
  return found->result(tally(found->pmu().socket()), state_->last_seen);
}

std::uint64_t Scoreboard::expected(EventHandle event, Picoseconds when) const {
  const EventRecord* const found = state_->find_record(event);
  return found == nullptr ? 0 : found->expected(tally(found->pmu().socket()), when);
}

void Scoreboard::finish() {
  state_->wires.finish();
  for (const auto& [handle, event] : state_->records) {
    if (event.has_meaning()) continue;
    state_->findings.add(
        Severity::note, "event_without_expectation",
        fmt::format("{}: event {} was counted and nobody said what it means", event.pmu().name(), handle),
        state_->last_seen);
  }
}

const Findings& Scoreboard::findings() const { return state_->findings; }

const UcfTally& Scoreboard::tally(unsigned socket) const { return state_->reference.tally(socket); }

MemoryTruth Scoreboard::memory_truth(unsigned socket, MemoryClass memory_class) const {
  return state_->memory.at(socket * kClasses + static_cast<std::size_t>(memory_class));
}

}  // namespace pmufab::scoreboard
