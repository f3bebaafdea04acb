#pragma once

#include <string>
#include <vector>

namespace pmufab::scenario {

/// Print what of a kernel's log is an error or worse (KERN_ERR) to standard error: why a device has no PMU, as a rule.
/// @param log  driver_host::DriverHost::log()
/// @param who  says it
/// @return false if there was none
bool print_kernel_errors(const std::vector<std::string>& log, const char* who = "the drivers");

/// Print a sentence of failure to standard error, and what a kernel's log has of it in front, unless
/// print_kernel_errors() has done that.
void print_failure(const std::vector<std::string>& log, bool errors_printed, const std::string& sentence);

}  // namespace pmufab::scenario
