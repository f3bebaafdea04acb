// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/cmem_judge.h"

#include <string_view>

#include "testbench/fabrics/tegra410/judge/publication/tegra410_publication.h"
#include "testbench/fabrics/tegra410/judge/tegra410_explain.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"

namespace pmufab::scoreboard {
namespace {

// CTRL 0 stop, 1 count, 2 clear and stop; CG_CTRL 1 enables the clock.
constexpr std::uint64_t kCgCtrl = 0x800;
constexpr std::uint64_t kCtrl = 0x808;

/// Positions of its marks are checkpoints of the timeline, because reads may be reported late.
class CmemTruth final : public EventTruth {
 public:
  CmemTruth(CmemMeaning meaning, RequestTimeline& timeline, std::size_t controllers, const ExactClock& clock)
      : meaning_(meaning), timeline_(timeline), checkpoints_(timeline), controllers_(controllers), clock_(clock) {}

  [[nodiscard]] std::string text() const override {
    switch (meaning_) {
      case CmemMeaning::cycles:
        return "cycles";
      case CmemMeaning::rd_req:
        return "rd_req";
      case CmemMeaning::rd_cum_outs:
        break;
    }
    return "rd_cum_outs";
  }

  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, checkpoints_.take(when)}; }
  void forget(const Mark& mark) override { checkpoints_.forget(mark.position); }

  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    if (meaning_ == CmemMeaning::cycles) return clock_.edges_in(span.begin.when, span.end.when);
    const RequestSums sums = timeline_.between(span.begin.position, span.end.position);
    return meaning_ == CmemMeaning::rd_req ? sums.requests : sums.outstanding;
  }

  [[nodiscard]] Picoseconds final_before() const override { return checkpoints_.final_before(); }
  void settle(const Span& span) override { add(settled_, span); }

  void describe(std::span<const Span> spans, EventResult& result) const override {
    RequestSums sum;
    for (const RequestSums& lane : settled_.lanes) sum += lane;
    for (const Span& span : spans) sum += timeline_.between(span.begin.position, span.end.position);
    result.mean_read_latency_ps = {sum.latency_ps, sum.requests};
  }

  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    Sums sums = settled_;
    for (const Span& span : spans) add(sums, span);
    return explain_cmem(meaning_, sums.lanes, controllers_, sums.edges, driver);
  }

 private:
  /// Of spans.
  struct Sums {
    std::vector<RequestSums> lanes;
    std::uint64_t edges = 0;
  };
  void add(Sums& sums, const Span& span) const {
    const std::vector<RequestSums>& end = timeline_.at(span.end.position);
    const std::vector<RequestSums>& begin = timeline_.at(span.begin.position);
    sums.lanes.resize(end.size());
    for (std::size_t i = 0; i < end.size(); ++i) {
      sums.lanes[i] += end[i];
      sums.lanes[i] -= begin[i];
    }
    sums.edges += clock_.edges_in(span.begin.when, span.end.when);
  }

  CmemMeaning meaning_;
  const RequestTimeline& timeline_;
  Checkpoints checkpoints_;
  std::size_t controllers_;  // per instance
  const ExactClock& clock_;
  Sums settled_;
};

}  // namespace

CmemPmuJudge::CmemPmuJudge(const CmemPmuSpec& spec, RequestTimeline& timeline, std::size_t controllers,
                           const ExactClock& clock)
    : PmuJudge(spec.name, spec.width),
      control_(spec.broadcast),
      timeline_(timeline),
      controllers_(controllers),
      clock_(clock) {}

bool CmemPmuJudge::see_write(const MmioBus::BusAccess& access) {
  if (!access.ok) return false;
  if (access.address == control_ + kCtrl) {
    control_value_ = access.data;
    return true;
  }
  if (access.address == control_ + kCgCtrl) {
    clock_gate_value_ = access.data;
    return true;
  }
  return false;
}

bool CmemPmuJudge::written_on() const { return control_value_ == 1 && clock_gate_value_ == 1; }

Publication CmemPmuJudge::publication() const { return cmem_publication(); }

std::unique_ptr<EventTruth> CmemPmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<CmemTruth>(cmem_meaning(terms), timeline_, controllers_, clock_);
}

Injection CmemPmuJudge::injection(const EventTerms& terms, unsigned unit) {
  const CmemMeaning meaning = cmem_meaning(terms);
  if (meaning == CmemMeaning::cycles)
    return [this](std::uint64_t count, Picoseconds when) { clock_.pass(count, when); };
  const bool is_outstanding = meaning == CmemMeaning::rd_cum_outs;
  return [this, is_outstanding, unit](std::uint64_t count, Picoseconds when) {
    timeline_.add_at_once(when, is_outstanding, count, unit);
  };
}

std::optional<std::string> CmemPmuJudge::room_for(const EventTruth& /*refused*/,
                                                  const std::vector<const EventTruth*>& active) const {
  constexpr std::size_t kEvents = 3;  // cycles, rd_req, rd_cum_outs
  return room_text(active.size(), kEvents);
}

unsigned CmemPmuJudge::units(const EventTerms& terms) const {
  return cmem_meaning(terms) == CmemMeaning::cycles ? 1 : static_cast<unsigned>(timeline_.lanes());
}

}  // namespace pmufab::scoreboard
