// SPDX-License-Identifier: Apache-2.0
#include "tools/pmufab/regs/register_map.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "tools/pmufab/regs/register_print.h"

namespace pmufab::cli {
namespace {

using nlohmann::ordered_json;

std::uint64_t number_in(const ordered_json& text) { return std::stoull(text.get<std::string>(), nullptr, 16); }

}  // namespace

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "_" + name : name;
}

RegisterMap register_map(const std::vector<platform::NamedRegisters>& banks) {
  RegisterMap map;
  std::map<std::string, std::size_t> known;  // layouts, by their text
  const ordered_json document = to_json(banks);
  for (const auto& [bank, pages] : document.items()) {
    for (std::size_t page = 0; page < pages.size(); ++page) {
      const std::string name = identifier(page == 0 ? bank : fmt::format("{}.page{}", bank, page));
      ordered_json registers = pages[page].at("registers");
      for (ordered_json& entry : registers) entry.erase("values");
      const auto size = pages[page].at("size").get<std::uint64_t>();
      const auto [found, is_new] = known.emplace(fmt::format("{} {}", size, registers.dump()), map.layouts.size());
      if (is_new) map.layouts.push_back({name, size, std::move(registers)});
      map.instances.push_back({name, bank, number_in(pages[page].at("base")), found->second});
    }
  }
  std::ranges::stable_sort(
      map.instances, [](const RegisterMap::Instance& x, const RegisterMap::Instance& y) { return x.base < y.base; });
  return map;
}

std::vector<MapElement> elements_of(const ordered_json& entry) {
  const auto offset = entry.at("offset").get<std::uint64_t>();
  const auto stride = entry.at("stride").get<std::uint64_t>();
  const auto width = entry.at("width").get<unsigned>();
  const auto count = entry.at("implemented").get<unsigned>();
  const std::string name = identifier(entry.at("name").get<std::string>());
  std::vector<std::uint64_t> resets;
  for (unsigned i = 0; i < count; ++i) resets.push_back(number_in(entry.at("resets")[i]));
  if (count == 0) return {};
  if (entry.at("count").get<unsigned>() == 1) return {{name, offset, width, 1, resets[0]}};
  const bool is_even = std::ranges::all_of(resets, [&](std::uint64_t one) { return one == resets[0]; });
  if (count > 1 && is_even && stride == width / 8) return {{name, offset, width, count, resets[0]}};
  std::vector<MapElement> elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back({fmt::format("{}_{}", name, i), offset + i * stride, width, 1, resets[i]});
  return elements;
}

std::vector<MapField> fields_of(const ordered_json& entry) {
  std::vector<MapField> fields;
  for (const ordered_json& field : entry.at("fields")) {
    const std::string access = field.at("access");
    if (access == "reserved") continue;
    fields.push_back({identifier(field.at("name").get<std::string>()), field.at("lsb").get<unsigned>(),
                      field.at("width").get<unsigned>(), access, field.at("meaning").get<std::string>()});
  }
  std::ranges::sort(fields, [](const MapField& x, const MapField& y) { return x.lsb < y.lsb; });
  if (fields.empty()) fields.push_back({"VALUE", 0, entry.at("width").get<unsigned>(), "raz_wi", ""});
  return fields;
}

}  // namespace pmufab::cli
