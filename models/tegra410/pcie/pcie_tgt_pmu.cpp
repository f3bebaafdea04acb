// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/pcie/pcie_tgt_pmu.h"

#include <string>

#include "models/tegra410/coresight_pmu_parameters.h"

namespace pmufab::tegra410 {

namespace {

// Offsets and bits: nvidia_cspmu.c, NV_PCIE_TGT_ADDR_*.
constexpr std::uint16_t kStride = 20;
constexpr FieldSpec kFilterControl[] = {{"ENABLE", 0, 1, Access::rw, 0, "the filter matches"}};
constexpr FieldSpec kFilterLow[] = {{"VALUE", 0, 32, Access::rw, 0, "address bits 31:0"}};
constexpr FieldSpec kFilterHigh[] = {{"VALUE", 0, 32, Access::rw, 0, "address bits 63:32"}};
constexpr RegisterSpec kFilterRegisters[] = {
    {"ADDR_CTRL", 0xd38, 32, kFilterControl, PcieTarget::kSlots, kStride},
    {"ADDR_BASE_LO", 0xd3c, 32, kFilterLow, PcieTarget::kSlots, kStride},
    {"ADDR_BASE_HI", 0xd40, 32, kFilterHigh, PcieTarget::kSlots, kStride},
    {"ADDR_MASK_LO", 0xd44, 32, kFilterLow, PcieTarget::kSlots, kStride},
    {"ADDR_MASK_HI", 0xd48, 32, kFilterHigh, PcieTarget::kSlots, kStride},
};
static_assert(layout_is_valid(kFilterRegisters, PcieTgtPmu::kFilterWindow));

constexpr unsigned kSlotsShift = 8;  // in PMEVFILT2R: [7:0] root ports, [15:8] address filters

CounterInput input_of(const coresight::CounterProgram& program, PcieTarget& target) {
  if (program.event == kPcieTgtCyclesEvent) return CounterInput::clock();
  if (program.event >= kPcieTargetEvents) return {};
  const auto event = static_cast<PcieTargetEvent>(program.event);
  const auto ports = static_cast<std::uint8_t>(program.filter2);
  const auto slots = static_cast<std::uint8_t>(program.filter2 >> kSlotsShift);
  // Without address filters, root ports are a set of qualifiers.
  if (slots == 0) return CounterInput::of(target.probe(event), ports);
  return CounterInput::of(target.monitor(program.counter, event, ports, slots));
}

}  // namespace

PcieTgtPmu::PcieTgtPmu(const sc_core::sc_module_name& name, const CoreSightPmuParameters& parameters,
                       const ClockDomain& clock, PcieTarget& target)
    : sc_core::sc_module(name),
      filters("filters"),
      target_(target),
      pmu_("pmu", coresight_options(parameters, kPcieTgtPmuIidr), clock,
           [&target](const coresight::CounterProgram& program) { return input_of(program, target); }),
      bank_({.name = std::string(this->name()) + ".filters", .size = kFilterWindow}, kFilterRegisters) {
  for (const RegisterSpec& spec : kFilterRegisters)
    bank_.on_write(bank_.find(spec.name), [this](const RegisterWrite& write) { update_slot(write.element); });
  filters.register_b_transport(this, &PcieTgtPmu::b_transport);
  filters.register_transport_dbg(this, &PcieTgtPmu::transport_dbg);
}

PcieTgtPmu::~PcieTgtPmu() = default;

void PcieTgtPmu::update_slot(unsigned slot) {
  const auto read = [&](std::string_view name) { return bank_.value(bank_.find(name), slot); };
  target_.set_slot(slot, {.enabled = (read("ADDR_CTRL") & 1) != 0,
                          .base = read("ADDR_BASE_HI") << 32 | read("ADDR_BASE_LO"),
                          .mask = read("ADDR_MASK_HI") << 32 | read("ADDR_MASK_LO")});
}

void PcieTgtPmu::reset() {
  pmu_.reset();
  bank_.reset();
  for (unsigned slot = 0; slot < PcieTarget::kSlots; ++slot) target_.set_slot(slot, {});
}

}  // namespace pmufab::tegra410
