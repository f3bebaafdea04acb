// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/fabrics/common/fabric_generator.h"
#include "testbench/fabrics/common/fabric_kind.h"
#include "testbench/fabrics/common/pmu_facts.h"

namespace pmufab::scenario {

[[nodiscard]] const FabricKind& cxl_kind();

}  // namespace pmufab::scenario

namespace pmufab::coverage {

/// What is known of the CPMUs of CXL devices.
[[nodiscard]] const FactsRoom& cxl_facts();

}  // namespace pmufab::coverage

namespace pmufab::verify {

/// Machines of CXL devices with CPMUs of every kind.
class CxlGenerator final : public FabricGenerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "cxl"; }
  [[nodiscard]] std::vector<std::string_view> driver_modules() const override {
    return scenario::cxl_kind().driver_modules();
  }
  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view kernel, const Wishes& wishes) const override;
};

}  // namespace pmufab::verify
