// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/data_object_exchange.h"

#include <iterator>

namespace pmufab::pcie {
namespace {

constexpr std::uint16_t kCapability = 0x002e;
constexpr unsigned kBytes = 0x18;
constexpr unsigned kControlRegister = 0x08;
constexpr unsigned kStatusRegister = 0x0c;
constexpr unsigned kWriteMailbox = 0x10;
constexpr unsigned kReadMailbox = 0x14;
constexpr std::uint32_t kAbort = 1U << 0;
constexpr std::uint32_t kGo = 1U << 31;
constexpr std::uint32_t kError = 1U << 2;
constexpr std::uint32_t kReady = 1U << 31;
constexpr std::uint16_t kPciSig = 0x0001;
constexpr std::uint8_t kDiscovery = 0;
constexpr std::size_t kHeader = 2;            // words
constexpr std::size_t kMostWords = 1U << 18;  // a length of 0 means as many
constexpr std::uint32_t kLengthMask = kMostWords - 1;

}  // namespace

DataObjectExchange::DataObjectExchange(ConfigurationSpace& space)
    : space_(space), at_(space.add_extended_capability(kCapability, 1, kBytes)) {
  add(kPciSig, kDiscovery, [this](std::span<const std::uint32_t> request) { return discover(request); });
  space_.on_write(at_ + kControlRegister, 4, [this](const ConfigurationWrite& write) {
    std::uint32_t written = 0;
    for (unsigned byte = 0; byte < 4; ++byte) written |= write.byte(at_ + kControlRegister + byte) << (8 * byte);
    control(written);
  });
  space_.on_write(at_ + kWriteMailbox, 4, [this](const ConfigurationWrite& write) {
    if (written_.size() < kMostWords) written_.push_back(write.written);
  });
  space_.on_write(at_ + kReadMailbox, 4, [this](const ConfigurationWrite&) {
    if (read_ < answer_.size()) ++read_;
    show();
  });
}

void DataObjectExchange::add(std::uint16_t vendor, std::uint8_t type, Protocol protocol) {
  protocols_[{vendor, type}] = std::move(protocol);
}

void DataObjectExchange::reset() {
  written_.clear();
  answer_.clear();
  read_ = 0;
  error_ = false;
  show();
}

std::optional<DataObjectExchange::Words> DataObjectExchange::discover(std::span<const std::uint32_t> request) const {
  const std::size_t index = request.empty() ? 0 : request[0] & 0xff;
  if (index >= protocols_.size()) return Words{0xffff};  // no such index: vendor 0xffff
  const auto found = std::next(protocols_.begin(), static_cast<std::ptrdiff_t>(index));
  const std::size_t next = index + 1 < protocols_.size() ? index + 1 : 0;
  return Words{found->first.first | static_cast<std::uint32_t>(found->first.second) << 16 |
               static_cast<std::uint32_t>(next) << 24};
}

void DataObjectExchange::control(std::uint32_t written) {
  if ((written & kAbort) != 0) return reset();
  if ((written & kGo) != 0) go();
}

void DataObjectExchange::go() {
  const Words object = std::exchange(written_, {});
  const std::size_t length = object.size() < kHeader ? 0 : object[1] & kLengthMask;
  if (object.size() < kHeader || (length == 0 ? kMostWords : length) != object.size() || read_ < answer_.size()) {
    error_ = true;  // until software aborts
    return show();
  }
  const auto vendor = static_cast<std::uint16_t>(object[0]);
  const auto type = static_cast<std::uint8_t>(object[0] >> 16);
  const auto protocol = protocols_.find({vendor, type});
  if (protocol == protocols_.end()) return;  // discarded
  const std::optional<Words> payload = protocol->second(std::span(object).subspan(kHeader));
  if (!payload) return;
  answer_ = {object[0] & 0xff'ffff, static_cast<std::uint32_t>(payload->size() + kHeader)};
  answer_.insert(answer_.end(), payload->begin(), payload->end());
  read_ = 0;
  show();
}

void DataObjectExchange::show() {
  const bool ready = read_ < answer_.size();
  space_.set(at_ + kStatusRegister, 4, (error_ ? kError : 0) | (ready ? kReady : 0));
  space_.set(at_ + kReadMailbox, 4, ready ? answer_[read_] : 0);
}

}  // namespace pmufab::pcie
