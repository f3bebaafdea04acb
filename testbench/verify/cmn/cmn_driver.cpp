// SPDX-License-Identifier: Apache-2.0
#include "testbench/verify/cmn/cmn_driver.h"

#include <charconv>

namespace pmufab::verify {
namespace {

/// Take a number off the front of a text.
unsigned take_number(std::string_view& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{}) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// @return 7003 for "7.3.4"
unsigned number_of(std::string_view kernel) {
  constexpr unsigned kMajor = 1000;
  const unsigned major = take_number(kernel);
  if (kernel.starts_with('.')) kernel.remove_prefix(1);
  return major * kMajor + take_number(kernel);
}

}  // namespace

CmnDriver::CmnDriver(std::string_view kernel) {
  const unsigned version = number_of(kernel);
  constexpr unsigned k6_2 = 6002;
  constexpr unsigned k6_12 = 6012;
  constexpr unsigned k7_0 = 7000;
  constexpr unsigned k7_2 = 7002;
  constexpr unsigned k7_3 = 7003;
  hn_s = version >= k6_12;
  s3_r2 = version >= k7_3;
  graviton5 = version >= k7_3;
  longest_side = version >= k7_3 ? 14 : 12;
  filter_term = version >= k7_3;
  rn_d_alias = version >= k7_2;
  most_crosspoints = version >= k7_0 ? longest_side * longest_side : 144;
  cycles = version >= k6_2;
  several_dtcs = version >= k6_2;
  several_dtcs_600 = version >= k7_0;
  full_dtc_alone = version >= k7_0;
  ccla = version >= k6_12;
  hazard_filters = version >= k7_3;
  combines = version >= k6_12;
  watchpoints_by_group = version < k6_12;
}

}  // namespace pmufab::verify
