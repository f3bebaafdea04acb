// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/cmn/description/product.h"
#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::scenario {

[[nodiscard]] const FabricKind& cmn_kind();

}  // namespace pmufab::scenario

namespace pmufab::coverage {

/// @return the kind of the PMUs of a product's meshes: "arm_cmn_* (CMN-700)"
[[nodiscard]] std::string kind_of_mesh(cmn::Product product);
/// What is known of the PMUs of CMN meshes.
[[nodiscard]] const FactsRoom& cmn_facts();

}  // namespace pmufab::coverage

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
