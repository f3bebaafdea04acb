// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/scenario/dwc_fabric.h"

#include <algorithm>

#include <fmt/format.h>

#include "models/dwc/link_events.h"
#include "models/dwc/part/dwc_ports.h"
#include "testbench/fabrics/dwc/judge/dwc_judge.h"
#include "testbench/fabrics/dwc/judge/dwc_meaning.h"

namespace pmufab::scenario {

scoreboard::DwcJudgeSpec dwc_judge_spec(const platform::PlatformSpec& platform) {
  scoreboard::DwcJudgeSpec spec;
  for (unsigned port = 0; port < platform.of<platform::DwcSpec>().ports.size(); ++port)
    spec.ports.push_back({platform.of<platform::DwcSpec>().ports[port],
                          platform::dwc_perf_name(platform.of<platform::DwcSpec>().ports[port]),
                          platform::dwc_configuration(platform, port)});
  return spec;
}

DwcFabric::DwcFabric(const FabricContext& context)
    : part_(*context.platform.find<platform::DwcPart>()), spec_(dwc_judge_spec(context.platform.spec())) {
  part_.set_observer(context.listener(
      context.scoreboard.add(std::make_unique<scoreboard::DwcJudge>(spec_, context.scoreboard.chronicle()))));
  const auto& workload = context.workload.of<DwcWorkload>();
  for (const traffic::StreamSpec& stream : workload.streams) {
    dwc::RootPort& port = part_.port(stream.source);
    streams_.add(
        stream,
        [&port](const Occurrence& occurrence, Picoseconds when) {
          const auto& values = occurrence.attributes;
          port.happen({static_cast<unsigned>(values[kLinkEvent]), static_cast<unsigned>(values[kLinkLane]),
                       values[kLinkBytes], occurrence.repeat},
                      when);
        },
        context.workload.seed);
  }
  for (const traffic::LinkStatesSpec& states : workload.states)
    states_.push_back(std::make_unique<traffic::LinkStates>(fmt::format("link_states{}", states.port).c_str(),
                                                            part_.port(states.port), states));
}

// The judge may be gone before the platform is.
DwcFabric::~DwcFabric() { part_.set_observer(nullptr); }

void DwcFabric::start_traffic() {
  for (const auto& states : states_) states->start();
  streams_.start();
}

void DwcFabric::stop_traffic() {
  streams_.stop();
  for (const auto& states : states_) states->stop();
}

std::optional<unsigned> DwcFabric::socket_of(const std::string& pmu) const {
  const auto found = std::ranges::find_if(spec_.ports, [&](const auto& one) { return one.name == pmu; });
  return found == spec_.ports.end() ? std::nullopt : std::optional(found->description.socket);
}

scoreboard::Injection DwcFabric::injection(const perf::ResolvedEvent& event, unsigned /*unit*/) {
  const auto found = std::ranges::find_if(spec_.ports, [&](const auto& one) { return one.name == event.pmu; });
  if (found == spec_.ports.end()) return {};
  using Kind = scoreboard::DwcMeaning::Kind;
  const scoreboard::DwcMeaning meaning = scoreboard::dwc_meaning(event.terms, found->description);
  dwc::RootPort& port = part_.port(static_cast<unsigned>(found - spec_.ports.begin()));
  if (meaning.kind == Kind::lane)
    return [&port, meaning](std::uint64_t count, Picoseconds when) {
      port.happen({meaning.id, meaning.lane, 0, count}, when);
    };
  if (meaning.kind == Kind::data)
    return [&port, meaning](std::uint64_t count, Picoseconds when) {
      port.statistics().pass_data(static_cast<dwc::Payload>(meaning.data), count, when);
    };
  if (meaning.kind == Kind::state)
    return [&port, state = meaning.state](std::uint64_t count, Picoseconds when) {
      port.statistics().pass_cycles(state, count, when);
    };
  return [&port](std::uint64_t count, Picoseconds when) { port.statistics().pass_cycles(std::nullopt, count, when); };
}

}  // namespace pmufab::scenario
