// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/retry.h"

namespace pmufab::cmn {

/// The requests a node has accepted, one entry each, and the senders of those it retried for lack of room
/// (docs/cmn-nodes.md, 1.6). It also sends the answers: the entry's number plus `first_dbid` is the DBID.
class RequestTracker {
 public:
  static constexpr unsigned kMaximumEntries = 128;
  struct Parameters {
    std::uint16_t node_id = 0;  ///< HomeNID of data
    unsigned entries = 1;
    unsigned latency = 0;  ///< cycles from a decision to its message
    unsigned first_dbid = 0;
    std::uint8_t pcrdtype = 0;
  };
  /// A request in an entry.
  struct Request {
    std::uint64_t addr = 0;
    std::uint16_t srcid = 0;
    std::uint16_t txnid = 0;
    std::uint8_t opcode = 0;
    std::uint8_t qos = 0;
    std::uint8_t size = 0;
    std::uint8_t order = 0;
    std::uint8_t data_flits = 0;  ///< flits of write data that have arrived
  };

  /// @param device  number in the mesh of the answering device
  /// @throws std::invalid_argument if entries is 0 or more than kMaximumEntries
  RequestTracker(Mesh& mesh, unsigned device, const Parameters& parameters);

  /// Give an arriving request an entry, the lowest free one.
  /// @return the entry; empty if RetryAck has been posted instead
  /// @pre if the request has AllowRetry 0, room is reserved for its sender
  std::optional<unsigned> allocate(const FlitFields& request, Cycle now);
  /// Free an entry. The sender that has waited longest gets PCrdGrant.
  void release(unsigned entry, Cycle now);
  /// A flit of write data for an entry has arrived. @return true if it was the last
  bool data(unsigned entry) noexcept;

  [[nodiscard]] const Request& operator[](unsigned entry) const noexcept { return requests_[entry]; }
  /// @return the entries in the order of their allocation.
  [[nodiscard]] std::span<const std::uint8_t> by_age() const noexcept { return by_age_; }
  [[nodiscard]] unsigned entries() const noexcept { return parameters_.entries; }
  [[nodiscard]] bool is_full() const noexcept { return by_age_.size() == parameters_.entries; }
  /// @return the number of requests in entries.
  [[nodiscard]] unsigned used() const noexcept { return static_cast<unsigned>(by_age_.size()); }
  /// @return the entry of a DBID.
  /// @throws std::logic_error if no entry has it
  [[nodiscard]] unsigned entry_of(unsigned dbid) const;
  [[nodiscard]] unsigned dbid_of(unsigned entry) const noexcept { return parameters_.first_dbid + entry; }

  /// @name Answers to the requester of an entry
  /// @{
  void respond(unsigned entry, std::uint8_t opcode, Cycle now, bool tell = false);
  /// Post CompData, all its flits. @param tell call MeshDevice::sent() for each
  void respond_with_data(unsigned entry, Cycle now, bool tell = false);
  /// @}
  /// MeshDevice::sent() for RSP flits that are not answers of an entry, too.
  void tell_of_retries() noexcept { tell_of_retries_ = true; }

 private:
  void post_rsp(std::uint16_t tgtid, std::uint16_t txnid, std::uint8_t opcode, std::uint8_t qos, Cycle now);

  Mesh& mesh_;
  unsigned device_;
  Parameters parameters_;
  bool tell_of_retries_ = false;
  std::vector<Request> requests_;
  EntryNumbers numbers_;
  RequestCredits credits_;
  std::vector<std::uint8_t> by_age_;
};

}  // namespace pmufab::cmn
