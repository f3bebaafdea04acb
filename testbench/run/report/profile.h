// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

namespace pmufab::scenario {

/// What the processor works for while a scenario runs.
enum class ProfilePart : std::uint8_t {
  traffic,    ///< traffic generators
  models,     ///< the hardware: fabrics, PMUs, registers, buses
  judge,      ///< the scoreboard
  drivers,    ///< the Linux drivers, and what else is unloaded at the end of a run
  kernel,     ///< the small kernel that drivers run on, and perf's core
  scenario,   ///< reading the scenario, measuring, writing what was found
  systemc,    ///< SystemC's scheduler
  libraries,  ///< all other libraries: memory above all
};
inline constexpr std::size_t kProfileParts = 8;

/// Samples of a run, by part. In memory that the process of the run has in common with its parent.
using ProfileSamples = std::array<std::atomic<std::uint64_t>, kProfileParts>;

/// @param symbol  of a function of this program: a mangled name
[[nodiscard]] ProfilePart part_of_symbol(std::string_view symbol) noexcept;

/// Where the processor time of runs went, from samples of what their processes did. It is measured, so it differs from
/// time to time, and is in no result.
class Profile {
 public:
  /// Reads this program's symbol table.
  /// @throws InputError if it has none
  Profile();

  /// Sort the samples of a run. Called in the process of the run, when its drivers are unloaded.
  /// @param instructions  addresses
  void sort(std::span<const std::uintptr_t> instructions, ProfileSamples& samples) const;
  /// Add a run that has ended.
  /// @param samples  all 0 if the process did not come to its end
  void add(const ProfileSamples& samples, double processor_seconds);
  /// Write a table.
  void write(std::ostream& out) const;

 private:
  struct Function {
    std::uintptr_t begin;
    std::uintptr_t end;
    ProfilePart part;
  };
  std::uintptr_t loaded_;            // where this program is
  std::vector<Function> functions_;  // of this program, by address
  std::array<std::uint64_t, kProfileParts> samples_{};
  double seconds_ = 0;         // of runs with samples
  double silent_seconds_ = 0;  // of the others
  std::uint64_t runs_ = 0;
  std::uint64_t silent_ = 0;  // of those, without samples
};

/// Notes, at every few milliseconds of processor time of this process, which instruction runs. Of a long time, fewer
/// moments are kept, evenly. There is one at a time: the kernel's timer and signal for this (ITIMER_PROF, SIGPROF) are the
/// process's own.
class ProcessorSamples {
 public:
  /// Begins.
  /// @throws std::system_error if the kernel has no timer or memory for it
  ProcessorSamples();
  ~ProcessorSamples();
  ProcessorSamples& operator=(ProcessorSamples&&) = delete;

  /// End. @return addresses of instructions, in the order of time; until this object goes
  std::span<const std::uintptr_t> stop();
};

}  // namespace pmufab::scenario
