// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/pcie/pcie_judge.h"

#include <bit>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"
#include "testbench/fabrics/tegra410/judge/publication/tegra410_publication.h"
#include "testbench/judge/equal_counts.h"

namespace pmufab::scoreboard {
namespace {

/// Requests are events at an instant and count in the order of reporting, unlike clocks. Marks of rd_cum_outs are
/// checkpoints of the timeline of reads; those of other events are the count so far.
class PcieTruth final : public EventTruth {
 public:
  PcieTruth(PcieMeaning meaning, PcieRequests& requests, const ExactClock& clock)
      : meaning_(std::move(meaning)), requests_(requests), checkpoints_(requests.reads()), clock_(clock) {}

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] bool takes_cycle_counter() const override { return meaning_.kind == PcieMeaning::Kind::cycles; }
  /// @return the requester id that it names, or whose it shares with its group's leader
  [[nodiscard]] std::optional<std::uint16_t> requester() const noexcept { return meaning_.source.bdf; }

  [[nodiscard]] Mark mark(Picoseconds when) override {
    if (meaning_.kind != PcieMeaning::Kind::traffic) return {when, 0};
    if (meaning_.event == PcieEvent::rd_cum_outs) return {when, checkpoints_.take(when)};
    return {when, sum(requests_.lanes()).amount(meaning_.event)};
  }

  void forget(const Mark& mark) override {
    if (meaning_.kind == PcieMeaning::Kind::traffic && meaning_.event == PcieEvent::rd_cum_outs)
      checkpoints_.forget(mark.position);
  }

  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    switch (meaning_.kind) {
      case PcieMeaning::Kind::cycles:
        return clock_.edges_in(span.begin.when, span.end.when);
      case PcieMeaning::Kind::traffic:
        if (meaning_.event == PcieEvent::rd_cum_outs) return outstanding(span.end) - outstanding(span.begin);
        return span.end.position - span.begin.position;
      case PcieMeaning::Kind::nothing:
        break;
    }
    return 0;
  }

  [[nodiscard]] Picoseconds final_before() const override {
    const bool has_checkpoints =
        meaning_.kind == PcieMeaning::Kind::traffic && meaning_.event == PcieEvent::rd_cum_outs;
    return has_checkpoints ? checkpoints_.final_before() : EventTruth::final_before();
  }
  void settle(const Span& span) override { add(settled_outstanding_, settled_edges_, span); }

  void opened() override {
    opened_ = requests_.lanes();
    open_ = true;
  }
  void closed() override {
    counted_ = counted();
    opened_.clear();
    open_ = false;
  }

  void describe(std::span<const Span> /*spans*/, EventResult& result) const override {
    if (meaning_.kind == PcieMeaning::Kind::nothing) result.remark = kCountsNothing;
    if (meaning_.kind != PcieMeaning::Kind::traffic) return;
    const bool counts_bytes = meaning_.event == PcieEvent::rd_bytes || meaning_.event == PcieEvent::wr_bytes;
    if (meaning_.event != PcieEvent::rd_cum_outs)
      result.figure = counts_bytes ? Figure::bandwidth : Figure::request_rate;
    if (meaning_.event == PcieEvent::rd_req) {
      const PcieLane all = sum(counted());
      result.mean_read_latency_ps = {all.latency_ps, all.reads};
    }
  }

  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    std::vector<PcieLane> lanes = counted();
    std::vector<std::uint64_t> outstanding = settled_outstanding_;
    std::uint64_t edges = settled_edges_;
    for (const Span& span : spans) add(outstanding, edges, span);
    outstanding.resize(lanes.size());
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane].outstanding += outstanding[lane];
    return explain_pcie(meaning_, lanes, edges, driver);
  }

 private:
  [[nodiscard]] bool holds(const PcieLane& lane) const noexcept {
    return (meaning_.destinations >> static_cast<unsigned>(lane.destination) & 1U) != 0 &&
           meaning_.source.holds(lane.root_port, lane.bdf);
  }
  [[nodiscard]] PcieLane sum(const std::vector<PcieLane>& lanes) const {
    PcieLane total{.root_port = 0, .bdf = 0, .destination = PcieDestination::loc_cmem};
    for (const PcieLane& lane : lanes) {
      if (holds(lane)) total += lane;
    }
    return total;
  }
  [[nodiscard]] std::uint64_t outstanding_of(const Mark& mark, std::size_t lane) const {
    const std::vector<RequestSums>& sums = requests_.reads().at(mark.position);
    return lane < sums.size() ? sums[lane].outstanding : 0;
  }
  /// @param lanes  outstanding reads, if the event counts them
  void add(std::vector<std::uint64_t>& lanes, std::uint64_t& edges, const Span& span) const {
    edges += clock_.edges_in(span.begin.when, span.end.when);
    if (meaning_.kind != PcieMeaning::Kind::traffic || meaning_.event != PcieEvent::rd_cum_outs) return;
    lanes.resize(requests_.lanes().size());
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] += outstanding_of(span.end, lane) - outstanding_of(span.begin, lane);
  }
  [[nodiscard]] std::uint64_t outstanding(const Mark& mark) const {
    std::uint64_t total = 0;
    for (std::size_t lane = 0; lane < requests_.lanes().size(); ++lane) {
      if (holds(requests_.lanes()[lane])) total += outstanding_of(mark, lane);
    }
    return total;
  }
  /// @return everything the root complex saw within the spans, in the order of reporting.
  [[nodiscard]] std::vector<PcieLane> counted() const {
    std::vector<PcieLane> lanes = counted_;
    if (!open_) return lanes;
    const std::vector<PcieLane>& now = requests_.lanes();
    for (std::size_t lane = 0; lane < now.size(); ++lane) {
      if (lane == lanes.size())
        lanes.push_back({.root_port = now[lane].root_port, .bdf = now[lane].bdf, .destination = now[lane].destination});
      lanes[lane] += now[lane];
      if (lane < opened_.size()) lanes[lane] -= opened_[lane];
    }
    return lanes;
  }

  PcieMeaning meaning_;
  const PcieRequests& requests_;
  Checkpoints checkpoints_;  // of the reads
  const ExactClock& clock_;
  std::vector<PcieLane> counted_;  // within the spans that have ended; lanes are numbered as in requests_
  std::vector<PcieLane> opened_;   // state at the beginning of the last one
  bool open_ = false;
  // Of settled spans.
  std::vector<std::uint64_t> settled_outstanding_;  // by lane
  std::uint64_t settled_edges_ = 0;
};

}  // namespace

PciePmuJudge::PciePmuJudge(const CoreSightPmuSpec& spec, PcieRequests& requests, const ExactClock& clock)
    : CoreSightPmuJudge(spec.name, spec.page0, spec.page1, spec.width, Layout::ext32,
                        {.all = spec.counters, .has_cycles = spec.has_cycle_counter}),
      has_cycle_counter_(spec.has_cycle_counter),
      requests_(requests),
      clock_(clock) {}

std::optional<std::string> PciePmuJudge::room_for(const EventTruth& refused,
                                                  const std::vector<const EventTruth*>& active) const {
  const auto requester_of = [](const EventTruth* event) { return static_cast<const PcieTruth*>(event)->requester(); };
  const bool differ = std::any_of(active.begin(), active.end(), [&](const EventTruth* event) {
    return requester_of(event) != requester_of(&refused);
  });
  if (differ) return "";  // the PMU has one filter
  return CoreSightPmuJudge::room_for(refused, active);
}

Publication PciePmuJudge::publication() const {
  return coresight_publication(CoreSightPmuType::pcie, has_cycle_counter_);
}

std::unique_ptr<EventTruth> PciePmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<PcieTruth>(pcie_meaning(terms), requests_, clock_);
}

std::unique_ptr<EventTruth> PciePmuJudge::truth_of_member(const EventTerms& terms, const EventTerms& leader) {
  return std::make_unique<PcieTruth>(pcie_meaning(terms, &leader), requests_, clock_);
}

Injection PciePmuJudge::injection(const EventTerms& terms, unsigned /*unit*/) {
  const PcieMeaning meaning = pcie_meaning(terms);
  if (meaning.kind == PcieMeaning::Kind::cycles)
    return [this](std::uint64_t count, Picoseconds when) { clock_.pass(count, when); };
  if (meaning.kind == PcieMeaning::Kind::nothing) throw std::invalid_argument("the PMU has no such event");
  if (meaning.event == PcieEvent::rd_cum_outs)
    throw std::invalid_argument("rd_cum_outs counts clock edges while reads wait: only traffic makes them wait");
  if (meaning.source.bdf || !std::has_single_bit(meaning.source.root_ports) ||
      !std::has_single_bit(meaning.destinations))
    throw std::invalid_argument(
        "several kinds of requests cause it: name one root port and one destination (src_rp_mask, dst_*)");
  return [this, meaning](std::uint64_t count, Picoseconds /*when*/) {
    requests_.count(static_cast<unsigned>(std::countr_zero(meaning.source.root_ports)),
                    static_cast<PcieDestination>(std::countr_zero(meaning.destinations)), meaning.event, count);
  };
}

namespace {

constexpr std::size_t kLanesShown = 6;

std::uint64_t sum(const std::vector<PcieLane>& lanes, PcieEvent event, const PcieSource& source,
                  std::uint32_t destinations) {
  std::uint64_t total = 0;
  for (const PcieLane& lane : lanes) {
    const bool goes_there = (destinations >> static_cast<unsigned>(lane.destination) & 1U) != 0;
    if (goes_there && source.holds(lane.root_port, lane.bdf)) total += lane.amount(event);
  }
  return total;
}

std::string lanes_text(const std::vector<PcieLane>& lanes, PcieEvent event) {
  std::string text;
  std::size_t shown = 0;
  for (const PcieLane& lane : lanes) {
    if (lane.amount(event) == 0) continue;
    if (++shown > kLanesShown) return text + ", ...";
    text += fmt::format("{}port {}, {} -> {}: {}", text.empty() ? "" : ", ", lane.root_port, bdf_text(lane.bdf),
                        to_string(lane.destination), lane.amount(event));
  }
  return text.empty() ? "no traffic" : text;
}

void offer_filters(const PcieMeaning& meaning, const std::vector<PcieLane>& counted, EqualCounts& equal) {
  const PcieSource everything;
  equal.offer(sum(counted, meaning.event, everything, kAllPcieDestinations), "this event without a filter");
  equal.offer(sum(counted, meaning.event, everything, meaning.destinations), "this event of all root ports");
  equal.offer(sum(counted, meaning.event, meaning.source, kAllPcieDestinations), "this event to all destinations");
  std::uint32_t seen = 0;
  std::set<std::uint16_t> devices;
  for (const PcieLane& lane : counted) {
    seen |= 1U << lane.root_port;
    devices.insert(lane.bdf);
  }
  for (std::uint32_t ports = 1; ports < kAllRootPorts; ++ports) {
    if ((ports & ~seen) != 0) continue;
    equal.offer(sum(counted, meaning.event, {.root_ports = ports}, meaning.destinations),
                fmt::format("this event of root ports {:#b}", ports));
  }
  for (const std::uint16_t bdf : devices) {
    equal.offer(sum(counted, meaning.event, {.bdf = bdf}, meaning.destinations),
                fmt::format("this event of device {}", bdf_text(bdf)));
  }
  for (std::uint32_t destinations = 1; destinations < kAllPcieDestinations; ++destinations) {
    equal.offer(sum(counted, meaning.event, meaning.source, destinations),
                fmt::format("this event to {}", destinations_text(destinations)));
  }
}

}  // namespace

std::string explain_pcie(const PcieMeaning& meaning, const std::vector<PcieLane>& counted, std::uint64_t edges,
                         std::uint64_t driver) {
  EqualCounts equal(driver);
  if (meaning.kind == PcieMeaning::Kind::traffic) offer_filters(meaning, counted, equal);
  for (std::size_t e = 0; e < kPcieEvents; ++e) {
    const auto event = static_cast<PcieEvent>(e);
    if (meaning.kind == PcieMeaning::Kind::traffic) {
      if (event == meaning.event) continue;
      equal.offer(sum(counted, event, meaning.source, meaning.destinations),
                  fmt::format("{} with the same filter", to_string(event)));
    }
    equal.offer(sum(counted, event, {}, kAllPcieDestinations), fmt::format("{} without a filter", to_string(event)));
  }
  equal.offer(edges, "cycles");
  std::string text = equal.text();
  if (meaning.kind != PcieMeaning::Kind::traffic) return text;
  if (!text.empty()) text += "; ";
  return text + "by device and destination: " + lanes_text(counted, meaning.event);
}

}  // namespace pmufab::scoreboard
