// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pmufab::cxl {

/// @return the name of an event of the CXL specification (for example "m2s_req_memrd"; CXL 3.1, table 13-5; message
///         classes and opcodes: chapter 3), spelled as in the sysfs of Linux 7.3. For other events, vendor, group and
///         bit as numbers.
[[nodiscard]] std::string event_name(std::uint16_t vendor, std::uint16_t group, unsigned bit);

}  // namespace pmufab::cxl
