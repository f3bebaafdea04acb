// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/publication/tegra410_publication.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"
#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"
#include "testbench/fabrics/tegra410/judge/ucf_events.h"

namespace pmufab::scoreboard {
namespace {

constexpr std::uint64_t kCycleCounter = 0x1'0000'0000;  // beyond the 32 bits of an event's number

PublishedEvent event_of(std::string_view name, std::uint64_t number) { return {std::string(name), {number}}; }

void add_fields(Publication& publication, std::initializer_list<std::pair<const char*, const char*>> fields) {
  for (const auto& [name, place] : fields) publication.fields.push_back({name, {{place}}});
}

Publication ucf_publication(bool has_cycle_counter) {
  Publication publication;
  add_fields(publication, {{"event", "config:0-32"},
                           {"src_loc_noncpu", "config1:0"},
                           {"src_loc_cpu", "config1:1"},
                           {"src_rem", "config1:2"},
                           {"dst_loc_cmem", "config1:8"},
                           {"dst_loc_gmem", "config1:9"},
                           {"dst_loc_other", "config1:10"},
                           {"dst_rem", "config1:11"}});
  for (std::size_t number = 0; number < kUcfEvents; ++number) {
    const auto event = static_cast<UcfEvent>(number);
    publication.events.push_back(event_of(to_string(event), event_number(event)));
  }
  publication.events.push_back(event_of("bus_cycles", 0x1d));
  if (has_cycle_counter) publication.events.push_back(event_of("cycles", kCycleCounter));
  publication.files.push_back({"identifier", "2cf2036b"});
  return publication;
}

Publication pcie_publication(bool has_cycle_counter) {
  Publication publication;
  add_fields(publication, {{"event", "config:0-32"},
                           {"src_rp_mask", "config1:0-7"},
                           {"src_bdf", "config1:8-23"},
                           {"src_bdf_en", "config1:24"},
                           {"dst_loc_cmem", "config2:0"},
                           {"dst_loc_gmem", "config2:1"},
                           {"dst_loc_pcie_p2p", "config2:2"},
                           {"dst_loc_pcie_cxl", "config2:3"},
                           {"dst_rem", "config2:4"}});
  for (std::size_t number = 0; number < kPcieEvents; ++number)
    publication.events.push_back(event_of(to_string(static_cast<PcieEvent>(number)), number));
  if (has_cycle_counter) publication.events.push_back(event_of("cycles", kCycleCounter));
  publication.files.push_back({"identifier", "1030136b"});
  return publication;
}

Publication pcie_tgt_publication() {
  Publication publication;
  add_fields(publication, {{"event", "config:0-2"},
                           {"dst_rp_mask", "config:3-10"},
                           {"dst_addr_en", "config:11"},
                           {"dst_addr_base", "config1:0-63"},
                           {"dst_addr_mask", "config2:0-63"}});
  std::uint64_t number = 0;
  for (const char* const name : {"rd_bytes", "wr_bytes", "rd_req", "wr_req", "cycles"})
    publication.events.push_back(event_of(name, number++));
  publication.files.push_back({"identifier", "1070036b"});
  return publication;
}

}  // namespace

// Identifiers are those of the devices: a CoreSight PMU's PMIIDR, and the hardware ids in ACPI of the others.
Publication coresight_publication(CoreSightPmuType type, bool has_cycle_counter) {
  switch (type) {
    case CoreSightPmuType::ucf:
      return ucf_publication(has_cycle_counter);
    case CoreSightPmuType::pcie:
      return pcie_publication(has_cycle_counter);
    case CoreSightPmuType::pcie_tgt:
      break;
  }
  return pcie_tgt_publication();
}

Publication cmem_publication() {
  Publication publication;
  add_fields(publication, {{"event", "config:0-1"}});
  publication.events = {event_of("cycles", 0), event_of("rd_req", 1), event_of("rd_cum_outs", 2)};
  publication.files.push_back({"identifier", "NVDA2021"});
  return publication;
}

Publication c2c_publication(const C2cPmuSpec& spec) {
  Publication publication;
  add_fields(publication, {{"event", "config:0-3"}});
  publication.fields.push_back({"gpu_mask", {{"config1:0-1"}}, spec.peer == C2cPeer::gpu ? Shown::must : Shown::never});
  for (unsigned number = 0; number < kC2cEvents; ++number) {
    const C2cMeaning meaning{number};
    PublishedEvent event = event_of(c2c_event_name(number), number);
    const bool is_write = !meaning.is_cycles() && meaning.traffic() % 2 == 1;
    const bool is_outgoing = !meaning.is_cycles() && meaning.traffic() >= 2;
    const bool reads_only = !spec.counts_writes || spec.peer == C2cPeer::cpu;
    if ((is_write && reads_only) || (is_outgoing && spec.peer == C2cPeer::cxl_memory)) {
      event.shown = Shown::never;
      event.missing = is_write ? "the interface counts reads only" : "CXL memory sends no requests";
    }
    publication.events.push_back(std::move(event));
  }
  const auto peers = std::count_if(spec.masks.begin(), spec.masks.end(), [](std::uint32_t mask) { return mask != 0; });
  switch (spec.peer) {
    case C2cPeer::gpu:
      publication.files.push_back({"identifier", "NVDA2023"});
      // With GPU 1 alone, the number of GPUs and that of the last one are both right.
      if (spec.masks.front() != 0) publication.files.push_back({"peer", fmt::format("nr_gpu={}", peers)});
      break;
    case C2cPeer::cpu:
      publication.files.push_back({"identifier", spec.counts_writes ? "NVDA2023" : "NVDA2022"});
      publication.files.push_back({"peer", "nr_cpu=1"});
      break;
    case C2cPeer::cxl_memory:
      publication.files.push_back({"identifier", "NVDA2020"});
      publication.files.push_back({"peer", "nr_cxlmem=1"});
      break;
  }
  return publication;
}

}  // namespace pmufab::scoreboard
