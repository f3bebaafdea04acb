// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>

#include "models/cmn/wire/flit_fields.h"
#include "models/cmn/wire/types.h"
#include "testbench/judge/recycled_list.h"

namespace pmufab::scoreboard {

class ReferenceHome;

/// A home's requests to memory (section 3, rule 7).
class ReferenceHomeMemory {
 public:
  explicit ReferenceHomeMemory(ReferenceHome& home) : home_(home) {}

  /// @param cause  the request that needs it, whose QoS class counts; nullptr for a line replaced in the SLC
  void read(unsigned entry, std::uint64_t address, const cmn::FlitFields& cause);
  void write(std::uint8_t opcode, std::uint64_t address, bool two_flits, const cmn::FlitFields* cause);

  /// A RetryAck, PCrdGrant or CompDBIDResp has arrived. @return false if no request waits for it
  bool response(const cmn::FlitFields& flit);
  /// The data of an entry's read has arrived.
  void read_answered(unsigned entry);
  [[nodiscard]] bool is_idle() const { return requests_.empty(); }

 private:
  struct Request {
    std::uint64_t serial = 0;  // unique: a request may be gone before what waits for it
    std::uint8_t opcode = 0;
    std::uint64_t address = 0;
    bool is_read = false;
    bool two_flits = true;
    std::optional<unsigned> qos_class{};
    std::optional<std::uint16_t> txnid{};   // known from the beginning for a read; for a write, once sent
    std::optional<std::uint16_t> target{};  // once sent
  };
  using Requests = RecycledList<Request>;

  void add(Request request);
  void post(const Request& request, bool allow_retry);
  [[nodiscard]] Requests::iterator with_serial(std::uint64_t serial);
  void resend(std::uint16_t target);

  ReferenceHome& home_;
  std::uint64_t serials_ = 0;
  Requests requests_;                                          // not answered yet
  std::map<std::uint16_t, std::list<std::uint64_t>> retried_;  // by target: serials, the first RetryAck first
  std::map<std::uint16_t, unsigned> grants_;                   // by target: unused grants
};

}  // namespace pmufab::scoreboard
