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

/// Files of recorded memory accesses, or of operations at recorded times. docs/traffic.md describes both forms of both
/// byte by byte.
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

/// One operation of an agent at a recorded time.
struct TraceOperation {
  Picoseconds when = 0;         ///< after the start of traffic; not before that of the previous operation
  std::uint64_t address = 0;    ///< host physical
  std::uint16_t device = 0;     ///< of the platform
  std::uint16_t operation = 0;  ///< index into the file's names
  bool tee = false;             ///< for trusted execution
  /// The operation begins immediately after the previous one, which has the same time: the effects of the previous one
  /// at this instant come after both. Exact replay needs this.
  bool joined = false;

  friend bool operator==(const TraceOperation&, const TraceOperation&) = default;
};

/// The contents of a file: version 1 or version 2 of the format.
enum class TraceContents : std::uint8_t { accesses, operations };

/// A trace file that cannot be read or is damaged. what() names the file and the place.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A trace file that cannot be written.
class TraceWriteError : public TraceError {
 public:
  using TraceError::TraceError;
};

/// Reads a trace file of either form from front to back, a buffer at a time.
class TraceReader {
 public:
  /// @param expected  required contents, if any
  /// @throws TraceError if the file cannot be read, is no trace, has other contents, or its length does not fit its
  ///         header
  explicit TraceReader(const std::filesystem::path& file, std::optional<TraceContents> expected = {});
  ~TraceReader();

  [[nodiscard]] TraceContents contents() const noexcept { return contents_; }

  /// Read the next records of a file with these contents. @return the number read; 0 only at the end
  /// @throws TraceError at damage, with its byte offset (binary) or line number (CSV)
  std::size_t read(std::span<TraceRecord> records);
  std::size_t read(std::span<TraceOperation> operations);
  /// @return the names of operations that TraceOperation::operation indexes. For CSV, those found so far.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// @return the place of the operation with this index in the last buffer: "FILE: line 7".
  [[nodiscard]] std::string place(std::size_t index) const;
  /// Start again at the first record.
  void rewind();

  /// @return the number of records if the header has it (binary), otherwise 0.
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
  std::uint64_t buffer_ = 0;    // index of the first record read last (binary), or its line (CSV)
  Picoseconds last_ = 0;        // time of the previous operation
  std::vector<unsigned char> bytes_;
  std::unique_ptr<CsvLines> csv_;
  bool csv_ended_ = false;
};

/// Writes a trace file. It is complete only after finish(); before that readers refuse it.
class TraceWriter {
 public:
  /// Create a file of accesses. The name selects the form: CSV for ".csv", binary for anything else.
  /// @throws TraceWriteError if the file cannot be created
  explicit TraceWriter(const std::filesystem::path& file) : TraceWriter(file, TraceContents::accesses, {}) {}
  /// Create a file of operations.
  /// @param names  of all operations it may hold: lower case letters, digits and _
  TraceWriter(const std::filesystem::path& file, std::vector<std::string> names)
      : TraceWriter(file, TraceContents::operations, std::move(names)) {}

  /// @throws TraceWriteError if the disk is full; TraceError for an impossible record
  void write(const TraceRecord& record);
  void write(const TraceOperation& operation);
  /// @throws TraceWriteError if the disk is full
  void finish();

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  TraceWriter(const std::filesystem::path& file, TraceContents contents, std::vector<std::string> names);
  void check(const std::string& problem) const;
  void check_written() const;
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
