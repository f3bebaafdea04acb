// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/nodes/memory/axi_side.h"
#include "models/cmn/nodes/memory/memory_bridge.h"
#include "models/cmn/nodes/memory/tag_cache.h"
#include "models/cmn/nodes/node_events.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/request_tracker.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/pmu/occupancy.h"

namespace pmufab::cmn {

/// Parameters of an MTSX (docs/cmn-nodes.md, 4.5).
struct MtsxParameters {
  unsigned entries = 32;  ///< requests in the tag cache queue, up to 128
  unsigned tc_sets = 64;
  unsigned tc_ways = 4;
  unsigned latency = 8;  ///< cycles from a decision to its message
  AxiParameters axi{};
};

/// MTSX: memory with tags behind AXI, and a cache of the tags.
class Mtsx final : public NodeModel {
 public:
  static constexpr std::uint64_t kBytesOfTagLine = 2048;  ///< data bytes whose tags fill a line

  /// @throws std::invalid_argument for a parameter out of range
  Mtsx(Mesh& mesh, const DevicePlace& place, const MtsxParameters& parameters);

  void run(Cycle now) override;
  [[nodiscard]] unsigned pending() const noexcept override { return tracker_.used(); }

 private:
  using Kind = BridgeRequest;
  enum class Tags : std::uint8_t { wanted, being_read, there };
  struct Entry {
    Kind kind;
    Tags tags;
    bool data_there;  // has been read, or has arrived for writing
    bool cancelled;
    std::uint64_t line;  // line of tags
  };

  void request(const FlitFields& fields, Cycle now);
  void data(const FlitFields& fields, Cycle now);
  void find_tags(unsigned entry, Cycle now);
  void fill(unsigned entry, Cycle now);
  void go_on(unsigned entry, Cycle now);
  void end(unsigned entry, Cycle now);

  Mesh& mesh_;
  unsigned device_;
  NodeEvents events_;
  RequestTracker tracker_;
  std::vector<Entry> entries_;
  TagCache cache_;
  AxiSide axi_;
  Occupancy tcq_;
  Occupancy tdb_;
};

}  // namespace pmufab::cmn
