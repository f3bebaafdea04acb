// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cmn/nodes/memory/axi_side.h"
#include "models/cmn/nodes/memory/memory_bridge.h"
#include "models/cmn/nodes/node_events.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/request_tracker.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/pmu/occupancy.h"

namespace pmufab::cmn {

/// Parameters of an SBSX (docs/cmn-nodes.md, 4.4).
struct SbsxParameters {
  unsigned entries = 32;      ///< requests, up to 128
  unsigned wdb_entries = 16;  ///< writes that may send their data
  unsigned latency = 8;       ///< cycles from a decision to its message
  AxiParameters axi{};
};

/// SBSX: memory behind AXI.
class Sbsx final : public NodeModel {
 public:
  /// @throws std::invalid_argument for a parameter out of range
  Sbsx(Mesh& mesh, const DevicePlace& place, const SbsxParameters& parameters);

  void run(Cycle now) override;
  void sent(Channel channel, const FlitFields& fields, Cycle now) override;
  [[nodiscard]] unsigned pending() const noexcept override { return tracker_.used(); }

 private:
  using Kind = BridgeRequest;
  enum class State : std::uint8_t { wants_wdb, wants_data, on_axi };
  struct Entry {
    Kind kind;
    State state;
  };

  void request(const FlitFields& fields, Cycle now);
  void data(const FlitFields& fields, Cycle now);
  void give_buffers(Cycle now);
  void end(unsigned entry, Cycle now);

  Mesh& mesh_;
  unsigned device_;
  NodeEvents events_;
  RequestTracker tracker_;
  std::vector<Entry> entries_;
  unsigned free_wdb_;
  AxiSide axi_;
  std::array<Occupancy, 3> req_trkr_;  // by kind
  std::array<Occupancy, 3> axi_trkr_;  // by kind, without writes
  Occupancy wdb_;
  Occupancy rdb_;
};

}  // namespace pmufab::cmn
