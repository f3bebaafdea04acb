// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>

#include "testbench/fabrics/cmn/judge/homes/reference_home_memory.h"
#include "testbench/fabrics/cmn/judge/homes/reference_lines.h"
#include "testbench/fabrics/cmn/judge/nodes/node_events.h"
#include "testbench/fabrics/cmn/judge/nodes/reference_node.h"

namespace pmufab::scoreboard {

/// A home node (HN-F or HN-S) by section 3 of docs/cmn-nodes.md.
class ReferenceHome final : public ReferenceNode {
 public:
  ReferenceHome(const CmnNode& node, unsigned number, ReferenceSurroundings& around);
  ~ReferenceHome() override;

  void arrive(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit) override;
  void prepare(cmn::Channel channel, const cmn::FlitFields& flit, bool leaves_mesh) override;
  void held(cmn::Channel channel) override;
  void finish() override;

 private:
  friend class ReferenceHomeMemory;

  /// What is still to come of each RN-F that was snooped. A few need no memory of their own.
  using Snooped = boost::container::flat_map<std::uint16_t, DataArrival, std::less<>,
                                             boost::container::small_vector<std::pair<std::uint16_t, DataArrival>, 4>>;
  /// An entry of the point of coherency queue.
  struct Entry {
    std::uint64_t serial = 0;  // unique, with the number as its lowest bits; 0: nobody has the entry
    unsigned number = 0;
    cmn::FlitFields request{};
    std::uint8_t opcode = 0;  // opcode with which the request continues: that of a read, for a stash that pulls data
    std::uint16_t requester = 0;
    std::uint16_t txnid = 0;
    std::uint64_t line = 0;
    bool waiting = true;
    bool in_slc = false;     // at lookup
    bool slc_dirty = false;  // at lookup
    bool alone = false;      // after lookup, the requester is alone in the SF
    Snooped snooped{};       // RN-Fs that have not answered yet
    bool stashing = false;   // the snoop is a SnpStash
    bool snoop_data = false;
    bool snoop_dirty = false;
    bool forwarded = false;
    std::optional<DataArrival> memory{};  // data to come from memory
    bool memory_asked = false;
    std::optional<DataArrival> write{};  // data to come from the requester
    bool write_dirty = false;
    bool write_unique_clean = false;
    bool ack_to_come = false;
    bool acked = false;      // ends with a CompAck
    unsigned responses = 0;  // responses not sent yet
    bool done = false;       // its data has arrived and been processed
    NodeCounts::Codes occupancy = 0;
  };
  static constexpr unsigned kNumberBits = 16;
  /// The place of an entry in the queue.
  struct Queued {
    std::uint64_t line;
    unsigned number;
  };

  struct BackInvalidation {
    std::uint64_t line = 0;
    Snooped snooped{};
    bool dirty = false;
  };

  void request(cmn::Cycle now, const cmn::FlitFields& flit);
  void go_on(cmn::Cycle now, Entry& entry);
  /// @param is_first  of the request; the other is that of a stash that pulls data
  void lookup(cmn::Cycle now, Entry& entry, bool is_first);
  /// @param tracked  the line in it, if it is there
  void update_snoop_filter(Entry& entry, TrackedLine* tracked);
  TrackedLine* add_to_filter(std::uint64_t line, std::uint16_t sharer);
  [[nodiscard]] NodeIds targets(const Entry& entry, const TrackedLine* tracked) const;
  void snoop(Entry& entry, const NodeIds& targets);
  void snoop_response(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit);
  void back_invalidation_response(cmn::Cycle now, cmn::Channel channel, const cmn::FlitFields& flit);
  void stash_response(cmn::Cycle now, Entry& entry, const cmn::FlitFields& flit);
  void after_snoops(cmn::Cycle now, Entry& entry);
  void when_data_is_there(cmn::Cycle now, Entry& entry);
  void change_cache(Entry& entry);
  void respond(Entry& entry);
  void free_if_done(cmn::Cycle now, Entry& entry);
  void oldest_goes_on(cmn::Cycle now, std::uint64_t line);
  void fill(std::uint64_t line, bool dirty, const Entry* cause);
  /// A response that must be sent before the entry is freed.
  [[nodiscard]] Then counted(Entry& entry);
  void expect_response(Entry& entry, std::uint8_t opcode, std::optional<std::uint8_t> resp = {});

  /// @return nullptr if nobody has the entry
  [[nodiscard]] Entry* with_number(unsigned number) {
    return number < entries_.size() && entries_[number]->serial != 0 ? entries_[number].get() : nullptr;
  }
  [[nodiscard]] bool is_in_queue(std::uint64_t line) const {
    return std::any_of(queue_.begin(), queue_.end(), [line](const Queued& one) { return one.line == line; });
  }
  [[nodiscard]] bool is_rn_f(std::uint16_t node_id) const { return is_rn_f_device(around().device_at(node_id)); }
  [[nodiscard]] bool is_dirty_in_cache(std::uint64_t line) const;

  // Fire events, under the names of HN-F.
  void fire(unsigned id, const cmn::FlitFields& request);
  void fire_for_line(unsigned id, std::uint64_t line, const Entry* cause, NodeCounts::Codes state = 1);
  void fire_snoop(unsigned id, std::uint64_t txnid);
  [[nodiscard]] NodeCounts::Codes occupancy_codes(const cmn::FlitFields& request) const;
  [[nodiscard]] NodeCounts::Codes codes(unsigned id, std::uint64_t address, const cmn::FlitFields* request) const;
  [[nodiscard]] NodeFilter filter_of(unsigned id) const {
    return id < filters_.size() ? filters_[id] : NodeFilter::none;
  }
  [[nodiscard]] bool is_hn_s() const { return node().type == cmn::NodeType::hn_s; }

  NodeCounts& counts_;
  std::vector<NodeFilter> filters_;  // of its events, by id
  ReferenceHomeParameters parameters_;
  ReferenceRoom room_;
  LowestFree numbers_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by number
  std::vector<Queued> queue_;                    // those in use, the oldest first: a search reads no entries
  std::uint64_t serials_ = 0;
  ReferenceLines<CachedLine> slc_;
  ReferenceLines<TrackedLine> filter_;
  std::map<unsigned, BackInvalidation> back_invalidations_;  // by TxnID
  LowestFree back_invalidation_numbers_;
  ReferenceHomeMemory memory_;
};

}  // namespace pmufab::scoreboard
