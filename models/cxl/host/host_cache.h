// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cxl/host/engine.h"
#include "models/cxl/link/link.h"
#include "models/cxl/link/operations.h"
#include "models/cxl/link/ring.h"
#include "models/cxl/memory/hdm_map.h"
#include "models/cxl/memory/line_table.h"

namespace pmufab::cxl {

struct HostCacheParameters {
  Picoseconds host_latency = 60'000;  ///< from a D2H Req to its answer
  bool take_clean = false;            ///< pull the data of CleanEvict
  std::uint64_t error_base = 0;       ///< writes to this range are answered with GO-ERR-WritePull
  std::uint64_t error_size = 0;       ///< bytes
};

/// The host's side of CXL.cache: answers D2H requests and snoops the device (docs/cxl-messages.md, section 5).
class HostCache final : private Actor {
 public:
  HostCache(Engine& engine, Link& link, const HdmMap& map, const HostCacheParameters& parameters);

  /// A D2H message has arrived.
  void receive(const Message& message, Picoseconds now);
  /// A message sent with Message::tell has left.
  void left(const Message& message, Picoseconds now);
  /// Snoop the device's cache. Snoops are sent in order.
  /// @param opcode  of h2d_req
  void snoop(std::uint8_t opcode, std::uint64_t address, OperationClient& client, std::uint32_t user);
  [[nodiscard]] std::size_t pending() const noexcept { return lines_.size() + snoops_.size() + held_.size(); }

 private:
  struct Answer {
    Picoseconds when;
    Message request;
  };
  struct Snoop {
    OperationClient* client = nullptr;
    std::uint64_t address = 0;
    std::uint32_t user = 0;
    std::uint8_t opcode = 0;
  };

  void act(Picoseconds now) override;
  void take(const Message& request, Picoseconds now);
  void answer(const Message& request);
  void respond(const Message& request, MessageClass message_class, std::uint8_t opcode, bool last);
  void over(std::uint64_t address, Picoseconds now);
  void snoop_over(const Message& message, Picoseconds now);
  void send_snoops();

  Engine& engine_;
  Link& link_;
  const HdmMap& map_;
  HostCacheParameters parameters_;
  unsigned actor_;
  LineTable lines_;  // lines with requests (users) or a snoop (busy) under way
  Ring<Answer> answers_;
  Ring<Message> held_;
  Ring<Snoop> snoops_;       // not sent yet
  std::vector<Snoop> sent_;  // by tag
  std::vector<std::uint16_t> free_;
  std::vector<std::uint8_t> pulled_;  // by the request's tag: its opcode
};

}  // namespace pmufab::cxl
