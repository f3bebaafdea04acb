// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/import/machine.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pmufab::cli {

const char* mesh_product(std::string_view id) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 9> kIds = {{{"ARMHC600", "CMN-600"},
                                                                                    {"ARMHC650", "CMN-650"},
                                                                                    {"ARMHC700", "CMN-700"},
                                                                                    {"ARMHC003", "CMN-S3"},
                                                                                    {"arm,cmn-600", "CMN-600"},
                                                                                    {"arm,cmn-650", "CMN-650"},
                                                                                    {"arm,cmn-700", "CMN-700"},
                                                                                    {"arm,cmn-s3", "CMN-S3"},
                                                                                    {"arm,ci-700", "CI-700"}}};
  const auto* const found = std::ranges::find_if(kIds, [&](const auto& one) { return one.first == id; });
  return found == kIds.end() ? nullptr : found->second;
}

}  // namespace pmufab::cli
