// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/dwc/judge/dwc_meaning.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "testbench/judge/term_values.h"

namespace pmufab::scoreboard {
namespace {

constexpr std::uint64_t kDwcTimed = 0;
constexpr std::uint64_t kDwcLane = 1;
constexpr std::uint64_t kLargestDwcType = 0xf;
constexpr std::uint64_t kLargestDwcEvent = 0xffff;
constexpr std::uint64_t kLargestDwcLane = 0xff;
constexpr LinuxVersion kNewDwcNames = 700;  // 6.12 has the old ones, 7.2 the new ones
constexpr LinuxVersion kLastWithOldDwcNames = 618;

/// An event of the document and of the controller.
struct DwcNamed {
  std::string_view name;
  std::uint64_t type;
  unsigned id;
  std::string_view old_name = {};  ///< in Linux up to kLastWithOldDwcNames, if it was another
};

constexpr std::array kDwcNamed{
    DwcNamed{"one_cycle", kDwcTimed, 0x00},
    DwcNamed{"TX_L0S", kDwcTimed, 0x01},
    DwcNamed{"RX_L0S", kDwcTimed, 0x02},
    DwcNamed{"L0", kDwcTimed, 0x03},
    DwcNamed{"L1", kDwcTimed, 0x04},
    DwcNamed{"L1_1", kDwcTimed, 0x05},
    DwcNamed{"L1_2", kDwcTimed, 0x06},
    DwcNamed{"CFG_RCVRY", kDwcTimed, 0x07},
    DwcNamed{"L1_AUX", kDwcTimed, 0x08},
    DwcNamed{"TX_RX_L0S", kDwcTimed, 0x09},
    DwcNamed{"tx_pcie_tlp_data_payload", kDwcTimed, 0x20, "Tx_PCIe_TLP_Data_Payload"},
    DwcNamed{"rx_pcie_tlp_data_payload", kDwcTimed, 0x21, "Rx_PCIe_TLP_Data_Payload"},
    DwcNamed{"tx_ccix_tlp_data_payload", kDwcTimed, 0x22, "Tx_CCIX_TLP_Data_Payload"},
    DwcNamed{"rx_ccix_tlp_data_payload", kDwcTimed, 0x23, "Rx_CCIX_TLP_Data_Payload"},
    DwcNamed{"tx_ack_dllp", kDwcLane, 0x600},
    DwcNamed{"tx_update_fc_dllp", kDwcLane, 0x601},
    DwcNamed{"rx_ack_dllp", kDwcLane, 0x602},
    DwcNamed{"rx_update_fc_dllp", kDwcLane, 0x603},
    DwcNamed{"rx_nullified_tlp", kDwcLane, 0x604, "rx_nulified_tlp"},
    DwcNamed{"tx_nullified_tlp", kDwcLane, 0x605, "tx_nulified_tlp"},
    DwcNamed{"rx_duplicate_tlp", kDwcLane, 0x606, "rx_duplicate_tl"},
    DwcNamed{"tx_memory_write", kDwcLane, 0x700},
    DwcNamed{"tx_memory_read", kDwcLane, 0x701},
    DwcNamed{"tx_configuration_write", kDwcLane, 0x702},
    DwcNamed{"tx_configuration_read", kDwcLane, 0x703},
    DwcNamed{"tx_io_write", kDwcLane, 0x704},
    DwcNamed{"tx_io_read", kDwcLane, 0x705},
    DwcNamed{"tx_completion_without_data", kDwcLane, 0x706},
    DwcNamed{"tx_completion_with_data", kDwcLane, 0x707},
    DwcNamed{"tx_message_tlp", kDwcLane, 0x708},
    DwcNamed{"tx_atomic", kDwcLane, 0x709},
    DwcNamed{"tx_tlp_with_prefix", kDwcLane, 0x70a},
    DwcNamed{"rx_memory_write", kDwcLane, 0x70b},
    DwcNamed{"rx_memory_read", kDwcLane, 0x70c},
    DwcNamed{"rx_io_write", kDwcLane, 0x70f},
    DwcNamed{"rx_io_read", kDwcLane, 0x710},
    DwcNamed{"rx_completion_without_data", kDwcLane, 0x711},
    DwcNamed{"rx_completion_with_data", kDwcLane, 0x712},
    DwcNamed{"rx_message_tlp", kDwcLane, 0x713},
    DwcNamed{"rx_atomic", kDwcLane, 0x714},
    DwcNamed{"rx_tlp_with_prefix", kDwcLane, 0x715},
    DwcNamed{"tx_ccix_tlp", kDwcLane, 0x716},
    DwcNamed{"rx_ccix_tlp", kDwcLane, 0x717},
};

/// What the terms of an event say, before it is looked up.
struct DwcTerms {
  std::optional<std::uint64_t> type;
  std::optional<std::uint64_t> event;
  std::optional<std::uint64_t> lane;
};

DwcTerms read_dwc_terms(const EventTerms& terms) {
  DwcTerms read;
  for (const EventTerm& term : terms) {
    const auto named = std::find_if(kDwcNamed.begin(), kDwcNamed.end(), [&](const DwcNamed& one) {
      return one.name == term.name || (!one.old_name.empty() && one.old_name == term.name);
    });
    if (term.name == "eventid") {
      set_event(read.event, number_of(term, kLargestDwcEvent), term);
    } else if (term.name == "type") {
      read.type = number_of(term, kLargestDwcType);
    } else if (term.name == "lane") {
      read.lane = number_of(term, kLargestDwcLane);
    } else if (named != kDwcNamed.end() && !term.value) {
      set_event(read.event, named->id, term);
      read.type = named->type;
    } else {
      throw std::invalid_argument(fmt::format("the PMU has no term '{}'", term.name));
    }
  }
  if (!read.event && !read.type) throw std::invalid_argument("no event");
  return read;
}

void set_dwc_timed(unsigned id, DwcMeaning& meaning) {
  constexpr std::array<std::pair<unsigned, dwc::LinkState>, dwc::kLinkStates> kStates{
      {{0x01, dwc::LinkState::tx_l0s},
       {0x02, dwc::LinkState::rx_l0s},
       {0x03, dwc::LinkState::l0},
       {0x04, dwc::LinkState::l1},
       {0x05, dwc::LinkState::l1_1},
       {0x06, dwc::LinkState::l1_2},
       {0x07, dwc::LinkState::cfg_rcvry},
       {0x08, dwc::LinkState::l1_aux},
       {0x09, dwc::LinkState::tx_rx_l0s}}};
  constexpr unsigned kFirstData = 0x20;
  if (id == 0) meaning.kind = DwcMeaning::Kind::cycles;
  for (const auto& [number, state] : kStates) {
    if (number != id) continue;
    meaning.kind = DwcMeaning::Kind::state;
    meaning.state = state;
  }
  if (id < kFirstData || id >= kFirstData + kDwcDataKinds) return;
  meaning.kind = DwcMeaning::Kind::data;
  meaning.data = static_cast<DwcData>(id - kFirstData);
}

PublishedEvent published_dwc(const DwcNamed& event, std::string_view name) {
  return {std::string(name), {event.id | event.type << 16}};
}

}  // namespace

DwcMeaning dwc_meaning(const EventTerms& terms, const dwc::RootPortDescription& port) {
  const DwcTerms read = read_dwc_terms(terms);
  DwcMeaning meaning;
  meaning.id = static_cast<unsigned>(read.event.value_or(0));
  meaning.lane = static_cast<unsigned>(read.lane.value_or(0));
  const std::uint64_t type = read.type.value_or(kDwcTimed);
  if (type > kDwcLane)
    throw std::invalid_argument(fmt::format("there is no type {}: 0 is time-based, 1 of a lane", type));
  meaning.is_timed = type == kDwcTimed;
  const auto named = std::find_if(kDwcNamed.begin(), kDwcNamed.end(),
                                  [&](const DwcNamed& one) { return one.type == type && one.id == meaning.id; });
  meaning.text = named == kDwcNamed.end() ? fmt::format("event {:#x}", meaning.id) : std::string(named->name);
  if (meaning.is_timed) {
    set_dwc_timed(meaning.id, meaning);
    return meaning;
  }
  meaning.text += fmt::format(" on lane {}", meaning.lane);
  if (meaning.lane >= port.lanes)
    throw std::invalid_argument(fmt::format("there is no lane {}: the port has {}", meaning.lane, port.lanes));
  if (named != kDwcNamed.end()) meaning.kind = DwcMeaning::Kind::lane;
  return meaning;
}

bool is_dwc_data(unsigned id, DwcData data) noexcept {
  constexpr std::array kTx{0x700U, 0x702U, 0x704U, 0x707U, 0x708U, 0x709U};
  constexpr std::array kRx{0x70bU, 0x70fU, 0x712U, 0x713U, 0x714U};
  constexpr unsigned kDataAlone = 0x20;  // and the next three: data of packets that no lane counts
  if (id == kDataAlone + static_cast<unsigned>(data)) return true;
  switch (data) {
    case DwcData::tx_pcie:
      return std::find(kTx.begin(), kTx.end(), id) != kTx.end();
    case DwcData::rx_pcie:
      return std::find(kRx.begin(), kRx.end(), id) != kRx.end();
    case DwcData::tx_ccix:
      return id == 0x716;
    case DwcData::rx_ccix:
      return id == 0x717;
  }
  return false;
}

Publication dwc_publication() {
  Publication publication;
  publication.fields = {{"type", {{"config:16-19"}}}, {"eventid", {{"config:0-15"}}}, {"lane", {{"config:20-27"}}}};
  for (const DwcNamed& event : kDwcNamed) {
    const bool is_swapped = event.name == "L1_AUX" || event.name == "TX_RX_L0S";
    PublishedEvent now = published_dwc(event, event.name);
    if (!event.old_name.empty() || is_swapped) now.since = kNewDwcNames;
    publication.events.push_back(std::move(now));
    if (event.old_name.empty() && !is_swapped) continue;
    PublishedEvent before = published_dwc(event, is_swapped ? event.name : event.old_name);
    // Linux had the numbers of these two the wrong way round: scenarios/known-defects/dwc shows what that counts.
    if (is_swapped) before.words[0] ^= 1U;
    before.last = kLastWithOldDwcNames;
    publication.events.push_back(std::move(before));
  }
  return publication;
}

}  // namespace pmufab::scoreboard
