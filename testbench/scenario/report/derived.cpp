// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/report/derived.h"

#include <utility>

#include "testbench/scenario/fabrics/fabric_kind.h"

namespace pmufab::scenario {

std::vector<DerivedResult> derive(const std::vector<DerivedInput>& inputs) {
  std::vector<DerivedResult> results;
  for (const FabricKind* kind : fabric_kinds()) {
    for (DerivedResult& figure : kind->derive(inputs)) results.push_back(std::move(figure));
  }
  return results;
}

}  // namespace pmufab::scenario
