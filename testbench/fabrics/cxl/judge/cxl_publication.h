// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/judge/publication.h"

namespace pmufab::scoreboard {

/// @return what a driver must show of a CPMU (Documentation/admin-guide/perf/cxl.rst; events: CXL 3.1, table 13-5).
[[nodiscard]] Publication cxl_publication(const CxlPmuSpec& spec);

}  // namespace pmufab::scoreboard
