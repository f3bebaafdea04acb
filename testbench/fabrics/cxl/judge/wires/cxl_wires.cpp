// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/wires/cxl_wires.h"

namespace pmufab::scoreboard {

std::string_view to_string(CxlClass which) noexcept {
  constexpr std::array<std::string_view, kCxlClasses> kNames{"M2S Req", "M2S RwD",  "M2S BIRsp", "H2D Req",
                                                             "H2D Rsp", "H2D Data", "S2M BISnp", "S2M NDR",
                                                             "S2M DRS", "D2H Req",  "D2H Rsp",   "D2H Data"};
  return kNames[static_cast<std::size_t>(which)];
}

}  // namespace pmufab::scoreboard
