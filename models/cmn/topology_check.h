#pragma once

#include <stdexcept>
#include <string>

#include "models/cmn/topology.h"

namespace pmufab::cmn {

/// A mesh that cannot be built. what() reads "<field>: <reason>".
class TopologyError : public std::invalid_argument {
 public:
  /// @param field   the member at fault as a path, for example "crosspoints[3].ports[1].device"
  /// @param reason  with a suggestion where there is one
  TopologyError(std::string field, std::string reason)
      : std::invalid_argument(field + ": " + reason), field_(std::move(field)), reason_(std::move(reason)) {}
  [[nodiscard]] const std::string& field() const noexcept { return field_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  std::string field_;
  std::string reason_;
};

/// @throws TopologyError for the first thing that makes the mesh impossible, or a danger to the driver's memory.
///         What Topology::deviations allows is not looked at.
void check(const Topology& topology);

}  // namespace pmufab::cmn
