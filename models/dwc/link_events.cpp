// SPDX-License-Identifier: Apache-2.0
#include "models/dwc/link_events.h"

#include <algorithm>
#include <array>

namespace pmufab::dwc {
namespace {

// Names and numbers are those of Linux's driver (dwc_pcie_pmu.c, of 7.2 and 7.3).
constexpr std::array<LinkEventCode, kLinkEventCodes> kLinkEvents{
    LinkEventCode{"tx_ack_dllp", 0x600},
    LinkEventCode{"tx_update_fc_dllp", 0x601},
    LinkEventCode{"rx_ack_dllp", 0x602},
    LinkEventCode{"rx_update_fc_dllp", 0x603},
    LinkEventCode{"rx_nullified_tlp", 0x604},
    LinkEventCode{"tx_nullified_tlp", 0x605},
    LinkEventCode{"rx_duplicate_tlp", 0x606},
    LinkEventCode{"tx_memory_write", 0x700, Payload::tx_pcie},
    LinkEventCode{"tx_memory_read", 0x701},
    LinkEventCode{"tx_configuration_write", 0x702, Payload::tx_pcie},
    LinkEventCode{"tx_configuration_read", 0x703},
    LinkEventCode{"tx_io_write", 0x704, Payload::tx_pcie},
    LinkEventCode{"tx_io_read", 0x705},
    LinkEventCode{"tx_completion_without_data", 0x706},
    LinkEventCode{"tx_completion_with_data", 0x707, Payload::tx_pcie},
    LinkEventCode{"tx_message_tlp", 0x708, Payload::tx_pcie},
    LinkEventCode{"tx_atomic", 0x709, Payload::tx_pcie},
    LinkEventCode{"tx_tlp_with_prefix", 0x70a},
    LinkEventCode{"rx_memory_write", 0x70b, Payload::rx_pcie},
    LinkEventCode{"rx_memory_read", 0x70c},
    LinkEventCode{"rx_io_write", 0x70f, Payload::rx_pcie},
    LinkEventCode{"rx_io_read", 0x710},
    LinkEventCode{"rx_completion_without_data", 0x711},
    LinkEventCode{"rx_completion_with_data", 0x712, Payload::rx_pcie},
    LinkEventCode{"rx_message_tlp", 0x713, Payload::rx_pcie},
    LinkEventCode{"rx_atomic", 0x714, Payload::rx_pcie},
    LinkEventCode{"rx_tlp_with_prefix", 0x715},
    LinkEventCode{"tx_ccix_tlp", 0x716, Payload::tx_ccix},
    LinkEventCode{"rx_ccix_tlp", 0x717, Payload::rx_ccix},
};

constexpr std::array<LinkEventCode, kPayloads> kLinkPayloads{
    LinkEventCode{"tx_pcie_tlp_data_payload", 0x20, Payload::tx_pcie},
    LinkEventCode{"rx_pcie_tlp_data_payload", 0x21, Payload::rx_pcie},
    LinkEventCode{"tx_ccix_tlp_data_payload", 0x22, Payload::tx_ccix},
    LinkEventCode{"rx_ccix_tlp_data_payload", 0x23, Payload::rx_ccix},
};

constexpr std::array<std::string_view, kLinkStates> kStateNames{"l0",   "tx_l0s", "rx_l0s", "tx_rx_l0s", "l1",
                                                                "l1_1", "l1_2",   "l1_aux", "cfg_rcvry"};

}  // namespace

std::span<const LinkEventCode> link_events() noexcept { return kLinkEvents; }

const LinkEventCode* find_link_event(unsigned id) noexcept {
  const auto found = std::lower_bound(kLinkEvents.begin(), kLinkEvents.end(), id,
                                      [](const LinkEventCode& event, unsigned wanted) { return event.id < wanted; });
  return found != kLinkEvents.end() && found->id == id ? &*found : nullptr;
}

std::span<const LinkEventCode> link_payloads() noexcept { return kLinkPayloads; }

std::optional<Payload> payload_of(unsigned id) noexcept {
  if (id >= kLinkPayloads.front().id && id <= kLinkPayloads.back().id)
    return kLinkPayloads.at(id - kLinkPayloads.front().id).payload;
  const LinkEventCode* const event = find_link_event(id);
  return event == nullptr ? std::nullopt : event->payload;
}

std::string_view to_string(LinkState state) noexcept { return kStateNames.at(static_cast<std::size_t>(state)); }

}  // namespace pmufab::dwc
