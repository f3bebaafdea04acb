// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/pmufab/import/acpi_table.h"

namespace pmufab::cli {

/// A device of the ACPI namespace, as far as names and resources are written there and not made by a method's code.
struct NamespaceDevice {
  std::string place;                ///< "D000 of dsdt.aml"
  std::string hid;                  ///< _HID; empty: not written
  std::string uid;                  ///< _UID, numbers in decimal
  std::vector<std::string> cids{};  ///< _CID
  std::string compatible;           ///< in _DSD
  struct Range {
    std::uint64_t base;
    std::uint64_t size;
  };
  std::vector<Range> memory;
  std::vector<std::string> unread{};  ///< memory descriptors whose numbers are not known, each by its name
  std::vector<std::uint64_t> interrupts;
  std::optional<std::uint64_t> node{};     ///< _PXM
  std::optional<std::uint64_t> segment{};  ///< _SEG
  std::optional<std::uint64_t> bus{};      ///< _BBN
  std::optional<std::uint64_t> status{};   ///< _STA
  bool is_present = true;                  ///< as far as _STA tells, its own and that of devices around it
};

/// Let iasl of Debian's acpica-tools disassemble a DSDT or SSDT.
/// @param scratch  a folder for its files
/// @return ASL, the language of the ACPI specification
/// @throws scenario::InputError if there is no iasl, or if it does not understand the table
[[nodiscard]] std::string disassembled(const TableFile& table, const std::filesystem::path& scratch);

/// @param asl   as iasl writes it; of other text, any devices
/// @param file  for the devices' places
[[nodiscard]] std::vector<NamespaceDevice> devices_in(std::string_view asl, const std::string& file);

}  // namespace pmufab::cli
