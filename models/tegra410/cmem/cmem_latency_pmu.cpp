// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/cmem/cmem_latency_pmu.h"

#include <fmt/format.h>

#include "tlm/probe/event_sink.h"

namespace pmufab::tegra410 {

namespace {

// Offsets and bits: nvidia_t410_cmem_latency_pmu.c, CMEM_LAT_*.
constexpr std::uint32_t kMcStride = 0x18;

constexpr FieldSpec kClockGateFields[] = {{"ENABLE", 0, 1, Access::rw, 0, "clock of the counters runs"}};
constexpr FieldSpec kControlFields[] = {{"ENABLE", 0, 1, Access::rw, 0, "count"},
                                        {"CLR", 1, 1, Access::wo, 0, "counters and status to zero"}};
constexpr FieldSpec kStatusFields[] = {{"CYCLE_OVF", 0, 1, Access::ro},   {"MC0_AOR_OVF", 1, 1, Access::ro},
                                       {"MC0_REQ_OVF", 3, 1, Access::ro}, {"MC1_AOR_OVF", 4, 1, Access::ro},
                                       {"MC1_REQ_OVF", 6, 1, Access::ro}, {"MC2_AOR_OVF", 7, 1, Access::ro},
                                       {"MC2_REQ_OVF", 9, 1, Access::ro}};
constexpr FieldSpec kCounterFields[] = {{"COUNT", 0, 64, Access::ro}};

constexpr RegisterSpec kInstanceRegisters[] = {
    {"CG_CTRL", 0x800, 64, kClockGateFields},
    {"CTRL", 0x808, 64, kControlFields},
    {"STATUS", 0x810, 64, kStatusFields},
    {"CYCLE_CNTR", 0x818, 64, kCounterFields},
    {"MC_REQ_CNTR", 0x820, 64, kCounterFields, kCmemControllersPerInstance, kMcStride},
    {"MC_AOR_CNTR", 0x830, 64, kCounterFields, kCmemControllersPerInstance, kMcStride},
};
static_assert(layout_is_valid(kInstanceRegisters, CmemLatencyPmu::kWindowSize));

constexpr FieldSpec kBroadcastClockGateFields[] = {{"ENABLE", 0, 1, Access::wo, 0, "of every instance"}};
constexpr FieldSpec kBroadcastControlFields[] = {{"ENABLE", 0, 1, Access::wo, 0, "of every instance"},
                                                 {"CLR", 1, 1, Access::wo, 0, "of every instance"}};
constexpr FieldSpec kNothingFields[] = {{"ZERO", 0, 64, Access::raz_wi}};

// The same offsets as in an instance, so that a wrong access size is a guest error here too.
constexpr RegisterSpec kBroadcastRegisters[] = {
    {"CG_CTRL", 0x800, 64, kBroadcastClockGateFields},
    {"CTRL", 0x808, 64, kBroadcastControlFields},
    {"STATUS", 0x810, 64, kNothingFields},
    {"CYCLE_CNTR", 0x818, 64, kNothingFields},
    {"MC_REQ_CNTR", 0x820, 64, kNothingFields, kCmemControllersPerInstance, kMcStride},
    {"MC_AOR_CNTR", 0x830, 64, kNothingFields, kCmemControllersPerInstance, kMcStride},
};
static_assert(layout_is_valid(kBroadcastRegisters, CmemLatencyPmu::kWindowSize));

}  // namespace

CmemLatencyPmu::CmemLatencyPmu(const sc_core::sc_module_name& name, const CmemLatencyPmuParameters& parameters,
                               const ClockDomain& clock)
    : sc_core::sc_module(name), socket("socket"), maximum_(EventSink(parameters.width).maximum()) {
  instances_.assign(kCmemInstances, Instance{CycleCount(clock, 64)});
  controllers_.assign(std::size_t{kCmemInstances} * kCmemControllersPerInstance,
                      OccupancyAccumulator(clock, parameters.width));
  for (unsigned index = 0; index < kCmemInstances; ++index) build_instance(index);
  build_broadcast();
  socket.register_b_transport(this, &CmemLatencyPmu::b_transport);
  socket.register_transport_dbg(this, &CmemLatencyPmu::transport_dbg);
}

CmemLatencyPmu::~CmemLatencyPmu() = default;

void CmemLatencyPmu::build_instance(unsigned index) {
  auto bank = std::make_unique<RegisterBank>(
      RegisterBank::Options{.name = fmt::format("{}.instance{}", name(), index), .size = kWindowSize},
      kInstanceRegisters);
  clock_gate_ = bank->find("CG_CTRL", "ENABLE");
  enable_ = bank->find("CTRL", "ENABLE");
  bank->on_write(clock_gate_,
                 [this, index](const FieldWrite& write) { write_clock_gate(index, write.written, write.when); });
  bank->on_write(enable_, [this, index](const FieldWrite& write) { write_enable(index, write.written, write.when); });
  bank->on_write(bank->find("CTRL", "CLR"), [this, index](const FieldWrite& write) {
    if (write.written != 0) clear(index, write.when);
  });
  bank->on_read(bank->find("STATUS"), [this, index](unsigned, Picoseconds when) { return status(index, when); });
  bank->on_read(bank->find("CYCLE_CNTR"),
                [this, index](unsigned, Picoseconds when) { return instances_[index].cycles.value(when) & maximum_; });
  bank->on_read(bank->find("MC_REQ_CNTR"),
                [this, index](unsigned mc, Picoseconds when) { return controller(index, mc).requests(when); });
  bank->on_read(bank->find("MC_AOR_CNTR"),
                [this, index](unsigned mc, Picoseconds when) { return controller(index, mc).occupancy(when); });
  banks_.push_back(std::move(bank));
}

void CmemLatencyPmu::build_broadcast() {
  auto bank = std::make_unique<RegisterBank>(
      RegisterBank::Options{.name = fmt::format("{}.broadcast", name()), .size = kWindowSize}, kBroadcastRegisters);
  bank->on_write(bank->find("CG_CTRL", "ENABLE"), [this](const FieldWrite& write) {
    for (unsigned index = 0; index < kCmemInstances; ++index) write_clock_gate(index, write.written, write.when);
  });
  bank->on_write(bank->find("CTRL", "ENABLE"), [this](const FieldWrite& write) {
    for (unsigned index = 0; index < kCmemInstances; ++index) write_enable(index, write.written, write.when);
  });
  bank->on_write(bank->find("CTRL", "CLR"), [this](const FieldWrite& write) {
    for (unsigned index = 0; index < kCmemInstances && write.written != 0; ++index) clear(index, write.when);
  });
  banks_.push_back(std::move(bank));
}

void CmemLatencyPmu::write_clock_gate(unsigned index, std::uint64_t value, Picoseconds when) {
  instances_[index].clocked = value != 0;
  banks_[index]->set_value(clock_gate_.reg, clock_gate_.placed(value));  // a broadcast write has not set it
  update(index, when);
}

void CmemLatencyPmu::write_enable(unsigned index, std::uint64_t value, Picoseconds when) {
  instances_[index].enabled = value != 0;
  banks_[index]->set_value(enable_.reg, enable_.placed(value));
  update(index, when);
}

void CmemLatencyPmu::update(unsigned index, Picoseconds when) {
  Instance& instance = instances_[index];
  const bool running = instance.enabled && instance.clocked;
  if (running == instance.running) return;
  instance.running = running;
  if (running) {
    instance.cycles.start(when);
  } else {
    instance.cycles.stop(when);
  }
  for (unsigned mc = 0; mc < kCmemControllersPerInstance; ++mc) {
    if (running) {
      controller(index, mc).start(when);
    } else {
      controller(index, mc).stop(when);
    }
  }
}

void CmemLatencyPmu::clear(unsigned index, Picoseconds when) {
  instances_[index].cycles.set_value(0, when);
  instances_[index].passed_all = false;
  for (unsigned mc = 0; mc < kCmemControllersPerInstance; ++mc) controller(index, mc).clear(when);
}

std::uint64_t CmemLatencyPmu::status(unsigned index, Picoseconds when) const {
  const Instance& instance = instances_[index];
  std::uint64_t bits = instance.passed_all || instance.cycles.value(when) > maximum_ ? 1 : 0;
  for (unsigned mc = 0; mc < kCmemControllersPerInstance; ++mc) {
    const OccupancyAccumulator& reads = controllers_[index * kCmemControllersPerInstance + mc];
    if (reads.occupancy_overflowed(when)) bits |= std::uint64_t{1} << (3 * mc + 1);
    if (reads.requests_overflowed(when)) bits |= std::uint64_t{1} << (3 * mc + 3);
  }
  return bits;
}

void CmemLatencyPmu::reset() {
  const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp());
  for (const auto& bank : banks_) bank->reset();
  for (unsigned index = 0; index < kCmemInstances; ++index) {
    instances_[index].enabled = false;
    instances_[index].clocked = false;
    update(index, when);
    clear(index, when);
  }
}

void CmemLatencyPmu::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t window = address / kWindowSize;
  if (window >= kWindows) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address % kWindowSize);
  banks_[window]->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned CmemLatencyPmu::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t window = address / kWindowSize;
  if (window >= kWindows) return 0;
  payload.set_address(address % kWindowSize);
  const unsigned bytes = banks_[window]->transport_dbg(payload);
  payload.set_address(address);
  return bytes;
}

}  // namespace pmufab::tegra410
