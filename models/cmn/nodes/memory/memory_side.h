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

/// What a home asks of memory: reads for its POCQ entries, and writes, which nobody waits for (rule 3.7).
class MemorySide {
 public:
  /// TxnIDs of reads are those of POCQ entries, below this; of writes from here on.
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
    std::uint8_t qos_class = 0;  ///< that class_mc_reqs counts it for
  };
  static constexpr std::uint8_t kNormalMemory = 0xd;  ///< MemAttr: allocate, cacheable, early acknowledgement

  /// @param home_index  in order of logical ids
  /// @param reads       POCQ entries
  MemorySide(HomeOutput& output, const SystemAddressMap& addresses, unsigned home_index, unsigned reads);

  /// Read for POCQ entry `entry`, whose number the data will bear.
  void read(unsigned entry, Request request);
  void write(const Request& request);

  /// @name What memory answers
  /// @{
  void retry_ack(const FlitFields& response);
  void credit_grant(const FlitFields& response);
  /// A write has its buffer there: the data goes.
  void data_buffer(const FlitFields& response);
  /// @}

  /// @return writes that have not got their buffer.
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
  Fifo<Request> waiting_;                           // writes for which there was no number
  RetriedRequests retried_{kFirstWrite + kWrites};  // by TxnID
};

}  // namespace pmufab::cmn
