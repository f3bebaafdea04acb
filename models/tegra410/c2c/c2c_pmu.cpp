// SPDX-License-Identifier: Apache-2.0
#include "models/tegra410/c2c/c2c_pmu.h"

#include <algorithm>

#include <fmt/format.h>

#include "tlm/probe/event_sink.h"

namespace pmufab::tegra410 {

namespace {

// Offsets and bits: nvidia_t410_c2c_pmu.c, C2C_*. This is the initial room for requests under way at one instance; it
// grows on demand.
constexpr std::size_t kRoom = 16;

constexpr FieldSpec kC2cControlFields[] = {{"ENABLE", 0, 1, Access::rw, 0, "count; 0 to 1 clears first"}};
constexpr FieldSpec kInStatusFields[] = {{"CYCLE_OVF", 0, 1, Access::ro},
                                         {"IN_RD_CUM_OUTS_OVF", 1, 1, Access::ro},
                                         {"IN_RD_REQ_OVF", 2, 1, Access::ro},
                                         {"IN_WR_CUM_OUTS_OVF", 3, 1, Access::ro},
                                         {"IN_WR_REQ_OVF", 4, 1, Access::ro}};
constexpr FieldSpec kOutStatusFields[] = {{"OUT_RD_CUM_OUTS_OVF", 0, 1, Access::ro},
                                          {"OUT_RD_REQ_OVF", 1, 1, Access::ro},
                                          {"OUT_WR_CUM_OUTS_OVF", 2, 1, Access::ro},
                                          {"OUT_WR_REQ_OVF", 3, 1, Access::ro}};
constexpr FieldSpec kLowFields[] = {{"COUNT", 0, 32, Access::ro, 0, "bits 31 to 0"}};
constexpr FieldSpec kHighFields[] = {{"COUNT", 0, 32, Access::ro, 0, "bits 63 to 32"}};

constexpr std::uint32_t kControl = 0x864;
constexpr std::uint32_t kInStatus = 0x868;
constexpr std::uint32_t kOutStatus = 0x890;

// A counter is two registers of 32 bits, because it lies at a multiple of 4 and is never read whole. The order is that
// of the driver's event numbers: cycles, then outstanding and requests for each kind of traffic. IN_WR_REQ_CNTR has
// room for 32 bits only: OUT_STATUS follows (the driver takes that for the upper half).
constexpr unsigned kCounters = 9;
constexpr std::uint32_t kLow[kCounters] = {0x86c, 0x874, 0x87c, 0x884, 0x88c, 0x898, 0x8a0, 0x8a8, 0x8b0};
constexpr unsigned kInCounters = 5;  // those whose overflow IN_STATUS reports
constexpr unsigned kInWriteRequests = 4;
constexpr std::string_view kNames[kCounters][2] = {
    {"CYCLE_CNTR_LO", "CYCLE_CNTR_HI"},
    {"IN_RD_CUM_OUTS_CNTR_LO", "IN_RD_CUM_OUTS_CNTR_HI"},
    {"IN_RD_REQ_CNTR_LO", "IN_RD_REQ_CNTR_HI"},
    {"IN_WR_CUM_OUTS_CNTR_LO", "IN_WR_CUM_OUTS_CNTR_HI"},
    {"IN_WR_REQ_CNTR", ""},
    {"OUT_RD_CUM_OUTS_CNTR_LO", "OUT_RD_CUM_OUTS_CNTR_HI"},
    {"OUT_RD_REQ_CNTR_LO", "OUT_RD_REQ_CNTR_HI"},
    {"OUT_WR_CUM_OUTS_CNTR_LO", "OUT_WR_CUM_OUTS_CNTR_HI"},
    {"OUT_WR_REQ_CNTR_LO", "OUT_WR_REQ_CNTR_HI"},
};

constexpr RegisterSpec low(unsigned counter) { return {kNames[counter][0], kLow[counter], 32, kLowFields}; }
constexpr RegisterSpec high(unsigned counter) { return {kNames[counter][1], kLow[counter] + 4, 32, kHighFields}; }

constexpr RegisterSpec kC2cInstanceRegisters[] = {
    {"CTRL", kControl, 32, kC2cControlFields},
    {"IN_STATUS", kInStatus, 32, kInStatusFields},
    {"OUT_STATUS", kOutStatus, 32, kOutStatusFields},
    low(0),
    high(0),
    low(1),
    high(1),
    low(2),
    high(2),
    low(3),
    high(3),
    low(4),
    low(5),
    high(5),
    low(6),
    high(6),
    low(7),
    high(7),
    low(8),
    high(8),
};
static_assert(layout_is_valid(kC2cInstanceRegisters, C2cPmu::kWindowSize));

constexpr FieldSpec kC2cBroadcastControlFields[] = {{"ENABLE", 0, 1, Access::wo, 0, "of every instance"}};
constexpr FieldSpec kC2cNothingFields[] = {{"ZERO", 0, 32, Access::raz_wi}};

// The same offsets as in an instance, so that a wrong access size is a guest error here too.
constexpr RegisterSpec kC2cBroadcastRegisters[] = {
    {"CTRL", kControl, 32, kC2cBroadcastControlFields}, {"IN_STATUS", kInStatus, 32, kC2cNothingFields},
    {"IN_CNTR", kLow[0], 32, kC2cNothingFields, 9, 4},  {"OUT_STATUS", kOutStatus, 32, kC2cNothingFields},
    {"OUT_CNTR", kLow[5], 32, kC2cNothingFields, 8, 4},
};
static_assert(layout_is_valid(kC2cBroadcastRegisters, C2cPmu::kWindowSize));

}  // namespace

C2cPmu::C2cPmu(const sc_core::sc_module_name& name, const Options& options, const ClockDomain& clock)
    : sc_core::sc_module(name),
      socket("socket"),
      maximum_(EventSink(options.width).maximum()),
      instances_(options.instances, Instance{CycleCount(clock, 64)}),
      counted_(std::size_t{options.instances} * kTrafficKinds, OccupancyAccumulator(clock, options.width, kRoom)) {
  recent_.reserve(kRecent);
  for (const std::uint32_t mask : options.masks) {
    std::vector<std::uint8_t>& peer = peers_.emplace_back();
    for (unsigned index = 0; index < options.instances; ++index) {
      if ((mask >> index & 1U) != 0) peer.push_back(static_cast<std::uint8_t>(index));
    }
  }
  for (unsigned index = 0; index < options.instances; ++index) build_instance(index);
  build_broadcast();
  socket.register_b_transport(this, &C2cPmu::b_transport);
  socket.register_transport_dbg(this, &C2cPmu::transport_dbg);
}

C2cPmu::~C2cPmu() = default;

void C2cPmu::build_instance(unsigned index) {
  auto bank = std::make_unique<RegisterBank>(
      RegisterBank::Options{.name = fmt::format("{}.instance{}", name(), index), .size = kWindowSize},
      kC2cInstanceRegisters);
  enable_ = bank->find("CTRL", "ENABLE");
  bank->on_write(enable_, [this, index](const FieldWrite& write) { write_enable(index, write.written, write.when); });
  const auto status = [this, index](unsigned first, unsigned end) {
    return [this, index, first, end](unsigned, Picoseconds when) {
      std::uint64_t bits = 0;
      for (unsigned counter = first; counter < end; ++counter) {
        if (overflowed(index, counter, when)) bits |= std::uint64_t{1} << (counter - first);
      }
      return bits;
    };
  };
  bank->on_read(bank->find("IN_STATUS"), status(0, kInCounters));
  bank->on_read(bank->find("OUT_STATUS"), status(kInCounters, kCounters));
  for (unsigned counter = 0; counter < kCounters; ++counter) {
    bank->on_read(bank->find(kNames[counter][0]), [this, index, counter](unsigned, Picoseconds when) {
      return count(index, counter, when) & 0xffff'ffffU;
    });
    if (kNames[counter][1].empty()) continue;
    bank->on_read(bank->find(kNames[counter][1]),
                  [this, index, counter](unsigned, Picoseconds when) { return count(index, counter, when) >> 32; });
  }
  banks_.push_back(std::move(bank));
}

void C2cPmu::build_broadcast() {
  auto bank = std::make_unique<RegisterBank>(
      RegisterBank::Options{.name = fmt::format("{}.broadcast", name()), .size = kWindowSize}, kC2cBroadcastRegisters);
  bank->on_write(bank->find("CTRL", "ENABLE"), [this](const FieldWrite& write) {
    for (unsigned index = 0; index < instances(); ++index) write_enable(index, write.written, write.when);
  });
  banks_.push_back(std::move(bank));
}

void C2cPmu::write_enable(unsigned index, std::uint64_t enable, Picoseconds when) {
  banks_[index]->set_value(enable_.reg, enable_.placed(enable));  // a broadcast write has not set it
  Instance& instance = instances_[index];
  if (instance.running == (enable != 0)) return;
  if (enable == 0) {
    stop(index, when);
    return;
  }
  put_recent_away();
  clear(index, when);
  instance.running = true;
  ++running_;
  instance.cycles.start(when);
  for (unsigned kind = 0; kind < kTrafficKinds; ++kind) counted(index, static_cast<Traffic>(kind)).start(when);
}

void C2cPmu::stop(unsigned index, Picoseconds when) {
  Instance& instance = instances_[index];
  if (!instance.running) return;
  put_recent_away();
  instance.running = false;
  --running_;
  instance.cycles.stop(when);
  for (unsigned kind = 0; kind < kTrafficKinds; ++kind) counted(index, static_cast<Traffic>(kind)).stop(when);
}

void C2cPmu::clear(unsigned index, Picoseconds when) {
  instances_[index].cycles.set_value(0, when);
  instances_[index].passed_all = false;
  for (unsigned kind = 0; kind < kTrafficKinds; ++kind) counted(index, static_cast<Traffic>(kind)).clear(when);
}

/// While nothing counts, an ended request can no longer be counted.
void C2cPmu::make_room(Picoseconds now) {
  if (running_ == 0) {
    std::erase_if(recent_, [now](const Request& request) { return request.end <= now; });
    if (recent_.size() <= kRecent / 2) return;
  }
  put_recent_away();
}

void C2cPmu::put_recent_away() {
  for (const Request& request : recent_) {
    const std::vector<std::uint8_t>& peer = peers_[request.peer];
    counted(peer[request.line % peer.size()], request.traffic).add(request.now, request.start, request.end, 1);
  }
  recent_.clear();
}

// cppcheck-suppress passedByValue ; an enumeration, which cppcheck takes for another class of this name
void C2cPmu::add_at_once(Traffic traffic, unsigned instance, std::uint64_t amount, Picoseconds now, Picoseconds end) {
  put_recent_away();
  counted(instance, traffic).add(now, now, end, amount);
}

void C2cPmu::pass_cycles(std::uint64_t cycles, Picoseconds when) {
  for (Instance& instance : instances_) instance.passed_all |= instance.cycles.pass(cycles, when);
}

std::uint64_t C2cPmu::count(unsigned instance, unsigned counter, Picoseconds when) {
  if (counter == 0) return instances_[instance].cycles.value(when) & maximum_;
  put_recent_away();
  const OccupancyAccumulator& traffic = counted(instance, static_cast<Traffic>((counter - 1) / 2));
  return counter % 2 == 0 ? traffic.requests(when) : traffic.occupancy(when);
}

bool C2cPmu::overflowed(unsigned instance, unsigned counter, Picoseconds when) {
  if (counter == 0) return instances_[instance].passed_all || instances_[instance].cycles.value(when) > maximum_;
  put_recent_away();
  const OccupancyAccumulator& traffic = counted(instance, static_cast<Traffic>((counter - 1) / 2));
  if (counter % 2 != 0) return traffic.occupancy_overflowed(when);
  return traffic.requests_overflowed(when) || (counter == kInWriteRequests && traffic.requests(when) >> 32 != 0);
}

void C2cPmu::reset() {
  const Picoseconds when = to_picoseconds(sc_core::sc_time_stamp());
  for (const auto& bank : banks_) bank->reset();
  put_recent_away();
  for (unsigned index = 0; index < instances(); ++index) {
    stop(index, when);
    clear(index, when);
  }
}

void C2cPmu::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t window = address / kWindowSize;
  if (window >= windows()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address % kWindowSize);
  banks_[window]->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned C2cPmu::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t window = address / kWindowSize;
  if (window >= windows()) return 0;
  payload.set_address(address % kWindowSize);
  const unsigned bytes = banks_[window]->transport_dbg(payload);
  payload.set_address(address);
  return bytes;
}

}  // namespace pmufab::tegra410
