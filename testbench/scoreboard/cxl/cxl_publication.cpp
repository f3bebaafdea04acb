// SPDX-License-Identifier: Apache-2.0
#include "testbench/scoreboard/cxl/cxl_publication.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "testbench/scoreboard/cxl/cxl_event_names.h"

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

/// Whether the CPMU can count one event alone.
Shown shown_of(const CxlPmuSpec& spec, CxlEventId event) {
  const std::uint32_t bit = std::uint32_t{1} << event.bit;
  if (spec.has_configurable && (spec.supported(kCxlVendor, event.group) & bit) != 0) return Shown::must;
  Shown shown = Shown::never;
  for (const CxlFixedCounter& fixed : spec.fixed) {
    const CxlGroupSpec& group = spec.groups.at(fixed.group_index);
    if (group.vendor != kCxlVendor || group.group != event.group) continue;
    if (fixed.mask == bit) return Shown::must;
    if ((fixed.mask & bit) != 0) shown = Shown::may;  // it counts the event with others
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
