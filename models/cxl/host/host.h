// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/cxl/host/host_cache.h"
#include "models/cxl/link/link.h"
#include "models/cxl/link/message_probes.h"
#include "models/cxl/link/operations.h"
#include "models/cxl/memory/hdm_map.h"
#include "models/cxl/memory/line_table.h"

namespace pmufab::cxl {

struct HostParameters {
  std::size_t host_lines = 1024;  ///< lines of HDM-DB memory in the host's cache; at least 1
  HostCacheParameters cache{};
};

/// @throws SpecError for impossible parameters: the field is that of HostParameters, or of its cache
void check(const HostParameters& parameters);

/// The protocol engine of a host above one link. Turns operations into CXL.mem requests, and answers back-invalidate
/// snoops (docs/cxl-messages.md, sections 3 and 4) and requests of CXL.cache (section 5).
class Host final : public Port {
 public:
  /// Attaches itself to the upper end of the link.
  /// @param map  HDM decoders of the root port, as the devices below claim; must outlive the host
  Host(const std::string& name, Engine& engine, Link& link, const HdmMap& map, const HostParameters& parameters);

  /// Begin an operation now. The client is called when a sent operation ends, and when a retry is worthwhile after a
  /// blocked one.
  IssueResult issue(const HostOperation& operation, OperationClient& client);
  [[nodiscard]] MessageProbes& probes() noexcept { return probes_; }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  [[nodiscard]] Link& link() noexcept { return link_; }
  [[nodiscard]] const HdmMap& map() const noexcept { return map_; }
  [[nodiscard]] std::uint64_t pending() const noexcept;
  /// @return the state of a HDM-DB line in the host's cache.
  [[nodiscard]] LineState state(std::uint64_t address) const noexcept { return lines_.state(address); }

  bool receive(const Message& message, Picoseconds now) override;
  void left(const Message& message, Picoseconds now) override;

 private:
  static constexpr std::uint16_t kNoSnoop = 0xffff;
  /// A request under way.
  struct Request {
    OperationClient* client = nullptr;
    std::uint32_t user = 0;
    std::uint8_t answers = 0;        // answers received; Message::answers holds the total
    bool cached = false;             // the line table tracks it
    bool dirties = false;            // a line granted exclusively becomes Modified
    std::uint16_t snoop = kNoSnoop;  // snoop that the write-back belongs to
  };
  /// An unanswered BISnp.
  struct Snoop {
    Message message;
    bool used = false;
    unsigned waiting = 0;  // outstanding write-backs
    std::array<LineState, 4> answers{};
  };

  IssueResult issue_coherent(const HostOperation& operation, OperationClient& client);
  void send(const Message& message, const Request& request);
  void request_coherent(Message message, OperationClient* client, std::uint32_t user, bool dirties);
  void on_ndr(const Message& message, Picoseconds now);
  void on_drs(const Message& message, Picoseconds now);
  void finish(std::uint16_t tag, Picoseconds now);
  void on_snoop(const Message& message, Picoseconds now);
  void answer_snoop(std::uint16_t number, Picoseconds now);
  void respond(std::uint16_t number, Picoseconds now);
  void set_state(LineTable::Index index, LineState state);
  void forget_if_unused(LineTable::Index index);
  void make_room();
  void tell_blocked(Picoseconds now);

  Engine& engine_;
  Link& link_;
  const HdmMap& map_;
  HostParameters parameters_;
  MessageProbes probes_;
  HostCache cache_;
  LineTable lines_;
  std::size_t tracked_ = 0;
  std::vector<Request> requests_;
  std::vector<std::uint16_t> free_;
  std::vector<Snoop> snoops_;
  std::size_t open_snoops_ = 0;
  std::vector<OperationClient*> blocked_;
  std::vector<OperationClient*> told_;
};

}  // namespace pmufab::cxl
