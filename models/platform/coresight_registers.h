#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/coresight/coresight_pmu.h"
#include "models/platform/platform.h"

namespace pmufab::platform {

/// @return both pages of a CoreSight PMU, for reports.
[[nodiscard]] inline NamedRegisters registers_of(std::string name, const coresight::CoreSightPmu& pmu) {
  return {std::move(name), [&pmu](std::ostream& out, Picoseconds when) { pmu.dump_text(out, when); },
          [&pmu](Picoseconds when) { return pmu.dump_json(when); },
          [&pmu](std::ostream& out) { pmu.dump_markdown(out); }};
}

}  // namespace pmufab::platform
