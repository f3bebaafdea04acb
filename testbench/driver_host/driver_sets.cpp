#include "testbench/driver_host/driver_sets.h"

#include <algorithm>
#include <sstream>
#include <system_error>

namespace pmufab::driver_host {
namespace {

/// The numbers of a version, so that 7.10 comes after 7.9.
std::vector<unsigned long> numbers_of(const std::string& version) {
  std::vector<unsigned long> numbers;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');) {
    unsigned long number = 0;
    std::istringstream(part) >> number;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<DriverSet> find_driver_sets(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<DriverSet> sets;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path library = entry.path() / "pmufab_drivers.so";
    if (fs::is_regular_file(library, error)) sets.push_back({library, entry.path().filename().string()});
  }
  if (sets.empty()) {
    throw DriverSetError("no Linux drivers in '" + folder.string() +
                         "': get the sources with tools/fetch-linux-sources and build them (the build does it, or "
                         "tools/build-drivers " +
                         folder.string() + ")");
  }
  std::sort(sets.begin(), sets.end(), [](const DriverSet& a, const DriverSet& b) {
    const auto left = numbers_of(a.kernel_version);
    const auto right = numbers_of(b.kernel_version);
    return left != right ? left < right : a.kernel_version < b.kernel_version;
  });
  return sets;
}

}  // namespace pmufab::driver_host
