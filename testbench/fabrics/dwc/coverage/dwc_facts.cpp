// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/scenario/dwc_kind.h"

#include <algorithm>

#include "models/dwc/part/dwc_ports.h"

namespace pmufab::coverage {
namespace {

using platform::PlatformSpec;

/// Events of lanes alone have a lane.
bool filters_lane_event(const perf::PmuCatalog::Event& event, std::string_view format) {
  return format == "lane" && event.definition.find("type=0x1") != std::string::npos;
}

std::optional<PmuFacts> facts_of_port(const PlatformSpec& platform, const std::string& pmu) {
  const auto port =
      std::ranges::find_if(platform.of<platform::DwcSpec>().ports,
                           [&](const dwc::RootPortDescription& one) { return platform::dwc_perf_name(one) == pmu; });
  if (port == platform.of<platform::DwcSpec>().ports.end()) return std::nullopt;
  PmuFacts facts;
  facts.kind = "dwc_rootport_*";  // the number is hexadecimal
  facts.filters = filters_lane_event;
  PmuClasses classes(facts);
  classes.add("one lane", port->lanes == 1);
  classes.add("several lanes", port->lanes > 1);
  classes.add("one root port", platform.of<platform::DwcSpec>().ports.size() == 1);
  classes.add("several root ports", platform.of<platform::DwcSpec>().ports.size() > 1);
  classes.add("in the first segment", port->segment == 0);
  classes.add("in another segment", port->segment != 0);
  return facts;
}

}  // namespace

const FactsRoom& dwc_facts() {
  static const FactsRoom room = {facts_of_port, {"eventid", "type"}, {}};
  return room;
}

}  // namespace pmufab::coverage
