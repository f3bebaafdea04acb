// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/tracing/access_log.h"
#include "testbench/run/tracing/timeline.h"
#include "testbench/run/tracing/trace_listener.h"

namespace pmufab::scenario {

/// What is written down of a run, each into a file of its own.
struct TraceOptions {
  std::optional<AccessLogOptions> access_log{};
  std::optional<TimelineOptions> timeline{};

  /// @param prefix  of the files' names
  /// @param title   of the run
  [[nodiscard]] TraceOptions in(const std::filesystem::path& prefix, const std::string& title) const;
  /// Remove the files.
  void remove() const;
};

using Tracers = std::vector<std::unique_ptr<TraceListener>>;
/// @throws JournalError if a file cannot be created
[[nodiscard]] Tracers make_tracers(const TraceOptions& options);

}  // namespace pmufab::scenario
