#pragma once

#include <cstdint>
#include <functional>

#include "models/platform/platform.h"

namespace pmufab::scenario {

/// How far what is under way in meshes has come.
struct DrainProgress {
  std::uint64_t uploaded = 0;   ///< flits, of all meshes
  std::uint64_t delivered = 0;  ///< of those
  std::uint64_t pending = 0;    ///< transactions that have not ended, at nodes and links
  bool operator==(const DrainProgress&) const = default;

  [[nodiscard]] bool done() const noexcept { return uploaded == delivered && pending == 0; }
};

/// @return that of all meshes of a platform.
[[nodiscard]] DrainProgress mesh_progress(platform::Platform& platform);

/// @return how long nothing may move before what is left is given up: 1 ms at least, more for meshes with slow clocks
///         or nodes that were given long latencies.
[[nodiscard]] Picoseconds drain_patience(const platform::PlatformSpec& spec);

/// Wait until everything under way has ended, as long as any of it still moves. In a SystemC thread process, after
/// traffic has stopped.
/// @param look         how far it has come now
/// @param patience     give up after so long without any change
/// @param interrupted  the user wants an end: give up after `patience` in all
/// @return transactions given up
std::uint64_t drain(const std::function<DrainProgress()>& look, Picoseconds patience,
                    const std::function<bool()>& interrupted);

}  // namespace pmufab::scenario
