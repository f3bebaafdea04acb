// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/verify/fabric_generator.h"

namespace pmufab::verify {

/// Meshes of every product and shape, with what reaches their events.
class CmnGenerator final : public FabricGenerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "cmn"; }
  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view kernel, const Wishes& wishes) const override;
};

}  // namespace pmufab::verify
