// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/ucf_judge.h"

#include <bit>
#include <stdexcept>

#include "testbench/fabrics/tegra410/judge/publication/tegra410_publication.h"
#include "testbench/fabrics/tegra410/judge/tegra410_explain.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"

namespace pmufab::scoreboard {
namespace {

Figure figure_of(UcfEvent event) {
  switch (event) {
    case UcfEvent::slc_bytes_rd:
    case UcfEvent::slc_bytes_wr:
    case UcfEvent::mem_bytes_rd:
    case UcfEvent::mem_bytes_wr:
      return Figure::bandwidth;
    case UcfEvent::slc_access_rd:
    case UcfEvent::slc_access_wr:
    case UcfEvent::mem_access_rd:
    case UcfEvent::mem_access_wr:
      return Figure::request_rate;
    default:
      return Figure::none;
  }
}

class UcfTruth final : public EventTruth {
 public:
  UcfTruth(UcfMeaning meaning, const ReferenceUcf& reference, unsigned socket, const ExactClock& clock)
      : meaning_(std::move(meaning)), reference_(reference), socket_(socket), clock_(clock) {}

  [[nodiscard]] std::string text() const override { return meaning_.text; }
  [[nodiscard]] bool takes_cycle_counter() const override { return meaning_.on_cycle_counter; }

  [[nodiscard]] Mark mark(Picoseconds when) override {
    if (meaning_.kind != UcfMeaning::Kind::traffic) return {when, 0};
    return {when, tally()[meaning_.event].sum(meaning_.sources, meaning_.destinations)};
  }

  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    switch (meaning_.kind) {
      case UcfMeaning::Kind::traffic:
        return span.end.position - span.begin.position;
      case UcfMeaning::Kind::cycles:
        return clock_.edges_in(span.begin.when, span.end.when);
      case UcfMeaning::Kind::nothing:
        break;
    }
    return 0;
  }

  void opened() override { opened_ = tally(); }
  void closed() override {
    counted_ = counted();
    opened_.reset();
  }

  void settle(const Span& span) override { edges_ += clock_.edges_in(span.begin.when, span.end.when); }

  void describe(std::span<const Span> /*spans*/, EventResult& result) const override {
    if (meaning_.kind == UcfMeaning::Kind::nothing) result.remark = kCountsNothing;
    if (meaning_.kind == UcfMeaning::Kind::traffic) result.figure = figure_of(meaning_.event);
  }

  [[nodiscard]] std::string explain(std::span<const Span> spans, std::uint64_t driver) const override {
    std::uint64_t edges = edges_;
    for (const Span& span : spans) edges += clock_.edges_in(span.begin.when, span.end.when);
    return explain_ucf(meaning_, counted(), edges, driver);
  }

 private:
  [[nodiscard]] const UcfTally& tally() const { return reference_.tally(socket_); }
  /// @return everything the UCF counted within the spans.
  [[nodiscard]] UcfTally counted() const {
    UcfTally sum = counted_;
    if (opened_) {
      sum += tally();
      sum -= *opened_;
    }
    return sum;
  }

  UcfMeaning meaning_;
  const ReferenceUcf& reference_;
  unsigned socket_;
  const ExactClock& clock_;
  UcfTally counted_;
  std::optional<UcfTally> opened_;
  std::uint64_t edges_ = 0;  // of settled spans
};

}  // namespace

UcfPmuJudge::UcfPmuJudge(const CoreSightPmuSpec& spec, ReferenceUcf& reference, const ExactClock& clock)
    : CoreSightPmuJudge(spec.name, spec.page0, spec.page1, spec.width, Layout::ext32,
                        {.all = spec.counters, .has_cycles = spec.has_cycle_counter}),
      socket_(spec.socket),
      has_cycle_counter_(spec.has_cycle_counter),
      reference_(reference),
      clock_(clock) {}

Publication UcfPmuJudge::publication() const {
  return coresight_publication(CoreSightPmuType::ucf, has_cycle_counter_);
}

std::unique_ptr<EventTruth> UcfPmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<UcfTruth>(ucf_meaning(terms), reference_, socket_, clock_);
}

Injection UcfPmuJudge::injection(const EventTerms& terms, unsigned /*unit*/) {
  const UcfMeaning meaning = ucf_meaning(terms);
  if (meaning.kind == UcfMeaning::Kind::cycles)
    return [this](std::uint64_t count, Picoseconds when) { clock_.pass(count, when); };
  if (meaning.kind == UcfMeaning::Kind::nothing) throw std::invalid_argument("the UCF has no such event");
  if (!std::has_single_bit(meaning.sources) || !std::has_single_bit(meaning.destinations))
    throw std::invalid_argument(
        "several kinds of requests cause it: name one source and one destination (src_*, dst_*)");
  return [this, meaning](std::uint64_t count, Picoseconds /*when*/) {
    reference_.count(socket_, meaning.event, static_cast<Source>(std::countr_zero(meaning.sources)),
                     static_cast<Destination>(std::countr_zero(meaning.destinations)), count);
  };
}

}  // namespace pmufab::scoreboard
