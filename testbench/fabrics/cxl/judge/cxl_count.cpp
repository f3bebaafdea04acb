// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_count.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include "testbench/judge/counts/late_count.h"
#include "testbench/judge/threshold_clock.h"

namespace pmufab::scoreboard {
namespace {

/// @return the events of a program that the CPMU can count.
std::uint32_t supported(const CxlProgram& program, const CxlPmuSpec& pmu) {
  return program.mask & pmu.supported(program.vendor, program.group);
}

ThresholdClock::Rule rule_of(const CxlProgram& program, std::uint64_t each_clock = 0) {
  return {program.threshold, program.invert, program.edge, each_clock};
}

/// clock_ticks: one event in each clock.
class TickCount final : public CxlCount {
 public:
  TickCount(const CxlProgram& program, const CxlSources& sources)
      : clock_(sources.ticks), rule_(rule_of(program, supported(program, sources.spec) & 1U)) {}

  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, 0}; }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    if (rule_.raw()) return rule_.each_clock * clock_.edges_in(span.begin.when, span.end.when);
    ThresholdClock clock(clock_, rule_);
    clock.start(span.begin.when);
    return clock.total(span.end.when);
  }

 private:
  const ExactClock& clock_;
  ThresholdClock::Rule rule_;
};

/// What an event with a rule for clocks has counted up to a mark.
struct Totals {
  std::uint64_t counted = 0;   // while the event was to count
  std::uint64_t happened = 0;  // in windows
};

/// Totals by marks, whose positions are numbers.
class MarkedTotals {
 public:
  [[nodiscard]] Mark add(Picoseconds when, const Totals& totals) {
    totals_.emplace_hint(totals_.end(), next_, totals);
    return {when, next_++};
  }
  void forget(const Mark& mark) { totals_.erase(mark.position); }
  /// The totals of a mark become known later, unless it is forgotten.
  void set(std::uint64_t position, const Totals& totals) {
    if (const auto found = totals_.find(position); found != totals_.end()) found->second = totals;
  }
  [[nodiscard]] std::uint64_t counted(const Span& span) const {
    return totals_.at(span.end.position).counted - totals_.at(span.begin.position).counted;
  }
  [[nodiscard]] std::uint64_t happened(const Span& span) const {
    return totals_.at(span.end.position).happened - totals_.at(span.begin.position).happened;
  }

 private:
  std::map<std::uint64_t, Totals> totals_;
  std::uint64_t next_ = 0;
};

/// Messages, in the order of the wires. With a rule for clocks, positions of its marks are numbers of the totals it
/// keeps.
class MessageCount final : public CxlCount, private CxlTally::Listener {
 public:
  MessageCount(const CxlProgram& program, const CxlSources& sources)
      : tally_(sources.tally), rule_(rule_of(program)), clock_(sources.clock, rule_), window_(sources.clock, rule_) {
    if (program.vendor == kCxlVendor) hdm_ = program.hdm;  // a vendor's events have no filter
    const std::uint32_t mask = supported(program, sources.spec);
    for (unsigned bit = 0; bit < CxlTally::kEvents; ++bit) {
      if ((mask >> bit & 1U) == 0) continue;
      if (program.vendor == kCxlVendor && CxlTally::has(program.group)) watched_.push_back({program.group, bit});
      for (const CxlVendorEvent& event : sources.spec.vendor_events) {
        if (event.vendor != program.vendor || event.group != program.group || event.bit != bit) continue;
        // Several event capabilities may describe the same group.
        const Watched watched{group_of(event.which), event.opcode};
        if (std::find(watched_.begin(), watched_.end(), watched) == watched_.end()) watched_.push_back(watched);
      }
    }
  }
  ~MessageCount() override { tally_.remove(*this); }
  MessageCount& operator=(MessageCount&&) = delete;

  [[nodiscard]] Mark mark(Picoseconds when) override {
    if (rule_.raw()) return {when, raw()};
    return totals_.add(when, {clock_.total(when), window_.total(when)});
  }
  void forget(const Mark& mark) override {
    if (!rule_.raw()) totals_.forget(mark);
  }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    if (rule_.raw()) return span.end.position - span.begin.position;
    return totals_.counted(span);
  }
  [[nodiscard]] std::uint64_t happened(const Span& span) const override {
    if (rule_.raw()) return span.end.position - span.begin.position;
    return totals_.happened(span);
  }
  void opened(Picoseconds when) override { start(clock_, is_open_, when); }
  void closed(Picoseconds when) override { stop(clock_, is_open_, when); }
  void window_opened(Picoseconds when) override { start(window_, is_window_open_, when); }
  void window_closed(Picoseconds when) override { stop(window_, is_window_open_, when); }

 private:
  struct Watched {
    std::uint16_t group;
    unsigned bit;
    bool operator==(const Watched&) const = default;
  };

  void start(ThresholdClock& clock, bool& is_running, Picoseconds when) {
    if (rule_.raw()) return;
    if (!is_open_ && !is_window_open_) tally_.add(*this);
    is_running = true;
    clock.start(when);
  }
  void stop(ThresholdClock& clock, bool& is_running, Picoseconds when) {
    if (rule_.raw()) return;
    is_running = false;
    clock.stop(when);
    if (!is_open_ && !is_window_open_) tally_.remove(*this);
  }
  [[nodiscard]] bool passes(std::uint16_t group, unsigned decoder) const {
    if (!hdm_ || !has_hdm_address(group)) return true;
    return decoder < CxlTally::kNoDecoder && (*hdm_ >> decoder & 1U) != 0;
  }
  [[nodiscard]] std::uint64_t raw() const {
    std::uint64_t sum = 0;
    for (const Watched& watched : watched_) {
      for (unsigned decoder = 0; decoder <= CxlTally::kNoDecoder; ++decoder) {
        if (passes(watched.group, decoder)) sum += tally_.of(watched.group, watched.bit, decoder);
      }
    }
    return sum;
  }
  void on_event(std::uint16_t group, unsigned bit, unsigned decoder, std::uint64_t amount, Picoseconds when) override {
    if (!passes(group, decoder)) return;
    for (const Watched& watched : watched_) {
      if (watched.group != group || watched.bit != bit) continue;
      if (is_open_) clock_.add(when, amount);
      if (is_window_open_) window_.add(when, amount);
    }
  }

  CxlTally& tally_;
  ThresholdClock::Rule rule_;
  std::optional<std::uint32_t> hdm_;
  ThresholdClock clock_;
  ThresholdClock window_;  // the same without interruption
  bool is_open_ = false;
  bool is_window_open_ = false;
  MarkedTotals totals_;
  std::vector<Watched> watched_;
};

/// DDR commands, and clocks of queues and loads, reported in any order.
class DdrEars : public CxlCount, private ReferenceDdr::Listener {
 public:
  DdrEars& operator=(DdrEars&&) = delete;

 protected:
  DdrEars(const CxlProgram& program, const CxlSources& sources)
      : ddr_(*sources.ddr),
        group_(program.group),
        mask_(supported(program, sources.spec)),
        location_(program.location.value_or(~std::uint32_t{0})) {}
  ~DdrEars() override { ddr_.remove(*this); }
  [[nodiscard]] Picoseconds final_before() const override { return ddr_.passed(); }

  /// Its constructor is over: it can hear.
  void listen() { ddr_.add(*this); }
  /// Let the commands before an instant be known that is marked now.
  void hear_before_mark(Picoseconds when) {
    constexpr Picoseconds kAhead = ReferenceDdr::kMemory;  // marks may lie slightly ahead of what happens
    if (when > kAhead) ddr_.advance(when - kAhead);
  }
  void hear_before(Picoseconds when) const { ddr_.advance(when); }
  /// @return the time between events of one run.
  [[nodiscard]] Picoseconds period() const {
    return group_ == kDdrGroup || group_ == kRetryGroup ? 1 : ddr_.clock_period();
  }

 private:
  virtual void hear(const EventRun& run) = 0;

  [[nodiscard]] bool passes(const DdrCommand& command) const {
    const auto fits = [this](unsigned shift, unsigned value) {
      const std::uint32_t wanted = location_ >> shift & 0xffU;
      return wanted == 0xff || wanted == value;
    };
    if (command.group != group_ || (mask_ >> command.bit & 1U) == 0) return false;
    if (!has_ddr_location(group_)) return true;
    return fits(24, command.channel) && (command.whole_channel || fits(16, command.rank)) &&
           (command.whole_rank || (fits(8, command.bank_group) && fits(0, command.bank)));
  }
  void on_command(const DdrCommand& command) override {
    if (passes(command)) hear({command.when, command.clocks});
  }

  ReferenceDdr& ddr_;
  std::uint16_t group_;
  std::uint32_t mask_;
  std::uint32_t location_;
};

/// All of them.
class DdrCount final : public DdrEars {
 public:
  DdrCount(const CxlProgram& program, const CxlSources& sources) : DdrEars(program, sources), count_(period()) {
    listen();
  }
  [[nodiscard]] Mark mark(Picoseconds when) override {
    hear_before_mark(when);
    return {when, count_.mark(when)};
  }
  void forget(const Mark& mark) override { count_.forget(mark.position); }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    hear_before(span.end.when);
    return count_.at(span.end.position) - count_.at(span.begin.position);
  }

 private:
  void hear(const EventRun& run) override { count_.add(run); }
  void on_passed(Picoseconds when) override { count_.settle(when); }

  LateCount count_;
};

/// Clocks of the CPMU, by a rule. They are evaluated in the order of time: for good when no more of it comes, and before
/// that, from there on, when somebody asks.
class DdrThreshold final : public DdrEars {
 public:
  DdrThreshold(const CxlProgram& program, const CxlSources& sources)
      : DdrEars(program, sources),
        clocks_{ThresholdClock(sources.clock, rule_of(program)), ThresholdClock(sources.clock, rule_of(program))},
        runs_(period()) {
    listen();
  }
  [[nodiscard]] Mark mark(Picoseconds when) override {
    hear_before_mark(when);
    const Mark mark = totals_.add(when, {});
    add(Turn::What::mark, when, mark.position);
    return mark;
  }
  void forget(const Mark& mark) override { totals_.forget(mark); }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    evaluate(span.end.when);
    return totals_.counted(span);
  }
  [[nodiscard]] std::uint64_t happened(const Span& span) const override {
    evaluate(span.end.when);
    return totals_.happened(span);
  }
  void opened(Picoseconds when) override { add(Turn::What::open, when); }
  void closed(Picoseconds when) override { add(Turn::What::close, when); }
  void window_opened(Picoseconds when) override { add(Turn::What::open_window, when); }
  void window_closed(Picoseconds when) override { add(Turn::What::close_window, when); }

 private:
  struct Turn {
    enum class What : std::uint8_t { mark, open, close, open_window, close_window };
    Picoseconds when;
    What what;
    std::uint64_t number;  // of a mark
  };
  struct Clocks {
    ThresholdClock counted;
    ThresholdClock happened;
    bool is_open = false;
    bool is_window_open = false;
  };

  void add(Turn::What what, Picoseconds when, std::uint64_t number = 0) {
    const auto later = std::upper_bound(turns_.begin(), turns_.end(), when,
                                        [](Picoseconds t, const Turn& turn) { return t < turn.when; });
    turns_.insert(later, {when, what, number});
    is_evaluated_ = false;
  }
  void hear(const EventRun& run) override {
    runs_.add(run);
    is_evaluated_ = false;
  }
  void on_passed(Picoseconds when) override {
    const auto taken = static_cast<std::ptrdiff_t>(walk(clocks_, when));
    turns_.erase(turns_.begin(), turns_.begin() + taken);
    runs_.forget_before(when);
  }
  /// Let the totals of all marks be those known by now.
  void evaluate(Picoseconds when) const {
    hear_before(when);
    if (is_evaluated_) return;
    if (!turns_.empty()) {
      Clocks later = clocks_;
      walk(later, turns_.back().when);
    }
    is_evaluated_ = true;
  }
  /// Let time go on to `until`. @return how many turns that takes
  std::size_t walk(Clocks& clocks, Picoseconds until) const {
    std::size_t next = 0;
    const auto take_turns = [&](Picoseconds now) {
      for (; next < turns_.size() && turns_[next].when <= now; ++next) take(turns_[next], clocks);
    };
    runs_.each_before(until, [&](Picoseconds first, std::uint64_t times, std::uint64_t amount) {
      while (times != 0) {
        take_turns(first);
        std::uint64_t now = times;
        if (next < turns_.size()) now = EventRun{first, times}.before(turns_[next].when, runs_.period());
        if (clocks.is_open) clocks.counted.add_each(first, runs_.period(), now, amount);
        if (clocks.is_window_open) clocks.happened.add_each(first, runs_.period(), now, amount);
        first += now * runs_.period();
        times -= now;
      }
    });
    take_turns(until);
    return next;
  }
  void take(const Turn& turn, Clocks& clocks) const {
    switch (turn.what) {
      case Turn::What::mark:
        totals_.set(turn.number, {clocks.counted.total(turn.when), clocks.happened.total(turn.when)});
        break;
      case Turn::What::open:
        clocks.is_open = true;
        clocks.counted.start(turn.when);
        break;
      case Turn::What::close:
        clocks.is_open = false;
        clocks.counted.stop(turn.when);
        break;
      case Turn::What::open_window:
        clocks.is_window_open = true;
        clocks.happened.start(turn.when);
        break;
      case Turn::What::close_window:
        clocks.is_window_open = false;
        clocks.happened.stop(turn.when);
        break;
    }
  }

  Clocks clocks_;           // up to where nothing more comes
  mutable EventRuns runs_;  // from there on
  std::deque<Turn> turns_;  // from there on, in order of time
  mutable MarkedTotals totals_;
  mutable bool is_evaluated_ = true;
};

}  // namespace

std::unique_ptr<CxlCount> make_cxl_count(const CxlProgram& program, const CxlSources& sources) {
  if (program.vendor == kCxlVendor && program.group == kClockTicksGroup)
    return std::make_unique<TickCount>(program, sources);
  if (program.vendor == kCxlVendor && is_of_memory(program.group) && sources.ddr != nullptr) {
    if (rule_of(program).raw()) return std::make_unique<DdrCount>(program, sources);
    return std::make_unique<DdrThreshold>(program, sources);
  }
  return std::make_unique<MessageCount>(program, sources);
}

}  // namespace pmufab::scoreboard
