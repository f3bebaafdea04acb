// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/doors/guest/acpi/acpi_tables.h"

namespace pmufab::guest {

/// @return the table: an ACPI table header without checksum, then `body`.
[[nodiscard]] std::string with_header(std::string_view signature, std::uint8_t revision, std::string_view body);

/// @return a table of with_header(), with its checksum.
[[nodiscard]] std::string with_checksum(std::string table);

/// Packs tables into one blob, and collects the commands by which firmware links them.
class TableSet {
 public:
  /// A field of 8 bytes in a table, for the address of another table of the set.
  struct Pointer {
    std::size_t offset;  ///< in this table
    std::size_t table;   ///< as add() returned it
  };

  /// Adds a table. Firmware fills in the pointers, then writes the checksum.
  /// @return its place in the blob, for pointers to it
  std::size_t add(const std::string& table, const std::vector<Pointer>& pointers = {});

  /// @return the blobs, with the XSDT at `xsdt`.
  [[nodiscard]] AcpiBlobs finish(std::size_t xsdt) const;

 private:
  std::string tables_;
  std::string commands_;
};

}  // namespace pmufab::guest
