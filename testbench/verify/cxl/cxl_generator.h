// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/verify/fabric_generator.h"

namespace pmufab::verify {

/// Machines of CXL devices with CPMUs of every kind.
class CxlGenerator final : public FabricGenerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "cxl"; }
  [[nodiscard]] GeneratedMachine make(Random& random, std::string_view kernel, const Wishes& wishes) const override;
};

}  // namespace pmufab::verify
