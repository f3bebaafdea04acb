#include "testbench/scoreboard/cmn_judge.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/scoreboard/cmn_meaning.h"
#include "testbench/scoreboard/exact_clock.h"

namespace pmufab::scoreboard {

using cmn::Channel;
using cmn::FlitEvent;
using cmn::Interface;
using Severity = Finding::Severity;

namespace {

constexpr unsigned kPmcrEnable = 0x1;
constexpr std::uint64_t kLocalCounterSpan = 0x1'0000;  // a local counter of 16 bits carries so much

struct Place {
  unsigned xp;
  Interface port;
  bool operator==(const Place&) const = default;
};

Interface port_interface(unsigned port) {
  return static_cast<Interface>(static_cast<unsigned>(Interface::port0) + port);
}
bool is_port(Interface interface) { return interface >= Interface::port0; }
std::string name_of(Interface interface) {
  constexpr std::string_view kMeshNames = "ewns";
  const auto number = static_cast<unsigned>(interface);
  if (!is_port(interface)) return std::string(1, kMeshNames[number]);
  return fmt::format("p{}", number - static_cast<unsigned>(Interface::port0));
}

/// The node ids of a mesh: x, y, then port and device, of widths that depend on its size and on the XP.
class NodeIds {
 public:
  explicit NodeIds(const CmnJudgeSpec& spec)
      : spec_(spec),
        // At least two bits, as hardware has it.
        bits_(std::max(2U, static_cast<unsigned>(std::bit_width((spec.columns - 1U) | (spec.rows - 1U))))) {}

  [[nodiscard]] std::optional<Place> place(std::uint64_t id) const {
    if (spec_.columns * spec_.rows == 1) return Place{0, port_interface(static_cast<unsigned>(id >> 2U & 7U))};
    const auto x = static_cast<unsigned>(id >> (bits_ + 3U));
    const auto y = static_cast<unsigned>(id >> 3U & ((1U << bits_) - 1U));
    if (x >= spec_.columns || y >= spec_.rows) return std::nullopt;
    const unsigned xp = y * spec_.columns + x;
    const auto low = static_cast<unsigned>(id & 7U);
    return Place{xp, port_interface(spec_.ports_in_use[xp] > 2 ? low >> 1U : low >> 2U)};
  }
  [[nodiscard]] std::uint16_t xp_id(unsigned xp) const {
    return static_cast<std::uint16_t>((xp % spec_.columns) << (bits_ + 3U) | (xp / spec_.columns) << 3U);
  }

 private:
  const CmnJudgeSpec& spec_;
  unsigned bits_;
};

class WatchpointTruth;

/// What the truths of one mesh look at.
struct Wires {
  explicit Wires(const CmnJudgeSpec& s)
      : spec(s), ids(s), clock(s.clock_hz), counts(2 * std::size_t{s.columns} * s.rows * kPerXp) {}

  static constexpr std::size_t kPerXp = cmn::kInterfaces * cmn::kChannels;

  [[nodiscard]] unsigned xps() const { return spec.columns * spec.rows; }
  [[nodiscard]] std::size_t index(FlitEvent event, unsigned xp, Interface interface, Channel channel) const {
    return (static_cast<std::size_t>(event) * xps() + xp) * kPerXp +
           static_cast<std::size_t>(interface) * cmn::kChannels + static_cast<std::size_t>(channel);
  }
  void see_flit(bool upload, unsigned xp, Interface port, Channel channel, const cmn::FlitFields& fields);

  const CmnJudgeSpec& spec;
  NodeIds ids;
  ExactClock clock;
  std::vector<std::uint64_t> counts;
  std::vector<WatchpointTruth*> watchpoints;  // in the order made
};

std::uint64_t sum_of(std::span<const Span> spans, const EventTruth& truth) {
  std::uint64_t sum = 0;
  for (const Span& span : spans) sum += truth.count(span);
  return sum;
}

/// A count whose local part and carries software reads one after the other.
bool allows_carry_between(std::uint64_t value, std::uint64_t low, std::uint64_t high, unsigned counters) {
  for (unsigned carries = 0; carries <= counters; ++carries) {
    const std::uint64_t extra = carries * kLocalCounterSpan;
    if (low + extra <= value && value <= high + extra) return true;
    if (low == high) break;  // nothing moved, so nothing carried
  }
  return false;
}

class FlitTruth final : public EventTruth {
 public:
  FlitTruth(CmnMeaning meaning, const Wires& wires) : meaning_(std::move(meaning)), wires_(wires) {
    if (wires_.xps() == 1) {
      // A single crosspoint has no neighbours: the codes mean its six ports, and the last two nothing.
      const auto code = static_cast<unsigned>(meaning_.interface);
      if (code >= cmn::kMaximumPorts) return;
      meaning_.interface = port_interface(code);
    }
    for (unsigned xp = 0; xp < wires_.xps(); ++xp) {
      if (!meaning_.node || *meaning_.node == wires_.ids.xp_id(xp)) xps_.push_back(xp);
    }
  }

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, total(meaning_.event, meaning_.interface)}; }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  [[nodiscard]] bool allows(std::uint64_t value, std::uint64_t low, std::uint64_t high) const override {
    return allows_carry_between(value, low, high, static_cast<unsigned>(xps_.size()));
  }
  [[nodiscard]] bool grows() const override { return false; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    const std::uint64_t expected = sum_of(spans, *this);
    const std::uint64_t difference = driver > expected ? driver - expected : expected - driver;
    if (difference != 0 && difference % kLocalCounterSpan == 0)
      return fmt::format("{} carries of local counters", difference / kLocalCounterSpan);
    return {};
  }

 private:
  [[nodiscard]] std::uint64_t total(FlitEvent event, Interface interface) const {
    std::uint64_t sum = 0;
    for (const unsigned xp : xps_) sum += wires_.counts[wires_.index(event, xp, interface, meaning_.channel)];
    return sum;
  }

  CmnMeaning meaning_;
  const Wires& wires_;
  std::vector<unsigned> xps_;
};

class WatchpointTruth final : public EventTruth {
 public:
  WatchpointTruth(CmnMeaning meaning, Wires& wires) : meaning_(std::move(meaning)), wires_(wires) {
    // One bit selects the group there, and the driver leaves out the rest.
    if (wires_.spec.layout == WatchpointLayout::cmn600) meaning_.group &= 1U;
    wires_.watchpoints.push_back(this);
  }
  ~WatchpointTruth() override { std::erase(wires_.watchpoints, this); }
  WatchpointTruth(const WatchpointTruth&) = delete;
  WatchpointTruth& operator=(const WatchpointTruth&) = delete;

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, hits_}; }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  /// A pair's primary match is the first that is there.
  void activated() override {
    second_ = std::any_of(wires_.watchpoints.begin(), wires_.watchpoints.end(), [&](const WatchpointTruth* other) {
      return other != this && other->active_ && !other->second_ && pairs_with(*other);
    });
    active_ = true;
  }
  void deactivated() override { active_ = false; }
  void opened() override { open_ = true; }
  void closed() override { open_ = false; }
  [[nodiscard]] bool allows(std::uint64_t value, std::uint64_t low, std::uint64_t high) const override {
    return allows_carry_between(value, low, high, meaning_.node ? 1 : wires_.xps());
  }
  [[nodiscard]] bool grows() const override { return false; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] bool is_combined() const { return meaning_.combine != 0; }
  [[nodiscard]] bool is_second() const { return second_; }
  void hit() { ++hits_; }

  [[nodiscard]] bool matches(bool upload, unsigned xp, Interface port, Channel channel,
                             const cmn::FlitFields& fields) const {
    if (upload != meaning_.upload || port != port_interface(meaning_.port) || channel != meaning_.channel) return false;
    if (meaning_.node && *meaning_.node != wires_.ids.xp_id(xp)) return false;
    const std::uint64_t image = watchpoint_image(wires_.spec.layout, channel, meaning_.group, meaning_.upload, fields);
    const bool equal = ((image ^ meaning_.value) & ~meaning_.mask) == 0;
    return equal != meaning_.exclusive;
  }
  /// Watchpoints of one pair count on the primary of them, where both match.
  [[nodiscard]] bool pairs_with(const WatchpointTruth& other) const {
    return meaning_.combine != 0 && meaning_.combine == other.meaning_.combine &&
           meaning_.upload == other.meaning_.upload && meaning_.node == other.meaning_.node;
  }

 private:
  CmnMeaning meaning_;
  Wires& wires_;
  bool active_ = false;
  bool second_ = false;  // of a combined pair, while active
  bool open_ = false;
  std::uint64_t hits_ = 0;
};

void Wires::see_flit(bool upload, unsigned xp, Interface port, Channel channel, const cmn::FlitFields& fields) {
  if (fields.opcode == 0) return;  // the return of a link credit is no flit to a watchpoint
  for (WatchpointTruth* const truth : watchpoints) {
    if (!truth->is_open() || !truth->matches(upload, xp, port, channel, fields)) continue;
    if (truth->is_combined()) {
      const auto is_matching_partner = [&](const WatchpointTruth* other) {
        return other->is_open() && other->is_second() && truth->pairs_with(*other) &&
               other->matches(upload, xp, port, channel, fields);
      };
      if (truth->is_second() || std::none_of(watchpoints.begin(), watchpoints.end(), is_matching_partner)) continue;
    }
    truth->hit();
  }
}

class CyclesTruth final : public EventTruth {
 public:
  CyclesTruth(std::string text, const ExactClock& clock) : text_(std::move(text)), clock_(clock) {}
  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, 0}; }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    return clock_.edges_in(span.begin.when, span.end.when);
  }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  std::string text_;
  const ExactClock& clock_;
};

class CmnPmuJudge final : public PmuJudge {
 public:
  explicit CmnPmuJudge(Wires& wires) : PmuJudge(wires.spec.pmu), wires_(wires) {}

  bool see_write(const MmioBus::BusAccess& access) override {
    if (!access.ok || access.address != wires_.spec.pmcr) return false;
    pmcr_ = access.data;
    return true;
  }
  [[nodiscard]] bool written_on() const override { return (pmcr_ & kPmcrEnable) != 0; }

  [[nodiscard]] std::unique_ptr<EventTruth> truth(const EventTerms& terms) override {
    CmnMeaning meaning = cmn_meaning(terms);
    switch (meaning.kind) {
      case CmnMeaning::Kind::cycles:
        return std::make_unique<CyclesTruth>(meaning.text, wires_.clock);
      case CmnMeaning::Kind::flits:
        return std::make_unique<FlitTruth>(std::move(meaning), wires_);
      case CmnMeaning::Kind::watchpoint:
        break;
    }
    return std::make_unique<WatchpointTruth>(std::move(meaning), wires_);
  }

 private:
  Wires& wires_;
  std::uint64_t pmcr_ = 0;
};

CmnJudgeSpec valid(CmnJudgeSpec spec) {
  if (spec.columns == 0 || spec.rows == 0) throw std::invalid_argument("columns, rows: a mesh has crosspoints");
  if (spec.ports_in_use.size() != std::size_t{spec.columns} * spec.rows)
    throw std::invalid_argument("ports_in_use: one number for each crosspoint");
  return spec;
}

}  // namespace

struct CmnJudge::State {
  State(CmnJudgeSpec s, Chronicle& c) : spec(valid(std::move(s))), chronicle(c), wires(spec), pmu(wires) {}

  /// A flit on its way.
  struct Flight {
    bool present = false;
    unsigned xp = 0;
    Channel channel = Channel::req;
    Place target{};
    cmn::FlitFields fields{};
  };

  [[nodiscard]] Interface way(unsigned xp, const Place& target) const {
    const unsigned x = xp % spec.columns;
    const unsigned y = xp / spec.columns;
    const unsigned to_x = target.xp % spec.columns;
    const unsigned to_y = target.xp / spec.columns;
    if (x != to_x) return x < to_x ? Interface::east : Interface::west;
    if (y != to_y) return y < to_y ? Interface::north : Interface::south;
    return target.port;
  }
  [[nodiscard]] unsigned neighbour(unsigned xp, Interface interface) const {
    switch (interface) {
      case Interface::east:
        return xp + 1;
      case Interface::west:
        return xp - 1;
      case Interface::north:
        return xp + spec.columns;
      case Interface::south:
        return xp - spec.columns;
      default:
        return xp;
    }
  }
  void fail(const std::string& kind, const std::string& text, Picoseconds when) const {
    chronicle.findings.add(Severity::failure, kind, fmt::format("{}: {}", spec.pmu, text), when);
  }

  const CmnJudgeSpec spec;
  Chronicle& chronicle;
  Wires wires;
  CmnPmuJudge pmu;
  std::vector<Flight> flights;  // by number of the flit
};

CmnJudge::CmnJudge(CmnJudgeSpec spec, Chronicle& chronicle)
    : state_(std::make_unique<State>(std::move(spec), chronicle)) {}

CmnJudge::~CmnJudge() = default;

void CmnJudge::on_upload(Picoseconds when, unsigned xp, unsigned port, Channel channel, std::uint32_t flit,
                         const cmn::FlitFields& fields) {
  State& s = *state_;
  s.chronicle.see(when);
  s.chronicle.last_traffic = std::max(s.chronicle.last_traffic, when);
  if (flit >= s.flights.size()) s.flights.resize(flit + std::size_t{1});
  State::Flight& flight = s.flights[flit];
  if (flight.present) s.fail("flit_number_in_use", fmt::format("flit {} enters twice", flit), when);
  const std::optional<Place> target = s.wires.ids.place(fields.tgtid);
  if (!target) s.fail("flit_to_nowhere", fmt::format("TgtID {:#x} is no node of the mesh", fields.tgtid), when);
  flight = {true, xp, channel, target.value_or(Place{xp, port_interface(port)}), fields};
  s.wires.see_flit(true, xp, port_interface(port), channel, fields);
}

void CmnJudge::on_cycle(Picoseconds when, std::span<const cmn::MeshPulse> pulses) {
  for (const cmn::MeshPulse& pulse : pulses) {
    if (pulse.event == FlitEvent::valid) {
      on_transmit(when, pulse.xp, pulse.interface, pulse.channel, pulse.handle);
    } else {
      on_stall(when, pulse.xp, pulse.interface, pulse.channel);
    }
  }
}

void CmnJudge::on_transmit(Picoseconds when, unsigned xp, Interface interface, Channel channel, std::uint32_t flit) {
  State& s = *state_;
  s.chronicle.see(when);
  ++s.wires.counts[s.wires.index(FlitEvent::valid, xp, interface, channel)];
  if (flit >= s.flights.size() || !s.flights[flit].present) {
    s.fail("flit_from_nowhere", fmt::format("XP {} sends flit {}, which nobody handed in", xp, flit), when);
    return;
  }
  State::Flight& flight = s.flights[flit];
  if (flight.xp != xp || flight.channel != channel || s.way(xp, flight.target) != interface) {
    s.fail("flit_off_route",
           fmt::format("XP {} sends flit {} to {}, but it is at XP {} on channel {} and goes to XP {} {}", xp, flit,
                       name_of(interface), flight.xp, static_cast<unsigned>(flight.channel), flight.target.xp,
                       name_of(flight.target.port)),
           when);
  }
  if (is_port(interface)) {
    s.wires.see_flit(false, xp, interface, channel, flight.fields);
    flight.present = false;
  } else {
    flight.xp = s.neighbour(xp, interface);
  }
}

void CmnJudge::on_stall(Picoseconds when, unsigned xp, Interface interface, Channel channel) {
  State& s = *state_;
  s.chronicle.see(when);
  ++s.wires.counts[s.wires.index(FlitEvent::stall, xp, interface, channel)];
}

std::vector<PmuJudge*> CmnJudge::pmus() { return {&state_->pmu}; }

void CmnJudge::finish() {
  const auto left =
      std::count_if(state_->flights.begin(), state_->flights.end(), [](const auto& flight) { return flight.present; });
  if (left != 0) {
    state_->fail("flits_lost", fmt::format("{} flits went in and never came out", left), state_->chronicle.last_seen);
  }
}

std::uint64_t CmnJudge::count(FlitEvent event, unsigned xp, Interface interface, Channel channel) const {
  return state_->wires.counts.at(state_->wires.index(event, xp, interface, channel));
}

}  // namespace pmufab::scoreboard
