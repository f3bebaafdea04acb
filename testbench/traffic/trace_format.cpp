#include "testbench/traffic/trace_format.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "testbench/traffic/line_reader.h"

namespace pmufab::traffic {
namespace {

// Binary form: a header of 32 bytes, then records of 16. Everything little endian.
constexpr std::array<unsigned char, 8> kMagic = {'P', 'M', 'U', 'T', 'R', 'A', 'C', 'E'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kRecordBytes = 16;
constexpr std::uint64_t kUnfinished = ~std::uint64_t{0};
constexpr std::size_t kRecordsPerRead = 4096;
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr std::string_view kCsvHeader = "kind,address,size";
constexpr std::string_view kCsvEnd = "end";
constexpr std::array<std::string_view, 4> kKinds = {"fetch", "load", "store", "modify"};

template <typename Integer>
void put(unsigned char* bytes, Integer value) noexcept {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
}

template <typename Integer>
Integer get(const unsigned char* bytes) noexcept {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) value |= static_cast<Integer>(bytes[i]) << (8 * i);
  return value;
}

std::string reason_of_errno() { return std::generic_category().message(errno); }

/// @return why `record` cannot be, or an empty string.
std::string problem_of(const TraceRecord& record) {
  if (record.size < 1 || record.size > kMaximumAccess) {
    return fmt::format("size {} is not within 1 ... {}", record.size, kMaximumAccess);
  }
  if (record.address + (record.size - 1) < record.address) {
    return fmt::format("{} bytes at 0x{:x} run past the end of the address space", record.size, record.address);
  }
  return {};
}

/// @return the value `text` spells, all of it, in `base`.
template <typename Integer>
bool parse(std::string_view text, Integer& value, int base) noexcept {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

std::string_view to_string(AccessKind kind) noexcept { return kKinds[static_cast<std::size_t>(kind) % kKinds.size()]; }

class TraceReader::CsvLines : public LineReader {
 public:
  using LineReader::LineReader;
};

TraceReader::TraceReader(const std::filesystem::path& file) : name_(file.string()) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error)) {
    throw TraceError(name_ + ": is no regular file");
  }
  errno = 0;
  stream_.open(file, std::ios::binary);
  if (!stream_) throw TraceError(fmt::format("{}: cannot be read: {}", name_, reason_of_errno()));
  read_header();
}

TraceReader::~TraceReader() = default;

void TraceReader::fail_at(std::uint64_t offset, const std::string& reason) const {
  throw TraceError(fmt::format("{}: byte {}: {}", name_, offset, reason));
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
    if (!text.starts_with(kCsvHeader)) {
      fail_at(0, got == 0 ? "the file is empty"
                          : R"(neither a .pmutrace file ("PMUTRACE") nor its CSV form ("kind,address,size"))");
    }
    rewind();
    return;
  }
  if (got < kHeaderBytes) fail_at(got, fmt::format("the header ends after {} of {} bytes", got, kHeaderBytes));
  const auto version = get<std::uint32_t>(&header[8]);
  if (version != kVersion) fail_at(8, fmt::format("format version {}, this program reads {}", version, kVersion));
  const auto record_bytes = get<std::uint32_t>(&header[12]);
  if (record_bytes != kRecordBytes) fail_at(12, fmt::format("records of {} bytes, not {}", record_bytes, kRecordBytes));
  count_ = get<std::uint64_t>(&header[16]);
  if (count_ == kUnfinished) fail_at(16, "the trace was never finished: its writer stopped half-way");
  if (get<std::uint64_t>(&header[24]) != 0) fail_at(24, "reserved bytes are not zero");

  stream_.clear();
  stream_.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(stream_.tellg());
  const std::uint64_t held = (size - kHeaderBytes) / kRecordBytes;
  const bool whole = (size - kHeaderBytes) % kRecordBytes == 0;
  if (held < count_) {
    fail_at(size, fmt::format("the file ends in record {} of {}: it is truncated", held, count_));
  }
  if (held > count_ || !whole) {
    fail_at(kHeaderBytes + count_ * kRecordBytes, fmt::format("there is more after the {} records", count_));
  }
  bytes_.resize(kRecordsPerRead * kRecordBytes);
  rewind();
}

void TraceReader::rewind() {
  stream_.clear();
  stream_.seekg(binary_ ? static_cast<std::streamoff>(kHeaderBytes) : 0);
  position_ = 0;
  if (binary_) return;
  csv_ended_ = false;
  csv_ = std::make_unique<CsvLines>(stream_);
  std::string_view line;
  const auto result = csv_->next(line);
  if (result == LineReader::Result::line && line.ends_with('\r')) {
    throw TraceError(name_ + ": line 1: ends with a carriage return; lines end with a line feed alone");
  }
  if (result != LineReader::Result::line || line != kCsvHeader) {
    throw TraceError(fmt::format("{}: line 1: the header must read \"{}\"", name_, kCsvHeader));
  }
}

std::size_t TraceReader::read(std::span<TraceRecord> records) {
  return binary_ ? read_binary(records) : read_csv(records);
}

std::size_t TraceReader::read_binary(std::span<TraceRecord> records) {
  const std::uint64_t left = std::min<std::uint64_t>(count_ - position_, kRecordsPerRead);
  const std::size_t wanted = std::min(records.size(), static_cast<std::size_t>(left));
  stream_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(wanted * kRecordBytes));
  const std::uint64_t first = kHeaderBytes + position_ * kRecordBytes;
  const auto got = static_cast<std::size_t>(stream_.gcount());
  if (got != wanted * kRecordBytes) fail_at(first + got, "the file ends here, but it was longer when it was opened");
  for (std::size_t i = 0; i < wanted; ++i) {
    const unsigned char* const bytes = &bytes_[i * kRecordBytes];
    const std::uint64_t offset = first + i * kRecordBytes;
    if (bytes[12] >= kKinds.size()) fail_at(offset + 12, fmt::format("there is no access kind {}", bytes[12]));
    if (bytes[13] != 0 || bytes[14] != 0 || bytes[15] != 0) fail_at(offset + 13, "reserved bytes are not zero");
    records[i] = {get<std::uint64_t>(bytes), get<std::uint32_t>(bytes + 8), static_cast<AccessKind>(bytes[12])};
    if (const std::string problem = problem_of(records[i]); !problem.empty()) fail_at(offset, problem);
  }
  position_ += wanted;
  return wanted;
}

std::size_t TraceReader::read_csv(std::span<TraceRecord> records) {
  std::size_t count = 0;
  std::string_view line;
  for (; count < records.size(); ++count) {
    if (csv_ended_) break;
    const auto result = csv_->next(line);
    const auto fail = [&](const std::string& reason) {
      throw TraceError(fmt::format("{}: line {}: {}", name_, csv_->number(), reason));
    };
    if (result == LineReader::Result::end) fail("nothing follows, not even the last line, \"end\": it is truncated");
    if (result == LineReader::Result::too_long) fail("far too long for a record");
    if (result == LineReader::Result::unterminated) fail("the file ends within the line: it is truncated");
    if (line == kCsvEnd) {
      if (csv_->next(line) != LineReader::Result::end) fail("there is more after \"end\"");
      csv_ended_ = true;
      break;
    }
    const std::size_t first = line.find(',');
    const std::size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
    if (second == std::string_view::npos) fail(fmt::format("expected \"{}\"", kCsvHeader));
    const auto kind = std::find(kKinds.begin(), kKinds.end(), line.substr(0, first));
    if (kind == kKinds.end()) fail("the kind is not fetch, load, store or modify");
    TraceRecord& record = records[count];
    record.kind = static_cast<AccessKind>(kind - kKinds.begin());
    const std::string_view address = line.substr(first + 1, second - first - 1);
    if (!address.starts_with("0x") || !parse(address.substr(2), record.address, 16)) {
      fail("the address is no hexadecimal number of up to 64 bits, as in 0x7fe0");
    }
    if (!parse(line.substr(second + 1), record.size, 10)) fail("the size is no decimal number");
    if (const std::string problem = problem_of(record); !problem.empty()) fail(problem);
  }
  return count;
}

TraceWriter::TraceWriter(const std::filesystem::path& file)
    : name_(file.string()), binary_(file.extension() != ".csv") {
  errno = 0;
  stream_.open(file, std::ios::binary | std::ios::trunc);
  if (!stream_) throw TraceError(fmt::format("{}: cannot be written: {}", name_, reason_of_errno()));
  if (!binary_) {
    bytes_ = std::string(kCsvHeader) + '\n';
    return;
  }
  std::array<unsigned char, kHeaderBytes> header{};
  std::copy(kMagic.begin(), kMagic.end(), header.begin());
  put<std::uint32_t>(&header[8], kVersion);
  put<std::uint32_t>(&header[12], kRecordBytes);
  put<std::uint64_t>(&header[16], kUnfinished);
  bytes_.append(reinterpret_cast<const char*>(header.data()), kHeaderBytes);
}

void TraceWriter::write(const TraceRecord& record) {
  if (const std::string problem = problem_of(record); !problem.empty()) {
    throw TraceError(fmt::format("{}: record {}: {}", name_, count_, problem));
  }
  if (binary_) {
    std::array<unsigned char, kRecordBytes> bytes{};
    put(&bytes[0], record.address);
    put(&bytes[8], record.size);
    bytes[12] = static_cast<unsigned char>(record.kind);
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), kRecordBytes);
  } else {
    fmt::format_to(std::back_inserter(bytes_), "{},0x{:x},{}\n", to_string(record.kind), record.address, record.size);
  }
  ++count_;
  if (bytes_.size() >= kFlushBytes) flush();
}

void TraceWriter::flush() {
  errno = 0;
  stream_.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  bytes_.clear();
  if (!stream_) throw TraceError(fmt::format("{}: cannot be written: {}", name_, reason_of_errno()));
}

void TraceWriter::finish() {
  if (!binary_) bytes_.append(kCsvEnd).push_back('\n');
  flush();
  if (binary_) {
    std::array<unsigned char, 8> count{};
    put(&count[0], count_);
    stream_.seekp(16);
    stream_.write(reinterpret_cast<const char*>(count.data()), count.size());
  }
  errno = 0;
  stream_.close();
  if (!stream_) throw TraceError(fmt::format("{}: cannot be written: {}", name_, reason_of_errno()));
}

}  // namespace pmufab::traffic
