// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/guest/acpi/acpi_tables.h"

namespace pmufab::guest {

/// @return the table: `body` behind an ACPI table header without checksum.
[[nodiscard]] std::string with_header(std::string_view signature, std::uint8_t revision, std::string_view body);

/// Tables one behind the other in one blob, and what firmware has to do to link them.
class TableSet {
 public:
  /// A place in a table for the address of another table of the set, 8 bytes.
  struct Pointer {
    std::size_t offset;  ///< in this table
    std::size_t table;   ///< as add() returned it
  };

  /// Adds a table, whose checksum firmware writes once it has filled in the pointers.
  /// @return its place in the blob, for pointers to it
  std::size_t add(const std::string& table, const std::vector<Pointer>& pointers = {});

  /// @return the blobs, with the XSDT at `xsdt`.
  [[nodiscard]] AcpiBlobs finish(std::size_t xsdt) const;

 private:
  std::string tables_;
  std::string commands_;
};

}  // namespace pmufab::guest
