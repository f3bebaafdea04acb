// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/fabric_generator.h"

#include "testbench/scenario/fabrics/fabric_kind.h"
#include "testbench/verify/cmn/cmn_generator.h"
#include "testbench/verify/cxl/cxl_generator.h"
#include "testbench/verify/dwc/dwc_generator.h"
#include "testbench/verify/soc/soc_generator.h"
#include "testbench/verify/tegra410/tegra410_generator.h"

namespace pmufab::verify {

std::vector<std::string_view> FabricGenerator::driver_modules() const {
  for (const scenario::FabricKind* kind : scenario::fabric_kinds()) {
    if (kind->name() == name()) return kind->driver_modules();
  }
  return {};
}

const std::vector<const FabricGenerator*>& fabric_generators() {
  static const CmnGenerator cmn;
  static const CxlGenerator cxl;
  static const std::vector<const FabricGenerator*> all = {&tegra410_generator(), &cmn, &cxl, &soc_generator(),
                                                          &dwc_generator()};
  return all;
}

}  // namespace pmufab::verify
