// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cxl/link/link.h"
#include "models/cxl/link/operations.h"
#include "models/cxl/memory/line_table.h"
#include "models/cxl/memory/memory_device.h"

namespace pmufab::cxl {

struct DeviceCacheParameters {
  std::size_t cache_lines = 1024;  ///< lines of the host's memory in the device's cache; at least 1
};

/// The cache of a Type 2 device over the host's memory: sends D2H requests, answers snoops (docs/cxl-messages.md,
/// section 5).
class DeviceCache final : public CacheAgent {
 public:
  /// Attaches itself to the device, which is at the lower end of the link.
  DeviceCache(Engine& engine, Link& link, MemoryDevice& device, const DeviceCacheParameters& parameters);

  /// Send the D2H Req with `opcode`, unless the state of the line makes it unnecessary.
  /// @param user  returned by OperationClient::completed()
  IssueResult issue(std::uint8_t opcode, std::uint64_t address, std::uint32_t user, OperationClient& client);
  [[nodiscard]] LineState state(std::uint64_t address) const noexcept { return lines_.state(address); }
  [[nodiscard]] std::size_t pending() const noexcept { return requests_.size() - free_.size(); }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  [[nodiscard]] const Link& link() const noexcept { return link_; }

  void receive_cache(const Message& message, Picoseconds now) override;
  bool forwarded(const Message& message, Picoseconds now) override;
  void data_left(const Message& message, Picoseconds now) override;

 private:
  struct Request {
    OperationClient* client = nullptr;
    std::uint32_t user = 0;
    std::uint8_t opcode = 0;
    std::uint8_t answers = 0;  // H2D messages still to come and D2H Data still to leave
  };

  void send(std::uint8_t opcode, LineTable::Index index, OperationClient* client, std::uint32_t user);
  void send_data(const Message& message, bool for_snoop);
  void on_snoop(const Message& message);
  void on_answer(const Message& message, Picoseconds now);
  void one_less(const Message& message, Picoseconds now);
  void finish(const Message& message, Picoseconds now);
  void set_state(LineTable::Index index, LineState state);
  void make_room();

  Engine& engine_;
  Link& link_;
  DeviceCacheParameters parameters_;
  LineTable lines_;          // busy: eviction under way
  std::size_t tracked_ = 0;  // lines with a state
  std::size_t going_ = 0;    // of these, those that are busy
  std::vector<Request> requests_;
  std::vector<std::uint16_t> free_;
  std::vector<OperationClient*> blocked_;
  std::vector<OperationClient*> told_;
};

}  // namespace pmufab::cxl
