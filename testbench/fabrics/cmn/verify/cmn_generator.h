// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/cmn/scenario/cmn_kind.h"
#include "testbench/fabrics/common/fabric_generator.h"

namespace pmufab::verify {

/// Meshes of every product and shape, with what reaches their events.
class CmnGenerator final : public FabricGenerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "cmn"; }
  [[nodiscard]] std::vector<std::string_view> driver_modules() const override {
    return scenario::cmn_kind().driver_modules();
  }
  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view kernel, const Wishes& wishes) const override;
};

}  // namespace pmufab::verify
