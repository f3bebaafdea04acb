// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "models/cxl/cpmu/event_group.h"
#include "models/cxl/link/messages.h"
#include "models/cxl/memory/hdm_map.h"

namespace pmufab::cxl {

/// The message events of one port of a component: groups 0x10 ... 0x14 and 0x20 ... 0x25 (CXL 3.1, table 13-5).
class MessageProbes {
 public:
  /// @param name  prefix of the probes' names
  /// @param map   the component's HDM decoders, for qualifiers; must outlive the probes
  MessageProbes(const std::string& name, const HdmMap& map);
  MessageProbes& operator=(MessageProbes&&) = delete;

  /// Publish a message that leaves or arrives at `when`.
  void publish(const Message& message, Picoseconds when) {
    Probe* const probe = probes_[static_cast<unsigned>(message.message_class)][message.opcode];
    if (probe == nullptr) [[unlikely]]
      return;
    probe->publish(1, is_mem(message.message_class) ? map_->decoder(message.address) : kNoHdmDecoder, when);
  }
  /// @return the probe of an opcode; nullptr if no message has it.
  [[nodiscard]] Probe* probe(MessageClass message_class, unsigned opcode) const {
    const Row& of_class = probes_[static_cast<unsigned>(message_class)];
    return of_class[opcode];
  }
  /// @return the groups of CXL.mem, and optionally those of CXL.cache, with all events that can happen.
  [[nodiscard]] std::vector<EventGroup> event_groups(bool with_cache) const;

 private:
  const HdmMap* map_;
  std::deque<Probe> owned_;
  using Row = std::array<Probe*, 32>;  // by opcode
  std::array<Row, kMessageClasses> probes_{};
};

/// @return the event group of a message class.
[[nodiscard]] std::uint16_t group_of(MessageClass message_class) noexcept;

}  // namespace pmufab::cxl
