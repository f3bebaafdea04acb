// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/acpi/table_set.h"

#include "testbench/doors/guest/acpi/byte_writer.h"

namespace pmufab::guest {
namespace {

constexpr std::string_view kOemId = "PMUFAB";
constexpr std::size_t kTableHeaderSize = 36;
constexpr std::size_t kTableChecksum = 9;
constexpr unsigned kPointerSize = 8;

// Commands of QEMU's linker/loader (hw/acpi/bios-linker-loader.c) have 128 bytes, file names in them 56.
constexpr std::size_t kCommandSize = 128;
constexpr std::size_t kNameSize = 56;

std::string command(ByteWriter& bytes) {
  bytes.zeros(kCommandSize - bytes.size());
  return bytes.bytes();
}

enum class Zone : std::uint8_t { high = 1, low = 2 };

std::string allocate(const char* file, std::uint32_t alignment, Zone zone) {
  ByteWriter bytes;
  bytes.u32(1).text(file, kNameSize).u32(alignment).u8(static_cast<std::uint8_t>(zone));
  return command(bytes);
}

/// Adds the address of `source` to the value in `file` at `offset`.
std::string add_pointer(const char* file, std::size_t offset, const char* source) {
  ByteWriter bytes;
  bytes.u32(2).text(file, kNameSize).text(source, kNameSize).u32(static_cast<std::uint32_t>(offset)).u8(kPointerSize);
  return command(bytes);
}

std::string add_checksum(const char* file, std::size_t offset, std::size_t start, std::size_t size) {
  ByteWriter bytes;
  bytes.u32(3).text(file, kNameSize);
  for (const std::size_t value : {offset, start, size}) bytes.u32(static_cast<std::uint32_t>(value));
  return command(bytes);
}

}  // namespace

std::string with_header(std::string_view signature, std::uint8_t revision, std::string_view body) {
  ByteWriter bytes;
  bytes.text(signature, 4).u32(static_cast<std::uint32_t>(kTableHeaderSize + body.size())).u8(revision).u8(0);
  bytes.text(kOemId, 6).text("PMUFAB", 8).u32(1).text("PMUF", 4).u32(1);
  return bytes.raw(body).bytes();
}

std::string with_checksum(std::string table) {
  std::uint8_t sum = 0;
  for (const char byte : table) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(byte));
  table.at(kTableChecksum) = static_cast<char>(-sum);
  return table;
}

std::size_t TableSet::add(const std::string& table, const std::vector<Pointer>& pointers) {
  const std::size_t start = tables_.size();
  tables_ += table;
  for (const Pointer& pointer : pointers) {
    const std::size_t at = start + pointer.offset;
    tables_.replace(at, kPointerSize, ByteWriter{}.u64(pointer.table).bytes());
    commands_ += add_pointer(AcpiBlobs::kTablesFile, at, AcpiBlobs::kTablesFile);
  }
  commands_ += add_checksum(AcpiBlobs::kTablesFile, start + kTableChecksum, start, table.size());
  return start;
}

AcpiBlobs TableSet::finish(std::size_t xsdt) const {
  constexpr std::size_t kChecksum = 8;
  constexpr std::size_t kXsdt = 24;
  constexpr std::size_t kExtendedChecksum = 32;
  constexpr std::size_t kFirstRevisionSize = 20;
  constexpr std::size_t kSize = 36;
  ByteWriter rsdp;
  rsdp.text("RSD PTR ", 8).u8(0).text(kOemId, 6).u8(2).u32(0).u32(kSize).u64(xsdt).u8(0).zeros(3);
  const char* const file = AcpiBlobs::kRsdpFile;
  std::string commands = allocate(file, 16, Zone::low) + allocate(AcpiBlobs::kTablesFile, 64, Zone::high) + commands_;
  commands += add_pointer(file, kXsdt, AcpiBlobs::kTablesFile);
  commands += add_checksum(file, kChecksum, 0, kFirstRevisionSize);
  commands += add_checksum(file, kExtendedChecksum, 0, kSize);
  return {tables_, rsdp.bytes(), commands};
}

}  // namespace pmufab::guest
