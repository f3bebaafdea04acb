// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/description/config_space.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace pmufab::cmn {

namespace {

constexpr std::uint16_t kNoNode = 0xffff;
constexpr unsigned kChildPointerOffset = 0x100;

// Reset values of fields that the topology does not set: register data of the products.
constexpr std::uint64_t kInfoGlobalResetCmn600 = 0x330'3008;
constexpr std::uint64_t kInfoGlobalReset = 0x4000'0000'0330'3008;
constexpr std::uint64_t kInfoGlobal1Reset = 0x24200;
constexpr std::uint64_t kInfoGlobalResetS3R2 = 0x0400'0000'0330'3008;
constexpr std::uint64_t kInfoGlobal1ResetS3R2 = 0x10'0090'8000;

std::uint64_t node_info(const NodePlace& node) {
  return static_cast<std::uint64_t>(node.type) | std::uint64_t{node.node_id} << 16 |
         std::uint64_t{node.logical_id} << 32;
}

std::uint64_t child_info(std::size_t children) {
  return children == 0 ? 0 : children | std::uint64_t{kChildPointerOffset} << 16;
}

/// @return the register whose name ends so. Units prefix the name differently.
RegisterId find(const RegisterBank& bank, std::span<const RegisterSpec> registers, std::string_view ending) {
  const auto found = std::find_if(registers.begin(), registers.end(),
                                  [&](const RegisterSpec& reg) { return reg.name.ends_with(ending); });
  return bank.find(found->name);
}

}  // namespace

ConfigSpace::ConfigSpace(const sc_core::sc_module_name& name, const std::string& instance, const Topology& topology,
                         const Layout& layout, Picoseconds latency)
    : sc_core::sc_module(name),
      socket("socket"),
      facts_(facts_of(topology.product, topology.revision)),
      layout_(layout),
      registers_(topology.product, topology.revision, topology.deviations.unit_info.value_or(facts_.unit_info)) {
  build(instance, latency);
  fill_cfg(topology);
  for (unsigned xp = 0; xp < layout_.xps(); ++xp) fill_xp(topology, xp);
  socket.register_b_transport(this, &ConfigSpace::b_transport);
  socket.register_transport_dbg(this, &ConfigSpace::transport_dbg);
}

ConfigSpace::~ConfigSpace() = default;

void ConfigSpace::build(const std::string& instance, Picoseconds latency) {
  windows_.assign(layout_.size() / facts_.node_window, kNoNode);
  banks_.resize(layout_.nodes().size());
  for (unsigned index = 0; index < layout_.nodes().size(); ++index) {
    const NodePlace& node = layout_.nodes()[index];
    windows_[node.offset / facts_.node_window] = static_cast<std::uint16_t>(index);
    if (node.is_closed()) continue;
    std::span<const RegisterSpec> registers;
    if (index == 0) {
      registers = registers_.cfg();
    } else if (index <= layout_.xps()) {
      registers = registers_.xp();
    } else if (node.type == NodeType::dtc) {
      registers = registers_.dtc();
    } else {
      registers = registers_.node(node.type);
    }
    auto bank = std::make_unique<RegisterBank>(
        RegisterBank::Options{.name = fmt::format("{}.{}", instance, layout_.name(index)),
                              .size = facts_.node_window,
                              .latency = latency},
        registers);
    bank->set_reset(find(*bank, registers, "_node_info"), 0, node_info(node));
    banks_[index] = std::move(bank);
  }
  for (unsigned dtm = 0; dtm < layout_.dtms(); ++dtm) {
    const unsigned xp = layout_.xp_of_dtm(dtm);
    dtm_banks_.push_back(std::make_unique<RegisterBank>(
        RegisterBank::Options{.name = fmt::format("{}.{}.dtm{}", instance, layout_.name(Layout::node_of_xp(xp)),
                                                  dtm - layout_.first_dtm(xp)),
                              .size = kDtmWindow + kDtmStride,
                              .latency = latency},
        registers_.dtm()));
  }
}

void ConfigSpace::fill_cfg(const Topology& topology) {
  RegisterBank& cfg = *banks_.front();
  const Deviations& deviations = topology.deviations;
  cfg.set_reset(cfg.find("por_cfgm_child_info"), 0, child_info(layout_.xps()));
  const RegisterId pointer = cfg.find("por_cfgm_child_pointer");
  for (unsigned xp = 0; xp < layout_.xps(); ++xp) cfg.set_reset(pointer, xp, layout_.xp(xp).offset);

  const std::uint64_t part = deviations.part_number.value_or(facts_.part);
  const std::uint64_t revision = deviations.revision.value_or(static_cast<std::uint8_t>(topology.revision)) & 0xfU;
  cfg.set_reset(cfg.find("por_cfgm_periph_id_0_periph_id_1"), 0,
                (part & 0xff) | (part >> 8 & 0xf) << 32 | 0xbULL << 36);
  cfg.set_reset(cfg.find("por_cfgm_periph_id_2_periph_id_3"), 0, revision << 4 | 0b1011);

  const VirtualChannels& channels = topology.channels;
  std::uint64_t info = std::uint64_t{deviations.device_isolation} << 44;
  std::uint64_t info_1 = 0;
  if (facts_.info == InfoLayout::cmn600) {
    info |= kInfoGlobalResetCmn600;
  } else if (facts_.info == InfoLayout::s3_r2) {
    info |= kInfoGlobalResetS3R2 | std::uint64_t{topology.multiple_dtm} << 59;
    info_1 = kInfoGlobal1ResetS3R2 | channels.req | channels.snp << 3 | channels.dat << 6 | channels.rsp << 9;
  } else {
    info |= kInfoGlobalReset | std::uint64_t{topology.multiple_dtm} << 63 | std::uint64_t{channels.rsp} << 52 |
            std::uint64_t{channels.dat} << 50;
    info_1 = kInfoGlobal1Reset | channels.req | channels.snp << 2;
  }
  cfg.set_reset(cfg.find("por_info_global"), 0, info ^ deviations.info_global);
  cfg.set_reset(cfg.find("por_info_global_1"), 0, info_1 ^ deviations.info_global_1);
}

void ConfigSpace::fill_xp(const Topology& topology, unsigned xp) {
  RegisterBank& bank = *banks_[Layout::node_of_xp(xp)];
  const Crosspoint& crosspoint = topology.crosspoints[xp];
  if (facts_.node_info_has_ports) {
    bank.set_reset(bank.find("por_mxp_node_info"), 0,
                   node_info(layout_.xp(xp)) | std::uint64_t{crosspoint.ports.size()} << 48);
  }

  std::vector<std::uint64_t> pointers;
  for (unsigned index = layout_.children(xp).first; index < layout_.children(xp).last; ++index) {
    const NodePlace& node = layout_.nodes()[index];
    pointers.push_back(node.offset | std::uint64_t{node.isolated} << 30 | std::uint64_t{node.external} << 31);
  }
  for (const Deviations::ChildPointer& extra : topology.deviations.child_pointers) {
    if (extra.xp == xp) pointers.push_back(extra.value);
  }
  const RegisterId pointer = bank.find("por_mxp_child_pointer");
  for (unsigned i = 0; i < pointers.size(); ++i) bank.set_reset(pointer, i, pointers[i]);
  bank.set_reset(bank.find("por_mxp_child_info"), 0, child_info(pointers.size()));

  for (unsigned port = 0; port < crosspoint.ports.size(); ++port) {
    const Port& connected = crosspoint.ports[port];
    const std::uint64_t info = static_cast<std::uint64_t>(connected.device) | std::uint64_t{connected.cal} << 7;
    if (port < 2) {
      bank.set_reset(bank.find("por_mxp_device_port_connect_info_p0_p1"), port, info);
    } else {
      bank.set_reset(bank.find("por_mxp_device_port_connect_info_p2_p5"), port - 2, info);
    }
    if (registers_.port_info(port) != 0)
      bank.set_reset(bank.find(fmt::format("por_mxp_p{}_info", port)), 0, device_count(connected));
  }

  if (facts_.unit_infos == 0 || topology.deviations.unit_info == 0U || topology.variant == Variant::graviton5) return;
  const RegisterId unit_info = bank.find("por_dtm_unit_info");
  for (unsigned i = 0; i < facts_.unit_infos; ++i) bank.set_reset(unit_info, i, crosspoint.dtc_domain);
}

void ConfigSpace::reset() {
  for (const auto& bank : banks_) {
    if (bank) bank->reset();
  }
  for (const auto& bank : dtm_banks_) bank->reset();
  reported_.clear();
}

ConfigSpace::Target ConfigSpace::decode(std::uint64_t address) const {
  const std::uint64_t window = address / facts_.node_window;
  if (window >= windows_.size() || windows_[window] == kNoNode) return {nullptr, 0};
  const unsigned index = windows_[window];
  const std::uint64_t offset = address % facts_.node_window;
  const std::uint64_t first_dtm = facts_.dtm_base + kDtmWindow;
  if (index >= 1 && index <= layout_.xps() && offset >= first_dtm) {
    const unsigned xp = index - 1;
    const std::uint64_t number = (offset - first_dtm) / kDtmStride;
    if (number < layout_.dtms_of(xp)) {
      return {dtm_banks_[layout_.first_dtm(xp) + number].get(), offset - facts_.dtm_base - number * kDtmStride};
    }
  }
  return {banks_[index].get(), offset};
}

void ConfigSpace::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const Target target = decode(address);
  if (target.bank == nullptr) {
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return guest_error(payload, address);
  }
  payload.set_address(target.offset);
  target.bank->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned ConfigSpace::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const Target target = decode(address);
  if (target.bank == nullptr) return 0;
  payload.set_address(target.offset);
  const unsigned moved = target.bank->transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

void ConfigSpace::guest_error(const tlm::tlm_generic_payload& payload, std::uint64_t address) {
  ++guest_errors_;
  if (!reported_.emplace(address, payload.get_data_length(), payload.is_write()).second) return;
  const std::uint64_t window = address / facts_.node_window;
  std::string what = "no node has its window there";
  if (window < windows_.size() && windows_[window] != kNoNode) {
    const unsigned index = windows_[window];
    what = fmt::format("{} (node id {:#x}) is {}: software must not touch it", layout_.name(index),
                       layout_.nodes()[index].node_id, layout_.nodes()[index].external ? "external" : "isolated");
  }
  const std::string text = fmt::format("{}: {}-byte {} at offset {:#x}: {}", name(), payload.get_data_length(),
                                       payload.is_write() ? "write" : "read", address, what);
  SC_REPORT_WARNING(kGuestErrorReport, text.c_str());
}

std::uint64_t ConfigSpace::guest_errors() const {
  const std::vector<PlacedBank> all = banks();
  return std::accumulate(all.begin(), all.end(), guest_errors_,
                         [](std::uint64_t sum, const PlacedBank& placed) { return sum + placed.bank->guest_errors(); });
}

std::vector<PlacedBank> ConfigSpace::banks() const {
  std::vector<PlacedBank> all;
  for (std::size_t window = 0; window < windows_.size(); ++window) {
    const std::uint16_t index = windows_[window];
    if (index == kNoNode || !banks_[index]) continue;
    const std::uint64_t offset = window * facts_.node_window;
    all.push_back({banks_[index].get(), offset});
    if (index < 1 || index > layout_.xps()) continue;
    for (unsigned i = 0; i < layout_.dtms_of(index - 1U); ++i) {
      all.push_back({dtm_banks_[layout_.first_dtm(index - 1U) + i].get(), offset + facts_.dtm_base + i * kDtmStride});
    }
  }
  return all;
}

bool ConfigSpace::dump_text(std::ostream& out, Picoseconds when, const std::string& bank) const {
  bool found = false;
  for (const PlacedBank& candidate : banks()) {
    if (!bank.empty() && candidate.bank->name() != bank) continue;
    candidate.bank->dump_text(out, when);
    found = true;
  }
  return found || bank.empty();
}

}  // namespace pmufab::cmn
