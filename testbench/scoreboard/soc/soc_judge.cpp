// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/soc/soc_judge.h"

#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "testbench/scoreboard/soc/soc_meaning.h"
#include "testbench/scoreboard/soc/soc_truth.h"
#include "testbench/scoreboard/soc/soc_wires.h"

namespace pmufab::scoreboard {
namespace {

using soc::PmuDescription;

constexpr std::uint64_t kDriverCycles = 0x1'0000'0000;  // beyond the 32 bits of an event's number
constexpr LinuxVersion kKnows64BitLayout = 703;
constexpr LinuxVersion kHasSecondFilter = 702;

/// What PMIIDR would hold, made of PMPIDR0 to 4 (Arm IHI 0091).
std::uint32_t identity_of(const std::array<std::uint8_t, 5>& pidr) {
  const auto at = [&](unsigned index) { return static_cast<std::uint32_t>(pidr.at(index)); };
  return (at(1) & 0xfU) << 28 | at(0) << 20 | at(2) >> 4 << 16 | at(3) >> 4 << 12 | (at(4) & 0xfU) << 8 |
         (at(2) & 7U) << 4 | at(1) >> 4;
}

/// A driver shows the PMU's identity: what firmware says it is, or the hardware.
PublishedFile identifier_of(const PmuDescription& pmu) {
  const std::uint32_t known = pmu.implementation_id != 0 ? pmu.implementation_id : pmu.pmiidr;
  if (known != 0) return {"identifier", fmt::format("{:x}", known)};
  return {"identifier", fmt::format("{:x}", identity_of(pmu.pmpidr)), kHasSecondFilter};
}

/// @return whether nobody knows the product: there is no back-end, or it says so in the name (nvidia_cspmu.c)
bool is_unknown(const PmuDescription& pmu) {
  return pmu.perf_name.empty() || pmu.perf_name.starts_with("nvidia_uncore_pmu_");
}

/// The events and fields of arm_cspmu without a back-end.
Publication generic_publication(const PmuDescription& pmu) {
  Publication publication;
  if (pmu.is_64bit) {
    publication.fields.push_back({"event", {{"config:0-63", kKnows64BitLayout}}});
    publication.fields.push_back({"filter", {{"config1:0-63", kKnows64BitLayout}}});
    publication.fields.push_back({"filter2", {{"config2:0-63", kKnows64BitLayout}}});
  } else {
    publication.fields.push_back({"event", {{"config:0-32"}}});
    publication.fields.push_back({"filter", {{"config1:0-31"}}});
    publication.fields.push_back({"filter2", {{"config2:0-31"}}, Shown::must, kHasSecondFilter});
  }
  PublishedEvent cycles{"cycles", {kDriverCycles}};
  if (!pmu.cycle_counter) {
    cycles.shown = Shown::never;
    cycles.missing = "there is no cycle counter";
  } else if (pmu.is_64bit) {
    cycles.shown = Shown::never;
    cycles.missing = "the number of its event is that of another event in this layout";
    cycles.since = kKnows64BitLayout;
  }
  publication.events.push_back(std::move(cycles));
  return publication;
}

/// Those that the description gives a driver with a back-end.
Publication described_publication(const PmuDescription& pmu) {
  Publication publication;
  publication.fields.push_back({"event", {{"config:0-32"}}});
  for (const soc::FilterDescription& filter : pmu.filters) {
    if (!filter.format.empty()) publication.fields.push_back({filter.name, {{filter.format}}});
  }
  for (const soc::EventDescription& event : pmu.events) publication.events.push_back({event.name, {event.number}});
  if (pmu.cycle_counter) publication.events.push_back({"cycles", {kDriverCycles}});
  return publication;
}

}  // namespace

SocPmuJudge::SocPmuJudge(const SocPmuSpec& spec, const std::vector<soc::SourceDescription>& sources, unsigned sockets,
                         std::shared_ptr<SocWires> wires, const Tegra410Judge* ucfs)
    : CoreSightPmuJudge(spec.name, spec.page0, spec.page1, spec.description.width,
                        spec.description.is_64bit ? Layout::ext64 : Layout::ext32),
      spec_(spec),
      sources_(sources),
      sockets_(sockets),
      wires_(std::move(wires)),
      ucfs_(ucfs),
      clock_(spec.description.clock_hz),
      edges_(spec.description.clock_hz) {}

Publication SocPmuJudge::publication() const {
  const PmuDescription& pmu = spec_.description;
  Publication publication = is_unknown(pmu) ? generic_publication(pmu) : described_publication(pmu);
  publication.files.push_back(identifier_of(pmu));
  return publication;
}

std::unique_ptr<EventTruth> SocPmuJudge::truth(const EventTerms& terms) {
  SocMeaning meaning = soc_meaning(terms, spec_.description, sources_);
  const unsigned source = meaning.source * sockets_ + spec_.socket;
  const bool is_of_source = meaning.kind != SocMeaning::Kind::nothing && meaning.kind != SocMeaning::Kind::cycles;
  if (const auto event = is_of_source ? event_of_name(sources_[meaning.source].ucf_event) : std::nullopt)
    return std::make_unique<SocUcfTruth>(std::move(meaning), *event, spec_.socket, *ucfs_);
  const ExactClock& clock = meaning.kind == SocMeaning::Kind::outstanding ? edges_ : clock_;
  return std::make_unique<SocTruth>(std::move(meaning), source, wires_, clock);
}

Injection SocPmuJudge::injection(const EventTerms& terms, unsigned /*unit*/) {
  const SocMeaning meaning = soc_meaning(terms, spec_.description, sources_);
  if (meaning.kind == SocMeaning::Kind::cycles)
    return [this](std::uint64_t count, Picoseconds when) { clock_.pass(count, when); };
  if (meaning.kind != SocMeaning::Kind::nothing && !sources_[meaning.source].ucf_event.empty())
    throw std::invalid_argument("the UCF causes the event: name it as an event of nvidia_ucf_pmu_<socket>");
  static_cast<void>(occurrence_of(meaning));
  return [](std::uint64_t /*count*/, Picoseconds /*when*/) {};
}

SocJudge::SocJudge(SocJudgeSpec spec, Chronicle& chronicle, const Tegra410Judge* ucfs)
    : spec_(std::move(spec)),
      chronicle_(chronicle),
      wires_(std::make_shared<SocWires>(spec_.sources.size() * spec_.sockets)) {
  for (const SocPmuSpec& pmu : spec_.pmus) {
    pmus_.push_back(std::make_unique<SocPmuJudge>(pmu, spec_.sources, spec_.sockets, wires_, ucfs));
    for (const soc::EventDescription& event : pmu.description.events) {
      if (event.counts == soc::EventDescription::Counts::outstanding)
        wires_->keep_lasting(event.source * spec_.sockets + pmu.socket);
    }
  }
}

std::vector<PmuJudge*> SocJudge::pmus() {
  std::vector<PmuJudge*> pmus;
  for (const auto& pmu : pmus_) pmus.push_back(pmu.get());
  return pmus;
}

void SocJudge::on_occurrence(unsigned source, const soc::Occurrence& occurrence, Picoseconds when) {
  chronicle_.see(when);
  chronicle_.last_traffic = when;
  wires_->tell(source, occurrence, when);
}

}  // namespace pmufab::scoreboard
