// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/fabrics/cxl/judge/reference_load.h"
#include "testbench/judge/finding.h"

namespace pmufab::scoreboard {

/// Checks the answers on one link: CXL.mem (docs/cxl-messages.md, sections 3 and 4).
///
/// Requests are identified by their tags, snoops by their lines. What a host or a device does on its own, such as
/// evictions and the state of its cache, is accepted as it is.
class CxlMemProtocol {
 public:
  /// All must outlive the protocol.
  CxlMemProtocol(const CxlJudgeSpec& spec, const CxlLinkSpec& link, Findings& findings)
      : spec_(spec), link_(link), findings_(findings) {}

  /// Report the arrival and end of requests to `load`, which must outlive the protocol.
  void tell(ReferenceLoad& load) { load_ = &load; }

  void left(Picoseconds when, const CxlMessage& message);
  void arrived(Picoseconds when, const CxlMessage& message);
  /// An access to the memory below entered at `when`; its data has passed at `data`.
  void accessed(Picoseconds when, std::uint64_t place, Picoseconds data);
  void finish(Picoseconds when);

 private:
  /// The answers to a request.
  struct Answers {
    std::uint32_t ndr = 0;  ///< opcodes, one of which must come; 0: none
    std::uint32_t drs = 0;
  };
  struct Request {
    CxlMessage message;
    Picoseconds when = 0;
    Answers missing;         // that have not left
    unsigned under_way = 0;  // answers that have left and not arrived
    std::optional<Picoseconds> arrived{};
    Picoseconds earliest = 0;  // from when answers may leave
    bool ndr_arrived = false;  // for the host, the line is then free
    bool is_of_cache = true;   // it changes, or may change, the holder of the line
  };
  struct Snoop {
    CxlMessage message;
    Picoseconds when = 0;
    std::uint32_t missing = 0;   // lines without an answer that has left, by number
    std::uint32_t open = 0;      // lines without an answer that has arrived
    bool must_conflict = false;  // a request to one of its lines was under way when it arrived at the host
    bool conflict = false;
    bool acknowledged = false;  // acknowledgement has arrived
  };
  // By the first line. Answered lines of a block may be snooped again before the others are answered.
  using Snoops = std::multimap<std::uint64_t, Snoop>;

  void complain(const char* kind, Picoseconds when, const CxlMessage& message, const char* what);
  [[nodiscard]] std::optional<CxlMemoryKind> kind_of(std::uint64_t address) const;
  [[nodiscard]] bool knows_memory() const;
  [[nodiscard]] bool is_of_another_device(std::uint64_t address) const;
  [[nodiscard]] std::optional<Answers> answers_to(const CxlMessage& request) const;
  [[nodiscard]] Snoops::iterator snoop_of(std::uint64_t address);
  [[nodiscard]] bool is_under_way(const CxlMessage& snoop) const;

  [[nodiscard]] Picoseconds answers_after(Picoseconds when) const;
  void request_arrived(Picoseconds when, const CxlMessage& message);
  void request_left(Picoseconds when, const CxlMessage& message);
  void answer_left(Picoseconds when, const CxlMessage& message);
  void answer_arrived(const CxlMessage& message);
  void snoop_left(Picoseconds when, const CxlMessage& message);
  void snoop_answer_left(Picoseconds when, const CxlMessage& message);
  void snoop_answer_arrived(const CxlMessage& message);
  void conflict_left(Picoseconds when, const CxlMessage& message);
  void acknowledgement_left(Picoseconds when, const CxlMessage& message);

  const CxlJudgeSpec& spec_;
  const CxlLinkSpec& link_;
  Findings& findings_;
  /// @return the request with that tag; nullptr: there is none
  [[nodiscard]] Request* request_of(std::uint16_t tag) {
    return tag < requests_.size() && requests_[tag] ? &*requests_[tag] : nullptr;
  }
  std::vector<std::optional<Request>> requests_;  // by tag
  std::optional<std::uint16_t> last_arrived_;
  ReferenceLoad* load_ = nullptr;
  Snoops snoops_;  // by the address of their first line
};

}  // namespace pmufab::scoreboard
