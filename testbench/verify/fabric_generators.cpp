// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/fabric_generator.h"

namespace pmufab::verify {

const std::vector<const FabricGenerator*>& fabric_generators() {
  static const std::vector<const FabricGenerator*> all = {};
  return all;
}

}  // namespace pmufab::verify
