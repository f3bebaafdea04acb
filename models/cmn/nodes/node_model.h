// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/cmn/mesh_device.h"
#include "models/cmn/nodes/requester/operation_source.h"

namespace pmufab::cmn {

/// A device of the mesh that takes part in transactions.
class NodeModel : public MeshDevice {
 public:
  /// @return transactions the node has begun or accepted and not ended; 0 for all nodes of a mesh at rest.
  [[nodiscard]] virtual unsigned pending() const noexcept = 0;
};

/// For how many cycles the requests of a node have waited. At least one waited in each of these cycles.
struct RequesterWaits {
  Cycle credit = 0;  ///< for a credit, after RetryAck
  Cycle port = 0;    ///< to enter the mesh, or for their data to do so, in other cycles than those
};

/// A node that begins transactions for an operation source.
class RequesterModel : public NodeModel {
 public:
  /// @return true if it can do such an operation.
  [[nodiscard]] virtual bool can(OperationKind kind) const noexcept = 0;
  /// Take operations from `source` (not owned); nullptr for none. Operations already begun continue.
  virtual void set_source(OperationSource* source) = 0;
  /// The source may have an operation earlier than it announced: call it in cycle `when`.
  virtual void ask(Cycle when) = 0;
  /// @return what its requests have waited for in all cycles before `now`, the running cycle
  [[nodiscard]] virtual RequesterWaits waits(Cycle now) const noexcept = 0;
};

}  // namespace pmufab::cmn
