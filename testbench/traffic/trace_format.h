#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Files of recorded memory accesses. README.md describes both forms byte by byte.
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

/// A trace file that cannot be read or is damaged. what() names the file and the place.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a trace file of either form from front to back, a buffer at a time.
class TraceReader {
 public:
  /// @throws TraceError if the file cannot be read, is no trace, or its length does not fit what its header says
  explicit TraceReader(const std::filesystem::path& file);
  ~TraceReader();

  /// Read the next records. @return how many; 0 only at the end
  /// @throws TraceError at damage, with its byte offset (binary) or line number (CSV)
  std::size_t read(std::span<TraceRecord> records);
  /// Start again at the first record.
  void rewind();

  /// @return records in the file if the header says it (binary), otherwise 0.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  class CsvLines;

  void read_header();
  std::size_t read_binary(std::span<TraceRecord> records);
  std::size_t read_csv(std::span<TraceRecord> records);
  [[noreturn]] void fail_at(std::uint64_t offset, const std::string& reason) const;

  std::string name_;
  std::ifstream stream_;
  bool binary_ = false;
  std::uint64_t count_ = 0;
  std::uint64_t position_ = 0;  // binary: index of the next record
  std::vector<unsigned char> bytes_;
  std::unique_ptr<CsvLines> csv_;
  bool csv_ended_ = false;
};

/// Writes a trace file. It is complete only after finish(); until then readers refuse it.
class TraceWriter {
 public:
  /// The form follows the name: CSV for ".csv", binary for anything else.
  /// @throws TraceError if the file cannot be created
  explicit TraceWriter(const std::filesystem::path& file);

  /// @throws TraceError if the disk is full, or for a record no trace can hold
  void write(const TraceRecord& record);
  /// @throws TraceError if the disk is full
  void finish();

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  void flush();

  std::string name_;
  std::ofstream stream_;
  bool binary_;
  std::uint64_t count_ = 0;
  std::string bytes_;
};

}  // namespace pmufab::traffic
