// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/fabric_generator.h"

#include "testbench/verify/cmn/cmn_generator.h"
#include "testbench/verify/cxl/cxl_generator.h"

namespace pmufab::verify {

const std::vector<const FabricGenerator*>& fabric_generators() {
  static const CmnGenerator cmn;
  static const CxlGenerator cxl;
  static const std::vector<const FabricGenerator*> all = {&cmn, &cxl};
  return all;
}

}  // namespace pmufab::verify
