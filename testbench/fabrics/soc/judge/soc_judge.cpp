// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/judge/soc_judge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/soc/wire/fabric_sources.h"
#include "testbench/fabrics/cmn/judge/cmn_judge.h"
#include "testbench/fabrics/soc/judge/clock_truth.h"
#include "testbench/fabrics/soc/judge/map_judge.h"
#include "testbench/fabrics/soc/judge/soc_meaning.h"
#include "testbench/fabrics/soc/judge/soc_truth.h"
#include "testbench/fabrics/soc/judge/soc_wires.h"
#include "testbench/fabrics/tegra410/judge/tegra410_judge.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"

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

/// @return what causes events whose judges count them otherwise than by occurrences, and its PMU; null for other causes
const char* owner_of(soc::Cause cause) {
  switch (cause) {
    case soc::Cause::ucf:
      return "the UCF (nvidia_ucf_pmu_<socket>)";
    case soc::Cause::cxl_message:
    case soc::Cause::cxl_ddr:
      return "a CXL component (cpmu_<component>.<number>)";
    case soc::Cause::cmn_home:
      return "a home of a mesh (arm_cmn_<mesh>)";
    case soc::Cause::streams:
    case soc::Cause::plugin:
    case soc::Cause::pcie:
    case soc::Cause::pcie_tgt:
    case soc::Cause::cmn_flit:
      break;
  }
  return nullptr;
}

}  // namespace

/// Listens to one mesh.
class SocJudge::MeshEar final : private CmnFlitListener {
 public:
  MeshEar(SocJudge& owner, unsigned number, CmnJudge& mesh) : owner_(owner), number_(number), mesh_(mesh) {
    mesh_.add(*this);
  }
  ~MeshEar() { mesh_.remove(*this); }
  MeshEar& operator=(MeshEar&&) = delete;

 private:
  void on_flit(Picoseconds when, unsigned xp, unsigned port, bool download, cmn::Channel channel,
               const cmn::FlitFields& fields) override {
    namespace attribute = soc::cmn_flit_source;
    Occurrence occurrence;
    occurrence.attributes[attribute::mesh] = number_;
    occurrence.attributes[attribute::xp] = xp;
    occurrence.attributes[attribute::port] = port;
    occurrence.attributes[attribute::download] = download ? 1 : 0;
    occurrence.attributes[attribute::channel] = static_cast<std::uint64_t>(channel);
    occurrence.attributes[attribute::opcode] = fields.opcode;
    occurrence.attributes[attribute::source] = fields.srcid;
    occurrence.attributes[attribute::target] = fields.tgtid;
    owner_.tell(soc::Cause::cmn_flit, 0, occurrence, when);
  }

  SocJudge& owner_;
  unsigned number_;
  CmnJudge& mesh_;
};

SocPmuJudge::SocPmuJudge(std::unique_ptr<SocEvents> events)
    : CoreSightPmuJudge(
          events->spec().name, events->spec().windows.front(),
          events->spec().windows.size() > 1 ? std::optional(events->spec().windows[1]) : std::nullopt,
          events->spec().description.width, events->spec().description.is_64bit ? Layout::ext64 : Layout::ext32,
          {.all = events->spec().description.counters, .has_cycles = events->spec().description.cycle_counter}),
      events_(std::move(events)) {}

SocEvents::SocEvents(SocPmuSpec spec, const std::vector<soc::SourceDescription>& sources, unsigned sockets,
                     std::shared_ptr<SocWires> wires, const SocFabricJudges& fabrics)
    : spec_(std::move(spec)),
      sources_(sources),
      sockets_(sockets),
      wires_(std::move(wires)),
      fabrics_(fabrics),
      clock_(spec_.description.clock_hz),
      edges_(spec_.description.clock_hz) {}

std::optional<std::string> SocPmuJudge::room_for(const EventTruth& refused,
                                                 const std::vector<const EventTruth*>& active) const {
  if (events_->spec().description.implementation_defined > 0 && !active.empty()) return {};
  return CoreSightPmuJudge::room_for(refused, active);
}

Publication SocPmuJudge::publication() const {
  const PmuDescription& pmu = events_->spec().description;
  Publication publication = is_unknown(pmu) ? generic_publication(pmu) : described_publication(pmu);
  publication.is_complete = false;  // a description need not have all that a driver knows of the product
  publication.files.push_back(identifier_of(pmu));
  return publication;
}

std::unique_ptr<EventTruth> SocEvents::truth(const EventTerms& terms) {
  SocMeaning meaning = soc_meaning(terms, spec_.description, sources_);
  const unsigned source = meaning.source * sockets_ + spec_.socket;
  const ExactClock& clock = meaning.clock_hz ? others_.try_emplace(*meaning.clock_hz, *meaning.clock_hz).first->second
                            : meaning.kind == SocMeaning::Kind::outstanding ? edges_
                                                                            : clock_;
  const bool is_of_source = meaning.kind != SocMeaning::Kind::nothing && meaning.kind != SocMeaning::Kind::cycles;
  switch (is_of_source ? sources_[meaning.source].cause : soc::Cause::streams) {
    case soc::Cause::ucf:
      return ucf_truth(meaning, *event_of_name(sources_[meaning.source].event), spec_.socket, *fabrics_.sockets);
    case soc::Cause::cxl_message:
      return message_truth(meaning, spec_.socket == 0 ? fabrics_.cxl : nullptr);
    case soc::Cause::cxl_ddr:
      return std::make_unique<SocCommandTruth>(std::move(meaning), spec_.socket == 0 ? fabrics_.cxl : nullptr);
    case soc::Cause::cmn_home:
      return home_truth(meaning, spec_.socket == 0 ? fabrics_.meshes : std::vector<CmnJudge*>());
    case soc::Cause::streams:
    case soc::Cause::plugin:
    case soc::Cause::pcie:
    case soc::Cause::pcie_tgt:
    case soc::Cause::cmn_flit:
      break;
  }
  if (meaning.is_of_clocks() && meaning.kind == SocMeaning::Kind::outstanding)
    return std::make_unique<BusyTruth>(std::move(meaning), source, wires_, edges_);
  if (is_of_source && meaning.is_of_clocks())
    return std::make_unique<ClockTruth>(std::move(meaning), source, wires_, edges_);
  return std::make_unique<SocTruth>(std::move(meaning), source, wires_, clock);
}

Injection SocEvents::injection(const EventTerms& terms) {
  const SocMeaning meaning = soc_meaning(terms, spec_.description, sources_);
  if (meaning.clock_hz) throw std::invalid_argument("cycles of another clock than the PMU's only pass one by one");
  if (meaning.kind == SocMeaning::Kind::cycles)
    return [this](std::uint64_t count, Picoseconds when) { clock_.pass(count, when); };
  const bool is_nothing = meaning.kind == SocMeaning::Kind::nothing;
  if (const char* const owner = is_nothing ? nullptr : owner_of(sources_[meaning.source].cause); owner != nullptr)
    throw std::invalid_argument(fmt::format("{} causes the event: name it as an event of that PMU", owner));
  if (meaning.is_of_clocks()) throw std::invalid_argument("the event counts clocks, and not what happens in them");
  Occurrence occurrence = occurrence_of(meaning);
  if (is_nothing || soc::is_heard_itself(sources_[meaning.source]))
    return [](std::uint64_t /*count*/, Picoseconds /*when*/) {};
  const unsigned source = meaning.source * sockets_ + spec_.socket;
  return [this, source, occurrence](std::uint64_t count, Picoseconds when) mutable {
    occurrence.repeat = count;
    wires_->tell(source, occurrence, when);
  };
}

SocJudge::SocJudge(SocJudgeSpec spec, Chronicle& chronicle, const SocFabricJudges& fabrics)
    : spec_(std::move(spec)),
      chronicle_(chronicle),
      fabrics_(fabrics),
      wires_(std::make_shared<SocWires>(spec_.sources.size() * spec_.sockets)) {
  for (const SocPmuSpec& pmu : spec_.pmus) {
    auto events = std::make_unique<SocEvents>(pmu, spec_.sources, spec_.sockets, wires_, fabrics_);
    if (pmu.description.map) {
      pmus_.push_back(std::make_unique<MapPmuJudge>(std::move(events), &chronicle_));
    } else {
      pmus_.push_back(std::make_unique<SocPmuJudge>(std::move(events)));
    }
    for (const soc::EventDescription& event : pmu.description.events) {
      if (event.counts == soc::EventDescription::Counts::outstanding)
        wires_->keep_lasting(event.source * spec_.sockets + pmu.socket);
    }
  }
  if (fabrics_.sockets != nullptr) fabrics_.sockets->add(*this);
  const bool has_flits = std::any_of(spec_.sources.begin(), spec_.sources.end(),
                                     [](const auto& source) { return source.cause == soc::Cause::cmn_flit; });
  for (unsigned mesh = 0; has_flits && mesh < fabrics_.meshes.size(); ++mesh)
    mesh_ears_.push_back(std::make_unique<MeshEar>(*this, mesh, *fabrics_.meshes[mesh]));
}

SocJudge::~SocJudge() {
  if (fabrics_.sockets != nullptr) fabrics_.sockets->remove(*this);
}

std::vector<PmuJudge*> SocJudge::pmus() {
  std::vector<PmuJudge*> pmus;
  for (const auto& pmu : pmus_) pmus.push_back(pmu.get());
  return pmus;
}

void SocJudge::on_occurrence(unsigned source, const Occurrence& occurrence, Picoseconds when) {
  chronicle_.backlog.add<&SocJudge::see_occurrence>(*this, SeenOccurrence{when, occurrence, source});
}

void SocJudge::see_occurrence(const SeenOccurrence& seen) {
  chronicle_.see(seen.when);
  chronicle_.last_traffic = seen.when;
  wires_->tell(seen.source, seen.occurrence, seen.when);
}

void SocJudge::tell(soc::Cause cause, unsigned socket, const Occurrence& occurrence, Picoseconds when) {
  for (unsigned index = 0; index < spec_.sources.size(); ++index) {
    if (spec_.sources[index].cause == cause) wires_->tell(index * spec_.sockets + socket, occurrence, when);
  }
}

void SocJudge::on_device_request(const DeviceRequest& request) {
  namespace attribute = soc::pcie_source;
  Occurrence occurrence;
  occurrence.attributes[attribute::socket] = request.socket;
  occurrence.attributes[attribute::root_complex] = request.root_complex;
  occurrence.attributes[attribute::root_port] = request.root_port;
  occurrence.attributes[attribute::bdf] = request.bdf;
  occurrence.attributes[attribute::write] = request.is_write ? 1 : 0;
  occurrence.attributes[attribute::bytes] = request.bytes;
  occurrence.attributes[attribute::destination] = static_cast<std::uint64_t>(request.destination);
  if (!request.is_write) occurrence.duration = request.end - request.when;
  tell(soc::Cause::pcie, request.socket, occurrence, request.when);
}

void SocJudge::on_target_request(Picoseconds when, unsigned socket, unsigned root_complex,
                                 const PcieTgtRequest& request) {
  namespace attribute = soc::pcie_tgt_source;
  const bool is_cxl = request.root_port < 0;
  Occurrence occurrence;
  occurrence.attributes[attribute::socket] = socket;
  occurrence.attributes[attribute::root_complex] = root_complex;
  occurrence.attributes[attribute::root_port] =
      is_cxl ? soc::pcie_tgt_source::kNoRootPort : static_cast<std::uint64_t>(request.root_port);
  occurrence.attributes[attribute::cxl] = is_cxl ? 1 : 0;
  occurrence.attributes[attribute::write] = request.is_write ? 1 : 0;
  occurrence.attributes[attribute::bytes] = request.bytes;
  occurrence.attributes[attribute::address] = request.address;
  tell(soc::Cause::pcie_tgt, socket, occurrence, when);
}

}  // namespace pmufab::scoreboard
