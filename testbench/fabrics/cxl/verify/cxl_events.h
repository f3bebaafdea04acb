// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/fabrics/common/random.h"
#include "testbench/fabrics/cxl/verify/cxl_machine.h"

namespace pmufab::verify {

/// What a filter of a CPMU applies to.
enum class CxlFilter : std::uint8_t { none, decoder, place };

/// An event group of the specification.
struct CxlGroupKind {
  std::string_view word;  ///< in scenario files
  std::uint16_t id;
  CxlFilter filter;
  bool needs_cache;
  bool of_messages;  ///< its events can happen in bulk
};

/// All event groups of the specification.
[[nodiscard]] const std::vector<CxlGroupKind>& cxl_group_kinds();
/// @return the kind with that id; null for a vendor's group, and for ids that do not exist.
[[nodiscard]] const CxlGroupKind* cxl_group_kind(std::uint16_t vendor, std::uint16_t id);

inline constexpr std::uint16_t kCxlVendorId = 0x1e98;

/// A perf event of a CPMU, as the user writes it.
struct CxlRequest {
  std::uint16_t vendor = kCxlVendorId;
  std::uint16_t group = 0;
  std::uint32_t mask = 0;
  unsigned threshold = 0;
  bool invert = false;
  bool edge = false;
  std::optional<std::uint32_t> hdm;  ///< HDM decoders, a bit for each
  std::optional<std::uint32_t> crb;  ///< channel, rank, bank group and bank; drivers from 7.3 on
};

/// @return the driver's name for an event; empty if that kernel's driver has none.
[[nodiscard]] std::string_view cxl_name(std::uint16_t vendor, std::uint16_t group, unsigned bit,
                                        std::string_view kernel);
/// @return true if the driver has the filter by channel, rank, bank group and bank.
[[nodiscard]] bool cxl_has_place_filter(std::string_view kernel);

/// @return an event string: by name, by vendor, group and mask, or by whole words.
/// @param visible  the name may be used: the driver publishes it for this PMU
[[nodiscard]] std::string cxl_event_text(Random& random, const std::string& pmu, const CxlRequest& request,
                                         std::string_view kernel, bool visible = true);

/// @return the first word of perf's attributes of an event.
[[nodiscard]] constexpr std::uint64_t cxl_config(std::uint16_t vendor, std::uint16_t group, std::uint32_t mask) {
  return std::uint64_t{vendor} << 48 | std::uint64_t{group} << 32 | mask;
}
/// @return that of an event string that cxl_event_text() made.
[[nodiscard]] std::uint64_t cxl_config(const std::string& event);

/// @return one of the bits of a mask that is not 0.
[[nodiscard]] unsigned cxl_any_bit(Random& random, std::uint32_t mask);

}  // namespace pmufab::verify
