// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/judge/cxl_publication.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "testbench/fabrics/cxl/judge/cxl_event_names.h"

namespace pmufab::scoreboard {
namespace {

/// @return the first Linux that offers an event.
LinuxVersion version_of(CxlEventId event, std::string_view name) {
  constexpr LinuxVersion kFirst = 0;
  constexpr LinuxVersion kSecond = 702;
  constexpr LinuxVersion kThird = 703;
  constexpr std::uint16_t kM2sReq = 0x20;
  constexpr std::uint16_t kM2sRwd = 0x21;
  constexpr std::uint16_t kS2mBisnp = 0x23;
  constexpr std::uint16_t kS2mNdr = 0x24;
  constexpr std::uint16_t kDdr = 0x8000;
  constexpr unsigned kFirstNewDdr = 7;
  if (event.group > kDdr) return kThird;
  if (event.group == kDdr) return event.bit >= kFirstNewDdr ? kThird : kFirst;
  if (name == "m2s_req_memrdtee" || name == "m2s_req_memrddatatee" || name == "s2m_ndr_cmpm") return kSecond;
  const bool is_trusted = name.ends_with("tee") || name.find("tee_") != std::string_view::npos;
  if (event.group < kM2sReq) return kFirst;
  if (is_trusted) return kThird;
  if (event.group == kM2sReq) return name == "m2s_req_memclnevctu" || name == "m2s_req_teupdate" ? kThird : kFirst;
  if (event.group == kM2sRwd) return name == "m2s_rwd_memrdfill" ? kThird : kFirst;
  if (event.group == kS2mBisnp || event.group == kS2mNdr) return kFirst;
  return kFirst;
}

/// Whether software can count one event alone: on a fixed counter of exactly this event, or on a configurable one.
/// Those must not use the event capability of a fixed or free-running counter (CXL 3.1, 8.2.7).
Shown shown_of(const CxlPmuSpec& spec, CxlEventId event) {
  const std::uint32_t bit = std::uint32_t{1} << event.bit;
  Shown shown = Shown::never;
  for (unsigned index = 0; index < spec.groups.size(); ++index) {
    if (spec.groups[index].vendor != kCxlVendor || spec.groups[index].group != event.group) continue;
    bool is_taken = false;
    bool is_running = false;
    for (const CxlFixedCounter& counter : spec.fixed) {
      if (counter.group_index != index) continue;
      (counter.is_free_running ? is_running : is_taken) = true;
      if (counter.mask == bit && !counter.is_free_running) return Shown::must;
      if ((counter.mask & bit) != 0) shown = Shown::may;  // with other events, or in a counter without an end
    }
    if (is_taken || !spec.has_configurable || (spec.supported(kCxlVendor, event.group) & bit) == 0) continue;
    if (!is_running) return Shown::must;
    shown = Shown::may;  // Linux's driver uses the capabilities of free-running counters
  }
  return shown;
}

}  // namespace

Publication cxl_publication(const CxlPmuSpec& spec) {
  constexpr LinuxVersion kDdrFilter = 703;
  Publication publication;
  const auto add = [&](const char* name, const char* place, bool is_there = true, LinuxVersion since = 0) {
    publication.fields.push_back({name, {{place}}, is_there ? Shown::must : Shown::never, since});
  };
  add("mask", "config:0-31");
  add("gid", "config:32-47");
  add("vid", "config:48-63");
  add("threshold", "config1:0-15");
  add("invert", "config1:16");
  add("edge", "config1:17");
  add("hdm_filter_en", "config1:18", spec.hdm_filter);
  add("hdm", "config2:0-15", spec.hdm_filter);
  add("crb_filter_en", "config1:19", spec.ddr_filter, kDdrFilter);
  add("crb", "config2:32-63", spec.ddr_filter, kDdrFilter);
  publication.combined = 0xffff'ffff;
  for (const CxlGroupSpec& group : spec.groups) {
    const std::uint32_t supported = spec.supported(group.vendor, group.group);
    for (unsigned bit = 0; bit < 32; ++bit) {
      if (group.vendor != kCxlVendor && (supported >> bit & 1U) != 0)
        publication.events.push_back(
            {fmt::format("vendor_{:#x}_{:#x}_{}", group.vendor, group.group, bit),
             {std::uint64_t{group.vendor} << 48U | std::uint64_t{group.group} << 32U | std::uint64_t{1} << bit},
             Shown::may});
    }
  }
  for_each_cxl_event([&](CxlEventId event, std::string_view name) {
    PublishedEvent published;
    published.name = name;
    published.words[0] =
        std::uint64_t{kCxlVendor} << 48U | std::uint64_t{event.group} << 32U | std::uint64_t{1} << event.bit;
    published.shown = shown_of(spec, event);
    published.since = version_of(event, name);
    published.missing = "no event capability of the CPMU has it";
    publication.events.push_back(std::move(published));
  });
  return publication;
}

}  // namespace pmufab::scoreboard
