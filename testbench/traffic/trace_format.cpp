// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/trace_format.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "testbench/traffic/line_reader.h"

namespace pmufab::traffic {
namespace {

// Binary form: a header of 32 bytes, names if it holds operations, then records. Everything is little endian.
constexpr std::array<unsigned char, 8> kMagic = {'P', 'M', 'U', 'T', 'R', 'A', 'C', 'E'};
constexpr std::uint32_t kVersions = 2;  // 1: accesses, 2: operations
constexpr std::size_t kHeaderBytes = 32;
constexpr std::array<std::uint32_t, kVersions> kRecordBytes = {16, 24};  // by TraceContents
constexpr std::uint64_t kMostNameBytes = 65536;
constexpr std::size_t kMostNames = 1024;
constexpr unsigned char kTee = 1;  // flags of an operation
constexpr unsigned char kJoined = 2;
constexpr std::uint64_t kUnfinished = ~std::uint64_t{0};
constexpr std::size_t kRecordsPerRefill = 4096;
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr std::array<std::string_view, kVersions> kCsvHeaders = {"kind,address,size",
                                                                 "time,device,operation,address,flags"};
constexpr std::string_view kShortHeader = "time,device,operation,address";  // flags are optional
constexpr std::string_view kCsvEnd = "end";
constexpr std::array<std::string_view, 4> kAccessKinds = {"fetch", "load", "store", "modify"};

template <typename Integer>
void put(unsigned char* bytes, Integer value) noexcept {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
}

template <typename Integer>
Integer get(const unsigned char* bytes) noexcept {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    value = static_cast<Integer>(value | static_cast<Integer>(bytes[i]) << (8 * i));
  return value;
}

std::string reason_of_errno() { return std::generic_category().message(errno); }

/// @return why `record` is impossible, or an empty string.
std::string problem_of(const TraceRecord& record) {
  if (record.size < 1 || record.size > kMaximumAccess) {
    return fmt::format("size {} is not within 1 ... {}", record.size, kMaximumAccess);
  }
  if (record.address + (record.size - 1) < record.address) {
    return fmt::format("{} bytes at 0x{:x} run past the end of the address space", record.size, record.address);
  }
  return {};
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// @param last  time of the previous operation
std::string problem_of(const TraceOperation& operation, Picoseconds last) {
  if (operation.when < last)
    return fmt::format("{} ps is before the operation in front of it, at {} ps", operation.when, last);
  if (operation.joined && operation.when != last)
    return fmt::format("joins the operation in front of it, but has another time: {} ps, not {} ps", operation.when,
                       last);
  return {};
}

constexpr std::size_t index_of(TraceContents contents) noexcept { return static_cast<std::size_t>(contents); }

std::string_view held(TraceContents contents) noexcept {
  return contents == TraceContents::accesses ? "memory accesses" : "operations at recorded times";
}

/// @return the value of `text` in `base`, if all of it is a number.
template <typename Integer>
bool parse(std::string_view text, Integer& value, int base) noexcept {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

std::string_view to_string(AccessKind kind) noexcept {
  return kAccessKinds[static_cast<std::size_t>(kind) % kAccessKinds.size()];
}

class TraceReader::CsvLines : public LineReader {
 public:
  using LineReader::LineReader;
};

TraceReader::TraceReader(const std::filesystem::path& file, std::optional<TraceContents> expected)
    : name_(file.string()) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))
    throw TraceError(name_ + ": is not a regular file");
  errno = 0;
  stream_.open(file, std::ios::binary);
  if (!stream_) throw TraceError(fmt::format("{}: cannot be read: {}", name_, reason_of_errno()));
  read_header();
  if (expected && *expected != contents_)
    throw TraceError(fmt::format("{}: holds {}, not {}", name_, held(contents_), held(*expected)));
}

TraceReader::~TraceReader() = default;

void TraceReader::fail_at(std::uint64_t offset, const std::string& reason) const {
  throw TraceError(fmt::format("{}: byte {}: {}", name_, offset, reason));
}

void TraceReader::fail_in_line(const std::string& reason) const {
  throw TraceError(fmt::format("{}: line {}: {}", name_, csv_->number(), reason));
}

void TraceReader::read_header() {
  std::array<unsigned char, kHeaderBytes> header{};
  stream_.read(reinterpret_cast<char*>(header.data()), kHeaderBytes);
  const auto got = static_cast<std::size_t>(stream_.gcount());
  const std::size_t magic_bytes = std::min(got, kMagic.size());
  binary_ =
      got != 0 && std::equal(kMagic.begin(), kMagic.begin() + static_cast<std::ptrdiff_t>(magic_bytes), header.begin());
  if (!binary_) {
    const std::string_view text(reinterpret_cast<const char*>(header.data()), got);
    if (text.starts_with(kShortHeader)) {
      contents_ = TraceContents::operations;
    } else if (!text.starts_with(kCsvHeaders[0])) {
      fail_at(0, got == 0 ? "the file is empty"
                          : fmt::format(R"(neither a .pmutrace file ("PMUTRACE") nor its CSV form ("{}" or "{}"))",
                                        kCsvHeaders[0], kShortHeader));
    }
    rewind();
    return;
  }
  if (got < kHeaderBytes) fail_at(got, fmt::format("the header ends after {} of {} bytes", got, kHeaderBytes));
  const auto version = get<std::uint32_t>(&header[8]);
  if (version < 1 || version > kVersions)
    fail_at(8, fmt::format("format version {}, this program reads 1 ... {}", version, kVersions));
  contents_ = static_cast<TraceContents>(version - 1);
  const std::uint32_t record_size = kRecordBytes[index_of(contents_)];
  const auto record_bytes = get<std::uint32_t>(&header[12]);
  if (record_bytes != record_size) fail_at(12, fmt::format("records of {} bytes, not {}", record_bytes, record_size));
  count_ = get<std::uint64_t>(&header[16]);
  if (count_ == kUnfinished) fail_at(16, "the trace was never finished: its writer stopped half-way");
  const auto name_bytes = get<std::uint64_t>(&header[24]);
  if (contents_ == TraceContents::accesses && name_bytes != 0) fail_at(24, "reserved bytes are not zero");
  first_ = kHeaderBytes;
  if (contents_ == TraceContents::operations) read_names(name_bytes);

  stream_.clear();
  stream_.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(stream_.tellg());
  const std::uint64_t held_records = (size - first_) / record_size;
  const bool whole = (size - first_) % record_size == 0;
  if (held_records < count_) {
    fail_at(size, fmt::format("the file ends in record {} of {}: it is truncated", held_records, count_));
  }
  if (held_records > count_ || !whole) {
    fail_at(first_ + count_ * record_size, fmt::format("there is more after the {} records", count_));
  }
  bytes_.resize(kRecordsPerRefill * record_size);
  rewind();
}

void TraceReader::read_names(std::uint64_t bytes) {
  if (bytes == 0 || bytes > kMostNameBytes)
    fail_at(24, fmt::format("names of {} bytes, not 1 ... {}", bytes, kMostNameBytes));
  std::string text(bytes, '\0');
  stream_.read(text.data(), static_cast<std::streamsize>(bytes));
  const auto got = static_cast<std::uint64_t>(stream_.gcount());
  if (got != bytes) fail_at(kHeaderBytes + got, "the file ends in the names of operations: it is truncated");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string name = text.substr(begin, end == std::string::npos ? end : end - begin);
    if (end == std::string::npos || !is_name(name))
      fail_at(kHeaderBytes + begin, "this is not the name of an operation");
    names_.push_back(name);
    begin = end + 1;
  }
  if (names_.size() > kMostNames) fail_at(24, fmt::format("{} names; {} at most", names_.size(), kMostNames));
  first_ += bytes;
}

void TraceReader::rewind() {
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(first_));
  position_ = 0;
  last_ = 0;
  if (binary_) return;
  csv_ended_ = false;
  csv_ = std::make_unique<CsvLines>(stream_);
  std::string_view line;
  const auto result = csv_->next(line);
  if (result == LineReader::Result::line && line.ends_with('\r')) {
    throw TraceError(name_ + ": line 1: ends with a carriage return; lines end with a line feed alone");
  }
  const bool is_short = contents_ == TraceContents::operations && line == kShortHeader;
  const std::string_view header = kCsvHeaders[index_of(contents_)];
  if (result != LineReader::Result::line || (line != header && !is_short)) {
    throw TraceError(fmt::format("{}: line 1: the header must read \"{}\"", name_, header));
  }
}

std::string TraceReader::place(std::size_t index) const {
  if (!binary_) return fmt::format("{}: line {}", name_, buffer_ + index);
  return fmt::format("{}: byte {}", name_, first_ + (buffer_ + index) * kRecordBytes[index_of(contents_)]);
}

std::size_t TraceReader::read(std::span<TraceRecord> records) {
  return contents_ == TraceContents::accesses ? read_records(records) : 0;
}

std::size_t TraceReader::read(std::span<TraceOperation> operations) {
  return contents_ == TraceContents::operations ? read_records(operations) : 0;
}

template <typename Record>
std::size_t TraceReader::read_records(std::span<Record> records) {
  if (!binary_) {
    buffer_ = csv_->number() + 1;
    std::size_t count = 0;
    std::string_view line;
    for (; count < records.size() && next_line(line); ++count) {
      parse_line(line, records[count]);
      ++position_;
    }
    return count;
  }
  buffer_ = position_;
  const std::uint64_t record_size = kRecordBytes[index_of(contents_)];
  const std::uint64_t left = std::min<std::uint64_t>(count_ - position_, kRecordsPerRefill);
  const std::size_t wanted = std::min(records.size(), static_cast<std::size_t>(left));
  stream_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(wanted * record_size));
  const std::uint64_t first = first_ + position_ * record_size;
  const auto got = static_cast<std::size_t>(stream_.gcount());
  if (got != wanted * record_size) fail_at(first + got, "the file ends here, but it was longer when it was opened");
  for (std::size_t i = 0; i < wanted; ++i) {
    parse_binary(&bytes_[i * record_size], first + i * record_size, records[i]);
    ++position_;
  }
  return wanted;
}

void TraceReader::parse_binary(const unsigned char* bytes, std::uint64_t offset, TraceRecord& record) {
  if (bytes[12] >= kAccessKinds.size()) fail_at(offset + 12, fmt::format("there is no access kind {}", bytes[12]));
  if (bytes[13] != 0 || bytes[14] != 0 || bytes[15] != 0) fail_at(offset + 13, "reserved bytes are not zero");
  record = {get<std::uint64_t>(bytes), get<std::uint32_t>(bytes + 8), static_cast<AccessKind>(bytes[12])};
  if (const std::string problem = problem_of(record); !problem.empty()) fail_at(offset, problem);
}

void TraceReader::parse_binary(const unsigned char* bytes, std::uint64_t offset, TraceOperation& operation) {
  const unsigned char flags = bytes[20];
  if ((flags & ~(kTee | kJoined)) != 0) fail_at(offset + 20, fmt::format("there are no flags {:#x}", flags));
  if (bytes[21] != 0 || bytes[22] != 0 || bytes[23] != 0) fail_at(offset + 21, "reserved bytes are not zero");
  operation = {.when = get<std::uint64_t>(bytes),
               .address = get<std::uint64_t>(bytes + 8),
               .device = get<std::uint16_t>(bytes + 16),
               .operation = get<std::uint16_t>(bytes + 18),
               .tee = (flags & kTee) != 0,
               .joined = (flags & kJoined) != 0};
  if (operation.operation >= names_.size())
    fail_at(offset + 18, fmt::format("operation {} of {} names", operation.operation, names_.size()));
  if (const std::string problem = problem_of(operation, last_); !problem.empty()) fail_at(offset, problem);
  last_ = operation.when;
}

/// @return false after the last record
bool TraceReader::next_line(std::string_view& line) {
  if (csv_ended_) return false;
  const auto result = csv_->next(line);
  if (result == LineReader::Result::end)
    fail_in_line("nothing follows, not even the last line, \"end\": it is truncated");
  if (result == LineReader::Result::too_long) fail_in_line("far too long for a record");
  if (result == LineReader::Result::unterminated) fail_in_line("the file ends within the line: it is truncated");
  if (line != kCsvEnd) return true;
  if (csv_->next(line) != LineReader::Result::end) fail_in_line("there is more after \"end\"");
  csv_ended_ = true;
  return false;
}

void TraceReader::parse_line(std::string_view line, TraceRecord& record) {
  const std::size_t first = line.find(',');
  const std::size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
  if (second == std::string_view::npos) fail_in_line(fmt::format("expected \"{}\"", kCsvHeaders[0]));
  const auto kind = std::find(kAccessKinds.begin(), kAccessKinds.end(), line.substr(0, first));
  if (kind == kAccessKinds.end()) fail_in_line("the kind is not fetch, load, store or modify");
  record.kind = static_cast<AccessKind>(kind - kAccessKinds.begin());
  const std::string_view address = line.substr(first + 1, second - first - 1);
  if (!address.starts_with("0x") || !parse(address.substr(2), record.address, 16))
    fail_in_line("the address is not a hexadecimal number of up to 64 bits, as in 0x7fe0");
  if (!parse(line.substr(second + 1), record.size, 10)) fail_in_line("the size is not a decimal number");
  if (const std::string problem = problem_of(record); !problem.empty()) fail_in_line(problem);
}

void TraceReader::parse_line(std::string_view line, TraceOperation& operation) {
  operation = {};
  std::array<std::string_view, 5> fields;
  std::size_t count = 0;
  for (std::string_view rest = line; count < fields.size(); ++count) {
    const std::size_t comma = rest.find(',');
    fields[count] = rest.substr(0, comma);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (++count < 4 || count > fields.size()) fail_in_line(fmt::format("expected \"{}\"", kCsvHeaders[1]));
  if (!parse(fields[0], operation.when, 10)) fail_in_line("the time is not a decimal number of picoseconds");
  if (!parse(fields[1], operation.device, 10)) fail_in_line("the device is not a decimal number up to 65535");
  if (!is_name(fields[2])) fail_in_line("there is no name of an operation");
  auto name = std::find(names_.begin(), names_.end(), fields[2]);
  if (name == names_.end()) {
    if (names_.size() == kMostNames) fail_in_line(fmt::format("more than {} operations have names", kMostNames));
    name = names_.emplace(names_.end(), fields[2]);
  }
  operation.operation = static_cast<std::uint16_t>(name - names_.begin());
  if (!fields[3].starts_with("0x") || !parse(fields[3].substr(2), operation.address, 16))
    fail_in_line("the address is not a hexadecimal number of up to 64 bits, as in 0x7fe0");
  for (std::string_view flags = fields[4]; !flags.empty();) {
    const std::size_t plus = flags.find('+');
    const std::string_view flag = flags.substr(0, plus);
    if (flag != "tee" && flag != "joined") fail_in_line("the flags are not tee, joined or tee+joined");
    (flag == "tee" ? operation.tee : operation.joined) = true;
    flags.remove_prefix(plus == std::string_view::npos ? flags.size() : plus + 1);
  }
  if (const std::string problem = problem_of(operation, last_); !problem.empty()) fail_in_line(problem);
  last_ = operation.when;
}

TraceWriter::TraceWriter(const std::filesystem::path& file, TraceContents contents, std::vector<std::string> names)
    : name_(file.string()), binary_(file.extension() != ".csv"), names_(std::move(names)) {
  errno = 0;
  stream_.open(file, std::ios::binary | std::ios::trunc);
  check_written();
  if (!binary_) {
    bytes_ = std::string(kCsvHeaders[index_of(contents)]) + '\n';
    return;
  }
  std::string text;
  for (const std::string& name : names_) text.append(name).push_back('\n');
  std::array<unsigned char, kHeaderBytes> header{};
  std::copy(kMagic.begin(), kMagic.end(), header.begin());
  put(&header[8], static_cast<std::uint32_t>(index_of(contents) + 1));
  put(&header[12], kRecordBytes[index_of(contents)]);
  put<std::uint64_t>(&header[16], kUnfinished);
  put<std::uint64_t>(&header[24], text.size());
  bytes_.append(reinterpret_cast<const char*>(header.data()), kHeaderBytes).append(text);
}

void TraceWriter::check(const std::string& problem) const {
  if (!problem.empty()) throw TraceError(fmt::format("{}: record {}: {}", name_, count_, problem));
}

void TraceWriter::write(const TraceRecord& record) {
  check(problem_of(record));
  if (binary_) {
    std::array<unsigned char, 16> bytes{};
    put(&bytes[0], record.address);
    put(&bytes[8], record.size);
    bytes[12] = static_cast<unsigned char>(record.kind);
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else {
    fmt::format_to(std::back_inserter(bytes_), "{},0x{:x},{}\n", to_string(record.kind), record.address, record.size);
  }
  written();
}

void TraceWriter::write(const TraceOperation& operation) {
  check(operation.operation < names_.size() ? problem_of(operation, last_) : "its operation has no name");
  last_ = operation.when;
  if (binary_) {
    std::array<unsigned char, 24> bytes{};
    put(&bytes[0], operation.when);
    put(&bytes[8], operation.address);
    put(&bytes[16], operation.device);
    put(&bytes[18], operation.operation);
    bytes[20] = static_cast<unsigned char>((operation.tee ? kTee : 0) | (operation.joined ? kJoined : 0));
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else {
    const std::string_view flags = operation.tee      ? operation.joined ? "tee+joined" : "tee"
                                   : operation.joined ? "joined"
                                                      : "";
    fmt::format_to(std::back_inserter(bytes_), "{},{},{},0x{:x},{}\n", operation.when, operation.device,
                   names_[operation.operation], operation.address, flags);
  }
  written();
}

void TraceWriter::written() {
  ++count_;
  if (bytes_.size() >= kFlushBytes) flush();
}

void TraceWriter::check_written() const {
  if (!stream_) throw TraceWriteError(fmt::format("{}: cannot be written: {}", name_, reason_of_errno()));
}

void TraceWriter::flush() {
  errno = 0;
  stream_.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  bytes_.clear();
  check_written();
}

void TraceWriter::finish() {
  if (!binary_) bytes_.append(kCsvEnd).push_back('\n');
  flush();
  if (binary_) {
    std::array<unsigned char, 8> count{};
    put(&count[0], count_);
    errno = 0;
    stream_.seekp(16);  // writes what is left
    stream_.write(reinterpret_cast<const char*>(count.data()), count.size());
    check_written();
  }
  errno = 0;
  stream_.close();
  check_written();
}

}  // namespace pmufab::traffic
