// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/vfio_user/session.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pmufab::vfio_user {
namespace {

using nlohmann::json;

/// The structure at the start of a payload; nothing if the payload is too short.
template <typename T>
std::optional<T> take(std::span<const std::uint8_t> payload) {
  T value;
  if (payload.size() < sizeof(value)) return std::nullopt;
  std::memcpy(&value, payload.data(), sizeof(value));
  return value;
}

template <typename T>
void append_to(std::vector<std::uint8_t>& output, const T& value) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
  output.insert(output.end(), bytes, bytes + sizeof(value));
}

}  // namespace

Session::Session(Function& function) : function_(function) {
  for (unsigned kind = 0; kind < kIrqKinds; ++kind) vectors_.at(kind).resize(function_.interrupts(kind));
}

Session::~Session() {
  if (agreed_) function_.connected(nullptr);
}

template <typename T>
void Session::append(const T& value) {
  append_to(output_, value);
}

std::optional<std::string> Session::reject(const Header& header) {
  if (header.size < sizeof(Header) || header.size > kLongestMessage)
    return fmt::format("a message of {} bytes", header.size);
  const std::uint32_t type = header.flags & kTypeMask;
  if (type != kCommand && type != kReply) return fmt::format("a message of type {}", type);
  return std::nullopt;
}

bool Session::handle(const Header& header, Payload payload, std::vector<Descriptor> descriptors) {
  if ((header.flags & kTypeMask) == kReply) {
    // The answer to a write of the client's memory. Nothing waits for it.
    if (unanswered_ == 0 || header.command != static_cast<std::uint16_t>(Command::dma_write)) {
      error_ = fmt::format("an answer to command {}, which was not sent", header.command);
      return false;
    }
    --unanswered_;
    if ((header.flags & kError) != 0) ++refused_writes_;
    return true;
  }
  if (!agreed_) return agree(header, payload);
  const std::size_t begin = output_.size();
  append(Header{});
  answering_ = true;
  answer(header, begin, perform(static_cast<Command>(header.command), payload, descriptors));
  answering_ = false;
  output_.insert(output_.end(), postponed_.begin(), postponed_.end());
  postponed_.clear();
  return true;
}

void Session::answer(const Header& header, std::size_t begin, int error) {
  if ((header.flags & kNoReply) != 0) {
    output_.resize(begin);
    return;
  }
  if (error != 0) output_.resize(begin + sizeof(Header));
  const Header reply{header.id, header.command, static_cast<std::uint32_t>(output_.size() - begin),
                     error == 0 ? kReply : kReply | kError, static_cast<std::uint32_t>(error)};
  std::memcpy(output_.data() + begin, &reply, sizeof(reply));
}

bool Session::agree(const Header& header, Payload payload) {
  const std::optional<Version> wanted = take<Version>(payload);
  if (header.command != static_cast<std::uint16_t>(Command::version) || !wanted || (header.flags & kNoReply) != 0) {
    error_ = fmt::format("command {} before the version", header.command);
    return false;
  }
  const std::size_t begin = output_.size();
  append(Header{});
  const auto refuse = [&](std::string why) {
    error_ = std::move(why);
    answer(header, begin, EINVAL);
    return false;
  };
  if (wanted->major != kMajor) return refuse(fmt::format("version {}.{}", wanted->major, wanted->minor));
  // The client's capabilities, if given, are text that ends with a zero.
  json proposed = json::object();
  if (payload.size() > sizeof(Version)) {
    const auto* const text = reinterpret_cast<const char*>(payload.data()) + sizeof(Version);
    const std::size_t length = payload.size() - sizeof(Version);
    if (text[length - 1] != '\0') return refuse("capabilities without an end");
    proposed = json::parse(text, text + strnlen(text, length), nullptr, false);
    if (!proposed.is_object()) return refuse("capabilities that are not a JSON object");
  }
  json capabilities{{"max_msg_fds", kMostDescriptors}, {"max_data_xfer_size", kLongestData}};
  const json::json_pointer write_multiple("/capabilities/write_multiple");
  if (proposed.contains(write_multiple) && proposed.at(write_multiple) == true) capabilities["write_multiple"] = true;
  append(Version{kMajor, std::min(wanted->minor, kMinor)});
  const std::string text = json{{"capabilities", capabilities}}.dump();
  output_.insert(output_.end(), text.begin(), text.end());
  output_.push_back(0);
  answer(header, begin, 0);
  agreed_ = true;
  function_.connected(this);
  return true;
}

int Session::perform(Command command, Payload payload, std::vector<Descriptor>& descriptors) {
  switch (command) {
    case Command::dma_map:
      return map(payload);
    case Command::dma_unmap:
      return unmap(payload);
    case Command::device_get_info:
      return tell_device(payload);
    case Command::device_get_region_info:
      return tell_region(payload);
    case Command::device_get_irq_info:
      return tell_interrupts(payload);
    case Command::device_set_irqs:
      return set_interrupts(payload, descriptors);
    case Command::region_read:
      return read_region(payload);
    case Command::region_write:
      return write_region(payload);
    case Command::region_write_multi:
      return write_many(payload);
    case Command::device_reset:
      function_.reset();
      return 0;
    case Command::version:  // a second time
    case Command::dma_read:
    case Command::dma_write:  // only servers send this
      return EINVAL;
    case Command::device_get_region_io_fds:
    case Command::device_feature:
      break;
  }
  return ENOTSUP;
}

int Session::map(Payload payload) {
  const auto wanted = take<DmaMap>(payload);
  if (!wanted || wanted->size == 0 || wanted->size - 1 > ~wanted->address) return EINVAL;
  const std::uint64_t last = wanted->address + (wanted->size - 1);
  auto above = maps_.upper_bound(last);
  if (above != maps_.begin()) {
    const auto& [address, size] = *std::prev(above);
    if (address + (size - 1) >= wanted->address) return EEXIST;
  }
  if (maps_.size() >= kMostDmaMaps) return ENOSPC;
  // Only the range is recorded; a descriptor of the memory is not needed.
  maps_.emplace(wanted->address, wanted->size);
  return 0;
}

int Session::unmap(Payload payload) {
  const auto wanted = take<DmaUnmap>(payload);
  if (!wanted) return EINVAL;
  if ((wanted->flags & kUnmapAll) != 0) {
    if (wanted->address != 0 || wanted->size != 0) return EINVAL;
    maps_.clear();
  } else {
    const auto found = maps_.find(wanted->address);
    if (found == maps_.end() || found->second != wanted->size) return ENOENT;
    maps_.erase(found);
  }
  append(*wanted);
  return 0;
}

int Session::tell_device(Payload payload) {
  const auto wanted = take<DeviceInfo>(payload);
  if (!wanted || wanted->argsz < sizeof(DeviceInfo)) return EINVAL;
  append(DeviceInfo{sizeof(DeviceInfo), kDeviceReset | kDevicePci, kRegions, kIrqKinds});
  return 0;
}

int Session::tell_region(Payload payload) {
  const auto wanted = take<RegionInfo>(payload);
  if (!wanted || wanted->argsz < sizeof(RegionInfo) || wanted->index >= kRegions) return EINVAL;
  const std::uint64_t size = function_.region_size(wanted->index);
  append(RegionInfo{sizeof(RegionInfo), size == 0 ? 0 : kRegionRead | kRegionWrite, wanted->index, 0, size, 0});
  return 0;
}

int Session::tell_interrupts(Payload payload) {
  const auto wanted = take<IrqInfo>(payload);
  if (!wanted || wanted->argsz < sizeof(IrqInfo) || wanted->index >= kIrqKinds) return EINVAL;
  const auto count = static_cast<std::uint32_t>(vectors_.at(wanted->index).size());
  append(IrqInfo{sizeof(IrqInfo), count == 0 ? 0 : kIrqEventFd, wanted->index, count});
  return 0;
}

int Session::set_interrupts(Payload payload, std::vector<Descriptor>& descriptors) {
  const auto wanted = take<IrqSet>(payload);
  if (!wanted || wanted->index >= kIrqKinds) return EINVAL;
  std::vector<Vector>& vectors = vectors_.at(wanted->index);
  const std::uint32_t data = wanted->flags & (kDataNone | kDataBool | kDataEventFd);
  const std::uint32_t action = wanted->flags & (kActionMask | kActionUnmask | kActionTrigger);
  if ((data | action) != wanted->flags) return EINVAL;
  if (data == kDataNone && action == kActionTrigger && wanted->start == 0 && wanted->count == 0) {
    for (Vector& vector : vectors) vector = Vector{};  // all off
    return 0;
  }
  if (wanted->count == 0 || wanted->start >= vectors.size() || wanted->count > vectors.size() - wanted->start)
    return EINVAL;
  const std::span<Vector> these = std::span(vectors).subspan(wanted->start, wanted->count);
  if (data == kDataEventFd) {
    // No descriptors: the vectors are released. Otherwise one for each.
    if (action != kActionTrigger || (!descriptors.empty() && descriptors.size() != these.size())) return EINVAL;
    for (std::size_t i = 0; i < these.size(); ++i) {
      these[i].event = descriptors.empty() ? Descriptor() : std::move(descriptors[i]);
      // Whatever the descriptor is, writing to it must not wait.
      if (these[i].event) fcntl(these[i].event.get(), F_SETFL, O_NONBLOCK);
    }
    return 0;
  }
  const Payload chosen = payload.subspan(sizeof(IrqSet));
  if (data == kDataBool ? chosen.size() < these.size() : data != kDataNone) return EINVAL;
  if (action != kActionMask && action != kActionUnmask && action != kActionTrigger) return EINVAL;
  for (std::size_t i = 0; i < these.size(); ++i) {
    if (data == kDataBool && chosen[i] == 0) continue;
    if (action == kActionTrigger) {
      fire(these[i]);
      continue;
    }
    these[i].masked = action == kActionMask;
    if (!these[i].masked && std::exchange(these[i].pending, false)) fire(these[i]);
  }
  return 0;
}

bool Session::is_inside(const RegionAccess& access) const {
  if (access.region >= kRegions || access.count == 0 || access.count > kLongestData) return false;
  const std::uint64_t size = function_.region_size(access.region);
  return access.offset < size && access.count <= size - access.offset;
}

int Session::read_region(Payload payload) {
  const auto access = take<RegionAccess>(payload);
  if (!access || !is_inside(*access)) return EINVAL;
  append(*access);
  const std::size_t begin = output_.size();
  output_.resize(begin + access->count);
  return function_.read(access->region, access->offset, std::span(output_).subspan(begin)) ? 0 : EINVAL;
}

int Session::write_region(Payload payload) {
  const auto access = take<RegionAccess>(payload);
  if (!access || !is_inside(*access) || payload.size() - sizeof(*access) < access->count) return EINVAL;
  if (!function_.write(access->region, access->offset, payload.subspan(sizeof(*access), access->count))) return EINVAL;
  append(*access);
  return 0;
}

int Session::write_many(Payload payload) {
  const auto count = take<std::uint64_t>(payload);
  if (!count || *count > (payload.size() - sizeof(*count)) / sizeof(MultiWrite)) return EINVAL;
  const auto write_at = [&](std::uint64_t i) {
    return *take<MultiWrite>(payload.subspan(sizeof(*count) + i * sizeof(MultiWrite)));
  };
  // All or none.
  for (std::uint64_t i = 0; i < *count; ++i) {
    const MultiWrite write = write_at(i);
    if (write.count > sizeof(write.data) || !is_inside({write.offset, write.region, write.count})) return EINVAL;
  }
  for (std::uint64_t i = 0; i < *count; ++i) {
    const MultiWrite write = write_at(i);
    const auto* const data = reinterpret_cast<const std::uint8_t*>(&write.data);
    if (!function_.write(write.region, write.offset, std::span(data, write.count))) return EINVAL;
  }
  append(*count);
  return 0;
}

void Session::fire(Vector& vector) {
  if (!vector.event) return;
  const std::uint64_t one = 1;
  // A full event descriptor has been signalled already; an invalid one is the client's mistake.
  static_cast<void>(!write(vector.event.get(), &one, sizeof(one)));
}

void Session::interrupt(unsigned kind, unsigned vector) {
  std::vector<Vector>& vectors = vectors_.at(kind);
  if (vector >= vectors.size()) return;
  if (vectors[vector].masked) {
    vectors[vector].pending = true;
  } else {
    fire(vectors[vector]);
  }
}

void Session::write_memory(std::uint64_t address, std::span<const std::uint8_t> data) {
  std::vector<std::uint8_t>& output = answering_ ? postponed_ : output_;
  append_to(output, Header{next_id_++, static_cast<std::uint16_t>(Command::dma_write),
                           static_cast<std::uint32_t>(sizeof(Header) + sizeof(DmaAccess) + data.size()), kCommand, 0});
  append_to(output, DmaAccess{address, data.size()});
  output.insert(output.end(), data.begin(), data.end());
  ++unanswered_;
}

}  // namespace pmufab::vfio_user
