// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace pmufab::scenario {

/// Notes, at every few milliseconds of processor time of this process, which instruction runs. Of a long time, fewer
/// moments are kept, evenly. There is one at a time: the kernel's timer and signal for this (ITIMER_PROF, SIGPROF) are the
/// process's own.
class ProcessorSamples {
 public:
  /// Begins.
  /// @throws std::system_error if the kernel has no timer or memory for it
  ProcessorSamples();
  ~ProcessorSamples();
  ProcessorSamples(const ProcessorSamples&) = delete;
  ProcessorSamples& operator=(const ProcessorSamples&) = delete;

  /// End. @return addresses of instructions, in the order of time; until this object goes
  std::span<const std::uintptr_t> stop();
};

}  // namespace pmufab::scenario
