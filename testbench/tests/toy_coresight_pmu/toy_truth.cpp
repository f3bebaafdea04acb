// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/toy_coresight_pmu/toy_truth.h"

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "testbench/judge/term_values.h"

namespace pmufab::toy {

namespace {

using scoreboard::EventTerm;
using scoreboard::EventTerms;
using scoreboard::Mark;
using scoreboard::Span;

enum class Kind : std::uint8_t { writes, bytes, cycles, nothing };

struct Meaning {
  Kind kind = Kind::nothing;
  bool of_cpus = true;
  bool of_others = true;
};

Meaning meaning_of(const EventTerms& terms) {
  constexpr std::uint64_t kCycles = std::uint64_t{1} << 32;  // the generic driver's number of the cycle counter
  std::optional<std::uint64_t> event;
  std::uint64_t filter = 0;
  for (const EventTerm& term : terms) {
    if (term.name == "cycles") {
      scoreboard::set_event(event, kCycles, term);
    } else if (term.name == "event") {
      scoreboard::set_event(event, scoreboard::number_of(term, kCycles), term);
    } else if (term.name == "filter") {
      filter = scoreboard::number_of(term, std::numeric_limits<std::uint32_t>::max());
    } else {
      throw std::invalid_argument(fmt::format("the write PMU has no term '{}'", term.name));
    }
  }
  if (!event) throw std::invalid_argument("the write PMU was given no event");
  Meaning meaning;
  meaning.kind = *event == 1         ? Kind::writes
                 : *event == 2       ? Kind::bytes
                 : *event == kCycles ? Kind::cycles
                                     : Kind::nothing;
  if (filter != 0) {
    meaning.of_cpus = (filter & 1) != 0;
    meaning.of_others = (filter & 2) != 0;
  }
  return meaning;
}

/// Its marks are positions in the counts so far.
class WriteTruth final : public scoreboard::EventTruth {
 public:
  WriteTruth(const Meaning& meaning, const WriteWires& wires, const scoreboard::ExactClock& clock)
      : meaning_(meaning), wires_(wires), clock_(clock) {}

  [[nodiscard]] std::string text() const override {
    static constexpr std::array<const char*, 4> kNames = {"writes", "bytes written", "cycles", "nothing"};
    return kNames.at(static_cast<std::size_t>(meaning_.kind));
  }
  [[nodiscard]] Mark mark(Picoseconds when) override {
    const auto of = [&](const WriteWires::Sum& sum) { return meaning_.kind == Kind::writes ? sum.writes : sum.bytes; };
    std::uint64_t position = 0;
    if (meaning_.of_cpus) position += of(wires_.by_requester[0]);
    if (meaning_.of_others) position += of(wires_.by_requester[1]);
    return {when, position};
  }
  [[nodiscard]] std::uint64_t count(const Span& span) const override {
    if (meaning_.kind == Kind::nothing) return 0;
    if (meaning_.kind == Kind::cycles) return clock_.edges_in(span.begin.when, span.end.when);
    return span.end.position - span.begin.position;
  }
  void describe(std::span<const Span> /*spans*/, scoreboard::EventResult& result) const override {
    if (meaning_.kind == Kind::nothing) result.remark = scoreboard::kCountsNothing;
  }
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  Meaning meaning_;
  const WriteWires& wires_;
  const scoreboard::ExactClock& clock_;
};

}  // namespace

WritePmuJudge::WritePmuJudge(const platform::PmuRow& row, const WriteWires& wires, const scoreboard::ExactClock& clock)
    : CoreSightPmuJudge(row.perf_name, row.apmt->base0, row.apmt->base1), wires_(wires), clock_(clock) {}

std::unique_ptr<scoreboard::EventTruth> WritePmuJudge::truth(const EventTerms& terms) {
  return std::make_unique<WriteTruth>(meaning_of(terms), wires_, clock_);
}

WriteJudge::WriteJudge(const platform::PmuRow& row, std::uint64_t clock_hz)
    : clock_(clock_hz), pmu_(row, wires_, clock_) {}

void WriteJudge::on_request(const Request& request) {
  switch (request.opcode) {
    case FabricOpcode::write_unique_full:
    case FabricOpcode::write_unique_ptl:
    case FabricOpcode::write_back_full: {
      WriteWires::Sum& sum = wires_.by_requester[request.requester == RequesterKind::cpu ? 0 : 1];
      ++sum.writes;
      sum.bytes += request.length;
      break;
    }
    default:
      break;
  }
}

}  // namespace pmufab::toy
