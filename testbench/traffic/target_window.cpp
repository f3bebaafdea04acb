// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/target_window.h"

#include <fmt/format.h>

namespace pmufab::traffic {
namespace {

std::optional<Window> fail(TargetProblem* problem, TargetProblem what) {
  if (problem != nullptr) *problem = std::move(what);
  return std::nullopt;
}

/// @param bars  list BARs of PCI Express functions instead of memory
std::string list_of(const std::vector<MemoryRange>& map, bool bars) {
  std::string list;
  for (const MemoryRange& range : map) {
    if ((range.memory == MemoryClass::bar) != bars) continue;
    if (!list.empty()) list += ", ";
    list += fmt::format("socket {} {}", range.socket, to_string(range.memory));
    if (bars) list += fmt::format(" of root port {} of root complex {}", range.root_port, range.root_complex);
    list += fmt::format(" [0x{:x}, 0x{:x})", range.base, range.base + range.size);
  }
  if (list.empty() && bars) return "the platform has no device below that could have one";
  return list.empty() ? "the platform has no memory" : "the platform has " + list;
}

std::optional<Window> resolve_explicit(const Target& target, const std::vector<MemoryRange>& map,
                                       TargetProblem* problem) {
  const std::uint64_t base = *target.base;
  if (base % kLineBytes != 0) return fail(problem, {"base", fmt::format("0x{:x} is not a multiple of 64", base), ""});
  if (target.size == 0) return fail(problem, {"size", "a window with a base needs a size", "give its bytes"});
  for (const MemoryRange& range : map) {
    if (base >= range.base && base - range.base < range.size && target.size <= range.size - (base - range.base)) {
      return Window{base, target.size};
    }
  }
  return fail(problem, {"base", fmt::format("no memory holds 0x{:x} and the {} bytes from there", base, target.size),
                        list_of(map, false)});
}

bool is_named(const Target& target, const MemoryRange& range) {
  if (range.socket != target.socket || range.memory != target.memory) return false;
  return target.memory != MemoryClass::bar ||
         (range.root_complex == target.root_complex && range.root_port == target.root_port);
}

}  // namespace

std::optional<Window> resolve(const Target& target, const std::vector<MemoryRange>& map, TargetProblem* problem) {
  if (target.size % kLineBytes != 0) {
    return fail(problem, {"size", fmt::format("{} is not a multiple of 64", target.size), ""});
  }
  if (target.base) return resolve_explicit(target, map, problem);
  if (target.offset % kLineBytes != 0) {
    return fail(problem, {"offset", fmt::format("{} is not a multiple of 64", target.offset), ""});
  }
  for (const MemoryRange& range : map) {
    if (!is_named(target, range)) continue;
    if (target.offset >= range.size) {
      return fail(problem,
                  {"offset", fmt::format("{} lies beyond the memory's {} bytes", target.offset, range.size), ""});
    }
    const std::uint64_t rest = range.size - target.offset;
    if (target.size > rest) {
      return fail(problem, {"size",
                            fmt::format("{} bytes from offset {} do not fit into the memory's {} bytes", target.size,
                                        target.offset, range.size),
                            "use 0 for everything up to its end"});
    }
    return Window{range.base + target.offset, target.size != 0 ? target.size : rest};
  }
  const bool bar = target.memory == MemoryClass::bar;
  std::string reason = fmt::format("socket {} has no {}", target.socket, to_string(target.memory));
  if (bar) reason += fmt::format(" below root port {} of root complex {}", target.root_port, target.root_complex);
  return fail(problem, {"memory", std::move(reason), list_of(map, bar)});
}

}  // namespace pmufab::traffic
