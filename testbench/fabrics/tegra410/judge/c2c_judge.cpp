// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/c2c_judge.h"

#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/publication/tegra410_publication.h"
#include "testbench/fabrics/tegra410/judge/tegra410_explain.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"

namespace pmufab::scoreboard {
namespace {

constexpr std::uint64_t kC2cCtrl = 0x864;

/// @return the instances that lead to the peers of an event.
std::uint32_t instances_of(const C2cMeaning& meaning, const C2cPmuSpec& pmu) {
  std::uint32_t instances = 0;
  for (std::size_t peer = 0; peer < pmu.masks.size(); ++peer) {
    if (meaning.gpus == 0 || (meaning.gpus >> peer & 1U) != 0) instances |= pmu.masks[peer];
  }
  return instances;
}

/// Positions of its marks are checkpoints of the timeline, because requests may be reported late.
class C2cTruth final : public EventTruth {
 public:
  C2cTruth(C2cMeaning meaning, const C2cPmuSpec& pmu, RequestTimeline& timeline, const ExactClock& clock)
      : meaning_(meaning),
        pmu_(pmu),
        timeline_(timeline),
        checkpoints_(timeline),
        clock_(clock),
        instances_(instances_of(meaning, pmu)),
        settled_lanes_(std::size_t{kC2cTraffic} * pmu.instances) {}

  [[nodiscard]] std::string text() const override {
    const std::string name(c2c_event_name(meaning_.event));
    return meaning_.gpus == 0 || meaning_.is_cycles() ? name : fmt::format("{}, GPUs {:#04b}", name, meaning_.gpus);
  }

  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, checkpoints_.take(when)}; }
  void forget(const Mark& mark) override { checkpoints_.forget(mark.position); }

  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    if (meaning_.is_cycles()) return clock_.edges_in(span.begin.when, span.end.when);
    const RequestSums sums = sums_of(span);
    return meaning_.is_requests() ? sums.requests : sums.outstanding;
  }

  [[nodiscard]] Picoseconds final_before() const override { return checkpoints_.final_before(); }
  void settle(const Span& span) override {
    settled_ += sums_of(span);
    add(settled_lanes_, settled_edges_, span);
  }

  void describe(std::span<const Span> spans, EventResult& result) const override {
    if (meaning_.is_cycles()) return;
    RequestSums sum = settled_;
    for (const Span& span : spans) sum += sums_of(span);
    result.mean_read_latency_ps = {sum.latency_ps, sum.requests};
  }

  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    std::vector<RequestSums> sums = settled_lanes_;
    std::uint64_t edges = settled_edges_;
    for (const Span& span : spans) add(sums, edges, span);
    return explain_c2c(meaning_, pmu_, sums, edges, driver);
  }

 private:
  void add(std::vector<RequestSums>& lanes, std::uint64_t& edges, const Span& span) const {
    const std::vector<RequestSums>& end = timeline_.at(span.end.position);
    const std::vector<RequestSums>& begin = timeline_.at(span.begin.position);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] += end[lane];
      lanes[lane] -= begin[lane];
    }
    edges += clock_.edges_in(span.begin.when, span.end.when);
  }
  /// @return the traffic of the event at its instances.
  [[nodiscard]] RequestSums sums_of(const Span& span) const {
    RequestSums sum;
    const std::size_t first = std::size_t{meaning_.traffic()} * pmu_.instances;
    for (unsigned instance = 0; instance < pmu_.instances; ++instance) {
      if ((instances_ >> instance & 1U) == 0) continue;
      sum += timeline_.at(span.end.position)[first + instance];
      sum -= timeline_.at(span.begin.position)[first + instance];
    }
    return sum;
  }

  C2cMeaning meaning_;
  const C2cPmuSpec& pmu_;
  const RequestTimeline& timeline_;
  Checkpoints checkpoints_;
  const ExactClock& clock_;
  std::uint32_t instances_;
  // Of settled spans.
  RequestSums settled_;
  std::vector<RequestSums> settled_lanes_;
  std::uint64_t settled_edges_ = 0;
};

/// @return the number of the n-th bit that is set, from 0.
unsigned nth_bit(std::uint32_t mask, std::uint64_t n) {
  for (; n > 0; --n) mask &= mask - 1;
  return static_cast<unsigned>(std::countr_zero(mask));
}

}  // namespace

C2cPmuJudge::C2cPmuJudge(C2cPmuSpec spec, const ExactClock& clock, Picoseconds ahead)
    : PmuJudge(spec.name, spec.width),
      spec_(std::move(spec)),
      clock_(clock),
      timeline_(clock, std::size_t{kC2cTraffic} * spec_.instances, ahead) {}

void C2cPmuJudge::see_request(bool is_in, bool is_write, unsigned peer, std::uint64_t line, Picoseconds start,
                              Picoseconds end) {
  if (is_write && !spec_.counts_writes) return;
  const std::uint32_t mask = spec_.masks.at(peer);
  if (mask == 0) return;
  const std::size_t traffic = (is_in ? 0 : 2) + (is_write ? 1 : 0);
  const unsigned instance = nth_bit(mask, line % static_cast<unsigned>(std::popcount(mask)));
  timeline_.add(start, end, 1, traffic * spec_.instances + instance);
}

bool C2cPmuJudge::see_write(const MmioBus::BusAccess& access) {
  if (!access.ok || access.address != spec_.broadcast + kC2cCtrl) return false;
  control_value_ = access.data;
  return true;
}

Publication C2cPmuJudge::publication() const { return c2c_publication(spec_); }

std::unique_ptr<EventTruth> C2cPmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<C2cTruth>(c2c_meaning(terms, spec_.peer == C2cPeer::gpu), spec_, timeline_, clock_);
}

Injection C2cPmuJudge::injection(const EventTerms& terms, unsigned unit) {
  const C2cMeaning meaning = c2c_meaning(terms, spec_.peer == C2cPeer::gpu);
  if (meaning.is_cycles()) return [this](std::uint64_t count, Picoseconds when) { clock_.pass(count, when); };
  std::uint32_t instances = instances_of(meaning, spec_);
  if (instances == 0) throw std::invalid_argument("no instance of the interface leads to that peer");
  for (unsigned i = 0; i < unit; ++i) instances &= instances - 1;
  const auto instance = static_cast<unsigned>(std::countr_zero(instances));
  const std::size_t lane = std::size_t{meaning.traffic()} * spec_.instances + instance;
  return [this, lane, is_outstanding = !meaning.is_requests()](std::uint64_t count, Picoseconds when) {
    timeline_.add_at_once(when, is_outstanding, count, lane);
  };
}

std::optional<std::string> C2cPmuJudge::room_for(const EventTruth& /*refused*/,
                                                 const std::vector<const EventTruth*>& active) const {
  return room_text(active.size(), kC2cEvents);
}

unsigned C2cPmuJudge::units(const EventTerms& terms) const {
  const C2cMeaning meaning = c2c_meaning(terms, spec_.peer == C2cPeer::gpu);
  return meaning.is_cycles() ? 1 : static_cast<unsigned>(std::popcount(instances_of(meaning, spec_)));
}

}  // namespace pmufab::scoreboard
