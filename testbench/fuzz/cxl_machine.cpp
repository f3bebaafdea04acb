// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/cxl_machine.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/cxl/part/cxl_spec.h"
#include "models/platform/platform_spec.h"

namespace pmufab::fuzz {

namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 40;
constexpr std::uint64_t kStep = std::uint64_t{256} << 20;
constexpr unsigned kMostRequests = 256;  // under way

using cxl::CounterType;

platform::CxlCpmuSpec cpmu_with_everything() {
  platform::CxlCpmuSpec spec;
  spec.groups = {{.group = 0},
                 {.group = 0x20},
                 {.group = 0x8000},
                 {.vendor = 0x1234, .group = 7, .events = {{3, cxl::MessageClass::m2s_req, 1}}}};
  spec.parameters.counters.resize(4);
  spec.parameters.hdm_filter = true;
  spec.parameters.ddr_filter = true;
  return spec;
}

/// Counters are narrow, so that they overflow, and of all types.
platform::CxlCpmuSpec narrow_cpmu() {
  platform::CxlCpmuSpec spec;
  spec.groups = {{.group = 0}, {.group = 0x20}, {.group = 0x24}};
  spec.parameters.counters = {{},
                              {.type = CounterType::fixed, .group = 1, .events = 0x6},
                              {.type = CounterType::free_running, .group = 0, .events = 1},
                              {.type = CounterType::free_running, .group = 2, .events = 1, .threshold = 1},
                              {}};
  spec.parameters.width = 7;
  spec.parameters.frequency_hz = 400'000'000;
  spec.parameters.message_number = 2;
  spec.parameters.latency = 3'000;
  return spec;
}

platform::CxlCpmuSpec wide_cpmu() {
  platform::CxlCpmuSpec spec;
  spec.groups = {{.group = 0}, {.group = 0x21}};
  spec.parameters.counters.resize(3);
  spec.parameters.width = 64;
  spec.parameters.writable_while_frozen = false;
  return spec;
}

platform::CxlCpmuSpec poor_cpmu() {
  platform::CxlCpmuSpec spec;
  spec.groups = {{.group = 0x20}};
  spec.parameters.counters.resize(2);
  spec.parameters.width = 1;
  spec.parameters.freeze = false;
  spec.parameters.writable_while_frozen = false;
  spec.parameters.interrupt = false;
  return spec;
}

std::vector<platform::CxlDeviceSpec> devices() {
  std::vector<platform::CxlDeviceSpec> specs(2);
  specs[0].decoders = {{.base = kMemory, .size = kStep}, {.base = kMemory + kStep, .size = 2 * kStep}};
  specs[0].cpmus = {cpmu_with_everything(), narrow_cpmu()};
  specs[0].registers.payload_size_log2 = 8;
  specs[1].decoders = {{.base = kMemory + 16 * kStep, .size = kStep}};
  specs[1].cpmus = {wide_cpmu(), poor_cpmu()};
  specs[1].registers.payload_size_log2 = 9;
  specs[1].registers.msi_x_vectors = 0;
  specs[1].registers.msi_vectors = 4;
  specs[1].registers.memory_ranges = 2;
  specs[1].registers.hdm_decoders = 1;
  specs[1].registers.mailbox_ready_after = 5'000'000;
  specs[1].registers.media_ready_after = 2'000'000;
  specs[1].registers.memory.event_message = 3;
  platform::check_cxl(specs);
  return specs;
}

constexpr std::array kOperations{
    cxl::HostOperationKind::read,          cxl::HostOperationKind::write,
    cxl::HostOperationKind::write_partial, cxl::HostOperationKind::load,
    cxl::HostOperationKind::invalidate,    cxl::HostOperationKind::invalidate_nt,
    cxl::HostOperationKind::clean_evict,   cxl::HostOperationKind::speculative_read,
};

/// @return the configuration space address of function 0 of device 0 on a bus, or of a root port.
std::uint64_t configuration_of(std::size_t device) { return platform::default_map::kEcam + ((1 + device) << 20); }
std::uint64_t configuration_of_port(std::size_t port) { return platform::default_map::kEcam + (port << 15); }

}  // namespace

CxlMachine::CxlMachine(Focus focus) : bus_("bus"), part_(devices()) {
  part_.map(bus_);
  windows_ = bus_.windows();
  for (std::size_t device = 0; device < part_.size(); ++device) {
    add_places(focus, device);
    listen(device);
    platform::CxlPart::Device& parts = part_.device(device);
    Checkers& checkers = checkers_.emplace_back();
    checkers.device = std::make_unique<DeviceChecker>(fmt::format("cxl{}", device), bus_, *parts.registers, parts.bar);
    for (unsigned number = 0; number < parts.cpmus.size(); ++number) {
      checkers.cpmus.emplace_back(fmt::format("cxl{}.cpmu{}", device, number), bus_, part_.cpmu_address(device, number),
                                  parts.cpmus[number]->parameters());
    }
  }
}

CxlMachine::~CxlMachine() = default;

void CxlMachine::add_places(Focus focus, std::size_t device) {
  platform::CxlPart::Device& parts = part_.device(device);
  const auto add = [&](std::uint64_t base, std::initializer_list<std::uint64_t> offsets) {
    for (const std::uint64_t offset : offsets) places_.push_back(base + offset);
  };
  const auto add_range = [&](std::uint64_t base, std::uint64_t end, std::uint64_t step) {
    for (std::uint64_t at = base; at < end; at += step) places_.push_back(at);
  };
  const std::uint64_t bar = parts.bar;
  if (focus == Focus::cpmu) {
    add(configuration_of(device), {0x04, 0x48});
    for (unsigned number = 0; number < parts.cpmus.size(); ++number) {
      const std::uint64_t base = part_.cpmu_address(device, number);
      const std::uint64_t counters = parts.cpmus[number]->parameters().counters.size();
      add(base, {0x000, 0x010, 0x018, 0x100});
      add_range(base + 0x200, base + 0x200 + 8 * counters, 8);
      add_range(base + 0x400, base + 0x400 + 32 * counters, 32);
      add_range(base + 0x404, base + 0x404 + 32 * counters, 32);
      add_range(base + 0xc00, base + 0xc00 + 8 * counters, 8);
    }
  } else {
    add_range(configuration_of(device), configuration_of(device) + 0x40, 4);
    add_range(configuration_of(device) + 0x40, configuration_of(device) + 0xc0, 4);
    add_range(configuration_of(device) + 0x100, configuration_of(device) + 0x160, 4);
    add(configuration_of_port(device), {0x04, 0x18, 0x3e, 0x48});
    const std::uint64_t component = bar + parts.registers->block_offset(0);
    add(component, {0x1000, 0x1004, 0x1008, 0x1080, 0x1204});
    add_range(component + 0x1210, component + 0x1210 + 0x40, 4);
    const std::uint64_t registers = bar + parts.registers->block_offset(1);
    add(registers, {0x00,  0x10,  0x80,  0x90,  0x100,
                    0x104, 0x104, 0x108, 0x108, 0x10a,
                    0x110, 0x118, 0x120, 0x121, 0x122,
                    0x126, 0x128, 0x130, 0x138, 0x118 + parts.registers->device().mailbox().payload_size()});
  }
  if (parts.registers->function().msi_x() != nullptr) {
    const std::uint64_t table = bar + parts.registers->block_offset(3) + 0x1'0000;
    add(table, {0x00, 0x08, 0x0c, 0x10, 0x18, 0x1c, 0x20, 0x2c, 0x800});
  }
}

void CxlMachine::listen(std::size_t device) {
  pcie::Function& function = part_.device(device).registers->function();
  function.messages().listen([this, &function](std::uint64_t address, std::uint32_t) {
    if (!function.is_bus_master()) failure_ = fmt::format("{} sends a message and is no bus master", function.name());
    if (address % 4 != 0) failure_ = fmt::format("{} sends a message to {:#x}", function.name(), address);
  });
}

bool CxlMachine::resets(std::uint64_t address) const {
  const auto ecam = std::find_if(windows_.begin(), windows_.end(), [](const auto& w) { return w.name == "cxl_ecam"; });
  return address - ecam->base < ecam->size;
}

void CxlMachine::reset() {
  // Sticky bits and event logs survive a platform reset, but an input must not see those of earlier ones.
  for (std::size_t device = 0; device < part_.size(); ++device) part_.device(device).port->reset(pcie::ResetKind::cold);
  part_.reset();
  for (std::size_t device = 0; device < part_.size(); ++device)
    part_.device(device).registers->function().space().write(0x04, 2, 0x6, 0);
}

void CxlMachine::act(unsigned kind, unsigned place, unsigned choice) {
  const std::size_t number = kind % part_.size();
  platform::CxlPart::Device& device = part_.device(number);
  if (kind >= 24) {
    cxl::EventRecord record;
    record.identifier.fill(static_cast<std::uint8_t>(choice));
    const unsigned count = kind >= 30 ? 40 : 1;  // more than a log holds
    for (unsigned i = 0; i < count; ++i)
      device.registers->add_event(static_cast<cxl::EventLog>(place % cxl::kEventLogs), record);
    return;
  }
  const unsigned count = 1 + choice % 64;
  for (unsigned i = 0; i < count && issued_ - completed_ < kMostRequests; ++i) {
    // A few lines in each decoder, and some addresses that no decoder claims.
    const std::uint64_t base = kMemory + (number == 0 ? place % 4 : 16 + place % 2) * kStep;
    const cxl::HostOperation operation{.kind = kOperations[kind / 2 % kOperations.size()],
                                       .tee = place >= 128,
                                       .address = base + 64 * (std::uint64_t{place / 4 % 32} * 129 + i)};
    if (device.host.issue(operation, *this) == cxl::IssueResult::sent) ++issued_;
  }
}

void CxlMachine::completed(std::uint32_t /*user*/, Picoseconds /*now*/) { ++completed_; }
void CxlMachine::unblocked(Picoseconds /*now*/) {}

bool CxlMachine::idle() const {
  auto& part = const_cast<platform::CxlPart&>(part_);
  for (std::size_t number = 0; number < part.size(); ++number) {
    platform::CxlPart::Device& device = part.device(number);
    if (device.host.pending() != 0 || device.memory.pending() != 0 || device.link.pending() != 0 ||
        device.memory.ddr().pending() != 0)
      return false;
  }
  return issued_ == completed_;
}

bool CxlMachine::reachable(std::size_t device) const {
  platform::CxlPart::Device& parts = const_cast<platform::CxlPart&>(part_).device(device);
  const pcie::Function& function = parts.registers->function();
  return function.memory_enabled() && function.bar_address(cxl::Type3Device::kBar) == parts.bar;
}

void CxlMachine::check(const Effect& effect) {
  require(!failure_, [this] { return *std::exchange(failure_, std::nullopt); });
  for (std::size_t device = 0; device < part_.size(); ++device) {
    Effect seen = effect;
    seen.is_write = effect.is_write && reachable(device);
    checkers_[device].device->check(seen);
    for (std::size_t number = 0; number < checkers_[device].cpmus.size(); ++number)
      checkers_[device].cpmus[number].check(seen, part_.device(device).cpmus[number]->messages_sent());
  }
}

void CxlMachine::check_end() {
  for (const Checkers& checkers : checkers_) {
    for (const CpmuChecker& cpmu : checkers.cpmus) cpmu.check_end();
  }
}

std::vector<std::uint64_t> CxlMachine::picture() const {
  std::vector<std::uint64_t> words;
  auto& part = const_cast<platform::CxlPart&>(part_);
  auto& bus = const_cast<MmioBus&>(bus_);
  const Peek peek(bus);
  for (std::size_t number = 0; number < part.size(); ++number) {
    platform::CxlPart::Device& device = part.device(number);
    for (const pcie::Function* function : {device.port, &device.registers->function()}) {
      for (unsigned at = 0; at < 0x200; at += 4) words.push_back(function->space().read(at, 4));
    }
  }
  for (const std::uint64_t place : places_) {
    std::uint64_t value = 0;
    words.push_back(peek.get(place & ~std::uint64_t{7}, 8, value) ? value : 0);
    words.push_back(peek.get(place & ~std::uint64_t{3}, 4, value) ? value : 0);
  }
  return words;
}

void CxlMachine::check_reset() {
  failure_.reset();
  std::vector<std::uint64_t> present = picture();
  for (std::size_t device = 0; device < part_.size(); ++device) {
    checkers_[device].device->forget();
    for (std::size_t number = 0; number < checkers_[device].cpmus.size(); ++number)
      checkers_[device].cpmus[number].forget(0, part_.device(device).cpmus[number]->messages_sent());
  }
  if (first_picture_.empty()) {
    first_picture_ = std::move(present);
    return;
  }
  const auto differ = std::mismatch(present.begin(), present.end(), first_picture_.begin());
  require(differ.first == present.end(), [&] {
    return fmt::format("after a reset, word {} of the picture of all registers is {:#x}, at first it was {:#x}",
                       differ.first - present.begin(), *differ.first, *differ.second);
  });
}

std::unique_ptr<Machine> make_cxl_machine(std::string_view target) {
  if (target == "cxl_device") return std::make_unique<CxlMachine>(CxlMachine::Focus::device);
  if (target == "cxl_cpmu") return std::make_unique<CxlMachine>(CxlMachine::Focus::cpmu);
  return nullptr;
}

}  // namespace pmufab::fuzz
