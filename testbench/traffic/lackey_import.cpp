// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/lackey_import.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "testbench/traffic/line_reader.h"

namespace pmufab::traffic {
namespace {

constexpr std::uint64_t kLinesPerProgress = 65536;
constexpr std::size_t kShownText = 40;

/// @return true if `line` is one of valgrind's own, "==123== ...", "--123-- ..." or "**123** ...".
bool is_valgrind_line(std::string_view line) noexcept {
  if (line.size() < 5) return false;
  const std::string_view mark = line.substr(0, 2);
  if (mark != "==" && mark != "--" && mark != "**") return false;
  std::size_t i = 2;
  while (i < line.size() && line[i] >= '0' && line[i] <= '9') ++i;
  return i > 2 && line.substr(i, 2) == mark;
}

/// Parse "I 04222d4c,3", " L 1fff000708,8" and similar lines.
bool parse_access(std::string_view line, TraceRecord& record) noexcept {
  if (line.size() < 6) return false;
  const std::string_view mark = line.substr(0, 3);
  if (mark == "I  ") {
    record.kind = AccessKind::fetch;
  } else if (mark == " L ") {
    record.kind = AccessKind::load;
  } else if (mark == " S ") {
    record.kind = AccessKind::store;
  } else if (mark == " M ") {
    record.kind = AccessKind::modify;
  } else {
    return false;
  }
  const char* const end = line.data() + line.size();
  const auto address = std::from_chars(line.data() + 3, end, record.address, 16);
  if (address.ec != std::errc() || address.ptr == end || *address.ptr != ',') return false;
  const auto size = std::from_chars(address.ptr + 1, end, record.size, 10);
  return size.ec == std::errc() && size.ptr == end && record.size >= 1 && record.size <= kMaximumAccess &&
         record.address + (record.size - 1) >= record.address;
}

/// @return `line` shortened and made printable, for a message.
std::string shown(std::string_view line) {
  std::string text;
  for (const char character : line.substr(0, kShownText))
    text += character >= ' ' && character <= '~' ? character : '?';
  return line.size() > kShownText ? text + "..." : text;
}

struct Input {
  std::istream& stream;
  const std::string& name;
  std::uint64_t size;  // bytes; 0: unknown
};

ImportStatistics import_from(const Input& input, TraceWriter& out, const ImportOptions& options) {
  ImportStatistics statistics;
  LineReader lines(input.stream);
  std::string_view line;
  TraceRecord record;
  const auto fail = [&](const std::string& reason) {
    throw TraceError(fmt::format("{}: line {}: {}", input.name, lines.number(), reason));
  };
  while (options.limit == 0 || statistics.records < options.limit) {
    const LineReader::Result result = lines.next(line);
    if (result == LineReader::Result::end) break;
    if (result == LineReader::Result::unterminated) fail("the file ends within the line: it is truncated");
    if (result == LineReader::Result::too_long) fail("far too long for an access");
    ++statistics.lines;
    if (statistics.lines % kLinesPerProgress == 0 && options.progress && input.size != 0)
      options.progress(std::min(1.0, static_cast<double>(lines.bytes()) / static_cast<double>(input.size)));
    if (!parse_access(line, record)) {
      if (!is_valgrind_line(line)) {
        fail(
            fmt::format("\"{}\" is neither an access nor a line of valgrind; is this the --log-file of "
                        "valgrind --tool=lackey --trace-mem=yes?",
                        shown(line)));
      }
      if (line.find("== Exit code:") != std::string_view::npos) statistics.complete = true;
      continue;
    }
    switch (record.kind) {
      case AccessKind::fetch:
        ++statistics.fetches;
        if (!options.keep_instructions) continue;
        break;
      case AccessKind::load:
        ++statistics.loads;
        statistics.data_bytes += record.size;
        break;
      case AccessKind::store:
        ++statistics.stores;
        statistics.data_bytes += record.size;
        break;
      case AccessKind::modify:
        ++statistics.modifies;
        statistics.data_bytes += 2 * record.size;
        break;
    }
    out.write(record);
    ++statistics.records;
  }
  if (statistics.lines == 0) throw TraceError(input.name + ": the file is empty");
  if (options.progress) options.progress(1.0);
  return statistics;
}

}  // namespace

ImportStatistics import_lackey(std::istream& in, const std::string& name, TraceWriter& out,
                               const ImportOptions& options) {
  return import_from({in, name, 0}, out, options);
}

ImportStatistics import_lackey(const std::filesystem::path& in, const std::filesystem::path& out,
                               const ImportOptions& options) {
  const std::string name = in.string();
  std::error_code error;
  if (std::filesystem::is_directory(in, error)) throw TraceError(name + ": is a directory");
  errno = 0;
  std::ifstream stream(in, std::ios::binary);
  if (!stream) {
    throw TraceError(fmt::format("{}: cannot be read: {}", name, std::generic_category().message(errno)));
  }
  if (std::filesystem::equivalent(in, out, error)) throw TraceError(name + ": is the output too");
  const std::uint64_t size = std::filesystem::file_size(in, error);
  TraceWriter writer(out);
  try {
    const ImportStatistics statistics = import_from({stream, name, error ? 0 : size}, writer, options);
    writer.finish();
    return statistics;
  } catch (...) {
    std::filesystem::remove(out, error);
    throw;
  }
}

}  // namespace pmufab::traffic
