// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cmn/nodes/entry_numbers.h"
#include "models/cmn/nodes/node_events.h"
#include "models/cmn/nodes/node_model.h"
#include "models/cmn/nodes/retry.h"
#include "models/cmn/nodes/system_address_map.h"
#include "models/cmn/pmu/cycle_condition.h"
#include "models/cmn/pmu/occupancy.h"

namespace pmufab::cmn {

/// Parameters of RN-I and RN-D (docs/cmn-nodes.md, 4.6).
struct RnIParameters {
  unsigned rrt_entries = 32;  ///< reads at a time, up to 128
  unsigned wrt_entries = 32;  ///< writes at a time, up to 128
  unsigned latency = 4;       ///< cycles from a decision to its message
};

/// RN-I or RN-D: reads and writes for AXI managers at three ports. An RN-D also answers DVM snoops.
class RnI final : public RequesterModel {
 public:
  /// @param addresses  not owned
  /// @throws std::invalid_argument for a parameter out of range
  RnI(Mesh& mesh, const SystemAddressMap& addresses, const DevicePlace& place, const RnIParameters& parameters);

  [[nodiscard]] bool can(OperationKind kind) const noexcept override;
  void set_source(OperationSource* source) override { source_ = source; }
  void ask(Cycle when) override { mesh_.call(device_, when); }
  [[nodiscard]] RequesterWaits waits(Cycle now) const noexcept override {
    return {lacks_credit_.cycles(now), mesh_.port_waits(device_)};
  }
  [[nodiscard]] unsigned pending() const noexcept override { return reads_.used() + writes_.used(); }

  void run(Cycle now) override;
  void sent(Channel channel, const FlitFields& fields, Cycle now) override;

 private:
  static constexpr unsigned kFirstWrite = 0x80;  // lowest TxnID of writes
  static constexpr unsigned kMaximumEntries = 128;
  struct Transaction {
    Operation operation{};
    Cycle began = 0;
    FlitFields request{};
    std::uint16_t dbid = 0;
    std::uint8_t flits = 0;  // flits of data, received or sent
    bool has_dbid = false;
    bool has_comp = false;
  };

  void begin(Cycle now);
  void start(const Operation& operation, Cycle now);
  void respond(const FlitFields& fields, Cycle now);
  void receive(const FlitFields& fields, Cycle now);
  void snooped(const FlitFields& fields, Cycle now);
  void send_again(unsigned number, Cycle now);
  void send_data(unsigned txnid, Cycle now);
  void sent_request(const FlitFields& fields, Cycle now);
  void sent_data(const FlitFields& fields, Cycle now);
  void finish_read(unsigned txnid, Cycle now);
  void finish_write(unsigned txnid, Cycle now);
  void add_occupancies(Product product);
  [[nodiscard]] Transaction& at(unsigned txnid);

  Mesh& mesh_;
  const SystemAddressMap& addresses_;
  unsigned device_;
  bool answers_dvm_;
  RnIParameters parameters_;
  NodeEvents events_;
  OperationSource* source_ = nullptr;
  EntryNumbers reads_;
  EntryNumbers writes_;
  RetriedRequests retried_;
  std::vector<Transaction> transactions_;  // by TxnID
  bool told_of_full_ = false;              // the source
  Level lacks_credit_;
  Occupancy rrt_;
  std::array<Occupancy, 4> rrt_slices_;
  Occupancy wrt_;
};

}  // namespace pmufab::cmn
