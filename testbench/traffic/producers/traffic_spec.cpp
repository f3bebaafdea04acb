// SPDX-License-Identifier: Apache-2.0
#include "testbench/traffic/producers/traffic_spec.h"

#include <array>
#include <cstddef>
#include <utility>

namespace pmufab::traffic {
namespace {

constexpr std::array<std::string_view, 7> kPatterns = {"uniform", "stream",        "stride",           "hotspot",
                                                       "zipf",    "pointer_chase", "producer_consumer"};
constexpr std::array<std::string_view, 15> kOperations = {
    "read",          "write",      "write_partial", "atomic",          "dataless",
    "ReadShared",    "ReadUnique", "ReadOnce",      "WriteUniqueFull", "WriteUniquePtl",
    "WriteBackFull", "Evict",      "CleanUnique",   "CleanInvalid",    "AtomicStore"};

template <typename Enum, std::size_t kSize>
std::string_view name_of(const std::array<std::string_view, kSize>& names, Enum value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < kSize ? names[index] : "?";
}

}  // namespace

std::string_view to_string(PatternKind kind) noexcept { return name_of(kPatterns, kind); }
std::string_view to_string(Operation operation) noexcept { return name_of(kOperations, operation); }

std::optional<Operation> operation_from(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    if (kOperations[i] == name) return static_cast<Operation>(i);
  }
  return std::nullopt;
}

}  // namespace pmufab::traffic
