// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/host/fake_cxl.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pmufab::driver_host::testing {
namespace {

constexpr std::uint64_t kStatus = 0x100, kMailbox = 0x200, kMemoryDevice = 0x600;  // in the memory device's block
constexpr unsigned kPayloadOrder = 9;
constexpr std::uint64_t kPayload = kMailbox + 0x20;
constexpr std::uint16_t kGetLogs = 0x400, kGetLog = 0x401, kSetTimestamp = 0x301, kIdentify = 0x4000;
constexpr std::uint16_t kGetPolicy = 0x102, kSetPolicy = 0x103, kGetEvents = 0x100;
// The command effects log, as its UUID is printed.
constexpr std::uint8_t kEffectsLog[] = {0x0d, 0xa9, 0xc0, 0xb5, 0xbf, 0x41, 0x4b, 0x78,
                                        0x8f, 0x79, 0x96, 0xb1, 0x62, 0x3b, 0x3f, 0x17};

std::uint64_t mask_of(unsigned width) { return ~std::uint64_t{0} >> (64 - width); }

}  // namespace

FakeCpmu::FakeCpmu(const Options& options, std::function<void(unsigned)> send)
    : options_(options), send_(std::move(send)) {
  registers_[0] = (options.counters.size() - 1) | std::uint64_t{options.width} << 8 |
                  std::uint64_t{options.events.size() - 1} << 20 | options.filters << 32 |
                  std::uint64_t{options.message} << 44 | std::uint64_t{options.writable_while_frozen} << 48 |
                  std::uint64_t{options.freeze} << 49 | std::uint64_t{options.interrupt} << 50 | std::uint64_t{1} << 60;
  for (std::size_t i = 0; i < options.events.size(); ++i) registers_[kEventCapability + 8 * i] = options.events[i];
  for (std::size_t i = 0; i < options.counters.size(); ++i) registers_[kConfig + 8 * i] = options.counters[i];
}

std::uint64_t FakeCpmu::reg(std::uint64_t offset) const {
  const auto found = registers_.find(offset);
  return found == registers_.end() ? 0 : found->second;
}

std::uint64_t FakeCpmu::read(std::uint64_t offset, unsigned size) {
  return size == 8 ? reg(offset) : reg(offset) & 0xffffffff;
}

void FakeCpmu::write(std::uint64_t offset, unsigned, std::uint64_t value) {
  if (offset == kOverflow)
    registers_[offset] &= ~value;
  else if (offset >= kFreeze && (offset < kEventCapability || offset >= kConfig))
    registers_[offset] = value;
}

void FakeCpmu::count(unsigned counter, std::uint64_t amount) {
  const std::uint64_t bit = std::uint64_t{1} << counter;
  const std::uint64_t config = reg(kConfig + 8 * counter);
  if ((config & kEnable) == 0 || (reg(kFreeze) & bit) != 0) return;
  std::uint64_t& data = registers_[kData + 8 * counter];
  const std::uint64_t before = data;
  data = (before + amount) & mask_of(options_.width);
  if (amount <= mask_of(options_.width) - before) return;
  if ((config & kFreezeOnOverflow) != 0) registers_[kFreeze] = ~std::uint64_t{0};
  if ((reg(kOverflow) & bit) == 0 && (config & kInterrupt) != 0) raise(bit);
}

void FakeCpmu::raise(std::uint64_t counters) {
  registers_[kOverflow] |= counters;
  send_(options_.message);
}

FakeCxlMemory::FakeCxlMemory(const std::string& name, FakeBus& bus, std::uint64_t base, const Options& options)
    : function(0x1234, 0x5678, 0x050210), line(name), messages(function, line), bus_(bus), base_(base) {
  function.add_bar(0, base, kBarSize);
  function.add_pcie(options.pcie_type);
  if (options.msix_vectors != 0) {
    messages.add_msix(options.msix_vectors);
    bus.map(base, FakeMessages::kWindow, messages);
  }
  if (options.msi_order != 0) messages.add_msi(options.msi_order);

  const std::uint64_t serial = function.add_extended_capability(0x3, 12);
  function.set(serial + 4, 4, 0x90abcdef);
  const std::uint64_t device = function.add_dvsec(0, 0x3c);
  function.set(device + 0xa, 2, 0x4 | 1U << 4);  // CXL.mem, one range
  function.set(device + 0x1c, 4, (options.media_info_valid ? 1U : 0U) | (options.media_active ? 2U : 0U));
  const std::uint64_t locator = function.add_dvsec(8, 0xc + 8 * options.locator.size());
  for (std::size_t i = 0; i < options.locator.size(); ++i) {
    const Block& one = options.locator[i];
    const std::uint64_t entry = locator + 0xc + 8 * i;
    function.set(entry, 4,
                 one.bar | std::uint32_t{one.id} << 8 | (static_cast<std::uint32_t>(one.offset) & 0xffff0000));
    function.set(entry + 4, 4, static_cast<std::uint32_t>(one.offset >> 32));
  }

  bus.map(base + kDeviceBlock, 0x1000, block_);
  constexpr std::uint16_t kCapabilities[] = {0x1, 0x2, 0x4000};
  block_.set(0, 8, std::uint64_t{std::size(kCapabilities)} << 32);
  std::uint64_t header = 0;
  for (const std::uint16_t id : kCapabilities) {
    header += 0x10;
    block_.set(header, 4, id);
    block_.set(header + 4, 4, id == 0x1 ? kStatus : id == 0x2 ? kMailbox : kMemoryDevice);
    block_.set(header + 8, 4, id == 0x2 ? 0x20 + (1U << kPayloadOrder) : 8);
  }
  block_.set(kMailbox, 4, kPayloadOrder);
  block_.set(kMemoryDevice, 8, (options.media_ready ? 1U << 2 : 0U) | 1U << 4);
  add_default_commands();
}

FakeCpmu& FakeCxlMemory::add_cpmu(std::uint64_t offset, const FakeCpmu::Options& options) {
  cpmus_.push_back(std::make_unique<FakeCpmu>(options, [this](unsigned message) { messages.send(message); }));
  bus_.map(base_ + offset, 0xe00, *cpmus_.back());
  return *cpmus_.back();
}

void FakeCxlMemory::add_default_commands() {
  // The log lists every command that is not mandatory: opcode and effect, two bytes each.
  static constexpr std::uint16_t kListed[] = {kGetEvents, kGetPolicy, kSetPolicy, kSetTimestamp};
  commands[kGetLogs] = [](const auto&) {
    Reply reply{.payload = std::vector<std::uint8_t>(8 + 20)};  // one log: its UUID and its size
    reply.payload[0] = 1;
    std::copy(std::begin(kEffectsLog), std::end(kEffectsLog), reply.payload.begin() + 8);
    reply.payload[24] = 4 * std::size(kListed);
    return reply;
  };
  commands[kGetLog] = [](const auto& input) {
    Reply reply;
    if (input.size() != 24 || !std::equal(std::begin(kEffectsLog), std::end(kEffectsLog), input.begin()))
      return Reply{.code = 2};
    for (const std::uint16_t opcode : kListed) {
      reply.payload.push_back(static_cast<std::uint8_t>(opcode));
      reply.payload.push_back(static_cast<std::uint8_t>(opcode >> 8));
      reply.payload.resize(reply.payload.size() + 2);
    }
    return reply;
  };
  commands[kSetTimestamp] = [](const auto&) { return Reply{}; };
  commands[kIdentify] = [](const auto&) {
    Reply reply{.payload = std::vector<std::uint8_t>(67)};
    reply.payload[16] = reply.payload[24] = 4;  // 1 GiB, volatile
    return reply;
  };
  commands[kGetPolicy] = [](const auto&) { return Reply{.payload = {1, 1, 1, 1}}; };
  commands[kSetPolicy] = [](const auto&) { return Reply{}; };
  commands[kGetEvents] = [](const auto&) { return Reply{.payload = std::vector<std::uint8_t>(32)}; };
}

void FakeCxlMemory::execute() {
  const std::uint64_t command = block_.read(kMailbox + 0x8, 8);
  const auto opcode = static_cast<std::uint16_t>(command);
  const std::uint64_t length = command >> 16 & 0x1fffff;
  seen.push_back(opcode);
  if (opcode == hangs) return;
  const auto payload = block_.bytes.begin() + static_cast<std::ptrdiff_t>(kPayload);
  const std::vector<std::uint8_t> input(payload, payload + static_cast<std::ptrdiff_t>(length));
  const auto found = commands.find(opcode);
  const Reply reply = found == commands.end() ? Reply{.code = kUnsupported} : found->second(input);
  std::copy(reply.payload.begin(), reply.payload.end(), payload);
  block_.set(kMailbox + 0x8, 8, opcode | std::uint64_t{reply.payload.size()} << 16);
  block_.set(kMailbox + 0x10, 8, std::uint64_t{reply.code} << 32);
  block_.set(kMailbox + 0x4, 4, 0);  // done at once, so the doorbell is clear again
}

std::uint64_t FakeCxlMemory::DeviceBlock::read(std::uint64_t offset, unsigned size) {
  std::uint64_t value = 0;
  std::memcpy(&value, &bytes.at(offset), size);
  return value;
}

void FakeCxlMemory::DeviceBlock::set(std::uint64_t offset, unsigned size, std::uint64_t value) {
  std::memcpy(&bytes.at(offset), &value, size);
}

void FakeCxlMemory::DeviceBlock::write(std::uint64_t offset, unsigned size, std::uint64_t value) {
  if (offset >= kMailbox + 0x4 && offset < kPayload + (1U << kPayloadOrder)) set(offset, size, value);
  if (offset == kMailbox + 0x4 && (value & 1) != 0) memory->execute();
}

}  // namespace pmufab::driver_host::testing
