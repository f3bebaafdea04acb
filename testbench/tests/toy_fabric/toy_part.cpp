// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/toy_fabric/toy_part.h"

#include "tlm/spec/spec_error.h"

namespace pmufab::toy {
namespace {

constexpr FieldSpec kControlFields[] = {
    {.name = "EN", .lsb = 0, .width = 1, .access = Access::rw, .meaning = "packets are counted"}};
constexpr FieldSpec kCountFields[] = {{.name = "PACKETS", .lsb = 0, .width = 32, .access = Access::ro}};
constexpr RegisterSpec kRegisters[] = {
    {.name = "CONTROL", .offset = 0x0, .width = 32, .fields = kControlFields},
    {.name = "COUNT", .offset = 0x4, .width = 32, .fields = kCountFields},
};
static_assert(layout_is_valid(kRegisters, Belt::kSize));

}  // namespace

Belt::Belt(const sc_core::sc_module_name& name, std::uint64_t loses_every)
    : sc_core::sc_module(name),
      socket("socket"),
      loses_every_(loses_every),
      bank_({.name = "toy", .size = kSize}, kRegisters),
      control_(bank_.find("CONTROL")) {
  socket.register_b_transport(this, &Belt::b_transport);
  socket.register_transport_dbg(this, &Belt::transport_dbg);
  bank_.on_read(bank_.find("COUNT"), [this](unsigned, Picoseconds) { return std::uint64_t{counted_}; });
}

void Belt::pass() {
  ++passed_;
  if (observer_ != nullptr) observer_->on_packet(simulated_time());
  if (bank_.value(control_) == 0) return;
  if (loses_every_ == 0 || passed_ % loses_every_ != 0) ++counted_;
}

void Belt::reset() {
  bank_.reset();
  counted_ = 0;
}

void ToyPart::map(MmioBus& bus) { bus.map("toy", kBase, Belt::kSize, belt_.socket); }

void ToyPart::describe(platform::FirmwareDescription& firmware) {
  platform::AcpiDevice device;
  device.hid = "TOYB0001";
  device.uid = "0";
  device.memory.push_back({kBase, Belt::kSize});
  firmware.devices.push_back(std::move(device));
}

void ToyPart::add_registers(std::vector<platform::NamedRegisters>& banks) const {
  banks.push_back(platform::registers_of("toy", kBase, belt_.bank()));
}

void ToySpec::check(const platform::PlatformSpec& /*platform*/) const {
  if (loses_every == 1) throw SpecError("toy.loses_every", "is 1: such a PMU would count nothing");
}

void ToySpec::make(const platform::PlatformSpec& /*platform*/, platform::PlatformParts& parts) const {
  parts.push_back(std::make_unique<ToyPart>(loses_every));
}

}  // namespace pmufab::toy
