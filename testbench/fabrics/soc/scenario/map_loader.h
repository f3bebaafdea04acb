// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/soc/wire/description.h"
#include "testbench/fabrics/soc/scenario/term_formats.h"
#include "testbench/run/yaml/reader.h"

/// Readers of the keys of a PMU with a register map. Not a public header.
namespace pmufab::scenario {

/// "4" or "0-3"
[[nodiscard]] soc::BitRange read_bits(Reader& reader, std::string_view key);

/// @return a map of names and numbers; empty if there is no such key
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> read_numbers(Reader& reader, std::string_view key);

/// Read the keys of a PMU that say where its registers are, what they do, and how firmware tells of it.
void read_map(Reader& reader, TermFormats& formats, soc::PmuDescription& pmu);

/// @return the number of a register. @param key  names it
[[nodiscard]] unsigned read_register_of(Reader& reader, std::string_view key, const soc::RegisterMap& map,
                                        std::string_view complaint = "there is no register");

}  // namespace pmufab::scenario
