// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "testbench/fabrics/cxl/judge/cxl_judge_spec.h"
#include "testbench/judge/finding.h"

namespace pmufab::scoreboard {

/// Checks the answers on one link: CXL.cache (docs/cxl-messages.md, section 5). There is one request and one snoop per
/// line.
class CxlCacheProtocol {
 public:
  /// All must outlive the protocol.
  CxlCacheProtocol(const CxlJudgeSpec& spec, const CxlLinkSpec& link, Findings& findings)
      : spec_(spec), link_(link), findings_(findings) {}

  /// A message leaves its sender.
  void left(Picoseconds when, const CxlMessage& message);
  void finish(Picoseconds when);

 private:
  struct Request {
    CxlMessage message;
    std::uint32_t response = 0;    // H2D Rsp opcodes, one of which must come next; 0: none
    bool h2d_data = false;         // H2D Data must come
    bool d2h_data = false;         // D2H Data must come now
    std::uint32_t after_data = 0;  // H2D Rsp opcodes after D2H Data
    std::uint32_t forward = 0;     // M2S Req opcode that ends it
    [[nodiscard]] bool over() const {
      return response == 0 && !h2d_data && !d2h_data && after_data == 0 && forward == 0;
    }
  };
  struct Snoop {
    CxlMessage message;
    bool answered = false;
    bool data = false;        // D2H Data must come
    bool early_data = false;  // data came before the response
  };

  void complain(const char* kind, Picoseconds when, const CxlMessage& message, const char* what);
  [[nodiscard]] bool is_own_memory(std::uint64_t address) const;
  void request_left(Picoseconds when, const CxlMessage& message);
  void response_left(Picoseconds when, const CxlMessage& message);
  void data_left(Picoseconds when, const CxlMessage& message);
  void forward_left(Picoseconds when, const CxlMessage& message);
  void snoop_response_left(Picoseconds when, const CxlMessage& message);
  void settle(std::uint64_t address);

  const CxlJudgeSpec& spec_;
  const CxlLinkSpec& link_;
  Findings& findings_;
  std::map<std::uint64_t, Request> requests_;  // by line
  std::map<std::uint64_t, Snoop> snoops_;
};

}  // namespace pmufab::scoreboard
