// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/producers/trace_producer.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace pmufab::traffic {
namespace {

constexpr std::size_t kRecordsPerRead = 1024;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::vector<Window> windows_of(const TraceSpec& trace, const std::vector<MemoryRange>& map) {
  std::vector<Window> windows;
  for (const Target& target : trace.placement) windows.push_back(*resolve(target, map));
  return windows;
}

/// @return the number of lines that `bytes` from `address` touch; bytes is not 0.
std::uint64_t lines_touched(std::uint64_t address, std::uint64_t bytes) noexcept {
  return (address + (bytes - 1)) / kLineBytes - address / kLineBytes + 1;
}

}  // namespace

TraceProducer::TraceProducer(const GeneratorSpec& spec, const std::string& field, const std::vector<MemoryRange>& map,
                             std::uint64_t table, std::uint64_t tables)
    : Producer({spec.requester}),
      trace_(*spec.trace),
      direct_(spec.path == Path::direct),
      load_opcode_(!direct_ || spec.requester.kind == RequesterKind::cpu ? FabricOpcode::read_shared
                                                                         : FabricOpcode::read_once),
      full_line_loads_(direct_ && load_opcode_ == FabricOpcode::read_shared),
      outstanding_(spec.outstanding),
      reader_(trace_.file, TraceContents::accesses),
      pages_(trace_, windows_of(trace_, map), table, tables),
      records_(kRecordsPerRead),
      accesses_left_(trace_.limit == 0 ? kNoLimit : trace_.limit),
      when_(spec.start) {
  survey(field);
}

void TraceProducer::survey(const std::string& field) {
  std::uint64_t accesses = 0;  // in one pass
  std::uint64_t requests = 0;
  std::uint64_t requests_to_limit = 0;  // in the pass that reaches the limit
  const std::uint64_t limit = accesses_left_;
  // Read to the end even if a limit makes that unnecessary: damage anywhere in the file must be reported.
  while ((filled_ = reader_.read(records_)) != 0) {
    for (std::size_t i = 0; i < filled_; ++i) {
      const TraceRecord& record = records_[i];
      if (record.kind == AccessKind::fetch && !trace_.keep_instructions) continue;
      if (accesses < limit) {
        const std::uint64_t last = record.address + (record.size - 1);
        // Pages are touched in the order of the addresses of an access.
        for (std::uint64_t page = record.address / trace_.page_size; page <= last / trace_.page_size; ++page) {
          if (pages_.touch(page * trace_.page_size)) continue;
          throw SpecError(field + ".trace.placement",
                          fmt::format("the trace touches more than the {} pages that fit", pages_.pages()),
                          "give it more memory, or larger pages if they are sparse");
        }
      }
      const std::uint64_t lines = lines_touched(record.address, record.size);
      for (unsigned half = 0; half < (record.kind == AccessKind::modify ? 2 : 1); ++half) {
        ++accesses;
        requests += lines;
        if (accesses == limit) requests_to_limit = requests;
      }
    }
  }
  if (accesses == 0) {
    throw SpecError(field + ".trace.file", fmt::format("\"{}\" holds no loads and no stores", trace_.file),
                    trace_.keep_instructions ? "" : "set keep_instructions to replay instruction fetches");
  }
  if (limit != kNoLimit && limit / accesses < trace_.repeat) {
    // The limit ends the replay in pass limit / accesses. Count the part of that pass.
    const std::uint64_t rest = limit % accesses;
    expected_ = limit / accesses * requests;
    if (rest != 0) expected_ += limit <= accesses ? requests_to_limit : rest * requests / accesses;
  } else {
    expected_ = requests * trace_.repeat;
  }
  passes_left_ = trace_.repeat - 1;
  position_ = 0;
  filled_ = 0;
  reader_.rewind();
}

bool TraceProducer::next_record() {
  while (position_ == filled_) {
    position_ = 0;
    filled_ = reader_.read(records_);
    if (filled_ != 0) break;
    if (passes_left_ == 0) return false;
    --passes_left_;
    reader_.rewind();
  }
  return true;
}

bool TraceProducer::next_access() {
  if (accesses_left_ == 0) return false;
  if (store_follows_) {
    store_follows_ = false;
    const TraceRecord& record = records_[position_ - 1];
    access_ = {record.address, record.size, true};
  } else {
    do {
      if (!next_record()) return false;
      ++position_;
    } while (records_[position_ - 1].kind == AccessKind::fetch && !trace_.keep_instructions);
    const TraceRecord& record = records_[position_ - 1];
    access_ = {record.address, record.size, record.kind == AccessKind::store};
    store_follows_ = record.kind == AccessKind::modify;
  }
  if (accesses_left_ != kNoLimit) --accesses_left_;
  if (!first_) when_ += trace_.gap;
  first_ = false;
  return true;
}

std::size_t TraceProducer::fill(std::span<Request> requests) {
  std::size_t count = 0;
  for (; count < requests.size(); ++count) {
    if (access_.left == 0 && !next_access()) break;
    const auto in_line = static_cast<std::uint32_t>(kLineBytes - access_.address % kLineBytes);
    const std::uint32_t length = std::min(access_.left, in_line);
    Request& request = requests[count];
    request.when = when_;
    request.address = pages_.translate(access_.address);
    request.length = static_cast<std::uint16_t>(length);
    request.requester = 0;
    if (access_.store) {
      const bool full = direct_ && length == kLineBytes;
      request.opcode = full ? FabricOpcode::write_unique_full : FabricOpcode::write_unique_ptl;
    } else {
      request.opcode = load_opcode_;
      if (full_line_loads_) {
        request.address &= ~(kLineBytes - 1);
        request.length = kLineBytes;
      }
    }
    access_.address += length;
    access_.left -= length;
  }
  return count;
}

}  // namespace pmufab::traffic
