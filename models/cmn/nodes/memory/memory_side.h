// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/fifo.h"
#include "models/cmn/nodes/home/home_output.h"
#include "models/cmn/nodes/retry.h"
#include "models/cmn/nodes/system_address_map.h"

namespace pmufab::cmn {

/// A home's accesses to memory: reads for its POCQ entries, and writes, for which no entry waits (rule 3.7).
class MemorySide {
 public:
  /// First TxnID of writes. TxnIDs of reads are numbers of POCQ entries, which are lower.
  static constexpr std::uint16_t kFirstWrite = 0x400;
  static constexpr unsigned kWrites = 0x400;

  /// A request for memory.
  struct Request {
    std::uint64_t address = 0;
    std::uint8_t opcode = 0;
    std::uint8_t size = 6;
    std::uint8_t qos = 0;
    std::uint8_t memattr = kNormalMemory;
    std::uint8_t ns = 0;
    std::uint8_t qos_class = 0;  ///< the class in which class_mc_reqs counts it
  };
  static constexpr std::uint8_t kNormalMemory = 0xd;  ///< MemAttr: allocate, cacheable, early acknowledgement

  /// @param home_index  in order of logical ids
  /// @param reads       POCQ entries
  MemorySide(HomeOutput& output, const SystemAddressMap& addresses, unsigned home_index, unsigned reads);

  /// Read for POCQ entry `entry`. Its number is the TxnID of the data.
  void read(unsigned entry, Request request);
  void write(const Request& request);

  /// @name Answers of memory
  /// @{
  void retry_ack(const FlitFields& response);
  void credit_grant(const FlitFields& response);
  /// A write has its buffer: send the data.
  void data_buffer(const FlitFields& response);
  /// @}

  /// @return the number of writes without a buffer yet.
  [[nodiscard]] unsigned pending_writes() const noexcept {
    return numbers_.used() + static_cast<unsigned>(waiting_.size());
  }

 private:
  struct Outstanding {
    Request request;
    std::uint16_t target = 0;
  };

  Outstanding& outstanding(std::uint16_t txnid);
  void begin_write(const Request& request);
  void send(std::uint16_t txnid, bool allow_retry);
  void resend(unsigned txnid);

  HomeOutput& output_;
  const SystemAddressMap& addresses_;
  unsigned home_index_;
  std::vector<Outstanding> reads_;
  std::vector<Outstanding> writes_;
  EntryNumbers numbers_{kWrites};
  Fifo<Request> waiting_;                           // writes for which no TxnID was free
  RetriedRequests retried_{kFirstWrite + kWrites};  // by TxnID
};

}  // namespace pmufab::cmn
