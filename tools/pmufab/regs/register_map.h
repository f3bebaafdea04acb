// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/platform/platform.h"

namespace pmufab::cli {

/// The registers of banks, for exports: each layout once, and where it is found.
struct RegisterMap {
  struct Layout {
    std::string name;        ///< an identifier: that of the first bank that has it
    std::uint64_t size = 0;  ///< bytes
    nlohmann::ordered_json
        registers;  ///< of a page of dump_json(); what only differs in names and values is one layout
  };
  struct Instance {
    std::string name;  ///< an identifier: "socket0_ucf_pmu"; a second page has "_page1" behind it
    std::string bank;  ///< "socket0.ucf_pmu"
    std::uint64_t base = 0;
    std::size_t layout = 0;
  };
  std::vector<Layout> layouts;
  std::vector<Instance> instances;  ///< by address
};

[[nodiscard]] RegisterMap register_map(const std::vector<platform::NamedRegisters>& banks);

/// A register, or an array of them without gaps whose reset values are the same.
struct MapElement {
  std::string name;  ///< an identifier
  std::uint64_t offset = 0;
  unsigned width = 0;  ///< bits of one
  unsigned count = 1;  ///< 1: no array
  std::uint64_t reset = 0;
};
/// @param entry  of RegisterMap::Layout::registers
/// @return what it is. Elements that a part does not have are left out
[[nodiscard]] std::vector<MapElement> elements_of(const nlohmann::ordered_json& entry);

struct MapField {
  std::string name;  ///< an identifier
  unsigned lsb = 0;
  unsigned width = 0;
  std::string access;  ///< as to_string(Access) names it; never "reserved"
  std::string meaning;
};
/// @return the fields of a register, lowest first. One without any has a field "VALUE", which reads 0.
[[nodiscard]] std::vector<MapField> fields_of(const nlohmann::ordered_json& entry);

/// @return text with '_' for what an identifier does not have
[[nodiscard]] std::string identifier(std::string_view text);

// The exports. `name` is the platform's.
[[nodiscard]] std::string to_systemrdl(const RegisterMap& map, const std::string& name);
[[nodiscard]] std::string to_svd(const RegisterMap& map, const std::string& name);
[[nodiscard]] std::string to_c_header(const RegisterMap& map, const std::string& name);

}  // namespace pmufab::cli
