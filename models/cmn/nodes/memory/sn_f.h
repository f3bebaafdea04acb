// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cmn/mesh.h"
#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/retry.h"

namespace pmufab::cmn {

/// Parameters of an SN-F.
struct SnFParameters {
  unsigned entries = 64;            ///< requests at a time, 1 ... 1024
  unsigned latency = 60;            ///< cycles from a read's arrival, or its turn, to its data
  unsigned response_latency = 4;    ///< cycles of all other messages
  unsigned cycles_per_request = 1;  ///< cycles from the start of a request in memory to the next
};

/// Memory behind a CHI interface: answers ReadNoSnp and WriteNoSnp, drops PrefetchTgt (docs/cmn-nodes.md, rule 4.1).
class SnF final : public NodeModel {
 public:
  /// Attaches itself to the mesh.
  /// @throws std::invalid_argument for a parameter out of range
  SnF(Mesh& mesh, std::uint16_t node_id, const SnFParameters& parameters);

  void run(Cycle now) override;
  void sent(Channel channel, const FlitFields& fields, Cycle now) override;
  [[nodiscard]] unsigned pending() const noexcept override { return numbers_.used() + credits_.pending(); }

  [[nodiscard]] std::uint64_t reads() const noexcept { return reads_; }
  [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }
  [[nodiscard]] std::uint64_t prefetches() const noexcept { return prefetches_; }
  /// @return the cycles that the memory has been busy, or will be with what it has accepted.
  [[nodiscard]] Cycle busy() const noexcept { return turns_ * parameters_.cycles_per_request; }
  /// @return the cycles in which a request waited for its turn, or will wait.
  [[nodiscard]] Cycle waited() const noexcept { return waited_; }

 private:
  void request(const FlitFields& fields, Cycle now);
  void write_data(const FlitFields& fields, Cycle now);
  void read(const FlitFields& fields, unsigned entry, Cycle now);
  void release(unsigned entry, Cycle now);
  [[nodiscard]] Cycle turn(Cycle now);
  [[nodiscard]] FlitFields answer_to(const FlitFields& fields, std::uint8_t opcode) const;

  Mesh& mesh_;
  SnFParameters parameters_;
  unsigned number_;
  EntryNumbers numbers_;
  RequestCredits credits_;
  std::vector<std::uint8_t> data_flits_;  // by entry: flits that a write still waits for
  Cycle next_turn_ = 0;                   // next free cycle of the memory
  std::uint64_t turns_ = 0;
  Cycle waited_ = 0;
  Cycle waited_until_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t prefetches_ = 0;
};

}  // namespace pmufab::cmn
