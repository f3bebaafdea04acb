// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "testbench/doors/guest/acpi/acpi_tables.h"

namespace pmufab::testing {

/// What firmware makes of the blobs. It executes the commands as QEMU describes them (hw/acpi/bios-linker-loader.c),
/// then finds the tables from the RSDP like an operating system.
class InstalledTables {
 public:
  explicit InstalledTables(const guest::AcpiBlobs& blobs) {
    const std::map<std::string, std::string> contents{{"etc/acpi/tables", blobs.tables}, {"etc/acpi/rsdp", blobs.rsdp}};
    for (std::size_t at = 0; at < blobs.loader.size(); at += 128) follow(blobs.loader.substr(at, 128), contents);
    const File& rsdp = files_.at("etc/acpi/rsdp");
    if (sum(rsdp.bytes.substr(0, 20)) != 0 || sum(rsdp.bytes) != 0) throw std::runtime_error("checksum of the RSDP");
    const std::string xsdt = table_at(number(rsdp.bytes, 24, 8));
    for (std::size_t at = 36; at < xsdt.size(); at += 8) {
      const std::string table = table_at(number(xsdt, at, 8));
      tables_[table.substr(0, 4)] = table;
      order_ += table.substr(0, 4) + ' ';
    }
  }

  /// @return the whole table. @throws std::out_of_range if the XSDT does not list it
  [[nodiscard]] const std::string& table(const std::string& signature) const { return tables_.at(signature); }
  /// @return the signatures in the XSDT, each with a space behind it.
  [[nodiscard]] const std::string& signatures() const noexcept { return order_; }
  /// @return the table at an address. @throws std::runtime_error if its checksum is wrong
  [[nodiscard]] std::string table_at(std::uint64_t address) const {
    const File& file = files_.at("etc/acpi/tables");
    const std::size_t at = address - file.address;
    std::string table = file.bytes.substr(at, number(file.bytes, at + 4, 4));
    if (sum(table) != 0) throw std::runtime_error("checksum of " + table.substr(0, 4));
    return table;
  }

  /// @return the little-endian integer of `width` bytes at `offset`.
  [[nodiscard]] static std::uint64_t number(std::string_view bytes, std::size_t offset, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = width; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes.at(offset + i));
    return value;
  }

 private:
  struct File {
    std::string bytes;
    std::uint64_t address;
  };

  static unsigned sum(std::string_view bytes) {
    unsigned total = 0;
    for (const char byte : bytes) total += static_cast<std::uint8_t>(byte);
    return total & 0xff;
  }

  void follow(const std::string& command, const std::map<std::string, std::string>& contents) {
    const auto name = [&command](std::size_t offset) { return std::string(command.substr(offset, 56).c_str()); };
    const auto operand = [&command](std::size_t offset) { return number(command, offset, 4); };
    switch (operand(0)) {
      case 1: {  // allocate
        const std::uint64_t alignment = operand(60);
        next_ = (next_ + alignment - 1) / alignment * alignment;
        files_[name(4)] = {contents.at(name(4)), next_};
        next_ += contents.at(name(4)).size();
        break;
      }
      case 2: {  // add a pointer
        std::string& bytes = files_.at(name(4)).bytes;
        const unsigned width = static_cast<std::uint8_t>(command[120]);
        const std::uint64_t value = number(bytes, operand(116), width) + files_.at(name(60)).address;
        for (unsigned i = 0; i < width; ++i) bytes.at(operand(116) + i) = static_cast<char>(value >> (8 * i));
        break;
      }
      case 3: {  // add a checksum
        std::string& bytes = files_.at(name(4)).bytes;
        bytes.at(operand(60)) = 0;
        bytes.at(operand(60)) = static_cast<char>(-sum(bytes.substr(operand(64), operand(68))));
        break;
      }
      default:
        throw std::runtime_error("unknown command");
    }
  }

  std::map<std::string, File> files_;
  std::map<std::string, std::string> tables_;
  std::string order_;
  std::uint64_t next_ = 0x1'2345'6789;
};

}  // namespace pmufab::testing
