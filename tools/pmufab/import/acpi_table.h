// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmufab::cli {

/// The bytes of an ACPI table whose header, length and checksum are right.
struct TableFile {
  std::string file;       ///< as the user named it, or its folder
  std::string signature;  ///< one of those that pmufab reads: APMT, PPTT, DSDT, SSDT
  std::string bytes;      ///< with the header
};

/// The size of the header of each table (ACPI 6.5, 5.2.6).
inline constexpr std::size_t kTableHeader = 36;

/// @return the little-endian number of `size` bytes at `at`, which must be there
[[nodiscard]] std::uint64_t table_number(std::string_view bytes, std::size_t at, std::size_t size);

/// @param paths  of binary tables, of text as acpidump prints it with several tables, or of folders, of which those
///               files count that hold a table that pmufab reads
/// @throws scenario::InputError if one cannot be read or is no whole table, or if there is none
[[nodiscard]] std::vector<TableFile> read_tables(const std::vector<std::string>& paths);

/// A node of the APMT (Arm DEN0117, revision 0), as it stands there.
struct ApmtEntry {
  std::size_t number = 0;  ///< in the order of the table, from 0 on
  unsigned type = 0;
  std::uint32_t id = 0;
  std::uint64_t primary = 0;  ///< instance
  std::uint32_t secondary = 0;
  std::uint64_t base0 = 0;
  std::uint64_t base1 = 0;
  std::uint32_t interrupt = 0;  ///< 0: none
  std::uint32_t interrupt_flags = 0;
  std::uint32_t affinity = 0;
  std::uint32_t implementation_id = 0;
  bool has_two_pages = false;
  bool affinity_is_container = false;
  bool is_atomic = false;
};
/// @throws scenario::InputError if a node has not the length of one
[[nodiscard]] std::vector<ApmtEntry> apmt_entries(const TableFile& table);

/// The processors of a package, as the PPTT names them by their ACPI ids.
struct Package {
  std::vector<std::uint32_t> processors;
  /// The package itself, and groups of processors in it: each with the number of its processors.
  std::map<std::uint32_t, std::size_t> containers;
};
/// @return packages with processors, in the order of the table (ACPI 6.5, 5.2.30)
/// @throws scenario::InputError if the structures do not fit into the table, or are no tree
[[nodiscard]] std::vector<Package> packages_of(const TableFile& table);

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
