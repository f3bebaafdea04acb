// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/verify/cxl_events.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/judge/cxl_event_names.h"

namespace pmufab::verify {
namespace {

/// Names that drivers before a version do not have: the events of a group.
struct LaterNames {
  unsigned major;
  unsigned minor;
  std::uint16_t group;
  std::uint32_t events;
};
constexpr LaterNames kLaterNames[] = {
    {7, 2, 0x20, 0x60},   {7, 2, 0x24, 0x8},   {7, 3, 0x20, 0xf880}, {7, 3, 0x21, 0x2620},
    {7, 3, 0x23, 0x7700}, {7, 3, 0x24, 0xe0},  {7, 3, 0x25, 0x4},    {7, 3, 0x8000, 0xff80},
    {7, 3, 0x8001, 0xf},  {7, 3, 0x8002, 0x3}, {7, 3, 0x8003, 0xf},  {7, 3, 0x8004, 0x3},
};

bool cxl_kernel_is_before(std::string_view kernel, unsigned major, unsigned minor) {
  unsigned first = 0;
  unsigned second = 0;
  const auto [dot, error] = std::from_chars(kernel.data(), kernel.data() + kernel.size(), first);
  if (error == std::errc{} && dot != kernel.data() + kernel.size())
    std::from_chars(dot + 1, kernel.data() + kernel.size(), second);
  return first < major || (first == major && second < minor);
}

}  // namespace

const std::vector<CxlGroupKind>& cxl_group_kinds() {
  static const std::vector<CxlGroupKind> kinds = {
      {"clock_ticks", 0x0000, CxlFilter::none, false, false},
      {"d2h_req", 0x0010, CxlFilter::none, true, true},
      {"d2h_rsp", 0x0011, CxlFilter::none, true, true},
      {"h2d_req", 0x0012, CxlFilter::none, true, true},
      {"h2d_rsp", 0x0013, CxlFilter::none, true, true},
      {"cachedata", 0x0014, CxlFilter::none, true, true},
      {"m2s_req", 0x0020, CxlFilter::decoder, false, true},
      {"m2s_rwd", 0x0021, CxlFilter::decoder, false, true},
      {"m2s_birsp", 0x0022, CxlFilter::decoder, false, true},
      {"s2m_bisnp", 0x0023, CxlFilter::decoder, false, true},
      {"s2m_ndr", 0x0024, CxlFilter::decoder, false, true},
      {"s2m_drs", 0x0025, CxlFilter::decoder, false, true},
      {"devload", 0x0030, CxlFilter::none, false, false},
      {"m2s_residency", 0x0031, CxlFilter::none, false, false},
      {"ddr", 0x8000, CxlFilter::place, false, false},
      {"queue_occupancy", 0x8001, CxlFilter::place, false, false},
      {"queue_residency", 0x8002, CxlFilter::place, false, false},
      {"retry", 0x8003, CxlFilter::place, false, false},
      {"throttle", 0x8004, CxlFilter::none, false, false},
  };
  return kinds;
}

const CxlGroupKind* cxl_group_kind(std::uint16_t vendor, std::uint16_t id) {
  const std::vector<CxlGroupKind>& kinds = cxl_group_kinds();
  const auto kind = std::ranges::find_if(kinds, [id](const CxlGroupKind& one) { return one.id == id; });
  return vendor != kCxlVendorId || kind == kinds.end() ? nullptr : &*kind;
}

std::string_view cxl_name(std::uint16_t vendor, std::uint16_t group, unsigned bit, std::string_view kernel) {
  if (vendor != kCxlVendorId) return {};
  for (const LaterNames& later : kLaterNames) {
    if (later.group == group && (later.events >> bit & 1U) != 0 &&
        cxl_kernel_is_before(kernel, later.major, later.minor))
      return {};
  }
  return scoreboard::cxl_event_name({group, bit});
}

bool cxl_has_place_filter(std::string_view kernel) { return !cxl_kernel_is_before(kernel, 7, 3); }

unsigned cxl_any_bit(Random& random, std::uint32_t mask) {
  auto left = random.number(0, static_cast<unsigned>(std::popcount(mask)) - 1U);
  for (; left > 0; --left) mask &= mask - 1;
  return static_cast<unsigned>(std::countr_zero(mask));
}

std::string cxl_event_text(Random& random, const std::string& pmu, const CxlRequest& request, std::string_view kernel,
                           bool visible) {
  std::vector<std::string> terms;
  const std::string_view name =
      std::has_single_bit(request.mask) && visible
          ? cxl_name(request.vendor, request.group, static_cast<unsigned>(std::countr_zero(request.mask)), kernel)
          : std::string_view{};
  const std::uint64_t program = std::uint64_t{request.threshold} | std::uint64_t{request.invert} << 16 |
                                std::uint64_t{request.edge} << 17 | std::uint64_t{request.hdm.has_value()} << 18 |
                                std::uint64_t{request.crb.has_value()} << 19;
  if (!name.empty() && !random.chance(20)) {
    terms.emplace_back(name);
  } else if (random.chance(70)) {
    terms = {fmt::format("vid={:#x}", request.vendor), fmt::format("gid={:#x}", request.group),
             fmt::format("mask={:#x}", request.mask)};
    random.shuffle(terms);
  } else {
    terms = {fmt::format("config={:#x}", cxl_config(request.vendor, request.group, request.mask))};
  }
  if (program != 0 && random.chance(15)) {
    terms.push_back(fmt::format("config1={:#x}", program));
    if (request.hdm || request.crb)
      terms.push_back(
          fmt::format("config2={:#x}", std::uint64_t{request.crb.value_or(0)} << 32 | request.hdm.value_or(0)));
  } else {
    if (request.threshold != 0) terms.push_back(fmt::format("threshold={}", request.threshold));
    if (request.invert) terms.emplace_back("invert");
    if (request.edge) terms.emplace_back("edge");
    if (request.hdm) terms.push_back(fmt::format("hdm_filter_en,hdm={:#x}", *request.hdm));
    if (request.crb) terms.push_back(fmt::format("crb_filter_en,crb={:#x}", *request.crb));
  }
  return fmt::format("{}/{}/", pmu, fmt::join(terms, ","));
}

std::uint64_t cxl_config(const std::string& event) {
  const auto value = [&event](const std::string& key) -> std::optional<std::uint64_t> {
    const std::size_t place = event.find(key + "=");
    if (place == std::string::npos) return std::nullopt;
    return std::stoull(event.substr(place + key.size() + 1), nullptr, 16);
  };
  if (const auto config = value("config")) return *config;
  if (const auto vendor = value("vid"))
    return cxl_config(static_cast<std::uint16_t>(*vendor), static_cast<std::uint16_t>(*value("gid")),
                      static_cast<std::uint32_t>(*value("mask")));
  const std::size_t begin = event.find('/') + 1;
  const auto named = scoreboard::cxl_event_of_name(event.substr(begin, event.find_first_of(",/", begin) - begin));
  return named ? cxl_config(kCxlVendorId, named->group, 1U << named->bit) : 0;
}

}  // namespace pmufab::verify
