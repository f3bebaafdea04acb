// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/home/back_invalidations.h"
#include "models/cmn/nodes/home/home_output.h"
#include "models/cmn/nodes/home/lru_lines.h"
#include "models/cmn/nodes/home/pocq.h"
#include "models/cmn/nodes/home/snoop_filter.h"
#include "models/cmn/nodes/memory/memory_side.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/retry.h"
#include "models/cmn/nodes/set_index.h"
#include "models/cmn/nodes/system_address_map.h"

namespace pmufab::cmn {

/// Design parameters of a home node.
struct HomeParameters {
  static constexpr unsigned kMaximumLatency = 100'000;

  unsigned slc_sets = 1024;  ///< sets of its slice of the system level cache
  unsigned slc_ways = 16;
  unsigned sf_sets = 2048;  ///< sets of its snoop filter
  unsigned sf_ways = 16;
  unsigned pocq_entries = 32;  ///< requests under way, 1 ... 256
  unsigned latency = 12;       ///< cycles from the cause of a message until it may go, 1 ... kMaximumLatency
  bool forwarding = true;      ///< let RN-Fs forward data directly
};

/// HN-F or HN-S: the point of coherency for its share of the lines, with a slice of the system level cache and the
/// snoop filter for them (docs/cmn-nodes.md, section 3).
///
/// It attaches itself to the mesh, takes requests, snoops RN-Fs, accesses memory, and publishes its events.
class HomeNode final : public NodeModel {
 public:
  /// @param mesh, addresses  must outlive the node
  /// @param place            of kind home
  /// @throws std::invalid_argument for a parameter out of range, or a place that is no home's
  HomeNode(Mesh& mesh, const SystemAddressMap& addresses, const DevicePlace& place, const HomeParameters& parameters);

  void run(Cycle now) override;
  void prepare(const Arrival& arrival) const noexcept override;
  void sent(Channel channel, const FlitFields& fields, Cycle now) override;
  [[nodiscard]] unsigned pending() const noexcept override;

  /// @name For debugging and tests
  /// @{
  enum class SlcState : std::uint8_t { absent, clean, dirty };
  [[nodiscard]] SlcState slc_state(std::uint64_t address) const;
  /// The snoop filter's entry for a line.
  struct Tracked {
    std::vector<std::uint16_t> rn_fs;  ///< node ids; empty: no entry
    bool unique = false;
  };
  [[nodiscard]] Tracked tracked(std::uint64_t address) const;
  [[nodiscard]] const Occupancy& pocq_occupancy() const noexcept { return pocq_.occupancy(); }
  [[nodiscard]] unsigned pocq_entries() const noexcept { return parameters_.pocq_entries; }
  /// The cycles in which the POCQ was full.
  [[nodiscard]] const Level& pocq_full() const noexcept { return pocq_.full(); }
  /// @}

 private:
  using Kind = HomeRule::Kind;

  /// TxnIDs of back-invalidations: this plus their number.
  static constexpr std::uint16_t kFirstBackInvalidation = 0x800;
  /// The kind of a sender, by node id: the index of an RN-F, or one of these.
  static constexpr std::uint16_t kIoRequester = 0xfffd;
  static constexpr std::uint16_t kGateway = 0xfffe;
  static constexpr std::uint16_t kNoRequester = 0xffff;

  /// A snoop response, of one flit or two.
  struct SnoopAnswer {
    std::uint16_t source;
    std::uint16_t txnid;
    std::uint16_t dbid;
    bool has_data;
    bool dirty;
    bool forwarded;
    bool pulls;
  };

  void find_senders(const SystemAddressMap& addresses);
  /// @return the kind of a node id, as above.
  [[nodiscard]] std::uint16_t sender(std::uint16_t node_id) const noexcept {
    return node_id < senders_.size() ? senders_[node_id] : kNoRequester;
  }

  // Arrivals.
  void take_request(const FlitFields& flit);
  void take_response(const FlitFields& flit);
  void take_data(const FlitFields& flit);
  void take_snoop_answer(const SnoopAnswer& answer);
  [[nodiscard]] HomeClasses classes_of(const FlitFields& request, const HomeRule& rule) const;
  [[nodiscard]] PocqEntry entry_of(const FlitFields& request, const HomeRule& rule) const;
  void refuse(const FlitFields& request, const HomeClasses& classes);

  // The steps of a request, in this order.
  void go_on(std::uint64_t line);
  void begin(unsigned number);
  void pull(unsigned number, const SnoopAnswer& answer);
  void look_up(unsigned number, bool publish);
  void snoop_sharers(unsigned number, std::size_t of_sf);
  void snoop_stash_target(unsigned number);
  void update_filter(PocqEntry& entry, std::size_t set, bool tracked);
  void make_entry(std::uint64_t line, std::size_t set);
  void answer_at_once(unsigned number);
  void advance(unsigned number);
  void read_memory_if_needed(unsigned number);
  void finish(unsigned number);
  void finish_write_unique(const PocqEntry& entry, bool allocates);
  void free(unsigned number);

  // Back-invalidations.
  void back_invalidate(const SnoopFilter::Found& victim);
  void end_back_invalidation(unsigned number);

  // The SLC.
  void fill(std::uint64_t line, bool dirty, const HomeClasses& classes);
  void evict(std::uint64_t line);
  void remove_from_slc(std::uint64_t line);
  /// @return true if the line was dirty; it is clean now.
  bool clean_in_slc(std::uint64_t line);

  // Messages.
  void write_line(const PocqEntry& entry);
  void write_to_memory(const PocqEntry& entry, std::uint8_t opcode, std::uint64_t address, std::uint8_t size);
  void respond(unsigned number, std::uint8_t opcode, std::uint8_t resp, bool tell);
  void send_data(unsigned number, std::uint8_t resp);
  [[nodiscard]] HomeClasses snoop_classes(std::uint16_t txnid) const;
  [[nodiscard]] static FlitFields snoop_flit(std::uint64_t line, std::uint8_t opcode, std::uint16_t txnid);

  Mesh& mesh_;
  HomeParameters parameters_;
  SetIndex slc_set_;
  SetIndex sf_set_;
  unsigned device_;
  std::uint16_t node_id_;
  bool has_two_snoop_channels_;
  HomeOutput output_;
  std::vector<std::uint16_t> rn_fs_;    // node ids
  std::vector<std::uint16_t> senders_;  // by node id
  LruLines slc_;                        // flag: dirty
  SnoopFilter sf_;
  Pocq pocq_;
  RequestCredits credits_;
  BackInvalidations back_invalidations_;
  MemorySide memory_;
};

}  // namespace pmufab::cmn
