// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cmn/nodes/node_events.h"
#include "models/cmn/nodes/request_tracker.h"
#include "models/cmn/pmu/occupancy.h"

namespace pmufab::cmn {

/// Parameters of a DVM node (docs/cmn-nodes.md, 4.7).
struct DvmNodeParameters {
  /// A filter: the node is snooped only for operations of some VMIDs. It applies to every pair with its id.
  struct VmidFilter {
    std::uint16_t node_id;
    std::uint8_t vmid;
  };
  unsigned trk_entries = 8;  ///< operations, up to 64
  unsigned snoop_limit = 8;  ///< of these, operations with unanswered snoops
  unsigned latency = 8;      ///< cycles from a decision to its message
  bool rn_d_ops = false;     ///< RN-Ds are snooped for BPI, PICI and VICI
  std::vector<VmidFilter> vmid_filters{};
};

/// The DVM node of an HN-D: passes DVM operations on, as snoops, to all nodes that may hold translations.
class DvmNode {
 public:
  /// A node to snoop.
  struct Target {
    std::uint16_t node_id;
    bool is_rn_d;
  };
  static constexpr unsigned kFirstDbid = 0x80;
  static constexpr std::uint8_t kPCrdType = 1;

  /// @param device   number in the mesh, for messages
  /// @param targets  all nodes to snoop, in order of XP, port, device
  /// @throws std::invalid_argument for a parameter out of range
  DvmNode(Mesh& mesh, unsigned device, std::uint16_t node_id, const DvmNodeParameters& parameters,
          std::span<const Target> targets);
  DvmNode(const DvmNode&) = delete;
  DvmNode& operator=(const DvmNode&) = delete;

  void request(const FlitFields& fields, Cycle now);
  void data(const FlitFields& fields, Cycle now);
  void snoop_response(const FlitFields& fields, Cycle now);
  /// A SNP flit has entered the mesh.
  void sent_snoop(Cycle now) const { events_.fire(ids_.txsnp_flitv, now); }

  [[nodiscard]] unsigned pending() const noexcept { return tracker_.used(); }

 private:
  /// Event ids in a product's event select register; 0: the product does not have the event.
  struct EventIds {
    std::uint8_t tlbi;
    std::uint8_t bpi;
    std::uint8_t pici;
    std::uint8_t vici;
    std::uint8_t sync;
    std::uint8_t vmid_filtered;
    std::uint8_t rndop_filtered;
    std::uint8_t retry;
    std::uint8_t txsnp_flitv;
    std::uint8_t txsnp_stall;
    std::uint8_t trkfull;
    std::uint8_t trk_occupancy;
    std::uint8_t trk_alloc;
    std::uint8_t txsnp_stall_limit;
    std::uint8_t txsnp_sync_stall_op;
  };
  struct Entry {
    bool is_sync;
    bool has_data;
    bool snooped;
    std::uint16_t answers;  // still to come
  };
  enum class Answer : std::uint8_t { snooped, requester, no_rn_d, other_vmid };

  static EventIds ids_of(Product product);
  [[nodiscard]] Answer judge(const Target& target, std::uint64_t addr, std::uint16_t requester) const;
  void fire_filters(std::uint64_t addr, std::uint16_t requester, Cycle now) const;
  void snoop_waiting(Cycle now);
  void snoop(unsigned entry, Cycle now);
  void end(unsigned entry, Cycle now);

  Mesh& mesh_;
  unsigned device_;
  DvmNodeParameters parameters_;
  std::vector<Target> targets_;
  NodeEvents events_;
  EventIds ids_;
  RequestTracker tracker_;
  std::vector<Entry> entries_;
  unsigned snooping_ = 0;
  Occupancy occupancy_;
  Level full_;
  Level limited_;
  Level sync_waits_;
};

}  // namespace pmufab::cmn
