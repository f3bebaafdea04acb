// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/platform/platform.h"
#include "models/platform/platform_part.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::platform {

bool is_named(const NamedRegisters& registers, const std::string& pattern) {
  const std::string top = "platform.";  // begins the names of banks, as messages have them
  const std::string name = pattern.starts_with(top) ? pattern.substr(top.size()) : pattern;
  return registers.name.starts_with(name) || fnmatch(name.c_str(), registers.name.c_str(), 0) == 0 ||
         std::any_of(registers.pages.begin(), registers.pages.end(),
                     [&](const RegisterBank* page) { return page->name() == name || page->name() == top + name; });
}

void NamedRegisters::dump_text(std::ostream& out, Picoseconds when) const {
  for (const RegisterBank* page : pages) page->dump_text(out, when);
}

nlohmann::json NamedRegisters::dump_json(Picoseconds when) const {
  nlohmann::json all = nlohmann::json::array();
  for (const RegisterBank* page : pages) all.push_back(page->dump_json(when));
  return all;
}

void NamedRegisters::dump_markdown(std::ostream& out) const {
  for (const RegisterBank* page : pages) page->dump_markdown(out);
}

NamedRegisters registers_of(std::string name, std::uint64_t base, const RegisterBank& bank) {
  return {std::move(name), {base}, {&bank}};
}

}  // namespace pmufab::platform
