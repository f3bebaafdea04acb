// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/requester/private_lines.h"
#include "models/cmn/nodes/retry.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/wire/chi.h"

namespace pmufab::cmn {

/// Parameters of an RN-F.
struct RnFParameters {
  unsigned cache_sets = 256;  ///< at least 1
  unsigned cache_ways = 8;    ///< at least 1
  unsigned outstanding = 32;  ///< transactions at a time, copy-backs included: 2 ... 1024
  unsigned latency = 4;       ///< cycles of every message
  bool write_evict = true;    ///< unique clean victims are written (WriteEvictFull); if false, reported with Evict
};

/// A requester with a cache: CPUs and their caches as the mesh sees them (docs/cmn-nodes.md, rule 4.1).
///
/// It takes at most one operation per cycle. An operation that must wait (for the same line, a tracker entry, or a
/// place in the cache) is held, and those behind it wait.
class RnF final : public RequesterModel {
 public:
  /// Attaches itself to the mesh.
  /// @param map  must outlive the node
  /// @throws std::invalid_argument for a parameter out of range
  RnF(Mesh& mesh, const SystemAddressMap& map, std::uint16_t node_id, const RnFParameters& parameters);

  void run(Cycle now) override;
  [[nodiscard]] unsigned pending() const noexcept override { return numbers_.used() + (holds_ ? 1 : 0); }
  [[nodiscard]] bool can(OperationKind kind) const noexcept override;
  void set_source(OperationSource* source) override { source_ = source; }
  void ask(Cycle when) override { mesh_.call(number_, when); }
  [[nodiscard]] RequesterWaits waits(Cycle now) const noexcept override {
    return {lacks_credit_.cycles(now), mesh_.port_waits(number_)};
  }

  [[nodiscard]] std::uint16_t node_id() const noexcept { return node_id_; }
  /// @name For tests and statistics
  /// @{
  /// @return the state of the line in the cache, not that of a copy-back under way.
  [[nodiscard]] LineState state_of(std::uint64_t address) const noexcept;
  [[nodiscard]] const PrivateLines& lines() const noexcept { return lines_; }
  [[nodiscard]] std::uint64_t transactions() const noexcept { return transactions_; }  ///< that have ended
  [[nodiscard]] std::uint64_t retries() const noexcept { return retries_; }
  [[nodiscard]] std::uint64_t snoops() const noexcept { return snoops_; }
  /// @}

 private:
  /// The purpose of a tracker entry.
  enum class Role : std::uint8_t {
    operation,  ///< an operation of the source
    victim,     ///< copy-back of a replaced line
    pulled,     ///< data that a stash offered
  };
  /// A transaction.
  struct Entry {
    Operation operation{};
    Cycle began = 0;  ///< of the operation
    std::uint64_t address = 0;
    std::uint32_t place = PrivateLines::kNowhere;  ///< reserved place in the cache
    std::uint16_t target = 0;
    std::uint16_t completer = 0;  ///< gets the CompAck
    std::uint8_t opcode = 0;
    std::uint8_t then = 0;  ///< opcode of the request after a copy-back; 0: none
    std::uint8_t size = 0;
    std::uint8_t data_left = 0;  ///< DAT flits still to come
    std::uint8_t pcrdtype = 0;
    Role role = Role::operation;
    LineState leaving = LineState::invalid;  ///< for a copy-back: state of its line
    bool comp = false;                       ///< Comp has arrived
    bool data_sent = false;
  };
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

  // rn_f.cpp: operations and their transactions
  void issue(Cycle now);
  bool start(const Operation& operation, Cycle now);
  bool start_cached(const Operation& operation, Cycle now);
  bool start_at_gateway(const Operation& operation, Cycle now);
  bool start_maintenance(const Operation& operation, std::uint8_t opcode, Cycle now);
  bool start_plain(const Operation& operation, std::uint8_t opcode, std::uint8_t size, Cycle now);
  void start_prefetch(const Operation& operation, Cycle now);
  void done(const Operation& operation, Cycle began, Cycle now);
  [[nodiscard]] bool reserve(std::uint64_t line, std::uint32_t& place, Cycle now);
  void copy_back_victim(std::uint32_t place, Cycle now);
  unsigned open(Role role, std::uint8_t opcode, std::uint64_t address, std::uint8_t size);
  unsigned open(const Operation& operation, std::uint8_t opcode, std::uint8_t size);
  void send_request(unsigned entry, bool allow_retry, Cycle now);
  [[nodiscard]] bool is_busy(std::uint64_t line) const noexcept;
  [[nodiscard]] std::uint16_t target_of(std::uint64_t address) const;
  void response(const FlitFields& fields, Cycle now);
  void write_data(unsigned entry, const FlitFields& fields, Cycle now);
  void read_data(const FlitFields& fields, Cycle now);
  void comp(unsigned entry, const FlitFields& fields, Cycle now);
  void comp_ack(const Entry& entry, std::uint16_t dbid, Cycle now);
  /// A credit or a RetryAck has come. @param entry  what may be sent again now; RetriedRequests::kNone: nothing
  void send_again(unsigned entry, Cycle now) {
    const bool lacks = retried_.waiting() != 0;
    lacks_credit_.set(lacks, now);
    mesh_.waits_for_other(number_, lacks);
    if (entry != RetriedRequests::kNone) send_request(entry, false, now);
  }
  void close(unsigned entry, Cycle now);

  // rn_f_snoops.cpp
  void snoop(const FlitFields& fields, Cycle now);
  void dvm_snoop(const FlitFields& fields, Cycle now);
  void stash_snoop(const FlitFields& fields, Cycle now);
  void forwarding_snoop(const FlitFields& fields, LineState* state, Cycle now);
  void plain_snoop(const FlitFields& fields, LineState* state, Cycle now);
  [[nodiscard]] LineState* find_state(std::uint64_t line) noexcept;
  void post(Channel channel, const FlitFields& fields, Cycle now) {
    mesh_.post(number_, channel, fields, now + parameters_.latency);
  }
  void post_data(FlitFields fields, std::uint8_t size, Cycle now);

  Mesh& mesh_;
  const SystemAddressMap& map_;
  RnFParameters parameters_;
  std::uint16_t node_id_;
  unsigned number_;  // device number in the mesh
  OperationSource* source_ = nullptr;
  PrivateLines lines_;
  EntryNumbers numbers_;
  RetriedRequests retried_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> busy_lines_;  // by entry; kNoLine: none
  unsigned entries_in_use_ = 0;            // entries from here on are unused
  std::vector<bool> dvm_halves_;           // by TxnID: one flit of SnpDVMOp has arrived
  Operation held_{};
  Cycle held_since_ = 0;
  bool holds_ = false;
  bool told_of_hold_ = false;  // the source
  Level lacks_credit_;
  Cycle next_issue_ = 0;
  std::uint64_t transactions_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t snoops_ = 0;
};

}  // namespace pmufab::cmn
