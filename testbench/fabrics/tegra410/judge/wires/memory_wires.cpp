// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/wires/memory_wires.h"

#include <algorithm>

#include <fmt/format.h>

namespace pmufab::scoreboard {

std::size_t cmem_controller(const Tegra410JudgeSpec& spec, std::uint64_t address) noexcept {
  const std::uint64_t line = address / kLineBytes;
  const std::uint64_t instance = line % spec.cmem_instances;
  const std::uint64_t controller = line / spec.cmem_instances % spec.cmem_controllers;
  return instance * spec.cmem_controllers + controller;
}

MemoryWires::MemoryWires(const Tegra410JudgeSpec& spec, Findings& findings)
    : spec_(spec), findings_(findings), last_end_(spec.sockets) {
  for (auto& controllers : last_end_) controllers.resize(std::size_t{spec.cmem_instances} * spec.cmem_controllers);
}

MemoryWires::Key MemoryWires::key(unsigned socket, bool is_write, std::uint64_t address, std::uint32_t length) {
  // A whole line counts as the line, whatever address within it is on the wires.
  const std::uint64_t place = length == kLineBytes ? address / kLineBytes * kLineBytes : address;
  return {socket, is_write, place, length};
}

MemoryWires::Times MemoryWires::times_of(const MemoryOp& op, Picoseconds accepted) {
  const Picoseconds start = accepted + spec_.slc_latency;
  if (op.is_write) return {start, op.memory_class == MemoryClass::gmem ? start + spec_.gmem_latency : start, true};
  if (op.memory_class != MemoryClass::cmem) return {0, 0, false};
  std::optional<Picoseconds>& last = last_end_[op.socket][cmem_controller(spec_, op.address)];
  Picoseconds end = start + spec_.cmem_latency;
  if (last) end = std::max(end, *last + spec_.cmem_service * parts_of(op.length));
  last = end;
  return {start, end, true};
}

std::optional<MemoryWires::Times> MemoryWires::match(Waiting& others, Waiting& own, const Key& key, const Times& mine) {
  const auto found = others.lower_bound(key);
  if (found == others.end() || found->first != key) {
    own.emplace(key, mine);
    return std::nullopt;
  }
  const Times other = found->second;
  others.erase(found);
  return other;
}

void MemoryWires::expect(const MemoryOp& op, Picoseconds accepted) {
  const Key k = key(op.socket, op.is_write, op.address, op.length);
  const Times expected = times_of(op, accepted);
  if (const auto seen = match(seen_, expected_, k, expected)) compare(k, expected, *seen);
}

void MemoryWires::see(const BoundaryObserver::MemoryAccess& access) {
  const Key k = key(access.socket, access.is_write, access.address, access.length);
  const Times seen{access.start, access.end, true};
  if (const auto expected = match(expected_, seen_, k, seen)) compare(k, *expected, seen);
}

void MemoryWires::compare(const Key& k, const Times& expected, const Times& seen) {
  if (!expected.known || (expected.start == seen.start && expected.end == seen.end)) return;
  findings_.add(Finding::Severity::failure, "memory_access_time",
                fmt::format("{} of {} bytes at {:#x} of socket {}: on the wires from {} to {} ps, must be {} to {} ps",
                            std::get<1>(k) ? "write" : "read", std::get<3>(k), std::get<2>(k), std::get<0>(k),
                            seen.start, seen.end, expected.start, expected.end),
                seen.start);
}

void MemoryWires::finish() {
  const auto report = [&](const Waiting& left, const char* kind, const char* text) {
    for (const auto& [k, time] : left) {
      findings_.add(Finding::Severity::failure, kind,
                    fmt::format("{} of {} bytes at {:#x} of socket {} {}", std::get<1>(k) ? "write" : "read",
                                std::get<3>(k), std::get<2>(k), std::get<0>(k), text),
                    time.start);
    }
  };
  report(expected_, "memory_access_missing", "had to happen, but was not seen");
  report(seen_, "memory_access_unexpected", "was seen, but no request explains it");
  expected_.clear();
  seen_.clear();
}

}  // namespace pmufab::scoreboard
