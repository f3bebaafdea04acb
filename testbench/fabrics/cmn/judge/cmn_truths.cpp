// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/judge/cmn_truths.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/judge/equal_counts.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::Interface;

namespace {

constexpr unsigned kPmcrEnable = 0x1;
constexpr std::uint64_t kLocalCounterSpan = 0x1'0000;  // one carry of a local counter of 16 bits

std::uint64_t sum_of(std::span<const Span> spans, const EventTruth& truth) {
  std::uint64_t sum = 0;
  for (const Span& span : spans) sum += truth.count(span);
  return sum;
}

/// Allows readings in which software reads the local part and the carries one after the other.
bool allows_carry_between(std::uint64_t value, std::uint64_t low, std::uint64_t high, std::size_t counters) {
  for (std::size_t carries = 0; carries <= counters; ++carries) {
    const std::uint64_t extra = carries * kLocalCounterSpan;
    if (low + extra <= value && value <= high + extra) return true;
    if (low == high) break;  // no events, so no carries
  }
  return false;
}

/// @return why a driver misses a part of what local counters, which carry into a global one, have counted.
LossCause cause_of_missing(const CmnJudgeSpec& spec, std::uint64_t counted, std::uint64_t reported) {
  const LossCause turns = wraps_or_unexplained(spec.local_width + spec.global_width, counted, reported);
  if (turns != LossCause::unexplained) return turns;
  if (wraps_or_unexplained(spec.local_width, counted, reported) == LossCause::unexplained) return turns;
  // Where carries wait for a queue that can be full, nobody outside can tell those that were dropped from the last ones.
  return spec.carries_take_time && !spec.carries_can_be_lost ? LossCause::carry_under_way : LossCause::carry_lost;
}

/// A count made by local counters that carry into a global one. While it counts, it also counts what a driver may have
/// counted in its place, to explain a difference.
class LocalCountTruth : public EventTruth {
 public:
  explicit LocalCountTruth(const CmnJudgeSpec& spec) : spec_(spec) {}
  [[nodiscard]] Mark mark(Picoseconds when) override {
    last_mark_ = when;
    return {when, total(when)};
  }
  void opened() override {
    at_open_.resize(others());
    counted_.resize(others());
    for (std::size_t i = 0; i < others(); ++i) at_open_[i] = other(i, last_mark_);
  }
  void closed() override {
    for (std::size_t i = 0; i < at_open_.size(); ++i) counted_[i] += other(i, last_mark_) - at_open_[i];
    at_open_.clear();
  }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  [[nodiscard]] bool allows(std::uint64_t value, std::uint64_t low, std::uint64_t high) const override {
    return allows_carry_between(value, low, high, counters());
  }
  [[nodiscard]] bool grows() const override { return false; }
  [[nodiscard]] std::optional<LossCause> cause_of_difference(std::span<const Span> /*spans*/, std::uint64_t counted,
                                                             std::uint64_t reported) const override {
    return cause_of_missing(spec_, counted, reported);
  }
  void settle(const Span& span) override { settled_ += count(span); }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    const std::uint64_t expected = settled_ + sum_of(spans, *this);
    const std::uint64_t difference = driver > expected ? driver - expected : expected - driver;
    if (difference == kLocalCounterSpan) return "a carry of a local counter";
    if (difference != 0 && difference % kLocalCounterSpan == 0)
      return fmt::format("{} carries of local counters", difference / kLocalCounterSpan);
    EqualCounts equal(driver);
    for (std::size_t i = 0; i < counted_.size(); ++i) {
      const std::uint64_t running = i < at_open_.size() ? other(i, last_mark_) - at_open_[i] : 0;
      equal.offer(counted_[i] + running, other_name(i));
    }
    return equal.text();
  }

 private:
  /// @return the count since the beginning.
  [[nodiscard]] virtual std::uint64_t total(Picoseconds when) = 0;
  [[nodiscard]] virtual std::size_t counters() const = 0;
  /// Other counts since the beginning: how many there are, each, and each in words.
  [[nodiscard]] virtual std::size_t others() const = 0;
  [[nodiscard]] virtual std::uint64_t other(std::size_t number, Picoseconds when) const = 0;
  [[nodiscard]] virtual std::string other_name(std::size_t number) const = 0;

  const CmnJudgeSpec& spec_;
  Picoseconds last_mark_ = 0;
  std::uint64_t settled_ = 0;  // count of settled spans
  std::vector<std::uint64_t> at_open_;
  std::vector<std::uint64_t> counted_;
};

/// @return the interface that an event text means; nothing for one that the mesh does not have. On a single crosspoint
///         without neighbours, codes 0 to 5 mean its six ports, and the last two nothing.
std::optional<Interface> interface_of(const CmnMeaning& meaning, const CmnWires& wires) {
  if (wires.xps() != 1) return meaning.interface;
  const auto code = static_cast<unsigned>(meaning.interface);
  return code < cmn::kMaximumPorts ? std::optional(port_interface(code)) : std::nullopt;
}

class FlitTruth final : public LocalCountTruth, public CmnTaker {
 public:
  FlitTruth(CmnMeaning meaning, const CmnWires& wires)
      : LocalCountTruth(wires.spec), meaning_(std::move(meaning)), wires_(wires) {
    const std::optional<Interface> interface = interface_of(meaning_, wires_);
    if (!interface) return;
    meaning_.interface = *interface;
    for (unsigned xp = 0; xp < wires_.xps(); ++xp) {
      if (!meaning_.node || *meaning_.node == wires_.ids.xp_id(xp)) xps_.push_back(xp);
    }
  }
  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] const CmnMeaning& meaning() const override { return meaning_; }

 private:
  [[nodiscard]] std::uint64_t total(Picoseconds /*when*/) override {
    std::uint64_t sum = 0;
    for (const unsigned xp : xps_) sum += wires_.count(meaning_.event, xp, meaning_.interface, meaning_.channel);
    return sum;
  }
  [[nodiscard]] std::size_t counters() const override { return xps_.size(); }

  // Both kinds of flit event at each interface and channel. Only in small meshes, or at one crosspoint.
  static constexpr std::size_t kMostXps = 16;
  static constexpr std::size_t kPlaces = std::size_t{cmn::kInterfaces} * cmn::kChannels;
  [[nodiscard]] std::size_t others() const override { return xps_.size() <= kMostXps ? 2 * kPlaces : 0; }
  struct Place {
    cmn::FlitEvent event;
    Interface interface;
    Channel channel;
  };
  [[nodiscard]] static Place place(std::size_t number) {
    return {number < kPlaces ? cmn::FlitEvent::valid : cmn::FlitEvent::stall,
            static_cast<Interface>(number % kPlaces / cmn::kChannels), static_cast<Channel>(number % cmn::kChannels)};
  }
  [[nodiscard]] std::uint64_t other(std::size_t number, Picoseconds /*when*/) const override {
    const Place at = place(number);
    std::uint64_t sum = 0;
    for (const unsigned xp : xps_) sum += wires_.count(at.event, xp, at.interface, at.channel);
    return sum;
  }
  [[nodiscard]] std::string other_name(std::size_t number) const override {
    const Place at = place(number);
    return fmt::format("mxp_{}_{}_{}", xp_interface_name(at.interface), xp_channel_name(at.channel),
                       at.event == cmn::FlitEvent::valid ? "txflit_valid" : "txflit_stall");
  }

  CmnMeaning meaning_;
  const CmnWires& wires_;
  std::vector<unsigned> xps_;
};

/// Events of nodes: the counts of the reference nodes.
class NodeTruth final : public LocalCountTruth, public CmnTaker {
 public:
  NodeTruth(CmnMeaning meaning, CmnWires& wires)
      : LocalCountTruth(wires.spec),
        meaning_(std::move(meaning)),
        wires_(wires),
        sources_(wires.nodes.sources(meaning_.type, meaning_.node)) {}
  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] const CmnMeaning& meaning() const override { return meaning_; }

 private:
  [[nodiscard]] std::uint64_t total(Picoseconds when) override {
    wires_.nodes.advance_before(when);
    std::uint64_t sum = 0;
    for (const NodeCounts* const source : sources_)
      sum += source->total(meaning_.event_id, meaning_.filter, meaning_.filter2, wires_.nodes.cycles_before(when));
    return sum;
  }
  [[nodiscard]] std::size_t counters() const override { return sources_.size(); }

  // Of one node: the event with each other code of its filter, and then its other events without a filter.
  static constexpr unsigned kOtherIds = 0x80;
  [[nodiscard]] std::size_t others() const override {
    return sources_.size() == 1 ? NodeCounts::kCodes + kOtherIds : 0;
  }
  [[nodiscard]] std::uint64_t other(std::size_t number, Picoseconds when) const override {
    const cmn::Cycle end = wires_.nodes.cycles_before(when);
    if (number < NodeCounts::kCodes)
      return sources_.front()->total(meaning_.event_id, static_cast<unsigned>(number), 0, end);
    return sources_.front()->total(static_cast<unsigned>(number) - NodeCounts::kCodes, 0, 0, end);
  }
  [[nodiscard]] std::string other_name(std::size_t number) const override {
    if (number == 0) return "this event without a filter";
    if (number < NodeCounts::kCodes) return fmt::format("this event with filter {}", number);
    return fmt::format("event {:#x} of the node", number - NodeCounts::kCodes);
  }

  CmnMeaning meaning_;
  CmnWires& wires_;
  std::vector<const NodeCounts*> sources_;
};

/// Cycles. The driver chooses a DTC for each such event, and starts and stops the PMU at the first DTC alone. The cycle
/// counter of another DTC counts while its own registers let it.
class CyclesTruth final : public EventTruth, public CmnTaker {
 public:
  CyclesTruth(CmnMeaning meaning, const CmnWires& wires)
      : meaning_(std::move(meaning)), counters_(wires.cycle_counters), width_(wires.spec.cycle_width) {}
  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] const CmnMeaning& meaning() const override { return meaning_; }
  [[nodiscard]] bool takes_cycle_counter() const override { return true; }
  [[nodiscard]] Mark mark(Picoseconds when) override {
    return last_ = dtc_ == 0 ? Mark{when, counters_.clock().edges_before(when)} : counters_.mark(dtc_, when);
  }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  [[nodiscard]] std::uint64_t happened(const Span& span) const override {
    return counters_.clock().edges_in(span.begin.when, span.end.when);
  }
  [[nodiscard]] std::optional<LossCause> cause_of_difference(std::span<const Span> spans, std::uint64_t counted,
                                                             std::uint64_t reported) const override {
    if (reported < counted && restarts(spans) > 0) return LossCause::reading;
    return wraps_or_unexplained(width_, counted, reported);
  }
  [[nodiscard]] std::optional<Mark> own_begin(Picoseconds begin) override {
    const std::optional<ReferenceCycleCounters::Start> start = counters_.last_start(begin);
    dtc_ = start ? start->dtc : 0;
    if (dtc_ == 0) return std::nullopt;
    return last_ = start->mark;
  }
  [[nodiscard]] Mark own_end(Picoseconds begin, Picoseconds end) override {
    return last_ = counters_.last_read(dtc_, begin).value_or(counters_.mark(dtc_, end));
  }
  void opened() override { writes_at_begin_ = counters_.writes_until(dtc_, last_.when); }
  void closed() override {
    restarts_ += writes_since_begin(last_.when);
    writes_at_begin_.reset();
  }
  void settle(const Span& span) override { settled_count_ += count(span); }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    const std::uint64_t times = restarts(spans);
    if (times == 0 || driver >= settled_count_ + sum_of(spans, *this)) return {};
    return fmt::format(
        "the driver rewrote the running cycle counter {} time{}, once for each reading: cycles between the read and "
        "the "
        "write are lost",
        times, times == 1 ? "" : "s");
  }

 private:
  /// @return how often the driver wrote the counter while it ran.
  [[nodiscard]] std::uint64_t restarts(std::span<const Span> spans) const {
    return restarts_ + (spans.empty() ? 0 : writes_since_begin(spans.back().end.when));
  }
  /// @return writes in the open span, up to an instant.
  [[nodiscard]] std::uint64_t writes_since_begin(Picoseconds when) const {
    const std::uint64_t now = counters_.writes_before(dtc_, when);
    return writes_at_begin_ && now > *writes_at_begin_ ? now - *writes_at_begin_ : 0;
  }

  CmnMeaning meaning_;
  const ReferenceCycleCounters& counters_;
  unsigned width_;
  unsigned dtc_ = 0;
  Mark last_;                                     // that was taken
  std::uint64_t restarts_ = 0;                    // in spans that have ended
  std::optional<std::uint64_t> writes_at_begin_;  // of the open span
  std::uint64_t settled_count_ = 0;
};

Channel first_sub_channel(Channel channel) {
  switch (channel) {
    case Channel::req2:
      return Channel::req;
    case Channel::rsp2:
      return Channel::rsp;
    case Channel::snp2:
      return Channel::snp;
    case Channel::dat2:
      return Channel::dat;
    default:
      return channel;
  }
}

}  // namespace

WatchpointTruth::WatchpointTruth(CmnMeaning meaning, CmnWires& wires) : meaning_(std::move(meaning)), wires_(wires) {
  // One bit selects the group on CMN-600, and the driver drops the others.
  if (wires_.spec.layout == WatchpointLayout::cmn600) meaning_.group &= 1U;
}

WatchpointTruth::~WatchpointTruth() {
  WatchpointTruth::deactivated();
  wires_.close(*this);
}

void WatchpointTruth::activated() {
  is_active_ = true;
  for (unsigned xp = 0; xp < wires_.xps(); ++xp) {
    if (!applies_to(xp)) continue;
    auto& taken = wires_.slots(xp, meaning_.port, meaning_.upload).taken;
    // The driver refuses a third watchpoint.
    (taken[0] == nullptr ? taken[0] : taken[1]) = this;
  }
}

void WatchpointTruth::deactivated() {
  is_active_ = false;
  for (unsigned xp = 0; xp < wires_.xps(); ++xp) {
    for (WatchpointTruth*& slot : wires_.slots(xp, meaning_.port, meaning_.upload).taken) {
      if (slot == this) slot = nullptr;
    }
  }
}

bool WatchpointTruth::allows(std::uint64_t value, std::uint64_t low, std::uint64_t high) const {
  return allows_carry_between(value, low, high, meaning_.node ? 1 : wires_.xps());
}

std::optional<LossCause> WatchpointTruth::cause_of_difference(std::span<const Span> /*spans*/, std::uint64_t counted,
                                                              std::uint64_t reported) const {
  return cause_of_missing(wires_.spec, counted, reported);
}

const WatchpointTruth* WatchpointTruth::partner(unsigned xp) const {
  if (is_active_) {
    const auto& taken = wires_.slots(xp, meaning_.port, meaning_.upload).taken;
    return taken[0] == this ? taken[1] : nullptr;
  }
  // A pair that waits for its turn: of those at the same place, it is two that somebody wanted one after the other.
  const WatchpointTruth* first = nullptr;
  for (const WatchpointTruth* const other : wires_.open_watchpoints()) {
    const bool is_here = other->meaning_.combine != 0 && other->meaning_.port == meaning_.port &&
                         other->meaning_.upload == meaning_.upload && other->applies_to(xp);
    if (!is_here || other->is_active_) continue;
    if (first == this) return other;
    first = first == nullptr ? other : nullptr;
  }
  return nullptr;
}

void WatchpointTruth::see_at_once(unsigned xp, const CmnMeaning& known, std::uint64_t amount) {
  if (!looks_at(known.upload, xp, port_interface(known.port), known.channel)) return;
  if (meaning_.exclusive || meaning_.combine != 0) return;
  const std::uint64_t compared = ~meaning_.mask;
  const bool is_known = compared == 0 || (meaning_.group == known.group && (compared & known.mask) == 0);
  if (is_known && ((meaning_.value ^ known.value) & compared) == 0) hits_ += amount;
}

void WatchpointTruth::see(unsigned xp, Interface port, FlitImages& images) {
  if (!matches(images)) return;
  if (meaning_.combine != 0) {
    // A pair counts, on its first watchpoint, the flits that both match; its second counts nothing.
    const WatchpointTruth* const second = partner(xp);
    if (second == nullptr || !second->looks_at(meaning_.upload, xp, port, meaning_.channel) || !second->matches(images))
      return;
  }
  ++hits_;
}

CmnWires::CmnWires(const CmnJudgeSpec& s, Chronicle& chronicle)
    : spec(s),
      ids(s),
      cycle_counters(s),
      nodes(s, chronicle),
      counts_(2 * std::size_t{s.columns} * s.rows * kPerXp),
      slots_(std::size_t{s.columns} * s.rows * kDtms * 2) {}

void CmnWires::show(bool upload, unsigned xp, Interface port, Channel channel, const cmn::FlitFields& fields) {
  if (fields.opcode == 0) return;  // watchpoints ignore the return of a link credit
  if (!spec.sub_channels_apart) channel = first_sub_channel(channel);
  FlitImages images(spec.layout, channel, upload, fields);
  for (WatchpointTruth* const truth : open_watchpoints_) {
    if (truth->looks_at(upload, xp, port, channel)) truth->see(xp, port, images);
  }
}

void CmnWires::show_at_once(unsigned xp, const CmnMeaning& known, std::uint64_t amount) {
  for (WatchpointTruth* const truth : open_watchpoints_) truth->see_at_once(xp, known, amount);
}

bool CmnPmuJudge::see_write(const MmioBus::BusAccess& access) {
  if (!access.ok) return false;
  wires_.cycle_counters.see(access);
  if (access.address != wires_.spec.dtcs.front().pmcr) return false;
  pmcr_ = access.data;
  return true;
}

bool CmnPmuJudge::written_on() const { return (pmcr_ & kPmcrEnable) != 0; }

std::unique_ptr<EventTruth> CmnPmuJudge::truth(const EventTerms& terms) {
  CmnMeaning meaning = cmn_meaning(terms, wires_.spec.layout);
  switch (meaning.kind) {
    case CmnMeaning::Kind::cycles:
      return std::make_unique<CyclesTruth>(std::move(meaning), wires_);
    case CmnMeaning::Kind::flits:
      return std::make_unique<FlitTruth>(std::move(meaning), wires_);
    case CmnMeaning::Kind::node:
      if (wires_.nodes.sources(meaning.type, meaning.node).empty())
        throw std::invalid_argument(fmt::format("{} has no reference: no such node is judged", meaning.text));
      return std::make_unique<NodeTruth>(std::move(meaning), wires_);
    case CmnMeaning::Kind::watchpoint:
      break;
  }
  return std::make_unique<WatchpointTruth>(std::move(meaning), wires_);
}

Injection CmnPmuJudge::flits_at_once(CmnMeaning known) {
  if (known.exclusive || known.combine != 0)
    throw std::invalid_argument("flits that do not match, or match twice: name what one watchpoint compares");
  if (wires_.spec.layout == WatchpointLayout::cmn600) known.group &= 1U;
  for (unsigned xp = 0; xp < wires_.xps(); ++xp) {
    if (wires_.ids.xp_id(xp) != *known.node) continue;
    return [this, known, xp](std::uint64_t count, Picoseconds /*when*/) { wires_.show_at_once(xp, known, count); };
  }
  throw std::invalid_argument(fmt::format("{}: there is no such crosspoint", known.text));
}

Injection CmnPmuJudge::injection(const EventTerms& terms, unsigned /*unit*/) {
  const CmnMeaning meaning = cmn_meaning(terms, wires_.spec.layout);
  if (meaning.kind == CmnMeaning::Kind::cycles)
    return [this](std::uint64_t count, Picoseconds when) { wires_.cycle_counters.pass(count, when); };
  if (!meaning.node) throw std::invalid_argument("happens at many nodes: add bynodeid=1,nodeid=...");
  if (meaning.kind == CmnMeaning::Kind::flits) {
    const std::optional<Interface> interface = interface_of(meaning, wires_);
    for (unsigned xp = 0; xp < wires_.xps() && interface; ++xp) {
      if (wires_.ids.xp_id(xp) != *meaning.node) continue;
      return [this, meaning, xp, interface](std::uint64_t count, Picoseconds /*when*/) {
        wires_.count(meaning.event, xp, *interface, meaning.channel) += count;
      };
    }
    throw std::invalid_argument(fmt::format("{}: there is no such crosspoint or port", meaning.text));
  }
  if (meaning.kind == CmnMeaning::Kind::watchpoint) return flits_at_once(meaning);
  if (wires_.nodes.sources(meaning.type, meaning.node).empty())
    throw std::invalid_argument(fmt::format("{}: there is no such node", meaning.text));
  return [this, meaning](std::uint64_t count, Picoseconds when) {
    wires_.nodes.advance_before(when);
    wires_.nodes.fire(*meaning.node, {meaning.type, meaning.event_id, meaning.filter, meaning.filter2}, count);
  };
}

}  // namespace pmufab::scoreboard
