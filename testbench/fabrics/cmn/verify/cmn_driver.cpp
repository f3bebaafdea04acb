// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cmn/verify/cmn_driver.h"

#include "testbench/host/driver_sets.h"

namespace pmufab::verify {

CmnDriver::CmnDriver(std::string_view kernel) {
  const auto since = [&](std::string_view version) { return driver_host::compare_versions(kernel, version) >= 0; };
  hn_s = since("6.12");
  s3_r2 = since("7.3");
  graviton5 = since("7.3");
  isolation = since("7.3");
  longest_side = since("7.3") ? 14 : 12;
  filter_term = since("7.3");
  rn_d_alias = since("7.2");
  most_crosspoints = since("7.0") ? longest_side * longest_side : 144;
  cycles = since("6.2");
  several_dtcs = since("6.2");
  several_dtcs_600 = since("7.0");
  full_dtc_alone = since("7.0");
  ccla = since("6.12");
  hazard_filters = since("7.3");
  combines = since("6.12");
  watchpoints_by_group = !since("6.12");
}

}  // namespace pmufab::verify
