// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/device_checker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace pmufab::fuzz {

namespace {

// CXL 3.1, 8.2.8.4: relative to the mailbox, which lies 0x100 bytes into the device registers.
constexpr std::uint64_t kMailbox = 0x100;
constexpr std::uint64_t kControl = 0x04;
constexpr std::uint64_t kCommand = 0x08;
constexpr std::uint64_t kStatus = 0x10;
constexpr std::uint64_t kPayload = 0x20;
// CXL 3.1, 8.2.4.20; the capability array points here.
constexpr std::uint64_t kDecoders = 0x1200;
constexpr std::uint64_t kCommit = 1 << 9;
constexpr std::uint64_t kCommitted = 1 << 10;
constexpr std::uint64_t kErrorNotCommitted = 1 << 11;

constexpr std::array<std::uint64_t, 8> kReturnCodes{0x0, 0x2, 0x3, 0x4, 0x5, 0xe, 0x16, 0x17};

constexpr unsigned kBlockComponent = 0;
constexpr unsigned kBlockDevice = 1;

}  // namespace

DeviceChecker::DeviceChecker(std::string name, MmioBus& bus, cxl::Type3Device& device, std::uint64_t address)
    : name_(std::move(name)),
      peek_(bus),
      device_(device),
      component_(address + device.block_offset(kBlockComponent)),
      mailbox_(address + device.block_offset(kBlockDevice) + kMailbox),
      payload_bytes_(device.device().mailbox().payload_size()) {
  const pcie::ConfigurationSpace& space = device.function().space();
  const auto add = [&](unsigned offset) { constant_.emplace_back(offset, space.read(offset, 4)); };
  add(0x00);  // vendor and device
  add(0x08);  // class and revision
  add(0x2c);  // subsystem
  add(0x34);  // capabilities
  // Headers of all capabilities; of designated vendor-specific ones, the first twelve bytes.
  for (unsigned at = space.read(0x34, 1); at != 0; at = space.read(at + 1, 1))
    constant_.emplace_back(at, space.read(at, 2));
  for (unsigned at = 0x100; at != 0; at = space.read(at, 4) >> 20) {
    for (unsigned i = 0; i < (space.read(at, 2) == 0x23 ? 3U : 1U); ++i) add(at + 4 * i);
  }
}

std::vector<std::uint64_t> DeviceChecker::payload() const {
  std::vector<std::uint64_t> words(payload_bytes_ / 8);
  for (unsigned i = 0; i < words.size(); ++i) words[i] = peek_(mailbox_ + kPayload + 8 * i, 8);
  return words;
}

void DeviceChecker::check(const Effect& effect) {
  check_mailbox(effect);
  check_decoders();
  if (effect.may_reset) check_configuration();
}

void DeviceChecker::check_mailbox(const Effect& effect) {
  const bool busy = (peek_(mailbox_ + kControl, 4) & 1) != 0;
  const std::uint64_t length = peek_(mailbox_ + kCommand, 8) >> 16;
  const std::uint64_t status = peek_(mailbox_ + kStatus, 8);
  require((status & 0xffff'ffff) == 0 && status >> 48 == 0, name_ + ": mailbox status has bits it does not have");
  require(std::find(kReturnCodes.begin(), kReturnCodes.end(), status >> 32) != kReturnCodes.end(),
          [&] { return fmt::format("{}: the mailbox returns {:#x}", name_, status >> 32); });
  // A doorbell write after the command's time finds the command executed, and starts another.
  const bool over = effect.when >= busy_since_ + device_.parameters().command_latency || may_have_begun_before_;
  const bool again = busy_ && over && effect.writes(mailbox_ + kControl, 4);
  if (busy && (!busy_ || again || effect.may_reset)) {
    busy_since_ = effect.when;
    // The command may have begun earlier. Then it is not known whether it had ended and this write started another one.
    may_have_begun_before_ = effect.may_reset || (again && may_have_begun_before_);
    payload_ = payload();
    require(effect.is_write || effect.may_reset, name_ + ": the doorbell rang itself");
  } else if (busy) {
    require(payload() == payload_, name_ + ": the payload changes while the device has it");
    require(effect.when < busy_since_ + device_.parameters().command_latency || !effect.writes(mailbox_, kPayload),
            name_ + ": the doorbell stays after an access past its time");
  } else if (busy_ && !effect.may_reset) {
    require(over, name_ + ": the doorbell clears before its time");
    // A command write after its time comes after the answer.
    require(length <= payload_bytes_ || effect.writes(mailbox_ + kCommand, 8),
            name_ + ": an answer exceeds the payload registers");
  }
  busy_ = busy;
}

void DeviceChecker::check_decoders() const {
  const std::uint64_t enabled = peek_(component_ + kDecoders + 4, 4) & 2;
  const unsigned decoders = device_.component().decoders();
  for (unsigned decoder = 0; decoder < decoders; ++decoder) {
    const std::uint64_t control = peek_(component_ + kDecoders + 0x20 + 0x20 * decoder, 4);
    const auto fail = [&](const char* what) {
      return [this, what, decoder, control] {
        return fmt::format("{}: HDM decoder {} {} (control {:#x})", name_, decoder, what, control);
      };
    };
    const bool committed = (control & kCommitted) != 0;
    const bool error = (control & kErrorNotCommitted) != 0;
    require(!committed || !error, fail("is committed and is not"));
    require(((control & kCommit) != 0) == (committed || error), fail("does not answer to Commit"));
    const cxl::HdmClaim claim = device_.component().claim(decoder);
    require(claim.size == 0 || (committed && enabled != 0), fail("claims addresses and must not"));
    if (claim.size != 0) {
      const std::uint64_t capacity = device_.parameters().memory.volatile_capacity;
      const std::uint64_t share = claim.size / claim.interleave.ways;
      require(claim.base + (claim.size - 1) >= claim.base, fail("claims addresses beyond the last"));
      require(claim.device_base <= capacity && share <= capacity - claim.device_base, fail("has memory there is not"));
    }
  }
}

void DeviceChecker::check_configuration() const {
  for (const auto& [offset, value] : constant_) {
    const std::uint32_t present =
        device_.function().space().read(offset, 4) & (offset >= 0x40 && offset < 0x100 ? 0xffffU : ~0U);
    require(present == value, [&, at = offset] {
      return fmt::format("{}: configuration space at {:#x} is read only and has changed to {:#x}", name_, at, present);
    });
  }
}

}  // namespace pmufab::fuzz
