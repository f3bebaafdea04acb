// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/traffic/producers/traffic_spec.h"
#include "testbench/traffic/random_stream.h"

namespace pmufab::traffic {

/// The operations of one requester: opcode and length, drawn by weight.
class OperationMix {
 public:
  /// Selects operations of the mix.
  enum class Part : std::uint8_t { all, reading, changing };

  /// If `mix` has no operation of `part`, a plain read or write is used.
  OperationMix(const std::vector<OperationShare>& mix, const std::vector<SizeShare>& sizes, RequesterKind requester,
               Path path, Part part);

  struct Drawn {
    FabricOpcode opcode;
    std::uint32_t length;  ///< 0: no data
  };
  Drawn draw(RandomStream& random) const;

 private:
  enum class Length : std::uint8_t { none, line, open, atomic };
  struct Action {
    FabricOpcode opcode;
    Length length;
    bool full_when_line;  // a write of 64 bytes is WriteUniqueFull
  };
  static Action action_of(Operation operation, RequesterKind requester, Path path) noexcept;

  WeightedChoice<Action> actions_;
  WeightedChoice<std::uint32_t> sizes_;
};

}  // namespace pmufab::traffic
