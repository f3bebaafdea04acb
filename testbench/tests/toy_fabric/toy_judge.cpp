// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/toy_fabric/toy_judge.h"

#include <span>
#include <stdexcept>
#include <string>

namespace pmufab::toy {
namespace {

using scoreboard::EventResult;
using scoreboard::EventTerm;
using scoreboard::Mark;
using scoreboard::Span;

constexpr std::uint64_t kControl = kBase;
constexpr std::uint64_t kCount = kBase + 4;
constexpr std::uint64_t kPackets = 1;  // the event's number

/// Its marks are numbers of packets so far.
class PacketsTruth final : public scoreboard::EventTruth {
 public:
  explicit PacketsTruth(const std::uint64_t& passed) : passed_(passed) {}

  [[nodiscard]] std::string text() const override { return "packets"; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, passed_}; }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  const std::uint64_t& passed_;
};

}  // namespace

bool ToyPmuJudge::see_write(const MmioBus::BusAccess& access) {
  if (!access.ok || access.address != kControl) return false;
  on_ = (access.data & 1U) != 0;
  return true;
}

bool ToyPmuJudge::is_counter_read(const MmioBus::BusAccess& access) const { return access.address == kCount; }

std::unique_ptr<scoreboard::EventTruth> ToyPmuJudge::truth(const scoreboard::EventTerms& terms) {
  for (const EventTerm& term : terms) {
    const bool by_name = term.name == "packets" && !term.value;
    const bool by_number = term.name == "event" && term.value == kPackets;
    if (!by_name && !by_number) throw std::invalid_argument("there is no event or term '" + term.name + "'");
  }
  return std::make_unique<PacketsTruth>(passed_);
}

void ToyJudge::on_packet(Picoseconds when) { chronicle_.backlog.add<&ToyJudge::see_packet>(*this, when); }

void ToyJudge::see_packet(const Picoseconds& when) {
  chronicle_.see(when);
  chronicle_.last_traffic = when;
  ++passed_;
}

}  // namespace pmufab::toy
