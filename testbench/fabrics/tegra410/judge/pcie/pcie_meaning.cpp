// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/tegra410/judge/pcie/pcie_meaning.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "testbench/fabrics/tegra410/judge/tegra410_meaning.h"
#include "testbench/judge/term_values.h"

namespace pmufab::scoreboard {
namespace {

constexpr std::uint64_t kCyclesEvent = 0x1'0000'0000;  // value of the sysfs name "cycles"
constexpr std::uint64_t kSourceBits = 0x1ff'ffff;
constexpr std::uint64_t kDeviceEnable = 0x100'0000;

constexpr std::array<std::string_view, kPcieEvents> kEventNames{"rd_bytes", "wr_bytes", "rd_req", "wr_req",
                                                                "rd_cum_outs"};
constexpr std::array<std::string_view, kPcieDestinations> kDestinationNames{"loc_cmem", "loc_gmem", "loc_pcie_p2p",
                                                                            "loc_pcie_cxl", "rem"};

/// A term that sets bits of config1 or config2.
struct ConfigField {
  std::string_view name;
  unsigned config;  // 1 or 2
  unsigned shift;
  std::uint64_t largest;
};
constexpr std::array<ConfigField, 8> kConfigFields{{{"src_rp_mask", 1, 0, 0xff},
                                                    {"src_bdf", 1, 8, 0xffff},
                                                    {"src_bdf_en", 1, 24, 1},
                                                    {"dst_loc_cmem", 2, 0, 1},
                                                    {"dst_loc_gmem", 2, 1, 1},
                                                    {"dst_loc_pcie_p2p", 2, 2, 1},
                                                    {"dst_loc_pcie_cxl", 2, 3, 1},
                                                    {"dst_rem", 2, 4, 1}}};

/// An event text as perf's three configuration words.
struct Configuration {
  std::optional<std::uint64_t> event;
  std::uint64_t source = 0;
  std::uint64_t destinations = 0;
};

Configuration configuration_of(const EventTerms& terms) {
  Configuration result;
  for (const EventTerm& term : terms) {
    const auto* const field = std::find_if(kConfigFields.begin(), kConfigFields.end(),
                                           [&](const ConfigField& known) { return known.name == term.name; });
    const auto* const event = std::find(kEventNames.begin(), kEventNames.end(), term.name);
    if (field != kConfigFields.end()) {
      std::uint64_t& config = field->config == 1 ? result.source : result.destinations;
      config = (config & ~(field->largest << field->shift)) | number_of(term, field->largest) << field->shift;
    } else if (term.name == "event") {
      set_event(result.event, number_of(term, 0x1'ffff'ffff), term);
    } else if (term.name == "config") {
      set_event(result.event, number_of(term, ~std::uint64_t{0}), term);
    } else if (term.name == "config1") {
      result.source = number_of(term, ~std::uint64_t{0});
    } else if (term.name == "config2") {
      result.destinations = number_of(term, ~std::uint64_t{0});
    } else if (term.name == "cycles" && !term.value) {
      set_event(result.event, kCyclesEvent, term);
    } else if (event != kEventNames.end() && !term.value) {
      set_event(result.event, static_cast<std::uint64_t>(event - kEventNames.begin()), term);
    } else {
      throw std::invalid_argument(fmt::format("the PCIE PMU has no term '{}'", term.name));
    }
  }
  result.source &= kSourceBits;
  result.destinations &= kAllPcieDestinations;
  return result;
}

std::string text_of(const PcieMeaning& meaning) {
  return fmt::format("{} -> {}",
                     meaning.source.bdf ? "device " + bdf_text(*meaning.source.bdf)
                     : meaning.source.root_ports == kAllRootPorts
                         ? "all root ports"
                         : fmt::format("root ports {:#b}", meaning.source.root_ports),
                     meaning.destinations == kAllPcieDestinations ? "all" : destinations_text(meaning.destinations));
}

}  // namespace

std::string destinations_text(std::uint32_t destinations) { return places_text<PcieDestination>(destinations); }

std::string_view to_string(PcieEvent event) noexcept { return kEventNames[static_cast<std::size_t>(event)]; }

std::string_view to_string(PcieDestination destination) noexcept {
  return kDestinationNames[static_cast<std::size_t>(destination)];
}

std::string bdf_text(std::uint16_t bdf) { return fmt::format("{:02x}:{:02x}.{}", bdf >> 8, bdf >> 3 & 0x1f, bdf & 7); }

PcieMeaning pcie_meaning(const EventTerms& terms, const EventTerms* leader) {
  Configuration own = configuration_of(terms);
  if (!own.event) throw std::invalid_argument("no event");
  PcieMeaning meaning;
  if (*own.event == kCyclesEvent) {
    meaning.kind = PcieMeaning::Kind::cycles;
    meaning.text = "cycles";
    return meaning;
  }
  if (own.source == 0 && leader != nullptr) {
    const std::uint64_t inherited = configuration_of(*leader).source;
    if ((inherited & kDeviceEnable) != 0) own.source = inherited;
  }
  if (own.source != 0) meaning.source.root_ports = static_cast<std::uint32_t>(own.source) & kAllRootPorts;
  if ((own.source & kDeviceEnable) != 0) {
    meaning.source.bdf = static_cast<std::uint16_t>(own.source >> 8);
    if (meaning.source.root_ports != 0) {
      meaning.text = "root ports together with a device: use one or the other";
      return meaning;
    }
  }
  if (own.destinations != 0) meaning.destinations = static_cast<std::uint32_t>(own.destinations);
  std::string name = fmt::format("event {:#x}", *own.event);
  if (*own.event < kPcieEvents) {
    meaning.kind = PcieMeaning::Kind::traffic;
    meaning.event = static_cast<PcieEvent>(*own.event);
    name = to_string(meaning.event);
  }
  meaning.text = fmt::format("{}, {}", name, text_of(meaning));
  return meaning;
}

}  // namespace pmufab::scoreboard
