// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/fabric_generator.h"

#include "testbench/verify/cxl/cxl_generator.h"

namespace pmufab::verify {

const std::vector<const FabricGenerator*>& fabric_generators() {
  static const CxlGenerator cxl;
  static const std::vector<const FabricGenerator*> all = {&cxl};
  return all;
}

}  // namespace pmufab::verify
