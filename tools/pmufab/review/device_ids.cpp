// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/review/device_ids.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <regex>
#include <set>

namespace pmufab::cli {
namespace {

/// A table may be wrapped in another way.
std::string in_one_line(const std::string& text) {
  static const std::regex blanks(R"(\s+)");
  return std::regex_replace(text, blanks, " ");
}

std::set<std::string> devices_in(const std::string& text) {
  static const std::array<std::regex, 4> forms = {
      std::regex(R"re("([A-Z]{3}[A-Z0-9]?(?=[A-F]*[0-9])[0-9A-F]{4})")re"),
      std::regex(R"re(\.compatible\s*=\s*"([^"]+)")re"),
      std::regex(R"re((PCI_V?DEVICE(?:_DATA|_SUB|_CLASS)?\([^)]*\)))re"),
      std::regex(
          R"re(\.((?:vendor|device|vendor_id|vsec_id|prodid|pmiidr_val)\s*=\s*(?:0x[0-9a-fA-F]+|[A-Z][A-Z0-9_]+)))re"),
  };
  std::set<std::string> devices;
  for (const std::regex& form : forms) {
    for (std::sregex_iterator found(text.begin(), text.end(), form), end; found != end; ++found)
      devices.insert(in_one_line((*found)[1]));
  }
  return devices;
}

}  // namespace

std::vector<std::string> added_devices(const std::vector<ChangedFile>& files) {
  std::set<std::string> before;
  std::set<std::string> after;
  for (const ChangedFile& file : files) {
    if (!file.before.empty()) before.merge(devices_in(content_of(file.before)));
    after.merge(devices_in(content_of(file.after)));
  }
  std::vector<std::string> added;
  std::ranges::set_difference(after, before, std::back_inserter(added));
  return added;
}

}  // namespace pmufab::cli
