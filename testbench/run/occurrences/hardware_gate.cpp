// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/hardware_gate.h"

#include <optional>

#include <fmt/format.h>

#include "tlm/transaction/payload_data.h"

namespace pmufab::scenario {
namespace {

constexpr std::uint64_t kEndless = 1'000'000;  // accesses of one call; a mesh of many nodes takes some thousands

/// A note that an access carries while this object exists, whatever is thrown.
struct CarriedNote {
  explicit CarriedNote(tlm::tlm_generic_payload& payload) : payload_(payload) { payload_.set_extension(&note); }
  ~CarriedNote() { payload_.clear_extension(&note); }
  CarriedNote& operator=(CarriedNote&&) = delete;

  RegisterNote note;

 private:
  tlm::tlm_generic_payload& payload_;
};

}  // namespace

HardwareGate::HardwareGate(const sc_core::sc_module_name& name, platform::Platform& platform,
                           driver_host::DriverHost& host, Triggers& triggers)
    : sc_core::sc_module(name), cpus("cpus"), bus("bus"), host_(host), triggers_(triggers), faults_(platform, host) {
  cpus.register_b_transport(this, &HardwareGate::b_transport);
  cpus.register_transport_dbg(this, &HardwareGate::transport_dbg);
}

void HardwareGate::on_call(Triggers::Call call, bool begin, const std::string& pmu) {
  triggers_.on_call(call, begin, pmu);
  if (call == Triggers::Call::interrupt && !begin) faults_.on_handled(pmu);
}

void HardwareGate::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (triggers_.place().access >= kEndless)
    host_.die(fmt::format("one call of the driver of {} makes register accesses without end: {} so far",
                          triggers_.place().pmu, kEndless));
  if (triggers_.before_access()) {
    // It has an instant of its own, so that nobody can take it for earlier or later.
    sc_core::wait(to_sc_time(1));
    triggers_.fire();
    sc_core::wait(to_sc_time(1));
  }
  if (!triggers_.place().pmu.empty()) faults_.on_access(triggers_.place().pmu, payload.get_address());
  std::optional<CarriedNote> note;
  if (!takers_.empty()) note.emplace(payload);
  const sc_core::sc_time slowness = faults_.slowness(payload);
  if (!faults_.answer(payload)) {
    bus->b_transport(payload, delay);
    faults_.change_answer(payload);
  } else if (payload.is_write() && take_lost_) {
    take_lost_({simulated_time(), payload.get_address(), data_of(payload), payload.get_data_length(), true, true});
  }
  delay += slowness;
  if (note) record(payload, note->note);
}

void HardwareGate::record(const tlm::tlm_generic_payload& payload, const RegisterNote& note) const {
  AccessRecord access{.when = simulated_time(),
                      .place = triggers_.place(),
                      .address = payload.get_address(),
                      .size = payload.get_data_length(),
                      .is_write = payload.is_write(),
                      .ok = payload.is_response_ok(),
                      .bank = note.bank,
                      .name = note.name,
                      .function = host_.driver_function(),
                      .cpu = host_.driver_cpu(),
                      .registers = note.registers,
                      .spec = note.spec,
                      .index = note.reg.index,
                      .element = static_cast<std::uint16_t>(note.element),
                      .shift = note.shift,
                      .before = note.before};
  access.value = data_of(payload);
  if (note.registers != nullptr) access.after = note.registers->read(note.reg, note.element, access.when);
  for (const auto& take : takers_) take(access);
}

}  // namespace pmufab::scenario
