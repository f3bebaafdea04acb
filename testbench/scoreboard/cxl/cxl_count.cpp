// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/cxl/cxl_count.h"

#include <algorithm>
#include <vector>

#include "testbench/scoreboard/core/threshold_clock.h"

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
  MessageCount(const MessageCount&) = delete;
  MessageCount& operator=(const MessageCount&) = delete;

  [[nodiscard]] Mark mark(Picoseconds when) override {
    if (rule_.raw()) return {when, raw()};
    totals_.push_back({clock_.total(when), window_.total(when)});
    return {when, totals_.size() - 1};
  }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    if (rule_.raw()) return span.end.position - span.begin.position;
    return totals_[span.end.position].counted - totals_[span.begin.position].counted;
  }
  [[nodiscard]] std::uint64_t happened(const Span& span) const override {
    if (rule_.raw()) return span.end.position - span.begin.position;
    return totals_[span.end.position].happened - totals_[span.begin.position].happened;
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
  struct Totals {
    std::uint64_t counted;   // while the event was to count
    std::uint64_t happened;  // in windows
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
  std::vector<Totals> totals_;
  std::vector<Watched> watched_;
};

/// Times that come nearly in order. They are put in order when somebody asks for them.
class Times {
 public:
  void add(Picoseconds when) { times_.push_back(when); }
  [[nodiscard]] std::size_t size() const noexcept { return times_.size(); }
  [[nodiscard]] const std::vector<Picoseconds>& in_order() {
    if (ordered_ == times_.size()) return times_;
    const auto added = times_.begin() + static_cast<std::ptrdiff_t>(ordered_);
    std::sort(added, times_.end());
    std::inplace_merge(std::upper_bound(times_.begin(), added, *added), added, times_.end());
    ordered_ = times_.size();
    return times_;
  }
  /// Forget all before `when`. @return how many those were
  std::size_t forget_before(Picoseconds when) {
    const auto& times = in_order();
    const auto before = std::lower_bound(times.begin(), times.end(), when) - times.begin();
    times_.erase(times_.begin(), times_.begin() + before);
    ordered_ = times_.size();
    return static_cast<std::size_t>(before);
  }

 private:
  std::vector<Picoseconds> times_;
  std::size_t ordered_ = 0;  // as many at the front
};

/// DDR commands, and clocks of queues and loads, by their times, reported in any order.
class DdrCount final : public CxlCount, private ReferenceDdr::Listener {
 public:
  DdrCount(const CxlProgram& program, const CxlSources& sources)
      : ddr_(*sources.ddr),
        clock_(sources.clock),
        rule_(rule_of(program)),
        group_(program.group),
        mask_(supported(program, sources.spec)),
        location_(program.location.value_or(~std::uint32_t{0})) {
    ddr_.add(*this);
  }
  ~DdrCount() override { ddr_.remove(*this); }
  DdrCount(const DdrCount&) = delete;
  DdrCount& operator=(const DdrCount&) = delete;

  [[nodiscard]] Mark mark(Picoseconds when) override {
    // Marks may lie slightly ahead of what happens.
    if (when > kSlack) ddr_.advance(when - kSlack);
    if (!rule_.raw()) return {when, 0};
    const std::vector<Picoseconds>& recent = recent_.in_order();
    const auto before = std::lower_bound(recent.begin(), recent.end(), when);
    marks_.push_back({when, settled_ + static_cast<std::uint64_t>(before - recent.begin())});
    return {when, marks_.size() - 1};
  }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    ddr_.advance(span.end.when);
    if (rule_.raw()) return marks_[span.end.position].count - marks_[span.begin.position].count;
    ThresholdClock clock(clock_, rule_);
    clock.start(span.begin.when);
    const std::vector<Picoseconds>& recent = recent_.in_order();
    const auto first = std::lower_bound(recent.begin(), recent.end(), span.begin.when);
    const auto last = std::lower_bound(first, recent.end(), span.end.when);
    for (auto command = first; command != last; ++command) clock.add(*command, 1);
    return clock.total(span.end.when);
  }

 private:
  static constexpr Picoseconds kSlack = 10'000'000;
  static constexpr std::size_t kSettleAt = 65'536;
  struct Counted {
    Picoseconds when;
    std::uint64_t count;  // events before that instant
  };

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
    if (!passes(command)) return;
    recent_.add(command.when);
    for (auto mark = marks_.rbegin(); mark != marks_.rend() && mark->when > command.when; ++mark) ++mark->count;
    // Only thresholds need the times of single commands any longer.
    if (!rule_.raw() || recent_.size() < settle_at_) return;
    const Picoseconds now = ddr_.reached();
    settled_ += recent_.forget_before(now - std::min(now, kSlack));
    settle_at_ = std::max(kSettleAt, 2 * recent_.size());
  }

  ReferenceDdr& ddr_;
  const ExactClock& clock_;
  ThresholdClock::Rule rule_;
  std::uint16_t group_;
  std::uint32_t mask_;
  std::uint32_t location_;
  mutable Times recent_;
  std::size_t settle_at_ = kSettleAt;  // so many times are kept before the old ones are forgotten
  std::uint64_t settled_ = 0;          // events older than those
  std::vector<Counted> marks_;         // in the order taken
};

}  // namespace

std::unique_ptr<CxlCount> make_cxl_count(const CxlProgram& program, const CxlSources& sources) {
  if (program.vendor == kCxlVendor && program.group == kClockTicksGroup)
    return std::make_unique<TickCount>(program, sources);
  if (program.vendor == kCxlVendor && is_of_memory(program.group) && sources.ddr != nullptr)
    return std::make_unique<DdrCount>(program, sources);
  return std::make_unique<MessageCount>(program, sources);
}

}  // namespace pmufab::scoreboard
