#pragma once

#include <string>
#include <vector>

namespace pmufab::scenario {

/// @param log  driver_host::DriverHost::log()
/// @return what of it is an error or worse (KERN_ERR), without the level: why a device has no PMU, as a rule
[[nodiscard]] std::vector<std::string> kernel_errors(const std::vector<std::string>& log);

}  // namespace pmufab::scenario
