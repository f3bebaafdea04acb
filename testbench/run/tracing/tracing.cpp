// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/tracing/tracing.h"

#include <system_error>

namespace pmufab::scenario {

TraceOptions TraceOptions::in(const std::filesystem::path& prefix, const std::string& title) const {
  TraceOptions options = *this;
  if (options.access_log) {
    options.access_log->file = prefix.string() + "accesses";
    options.access_log->title = title;
  }
  if (options.timeline) {
    options.timeline->file = prefix.string() + "timeline";
    options.timeline->title = title;
  }
  return options;
}

void TraceOptions::remove() const {
  std::error_code ignored;
  if (access_log) std::filesystem::remove(access_log->file, ignored);
  if (timeline) std::filesystem::remove(timeline->file, ignored);
}

Tracers make_tracers(const TraceOptions& options) {
  Tracers tracers;
  if (options.access_log) tracers.push_back(std::make_unique<AccessLog>(*options.access_log));
  if (options.timeline) tracers.push_back(std::make_unique<Timeline>(*options.timeline));
  return tracers;
}

}  // namespace pmufab::scenario
