// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>

#include "models/platform/platform.h"
#include "tools/pmufab/command.h"

namespace pmufab::cli {

/// The forms in which registers are printed.
enum class Form : std::uint8_t { text, markdown, json, dump, systemrdl, svd, c_header };

/// @return the form that an option chooses. @throws scenario::InputError for two of them
[[nodiscard]] Form wanted_form(const boost::program_options::variables_map& options);

/// @param name  the beginning of the names of banks; empty: all
/// @throws scenario::InputError if no bank has such a name
[[nodiscard]] std::vector<platform::NamedRegisters> chosen_banks(std::vector<platform::NamedRegisters> banks,
                                                                 const std::string& name);

/// @return true if the form shows no values but those after a reset
[[nodiscard]] bool is_export(Form form) noexcept;

/// Print to standard output what registers hold now.
/// @param platform  its name, for exports
void print_registers(const std::vector<platform::NamedRegisters>& banks, Form form, const std::string& platform);

/// @return map and values of the banks, by name: NamedRegisters::dump_json() with the base of each page
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<platform::NamedRegisters>& banks);

/// pmufab regs SCENARIO --at TIME, and --diff TIME,TIME: run the scenario up to there, and show registers.
/// @return an exit code. @throws scenario::InputError
int show_registers_at(const Request& request);

}  // namespace pmufab::cli
