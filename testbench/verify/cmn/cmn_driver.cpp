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
  constexpr unsigned kLinux62 = 6002;
  constexpr unsigned kLinux612 = 6012;
  constexpr unsigned kLinux70 = 7000;
  constexpr unsigned kLinux72 = 7002;
  constexpr unsigned kLinux73 = 7003;
  hn_s = version >= kLinux612;
  s3_r2 = version >= kLinux73;
  graviton5 = version >= kLinux73;
  isolation = version >= kLinux73;
  longest_side = version >= kLinux73 ? 14 : 12;
  filter_term = version >= kLinux73;
  rn_d_alias = version >= kLinux72;
  most_crosspoints = version >= kLinux70 ? longest_side * longest_side : 144;
  cycles = version >= kLinux62;
  several_dtcs = version >= kLinux62;
  several_dtcs_600 = version >= kLinux70;
  full_dtc_alone = version >= kLinux70;
  ccla = version >= kLinux612;
  hazard_filters = version >= kLinux73;
  combines = version >= kLinux612;
  watchpoints_by_group = version < kLinux612;
}

}  // namespace pmufab::verify
