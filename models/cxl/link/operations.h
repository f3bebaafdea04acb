// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/cxl/link/messages.h"
#include "tlm/clock/clock_domain.h"

namespace pmufab::cxl {

/// The operations of a host on memory of a device, or on the device's cache (docs/cxl-messages.md, 3.5 and 5.3).
enum class HostOperationKind : std::uint8_t {
  read,
  load,
  load_shared,
  store,
  write,
  write_partial,
  invalidate,
  invalidate_shared,
  invalidate_none,
  invalidate_nt,
  speculative_read,
  clean_evict,
  clean_evict_unknown,
  te_update,
  read_fill,
  snoop_data,
  snoop_invalidate,
  snoop_current
};
inline constexpr unsigned kHostOperationKinds = 18;

struct HostOperation {
  HostOperationKind kind = HostOperationKind::read;
  bool tee = false;
  std::uint64_t address = 0;  ///< host physical, of a line
  std::uint32_t user = 0;     ///< returned by OperationClient::completed()
};

/// The result of issuing an operation.
enum class IssueResult : std::uint8_t {
  sent,    ///< completed() will be called
  done,    ///< over already: nothing had to be sent, or no answer will come
  blocked  ///< nothing happened; try again at OperationClient::unblocked()
};

/// The issuer of operations.
class OperationClient {
 public:
  virtual void completed(std::uint32_t user, Picoseconds now) = 0;
  virtual void unblocked(Picoseconds now) = 0;

 protected:
  ~OperationClient() = default;
};

}  // namespace pmufab::cxl
