#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/nodes/home_output.h"
#include "models/cmn/nodes/number_pool.h"
#include "models/cmn/nodes/ring.h"
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
    return numbers_.taken() + static_cast<unsigned>(waiting_.size());
  }

 private:
  struct Outstanding {
    Request request;
    std::uint16_t target = 0;
  };
  /// A memory node that has answered RetryAck or PCrdGrant.
  struct Creditor {
    std::uint16_t node_id = 0;
    unsigned credits = 0;
    Ring<std::uint16_t> retried;  // TxnIDs
  };

  Outstanding& outstanding(std::uint16_t txnid);
  Creditor& creditor(std::uint16_t node_id);
  void begin_write(const Request& request);
  void send(std::uint16_t txnid, bool allow_retry);
  void resend(Creditor& creditor);

  HomeOutput& output_;
  const SystemAddressMap& addresses_;
  unsigned home_index_;
  std::vector<Outstanding> reads_;
  std::vector<Outstanding> writes_;
  NumberPool numbers_{kWrites};
  Ring<Request> waiting_;  // writes for which there was no number
  std::vector<Creditor> creditors_;
};

}  // namespace pmufab::cmn
