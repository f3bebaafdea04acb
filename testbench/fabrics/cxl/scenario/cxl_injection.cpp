// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/scenario/cxl_fabric.h"

#include <bit>
#include <cstdint>
#include <stdexcept>

#include "models/cxl/cpmu/event_group.h"
#include "testbench/fabrics/cxl/judge/cxl_meaning.h"

namespace pmufab::scenario {
namespace {

cxl::Cpmu& cpmu_at(platform::CxlPart& part, std::uint64_t address) {
  for (const platform::CxlPart::Component& component : part.components()) {
    for (unsigned number = 0; number < component.cpmus.size(); ++number) {
      if (platform::CxlPart::cpmu_address(component, number) == address) return *component.cpmus[number];
    }
  }
  throw std::logic_error("the judge knows a CPMU that the model does not have");
}

}  // namespace

scoreboard::Injection cxl_injection(platform::CxlPart& part, const scoreboard::CxlPmuSpec& pmu,
                                    const scoreboard::EventTerms& terms) {
  const scoreboard::CxlProgram program = scoreboard::cxl_meaning(terms, pmu);
  cxl::Cpmu& cpmu = cpmu_at(part, pmu.address);
  if (program.vendor == cxl::kCxlVendor && program.group == scoreboard::kClockTicksGroup)
    return [&cpmu](std::uint64_t count, Picoseconds when) { cpmu.pass_ticks(count, when); };
  const auto bit = static_cast<unsigned>(std::countr_zero(program.mask));
  const unsigned qualifier = program.hdm ? static_cast<unsigned>(std::countr_zero(*program.hdm)) : cxl::kNoHdmDecoder;
  for (const cxl::EventGroup& group : cpmu.groups()) {
    if (group.vendor != program.vendor || group.group != program.group) continue;
    for (const cxl::EventSource& source : group.sources) {
      if (source.bit != bit) continue;
      return [probe = source.probe, qualifier](std::uint64_t count, Picoseconds when) {
        probe->publish(count, qualifier, when);
      };
    }
  }
  throw std::invalid_argument("no message is this event");
}

}  // namespace pmufab::scenario
