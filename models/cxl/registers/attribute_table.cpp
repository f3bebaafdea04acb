// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/attribute_table.h"

namespace pmufab::cxl {
namespace {

constexpr std::uint32_t kRevision = 1;
constexpr std::uint32_t kLastEntry = 0xffff;

// Structures: type in byte 0, length in bytes 2 and 3.
constexpr std::uint32_t kMemoryAffinity = 0 | 24U << 16;  // DSMAS
constexpr std::uint32_t kMemoryType = 4 | 24U << 16;      // DSEMTS
constexpr std::uint32_t kNonVolatile = 1U << 2;           // flag of a DSMAS
constexpr std::uint32_t kSpecialPurpose = 1;              // DSEMTS: EfiConventionalMemory with EFI_MEMORY_SP
constexpr std::uint32_t kReserved = 2;                    // EfiReservedMemoryType

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

AttributeTable::AttributeTable(const MemoryCommandsParameters& memory) {
  entries_.emplace_back();
  std::uint64_t base = 0;
  std::uint32_t handle = 0;
  const auto add = [&](std::uint64_t size, std::uint32_t flags, std::uint32_t use) {
    if (size == 0) return;
    entries_.push_back({kMemoryAffinity, handle | flags << 8, low(base), high(base), low(size), high(size)});
    entries_.push_back({kMemoryType, handle | use << 8, 0, 0, low(size), high(size)});
    base += size;
    ++handle;
  };
  add(memory.volatile_capacity, 0, kSpecialPurpose);
  add(memory.persistent_capacity, kNonVolatile, kReserved);

  std::size_t words = 4;
  for (const auto& entry : entries_) words += entry.size();
  entries_.front() = {static_cast<std::uint32_t>(4 * words), kRevision, 0, 0};  // length, revision, sequence number
  std::uint32_t sum = 0;
  for (const auto& entry : entries_) {
    for (const std::uint32_t word : entry)
      sum += (word & 0xff) + (word >> 8 & 0xff) + (word >> 16 & 0xff) + (word >> 24);
  }
  entries_.front()[1] |= (-sum & 0xff) << 8;  // all bytes of the table add up to 0
}

std::optional<std::vector<std::uint32_t>> AttributeTable::read(std::span<const std::uint32_t> request) const {
  // Byte 0 is the request (0: read), byte 1 the table (0: CDAT), bytes 2 and 3 the entry.
  if (request.size() != 1 || (request[0] & 0xffff) != 0) return std::nullopt;
  const std::size_t entry = request[0] >> 16;
  if (entry >= entries_.size()) return std::nullopt;
  const std::uint32_t next = entry + 1 < entries_.size() ? static_cast<std::uint32_t>(entry + 1) : kLastEntry;
  std::vector<std::uint32_t> answer{next << 16};
  answer.insert(answer.end(), entries_[entry].begin(), entries_[entry].end());
  return answer;
}

}  // namespace pmufab::cxl
