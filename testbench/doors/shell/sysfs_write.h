// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/firmware/firmware_description.h"

/// What the files that generate /sys share.
namespace pmufab::shell {

/// Write a file, whose text gets a line feed if it has none. Its folder is made. As in sysfs, few files can be written
/// to. @throws std::system_error
void write_file(const std::filesystem::path& file, std::string_view content);
/// As write_file(), but the bytes as they are.
void write_bytes(const std::filesystem::path& file, std::string_view content);
/// A relative link, as sysfs has them. Its folder is made. @param target  of the same tree
void link_to(const std::filesystem::path& target, const std::filesystem::path& link);

/// "0-87,176"
[[nodiscard]] std::string list_of(const std::vector<unsigned>& numbers);
/// The same numbers as a mask: groups of 32 bits, the highest first, as long as `possible` numbers need.
[[nodiscard]] std::string mask_of(const std::vector<unsigned>& numbers, std::size_t possible);
/// @return the CPUs of a NUMA node
[[nodiscard]] std::vector<unsigned> cpus_of(const std::vector<platform::Cpu>& cpus, unsigned node);

/// Write CPUs and NUMA nodes below `root` (/sys), and what /proc says of them below `proc`.
/// @param memory  bytes of each node
void write_machine(const std::filesystem::path& root, const std::filesystem::path& proc,
                   const std::vector<platform::Cpu>& cpus, const std::map<unsigned, std::uint64_t>& memory);

}  // namespace pmufab::shell
