// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tlm/clock/clock_domain.h"

/// Files of recorded memory accesses, or of operations at recorded times. README.md describes both forms of both byte
/// by byte.
namespace pmufab::traffic {

enum class AccessKind : std::uint8_t { fetch, load, store, modify };  ///< modify: a load and a store of the same bytes

/// @return "fetch", "load", "store" or "modify".
[[nodiscard]] std::string_view to_string(AccessKind kind) noexcept;

/// One recorded access.
struct TraceRecord {
  std::uint64_t address = 0;  ///< virtual
  std::uint32_t size = 0;  ///< bytes, 1 ... kMaximumAccess; the access does not run past the end of the address space
  AccessKind kind = AccessKind::load;

  friend bool operator==(const TraceRecord&, const TraceRecord&) = default;
};

inline constexpr std::uint32_t kMaximumAccess = 65536;

/// One operation of an agent at a time.
struct TraceOperation {
  Picoseconds when = 0;         ///< after the start of traffic; not before the operation in front of it
  std::uint64_t address = 0;    ///< host physical
  std::uint16_t device = 0;     ///< of the platform
  std::uint16_t operation = 0;  ///< which of the file's names
  bool tee = false;             ///< of trusted execution
  /// Begins at once after the operation in front of it, which has the same time: what that one makes happen at this
  /// instant comes after both. Recordings need it to be repeated exactly.
  bool joined = false;

  friend bool operator==(const TraceOperation&, const TraceOperation&) = default;
};

/// What a file holds: version 1 of the format, and version 2.
enum class TraceContents : std::uint8_t { accesses, operations };

/// A trace file that cannot be read or is damaged. what() names the file and the place.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a trace file of either form from front to back, a buffer at a time.
class TraceReader {
 public:
  /// @param expected  what it must hold, if that matters
  /// @throws TraceError if the file cannot be read, is no trace, holds something else, or its length does not fit what
  ///         its header says
  explicit TraceReader(const std::filesystem::path& file, std::optional<TraceContents> expected = {});
  ~TraceReader();

  [[nodiscard]] TraceContents contents() const noexcept { return contents_; }

  /// Read the next records of a file of that contents. @return how many; 0 only at the end
  /// @throws TraceError at damage, with its byte offset (binary) or line number (CSV)
  std::size_t read(std::span<TraceRecord> records);
  std::size_t read(std::span<TraceOperation> operations);
  /// @return what TraceOperation::operation counts: names of operations. In CSV those met so far.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// @return where the operation is that was read as number `index` of the last buffer: "FILE: line 7".
  [[nodiscard]] std::string place(std::size_t index) const;
  /// Start again at the first record.
  void rewind();

  /// @return records in the file if the header says it (binary), otherwise 0.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  class CsvLines;

  void read_header();
  void read_names(std::uint64_t bytes);
  template <typename Record>
  std::size_t read_records(std::span<Record> records);
  void parse_binary(const unsigned char* bytes, std::uint64_t offset, TraceRecord& record);
  void parse_binary(const unsigned char* bytes, std::uint64_t offset, TraceOperation& operation);
  void parse_line(std::string_view line, TraceRecord& record);
  void parse_line(std::string_view line, TraceOperation& operation);
  bool next_line(std::string_view& line);
  [[noreturn]] void fail_at(std::uint64_t offset, const std::string& reason) const;
  [[noreturn]] void fail_in_line(const std::string& reason) const;

  std::string name_;
  std::ifstream stream_;
  bool binary_ = false;
  TraceContents contents_ = TraceContents::accesses;
  std::vector<std::string> names_;
  std::uint64_t count_ = 0;
  std::uint64_t first_ = 0;     // binary: offset of the first record
  std::uint64_t position_ = 0;  // index of the next record
  std::uint64_t buffer_ = 0;    // binary: index of the first one read last; CSV: its line
  Picoseconds last_ = 0;        // time of the operation before
  std::vector<unsigned char> bytes_;
  std::unique_ptr<CsvLines> csv_;
  bool csv_ended_ = false;
};

/// Writes a trace file. It is complete only after finish(); until then readers refuse it.
class TraceWriter {
 public:
  /// The form follows the name: CSV for ".csv", binary for anything else. The file will hold accesses.
  /// @throws TraceError if the file cannot be created
  explicit TraceWriter(const std::filesystem::path& file) : TraceWriter(file, TraceContents::accesses, {}) {}
  /// The file will hold operations.
  /// @param names  of all operations it may hold: lower case letters, digits and _
  TraceWriter(const std::filesystem::path& file, std::vector<std::string> names)
      : TraceWriter(file, TraceContents::operations, std::move(names)) {}

  /// @throws TraceError if the disk is full, or for a record no trace can hold
  void write(const TraceRecord& record);
  void write(const TraceOperation& operation);
  /// @throws TraceError if the disk is full
  void finish();

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  TraceWriter(const std::filesystem::path& file, TraceContents contents, std::vector<std::string> names);
  void check(const std::string& problem) const;
  void written();
  void flush();

  std::string name_;
  std::ofstream stream_;
  bool binary_;
  std::vector<std::string> names_;
  std::uint64_t count_ = 0;
  Picoseconds last_ = 0;
  std::string bytes_;
};

}  // namespace pmufab::traffic
